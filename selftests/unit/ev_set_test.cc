// SPDX-License-Identifier: GPL-2.0-only
#include "engine/core.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <vector>

namespace
{

constexpr std::uint64_t kUs = 1000;
constexpr std::uint64_t kMs = 1000 * kUs;
constexpr std::uint64_t kSec = 1000 * kMs;

struct Set {
    std::vector<mrc_ev_entry> ev;
    mrc_ev_set s;

    /// @p perPort EVs on each of @p ports, numbered from 1; @p active of them in rotation.
    Set(int ports, int perPort, int minActive = 0, std::uint32_t seed = 1, int active = 0)
    {
        for (int port = 1; port <= ports; ++port)
            for (int i = 0; i < perPort; ++i)
                ev.push_back(entry(port));
        EXPECT_EQ(mrc_ev_set_init(&s, ev.data(), static_cast<u16>(ev.size()),
                                  static_cast<u16>(minActive), static_cast<u16>(active), seed),
                  0);
    }

    static mrc_ev_entry entry(int port)
    {
        mrc_ev_entry e{};
        e.port = static_cast<u8>(port);
        return e;
    }

    int port(u16 index) const { return ev[index].port; }

    std::map<u16, int> picks(int n, std::uint64_t now = 0)
    {
        std::map<u16, int> count;
        while (n--)
            ++count[mrc_ev_pick(&s, now)];
        return count;
    }

    /// All EVs whose probe is due, in the order in which the set names them.
    std::vector<u16> probes(std::uint64_t now)
    {
        std::vector<u16> due;
        for (u16 ev; (ev = mrc_ev_probe_next(&s, now)) != MRC_EV_NONE && due.size() < 1000;)
            due.push_back(ev);
        return due;
    }

    /// Loses @p evs at @p now; all of them leave.
    void lose(const std::vector<u16> &evs, std::uint64_t now)
    {
        for (u16 ev : evs)
            EXPECT_TRUE(mrc_ev_lost(&s, ev, MRC_EV_WHY_LOSS, now)) << ev;
    }

    /// Answers probes of @p ev as soon as they are due until it is back; returns when.
    std::uint64_t bringBack(u16 ev)
    {
        std::uint64_t now = 0;
        for (int n = 1; state(ev) == MRC_EV_ASSUMED_BAD && n < 100; ++n) {
            now = this->ev[ev].probe_at;
            probes(now);
            mrc_ev_probed(&s, ev, now, now);
        }
        return now;
    }

    int state(u16 index) const { return ev[index].state; }

    bool usable(u16 index) const { return mrc_ev_is_usable(&ev[index]); }

    /// Whether the EV is in a state in which it is probed, its port up or not.
    bool probed(u16 index) const
    {
        return state(index) == MRC_EV_ASSUMED_BAD || state(index) == MRC_EV_HELD ||
               ev[index].doubted;
    }

    /// Each changed EV and its old state.
    std::map<u16, int> changes()
    {
        std::map<u16, int> out;
        u8 old = 0;
        for (u16 ev; (ev = mrc_ev_next_change(&s, &old)) != MRC_EV_NONE;)
            out[ev] = old;
        return out;
    }

    bool spare(u16 index) const { return mrc_ev_is_spare(&s, index); }

    /// The EVs of @p port that are in rotation.
    std::set<u16> rotation(int port) const
    {
        std::set<u16> out;
        for (u16 i = 0; i < ev.size(); ++i)
            if (this->port(i) == port && mrc_ev_is_usable(&ev[i]) && !spare(i))
                out.insert(i);
        return out;
    }

    std::set<u16> spares(int port) const
    {
        std::set<u16> out;
        for (u16 i = 0; i < ev.size(); ++i)
            if (this->port(i) == port && spare(i))
                out.insert(i);
        return out;
    }

    /// The EVs that carry data, of all ports.
    std::set<u16> carriers(std::uint64_t now = 0)
    {
        std::set<u16> out;
        for (const auto &[index, n] : picks(16 * static_cast<int>(ev.size()), now))
            out.insert(index);
        return out;
    }

    bool up(u16 index) const { return (s.local_mask & s.remote_mask) >> (port(index) - 1) & 1; }
};

/// Asks for one probe: the named EV was due; if none is named, none was due.
void checkProbe(Set &set, std::uint64_t now)
{
    const std::vector<mrc_ev_entry> before = set.ev;
    std::vector<bool> probed;
    for (u16 ev = 0; ev < set.ev.size(); ++ev)
        probed.push_back(set.probed(ev));
    const auto due = [&](u16 ev) { return probed[ev] && set.up(ev) && before[ev].probe_at <= now; };
    const u16 got = mrc_ev_probe_next(&set.s, now);
    if (got != MRC_EV_NONE) {
        EXPECT_TRUE(due(got));
        EXPECT_GT(set.ev[got].probe_at, now);
        return;
    }
    for (u16 ev = 0; ev < set.ev.size(); ++ev)
        EXPECT_FALSE(due(ev)) << ev;
}

void checkCounts(const Set &set)
{
    int good = 0;
    int bad = 0;
    int asked = 0;
    int held = 0;
    for (u16 ev = 0; ev < set.ev.size(); ++ev) {
        const mrc_ev_entry &e = set.ev[ev];
        good += set.up(ev) && mrc_ev_is_usable(&e);
        bad += set.up(ev) && e.state == MRC_EV_ASSUMED_BAD;
        asked += set.up(ev) && set.probed(ev) && mrc_ev_is_usable(&e);
        held += set.up(ev) && e.state == MRC_EV_HELD;
        if (set.up(ev) && set.probed(ev)) {
            EXPECT_LE(mrc_ev_probe_at(&set.s), e.probe_at);
        }
        EXPECT_TRUE(!e.doubted || e.state == MRC_EV_GOOD);
    }
    EXPECT_EQ(set.s.good, good);
    EXPECT_EQ(set.s.bad, bad);
    EXPECT_EQ(set.s.asked, asked);
    EXPECT_TRUE(!held || good <= std::max<int>(set.s.min_active, 1)) << "none is held in vain";
    EXPECT_TRUE(bad || asked || mrc_ev_probe_at(&set.s) == U64_MAX);
}

/// Slots are a permutation, the rotation is as large as it can be, spares are GOOD.
void checkSlots(const Set &set)
{
    for (u16 i = 0; i < set.s.nplanes; ++i) {
        const mrc_ev_plane &p = set.s.planes[i];
        int spares = 0;
        int usable = 0;
        for (u16 ev = p.first; ev < p.first + p.count; ++ev) {
            EXPECT_EQ(set.ev[p.first + set.ev[ev].slot].in_slot, ev - p.first) << ev;
            EXPECT_TRUE(!set.spare(ev) || set.state(ev) == MRC_EV_GOOD ||
                        set.state(ev) == MRC_EV_HELD)
                << ev;
            usable += mrc_ev_is_usable(&set.ev[ev]);
            spares += set.spare(ev);
        }
        EXPECT_EQ(p.good, usable);
        EXPECT_EQ(usable - spares, std::min<int>(p.quota, usable));
    }
}

int init(const std::vector<int> &ports, int minActive = 0, int active = 0)
{
    std::vector<mrc_ev_entry> ev;
    for (int port : ports)
        ev.push_back(Set::entry(port));
    mrc_ev_set s;
    return mrc_ev_set_init(&s, ev.data(), static_cast<u16>(ev.size()), static_cast<u16>(minActive),
                           static_cast<u16>(active), 1);
}

} // namespace

TEST(EvSet, InitChecksItsInput)
{
    EXPECT_EQ(init({1}), 0);
    EXPECT_EQ(init({1, 1, 3, 32}), 0);
    EXPECT_EQ(init({}), -EINVAL);
    EXPECT_EQ(init({0}), -EINVAL);
    EXPECT_EQ(init({33}), -EINVAL);
    EXPECT_EQ(init({2, 1}), -EINVAL);
    EXPECT_EQ(init({1, 2, 1}), -EINVAL);
    EXPECT_EQ(init({1, 2}, 2), 0);
    EXPECT_EQ(init({1, 2}, 3), -EINVAL);
    EXPECT_EQ(init({1, 2}, 0, 2), 0);
    EXPECT_EQ(init({1, 2}, 0, 3), -EINVAL);
    EXPECT_EQ(init(std::vector<int>(256, 1)), 0);
    EXPECT_EQ(init(std::vector<int>(257, 1)), -EINVAL);
}

TEST(EvSet, PlanesTakeTurnsAndEveryEvIsUsedOncePerRotation)
{
    for (std::uint32_t seed = 0; seed < 50; ++seed) {
        Set set(4, 32, 0, seed);
        for (int rotation = 0; rotation < 5; ++rotation) {
            std::set<u16> seen;
            for (int i = 0; i < 32; ++i) {
                std::set<int> planes;
                for (int p = 0; p < 4; ++p) {
                    const u16 ev = mrc_ev_pick(&set.s, 0);
                    planes.insert(set.port(ev));
                    seen.insert(ev);
                }
                EXPECT_EQ(planes.size(), 4u);
            }
            EXPECT_EQ(seen.size(), 128u);
        }
    }
}

TEST(EvSet, PlanesOfDifferentSizeCarryEqualShares)
{
    std::vector<mrc_ev_entry> ev;
    for (int port : {1, 1, 1, 1, 1, 2, 3, 3})
        ev.push_back(Set::entry(port));
    mrc_ev_set s;
    ASSERT_EQ(mrc_ev_set_init(&s, ev.data(), 8, 0, 0, 7), 0);
    std::map<int, int> perPort;
    for (int i = 0; i < 3000; ++i)
        ++perPort[ev[mrc_ev_pick(&s, 0)].port];
    EXPECT_EQ(perPort, (std::map<int, int>{{1, 1000}, {2, 1000}, {3, 1000}}));
}

TEST(EvSet, OrderIsDrawnAnewAndDiffersBetweenSenders)
{
    std::set<std::vector<u16>> orders;
    for (std::uint32_t seed = 0; seed < 4; ++seed) {
        Set set(1, 31, 0, seed);
        for (int rotation = 0; rotation < 8; ++rotation) {
            std::vector<u16> order;
            for (int i = 0; i < 31; ++i)
                order.push_back(mrc_ev_pick(&set.s, 0));
            orders.insert(order);
        }
    }
    EXPECT_GT(orders.size(), 24u) << "of 32 drawn from 930";
}

TEST(EvSet, NoEvTwiceInSuccession)
{
    for (auto [ports, perPort] : {std::pair{1, 2}, {1, 7}, {2, 1}, {4, 1}, {4, 16}}) {
        Set set(ports, perPort);
        u16 last = MRC_EV_NONE;
        for (int i = 0; i < 1000; ++i) {
            const u16 ev = mrc_ev_pick(&set.s, 0);
            EXPECT_NE(ev, last);
            last = ev;
        }
    }
}

TEST(EvSet, MarkedEvIsLeftOutOfOneBatch)
{
    Set set(2, 4);
    mrc_ev_marked(&set.s, 5, 0);
    EXPECT_EQ(set.ev[5].state, MRC_EV_SKIP);
    auto batch = set.picks(8 * 100, 1);
    EXPECT_EQ(batch[5], 0);
    int plane1 = 0;
    for (const auto &[ev, n] : batch)
        plane1 += set.port(ev) == 1 ? n : 0;
    EXPECT_EQ(plane1, 400) << "what is skipped moves inside its plane";

    auto next = set.picks(8 * 100, 2);
    EXPECT_EQ(set.ev[5].state, MRC_EV_GOOD);
    EXPECT_GE(next[5], 98);
    EXPECT_LT(next[5], 102);

    mrc_ev_marked(&set.s, 5, 0);
    EXPECT_EQ(set.picks(8 * 100, 3).count(5), 0u) << "each time anew";
}

namespace
{

constexpr u64 kTrip = 1'000'000;

/// Batches of @p size picks, one per tenth of a round trip; @p marked: EVs that are marked whenever
/// they are used.
struct Marks {
    Set set;
    u64 now = 1'000'000'000;
    std::map<int, int> picks;

    Marks(int ports, int perPort, int active = 0) : set(ports, perPort, 0, 1, active)
    {
        set.s.rtt = kTrip;
    }

    void run(int batches, const std::vector<u16> &marked, int size = 16)
    {
        picks.clear();
        for (; batches; --batches) {
            now += kTrip / 10;
            for (const auto &[ev, n] : set.picks(size, now)) {
                picks[ev] += n;
                if (std::find(marked.begin(), marked.end(), ev) != marked.end())
                    mrc_ev_marked(&set.s, static_cast<u16>(ev), now);
            }
        }
    }
};

} // namespace

TEST(EvSet, AnEvThatIsMarkedAgainAndAgainIsInFewBatches)
{
    Marks m(2, 4);
    m.run(100, {5});
    m.run(640, {5});
    EXPECT_GT(m.picks[5], 0);
    EXPECT_LT(m.picks[5], 64) << "of 1280";
    EXPECT_EQ(m.set.state(5), MRC_EV_SKIP);
    EXPECT_GE(m.set.s.ev[5].thinned, MRC_EV_THINNED_MAX - 2);
    m.run(2000, {});
    m.run(640, {});
    EXPECT_NEAR(m.picks[5], 1280, 64) << "it is marked no more";
    EXPECT_EQ(m.set.state(5), MRC_EV_GOOD);
}

/* A full plane of four gives up almost all of its share, and no more. */
TEST(EvSet, EvsOfAPlaneThatIsMarkedAreInFewBatches)
{
    Marks m(8, 1);
    m.run(200, {3});
    m.run(640, {3});
    EXPECT_LT(m.picks[3], 64);
    EXPECT_NEAR(m.picks[2], 640 * 16 / 7, 64);
}

TEST(EvSet, MarksWhereManyAreMarkedThinOutNobody)
{
    Marks m(2, 4);
    m.run(200, {0, 1, 2, 3, 4, 5, 6, 7});
    for (u16 ev = 0; ev < 8; ++ev)
        EXPECT_LE(m.set.s.ev[ev].thinned, 1) << ev;
    m.run(640, {0, 1, 2, 3, 4, 5, 6, 7});
    for (u16 ev = 0; ev < 8; ++ev)
        EXPECT_NEAR(m.picks[ev], 1280, 128) << ev;
}

/* A queue that all paths share marks all EVs that carry data, however many other EVs there are. */
TEST(EvSet, SparesAndDeadPlanesDoNotMakeAMarkOnesOwn)
{
    Marks spares(2, 16, 4);
    Marks dead(8, 2);
    mrc_ev_ports(&dead.set.s, 1, ~0u, dead.now);
    for (Marks *m : {&spares, &dead}) {
        std::vector<u16> all(m->set.s.count);
        std::iota(all.begin(), all.end(), u16{0});
        m->run(400, all);
        for (const u16 ev : all)
            EXPECT_LE(m->set.s.ev[ev].thinned, 1) << ev << " of " << all.size();
    }
}

TEST(EvSet, AnEvThatIsThinnedOutAndInDoubtIsProbed)
{
    Marks m(2, 4);
    m.run(200, {5});
    ASSERT_EQ(m.set.state(5), MRC_EV_SKIP);
    mrc_ev_unheard(&m.set.s, 5, m.now, m.now);
    EXPECT_EQ(m.set.state(5), MRC_EV_GOOD);
    const u64 due = m.set.s.ev[5].probe_at;
    m.run(1, {});
    EXPECT_EQ(m.set.s.ev[5].probe_at, due);
    m.run(1, {5});
    EXPECT_EQ(m.set.s.ev[5].probe_at, due) << "marks say nothing new";
}

TEST(EvSet, APlaneThatIsMarkedAllOverHasNoTurn)
{
    const auto perPort = [](Set &set, int n, u64 now) {
        std::map<int, int> count;
        for (const auto &[ev, picks] : set.picks(n, now))
            count[set.port(ev)] += picks;
        return count;
    };
    using Shares = std::map<int, int>;
    Set set(3, 2);
    const Shares equal{{1, 200}, {2, 200}, {3, 200}};
    mrc_ev_marked(&set.s, 2, 0);
    EXPECT_EQ(perPort(set, 600, 1), equal) << "one EV of the plane is left";
    EXPECT_EQ(perPort(set, 600, 2), equal);
    for (u16 ev : {2, 3})
        mrc_ev_marked(&set.s, ev, 0);
    EXPECT_EQ(perPort(set, 600, 3), (Shares{{1, 300}, {3, 300}}));
    EXPECT_EQ(perPort(set, 600, 4), equal) << "for one batch";
    for (u16 ev = 0; ev < 6; ++ev)
        mrc_ev_marked(&set.s, ev, 0);
    EXPECT_EQ(perPort(set, 600, 5), equal) << "no place is better";
    EXPECT_EQ(perPort(set, 600, 6), equal);
}

TEST(EvSet, ASetThatIsMarkedAllOverStillSends)
{
    Set set(2, 3);
    for (int round = 0; round < 20; ++round) {
        for (u16 ev = 0; ev < 6; ++ev)
            mrc_ev_marked(&set.s, ev, 0);
        EXPECT_NE(mrc_ev_pick(&set.s, 0), MRC_EV_NONE);
        EXPECT_NE(mrc_ev_pick(&set.s, 0), MRC_EV_NONE);
    }
}

TEST(EvSet, LostEvIsReplacedFromItsOwnPlane)
{
    Set set(4, 8);
    EXPECT_TRUE(mrc_ev_lost(&set.s, 3, MRC_EV_WHY_LOSS, 0));
    EXPECT_EQ(set.ev[3].state, MRC_EV_ASSUMED_BAD);
    EXPECT_EQ(set.s.good, 31);
    auto count = set.picks(4 * 700);
    EXPECT_EQ(count.count(3), 0u);
    std::map<int, int> perPort;
    for (const auto &[ev, n] : count)
        perPort[set.port(ev)] += n;
    for (int port = 1; port <= 4; ++port)
        EXPECT_EQ(perPort[port], 700);
    EXPECT_FALSE(mrc_ev_lost(&set.s, 3, MRC_EV_WHY_LOSS, 0))
        << "further losses of the same kind say nothing new";
}

/*
 * None of these brings it back: a long time, any number of packets, an acknowledgement of older
 * packets.
 */
TEST(EvSet, OnlyProbesBringAnEvBack)
{
    Set set(2, 2);
    set.lose({0}, 5 * kMs);
    for (std::uint64_t now = 5 * kMs; now < 100 * kSec; now = 2 * now + 1)
        EXPECT_EQ(set.picks(50, now).count(0), 0u);
    EXPECT_EQ(set.state(0), MRC_EV_ASSUMED_BAD);
    EXPECT_FALSE(mrc_ev_probed(&set.s, 0, 100 * kSec, 100 * kSec));
    EXPECT_FALSE(mrc_ev_probed(&set.s, 0, 101 * kSec, 101 * kSec));
    EXPECT_EQ(set.picks(50, 101 * kSec).count(0), 0u);
    EXPECT_TRUE(mrc_ev_probed(&set.s, 0, 102 * kSec, 102 * kSec));
    EXPECT_EQ(set.state(0), MRC_EV_GOOD);
    EXPECT_EQ(set.s.good, 4);
    EXPECT_EQ(set.s.bad, 0);
    EXPECT_GE(set.picks(50, 102 * kSec).count(0), 1u);
}

TEST(EvSet, AnswersMustComeInARow)
{
    Set set(1, 2);
    set.lose({0}, 0);
    for (int i = 0; i < 10; ++i) {
        EXPECT_FALSE(mrc_ev_probed(&set.s, 0, kMs, kMs));
        EXPECT_FALSE(mrc_ev_probed(&set.s, 0, kMs, kMs));
        mrc_ev_probe_lost(&set.s, 0, 0, kMs);
    }
    EXPECT_FALSE(mrc_ev_probed(&set.s, 0, kMs, kMs));
    EXPECT_FALSE(mrc_ev_probed(&set.s, 0, kMs, kMs));
    EXPECT_TRUE(mrc_ev_probed(&set.s, 0, kMs, kMs));

    set.lose({0}, 2 * kMs);
    for (int i = 0; i < 5; ++i)
        EXPECT_FALSE(mrc_ev_probed(&set.s, 0, 3 * kMs, 3 * kMs))
            << "twice as many, for it flaps; those "
               "of the time before do not count";
    EXPECT_TRUE(mrc_ev_probed(&set.s, 0, 3 * kMs, 3 * kMs));
}

TEST(EvSet, UnansweredProbesBackOffToTheLongestInterval)
{
    Set set(2, 2);
    std::uint64_t now = 5 * kMs;
    std::uint64_t wait = kMs;
    set.lose({0}, now);
    for (int n = 0; n < 80; ++n) {
        EXPECT_EQ(mrc_ev_probe_at(&set.s), now + wait) << n;
        EXPECT_TRUE(set.probes(now + wait - 1).empty()) << n;
        now += wait;
        EXPECT_EQ(set.probes(now), std::vector<u16>{0}) << "once, " << n;
        wait = std::min<std::uint64_t>(2 * wait, mrc_timing_software.ev_probe_max);
    }
    EXPECT_EQ(wait, mrc_timing_software.ev_probe_max);
}

TEST(EvSet, AnAnswerEndsTheBackOff)
{
    Set set(2, 2);
    std::uint64_t now = 0;
    set.lose({0}, now);
    for (int n = 0; n < 9; ++n) {
        now = set.ev[0].probe_at;
        set.probes(now);
    }
    EXPECT_EQ(set.ev[0].probe_at, now + 512 * kMs);
    EXPECT_FALSE(mrc_ev_probed(&set.s, 0, now + 20 * kUs, now + 20 * kUs));
    EXPECT_EQ(set.ev[0].probe_at, now + 20 * kUs + kMs);
    EXPECT_EQ(mrc_ev_probe_at(&set.s), now + 20 * kUs + kMs);
    now = set.ev[0].probe_at;
    EXPECT_EQ(set.probes(now), std::vector<u16>{0});
    EXPECT_EQ(set.ev[0].probe_at, now + 2 * kMs) << "not answered yet";
}

/* The interval follows a growing queue, because probes that do not wait for it would fill it. */
TEST(EvSet, ProbesAreARoundTripApartUntilTheirOwnIntervalIsLonger)
{
    Set set(2, 2);
    set.lose({0}, 0);
    for (int n = 0; n < 20; ++n)
        mrc_ev_round_trip(&set.s, 30 * kMs);
    EXPECT_NEAR(set.s.rtt, 30 * kMs, kMs);
    const std::uint64_t now = 2 * kSec;
    mrc_ev_probed(&set.s, 0, now - 30 * kMs, now);
    EXPECT_EQ(set.ev[0].probe_at, now + set.s.rtt);
    EXPECT_EQ(set.probes(set.ev[0].probe_at), std::vector<u16>{0});
    EXPECT_EQ(set.ev[0].probe_at, now + 2 * set.s.rtt) << "2 ms are less";
    for (int exp = 2; exp <= 4; ++exp)
        set.probes(set.ev[0].probe_at);
    EXPECT_EQ(set.ev[0].probe_at, now + 5 * set.s.rtt) << "so are 16 ms";
    set.probes(set.ev[0].probe_at);
    EXPECT_EQ(set.ev[0].probe_at, now + 5 * set.s.rtt + 32 * kMs);
    set.probes(set.ev[0].probe_at);
    EXPECT_EQ(set.ev[0].probe_at, now + 5 * set.s.rtt + (32 + 64) * kMs);

    set.s.rtt = 400 * kMs;
    set.s.rtt_at = now;
    mrc_ev_probed(&set.s, 0, now - 400 * kMs, now);
    set.probes(set.ev[0].probe_at);
    set.probes(set.ev[0].probe_at);
    EXPECT_EQ(set.ev[0].probe_at, now + 3 * 400 * kMs);
    for (int exp = 3; exp <= 10; ++exp)
        set.probes(set.ev[0].probe_at);
    EXPECT_EQ(set.ev[0].probe_at,
              now + 9 * 400 * kMs + 512 * kMs + mrc_timing_software.ev_probe_max);
}

/* Hundreds of answers may come in a millisecond, and the next probes would fill the queue again. */
TEST(EvSet, AQueueOfProbesIsForgottenAfterRoundTripsNotAfterAnswers)
{
    Set set(1, 2);
    for (int n = 0; n < 20; ++n)
        mrc_ev_probe_round_trip(&set.s, 400 * kMs, kSec);
    const std::uint64_t before = set.s.rtt;
    EXPECT_NEAR(before, 400 * kMs, kMs);
    for (int n = 0; n < 1000; ++n)
        mrc_ev_probe_round_trip(&set.s, 20 * kUs, kSec + before - 1);
    EXPECT_EQ(set.s.rtt, before);
    mrc_ev_probe_round_trip(&set.s, 20 * kUs, kSec + before);
    EXPECT_NEAR(set.s.rtt, before * 3 / 4, kMs);

    std::uint64_t now = kSec + before;
    for (; set.s.rtt > kMs && now < 10 * kSec; now += kMs / 10)
        mrc_ev_probe_round_trip(&set.s, 20 * kUs, now);
    EXPECT_LT(now, kSec + 5 * before) << "it is gone";
    mrc_ev_probe_round_trip(&set.s, 30 * kMs, now);
    EXPECT_GE(set.s.rtt, 15 * kMs) << "one that grows counts at once";
}

/* Probes do not cause this queue, and it must not make the sender wait longer for lost data. */
TEST(EvSet, DataForgetsAQueueAfterAnswers)
{
    Set set(1, 2);
    for (int n = 0; n < 20; ++n)
        mrc_ev_round_trip(&set.s, 400 * kMs);
    for (int n = 0; n < 200; ++n)
        mrc_ev_round_trip(&set.s, 20 * kUs);
    EXPECT_LT(set.s.rtt, kMs);
}

TEST(EvSet, WhatIsUnderWayIsNotInDoubt)
{
    Set set(1, 2);
    for (int n = 0; n < 20; ++n)
        mrc_ev_round_trip(&set.s, 200 * kMs);
    const std::uint64_t patience = mrc_ev_patience(&set.s, 50 * kMs);
    mrc_ev_heard(&set.s, 0, kSec, kSec + 200 * kMs);
    EXPECT_NEAR(patience, 400 * kMs, kMs) << "two round trips";
    mrc_ev_silent(&set.s, 0, kSec, kSec + patience - 1);
    EXPECT_FALSE(set.ev[0].doubted);
    mrc_ev_silent(&set.s, 0, kSec, kSec + patience);
    EXPECT_TRUE(set.ev[0].doubted);

    mrc_ev_probe_lost(&set.s, 0, kSec + 1, 2 * kSec);
    ASSERT_TRUE(mrc_ev_searching(&set.s));
    set.probes(2 * kSec);
    set.probes(2 * kSec + patience - 1); // probes that are due anyway
    mrc_ev_stirred(&set.s, 2 * kSec + patience - 1);
    EXPECT_GT(mrc_ev_probe_at(&set.s), 2 * kSec + patience - 1) << "an answer may still come";
    mrc_ev_stirred(&set.s, 2 * kSec + patience);
    EXPECT_LE(mrc_ev_probe_at(&set.s), 2 * kSec + patience);
}

TEST(EvSet, ProbesAreDealtOutFairly)
{
    Set set(4, 4);
    set.lose({1, 6, 7, 12}, 0);
    std::map<u16, int> count;
    for (int i = 0; i < 8; ++i) // one EV per call, always due, whatever was asked for before
        ++count[mrc_ev_probe_next(&set.s, (i + 1) * kSec)];
    EXPECT_EQ(count, (std::map<u16, int>{{1, 2}, {6, 2}, {7, 2}, {12, 2}}));
}

/*
 * A caller that serves many sets goes on to the next one, and need not come back to this one in
 * vain.
 */
TEST(EvSet, AfterAProbeItIsKnownWhenTheNextIsDue)
{
    Set set(2, 4);
    set.lose({1, 6}, 0);
    EXPECT_NE(mrc_ev_probe_next(&set.s, kSec), MRC_EV_NONE);
    EXPECT_LE(mrc_ev_probe_at(&set.s), kSec) << "the other one";
    EXPECT_NE(mrc_ev_probe_next(&set.s, kSec), MRC_EV_NONE);
    EXPECT_EQ(mrc_ev_probe_at(&set.s), std::min(set.ev[1].probe_at, set.ev[6].probe_at));
    EXPECT_GT(mrc_ev_probe_at(&set.s), kSec);
}

TEST(EvSet, NothingIsDueWhenNothingIsBad)
{
    Set set(2, 16);
    EXPECT_EQ(mrc_ev_probe_at(&set.s), U64_MAX);
    EXPECT_EQ(mrc_ev_probe_next(&set.s, kSec), MRC_EV_NONE);

    set.lose({3}, kSec);
    set.bringBack(3);
    const std::uint64_t bound = set.s.probe_at;
    EXPECT_EQ(mrc_ev_probe_at(&set.s), U64_MAX);
    EXPECT_EQ(mrc_ev_probe_next(&set.s, 100 * kSec), MRC_EV_NONE);
    EXPECT_EQ(set.s.probe_at, bound) << "none was looked for";

    set.lose({3}, 100 * kSec);
    EXPECT_TRUE(mrc_ev_cleared(&set.s, 3, 100 * kSec));
    EXPECT_EQ(mrc_ev_probe_at(&set.s), U64_MAX);
    set.lose({4}, 200 * kSec);
    EXPECT_EQ(mrc_ev_probe_at(&set.s), 200 * kSec + kMs) << "no trace of the one before";
}

TEST(EvSet, ProbeTimeIsALowerBoundThatFindsTheExactTime)
{
    Set set(2, 4);
    set.lose({0}, 1 * kMs);
    set.lose({1}, 3 * kMs);
    EXPECT_EQ(mrc_ev_probe_at(&set.s), 2 * kMs);
    EXPECT_TRUE(mrc_ev_cleared(&set.s, 0, 3 * kMs));
    EXPECT_TRUE(set.probes(2 * kMs - 1).empty());
    EXPECT_EQ(mrc_ev_probe_at(&set.s), 2 * kMs) << "the one that it was of is back";
    EXPECT_TRUE(set.probes(2 * kMs).empty());
    EXPECT_EQ(mrc_ev_probe_at(&set.s), 4 * kMs);
    EXPECT_TRUE(set.probes(4 * kMs - 1).empty());
    EXPECT_EQ(set.probes(4 * kMs), std::vector<u16>{1});
}

/*
 * It is lost right after each return: it returns more and more slowly, though every probe is
 * answered.
 */
TEST(EvSet, AnEvThatFlapsReturnsMoreAndMoreSlowly)
{
    Set set(2, 2);
    std::uint64_t now = kSec;
    std::uint64_t wait = kMs;
    for (int n = 0; n < 20; ++n) {
        set.lose({0}, now);
        EXPECT_EQ(set.ev[0].probe_at, now + wait) << n;
        const std::uint64_t back = set.bringBack(0);
        const std::uint64_t answers = 3u << std::min(n, 3);
        EXPECT_EQ(back, now + wait + (answers - 1) * kMs) << "further ones at the base interval";
        now = back + mrc_timing_software.ev_flap - 1;
        wait = std::min<std::uint64_t>(2 * wait, kMs << MRC_EV_FLAPS_MAX);
    }
    EXPECT_EQ(wait, 64 * kMs);
}

TEST(EvSet, BackOffOfAFlappingEvWearsOffInUse)
{
    Set set(2, 2);
    std::uint64_t now = kSec;
    for (int n = 0; n < 6; ++n) {
        set.lose({0}, now);
        now = set.bringBack(0) + kMs;
    }
    EXPECT_EQ(set.ev[0].flaps, 5);

    now = set.ev[0].changed_at + mrc_timing_software.ev_flap;
    set.lose({0}, now);
    EXPECT_EQ(set.ev[0].probe_at, now + 32 * kMs) << "neither soon nor late";
    now = set.bringBack(0) + 2 * mrc_timing_software.ev_steady;
    set.lose({0}, now);
    EXPECT_EQ(set.ev[0].probe_at, now + 8 * kMs);
    now = set.bringBack(0) + 100 * mrc_timing_software.ev_steady;
    set.lose({0}, now);
    EXPECT_EQ(set.ev[0].probe_at, now + kMs);
}

TEST(EvSet, FirstLossIsNoFlap)
{
    Set set(1, 2);
    set.lose({0}, 5 * kMs); // the clock may be as young as the set
    EXPECT_EQ(set.ev[0].flaps, 0);
    EXPECT_EQ(set.ev[0].probe_at, 6 * kMs);
}

TEST(EvSet, ALossThatWasNoneIsNoFlap)
{
    Set set(1, 2);
    std::uint64_t now = kSec;
    for (int n = 0; n < 4; ++n) {
        set.lose({0}, now);
        now = set.bringBack(0);
    }
    set.lose({0}, now);
    EXPECT_EQ(set.ev[0].flaps, 4);
    EXPECT_TRUE(mrc_ev_cleared(&set.s, 0, now));
    EXPECT_EQ(set.state(0), MRC_EV_GOOD);
    EXPECT_FALSE(mrc_ev_cleared(&set.s, 0, now));
    set.lose({0}, now + mrc_timing_software.ev_flap);
    EXPECT_EQ(set.ev[0].flaps, 0);
}

TEST(EvSet, SilenceAfterAnAnswerIsAFlapToo)
{
    Set set(1, 2);
    std::uint64_t now = kSec;
    for (int n = 0; n < 6; ++n) {
        set.lose({0}, now);
        now = set.bringBack(0);
    }
    set.lose({0}, now);
    EXPECT_EQ(set.ev[0].flaps, 6);
    now += 64 * kMs;
    EXPECT_EQ(set.probes(now).size(), 1u);
    EXPECT_FALSE(mrc_ev_probed(&set.s, 0, now, now));
    now += kMs;
    EXPECT_EQ(set.probes(now).size(), 1u);
    mrc_ev_probe_lost(&set.s, 0, 0, now);
    EXPECT_EQ(set.ev[0].probe_at, now + 64 * kMs);
    EXPECT_TRUE(set.probes(now + 64 * kMs - 1).empty());
    EXPECT_EQ(set.probes(now + 64 * kMs).size(), 1u);
    EXPECT_EQ(set.ev[0].probe_at, now + (64 + 128) * kMs);

    mrc_ev_probe_lost(&set.s, 0, 0, now + 190 * kMs);
    EXPECT_EQ(set.ev[0].probe_at, now + (64 + 128) * kMs) << "silence after silence says nothing";
}

TEST(EvSet, AnswersSayNothingNewOfAnEvInUse)
{
    Set set(1, 3);
    mrc_ev_marked(&set.s, 1, 0);
    for (u16 ev : {u16{0}, u16{1}}) {
        mrc_ev_entry before = set.ev[ev];
        for (int n = 0; n < 5; ++n)
            EXPECT_FALSE(mrc_ev_probed(&set.s, ev, 2 * kMs, 2 * kMs));
        before.heard_at = 2 * kMs;
        EXPECT_EQ(std::memcmp(&before, &set.ev[ev], sizeof(before)), 0);
    }
}

TEST(EvSet, TwoLostProbesInARowRetireAnEvInUse)
{
    Set set(1, 3);
    mrc_ev_marked(&set.s, 1, 0);
    for (u16 ev : {u16{0}, u16{1}}) {
        for (int n = 0; n < 5; ++n) {
            EXPECT_FALSE(mrc_ev_probe_lost(&set.s, ev, 0, 2 * kMs)) << "one may be the other end's";
            EXPECT_FALSE(mrc_ev_probed(&set.s, ev, 2 * kMs, 2 * kMs));
        }
        EXPECT_FALSE(mrc_ev_probe_lost(&set.s, ev, 0, 2 * kMs));
        EXPECT_TRUE(mrc_ev_probe_lost(&set.s, ev, 0, 2 * kMs));
        EXPECT_EQ(set.state(ev), MRC_EV_ASSUMED_BAD);
    }
    EXPECT_FALSE(mrc_ev_probe_lost(&set.s, 2, 0, 3 * kMs));
    EXPECT_TRUE(mrc_ev_probe_lost(&set.s, 2, 0, 3 * kMs));
    for (int n = 0; n < 300; ++n)
        EXPECT_FALSE(mrc_ev_probe_lost(&set.s, 2, 0, 3 * kMs));
    EXPECT_EQ(set.s.good, 1) << "the floor";

    set.bringBack(0);
    EXPECT_FALSE(mrc_ev_probe_lost(&set.s, 0, 0, 9 * kSec)) << "counted anew";
}

TEST(EvSet, DataThatArrivesOutweighsALostProbe)
{
    Set set(1, 3);
    for (int n = 0; n < 5; ++n) {
        EXPECT_FALSE(mrc_ev_probe_lost(&set.s, 0, 0, kMs));
        mrc_ev_heard(&set.s, 0, 0, 0);
    }
    EXPECT_EQ(set.state(0), MRC_EV_GOOD);
}

TEST(EvSet, AProbeThatWasNotSentIsDueSoon)
{
    Set set(1, 2);
    set.lose({0}, 0);
    std::uint64_t now = kMs;
    for (int n = 0; n < 20; ++n, now += kMs) {
        ASSERT_EQ(set.probes(now), std::vector<u16>{0});
        mrc_ev_probe_unsent(&set.s, 0, now);
        EXPECT_EQ(mrc_ev_probe_at(&set.s), now + kMs);
    }
    ASSERT_EQ(set.probes(now), std::vector<u16>{0});
    EXPECT_EQ(set.ev[0].probe_at, now + 2 * kMs) << "as after the first one";
    mrc_ev_probe_unsent(&set.s, 1, now);
    EXPECT_EQ(set.ev[1].probe_at, 0u) << "in use";
}

/*
 * If there is no room for a probe now, there is less room for it and all others a millisecond
 * later.
 */
TEST(EvSet, AProbeThatWasNotSentWaitsAsLongAsTheOneBefore)
{
    Set set(1, 2);
    set.lose({0}, 0);
    std::uint64_t now = kMs;
    for (int n = 0; n < 5; ++n, now = set.ev[0].probe_at)
        ASSERT_EQ(set.probes(now), std::vector<u16>{0});
    const std::uint64_t waited = 32 * kMs;
    ASSERT_EQ(set.probes(now), std::vector<u16>{0});
    mrc_ev_probe_unsent(&set.s, 0, now);
    EXPECT_EQ(set.ev[0].probe_at, now + waited);
    ASSERT_EQ(set.probes(now + waited), std::vector<u16>{0});
    EXPECT_EQ(set.ev[0].probe_at, now + waited + 2 * waited) << "and is not counted";
}

TEST(EvSet, AnEvThatIsToBeSkippedIsGoodAsASpare)
{
    Set set(1, 2, 0, 1, 1);
    const u16 ev = *set.rotation(1).begin();
    mrc_ev_marked(&set.s, ev, 0);
    EXPECT_TRUE(mrc_ev_lost(&set.s, ev, MRC_EV_WHY_LOSS, kMs));
    EXPECT_TRUE(mrc_ev_cleared(&set.s, ev, kMs));
    EXPECT_TRUE(set.spare(ev));
    EXPECT_EQ(set.state(ev), MRC_EV_GOOD);
    mrc_ev_marked(&set.s, ev, 0);
    EXPECT_EQ(set.state(ev), MRC_EV_GOOD) << "a late mark";
}

TEST(EvSet, ToBeSteppedOverIsNoChange)
{
    Set set(1, 2);
    set.lose({0}, kMs);
    set.bringBack(0);
    const std::uint64_t at = set.ev[0].changed_at;
    mrc_ev_marked(&set.s, 0, 0);
    EXPECT_EQ(set.state(0), MRC_EV_SKIP);
    EXPECT_EQ(set.ev[0].changed_at, at);
    set.picks(20, at + 2 * kMs);
    set.picks(20, at + 3 * kMs);
    EXPECT_EQ(set.state(0), MRC_EV_GOOD);
    EXPECT_EQ(set.ev[0].changed_at, at);
}

TEST(EvSet, APlaneWithNothingToUseGetsNoDataAndCostsNoWalk)
{
    Set set(2, 16);
    for (u16 ev = 0; ev < 16; ++ev)
        set.lose({ev}, ev * kMs);
    const u16 pos = set.s.planes[0].pos;
    const u16 add = set.s.planes[0].add;
    std::map<int, int> perPort;
    for (const auto &[ev, n] : set.picks(100, 10 * kSec))
        perPort[set.port(ev)] += n;
    EXPECT_EQ(perPort, (std::map<int, int>{{2, 100}}));
    EXPECT_EQ(set.s.planes[0].pos, pos);
    EXPECT_EQ(set.s.planes[0].add, add);

    set.bringBack(7);
    perPort.clear();
    for (const auto &[ev, n] : set.picks(100, 20 * kSec))
        perPort[set.port(ev)] += n;
    EXPECT_EQ(perPort, (std::map<int, int>{{1, 50}, {2, 50}})) << "its whole share on one EV";
}

TEST(EvSet, EveryChangeOfStateIsDated)
{
    Set set(1, 3);
    EXPECT_EQ(set.ev[0].changed_at, 0u);
    set.lose({0}, 40);
    EXPECT_EQ(set.ev[0].changed_at, 40u);
    mrc_ev_lost(&set.s, 0, MRC_EV_WHY_LOSS, 50);
    mrc_ev_marked(&set.s, 0, 0);
    mrc_ev_probed(&set.s, 0, 50, 50);
    mrc_ev_probed(&set.s, 0, 55, 55);
    mrc_ev_deny(&set.s, 0, false, 55);
    EXPECT_EQ(set.ev[0].changed_at, 40u) << "no change";
    mrc_ev_probed(&set.s, 0, 60, 60);
    EXPECT_EQ(set.ev[0].changed_at, 60u);
    set.lose({0}, 70);
    mrc_ev_cleared(&set.s, 0, 80);
    EXPECT_EQ(set.ev[0].changed_at, 80u);
    mrc_ev_deny(&set.s, 0, true, 90);
    EXPECT_EQ(set.ev[0].changed_at, 90u);
    mrc_ev_deny(&set.s, 0, true, 95);
    EXPECT_EQ(set.ev[0].changed_at, 90u);
    mrc_ev_deny(&set.s, 0, false, 100);
    EXPECT_EQ(set.ev[0].changed_at, 100u);
    EXPECT_EQ(set.ev[1].changed_at, 0u);
}

TEST(EvSet, FloorKeepsTheLastOnesInUse)
{
    Set set(2, 4, 3);
    for (u16 ev = 0; ev < 8; ++ev)
        EXPECT_TRUE(mrc_ev_lost(&set.s, ev, MRC_EV_WHY_LOSS, 0));
    for (u16 ev = 0; ev < 8; ++ev)
        EXPECT_EQ(set.state(ev), ev < 5 ? MRC_EV_ASSUMED_BAD : MRC_EV_HELD) << ev;
    EXPECT_EQ(set.s.good, 3);
    EXPECT_EQ(set.picks(300).size(), 3u);
}

TEST(EvSet, FloorIsOneAtLeast)
{
    Set set(2, 2, 0);
    for (u16 ev = 0; ev < 4; ++ev)
        mrc_ev_lost(&set.s, ev, MRC_EV_WHY_LOSS, 0);
    EXPECT_EQ(set.s.good, 1);
    EXPECT_EQ(set.picks(10).size(), 1u);
}

TEST(EvSet, FloorCountsOnlyPortsThatAreUp)
{
    Set set(2, 4, 3);
    mrc_ev_ports(&set.s, 0x1, ~0u, 0);
    EXPECT_EQ(set.s.good, 4);
    EXPECT_TRUE(mrc_ev_lost(&set.s, 0, MRC_EV_WHY_LOSS, 0));
    EXPECT_TRUE(mrc_ev_lost(&set.s, 1, MRC_EV_WHY_LOSS, 0));
    EXPECT_EQ(set.state(1), MRC_EV_HELD);
    EXPECT_EQ(set.s.good, 3);
    mrc_ev_ports(&set.s, ~0u, ~0u, 0);
    EXPECT_EQ(set.state(1), MRC_EV_ASSUMED_BAD) << "enough others are up again";
    EXPECT_EQ(set.s.good, 6);
}

TEST(EvSet, FloorCountsSparesAsUsable)
{
    Set set(1, 4, 2, 1, 2);
    set.lose({0, 1}, 0);
    EXPECT_TRUE(mrc_ev_lost(&set.s, 2, MRC_EV_WHY_LOSS, 0));
    EXPECT_EQ(set.state(2), MRC_EV_HELD);
    EXPECT_EQ(set.carriers(), (std::set<u16>{2, 3}));
}

TEST(EvSet, EachPlaneHasItsPartOfTheRotation)
{
    const std::pair<int, std::size_t> cases[] = {{0, 8}, {1, 1},  {4, 1},  {5, 2},
                                                 {8, 2}, {31, 8}, {32, 8}, {16, 4}};
    for (auto [active, quota] : cases) {
        Set set(4, 8, 0, 1, active);
        for (int port = 1; port <= 4; ++port) {
            EXPECT_EQ(set.rotation(port).size(), quota) << active;
            EXPECT_EQ(set.spares(port).size(), 8 - quota) << active;
        }
        EXPECT_EQ(set.s.good, 32);
        checkSlots(set);
    }
    std::vector<mrc_ev_entry> ev;
    for (int port : {1, 2, 2, 2, 2})
        ev.push_back(Set::entry(port));
    mrc_ev_set s;
    ASSERT_EQ(mrc_ev_set_init(&s, ev.data(), 5, 0, 4, 1), 0);
    EXPECT_EQ(s.planes[0].quota, 1) << "all there are";
    EXPECT_EQ(s.planes[1].quota, 2);
}

TEST(EvSet, AtTheFloorASpareTakesThePlaceAllTheSame)
{
    Set set(1, 6, 6, 1, 2);
    const u16 lost = *set.rotation(1).begin();
    mrc_ev_marked(&set.s, lost, 0);
    EXPECT_TRUE(mrc_ev_lost(&set.s, lost, MRC_EV_WHY_LOSS, kMs));
    EXPECT_EQ(set.state(lost), MRC_EV_HELD) << "usable, and a spare is not skipped";
    EXPECT_TRUE(set.spare(lost));
    EXPECT_EQ(set.rotation(1).size(), 2u);
    checkSlots(set);
    EXPECT_FALSE(mrc_ev_lost(&set.s, lost, MRC_EV_WHY_LOSS, kMs));
    EXPECT_EQ(set.rotation(1).size(), 2u) << "a late loss of what is a spare by now";
}

TEST(EvSet, SparesCarryNothingAndPlanesStayEqual)
{
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
        Set set(4, 16, 0, seed, 12);
        std::map<int, int> perPort;
        std::map<u16, int> count = set.picks(4 * 300);
        for (const auto &[ev, n] : count) {
            EXPECT_FALSE(set.spare(ev));
            EXPECT_EQ(n, 100) << "each once per rotation";
            perPort[set.port(ev)] += n;
        }
        EXPECT_EQ(count.size(), 12u);
        EXPECT_EQ(perPort, (std::map<int, int>{{1, 300}, {2, 300}, {3, 300}, {4, 300}}));
    }
}

TEST(EvSet, WhichAreSparesDiffersBetweenSenders)
{
    std::set<std::set<u16>> seen;
    std::set<u16> used;
    for (std::uint32_t seed = 1; seed <= 64; ++seed) {
        Set set(1, 16, 0, seed * 0x9e3779b9, 8);
        seen.insert(set.rotation(1));
        used.merge(set.rotation(1));
    }
    EXPECT_GT(seen.size(), 60u) << "of 12870";
    EXPECT_EQ(used.size(), 16u);
}

/* A walk over spares would show in the position: each step passes one slot. */
TEST(EvSet, APickDoesNotStepOverSpares)
{
    Set set(1, 256, 0, 3, 4);
    set.lose({*set.rotation(1).begin()}, 0);
    for (u16 n = 1; n < 50; ++n) {
        mrc_ev_pick(&set.s, 0);
        EXPECT_EQ(set.s.planes[0].pos, n % 4);
    }
}

TEST(EvSet, ASpareOfTheSamePlaneTakesThePlaceOfALostEv)
{
    Set set(4, 4, 0, 9, 8);
    std::set<u16> before = set.carriers();
    const u16 lost = *set.rotation(2).begin();
    std::set<u16> spares = set.spares(2);
    set.lose({lost}, kMs);
    std::set<u16> after = set.carriers(kMs);
    EXPECT_FALSE(after.count(lost));
    EXPECT_EQ(after.size(), 8u);
    std::vector<u16> fresh;
    std::set_difference(after.begin(), after.end(), before.begin(), before.end(),
                        std::back_inserter(fresh));
    ASSERT_EQ(fresh.size(), 1u);
    EXPECT_TRUE(spares.count(fresh[0])) << fresh[0];
    EXPECT_EQ(set.ev[fresh[0]].changed_at, 0u) << "it was good and is";

    set.bringBack(lost);
    EXPECT_TRUE(set.spare(lost)) << "there is no room";
    EXPECT_EQ(set.carriers(kSec), after);
    checkSlots(set);
}

TEST(EvSet, WhenSparesRunOutTheRestTakesTheShare)
{
    Set set(2, 4, 0, 2, 4);
    for (int left = 3; left; --left) {
        set.lose({*set.rotation(1).begin()}, kMs);
        EXPECT_EQ(set.rotation(1).size(), std::min<std::size_t>(2, left));
        std::map<int, int> perPort;
        for (const auto &[ev, n] : set.picks(400, kMs))
            perPort[set.port(ev)] += n;
        EXPECT_EQ(perPort, (std::map<int, int>{{1, 200}, {2, 200}}));
        EXPECT_EQ(set.spares(2).size(), 2u) << "of the other plane";
        checkSlots(set);
    }
    for (u16 ev = 0; ev < 4; ++ev)
        if (set.state(ev) == MRC_EV_ASSUMED_BAD)
            set.bringBack(ev);
    EXPECT_EQ(set.rotation(1).size(), 2u) << "those that came first";
    EXPECT_EQ(set.spares(1).size(), 2u);
    checkSlots(set);
}

TEST(EvSet, ADeniedEvIsReplacedAndReturnsAsASpare)
{
    Set set(1, 3, 0, 1, 1);
    const u16 denied = *set.rotation(1).begin();
    mrc_ev_deny(&set.s, denied, true, kMs);
    const std::set<u16> after = set.rotation(1);
    EXPECT_EQ(after.size(), 1u);
    EXPECT_EQ(set.carriers(), after);
    mrc_ev_deny(&set.s, denied, false, 2 * kMs);
    EXPECT_TRUE(set.spare(denied));
    EXPECT_EQ(set.carriers(), after);

    for (u16 spare : set.spares(1))
        mrc_ev_deny(&set.s, spare, true, 3 * kMs);
    EXPECT_EQ(set.carriers(), after);
    EXPECT_TRUE(set.spares(1).empty());
    mrc_ev_deny(&set.s, *after.begin(), true, 4 * kMs);
    EXPECT_EQ(mrc_ev_pick(&set.s, 4 * kMs), MRC_EV_NONE);
    mrc_ev_deny(&set.s, denied, false, 5 * kMs);
    EXPECT_EQ(set.carriers(), std::set<u16>{denied}) << "there is room again";
    checkSlots(set);
}

TEST(EvSet, ASpareThatProbesFindBadIsNone)
{
    Set set(1, 4, 0, 1, 2);
    const std::set<u16> before = set.rotation(1);
    const u16 spare = *set.spares(1).begin();
    EXPECT_FALSE(mrc_ev_probe_lost(&set.s, spare, 0, kMs));
    EXPECT_TRUE(mrc_ev_probe_lost(&set.s, spare, 0, kMs));
    EXPECT_FALSE(set.spare(spare));
    EXPECT_EQ(set.rotation(1), before);
    set.lose({*before.begin()}, kMs);
    EXPECT_FALSE(set.rotation(1).count(spare));
    EXPECT_EQ(set.rotation(1).size(), 2u);
    EXPECT_TRUE(set.spares(1).empty());
}

TEST(EvSet, AnEvThatIsSkippedIsNotReplaced)
{
    Set set(1, 4, 0, 1, 2);
    const std::set<u16> before = set.rotation(1);
    for (u16 ev : before)
        mrc_ev_marked(&set.s, ev, 0);
    EXPECT_EQ(set.rotation(1), before);
    EXPECT_TRUE(before.count(mrc_ev_pick(&set.s, kMs))) << "though all are";
}

TEST(EvSet, APortThatIsDownKeepsItsRotation)
{
    Set set(2, 4, 0, 1, 4);
    const std::set<u16> one = set.rotation(1);
    const std::set<u16> two = set.rotation(2);
    mrc_ev_ports(&set.s, 1, ~0u, 0);
    EXPECT_EQ(set.carriers(), one) << "no spare for what another plane carried";
    mrc_ev_ports(&set.s, ~0u, ~0u, 0);
    EXPECT_EQ(set.rotation(2), two);
    EXPECT_EQ(set.carriers().size(), 4u);
}

/*
 * As a last resort all bad EVs are tried, not only those that were in rotation when they were lost.
 */
TEST(EvSet, EveryBadEvIsTriedWhenNothingElseIsLeft)
{
    Set set(2, 8, 0, 1, 4);
    for (u16 ev = 0; ev < 8; ++ev)
        set.lose({ev}, kMs);
    mrc_ev_deny(&set.s, 3, true, kMs);
    mrc_ev_ports(&set.s, 1, ~0u, 0);
    EXPECT_EQ(set.carriers(), (std::set<u16>{0, 1, 2, 4, 5, 6, 7}));
}

TEST(EvSet, ControllerDenialStandsAboveAll)
{
    Set set(2, 2, 4);
    mrc_ev_deny(&set.s, 1, true, 1);
    EXPECT_EQ(set.s.good, 3);
    EXPECT_EQ(set.picks(100).count(1), 0u);
    mrc_ev_marked(&set.s, 1, 0);
    EXPECT_FALSE(mrc_ev_lost(&set.s, 1, MRC_EV_WHY_LOSS, 0));
    EXPECT_FALSE(mrc_ev_cleared(&set.s, 1, 2));
    for (int n = 0; n < 5; ++n)
        EXPECT_FALSE(mrc_ev_probed(&set.s, 1, 3, 3));
    mrc_ev_probe_lost(&set.s, 1, 0, 4);
    EXPECT_EQ(set.ev[1].state, MRC_EV_DENIED);
    EXPECT_EQ(set.picks(100, 5000 * kMs).count(1), 0u);
    EXPECT_EQ(mrc_ev_probe_at(&set.s), U64_MAX);

    mrc_ev_deny(&set.s, 1, false, 5);
    EXPECT_EQ(set.ev[1].state, MRC_EV_GOOD);
    EXPECT_EQ(set.s.good, 4);
    EXPECT_GE(set.picks(100).count(1), 1u);
}

TEST(EvSet, DeniedEvsAreNotProbed)
{
    Set set(1, 4);
    set.lose({0, 1}, 0);
    mrc_ev_deny(&set.s, 0, true, kMs);
    EXPECT_EQ(set.s.bad, 1);
    EXPECT_EQ(set.probes(kSec), std::vector<u16>{1});
    mrc_ev_deny(&set.s, 1, true, kSec);
    EXPECT_EQ(mrc_ev_probe_at(&set.s), U64_MAX);
    EXPECT_TRUE(set.probes(100 * kSec).empty());

    mrc_ev_deny(&set.s, 0, false, 100 * kSec);
    EXPECT_EQ(set.state(0), MRC_EV_GOOD) << "readmitted as if it was new";
    set.lose({0}, 100 * kSec);
    EXPECT_EQ(set.ev[0].probe_at, 100 * kSec + kMs);
}

TEST(EvSet, ReadmittedEvHasNotFlapped)
{
    Set set(1, 4);
    set.lose({0}, kSec);
    const std::uint64_t now = set.bringBack(0);
    set.lose({0}, now);
    mrc_ev_deny(&set.s, 0, true, now);
    mrc_ev_deny(&set.s, 0, false, now);
    set.lose({0}, now);
    EXPECT_EQ(set.ev[0].probe_at, now + kMs);
}

TEST(EvSet, AdmittingAnEvThatIsNotDeniedChangesNothing)
{
    Set set(1, 2);
    EXPECT_TRUE(mrc_ev_lost(&set.s, 0, MRC_EV_WHY_LOSS, 0));
    mrc_ev_deny(&set.s, 0, false, 1);
    EXPECT_EQ(set.ev[0].state, MRC_EV_ASSUMED_BAD);
    EXPECT_EQ(set.s.good, 1);
}

TEST(EvSet, PortsMaskedOnEitherSideAreNotUsed)
{
    Set set(4, 4);
    mrc_ev_ports(&set.s, ~0u & ~0x2u, ~0u & ~0x8u, 0);
    auto count = set.picks(400);
    std::map<int, int> perPort;
    for (const auto &[ev, n] : count)
        perPort[set.port(ev)] += n;
    EXPECT_EQ(perPort, (std::map<int, int>{{1, 200}, {3, 200}}));

    mrc_ev_ports(&set.s, 0, ~0u, 0);
    EXPECT_EQ(mrc_ev_pick(&set.s, 0), MRC_EV_NONE);
    mrc_ev_ports(&set.s, ~0u, ~0u, 0);
    EXPECT_EQ(set.picks(400).size(), 16u);
}

TEST(EvSet, APortThatReturnsHasItsEvsAsTheyWere)
{
    Set set(2, 4);
    set.lose({0, 4}, kMs);
    mrc_ev_marked(&set.s, 1, 0);
    mrc_ev_probed(&set.s, 0, kMs, kMs);
    mrc_ev_ports(&set.s, ~1u, ~0u, 0);
    EXPECT_EQ(set.s.good, 3);
    EXPECT_EQ(set.s.bad, 1);
    std::vector<mrc_ev_entry> before = set.ev;

    for (u16 ev = 0; ev < 4; ++ev) {
        before[ev].heard_at = 2 * kMs;
        EXPECT_FALSE(mrc_ev_lost(&set.s, ev, MRC_EV_WHY_LOSS, 2 * kMs)) << "it is the port's fault";
        for (int n = 0; n < 5; ++n)
            EXPECT_FALSE(mrc_ev_probed(&set.s, ev, 2 * kMs, 2 * kMs));
        mrc_ev_probe_lost(&set.s, ev, 0, 2 * kMs);
    }
    EXPECT_EQ(set.probes(10 * kMs), std::vector<u16>{4}) << "the other port's";
    EXPECT_EQ(std::memcmp(before.data(), set.ev.data(), 4 * sizeof(mrc_ev_entry)), 0);

    mrc_ev_ports(&set.s, ~0u, ~0u, 0);
    EXPECT_EQ(set.s.good, 6);
    EXPECT_EQ(set.s.bad, 2);
    EXPECT_EQ(set.probes(11 * kMs), std::vector<u16>{0});
}

TEST(EvSet, BadEvsOfPortsThatAreDownAreNotWaitedFor)
{
    Set set(2, 4);
    set.lose({0}, kMs);
    mrc_ev_ports(&set.s, ~0u, ~1u, 0);
    EXPECT_EQ(mrc_ev_probe_at(&set.s), U64_MAX);
    EXPECT_TRUE(set.probes(kSec).empty());
    mrc_ev_ports(&set.s, ~0u, ~0u, 0);
    EXPECT_EQ(mrc_ev_probe_at(&set.s), 2 * kMs);
}

TEST(EvSet, ABadEvIsBetterThanNone)
{
    Set set(2, 2);
    EXPECT_TRUE(mrc_ev_lost(&set.s, 0, MRC_EV_WHY_LOSS, 0));
    EXPECT_TRUE(mrc_ev_lost(&set.s, 1, MRC_EV_WHY_LOSS, 0));
    mrc_ev_ports(&set.s, 0x1, ~0u, 0);
    auto count = set.picks(10);
    EXPECT_EQ(count[0], 5);
    EXPECT_EQ(count[1], 5);
    EXPECT_EQ(set.ev[0].state, MRC_EV_ASSUMED_BAD);
    mrc_ev_deny(&set.s, 0, true, 1);
    mrc_ev_deny(&set.s, 1, true, 1);
    EXPECT_EQ(mrc_ev_pick(&set.s, 0), MRC_EV_NONE) << "denied ones are not used whatever happens";
}

TEST(EvSet, IndexOutOfRangeIsHarmless)
{
    Set set(1, 2);
    for (u16 ev : {u16{2}, u16{255}, u16{MRC_EV_NONE}}) {
        mrc_ev_marked(&set.s, ev, 0);
        mrc_ev_deny(&set.s, ev, true, 1);
        EXPECT_FALSE(mrc_ev_lost(&set.s, ev, MRC_EV_WHY_LOSS, 0));
        EXPECT_FALSE(mrc_ev_cleared(&set.s, ev, 0));
        EXPECT_FALSE(mrc_ev_probed(&set.s, ev, 0, 0));
        mrc_ev_probe_lost(&set.s, ev, 0, 0);
    }
    EXPECT_EQ(set.s.good, 2);
}

/* A set to which random events happen, and what its changes have reported so far. */
class RandomEvents
{
public:
    explicit RandomEvents(std::uint32_t seed)
        : rng_(seed), ports_(upTo(4) + 1), perPort_(upTo(19) + 1),
          minActive_(upTo(ports_ * perPort_)),
          set_(ports_, perPort_, minActive_, seed, seed % 3 ? upTo(ports_ * perPort_) : 0),
          told_(set_.ev.size(), MRC_EV_GOOD)
    {
    }

    void step()
    {
        const auto ev = static_cast<u16>(rng_() % set_.ev.size());
        now_ += rng_() % (2 * kMs);
        switch (rng_() % 11) {
        case 0:
            mrc_ev_marked(&set_.s, ev, 0);
            break;
        case 1:
            mrc_ev_lost(&set_.s, ev, MRC_EV_WHY_LOSS, now_);
            break;
        case 2:
            mrc_ev_probed(&set_.s, ev, now_, now_);
            break;
        case 3:
            mrc_ev_deny(&set_.s, ev, rng_() % 2, now_);
            break;
        case 4:
            mrc_ev_probe_lost(&set_.s, ev, now_ - std::min<std::uint64_t>(now_, rng_() % kMs),
                              now_);
            break;
        case 5:
            checkProbe(set_, now_);
            break;
        case 6:
            seldom(ev);
            break;
        default:
            pick();
            break;
        }
    }

    void check()
    {
        checkCounts(set_);
        checkSlots(set_);
        for (const auto &[changed, old] : set_.changes()) {
            EXPECT_EQ(told_[changed], old);
            told_[changed] = tellable(changed);
        }
        for (u16 i = 0; i < set_.ev.size(); ++i)
            EXPECT_EQ(told_[i], tellable(i));
    }

private:
    int upTo(int most) { return static_cast<int>(rng_() % static_cast<unsigned>(most + 1)); }
    int tellable(u16 ev) const
    {
        return set_.state(ev) == MRC_EV_SKIP ? MRC_EV_GOOD : set_.state(ev);
    }

    /* Events that change many EVs at once; if they were frequent, little else would be seen. */
    void seldom(u16 ev)
    {
        switch (rng_() % 8) {
        case 0:
            mrc_ev_ports(&set_.s, rng_() | rng_(), rng_() | rng_(), 0);
            break;
        case 1:
            mrc_ev_cleared(&set_.s, ev, now_);
            break;
        case 2:
            for (const u64 since = now_ - std::min<std::uint64_t>(now_, rng_() % kMs); rng_() % 8;)
                mrc_ev_silent(&set_.s, static_cast<u16>(rng_() % MRC_EV_MAX), since, now_);
            break;
        default:
            break;
        }
    }

    void pick()
    {
        const u16 got = mrc_ev_pick(&set_.s, now_);

        if (got == MRC_EV_NONE)
            return;
        ASSERT_LT(got, set_.ev.size());
        ASSERT_NE(set_.ev[got].state, MRC_EV_DENIED);
        ASSERT_TRUE(set_.up(got));
        ASSERT_TRUE(set_.usable(got) || !set_.s.good || mrc_ev_searching(&set_.s));
        ASSERT_TRUE(!set_.spare(got) || mrc_ev_searching(&set_.s));
    }

    std::mt19937 rng_;
    int ports_;
    int perPort_;
    int minActive_;
    Set set_;
    std::vector<int> told_;
    std::uint64_t now_ = 0;
};

TEST(EvSet, CountsStayTrueUnderRandomEvents)
{
    for (std::uint32_t seed = 1; seed <= 60; ++seed) {
        RandomEvents events(seed);

        for (int step = 0; step < 2000; ++step) {
            events.step();
            events.check();
            ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed << " step " << step;
        }
    }
}

// ---- a living path is found

TEST(EvSet, TheFloorKeepsTheOneThatWasHeardOfLast)
{
    Set set(1, 3);
    for (u16 ev = 0; ev < 3; ++ev)
        mrc_ev_heard(&set.s, ev, 10 + ev, 10 + ev);
    set.lose({2, 1}, 20);
    EXPECT_EQ(set.changes().size(), 2u);
    set.lose({0}, 30);
    EXPECT_EQ(set.state(0), MRC_EV_ASSUMED_BAD);
    EXPECT_EQ(set.state(1), MRC_EV_ASSUMED_BAD);
    EXPECT_EQ(set.state(2), MRC_EV_HELD);
    EXPECT_EQ(set.changes(), (std::map<u16, int>{{0, MRC_EV_GOOD}, {2, MRC_EV_ASSUMED_BAD}}));
    EXPECT_FALSE(mrc_ev_lost(&set.s, 2, MRC_EV_WHY_LOSS, 40)) << "nobody was heard of later";
    EXPECT_EQ(set.state(2), MRC_EV_HELD);

    mrc_ev_probed(&set.s, 1, 50, 51);
    EXPECT_EQ(set.state(2), MRC_EV_HELD) << "one answer alone changes nothing";
    EXPECT_TRUE(mrc_ev_lost(&set.s, 2, MRC_EV_WHY_LOSS, 60));
    EXPECT_EQ(set.state(1), MRC_EV_HELD);
    EXPECT_EQ(set.state(2), MRC_EV_ASSUMED_BAD);
    EXPECT_EQ(set.picks(10), (std::map<u16, int>{{1, 10}}));
}

TEST(EvSet, TheFloorTakesNeitherDeniedEvsNorThoseOfPortsThatAreDown)
{
    Set set(2, 2);
    for (u16 ev = 0; ev < 4; ++ev)
        mrc_ev_heard(&set.s, ev, 10 + ev, 10 + ev);
    set.lose({1, 3}, 20);
    mrc_ev_deny(&set.s, 1, true, 20);
    mrc_ev_ports(&set.s, 1, ~0u, 20);
    EXPECT_TRUE(mrc_ev_lost(&set.s, 0, MRC_EV_WHY_LOSS, 30));
    EXPECT_EQ(set.state(0), MRC_EV_HELD);
}

TEST(EvSet, WhatIsHeldIsProbedAndGoesWhenAnotherIsGood)
{
    Set set(1, 2);
    set.lose({0, 1}, 0);
    ASSERT_EQ(set.state(1), MRC_EV_HELD);
    EXPECT_EQ(set.probes(kMs).size(), 2u);
    set.bringBack(0);
    EXPECT_EQ(set.state(0), MRC_EV_GOOD);
    EXPECT_EQ(set.state(1), MRC_EV_ASSUMED_BAD);

    set.lose({0}, 10 * kMs);
    ASSERT_EQ(set.state(0), MRC_EV_HELD);
    for (unsigned n = 0; set.state(0) == MRC_EV_HELD && n < 100; ++n)
        mrc_ev_probed(&set.s, 0, 20 * kMs, 20 * kMs);
    EXPECT_EQ(set.state(0), MRC_EV_GOOD) << "by its own probes";
}

TEST(EvSet, MoreHeldOnesGoInTheOrderInWhichTheyWereHeardOf)
{
    Set set(1, 4, 3);
    for (u16 ev : {u16{2}, u16{1}, u16{3}, u16{0}})
        mrc_ev_heard(&set.s, ev, 10 * ev + 10, 50);
    set.lose({0, 1, 2, 3}, 100);
    EXPECT_EQ(set.s.good, 3);
    set.bringBack(0);
    EXPECT_EQ(set.state(1), MRC_EV_ASSUMED_BAD);
    EXPECT_EQ(set.state(2), MRC_EV_HELD);
    EXPECT_EQ(set.state(3), MRC_EV_HELD);
}

TEST(EvSet, SilenceBlamesNoneAndHasThemProbed)
{
    Set set(1, 3);
    set.lose({2}, 0);
    set.probes(10 * kSec);
    mrc_ev_silent(&set.s, 0, 10 * kSec, 11 * kSec);
    EXPECT_TRUE(set.changes() == (std::map<u16, int>{{2, MRC_EV_GOOD}})) << "as before";
    EXPECT_EQ(set.probes(11 * kSec), (std::vector<u16>{0, 1, 2})) << "bad ones at once";
    EXPECT_FALSE(mrc_ev_searching(&set.s)) << "it may be the other program";

    mrc_ev_silent(&set.s, 0, 10 * kSec, 11 * kSec + kMs);
    EXPECT_TRUE(set.probes(11 * kSec + kMs).empty()) << "not again so soon";
    mrc_ev_heard(&set.s, 0, 11 * kSec, 11 * kSec);
    mrc_ev_heard(&set.s, 1, 11 * kSec, 11 * kSec);
    EXPECT_EQ(set.s.asked, 0) << "heard of";
}

/* Others are heard of: only the EVs that the silent QP has used are probed. */
TEST(EvSet, OneWhoHearsNothingDoubtsOnlyWhatItHasUsed)
{
    Set set(1, 4);
    mrc_ev_heard(&set.s, 1, kSec, kSec);
    mrc_ev_heard(&set.s, 3, kSec, kSec);
    mrc_ev_marked(&set.s, 0, 0);
    mrc_ev_silent(&set.s, 0, kSec - kMs, kSec + kMs);
    mrc_ev_silent(&set.s, 1, kSec - kMs, kSec + kMs);
    EXPECT_EQ(set.probes(kSec + kMs), std::vector<u16>{0}) << "1 was heard of just now";
    EXPECT_EQ(set.state(0), MRC_EV_GOOD) << "in doubt, not to be skipped";
    mrc_ev_marked(&set.s, 0, 0);
    EXPECT_EQ(set.state(0), MRC_EV_GOOD);
    mrc_ev_silent(&set.s, MRC_EV_NONE, kSec - kMs, kSec + kMs);
    EXPECT_EQ(set.s.asked, 1);

    EXPECT_FALSE(mrc_ev_probe_lost(&set.s, 0, kSec, 2 * kSec));
    EXPECT_TRUE(mrc_ev_probe_lost(&set.s, 0, kSec, 2 * kSec)) << "and 3 was heard of since";
    EXPECT_EQ(set.state(0), MRC_EV_ASSUMED_BAD);
}

TEST(EvSet, ALostProbeAndNothingHeardSinceBeginsASearch)
{
    Set set(2, 2, 0, 1, 2);
    set.lose({0}, 0);
    mrc_ev_deny(&set.s, 2, true, 0);
    set.changes();
    EXPECT_FALSE(mrc_ev_probe_lost(&set.s, 0, kMs, 50 * kMs));
    EXPECT_FALSE(mrc_ev_searching(&set.s)) << "it was known to be bad";
    EXPECT_FALSE(mrc_ev_probe_lost(&set.s, 1, kMs, 50 * kMs));
    EXPECT_TRUE(mrc_ev_searching(&set.s));
    EXPECT_TRUE(set.changes().empty()) << "nobody is blamed";
    EXPECT_EQ(set.picks(30, 50 * kMs).size(), 3u) << "all but the denied one";
    EXPECT_EQ(set.probes(50 * kMs).size(), 3u);
    mrc_ev_stirred(&set.s, 51 * kMs);
    EXPECT_TRUE(set.probes(51 * kMs).empty());
    mrc_ev_stirred(&set.s, 70 * kMs);
    EXPECT_EQ(set.probes(70 * kMs).size(), 3u) << "somebody hears us";

    mrc_ev_heard(&set.s, 1, kMs - 1, 80 * kMs);
    EXPECT_TRUE(mrc_ev_searching(&set.s)) << "that was sent before";
    mrc_ev_heard(&set.s, 2, 60 * kMs, 80 * kMs);
    EXPECT_TRUE(mrc_ev_searching(&set.s)) << "that one may not be used";
    EXPECT_TRUE(mrc_ev_heard(&set.s, 0, 60 * kMs, 80 * kMs));
    EXPECT_FALSE(mrc_ev_searching(&set.s));
    EXPECT_EQ(set.state(0), MRC_EV_GOOD) << "one answer is enough";
    EXPECT_EQ(set.changes(), (std::map<u16, int>{{0, MRC_EV_ASSUMED_BAD}}));
    EXPECT_TRUE(set.rotation(1).count(0));
    checkSlots(set);
}

/* One EV in doubt is dead, and nothing else was sent that could have been answered. */
TEST(EvSet, ASearchTakesBadEvsOnlyWhenItsAnswersAreLate)
{
    Set set(2, 2);
    mrc_ev_round_trip(&set.s, 20 * kMs);
    set.lose({0}, kMs);
    mrc_ev_probe_lost(&set.s, 1, kSec, kSec + 50 * kMs);
    ASSERT_TRUE(mrc_ev_searching(&set.s));
    const std::uint64_t late = kSec + 50 * kMs + mrc_ev_patience(&set.s, 0);
    EXPECT_EQ(set.picks(30, late - 1).count(0), 0u);
    EXPECT_EQ(set.picks(30, late).count(0), 1u);
}

TEST(EvSet, ASpareThatASearchFindsComesIntoTheRotation)
{
    Set set(1, 4, 0, 1, 1);
    const u16 first = *set.rotation(1).begin();
    const u16 found = *set.spares(1).rbegin();
    mrc_ev_probe_lost(&set.s, first, kMs, 50 * kMs);
    ASSERT_TRUE(mrc_ev_searching(&set.s));
    EXPECT_FALSE(mrc_ev_heard(&set.s, found, 50 * kMs, 51 * kMs)) << "it was GOOD before";
    EXPECT_EQ(set.rotation(1), std::set<u16>{found});
    EXPECT_EQ(set.state(first), MRC_EV_GOOD);
    checkSlots(set);
}

/* All EVs on ports that are up are bad: the first EV that is heard of is used alone. */
TEST(EvSet, WhereNoneIsLeftTheFirstThatIsHeardOfIsHeld)
{
    Set set(2, 2);
    set.lose({0, 1}, 0);
    mrc_ev_ports(&set.s, 1, ~0u, 1);
    EXPECT_EQ(set.picks(10).size(), 2u) << "both are bad";
    EXPECT_TRUE(mrc_ev_heard(&set.s, 1, 2, 3));
    EXPECT_EQ(set.state(1), MRC_EV_HELD);
    EXPECT_EQ(set.picks(10), (std::map<u16, int>{{1, 10}}));
    mrc_ev_ports(&set.s, ~0u, ~0u, 4);
    EXPECT_EQ(set.state(1), MRC_EV_ASSUMED_BAD);
}

TEST(EvSet, AnyEvMeansAllButDeniedOnes)
{
    Set set(2, 3, 0, 1, 2);
    set.lose({0}, 0);
    mrc_ev_deny(&set.s, 5, true, 0);
    std::map<u16, int> count;
    for (int n = 0; n < 30; ++n)
        ++count[mrc_ev_pick_any(&set.s)];
    EXPECT_EQ(count.size(), 5u);
    EXPECT_EQ(count[0], 5);
    EXPECT_EQ(count[5], 0);
    mrc_ev_ports(&set.s, 0, 0, 0);
    EXPECT_EQ(mrc_ev_pick_any(&set.s), MRC_EV_NONE);
}

/* Otherwise an idle peer with dead EVs, and a floor that needs them, would search for ever. */
TEST(EvSet, ALostProbeOfAHeldEvBeginsNoSearchWhileOthersAreGood)
{
    Set set(1, 4, 3);
    set.lose({0, 1}, 0);
    ASSERT_EQ(set.state(1), MRC_EV_HELD);
    mrc_ev_probe_lost(&set.s, 1, kMs, 51 * kMs);
    EXPECT_FALSE(mrc_ev_searching(&set.s));
    set.lose({2, 3}, 60 * kMs);
    mrc_ev_probe_lost(&set.s, 1, 70 * kMs, 120 * kMs);
    EXPECT_TRUE(mrc_ev_searching(&set.s)) << "nothing better is known";
}

TEST(EvSet, ProbingBeginsAnewForASearchOnceASecond)
{
    Set set(1, 2);
    set.lose({0}, 0);
    mrc_ev_probe_lost(&set.s, 1, kMs, kSec);
    ASSERT_TRUE(mrc_ev_searching(&set.s));
    EXPECT_EQ(set.probes(kSec).size(), 2u);
    EXPECT_EQ(set.ev[0].probe_at, kSec + 2 * kMs) << "doubled from the shortest interval on";
    set.probes(kSec + 2 * kMs);
    mrc_ev_heard(&set.s, 1, kSec + 2 * kMs, kSec + 2 * kMs);
    ASSERT_FALSE(mrc_ev_searching(&set.s));

    mrc_ev_probe_lost(&set.s, 1, kSec + 3 * kMs, kSec + 53 * kMs);
    ASSERT_TRUE(mrc_ev_searching(&set.s));
    EXPECT_EQ(set.probes(kSec + 53 * kMs).size(), 2u);
    EXPECT_EQ(set.ev[0].probe_at, kSec + (53 + 8) * kMs) << "and goes on doubling";
}

TEST(EvSet, SilencePutsAllInDoubtLessAndLessOften)
{
    Set set(1, 2);
    std::uint64_t now = kSec;
    for (std::uint64_t wait : {100 * kMs, 200 * kMs, 400 * kMs, 800 * kMs, kSec, kSec, kSec}) {
        mrc_ev_silent(&set.s, MRC_EV_NONE, now, now);
        EXPECT_EQ(set.probes(now).size(), 2u) << wait;
        mrc_ev_silent(&set.s, MRC_EV_NONE, now, now + wait - 1);
        EXPECT_EQ(set.s.silent_at, now) << wait;
        set.probes(now + wait - 1);
        /* The host is there: it is the QP that is silent. */
        mrc_ev_probed(&set.s, 0, now, now);
        now += wait;
    }
    mrc_ev_heard(&set.s, 0, now, now);
    mrc_ev_silent(&set.s, MRC_EV_NONE, now + 1, now + 1);
    EXPECT_EQ(set.s.silent_at, now + 1) << "data has arrived";
}
