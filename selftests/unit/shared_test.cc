// SPDX-License-Identifier: GPL-2.0-only
//
// A window that QPs share: whose turn it is.

#include "core.h"

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

    bool begin(std::size_t i) { return mrc_shared_begin(&s, &place[i], &g); }
    void end(std::size_t i, u32 bytes, bool wants)
    {
        mrc_shared_end(&s, &place[i], bytes, wants, now);
    }
    /// It sends what it is granted, and wants more.
    u32 send(std::size_t i)
    {
        if (!begin(i))
            return 0;
        const u32 bytes = g.room < g.least ? 0 : g.room;
        end(i, bytes, true);
        return bytes;
    }
    void acked(u32 bytes)
    {
        mrc_cc_news n{};
        n.acked = n.landed = bytes;
        mrc_shared_learn(&s, &n, now);
    }
    /// Index of the one whose turn it is, -1: nobody's.
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
    s.send(0);
    for (std::size_t i = 1; i < 3; ++i)
        EXPECT_FALSE(s.begin(i)) << "it waits";
    s.acked(kWindow);
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
    s.send(0);
    s.begin(1);
    EXPECT_EQ(s.send(0), 0u);
    EXPECT_EQ(s.next(), -1) << "nobody is asked before something changes";
    EXPECT_FALSE(s.begin(1)) << "no overtaking";
    s.acked(kMtu);
    EXPECT_EQ(s.next(), 0);
    EXPECT_EQ(s.send(0), kMtu);
    EXPECT_EQ(s.next(), 1);
}

TEST(Shared, WhoWantsNothingStepsAside)
{
    Window s(3);
    s.send(0);
    s.begin(1);
    s.begin(2);
    EXPECT_EQ(s.send(0), 0u);
    mrc_shared_step_aside(&s.s, &s.place[0]);
    EXPECT_EQ(s.next(), 1) << "it may have wanted less";
    mrc_shared_step_aside(&s.s, &s.place[2]);
    s.acked(kWindow);
    EXPECT_EQ(s.send(1), kWindow) << "nobody else waits";
    EXPECT_EQ(s.next(), 1) << "the end of the queue is sound";
    EXPECT_FALSE(s.begin(2));
    EXPECT_TRUE(mrc_shared_waits(&s.place[2]));
}

TEST(Shared, WhatAQpLeavesBehindIsForgotten)
{
    Window s(2);
    s.send(0);
    s.begin(1);
    mrc_shared_leave(&s.s, &s.place[0], kWindow, s.now);
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

} // namespace
