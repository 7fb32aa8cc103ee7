// SPDX-License-Identifier: GPL-2.0-only
//
// Tests a window that QPs share: which QP has its turn.

#include "engine/core.h"

#include <gtest/gtest.h>

#include <vector>

namespace
{

constexpr u32 kMtu = 4224;
constexpr u32 kWindow = 100 * kMtu;
constexpr u64 kStart = 1000000000;

struct Window {
    mrc_shared s{};
    std::vector<mrc_shared_place> place;
    mrc_cc_grant g{};
    u64 now = kStart;

    explicit Window(std::size_t n, bool alone = false) : place(n)
    {
        mrc_cc_params p{};
        p.rate = 12500000000ull;
        p.mtu = kMtu;
        p.algorithm = MRC_CC_NSCC;
        p.max_cwnd = kWindow;
        p.base_rtt_ns = 20000;
        mrc_shared_init(&s, &p, &mrc_timing_software, alone, now);
    }

    void heard(std::size_t i) { acked(i, 0); }
    void allHeard()
    {
        for (std::size_t i = 0; i < place.size(); ++i)
            heard(i);
    }
    void silence(std::size_t i, u32 lost)
    {
        mrc_cc_news n{};
        n.lost = n.blameless = lost;
        n.silent = true;
        mrc_shared_learn(&s, &place[i], &n, now);
    }

    bool begin(std::size_t i) { return mrc_shared_begin(&s, &place[i], &g); }
    void end(std::size_t i, u32 bytes, bool wants)
    {
        mrc_shared_end(&s, &place[i], DIV_ROUND_UP(bytes, kMtu), bytes, wants, now);
    }
    /// The QP sends what it is granted, and wants more.
    u32 send(std::size_t i)
    {
        if (!begin(i))
            return 0;
        const u32 bytes = g.room < g.least ? 0 : g.room;
        end(i, bytes, true);
        return bytes;
    }
    void acked(std::size_t i, u32 bytes)
    {
        mrc_cc_news n{};
        n.acked = n.landed = bytes;
        n.heard = true;
        mrc_shared_learn(&s, &place[i], &n, now);
    }
    /// Index of the QP whose turn it is; -1: none.
    int next() const
    {
        const mrc_shared_place *first = mrc_shared_next(&s);
        return first ? static_cast<int>(first - place.data()) : -1;
    }
};

TEST(Shared, OneQpHasAllOfIt)
{
    Window s(2);
    EXPECT_EQ(s.send(0), kWindow);
    EXPECT_TRUE(mrc_shared_waits(&s.place[0])) << "for more";
    EXPECT_FALSE(mrc_shared_waits(&s.place[1]));
}

TEST(Shared, TurnsGoRound)
{
    Window s(3);
    s.allHeard();
    s.send(0);
    for (std::size_t i = 1; i < 3; ++i)
        EXPECT_FALSE(s.begin(i)) << "it waits";
    s.acked(0, kWindow);
    EXPECT_EQ(s.next(), 0);
    EXPECT_EQ(s.send(0), MRC_TURN_PACKETS * kMtu) << "others wait, too";
    EXPECT_EQ(s.g.ask_after, 0u) << "a pause begins with a SACK";
    EXPECT_EQ(s.next(), 1);
    EXPECT_FALSE(s.begin(2)) << "out of turn";
    EXPECT_EQ(s.send(1), MRC_TURN_PACKETS * kMtu);
    EXPECT_EQ(s.send(2), MRC_TURN_PACKETS * kMtu);
    EXPECT_EQ(s.next(), 0) << "and round again";
    EXPECT_EQ(s.send(0), kWindow - 3 * MRC_TURN_PACKETS * kMtu);
}

TEST(Shared, TooLittleRoomKeepsTheFirstPlace)
{
    Window s(2);
    s.allHeard();
    s.send(0);
    s.begin(1);
    EXPECT_EQ(s.send(0), 0u);
    EXPECT_EQ(s.next(), -1) << "nobody is asked before something changes";
    EXPECT_FALSE(s.begin(1)) << "no overtaking";
    s.acked(0, kMtu);
    EXPECT_EQ(s.next(), 0);
    EXPECT_EQ(s.send(0), kMtu);
    EXPECT_EQ(s.next(), 1);
}

TEST(Shared, WhoWantsNothingStepsAside)
{
    Window s(3);
    s.allHeard();
    s.send(0);
    s.begin(1);
    s.begin(2);
    EXPECT_EQ(s.send(0), 0u);
    mrc_shared_step_aside(&s.s, &s.place[0]);
    EXPECT_EQ(s.next(), 1) << "it may have wanted less";
    mrc_shared_step_aside(&s.s, &s.place[2]);
    s.acked(0, kWindow);
    EXPECT_EQ(s.send(1), kWindow) << "nobody else waits";
    EXPECT_EQ(s.next(), 1) << "the end of the queue is sound";
    EXPECT_FALSE(s.begin(2));
    EXPECT_TRUE(mrc_shared_waits(&s.place[2]));
}

TEST(Shared, WhatAQpLeavesBehindIsForgotten)
{
    Window s(2);
    s.allHeard();
    s.send(0);
    s.begin(1);
    mrc_shared_leave(&s.s, &s.place[0], s.now);
    EXPECT_EQ(s.s.cc.inflight, 0u);
    EXPECT_EQ(s.s.cc.cwnd, kWindow);
    EXPECT_EQ(s.next(), 1);
    EXPECT_EQ(s.send(1), kWindow);
}

TEST(Shared, AWindowOfOneQpHasNoQueue)
{
    Window s(1, true);
    EXPECT_EQ(s.send(0), kWindow);
    EXPECT_FALSE(mrc_shared_waits(&s.place[0]));
    EXPECT_EQ(s.next(), -1);
}

// ---- how much is served at a time

/// Turns that are given before others get the CPU; in each a QP sends this many small packets.
unsigned served(u32 packets)
{
    Window s(2);
    s.allHeard();
    mrc_shared_wait(&s.s, &s.place[0]);
    mrc_shared_wait(&s.s, &s.place[1]);
    bool enough = false;
    unsigned turns = 0;
    for (mrc_shared_serve(&s.s); mrc_shared_place *p = mrc_shared_turn(&s.s, &enough); turns++) {
        EXPECT_TRUE(mrc_shared_begin(&s.s, p, &s.g));
        mrc_shared_end(&s.s, p, packets, packets, true, s.now);
    }
    EXPECT_TRUE(enough);
    return turns;
}

TEST(Shared, PacketsAreServedAndNotBytes)
{
    EXPECT_EQ(served(64), MRC_SERVE_PACKETS / 64) << "however small they are";
    EXPECT_EQ(served(1), MRC_SERVE_TURNS);
}

TEST(Shared, NobodyWaitsIsNotEnough)
{
    Window s(1);
    bool enough = true;
    mrc_shared_serve(&s.s);
    EXPECT_EQ(mrc_shared_turn(&s.s, &enough), nullptr);
    EXPECT_FALSE(enough);
}

// ---- what has been heard of a QP

TEST(Shared, BeforeTheFirstAnswerTwoPacketsBesideOthers)
{
    Window s(2);
    s.heard(0);
    ASSERT_TRUE(s.begin(0));
    s.end(0, kMtu, false);
    EXPECT_EQ(s.send(1), 2 * kMtu);
    EXPECT_EQ(s.s.cc.inflight, 3 * kMtu);
    EXPECT_FALSE(s.begin(1)) << "it has what it may claim";
    EXPECT_FALSE(mrc_shared_waits(&s.place[1])) << "and is in nobody's way";
    s.acked(1, kMtu);
    EXPECT_EQ(s.send(1), kWindow - 2 * kMtu) << "it has been answered";
}

TEST(Shared, ANewQpThatIsNotAnsweredGivesItsBytesBack)
{
    Window s(2);
    EXPECT_EQ(s.send(1), kWindow) << "nobody else wants any of it";
    s.heard(0);
    EXPECT_FALSE(s.begin(0));
    const u64 at = mrc_shared_timer_at(&s.s, &s.place[1]);
    ASSERT_NE(at, 0u);
    EXPECT_LE(at, s.now + 1000000) << "round trips, and not a timeout";
    EXPECT_FALSE(mrc_shared_timer(&s.s, &s.place[1], at - 1));
    EXPECT_TRUE(mrc_shared_timer(&s.s, &s.place[1], at));
    EXPECT_EQ(s.s.cc.inflight, 0u);
    EXPECT_EQ(s.s.cc.cwnd, kWindow) << "that says nothing of the network";
    EXPECT_EQ(mrc_shared_timer_at(&s.s, &s.place[1]), 0u);
    mrc_shared_step_aside(&s.s, &s.place[1]);
    EXPECT_EQ(s.send(0), kWindow);
}

TEST(Shared, SilenceTakesNothingFromTheWindow)
{
    Window s(2);
    s.allHeard();
    EXPECT_EQ(s.send(0), kWindow);
    EXPECT_FALSE(s.begin(1));
    mrc_shared_step_aside(&s.s, &s.place[0]);
    s.silence(0, 0); // two probes, and no answer
    EXPECT_EQ(s.s.cc.inflight, 0u);
    EXPECT_EQ(s.next(), 1);
    EXPECT_EQ(s.send(1), kWindow);
    s.silence(0, kWindow); // and then its time has passed
    EXPECT_EQ(s.s.cc.cwnd, kWindow);
    EXPECT_EQ(s.s.cc.inflight, kWindow) << "the other one's";
    mrc_shared_step_aside(&s.s, &s.place[1]);
    EXPECT_EQ(s.send(0), 2 * kMtu) << "needs no room in the window";
    EXPECT_EQ(s.s.cc.inflight, kWindow);
    EXPECT_FALSE(s.begin(0));
    mrc_shared_leave(&s.s, &s.place[0], s.now);
    EXPECT_EQ(s.s.cc.inflight, kWindow) << "the other one's";
}

TEST(Shared, TheFirstAnswerBringsTheBytesBack)
{
    Window s(2);
    s.allHeard();
    s.send(0);
    s.silence(0, kWindow / 2);
    EXPECT_EQ(s.s.cc.inflight, 0u);
    s.acked(0, kMtu);
    EXPECT_EQ(s.s.cc.inflight, kWindow / 2 - kMtu);
    EXPECT_EQ(s.s.cc.inflight, s.place[0].bytes);
    EXPECT_EQ(s.send(0), kWindow / 2 + kMtu);
}

TEST(Shared, ASilentQpIsNeverStuck)
{
    Window s(2);
    s.allHeard();
    s.send(0);
    s.silence(0, 0);
    s.begin(1);
    mrc_shared_wait(&s.s, &s.place[0]);
    EXPECT_EQ(s.next(), 0);
    EXPECT_FALSE(s.begin(0));
    EXPECT_EQ(s.next(), 1);
}

/* Half of a young QP's packets are lost with a port: it need not wait for an answer to the rest. */
TEST(Shared, WhatHasGoneWithAPortIsSentAgain)
{
    Window w(1);
    ASSERT_TRUE(w.begin(0));
    w.end(0, 16 * kMtu, false);
    w.now += kStart;
    ASSERT_TRUE(mrc_shared_timer(&w.s, &w.place[0], w.now));
    ASSERT_FALSE(w.begin(0)) << "it is silent, and has more in flight than it may claim";
    mrc_cc_news n{};
    n.lost = 8 * kMtu;
    n.cause = MRC_CC_PORT;
    mrc_shared_learn(&w.s, &w.place[0], &n, w.now);
    EXPECT_EQ(w.s.cc.inflight, 8u * kMtu) << "what is left";
    EXPECT_EQ(w.s.fresh, 8u * kMtu);
    ASSERT_TRUE(w.begin(0));
    EXPECT_GE(w.g.room_lost, 8u * kMtu);
    EXPECT_EQ(mrc_shared_timer_at(&w.s, &w.place[0]), w.place[0].until);
    EXPECT_GT(w.place[0].until, w.now);
}

TEST(Shared, AFixedWindowKnowsNoSilence)
{
    mrc_cc_params p{};
    p.algorithm = MRC_CC_NONE;
    p.mtu = kMtu;
    p.max_cwnd = kWindow;
    Window s(1, true);
    mrc_shared_init(&s.s, &p, &mrc_timing_software, true, s.now);
    EXPECT_EQ(s.send(0), kWindow);
    EXPECT_EQ(mrc_shared_timer_at(&s.s, &s.place[0]), 0u);
    s.silence(0, kMtu);
    EXPECT_EQ(s.s.cc.inflight, kWindow - kMtu);
    EXPECT_EQ(s.send(0), kMtu);
}

} // namespace
