// SPDX-License-Identifier: GPL-2.0-only
//
// Tests the EVs of answers: every plane that is known to be alive is used, and no other.

#include "engine/core.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

namespace
{

/* Planes of two EVs each: 0 and 1 on port 1, 2 and 3 on port 2, ... */
struct Reverse {
    explicit Reverse(unsigned planes) : ev(2 * planes)
    {
        for (unsigned i = 0; i < ev.size(); ++i)
            ev[i].port = static_cast<u8>(1 + i / 2);
        EXPECT_EQ(mrc_ev_set_init(&s, ev.data(), static_cast<u16>(ev.size()), 0, 0, 7), 0);
        mrc_reverse_init(&r);
    }

    /* How often each EV is picked. */
    std::map<u16, int> picks(int n)
    {
        std::map<u16, int> count;
        while (n--)
            ++count[mrc_reverse_pick(&r, &s, 1)];
        return count;
    }

    /// The EVs that the answer to a probe takes.
    std::vector<u16> answer(u16 mirror)
    {
        u16 evs[MRC_REVERSE_COPIES];
        const unsigned n = mrc_reverse_answer(&r, &s, mirror, 1, evs);
        return {evs, evs + n};
    }

    bool lose(u16 e) { return mrc_reverse_lost(&r, &s, e); }
    void alive(u16 e) { mrc_reverse_alive(&r, &s, e); }

    std::vector<mrc_ev_entry> ev;
    mrc_ev_set s{};
    mrc_reverse r{};
};

TEST(Reverse, PlanesTakeTurns)
{
    Reverse f(4);
    std::map<int, int> planes;
    for (const auto &[e, n] : f.picks(40))
        planes[e / 2] += n;
    EXPECT_EQ(planes, (std::map<int, int>{{0, 10}, {1, 10}, {2, 10}, {3, 10}}));
}

TEST(Reverse, AnAnswerToAProbeLeavesOnce)
{
    Reverse f(4);
    EXPECT_EQ(f.answer(6).size(), 1u);
}

TEST(Reverse, InASearchItLeavesOnSeveralEvsTheMirrorFirst)
{
    Reverse f(4);
    mrc_ev_lost(&f.s, 5, MRC_EV_WHY_LOSS, 1);
    mrc_ev_deny(&f.s, 0, true, 1);
    mrc_ev_probe_lost(&f.s, 2, 2, 3);
    ASSERT_TRUE(mrc_ev_searching(&f.s));
    std::set<u16> seen;
    for (int n = 0; n < 8; ++n) {
        const std::vector<u16> evs = f.answer(6);
        ASSERT_EQ(evs.size(), MRC_REVERSE_COPIES);
        EXPECT_EQ(evs[0], 6);
        EXPECT_EQ(std::set<u16>(evs.begin(), evs.end()).size(), evs.size()) << "each once";
        seen.insert(evs.begin(), evs.end());
    }
    EXPECT_EQ(seen, (std::set<u16>{1, 2, 3, 4, 5, 6, 7}));
    EXPECT_NE(f.answer(0).at(0), 0) << "it may not be used";
    EXPECT_EQ(f.answer(MRC_EV_NONE).size(), MRC_REVERSE_COPIES);
    for (const auto &[ev, n] : f.picks(70))
        EXPECT_NEAR(n, 10, 8) << "other answers take turns, too: " << ev;
}

TEST(Reverse, PeersMadeForOneAnswerTakeEveryPath)
{
    std::set<u16> first;
    for (u32 random = 0; random < 64; ++random) {
        Reverse f(4);
        mrc_reverse_start(&f.r, &f.s, random << 16 | (random >> 2 & 1));
        first.insert(f.picks(1).begin()->first);
    }
    EXPECT_EQ(first.size(), 8u);
}

TEST(Reverse, AStartNeverBringsBackADeniedEv)
{
    Reverse f(2);
    mrc_ev_deny(&f.s, 1, true, 1);
    mrc_reverse_start(&f.r, &f.s, 1);
    EXPECT_EQ(f.picks(4).count(1), 0u);
}

TEST(Reverse, WhatWasAnsweredLastIsUsed)
{
    Reverse f(2);
    f.alive(1);
    f.alive(2);
    EXPECT_EQ(f.picks(4), (std::map<u16, int>{{1, 2}, {2, 2}}));
    f.alive(3);
    EXPECT_EQ(f.picks(4), (std::map<u16, int>{{1, 2}, {3, 2}}));
}

/* A repetition must not take the way that has lost the datagram before. */
TEST(Reverse, DatagramsTakeAllEvsInTurn)
{
    Reverse f(2);
    f.alive(1);
    const auto next = [&f] { return mrc_reverse_vary(&f.r, &f.s, 1); };
    u16 one = next(), two = next();
    EXPECT_NE(one / 2, two / 2) << "planes take turns";
    std::set<u16> seen{one, two, next(), next()};
    EXPECT_EQ(seen, (std::set<u16>{0, 1, 2, 3}));
    f.lose(0);
    f.lose(1);
    one = MRC_EV_NONE;
    for (int i = 0; i < 10; ++i, one = two) {
        two = next();
        EXPECT_EQ(two / 2, 1) << "a plane that is known to be dead";
        EXPECT_NE(two, one);
    }
}

/* Also when the number of EVs is no power of two. */
TEST(Reverse, NoTwoDatagramsInARowTakeOneEv)
{
    std::vector<mrc_ev_entry> ev(3);
    for (mrc_ev_entry &e : ev)
        e.port = 1;
    Reverse f(1);
    ASSERT_EQ(mrc_ev_set_init(&f.s, ev.data(), 3, 0, 0, 7), 0);
    mrc_reverse_init(&f.r);
    u16 last = MRC_EV_NONE;
    for (int i = 0; i < 1000; ++i) {
        const u16 next = mrc_reverse_vary(&f.r, &f.s, 1);
        ASSERT_NE(next, last) << i;
        last = next;
    }
}

TEST(Reverse, APlaneIsLeftOutAfterTwoLostProbesAndBackWithOneAnswer)
{
    Reverse f(2);
    EXPECT_TRUE(f.lose(0)) << "to be probed again at once";
    EXPECT_EQ(f.picks(4).size(), 2u) << "one loss may be a fluke";
    EXPECT_FALSE(f.lose(1));
    EXPECT_FALSE(f.lose(1)) << "no hurry now";
    for (const auto &[e, n] : f.picks(8))
        EXPECT_GE(e, 2) << n;
    f.alive(0);
    EXPECT_EQ(f.picks(4)[0], 2);
}

TEST(Reverse, AnAnswerBetweenTwoLossesCounts)
{
    Reverse f(2);
    EXPECT_TRUE(f.lose(0));
    f.alive(1);
    EXPECT_TRUE(f.lose(0));
}

TEST(Reverse, AnEvKnownToBeBadSaysNothingOfItsPlane)
{
    Reverse f(2);
    f.alive(0);
    ASSERT_TRUE(mrc_ev_lost(&f.s, 1, MRC_EV_WHY_LOSS, 5));
    for (int i = 0; i < 4; ++i)
        EXPECT_FALSE(f.lose(1));
    EXPECT_EQ(f.picks(4)[0], 2) << "its plane carries answers still";

    EXPECT_TRUE(f.lose(0));
    f.alive(1);
    EXPECT_EQ(f.picks(4).count(1), 0u) << "alive, but not in use";
    EXPECT_TRUE(f.lose(0)) << "the plane was alive in between";
}

TEST(Reverse, ALostEvIsNotUsedThoughItsPlaneIs)
{
    Reverse f(1);
    f.alive(1);
    f.lose(1);
    EXPECT_EQ(f.picks(3), (std::map<u16, int>{{0, 3}}));
}

/* Otherwise the probe that should tell what has arrived would take the path of what has not. */
TEST(Reverse, AnEvInDoubtCarriesAnswersOnlyWhereThereIsNoOther)
{
    Reverse f(2);
    f.alive(1);
    f.s.heard_at = 10;
    mrc_ev_unheard(&f.s, 1, 5, 10);
    ASSERT_TRUE(f.ev[1].doubted);
    EXPECT_EQ(f.picks(40), (std::map<u16, int>{{0, 20}, {2, 20}}));
    for (const u16 e : {0, 2, 3})
        mrc_ev_unheard(&f.s, e, 5, 10);
    EXPECT_EQ(f.picks(40), (std::map<u16, int>{{1, 20}, {2, 20}})) << "as if there was no doubt";
}

TEST(Reverse, BadAndDeniedEvsCarryNoAnswers)
{
    Reverse f(2);
    f.alive(0);
    EXPECT_TRUE(mrc_ev_lost(&f.s, 0, MRC_EV_WHY_LOSS, 5));
    mrc_ev_deny(&f.s, 2, true, 5);
    EXPECT_EQ(f.picks(4), (std::map<u16, int>{{1, 2}, {3, 2}}));
}

TEST(Reverse, PortsThatAreDownCarryNoAnswersAndNoProbes)
{
    Reverse f(3);
    mrc_ev_ports(&f.s, ~1u, ~2u, 0);
    for (const auto &[e, n] : f.picks(6))
        EXPECT_GE(e, 4) << n;
    for (u32 i = 0; i < 6; ++i)
        EXPECT_GE(mrc_reverse_probe(&f.r, &f.s, i), 4);
}

TEST(Reverse, WithoutAPlaneKnownToBeAliveAnyIsBetterThanNone)
{
    Reverse f(1);
    f.lose(0);
    f.lose(1);
    EXPECT_NE(mrc_reverse_pick(&f.r, &f.s, 1), MRC_EV_NONE);
    mrc_ev_ports(&f.s, 0, ~0u, 0);
    EXPECT_EQ(mrc_reverse_pick(&f.r, &f.s, 1), MRC_EV_NONE);
    EXPECT_EQ(mrc_reverse_probe(&f.r, &f.s, 1), MRC_EV_NONE);
}

TEST(Reverse, ProbesGoOverAllPlanesAndAllEvsButDeniedOnes)
{
    Reverse f(2);
    mrc_ev_deny(&f.s, 3, true, 5);
    std::set<u16> seen;
    for (u32 i = 0; i < 16; ++i)
        seen.insert(mrc_reverse_probe(&f.r, &f.s, i / 2));
    EXPECT_EQ(seen, (std::set<u16>{0, 1, 2}));
    mrc_ev_lost(&f.s, 0, MRC_EV_WHY_LOSS, 5);
    for (u32 i = 0; i < 16; ++i)
        EXPECT_NE(mrc_reverse_probe(&f.r, &f.s, i / 2), 0) << "a bad one says nothing of its plane";
    mrc_ev_deny(&f.s, 1, true, 5);
    seen.clear();
    for (u32 i = 0; i < 16; ++i)
        seen.insert(mrc_reverse_probe(&f.r, &f.s, i / 2));
    EXPECT_EQ(seen, (std::set<u16>{0, 2})) << "but it is better than none";
}

TEST(Reverse, APlaneWhoseProbeWasLostIsProbedNext)
{
    Reverse f(4);
    const u16 first = mrc_reverse_probe(&f.r, &f.s, 0);
    f.lose(first);
    EXPECT_EQ(mrc_reverse_probe(&f.r, &f.s, 0) / 2, first / 2);
    f.lose(first);
    EXPECT_EQ(mrc_reverse_probe(&f.r, &f.s, 0) / 2, first / 2);
    f.lose(first); /* left out: it takes its turn like the others */
    EXPECT_NE(mrc_reverse_probe(&f.r, &f.s, 0) / 2, first / 2);
}

} // namespace
