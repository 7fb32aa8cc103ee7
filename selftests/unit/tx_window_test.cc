// SPDX-License-Identifier: GPL-2.0-only
#include "tx_fixture.h"

TEST(TxWindow, RoomIsNeverBeyondTheWindow)
{
    Window win(0xffffc0, 128);
    EXPECT_EQ(mrc_tx_room(&win.w), 128u);
    EXPECT_TRUE(mrc_tx_idle(&win.w));
    for (int i = 0; i < 128; ++i)
        EXPECT_EQ(win.send(0), mrc_psn_add(0xffffc0, i));
    EXPECT_EQ(mrc_tx_room(&win.w), 0u);
    EXPECT_FALSE(mrc_tx_idle(&win.w));

    EXPECT_EQ(win.sack(0xffffbf, {0xffffc1, 0xffffc2}, 0xffffc2), 0);
    EXPECT_EQ(mrc_tx_room(&win.w), 0u) << "only the cumulative PSN moves the window";
    EXPECT_EQ(win.sack(0xffffc3, {}, 0xffffc3), 0);
    EXPECT_EQ(mrc_tx_room(&win.w), 4u);

    win.w.size = 64;
    EXPECT_EQ(mrc_tx_room(&win.w), 0u) << "shrunk below what is in flight";
    win.w.size = 1000;
    EXPECT_EQ(mrc_tx_room(&win.w), 4u) << "never more than there is memory for";
}

TEST(TxWindow, PsnWrapOverSeveralRings)
{
    Window win(0xfffff0, 128);
    for (std::uint32_t i = 0; i < 1000; ++i) {
        const std::uint32_t psn = win.send(static_cast<u16>(i % 4));
        EXPECT_EQ(psn, mrc_psn_add(0xfffff0, static_cast<s32>(i)));
        if (i % 50 == 49) {
            EXPECT_EQ(win.w.inflight, 50u);
            EXPECT_EQ(win.sack(psn, {}, psn), 0);
            EXPECT_EQ(win.res.acked, 50u);
            EXPECT_TRUE(mrc_tx_idle(&win.w));
        }
    }
    EXPECT_EQ(win.w.inflight, 0u);
    EXPECT_EQ(win.w.lost, 0u);
}

TEST(TxWindow, EachPacketIsAcknowledgedOnce)
{
    Window win;
    for (int i = 0; i < 10; ++i)
        win.send(static_cast<u16>(i));
    EXPECT_EQ(win.sack(0xffffff, {2, 4}, 4), 0);
    EXPECT_EQ(win.res.acked, 2u);
    EXPECT_EQ(win.sack(0xffffff, {2, 4}, 4), 0);
    EXPECT_EQ(win.res.acked, 0u);
    EXPECT_EQ(win.sack(4, {6}, 6), 0);
    EXPECT_EQ(win.res.acked, 4u) << "0, 1, 3 and 6";
    EXPECT_EQ(win.w.inflight, 4u);
    EXPECT_EQ(win.w.una, 5u);
    EXPECT_EQ(win.w.high, 7u);
}

TEST(TxWindow, OldSackIsAppliedForWhatItStillSays)
{
    Window win;
    for (int i = 0; i < 20; ++i)
        win.send(static_cast<u16>(i));
    EXPECT_EQ(win.sack(5, {}, 5), 0);
    EXPECT_EQ(win.sack(0, {2, 4, 6, 9}, 9), 0);
    EXPECT_EQ(win.res.acked, 2u);
    EXPECT_EQ(win.w.una, 6u) << "never back";
}

TEST(TxWindow, SackForAPsnNeverSentIsNoProgress)
{
    Window win(0xfffffc);
    for (int i = 0; i < 8; ++i)
        win.send(static_cast<u16>(i)); // 0xfffffc .. 3
    const mrc_tx_window before = win.w;
    const std::vector<u64> memBefore = win.mem;
    win.now += kRtt;

    struct {
        const char *what;
        mrc_sack s;
    } cases[] = {
        {"cumulative PSN", {.cack_psn = 4}},
        {"cumulative PSN far ahead", {.cack_psn = 0x700000}},
        {"trigger", {.ack_offset = 2, .cack_psn = 2}},
        {"last bit", {.cack_psn = 0xfffffc, .sack_offset = 1, .bitmap = 0x83}},
        {"first bit", {.cack_psn = 0xfffffc, .sack_offset = 8, .bitmap = 1}},
        {"far bits", {.cack_psn = 2, .sack_offset = 32767, .bitmap = 1}},
        {"bits where the serial order turns",
         {.cack_psn = mrc_psn_add(4, -0x800000), .sack_offset = -32, .bitmap = ~0ull}},
    };
    for (const auto &c : cases) {
        EXPECT_EQ(win.apply(c.s), -EINVAL) << c.what;
        EXPECT_EQ(std::memcmp(&win.w, &before, sizeof(before)), 0) << c.what;
        EXPECT_EQ(win.mem, memBefore) << c.what;
        EXPECT_EQ(win.res.acked + win.res.lost, 0u);
        EXPECT_EQ(win.res.ev, MRC_EV_NONE);
        EXPECT_EQ(win.res.rtt_ns, 0u);
    }
    mrc_sack probe = {.probe = true, .ack_offset = 0x7fff, .cack_psn = 0xfffffc};
    EXPECT_EQ(win.apply(probe), 0) << "the offset of a probe's answer is the probe's number";
    EXPECT_EQ(win.res.acked, 1u);
    EXPECT_EQ(win.res.rtt_ns, 0u);
}

TEST(TxWindow, SackLongBehindIsHarmless)
{
    Window win(0x100000);
    win.send(0);
    mrc_sack s = {.cack_psn = mrc_psn_add(0x100001, -0x800000), .sack_offset = 63, .bitmap = ~0ull};
    EXPECT_EQ(win.apply(s), 0);
    EXPECT_EQ(win.res.acked, 0u);
    EXPECT_EQ(win.w.inflight, 1u);
}

/* There the serial order wraps: PSNs behind must not be taken for PSNs ahead. */
TEST(TxWindow, BitmapHalfTheNumberSpaceBehindTouchesNothing)
{
    for (unsigned sent : {0u, 3u}) {
        for (s32 from : {-66, -64, -63, -1, 0, 1, 63}) {
            Window win(5);
            for (unsigned i = 0; i < sent; ++i)
                win.send(0);
            const mrc_sack s = {.cack_psn = mrc_psn_add(5 + sent, -0x800000 + from),
                                .bitmap = ~0ull >> (from < 0 ? 0 : from)};
            win.apply(s);
            EXPECT_EQ(win.w.inflight, sent) << from;
            EXPECT_EQ(win.res.acked, 0u) << from;
        }
    }
}

TEST(TxWindow, IdleWhenABitmapCoversAllThatIsLeft)
{
    Window win;
    win.send(0);
    win.send(1);
    EXPECT_FALSE(mrc_tx_idle(&win.w));
    ASSERT_EQ(win.sack(0xffffff, {0, 1}, 1), 0);
    EXPECT_TRUE(mrc_tx_idle(&win.w)) << "only the cumulative PSN is missing";
    EXPECT_EQ(mrc_tx_room(&win.w), 126u);
}

TEST(TxWindow, RttSampleOfTheTriggerOnly)
{
    Window win;
    win.send(3);
    win.now += 10 * kTick;
    win.send(4);
    win.now += 20 * kTick;
    EXPECT_EQ(win.sack(0xffffff, {0, 1}, 1), 0);
    EXPECT_EQ(win.res.rtt_ns, 20 * kTick);
    EXPECT_EQ(win.res.ev, 4);
    EXPECT_EQ(win.w.rtt.min_ns, 20 * kTick);
    EXPECT_EQ(win.w.rtt.srtt_ns, 20 * kTick);
    win.now += kSec;
    EXPECT_EQ(win.sack(0xffffff, {0, 1}, 0), 0);
    EXPECT_EQ(win.res.rtt_ns, 0u) << "it was acknowledged before";
    EXPECT_EQ(win.res.ev, 3);
    EXPECT_EQ(win.sack(1, {}, 1), 0);
    EXPECT_EQ(win.sack(1, {}, 1), 0);
    EXPECT_EQ(win.res.ev, MRC_EV_NONE) << "nothing is known of it any more";
}

TEST(TxWindow, RetransmissionIsAnRttSampleOnlyIfTheRtxFlagMatches)
{
    for (bool rtx : {false, true}) {
        Window win = withRtt();
        win.send(1);
        win.now += kRtt;
        ASSERT_EQ(win.nack(1), 0);
        mrc_tx_resend(&win.w, 1, 2, win.now);
        win.now += 3 * kRtt;
        EXPECT_EQ(win.sack(1, {}, 1, rtx), 0);
        EXPECT_EQ(win.res.acked, 1u);
        EXPECT_EQ(win.res.rtt_ns, rtx ? 3 * kRtt : 0);
        EXPECT_EQ(win.res.data_rtt_ns, 0u) << "it went in another class than data";
        EXPECT_EQ(win.res.ev, rtx ? 2 : MRC_EV_NONE);
        EXPECT_EQ(win.res.spurious, !rtx) << "the first transmission did arrive";
    }
}

TEST(TxWindow, NoSampleWhenTheFlagNamesAPacketThatWasNotResent)
{
    Window win = afterRttOf({1});
    EXPECT_EQ(win.sack(1, {}, 1, true), 0);
    EXPECT_EQ(win.res.acked, 1u);
    EXPECT_EQ(win.res.rtt_ns, 0u);
    EXPECT_EQ(win.res.ev, MRC_EV_NONE);
    EXPECT_FALSE(win.res.spurious);
}

TEST(TxWindow, PacketSentThreeTimesGivesNoSample)
{
    Window win = withRtt();
    win.send(1);
    for (u16 ev : {u16{2}, u16{3}}) {
        win.now += kRtt;
        ASSERT_EQ(win.nack(1), 0);
        mrc_tx_resend(&win.w, 1, ev, win.now);
    }
    win.now += kRtt;
    EXPECT_EQ(win.sack(1, {}, 1, true), 0);
    EXPECT_EQ(win.res.rtt_ns, 0u) << "nobody knows which of two it answers";
    EXPECT_EQ(win.res.ev, MRC_EV_NONE);
}

/* Of 100 packets on one EV all but one arrive. The SACK of the first packets is lost. */
TEST(TxWindow, WhatALostSackToldOfIsNotLost)
{
    Window win = withRtt();
    for (int i = 1; i <= 100; ++i)
        win.send(5);
    ASSERT_EQ(win.sack(0, {70, 71, 72}, 72, false, 99), 0);
    EXPECT_EQ(win.res.acked, 3u);
    EXPECT_EQ(win.res.lost, 0u) << "96 of the 69 before and 28 after it have arrived";
    ASSERT_EQ(win.sack(0, {69, 73}, 73, false, 98), 0);
    EXPECT_EQ(win.res.lost, 0u) << "an older one says nothing of what has come since";
    ASSERT_EQ(win.sack(0, {2, 3, 4, 65}, 72, false, 99), 0);
    EXPECT_EQ(win.res.lost, 60u) << "5 to 64: it covers them, and they are not there";
    EXPECT_TRUE(win.lost(5));
    EXPECT_EQ(win.nextLost(), 5u) << "1 is not covered";
}

TEST(TxWindow, AllIsJudgedOnceTheLostSackHasBeenMadeUpFor)
{
    Window win = withRtt();
    for (int i = 1; i <= 4; ++i)
        win.send(5);
    ASSERT_EQ(win.sack(0, {4}, 4, false, 2), 0);
    EXPECT_EQ(win.res.lost, 0u);
    ASSERT_EQ(win.sack(0, {2}, 4, false, 2), 0);
    EXPECT_EQ(win.res.lost, 2u) << "1 and 3";
}

/* The peer can only count what was sent: a peer that reports more does not count. */
TEST(TxWindow, MoreThanWasSentHasNotArrived)
{
    Window win = withRtt();
    for (int i = 1; i <= 4; ++i)
        win.send(5);
    ASSERT_EQ(win.sack(0, {2, 4}, 4, false, 0x7fff), 0);
    EXPECT_EQ(win.res.lost, 1u) << "3: it covers 2 and what follows";
}

/* Of 120 packets on one EV nearly all arrive; the peer counts none of them. */
TEST(TxWindow, WhoDoesNotCountIsBelievedWhereTheBitmapIs)
{
    Window win = withRtt();
    for (int i = 1; i <= 120; ++i)
        win.send(5);
    ASSERT_EQ(win.sack(0, {100, 101, 103}, 103, false, 0), 0);
    EXPECT_EQ(win.res.acked, 3u);
    EXPECT_EQ(win.res.lost, 1u) << "102: of what lies before 100 it says nothing";
    mrc_sack low = {.ack_offset = 66, .sack_offset = 1, .bitmap = ~0ull << 1 & ~(1ull << 9)};
    ASSERT_EQ(win.apply(low), 0);
    EXPECT_EQ(win.res.acked, 62u);
    EXPECT_EQ(win.res.lost, 2u) << "1 and 10";
    EXPECT_EQ(win.nextLost(), 1u);

    /* The cumulative PSN advances, and nothing is beyond it: older SACKs are recognized by that. */
    ASSERT_EQ(win.sack(99, {}, 99, false, 0), 0);
    ASSERT_EQ(win.sack(80, {111, 120}, 120, false, 0), 0);
    EXPECT_EQ(win.res.acked, 2u);
    EXPECT_EQ(win.res.lost, 0u);
}

/*
 * Several SACKs of a batch of arrivals come in the wrong order, and none of them counts arrivals.
 */
TEST(TxWindow, SacksThatDoNotCountAndOvertakeEachOtherCostNothing)
{
    constexpr std::uint32_t kSize = 1024; // MPR 8
    std::vector<unsigned long> memory(mrc_rx_window_mem(kSize, 1) / sizeof(unsigned long) + 1);
    mrc_rx_window rx;
    mrc_rx_window_init(&rx, memory.data(), kSize, 1, 0);
    Window win(0, kSize);
    unsigned lost = 0;

    for (std::uint32_t psn = 0; psn < kSize; ++psn)
        win.send(psn % 8);
    win.now += kRtt;
    for (std::uint32_t psn = 1; psn < kSize; ++psn) { // the first one is late
        ASSERT_EQ(mrc_rx_claim(&rx, psn), MRC_RX_NEW);
        const mrc_rx_arrival a = {.psn = psn, .payload = 1024};
        ASSERT_EQ(mrc_rx_commit(&rx, &a), 0);
        if (psn % 256 != 255)
            continue;
        std::vector<std::pair<mrc_sack, bool>> sacks(1);
        while (mrc_rx_sack_next(&rx, &sacks.back().first, &sacks.back().second))
            sacks.emplace_back();
        sacks.pop_back();
        ASSERT_GT(sacks.size(), 3u);
        std::reverse(sacks.begin(), sacks.end());
        for (auto &[sack, rtx] : sacks) {
            sack.ooo_count = 0;
            ASSERT_EQ(win.apply(sack, rtx), 0);
            lost += win.res.lost;
        }
    }
    EXPECT_EQ(win.w.inflight + win.w.lost, 1u) << "all the others are known of";
    EXPECT_LE(lost, 1u) << "the first, at most";
}

/* However long a peer reports nothing beyond the cumulative PSN. */
TEST(TxWindow, WhatASackToldLongAgoIsNotAheadAgain)
{
    Window win = withRtt();
    for (std::uint32_t n = 0; n < (1u << 23) + 10; n += 100) {
        for (int i = 0; i < 100; ++i)
            win.send(5);
        ASSERT_EQ(win.ack(mrc_psn_add(win.w.nxt, -1)), 0);
        win.now += kTick;
    }
    const std::uint32_t cack = mrc_psn_add(win.w.una, -1);
    win.send(5);
    const std::uint32_t later = win.send(5);
    ASSERT_EQ(win.sack(cack, {later}, later, false, 1), 0);
    EXPECT_EQ(win.res.lost, 1u);
}

TEST(TxWindow, RetransmissionGetsAFreshEvAndOldestGoesFirst)
{
    Window win = withRtt();
    for (int i = 0; i < 10; ++i)
        win.send(static_cast<u16>(i % 2)); // 1 .. 10
    win.now += kRtt;
    EXPECT_EQ(win.sack(0, {9, 10}, 10), 0);
    EXPECT_EQ(win.res.lost, 8u);
    for (std::uint32_t want = 1; want <= 8; ++want) {
        std::uint32_t psn;
        const mrc_tx_rec *rec = mrc_tx_next_lost(&win.w, &psn);
        ASSERT_TRUE(rec);
        EXPECT_EQ(psn, want);
        mrc_tx_resend(&win.w, psn, 77, win.now);
        EXPECT_EQ(mrc_tx_rec_ev(rec), 77);
    }
    EXPECT_FALSE(win.nextLost());
    EXPECT_EQ(win.w.inflight, 8u);
}

TEST(TxWindow, OldestLostGoesFirstInWhateverOrderTheyWereLost)
{
    Window win;
    for (int i = 0; i < 10; ++i)
        win.send(static_cast<u16>(i));
    for (std::uint32_t psn : {7u, 3u, 9u, 2u})
        ASSERT_EQ(win.nack(psn), 0);
    for (std::uint32_t want : {2u, 3u, 7u, 9u}) {
        ASSERT_EQ(win.nextLost(), want);
        mrc_tx_resend(&win.w, want, 20, win.now);
    }
    EXPECT_FALSE(win.nextLost());
}

TEST(TxWindow, LossesBeyondTheHighestSackedPsnHideNoHole)
{
    Window win = withRtt();
    for (u16 ev : {u16{5}, u16{6}, u16{5}, u16{7}, u16{8}, u16{9}})
        win.send(ev); // 1 .. 6
    ASSERT_EQ(win.nack(5), 0);
    ASSERT_EQ(win.nack(6), 0);
    win.now += kRtt;
    EXPECT_EQ(win.sack(0, {3}, 3), 0);
    EXPECT_EQ(win.res.lost, 1u);
    EXPECT_EQ(win.nextLost(), 1u);
}

TEST(TxWindow, ResendOfWhatIsNotLostIsRefused)
{
    Window win;
    win.send(1);
    mrc_tx_resend(&win.w, 0, 2, win.now);
    mrc_tx_resend(&win.w, 1, 2, win.now);
    mrc_tx_resend(&win.w, 0xffffff, 2, win.now);
    EXPECT_EQ(win.w.inflight, 1u);
    EXPECT_EQ(win.w.evidence.seq, 1u);
    EXPECT_EQ(win.w.ring[0].ev, 1);
}

TEST(TxWindow, NackIsAnsweredWithoutBlame)
{
    Window win = withRtt();
    win.send(5); // 1
    win.send(6); // 2
    EXPECT_EQ(win.nack(3), -EINVAL) << "never sent";
    EXPECT_EQ(win.nack(0), -EALREADY) << "acknowledged";
    EXPECT_EQ(win.nack(1), 0);
    EXPECT_EQ(win.res.ev, 5);
    EXPECT_EQ(win.res.lost, 1u);
    EXPECT_FALSE(win.lost(5));
    EXPECT_EQ(win.nack(1), -EALREADY) << "waits already";
    EXPECT_EQ(win.w.lost, 1u);

    mrc_tx_resend(&win.w, 1, 7, win.now);
    win.now += kRtt / 2;
    EXPECT_EQ(win.nack(1), -EALREADY) << "of the first time";
    win.now += kRtt;
    EXPECT_EQ(win.nack(1), 0);
    EXPECT_EQ(win.res.ev, 7);
    EXPECT_EQ(win.w.ring[1].retries, 0) << "that is no timeout";

    EXPECT_EQ(win.sack(0, {2}, 2), 0);
    EXPECT_EQ(win.nack(2), -EALREADY) << "acknowledged by bitmap";
}

/* The head does not wait in the queues where packets wait that cause SACKs. */
TEST(TxWindow, ATrimmedRetransmissionIsToldOfBeforeAnySackCouldBe)
{
    Window win = withRtt();
    win.send(5); // 1
    EXPECT_EQ(win.trim(1), 0);
    mrc_tx_resend(&win.w, 1, 7, win.now);
    win.now += kRtt / 8;
    EXPECT_EQ(win.trim(1), -EALREADY) << "of the first time";
    win.now += kRtt / 4;
    EXPECT_EQ(win.trim(1), 0);
    EXPECT_EQ(win.res.ev, 7);
}

TEST(TxWindow, TransportAckCoversArrival)
{
    Window win;
    for (int i = 0; i < 5; ++i)
        win.send(static_cast<u16>(i));
    EXPECT_EQ(win.ack(5), -EINVAL);
    EXPECT_EQ(win.w.una, 0u);
    EXPECT_EQ(win.ack(2), 0);
    EXPECT_EQ(win.res.acked, 3u);
    EXPECT_EQ(win.w.una, 3u);
    EXPECT_EQ(win.ack(1), 0);
    EXPECT_EQ(win.res.acked, 0u);
    EXPECT_EQ(win.w.una, 3u);
}

TEST(TxWindow, LosingPathsLosesWhatIsInFlightOnThem)
{
    Window win;
    for (int i = 0; i < 12; ++i)
        win.send(static_cast<u16>(i % 4));
    EXPECT_EQ(win.sack(0xffffff, {1}, 1), 0);
    DECLARE_BITMAP(evs, MRC_EV_MAX) = {};
    __set_bit(1, evs);
    __set_bit(2, evs);
    win.lose(evs, false);
    EXPECT_EQ(win.res.lost, 5u);
    EXPECT_EQ(win.w.inflight, 6u);
    EXPECT_EQ(win.nextLost(), 2u);
    win.lose(evs, false);
    EXPECT_EQ(win.res.lost, 0u);
}

/*
 * Packets that left by a port of this host get a round trip, the longest of late, to be heard of.
 */
TEST(TxWindow, WhatLeftBeforeAPortWasGoneHasTheTimeOfARoundTrip)
{
    Window win = withRtt();
    const u64 wait = mrc_rtt_longest(&win.w.rtt);
    EXPECT_EQ(wait, kRtt + mrc_timing_software.sack_delay);
    win.send(1);
    win.now += wait / 2;
    win.send(1);
    win.send(0);
    win.now += wait - wait / 2 + MRC_TX_TICK_NS;
    const u64 next = win.loseHere(1);
    EXPECT_EQ(win.res.lost, 1u);
    EXPECT_EQ(win.nextLost(), 1u);
    EXPECT_GE(next, win.now + wait / 2 - 2 * MRC_TX_TICK_NS) << "the second";
    EXPECT_LE(next, win.now + wait / 2 + 2 * MRC_TX_TICK_NS);
    win.now = next;
    EXPECT_EQ(win.loseGone(), 0u);
    EXPECT_EQ(win.res.lost, 1u);
    EXPECT_EQ(win.w.inflight, 1u) << "on EV 0";
}

/* The window is not searched for each packet. */
TEST(TxWindow, WhatLeftBeforeAPortWasGoneIsLookedAtAFewTimes)
{
    Window win = withRtt();
    const u64 wait = mrc_rtt_longest(&win.w.rtt);
    for (int i = 0; i < 100; ++i) {
        win.send(1);
        win.now += wait / 100;
    }
    unsigned looks = 1, lost = 0;
    for (u64 next = win.loseHere(1); next; next = win.loseGone()) {
        lost += win.res.lost;
        win.now = next;
        ++looks;
    }
    EXPECT_EQ(lost + win.res.lost, 100u);
    EXPECT_LE(looks, 6u);
}

/* The port is back: a later arrival on the EV says nothing about its present state. */
TEST(TxWindow, WhatWentWithAPortIsNoEvidenceAgainstIt)
{
    Window win = withRtt();
    win.send(1);
    const u64 next = win.loseHere(1);
    win.now += 10 * MRC_TX_TICK_NS;
    win.send(1);
    ASSERT_LT(win.now, next);
    mrc_tx_forget_evs(&win.w); // nor is it forgotten when EVs are made anew
    ASSERT_EQ(win.sack(0, {2}, 2), 0);
    EXPECT_EQ(win.res.lost, 0u);
    win.now = next;
    EXPECT_EQ(win.loseGone(), 0u);
    EXPECT_EQ(win.res.lost, 1u);
    EXPECT_EQ(win.nextLost(), 1u);
    EXPECT_FALSE(win.lost(1));
}

TEST(TxWindow, WithoutARoundTripNothingIsWaitedFor)
{
    Window win;
    win.send(1);
    EXPECT_EQ(win.loseHere(1), 0u);
    EXPECT_EQ(win.res.lost, 1u);
}

/* A CPU took the time, and then waited for the lock while another one sent. */
TEST(TxWindow, WhatLeftALittleLaterThanNowIsNotOld)
{
    Window win = withRtt();
    win.send(1);
    win.now -= 10 * MRC_TX_TICK_NS;
    EXPECT_GT(win.loseHere(1), win.now);
    EXPECT_EQ(win.res.lost, 0u);
}

TEST(TxWindow, PacketsWithoutAnEvAreHarmless)
{
    Window win = withRtt();
    win.send(MRC_EV_NONE);
    win.send(MRC_EV_NONE);
    win.now += kRtt;
    EXPECT_EQ(win.sack(0, {2}, 2), 0);
    EXPECT_EQ(win.res.lost, 0u);
    DECLARE_BITMAP(evs, MRC_EV_MAX);
    std::memset(evs, 0xff, sizeof(evs));
    win.lose(evs, false);
    EXPECT_EQ(win.res.lost, 0u);
    win.now += kSec;
    win.timeout();
    EXPECT_EQ(win.res.lost, 1u);
}

TEST(TxWindow, APathComesBackForWhatHadNone)
{
    Window win;
    win.send(0);
    win.send(MRC_EV_NONE);
    win.send(MRC_EV_NONE);
    EXPECT_EQ(win.sack(0xffffff, {2}, 2), 0);
    DECLARE_BITMAP(evs, MRC_EV_MAX) = {};
    win.lose(evs, true);
    EXPECT_EQ(win.res.lost, 1u);
    EXPECT_EQ(win.nextLost(), 1u);
    for (unsigned ev = 0; ev < MRC_EV_MAX; ++ev)
        EXPECT_FALSE(win.lost(ev)) << ev;
}

TEST(TxProbe, NoneWithoutNeed)
{
    Window win;
    EXPECT_EQ(mrc_tx_probe_at(&win.w, win.now), 0u) << "nothing in flight";
    win.send(1);
    EXPECT_EQ(mrc_tx_probe_at(&win.w, win.now),
              win.now + 2 * mrc_timing_software.first_rtt + mrc_timing_software.probe_slack)
        << "no RTT is known";
    win.now += kRtt;
    ASSERT_EQ(win.sack(0, {}, 0), 0);
    EXPECT_EQ(mrc_tx_probe_at(&win.w, win.now + kSec), 0u) << "nothing in flight";
    win.send(1);
    EXPECT_NE(mrc_tx_probe_at(&win.w, win.now), 0u);
    ASSERT_EQ(win.nack(1), 0);
    EXPECT_EQ(mrc_tx_probe_at(&win.w, win.now), 0u) << "it waits here, not on the way";
}

TEST(TxProbe, WithoutAnRttThatOfThePeerCounts)
{
    Window peer(0, 128, 100 * kMs, 2, 3, kRtt);
    peer.send(1);
    EXPECT_EQ(mrc_tx_probe_at(&peer.w, peer.now), peer.now + kQuiet);
    peer.now += 2 * kRtt;
    ASSERT_EQ(peer.sack(0, {}, 0), 0);
    peer.send(1);
    EXPECT_EQ(mrc_tx_probe_at(&peer.w, peer.now),
              peer.now + 4 * kRtt + mrc_timing_software.probe_slack)
        << "now it has its own";

    Window slow(0, 128, 4 * kMs, 2, 3, 100 * kMs);
    slow.send(1);
    EXPECT_EQ(mrc_tx_probe_at(&slow.w, slow.now), slow.now + 2 * kMs)
        << "half of a timeout at most: the peer's may be another's";
}

TEST(TxProbe, AfterTwoRoundTripsWithoutNews)
{
    Window win = withTail(2);
    EXPECT_EQ(mrc_tx_probe_at(&win.w, win.now), win.now + kQuiet);
    EXPECT_EQ(mrc_tx_probe_at(&win.w, win.now + kSec), win.now + kSec) << "never past";

    win.now += kRtt / 2;
    win.send(3);
    EXPECT_EQ(mrc_tx_probe_at(&win.w, win.now), win.now + kQuiet) << "a packet was sent";
    const std::uint64_t since = win.now;
    win.now += kRtt / 2;
    ASSERT_EQ(win.sack(1, {}, 1), 0);
    const std::uint64_t quiet = 2 * win.w.rtt.srtt_ns + mrc_timing_software.probe_slack;
    EXPECT_EQ(mrc_tx_probe_at(&win.w, win.now), win.now + quiet) << "an acknowledgement";
    win.now += kRtt / 2;
    ASSERT_EQ(win.sack(1, {}, 1), 0);
    EXPECT_EQ(mrc_tx_probe_at(&win.w, win.now), since + kRtt / 2 + quiet) << "that is no news";
    ASSERT_EQ(win.ack(2), 0);
    EXPECT_EQ(mrc_tx_probe_at(&win.w, win.now), win.now + quiet) << "a transport ACK";
    win.send(4);
    ASSERT_EQ(mrc_tx_ack(&win.w, 3, win.now - kTick, &win.res), 0);
    EXPECT_EQ(mrc_tx_probe_at(&win.w, win.now), win.now + quiet) << "read before the lock";
}

TEST(TxProbe, RetransmissionIsNewsToo)
{
    Window win = withTail(2);
    win.again(1, 20);
    EXPECT_EQ(mrc_tx_probe_at(&win.w, win.now), win.now + kQuiet);
}

TEST(TxProbe, ReorderingIsWaitedFor)
{
    Window win = withTail(1);
    win.w.rtt.reorder_ns = 3 * kRtt;
    EXPECT_EQ(mrc_tx_probe_at(&win.w, win.now),
              win.now + 3 * kRtt + mrc_timing_software.probe_slack);
}

/* The end of an outage is noticed after a small part of its length. */
TEST(TxProbe, FewerAndFewerWithoutNewsButAnEighthOfTheSilenceApartForEver)
{
    Window win = withTail(2);
    const std::uint64_t since = win.now;
    for (unsigned n = 0; n < 1000; ++n) {
        const std::uint64_t wait =
            n < MRC_TX_PROBES_EVEN ? kQuiet : kQuiet << std::min(n - MRC_TX_PROBES_EVEN + 1, 30u);
        const std::uint64_t most =
            std::max<std::uint64_t>(mrc_timing_software.probe_max, (win.now - since) / 8);
        ASSERT_EQ(mrc_tx_probe_at(&win.w, win.now), win.now + std::min(wait, most)) << n;
        win.now += std::min(wait, most);
        mrc_tx_probe(&win.w, win.now);
        if (win.now - since > 100 * kSec)
            break;
    }
    EXPECT_GT(win.now - since, 100 * kSec);
    ASSERT_EQ(win.sack(0, {}, 0), 0);
    EXPECT_GT(mrc_tx_probe_at(&win.w, win.now), win.now + kSec) << "no news";

    const std::uint64_t kept = win.w.rtt.srtt_ns;
    ASSERT_EQ(win.ack(1), 0);
    EXPECT_EQ(win.w.rtt.srtt_ns, kept);
    EXPECT_EQ(mrc_tx_probe_at(&win.w, win.now), win.now + kQuiet) << "an acknowledgement";
    for (unsigned n = 0; n < 256; ++n)
        mrc_tx_probe(&win.w, win.now);
    EXPECT_EQ(mrc_tx_probe_at(&win.w, win.now), win.now + mrc_timing_software.probe_max)
        << "of the caller's own accord";
    win.send(3);
    EXPECT_EQ(mrc_tx_probe_at(&win.w, win.now), win.now + kQuiet) << "a packet";
}

TEST(TxProbe, EverySecondOneGoesByTheEvOfTheOldestPacket)
{
    Window win = withTail(3);
    mrc_tx_probe(&win.w, win.now);
    EXPECT_EQ(win.w.probe_ev, 1);
    mrc_tx_probe(&win.w, win.now);
    EXPECT_EQ(win.w.probe_ev, MRC_EV_NONE) << "that one may be dead";
    ASSERT_EQ(win.sack(1, {}, 1), 0);
    mrc_tx_probe(&win.w, win.now);
    EXPECT_EQ(win.w.probe_ev, 2);
    mrc_tx_forget_evs(&win.w);
    EXPECT_EQ(win.w.probe_ev, MRC_EV_NONE) << "it means another path now";
}

TEST(TxProbe, NoneGoesByAnEvThatIsKnownToBeSilent)
{
    Window win = withTail(3);
    mrc_evidence_set_silent(&win.w.evidence, 1, true);
    mrc_tx_probe(&win.w, win.now);
    EXPECT_EQ(win.w.probe_ev, MRC_EV_NONE);
}

/* Whatever the round trips are, and however little later the probe was sent. */
TEST(TxProbe, TheAnswerJudgesThePacketsOfItsEvExactly)
{
    Window win = withTail(2);
    win.now += kTick;
    const u16 id = mrc_tx_probe(&win.w, win.now);
    ASSERT_EQ(win.w.probe_ev, 1);
    win.now += kRtt / 8;
    ASSERT_EQ(win.answer(id, 0), 0);
    EXPECT_EQ(win.res.lost, 1u);
    EXPECT_EQ(win.nextLost(), 1u);
    EXPECT_FALSE(win.late(2) || win.lost(2) || win.mute(2));
}

/* It is no miss, because the EV has brought the probe: it is counted as overtaken. */
TEST(TxProbe, WhatItsAnswerShowsToBeLostOnItsOwnEvIsToldAsLost)
{
    Window win = withTail(2);
    win.now += kTick;
    const u16 id = mrc_tx_probe(&win.w, win.now);
    ASSERT_EQ(win.w.probe_ev, 1);
    win.now += kRtt;
    ASSERT_EQ(win.answer(id, 0), 0);
    EXPECT_EQ(win.res.lost, 1u);
    EXPECT_TRUE(win.lost(1));
    EXPECT_FALSE(win.mute(1));
}

TEST(TxProbe, OneOfAnEvThatIsForgottenJudgesNothingExactly)
{
    Window win = withTail(2);
    win.now += kTick;
    const u16 id = mrc_tx_probe(&win.w, win.now);
    mrc_tx_forget_evs(&win.w);
    win.now -= kTick; // a CPU took the time before the probe was sent, and got the lock after it
    win.send(1);      // another path
    win.now += kRtt / 8;
    ASSERT_EQ(win.answer(id, 0), 0);
    EXPECT_EQ(win.res.lost, 0u);
}

/* Retransmissions go in another traffic class. */
TEST(TxProbe, OfRetransmissionsOnItsEvTheAnswerSaysNothingExactly)
{
    Window win = withTail(1);
    win.again(1, 20);
    win.now += kTick;
    const u16 id = mrc_tx_probe(&win.w, win.now);
    ASSERT_EQ(win.w.probe_ev, 20);
    win.now += kRtt / 8;
    ASSERT_EQ(win.answer(id, 0), 0);
    EXPECT_EQ(win.res.lost, 0u);
}

/*
 * Packets on another EV may be in a longer queue: the sender waits for twice the time of that EV.
 */
TEST(TxProbe, TheAnswerShowsWhatIsTwiceAsLateAsItsEvTakes)
{
    for (const bool enough : {false, true}) {
        Window win = withRtt();
        win.send(5); // 1
        win.now += 2 * kRtt;
        ASSERT_EQ(win.sack(1, {}, 1), 0);
        win.send(5); // 2
        win.now += (enough ? 4 : 3) * kRtt;
        mrc_tx_probe(&win.w, win.now);
        const u16 id = mrc_tx_probe(&win.w, win.now);
        ASSERT_EQ(win.w.probe_ev, MRC_EV_NONE);
        win.now += kRtt;
        ASSERT_EQ(win.answer(id, 1), 0);
        EXPECT_EQ(win.res.lost, enough);
        EXPECT_EQ(win.mute(5), enough);
        EXPECT_FALSE(win.lost(5) || win.late(5));
    }
}

/*
 * A crowded network delays or drops everything: probes at the pace of earlier RTTs would crowd it
 * more.
 */
TEST(TxProbe, FewBetweenTimeoutsWhileAllIsInVain)
{
    Window win = withTail(2);
    const std::uint64_t timeout = win.w.rtt.retries.timeout_ns;
    win.w.rtt.retries.linear = 7;
    for (unsigned n = 0; n < 6; ++n) {
        const std::uint64_t deadline = mrc_tx_deadline(&win.w, win.now);
        unsigned probes = 0;
        for (std::uint64_t at; (at = mrc_tx_probe_at(&win.w, win.now)) && at < deadline; ++probes) {
            win.now = at;
            mrc_tx_probe(&win.w, win.now);
        }
        EXPECT_EQ(mrc_tx_in_vain(&win.w), n > 1);
        if (mrc_tx_in_vain(&win.w))
            EXPECT_LT(probes, 4u) << n;
        else
            EXPECT_GT(probes, 4u) << n;
        win.now = deadline;
        win.timeout();
        ASSERT_GT(win.res.lost, 0u);
        while (const auto psn = win.nextLost())
            mrc_tx_resend(&win.w, *psn, 3, win.now);
    }
    EXPECT_EQ(mrc_tx_probe_at(&win.w, win.now), win.now + timeout / 4);
    ASSERT_EQ(win.sack(1, {}, 1, true), 0);
    EXPECT_LT(mrc_tx_probe_at(&win.w, win.now), win.now + timeout / 4) << "news";
}

TEST(TxProbe, AnswerGivesOneRttSample)
{
    Window win = withTail(1);
    const u16 id = mrc_tx_probe(&win.w, win.now);
    win.now += 50 * kTick;
    ASSERT_EQ(win.answer(id, 1), 0);
    EXPECT_EQ(win.res.acked, 1u);
    EXPECT_EQ(win.res.rtt_ns, 50 * kTick);
    EXPECT_EQ(win.res.ev, MRC_EV_NONE);
    EXPECT_EQ(win.w.rtt.min_ns, 50 * kTick);
    ASSERT_EQ(win.answer(id, 1), 0);
    EXPECT_EQ(win.res.rtt_ns, 0u) << "answered twice";
}

TEST(TxProbe, TheNewestFewAreRemembered)
{
    Window win = withTail(1);
    std::vector<u16> ids;
    for (unsigned n = 0; n <= MRC_TX_PROBES_KEPT; ++n)
        ids.push_back(mrc_tx_probe(&win.w, win.now));
    EXPECT_EQ(std::set<u16>(ids.begin(), ids.end()).size(), ids.size());
    win.now += kRtt;
    for (unsigned n = 0; n <= MRC_TX_PROBES_KEPT; ++n) {
        ASSERT_EQ(win.answer(ids[n], 0), 0);
        EXPECT_EQ(win.res.rtt_ns, n ? kRtt : 0) << n;
    }
}

TEST(TxProbe, UnknownAnswerTellsOnlyWhatHasArrived)
{
    Window win = withTail(4);
    const u16 id = mrc_tx_probe(&win.w, win.now + kQuiet);
    win.now += kQuiet + kRtt;
    for (u16 wrong : {static_cast<u16>(id + 1), static_cast<u16>(id + MRC_TX_PROBES_KEPT),
                      static_cast<u16>(0), static_cast<u16>(id ^ 0x8000)}) {
        ASSERT_EQ(win.answer(wrong, 1, {3}), 0);
        EXPECT_EQ(win.res.rtt_ns, 0u);
        EXPECT_EQ(win.res.lost, 0u) << wrong;
    }
    EXPECT_EQ(win.w.inflight, 2u) << "1 and 3 have arrived";
}

TEST(TxProbe, NoAnswerBeforeTheProbeAndNoneAfterAges)
{
    Window win = withTail(1);
    u16 id = mrc_tx_probe(&win.w, win.now + kTick);
    ASSERT_EQ(win.answer(id, 0), 0);
    EXPECT_EQ(win.res.rtt_ns, 0u);
    id = mrc_tx_probe(&win.w, win.now);
    win.now += MRC_TX_INTERVAL_MAX_NS + 1;
    ASSERT_EQ(win.answer(id, 0), 0);
    EXPECT_EQ(win.res.rtt_ns, 0u);
    EXPECT_EQ(win.res.lost, 0u);
}

TEST(TxProbe, LostTailIsFoundInThreeRoundTrips)
{
    Window win = withTail(5);
    const std::uint64_t sent = win.now;
    win.now = mrc_tx_probe_at(&win.w, win.now);
    const u16 id = mrc_tx_probe(&win.w, win.now);
    win.now += kRtt;
    ASSERT_EQ(win.answer(id, 1, {4}), 0);
    EXPECT_EQ(win.res.acked, 2u);
    EXPECT_EQ(win.res.lost, 3u) << "2, 3 and 5, beyond all that has arrived";
    for (unsigned ev = 1; ev <= 5; ++ev)
        EXPECT_EQ(win.mute(ev), ev == 2 || ev == 3 || ev == 5) << ev;
    EXPECT_EQ(win.nextLost(), 2u);
    EXPECT_EQ(win.w.inflight, 0u);
    EXPECT_LE(win.now - sent, 3 * kRtt + mrc_timing_software.probe_slack);
    EXPECT_EQ(win.w.ring[2].retries, 0) << "no timeout";
}

TEST(TxProbe, WhatWasSentShortlyBeforeIsNotLost)
{
    Window win = withTail(1);
    win.now += kTick;
    win.send(2); // just as long before the probe as the reorder window
    const std::uint64_t at = win.now + kRtt / 4;
    win.now = at - kTick;
    win.send(3);
    const u16 id = mrc_tx_probe(&win.w, at);
    win.now = at + kTick;
    win.send(4); // after it
    win.now = at + kRtt;
    ASSERT_EQ(win.answer(id, 0), 0);
    EXPECT_EQ(win.res.lost, 1u);
    EXPECT_TRUE(win.lost(1));
    EXPECT_EQ(win.w.inflight, 3u);
}

TEST(TxProbe, PartsOfAnAnswerTellOfAllThatHasArrived)
{
    Window win = withTail(100);
    win.now += kQuiet;
    const u16 id = mrc_tx_probe(&win.w, win.now);
    win.now += kRtt;
    ASSERT_EQ(win.answer(id, 0, {2}, 2), 0);
    EXPECT_EQ(win.res.lost, 63u);
    EXPECT_EQ(win.res.rtt_ns, kRtt);
    win.now += kRtt;
    mrc_sack part{};
    part.probe = true;
    part.ack_offset = static_cast<s16>(id);
    part.sack_offset = 65;
    part.bitmap = 1;
    part.ooo_count = 2;
    ASSERT_EQ(win.apply(part), 0);
    EXPECT_EQ(win.res.acked, 1u);
    EXPECT_EQ(win.res.lost, 35u) << "now all is known";
    EXPECT_EQ(win.res.rtt_ns, 0u) << "one probe, one round trip";

    win.send(7);
    win.now += 100 * kRtt;
    ASSERT_EQ(win.apply(part), 0);
    EXPECT_EQ(win.res.lost, 0u) << "an answer that left nothing open was the last";
}

/* The SACKs of packets beyond the answer's bitmap were lost: that does not make these lost, too. */
TEST(TxProbe, WhatTheAnswerDoesNotShowIsNotLost)
{
    Window win = withTail(100);
    win.now += kQuiet;
    u16 id = mrc_tx_probe(&win.w, win.now);
    win.now += kRtt;
    ASSERT_EQ(win.answer(id, 0, {2, 60}, 20), 0);
    EXPECT_EQ(win.res.lost, 62u) << "up to 64 but for two";
    EXPECT_EQ(win.w.inflight, 36u);

    ASSERT_EQ(
        win.sack(0, {66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83}, 66),
        0);
    EXPECT_EQ(win.w.inflight, 18u);
    win.now += 4 * kRtt;
    id = mrc_tx_probe(&win.w, win.now);
    win.now += kRtt;
    ASSERT_EQ(win.answer(id, 0, {2, 60}, 20), 0);
    EXPECT_EQ(win.res.lost, 18u) << "nothing else has arrived, it says";
}

TEST(TxProbe, AnOlderAnswerSaysLessButNothingWrong)
{
    Window win = withTail(100);
    const u16 id = mrc_tx_probe(&win.w, win.now + kQuiet);
    win.now += kQuiet + kRtt;
    ASSERT_EQ(win.sack(70, {}, 70), 0);
    ASSERT_EQ(win.answer(id, 0, {}, 80), 0) << "its bitmap ends before what is known";
    EXPECT_EQ(win.res.lost, 0u);
    EXPECT_EQ(win.w.inflight, 30u);
    ASSERT_EQ(win.answer(id, 0), 0);
    EXPECT_EQ(win.res.lost, 0u);
}

TEST(TxProbe, TransmissionAfterTransmissionLostUsesUpTheRetries)
{
    Window win = withTail(1);
    unsigned timeouts = 0;
    unsigned found = 0;
    for (int n = 0; n < 1000 && !win.res.expired; ++n) {
        if (const std::uint64_t at = mrc_tx_probe_at(&win.w, win.now)) {
            win.now = at;
            const u16 id = mrc_tx_probe(&win.w, win.now);
            win.now += kRtt;
            ASSERT_EQ(win.answer(id, 0), 0);
            ASSERT_EQ(win.res.lost, 1u);
            ++found;
        } else {
            win.now = mrc_tx_deadline(&win.w, win.now);
            win.timeout();
            timeouts += win.res.lost;
        }
        if (win.nextLost())
            mrc_tx_resend(&win.w, 1, 1, win.now);
    }
    EXPECT_TRUE(win.res.expired) << "though every probe was answered";
    EXPECT_EQ(timeouts, 5u);
    EXPECT_EQ(found, 6 * MRC_TX_PROBE_ROUNDS);
}

TEST(TxProbe, AnswersThatShowNoLossAreNotCounted)
{
    Window win = withTail(1);
    for (unsigned n = 0; n < 2 * MRC_TX_PROBE_ROUNDS; ++n) {
        ASSERT_EQ(win.answer(mrc_tx_probe(&win.w, win.now), 0), 0);
        ASSERT_EQ(win.res.lost, 0u);
    }
    win.send(2);
    win.now = mrc_tx_probe_at(&win.w, win.now);
    const u16 id = mrc_tx_probe(&win.w, win.now);
    win.now += kRtt;
    ASSERT_EQ(win.answer(id, 0), 0);
    EXPECT_EQ(win.res.lost, 2u);
}

TEST(TxProbe, AnAcknowledgementEndsTheRoundsInVain)
{
    Window win = withTail(3);
    for (unsigned n = 0; n < 2 * MRC_TX_PROBE_ROUNDS; ++n) {
        if (n == MRC_TX_PROBE_ROUNDS) {
            EXPECT_EQ(mrc_tx_probe_at(&win.w, win.now), 0u);
            const u16 id = mrc_tx_probe(&win.w, win.now + kQuiet);
            win.now += kQuiet + kRtt;
            ASSERT_EQ(win.answer(id, 0), 0);
            EXPECT_EQ(win.res.lost, 0u) << "for whatever reason it was sent";
            EXPECT_EQ(win.res.rtt_ns, kRtt);
            ASSERT_EQ(win.sack(1, {}, 0), 0);
        }
        win.now = mrc_tx_probe_at(&win.w, win.now);
        ASSERT_NE(win.now, 0u) << n;
        const u16 id = mrc_tx_probe(&win.w, win.now);
        win.now += kRtt;
        ASSERT_EQ(win.answer(id, n < MRC_TX_PROBE_ROUNDS ? 0 : 1), 0);
        ASSERT_GT(win.res.lost, 0u);
        while (const auto psn = win.nextLost())
            mrc_tx_resend(&win.w, *psn, 1, win.now);
    }
}

TEST(TxTimeout, LinearThenExponentialThenExpired)
{
    const std::uint64_t t = 1000 * kTick;
    Window win(0, 128, t, 2, 2);
    win.send(3);
    // first transmission and four retries; the last is waited for like the one before it
    const std::uint64_t waits[] = {t, t, 2 * t, 4 * t, 4 * t};
    for (unsigned n = 0; n < std::size(waits); ++n) {
        EXPECT_EQ(mrc_tx_deadline(&win.w, win.now), win.now + waits[n]) << n;
        win.now += waits[n] - kTick;
        win.timeout();
        EXPECT_EQ(win.res.lost, 0u) << n;
        EXPECT_FALSE(win.res.expired);
        win.now += kTick;
        win.timeout();
        if (n + 1 == std::size(waits))
            break;
        EXPECT_EQ(win.res.lost, 1u) << n;
        EXPECT_TRUE(win.silent(3));
        EXPECT_FALSE(win.res.expired);
        EXPECT_EQ(mrc_tx_deadline(&win.w, win.now), 0u) << "nothing in flight";
        ASSERT_EQ(win.nextLost(), 0u);
        mrc_tx_resend(&win.w, 0, 3, win.now);
    }
    EXPECT_TRUE(win.res.expired);
}

/* The peer says that it is there, so it is not silent; but endless refusals are no better. */
TEST(TxTimeout, RefusalsAreBorneAsLongAsSilence)
{
    Window win(0, 128, kMs, 2, 1);
    win.send(1);
    const std::uint64_t start = win.now;
    for (unsigned n = 0; n < 10000; ++n) {
        win.now += kUs;
        ASSERT_EQ(win.nack(0), 0);
        if (win.res.expired)
            break;
        mrc_tx_resend(&win.w, 0, 1, win.now);
    }
    EXPECT_TRUE(win.res.expired);
    EXPECT_EQ(win.res.lost, 0u);
    EXPECT_GE(win.now - start, 4 * kMs) << "two timeouts, and one twice as long";
    EXPECT_LE(win.now - start, 4 * kMs + 10 * kUs);
}

TEST(TxTimeout, WhatIsAcknowledgedEndsTheRefusals)
{
    Window win(0, 128, kMs, 2, 1);
    win.send(1);
    win.send(1);
    for (unsigned n = 0; n < 3500; ++n) {
        win.now += kUs;
        ASSERT_EQ(win.nack(1), 0);
        ASSERT_FALSE(win.res.expired);
        mrc_tx_resend(&win.w, 1, 1, win.now);
    }
    ASSERT_EQ(win.sack(0, {}, 0), 0);
    win.now += 5 * kMs;
    ASSERT_EQ(win.nack(1), 0);
    EXPECT_FALSE(win.res.expired);
    EXPECT_EQ(win.w.refusals, 0u);
}

TEST(TxTimeout, NacksForEverWhereRetriesAreForEver)
{
    Window win(0, 128, kMs, 0, MRC_EXP_MAX);
    win.send(1);
    for (int i = 0; i < 300; ++i) {
        win.now += kUs;
        ASSERT_EQ(win.nack(0), 0);
        ASSERT_FALSE(win.res.expired);
        mrc_tx_resend(&win.w, 0, 1, win.now);
    }
}

TEST(TxTimeout, EachPacketHasItsOwnTime)
{
    Window win(0, 128, 10 * kMs);
    win.send(1);
    win.now += 4 * kMs;
    win.send(2);
    win.now += 6 * kMs;
    EXPECT_EQ(mrc_tx_deadline(&win.w, win.now), win.now);
    win.timeout();
    EXPECT_EQ(win.res.lost, 1u);
    EXPECT_EQ(win.nextLost(), 0u);
    const std::uint64_t next = mrc_tx_deadline(&win.w, win.now);
    EXPECT_GT(next, win.now + 4 * kMs - kTick);
    EXPECT_LT(next, win.now + 4 * kMs + kTick);
    win.now = next;
    win.timeout();
    EXPECT_EQ(win.res.lost, 1u);
}

TEST(TxTimeout, DeadlineIsALowerBoundThatFindsTheExactTime)
{
    Window win(0, 128, 10 * kMs);
    const std::uint32_t first = win.send(1);
    const std::uint64_t bound = mrc_tx_deadline(&win.w, win.now);
    EXPECT_EQ(bound, win.now + 10 * kMs);
    win.now += kMs;
    win.send(2);
    EXPECT_EQ(win.sack(first, {}, first), 0);
    EXPECT_EQ(mrc_tx_deadline(&win.w, win.now), bound) << "acknowledgements do not move it";
    win.now = bound;
    win.timeout();
    EXPECT_EQ(win.res.lost, 0u);
    EXPECT_GT(mrc_tx_deadline(&win.w, win.now), win.now);
    EXPECT_LT(mrc_tx_deadline(&win.w, win.now), win.now + kMs + kTick);

    EXPECT_EQ(win.sack(1, {}, 1), 0);
    EXPECT_EQ(mrc_tx_deadline(&win.w, win.now), 0u);
    win.now += kMs;
    win.send(3);
    EXPECT_EQ(mrc_tx_deadline(&win.w, win.now), win.now + 10 * kMs) << "afresh after idleness";
}

TEST(TxWrap, SendTimesOfATail)
{
    Window win = withRtt();
    win.now = (1ull << 40) - kRtt;
    win.send(1);
    win.send(2);
    win.now = mrc_tx_probe_at(&win.w, win.now); // the tick counter has wrapped since
    const u16 id = mrc_tx_probe(&win.w, win.now);
    win.now += kRtt;
    EXPECT_EQ(win.answer(id, 1), 0);
    EXPECT_EQ(win.res.rtt_ns, kRtt);
    EXPECT_EQ(win.res.lost, 1u);
}

TEST(TxWrap, ProbeIds)
{
    Window win = withTail(1);
    win.w.probe_id = 0xfffe;
    for (u16 want : {u16{0xffff}, u16{0}, u16{1}}) {
        EXPECT_EQ(mrc_tx_probe(&win.w, win.now), want);
        ASSERT_EQ(win.answer(want, 0), 0);
        EXPECT_NE(win.res.rtt_ns, 0u) << want;
    }
}
