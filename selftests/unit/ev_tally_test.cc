// SPDX-License-Identifier: GPL-2.0-only
//
// Tests which EVs are blamed for losses: losses of a broken path, of a full queue, and of all EVs
// alike. Losses are drawn at random, from seeds that are the same each time.

#include "engine/core.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <vector>

namespace
{

constexpr std::uint64_t kUs = 1000;
/// The round trip where there is no queue.
constexpr std::uint64_t kTook = 100 * kUs;

/// EVs, each with its loss and its round trip; packets take the EVs in turn.
struct Tally {
    std::vector<mrc_ev_entry> entry;
    std::vector<double> loss;
    std::vector<std::uint64_t> took;
    std::set<u16> blamed;
    mrc_ev_set s;
    std::mt19937 rng;
    unsigned packets = 0;

    Tally(int ports, int perPort, unsigned seed = 1)
        : entry(static_cast<std::size_t>(ports * perPort)), loss(entry.size(), 0),
          took(entry.size(), kTook), rng(seed)
    {
        for (std::size_t i = 0; i < entry.size(); ++i)
            entry[i].port = static_cast<u8>(1 + i / static_cast<std::size_t>(perPort));
        EXPECT_EQ(mrc_ev_set_init(&s, entry.data(), count(), 0, 0, 1), 0);
    }

    u16 count() const { return static_cast<u16>(entry.size()); }

    /// All EVs of a plane lose this part, and take that long.
    void plane(int port, double part, std::uint64_t ns = kTook)
    {
        for (u16 ev = 0; ev < count(); ++ev)
            if (entry[ev].port == port) {
                loss[ev] = part;
                took[ev] = ns;
            }
    }

    void send(u16 ev)
    {
        ++packets;
        if (rng() >= loss[ev] * 4294967296.0)
            mrc_ev_tally_arrived(&s, ev, took[ev]);
        else if (mrc_ev_tally_lost(&s, ev))
            blamed.insert(ev);
    }

    /// Sends this many packets, on EVs that are not blamed yet, until @p enough returns true.
    void run(
        unsigned most, const std::function<bool()> &enough = [] { return false; })
    {
        for (const unsigned end = packets + most;
             packets < end && blamed.size() < entry.size() && !enough();)
            for (u16 ev = 0; ev < count(); ++ev)
                if (!blamed.contains(ev))
                    send(ev);
    }
};

using Evs = std::set<u16>;

TEST(EvTally, OneOfSixteenThatLosesAFifthIsBlamedAfterAFewHundredPackets)
{
    std::vector<unsigned> after;
    for (unsigned seed = 1; seed <= 1000; ++seed) {
        Tally t(2, 8, seed);
        t.loss[3] = 0.2;
        t.run(10'000, [&] { return !t.blamed.empty(); });
        ASSERT_EQ(t.blamed, Evs{3}) << seed;
        after.push_back(t.packets);
    }
    std::sort(after.begin(), after.end());
    RecordProperty("median", static_cast<int>(after[500]));
    RecordProperty("nine of ten", static_cast<int>(after[900]));
    RecordProperty("last", static_cast<int>(after.back()));
    EXPECT_LE(after[500], 240u);
    EXPECT_LE(after[900], 480u);
    EXPECT_LE(after.back(), 800u);
}

/* It does not matter how long it has been good. */
TEST(EvTally, OneThatWasGoodForLongIsBlamedSoon)
{
    for (unsigned seed = 1; seed <= 100; ++seed) {
        Tally t(2, 8, seed);
        t.run(100'000);
        t.loss[3] = 0.2;
        t.packets = 0;
        t.run(10'000, [&] { return !t.blamed.empty(); });
        ASSERT_EQ(t.blamed, Evs{3}) << seed;
        EXPECT_LE(t.packets, 4000u) << seed;
    }
}

TEST(EvTally, OneThatTakesLongerThanItsSiblingsHasAFullQueue)
{
    Tally t(2, 8);
    t.loss[3] = 0.2;
    t.took[3] = 2 * kTook + mrc_timing_software.probe_slack;
    t.run(100'000);
    EXPECT_EQ(t.blamed, Evs());
    t.took[3] = kTook;
    t.run(10'000);
    EXPECT_EQ(t.blamed, Evs{3}) << "its queue is empty, and still it loses";
}

/* The EVs lose alike, and packets that arrive by them have waited. */
TEST(EvTally, APlanesFullQueueBlamesNone)
{
    Evs all;
    unsigned wrong = 0;
    for (unsigned seed = 1; seed <= 1000; ++seed) {
        Tally t(2, 8, seed);
        t.run(1000);
        t.plane(1, 0.1, 4 * kTook);
        t.run(10'000);
        wrong += static_cast<unsigned>(t.blamed.size());
        all.merge(t.blamed);
    }
    RecordProperty("of 8000", static_cast<int>(wrong));
    EXPECT_LE(wrong, 40u) << "when it begins one may happen to lose what the others do not yet";
    EXPECT_TRUE(all.empty() || *all.rbegin() < 8) << "the other plane loses nothing";
}

TEST(EvTally, APlaneThatLosesWithoutAQueueIsBlamedWithAllItsEvs)
{
    for (unsigned seed = 1; seed <= 200; ++seed) {
        const unsigned plane = 1 + seed % 2;
        Tally t(2, 8, seed);
        t.plane(plane, 0.2);
        t.run(10'000, [&] { return t.blamed.size() == 8; });
        EXPECT_EQ(t.blamed.size(), 8u) << seed;
        EXPECT_EQ(*t.blamed.begin(), 8 * (plane - 1)) << seed;
    }
}

/* One answer reports arrivals and losses: then more events are reported of the EVs that lose. */
TEST(EvTally, LossesThatAreToldBesidesArrivalsCount)
{
    Tally t(2, 2);
    bool blamed = false;
    for (int round = 0; round < 200 && !blamed; ++round) {
        for (u16 ev = 0; ev < 4; ++ev)
            mrc_ev_tally_arrived(&t.s, ev, 1000);
        for (u16 ev = 0; ev < 2 && round % 10 == 0; ++ev)
            blamed |= mrc_ev_tally_lost(&t.s, ev);
    }
    EXPECT_TRUE(blamed);
}

/* All paths of the network are full, or lossy. */
TEST(EvTally, WhatAllLoseAlikeBlamesNearlyNone)
{
    for (const double loss : {0.01, 0.04}) {
        unsigned blamed = 0;
        for (unsigned seed = 1; seed <= 1000; ++seed) {
            Tally t(2, 8, seed);
            t.plane(1, loss);
            t.plane(2, loss);
            t.run(3200);
            blamed += static_cast<unsigned>(t.blamed.size());
        }
        RecordProperty(loss < 0.02 ? "of 16000 at 1 %" : "of 16000 at 4 %",
                       static_cast<int>(blamed));
        EXPECT_LE(blamed, 160u) << "one EV of a hundred, at " << loss;
    }
}

TEST(EvTally, ASingleLossBlamesNone)
{
    Tally t(2, 8);
    t.run(160);
    for (u16 ev = 0; ev < t.count(); ++ev)
        EXPECT_FALSE(mrc_ev_tally_lost(&t.s, ev)) << ev;
}

/* The cause may be the peer, or all paths. */
TEST(EvTally, WhereThereIsNoOtherNoneIsBlamed)
{
    Tally one(1, 1);
    one.loss[0] = 0.5;
    one.run(10'000);
    EXPECT_EQ(one.blamed, Evs());

    Tally plane(1, 8);
    plane.plane(1, 0.5);
    plane.run(10'000);
    EXPECT_EQ(plane.blamed, Evs()) << "of one plane";
}

TEST(EvTally, APlaneThatIsDownIsNotComparedWith)
{
    for (const bool up : {true, false}) {
        Tally t(2, 1);
        t.run(200);
        t.s.remote_mask = up ? ~0u : 1u;
        bool blamed = false;
        for (int i = 0; i < 20; ++i) {
            mrc_ev_tally_arrived(&t.s, 1, kTook);
            blamed |= mrc_ev_tally_lost(&t.s, 0);
        }
        EXPECT_EQ(blamed, up);
    }
}

/* The EVs' behaviour long ago says nothing about the present. */
TEST(EvTally, WhatIsCountedIsHalvedAgainAndAgain)
{
    Tally t(1, 4);
    mrc_ev_tally_lost(&t.s, 2);
    mrc_ev_tally_lost(&t.s, 2);
    for (unsigned n = 2; n < 4 * MRC_TALLY_EVENTS - 1; ++n)
        mrc_ev_tally_arrived(&t.s, 0, kTook);
    EXPECT_EQ(t.entry[0].arrived, 4 * MRC_TALLY_EVENTS - 3);
    mrc_ev_tally_arrived(&t.s, 1, kTook);
    mrc_ev_tally_arrived(&t.s, 1, kTook);
    EXPECT_EQ(t.entry[0].arrived, (4 * MRC_TALLY_EVENTS - 3) / 2);
    EXPECT_EQ(t.entry[1].arrived, 1u) << "the one since";
    EXPECT_EQ(t.entry[2].lost, 1u);

    Tally most(1, MRC_EV_MAX);
    for (int n = 0; n < 200'000; ++n)
        mrc_ev_tally_arrived(&most.s, 7, kTook);
    EXPECT_LE(most.entry[7].arrived, 2 * MRC_TALLY_EVENTS * MRC_EV_MAX) << "no number wraps";
}

TEST(EvTally, WhatWasBlamedBeginsAnew)
{
    Tally t(2, 8);
    t.loss[3] = 1;
    t.run(10'000, [&] { return !t.blamed.empty(); });
    ASSERT_EQ(t.blamed, Evs{3});
    EXPECT_EQ(t.entry[3].arrived + t.entry[3].lost, 0);
    EXPECT_FALSE(mrc_ev_tally_lost(&t.s, 3));
}

TEST(EvTally, WhatHasArrivedAfterAllDoesNotCount)
{
    Tally t(2, 8);
    t.run(160);
    for (int n = 0; n < 100; ++n) {
        EXPECT_FALSE(mrc_ev_tally_lost(&t.s, 3));
        mrc_ev_tally_cleared(&t.s, 3);
    }
    EXPECT_EQ(t.entry[3].lost, 0);
    mrc_ev_tally_cleared(&t.s, 3);
    EXPECT_EQ(t.entry[3].lost, 0) << "less than none";
}

TEST(EvTally, WhatPacketsTakeIsSmoothed)
{
    Tally t(1, 2);
    mrc_ev_tally_arrived(&t.s, 0, 8000);
    EXPECT_EQ(t.entry[0].took_ns, 8000u);
    mrc_ev_tally_arrived(&t.s, 0, 16000);
    EXPECT_EQ(t.entry[0].took_ns, 9000u) << "an eighth of the way";
    mrc_ev_tally_arrived(&t.s, 1, 1ull << 40);
    EXPECT_EQ(t.entry[1].took_ns, U32_MAX) << "no number wraps";
}

} // namespace
