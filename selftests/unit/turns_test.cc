// SPDX-License-Identifier: GPL-2.0-only
//
// Tests whose turn it is, and how a peer with one bad EV fares among a thousand peers with many bad
// EVs.

#include "engine/core.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <queue>
#include <vector>

namespace
{

constexpr std::uint64_t kMs = 1'000'000;
constexpr std::uint64_t kSec = 1000 * kMs;

struct Turns {
    mrc_turns all;
    std::vector<mrc_turn> turn;

    explicit Turns(std::size_t n) : turn(n) { mrc_turns_init(&all); }

    void add(std::size_t i) { mrc_turns_add(&all, &turn[i]); }

    /// Index of the entry whose turn it is, which then has had it; -1: none.
    int next(bool more)
    {
        bool fresh;
        mrc_turn *t = mrc_turns_next(&all, &fresh);
        if (!t)
            return -1;
        EXPECT_FALSE(mrc_turn_waits(t)) << "while it has its turn";
        mrc_turns_had(&all, t, fresh, more);
        return static_cast<int>(t - turn.data());
    }
};

TEST(Turns, FirstInFirstOut)
{
    Turns t(3);
    EXPECT_TRUE(mrc_turns_none(&t.all));
    EXPECT_EQ(t.next(false), -1);
    for (std::size_t i = 0; i < 3; ++i)
        t.add(i);
    t.add(0);
    EXPECT_FALSE(mrc_turns_none(&t.all));
    EXPECT_EQ(t.next(true), 0);
    EXPECT_EQ(t.next(true), 1);
    EXPECT_EQ(t.next(true), 2);
    EXPECT_EQ(t.next(true), 0) << "and round again";
}

TEST(Turns, WhoBecomesDueGoesBeforeThoseThatHadATurn)
{
    Turns t(3);
    t.add(0);
    t.add(1);
    EXPECT_EQ(t.next(true), 0);
    EXPECT_EQ(t.next(true), 1);
    t.add(2);
    EXPECT_EQ(t.next(true), 2);
    EXPECT_EQ(t.next(true), 0);
}

/* Otherwise an entry that becomes due again each time would keep all others waiting. */
TEST(Turns, WhoHadATurnIsNotNewBeforeTheOthersHadTheirs)
{
    Turns t(2);
    t.add(0);
    EXPECT_EQ(t.next(true), 0);
    t.add(1);
    EXPECT_EQ(t.next(false), 1);
    t.add(1);
    EXPECT_EQ(t.next(true), 0) << "0 waits longer";
    EXPECT_EQ(t.next(false), 1);
    t.add(1);
    EXPECT_EQ(t.next(false), 1) << "new again";
}

TEST(Turns, WhoGoesWaitsNoMore)
{
    Turns t(4);
    for (std::size_t i = 0; i < 4; ++i)
        t.add(i);
    mrc_turns_del(&t.turn[3]);
    mrc_turns_del(&t.turn[1]);
    mrc_turns_del(&t.turn[1]);
    t.add(3);
    EXPECT_EQ(t.next(false), 0);
    EXPECT_EQ(t.next(false), 2);
    EXPECT_EQ(t.next(false), 3);
    for (mrc_turn &turn : t.turn)
        mrc_turns_del(&turn);
    EXPECT_TRUE(mrc_turns_none(&t.all));
    t.add(1);
    EXPECT_EQ(t.next(false), 1);
}

/// Peers of a device, served as in transport/endpoint/prober.c: a run per millisecond, with limits
/// on the probes of a run, of a second, and without an answer. Nothing answers.
class Device
{
public:
    /// Makes peers with @p evs EVs that can be lost, and one that cannot.
    Device(std::size_t peers, int evs) : turns(peers + 1)
    {
        while (peer.size() < peers)
            addPeer(evs);
    }

    /// At most one peer more than at first.
    void addPeer(int evs) { peer.push_back(std::make_unique<Peer>(evs)); }

    struct Peer {
        std::vector<mrc_ev_entry> entry;
        std::vector<mrc_paths_ev> ev;
        mrc_paths paths;
        mrc_probing probing{};
        std::vector<std::uint64_t> probedAt;

        explicit Peer(int evs)
            : entry(static_cast<std::size_t>(evs + 1)), ev(static_cast<std::size_t>(evs + 1))
        {
            for (mrc_ev_entry &e : entry)
                e.port = 1;
            EXPECT_EQ(
                mrc_paths_init(&paths, ev.data(), entry.data(), static_cast<u16>(evs + 1), 0, 0, 7),
                0);
            mrc_probing_init(&probing, &mrc_timing_software);
            mrc_probing_use(&probing, 1024, true);
            mrc_paths_report(&paths, MRC_SEEN_ARRIVED, static_cast<u16>(evs), kSec, kSec);
        }

        /// Loses all EVs except the last.
        void lose(std::uint64_t now)
        {
            for (u16 i = 0; i + 1u < entry.size(); ++i)
                mrc_paths_report(&paths, MRC_SEEN_SKIP_ALWAYS, i, 0, now);
        }

        std::uint64_t at() const { return mrc_probing_at(&probing, &paths); }
    };

    /// Peer @p i loses its EVs.
    void lose(std::size_t i)
    {
        peer[i]->lose(now);
        due.emplace(peer[i]->at(), i);
    }

    void run(std::uint64_t until)
    {
        for (; now < until; now += kMs) {
            if (mrc_turns_none(&turns.all) && (due.empty() || due.begin()->first > now))
                continue;
            ++runs;
            for (; !due.empty() && due.begin()->first <= now; due.erase(due.begin()))
                turns.add(due.begin()->second);
            serve();
        }
    }

    std::vector<std::unique_ptr<Peer>> peer;
    std::uint64_t runs = 0;
    std::uint64_t probes = 0;
    std::uint64_t mostPerSecond = 0;

private:
    void serve()
    {
        while (!unanswered.empty() && now >= unanswered.front() + 50 * kMs)
            unanswered.pop();
        unsigned room = std::min<unsigned>(mrc_gate_room(&gate, now, 10000), 16);
        room = std::min<unsigned>(room, 240 - static_cast<unsigned>(unanswered.size()));
        bool fresh;
        while (room) {
            mrc_turn *t = mrc_turns_next(&turns.all, &fresh);
            if (!t)
                break;
            const auto i = static_cast<std::size_t>(t - turns.turn.data());
            room -= probe(*peer[i]);
            mrc_turns_had(&turns.all, t, fresh, peer[i]->at() <= now);
            if (!mrc_turn_waits(t))
                due.emplace(peer[i]->at(), i);
        }
    }

    bool probe(Peer &p)
    {
        unsigned room;
        const u16 ev = mrc_probing_next(&p.probing, &p.paths, now, &room);
        if (ev == MRC_EV_NONE)
            return false;
        EXPECT_TRUE(mrc_gate_pass(&gate, now, 10000));
        mrc_probing_account(&p.paths, ev, MRC_SENT, now);
        p.probedAt.push_back(now);
        unanswered.push(now);
        count();
        return true;
    }

    void count()
    {
        ++probes;
        lately.push(now);
        while (now - lately.front() >= kSec)
            lately.pop();
        mostPerSecond = std::max<std::uint64_t>(mostPerSecond, lately.size());
    }

    Turns turns;
    mrc_gate gate{};
    std::uint64_t now = kSec;
    std::multimap<std::uint64_t, std::size_t> due;
    std::queue<std::uint64_t> unanswered;
    std::queue<std::uint64_t> lately;
};

/* Each of 32,000 bad EVs is due at least once a second: that is more than may be probed. */
TEST(Turns, AThousandPeersWithAllTheirBadEvsDoNotDelayTheOneWithOne)
{
    Device crowd(1000, 32), alone(0, 0);
    for (std::size_t i = 0; i < 1000; ++i)
        crowd.lose(i);
    for (Device *device : {&crowd, &alone}) {
        device->run(11 * kSec);
        device->addPeer(1);
        device->lose(device->peer.size() - 1);
        device->run(21 * kSec);
    }

    EXPECT_LE(crowd.runs, 20'000u) << "one a millisecond";
    EXPECT_LE(crowd.mostPerSecond, 240u * 20 + 240) << "by what may be without an answer";
    EXPECT_GE(crowd.probes, 20u * 4000) << "and they are made use of";
    // A peer that has had a turn is behind the others once: 1,000 of 4,800 probes a second.
    const std::uint64_t round = 250 * kMs;
    const auto &single = crowd.peer[1000]->probedAt, &like = alone.peer[0]->probedAt;
    ASSERT_GE(like.size(), 18u);
    ASSERT_GE(single.size(), like.size() - 3);
    EXPECT_LE(single[0], like[0] + 50 * kMs) << "the first has no turn to wait for";
    for (std::size_t i = 1; i < single.size(); ++i)
        EXPECT_LE(single[i] - single[i - 1], like[i] - like[i - 1] + round) << i;

    std::size_t least = SIZE_MAX, most = 0;
    for (std::size_t i = 0; i < 1000; ++i) {
        least = std::min(least, crowd.peer[i]->probedAt.size());
        most = std::max(most, crowd.peer[i]->probedAt.size());
    }
    EXPECT_LE(most - least, 2u) << "all have the same share";
}

TEST(Turns, AQuietDeviceRunsOnlyWhenSomethingIsDue)
{
    Device device(10, 1);
    for (std::size_t i = 0; i < 10; ++i)
        device.lose(i);
    device.run(21 * kSec);
    EXPECT_LE(device.runs, 40u);
}

} // namespace
