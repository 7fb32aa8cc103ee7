// SPDX-License-Identifier: GPL-2.0-only
#include "core.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <set>
#include <vector>

namespace
{

constexpr std::uint64_t kUs = 1000;
constexpr std::uint64_t kMs = 1000 * kUs;
constexpr std::uint64_t kSec = 1000 * kMs;
/// One unit of the records' send time.
constexpr std::uint64_t kTick = MRC_TX_TICK_NS;
constexpr std::uint64_t kRtt = 400 * kTick;

struct Window {
    std::vector<mrc_tx_rec> ring;
    mrc_tx_window w;
    mrc_tx_result res;
    std::set<std::uint32_t> arrived;
    std::uint64_t now = 7 * kSec / kTick * kTick;

    explicit Window(std::uint32_t psn = 0, std::uint32_t size = 128,
                    std::uint64_t timeout = 100 * kMs, u8 linear = 2, u8 exp = 3)
        : ring(size)
    {
        const mrc_tx_cfg cfg = {.size = size, .timeout_ns = timeout, .linear = linear, .exp = exp};
        mrc_tx_window_init(&w, ring.data(), &cfg, psn);
    }

    std::uint32_t send(u16 ev, std::uint32_t cookie = 0)
    {
        return mrc_tx_send(&w, ev, cookie, now);
    }

    /// All that the peer has told of, its count of what lies beyond @p cack.
    u16 count(std::uint32_t cack, std::initializer_list<std::uint32_t> psns)
    {
        arrived.insert(psns.begin(), psns.end());
        std::erase_if(arrived, [=](std::uint32_t psn) { return mrc_psn_diff(psn, cack) <= 0; });
        return static_cast<u16>(arrived.size());
    }

    /// A SACK that says: all up to @p cack, and @p psns, of @p ooo beyond it (of those told of, if
    /// it is not given); caused by @p trigger.
    int sack(std::uint32_t cack, std::initializer_list<std::uint32_t> psns, std::uint32_t trigger,
             bool rtx = false, std::optional<u16> ooo = std::nullopt)
    {
        mrc_sack s{};
        s.ooo_count = ooo.value_or(count(cack, psns));
        s.cack_psn = cack;
        s.ack_offset = static_cast<s16>(mrc_psn_diff(trigger, cack));
        s.sack_offset = psns.size() ? static_cast<s16>(mrc_psn_diff(*psns.begin(), cack)) : 1;
        for (std::uint32_t psn : psns)
            s.bitmap |= 1ull << mrc_psn_diff(psn, *psns.begin());
        return mrc_tx_sack(&w, &s, rtx, now, &res);
    }

    std::optional<std::uint32_t> nextLost()
    {
        std::uint32_t psn;
        return mrc_tx_next_lost(&w, &psn) ? std::optional(psn) : std::nullopt;
    }

    void timeout() { mrc_tx_timeout(&w, now, &res); }

    /// The answer to probe @p id: all up to @p cack, and @p psns of @p ooo beyond it.
    int answer(u16 id, std::uint32_t cack, std::initializer_list<std::uint32_t> psns = {},
               u16 ooo = 0)
    {
        mrc_sack s{};
        s.probe = true;
        s.cack_psn = cack;
        s.ack_offset = static_cast<s16>(id);
        s.sack_offset = 1;
        for (std::uint32_t psn : psns)
            s.bitmap |= 1ull << (mrc_psn_diff(psn, cack) - 1);
        s.ooo_count = std::max<u16>(ooo, static_cast<u16>(psns.size()));
        return mrc_tx_sack(&w, &s, false, now, &res);
    }

    /// The EVs that the last call counted packets for.
    std::set<unsigned> ackedEvs() const
    {
        std::set<unsigned> evs;
        for (unsigned ev = 0; ev < MRC_EV_MAX; ++ev)
            if (test_bit(ev, res.acked_evs))
                evs.insert(ev);
        return evs;
    }

    /// A packet is held to be lost (by a NACK), and sent again on @p ev.
    void again(std::uint32_t psn, u16 ev)
    {
        now += 10 * kRtt;
        ASSERT_EQ(mrc_tx_nack(&w, psn, now, &res), 0);
        mrc_tx_resend(&w, psn, ev, now);
    }
};

/// A window that knows the RTT: a first packet, on EV 99, was acknowledged.
Window withRtt(std::uint32_t psn = 0)
{
    Window win(psn);
    win.send(99);
    win.now += kRtt;
    EXPECT_EQ(win.sack(psn, {}, psn), 0);
    EXPECT_EQ(win.w.min_rtt_ns, kRtt);
    return win;
}

/// A window with an RTT and @p n packets in flight that were sent just now, on EVs 1, 2, ...
Window withTail(unsigned n)
{
    Window win = withRtt();
    for (unsigned i = 1; i <= n; ++i)
        win.send(static_cast<u16>(i));
    return win;
}

/// How long to be silent before a probe, with an RTT and nothing unusual.
constexpr std::uint64_t kQuiet = 2 * kRtt + MRC_TX_PROBE_SLACK_NS;

bool lostEv(const mrc_tx_result &res, unsigned ev)
{
    return test_bit(ev, res.lost_evs);
}

} // namespace

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

    win.w.cfg.size = 64;
    EXPECT_EQ(mrc_tx_room(&win.w), 0u) << "shrunk below what is in flight";
    win.w.cfg.size = 1000;
    EXPECT_EQ(mrc_tx_room(&win.w), 4u) << "never more than there is memory for";
}

TEST(TxWindow, PsnWrapOverSeveralRings)
{
    Window win(0xfffff0, 128);
    for (std::uint32_t i = 0; i < 1000; ++i) {
        const std::uint32_t psn = win.send(static_cast<u16>(i % 4), i);
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
    const std::vector<mrc_tx_rec> ringBefore = win.ring;
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
        EXPECT_EQ(mrc_tx_sack(&win.w, &c.s, false, win.now, &win.res), -EINVAL) << c.what;
        EXPECT_EQ(std::memcmp(&win.w, &before, sizeof(before)), 0) << c.what;
        EXPECT_EQ(
            std::memcmp(win.ring.data(), ringBefore.data(), ringBefore.size() * sizeof(mrc_tx_rec)),
            0)
            << c.what;
        EXPECT_EQ(win.res.acked + win.res.lost, 0u);
        EXPECT_EQ(win.res.ev, MRC_EV_NONE);
        EXPECT_EQ(win.res.rtt_ns, 0u);
    }
    mrc_sack probe = {.probe = true, .ack_offset = 0x7fff, .cack_psn = 0xfffffc};
    EXPECT_EQ(mrc_tx_sack(&win.w, &probe, false, win.now, &win.res), 0)
        << "the offset of a probe's answer is the probe's number";
    EXPECT_EQ(win.res.acked, 1u);
    EXPECT_EQ(win.res.rtt_ns, 0u);
}

TEST(TxWindow, SackLongBehindIsHarmless)
{
    Window win(0x100000);
    win.send(0);
    mrc_sack s = {.cack_psn = mrc_psn_add(0x100001, -0x800000), .sack_offset = 63, .bitmap = ~0ull};
    EXPECT_EQ(mrc_tx_sack(&win.w, &s, false, win.now, &win.res), 0);
    EXPECT_EQ(win.res.acked, 0u);
    EXPECT_EQ(win.w.inflight, 1u);
}

/* There the serial order turns: what is behind must not be taken for what is ahead. */
TEST(TxWindow, BitmapHalfTheNumberSpaceBehindTouchesNothing)
{
    for (unsigned sent : {0u, 3u}) {
        for (s32 from : {-66, -64, -63, -1, 0, 1, 63}) {
            Window win(5);
            for (unsigned i = 0; i < sent; ++i)
                win.send(0);
            const mrc_sack s = {.cack_psn = mrc_psn_add(5 + sent, -0x800000 + from),
                                .bitmap = ~0ull >> (from < 0 ? 0 : from)};
            mrc_tx_sack(&win.w, &s, false, win.now, &win.res);
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
    EXPECT_EQ(win.w.min_rtt_ns, 20 * kTick);
    EXPECT_EQ(win.w.srtt_ns, 20 * kTick);
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
        ASSERT_EQ(mrc_tx_nack(&win.w, 1, win.now, &win.res), 0);
        mrc_tx_resend(&win.w, 1, 2, win.now);
        win.now += 3 * kRtt;
        EXPECT_EQ(win.sack(1, {}, 1, rtx), 0);
        EXPECT_EQ(win.res.acked, 1u);
        EXPECT_EQ(win.res.rtt_ns, rtx ? 3 * kRtt : 0);
        EXPECT_EQ(win.res.ev, rtx ? 2 : MRC_EV_NONE);
        EXPECT_EQ(win.res.spurious, !rtx) << "the first transmission did arrive";
    }
}

TEST(TxWindow, LateSackOfTheFirstTransmissionClearsItsEv)
{
    Window win = withRtt();
    win.send(5); // 1
    win.send(5); // 2
    win.now += kRtt;
    ASSERT_EQ(win.sack(0, {2}, 2), 0);
    ASSERT_TRUE(lostEv(win.res, 5));
    mrc_tx_resend(&win.w, 1, 6, win.now);
    ASSERT_EQ(win.sack(2, {}, 1, true), 0);
    EXPECT_FALSE(test_bit(5, win.res.cleared_evs)) << "that was the second";
    ASSERT_EQ(win.sack(2, {}, 1), 0);
    EXPECT_TRUE(test_bit(5, win.res.cleared_evs)) << "though acknowledged long since";
    EXPECT_TRUE(win.res.spurious);
}

TEST(TxWindow, SackOfThePacketThatHasThePsnAgainClearsNothing)
{
    constexpr std::uint32_t wrap = MRC_PSN_MASK + 1;
    Window win = withRtt();
    win.send(5); // 1
    win.send(5); // 2
    win.now += kRtt;
    ASSERT_EQ(win.sack(0, {2}, 2), 0);
    ASSERT_TRUE(lostEv(win.res, 5));
    mrc_tx_resend(&win.w, 1, 6, win.now);
    ASSERT_EQ(win.sack(2, {}, 1, true), 0);
    std::uint32_t last = 2;
    for (std::uint32_t sent = 0; sent < wrap - 2; ++sent) {
        last = win.send(7);
        if (!mrc_tx_room(&win.w) || sent == wrap - 3) {
            win.now += kRtt;
            ASSERT_EQ(win.sack(last, {}, last), 0);
        }
    }
    ASSERT_EQ(last, 0u);
    ASSERT_EQ(win.send(7), 1u);
    win.now += kRtt;
    ASSERT_EQ(win.sack(1, {}, 1), 0);
    EXPECT_FALSE(test_bit(5, win.res.cleared_evs)) << "16 million packets ago";
    EXPECT_FALSE(win.res.spurious);
}

TEST(TxWindow, NewestOfThosePsnsThatShareAPlaceIsRemembered)
{
    Window win = withRtt();
    for (std::uint32_t psn = 1; psn <= MRC_TX_GIVEN_UP + 2; ++psn)
        win.send(psn % 2 ? 5 : 6);
    win.now += kRtt;
    const std::uint32_t last = MRC_TX_GIVEN_UP + 2;
    ASSERT_EQ(win.sack(0, {last}, last), 0);
    ASSERT_TRUE(lostEv(win.res, 6));
    for (std::uint32_t psn = 2; psn < last; psn += 2)
        mrc_tx_resend(&win.w, psn, 7, win.now);
    ASSERT_EQ(win.sack(0, {last}, 2), 0);
    EXPECT_TRUE(test_bit(6, win.res.cleared_evs));
    ASSERT_EQ(win.sack(0, {last}, MRC_TX_GIVEN_UP), 0);
    EXPECT_TRUE(test_bit(6, win.res.cleared_evs)) << "of each that has a place of its own";
    ASSERT_EQ(win.sack(0, {last}, 2), 0);
    EXPECT_FALSE(test_bit(6, win.res.cleared_evs)) << "once";
}

TEST(TxWindow, NoSampleWhenTheFlagNamesAPacketThatWasNotResent)
{
    Window win = withRtt();
    win.send(1);
    win.now += kRtt;
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
        ASSERT_EQ(mrc_tx_nack(&win.w, 1, win.now, &win.res), 0);
        mrc_tx_resend(&win.w, 1, ev, win.now);
    }
    win.now += kRtt;
    EXPECT_EQ(win.sack(1, {}, 1, true), 0);
    EXPECT_EQ(win.res.rtt_ns, 0u) << "nobody knows which of two it answers";
    EXPECT_EQ(win.res.ev, MRC_EV_NONE);
}

TEST(TxWindow, HoleIsLostWhenALaterPacketOfTheSameEvArrived)
{
    Window win = withRtt();
    for (u16 ev : {u16{5}, u16{6}, u16{5}, u16{6}})
        win.send(ev); // 1 .. 4
    win.now += kRtt;
    EXPECT_EQ(win.sack(0, {3}, 3), 0);
    EXPECT_EQ(win.res.lost, 1u);
    EXPECT_TRUE(lostEv(win.res, 5));
    EXPECT_FALSE(lostEv(win.res, 6));
    EXPECT_EQ(win.nextLost(), 1u);
    EXPECT_EQ(win.w.inflight, 2u);
}

/* Of 100 packets on one EV all but one arrive. The SACK of the first ones is lost. */
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
    EXPECT_TRUE(lostEv(win.res, 5));
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

/* It only counts what was ever sent: a peer that says more is a peer that does not count. */
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
    ASSERT_EQ(mrc_tx_sack(&win.w, &low, false, win.now, &win.res), 0);
    EXPECT_EQ(win.res.acked, 62u);
    EXPECT_EQ(win.res.lost, 2u) << "1 and 10";
    EXPECT_EQ(win.nextLost(), 1u);

    /* The cumulative PSN goes on, nothing is beyond it: older SACKs than this are known by it. */
    ASSERT_EQ(win.sack(99, {}, 99, false, 0), 0);
    ASSERT_EQ(win.sack(80, {111, 120}, 120, false, 0), 0);
    EXPECT_EQ(win.res.acked, 2u);
    EXPECT_EQ(win.res.lost, 0u);
}

/* Several SACKs of a batch of arrivals come in the wrong order, and none of them counts. */
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
            ASSERT_EQ(mrc_tx_sack(&win.w, &sack, rtx, win.now, &win.res), 0);
            lost += win.res.lost;
        }
    }
    EXPECT_EQ(win.w.inflight + win.w.lost, 1u) << "all the others are known of";
    EXPECT_LE(lost, 1u) << "the first, at most";
}

/* However long a peer tells of nothing beyond the cumulative PSN. */
TEST(TxWindow, WhatASackToldLongAgoIsNotAheadAgain)
{
    Window win = withRtt();
    for (std::uint32_t n = 0; n < (1u << 23) + 10; n += 100) {
        for (int i = 0; i < 100; ++i)
            win.send(5);
        ASSERT_EQ(mrc_tx_ack(&win.w, mrc_psn_add(win.w.nxt, -1), win.now, &win.res), 0);
    }
    const std::uint32_t cack = mrc_psn_add(win.w.una, -1);
    win.send(5);
    const std::uint32_t later = win.send(5);
    ASSERT_EQ(win.sack(cack, {later}, later, false, 1), 0);
    EXPECT_EQ(win.res.lost, 1u);
}

TEST(TxWindow, HoleIsNotLostByAnotherEvWithinTheReorderWindow)
{
    Window win = withRtt();
    win.send(5); // 1
    win.now += kRtt / 4;
    win.send(6); // 2
    win.now += kTick;
    win.send(7); // 3
    win.now += kRtt;
    EXPECT_EQ(win.sack(0, {2}, 2), 0);
    EXPECT_EQ(win.res.lost, 0u);
    EXPECT_EQ(win.sack(0, {2, 3}, 3), 0);
    EXPECT_EQ(win.res.lost, 1u) << "sent more than a quarter of the RTT later";
    EXPECT_TRUE(lostEv(win.res, 5));
}

TEST(TxWindow, NothingIsInferredByTimeBeforeTheFirstSample)
{
    Window win;
    win.send(1);
    win.now += kSec / 100;
    win.send(2);
    const mrc_sack s = {.ack_offset = -100, .cack_psn = 0xffffff, .sack_offset = 2, .bitmap = 1};
    EXPECT_EQ(mrc_tx_sack(&win.w, &s, false, win.now, &win.res), 0);
    EXPECT_EQ(win.res.acked, 1u);
    EXPECT_EQ(win.res.lost, 0u);
}

TEST(TxWindow, RetransmissionGetsAFreshEvAndOldestGoesFirst)
{
    Window win = withRtt();
    for (int i = 0; i < 10; ++i)
        win.send(static_cast<u16>(i % 2), static_cast<std::uint32_t>(40 + i)); // 1 .. 10
    win.now += kRtt;
    EXPECT_EQ(win.sack(0, {9, 10}, 10), 0);
    EXPECT_EQ(win.res.lost, 8u);
    for (std::uint32_t want = 1; want <= 8; ++want) {
        std::uint32_t psn;
        const mrc_tx_rec *rec = mrc_tx_next_lost(&win.w, &psn);
        ASSERT_TRUE(rec);
        EXPECT_EQ(psn, want);
        EXPECT_EQ(rec->cookie, 39 + want);
        mrc_tx_resend(&win.w, psn, 77, win.now);
        EXPECT_EQ(rec->ev, 77);
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
        ASSERT_EQ(mrc_tx_nack(&win.w, psn, win.now, &win.res), 0);
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
    ASSERT_EQ(mrc_tx_nack(&win.w, 5, win.now, &win.res), 0);
    ASSERT_EQ(mrc_tx_nack(&win.w, 6, win.now, &win.res), 0);
    win.now += kRtt;
    EXPECT_EQ(win.sack(0, {3}, 3), 0);
    EXPECT_EQ(win.res.lost, 1u);
    EXPECT_EQ(win.nextLost(), 1u);
}

TEST(TxWindow, TriggerOutsideTheBitmapIsNoEvidenceAgainstItself)
{
    Window win = withRtt();
    win.send(5); // 1
    win.send(6); // 2
    win.now += kRtt;
    ASSERT_EQ(mrc_tx_nack(&win.w, 1, win.now, &win.res), 0);
    mrc_tx_resend(&win.w, 1, 7, win.now);
    win.now += kRtt / 8;
    EXPECT_EQ(win.sack(0, {2}, 1, true), 0);
    EXPECT_EQ(win.res.acked, 1u);
    EXPECT_EQ(win.res.lost, 0u);
    EXPECT_EQ(win.w.inflight, 1u);
}

TEST(TxWindow, ResendOfWhatIsNotLostIsRefused)
{
    Window win;
    win.send(1);
    mrc_tx_resend(&win.w, 0, 2, win.now);
    mrc_tx_resend(&win.w, 1, 2, win.now);
    mrc_tx_resend(&win.w, 0xffffff, 2, win.now);
    EXPECT_EQ(win.w.inflight, 1u);
    EXPECT_EQ(win.w.seq, 1u);
    EXPECT_EQ(win.ring[0].ev, 1);
}

TEST(TxWindow, LostRetransmissionIsInferredToo)
{
    Window win = withRtt();
    win.send(5); // 1
    win.send(5); // 2
    win.now += kRtt;
    EXPECT_EQ(win.sack(0, {2}, 2), 0);
    ASSERT_EQ(win.nextLost(), 1u);
    mrc_tx_resend(&win.w, 1, 6, win.now);
    win.send(6); // 3
    win.now += kRtt;
    EXPECT_EQ(win.sack(0, {2, 3}, 3), 0);
    EXPECT_EQ(win.res.lost, 1u);
    EXPECT_TRUE(lostEv(win.res, 6));
    EXPECT_EQ(win.nextLost(), 1u);
}

/// A first transmission, on EV 7, waits in a queue that a retransmission, sent later, overtakes.
Window overtaken()
{
    Window win = withRtt();
    win.send(5); // 1
    win.send(5); // 2
    win.send(7); // 3
    win.now += kRtt;
    EXPECT_EQ(win.sack(0, {2}, 2), 0);
    EXPECT_EQ(win.res.lost, 1u);
    mrc_tx_resend(&win.w, 1, 7, win.now);
    win.now += kRtt;
    EXPECT_EQ(win.sack(2, {}, 1, true), 0);
    return win;
}

TEST(TxWindow, RetransmissionIsNoEvidenceAgainstFirstTransmissions)
{
    Window win = overtaken();
    EXPECT_EQ(win.res.lost, 0u);
    win.now += kRtt;
    EXPECT_EQ(win.sack(3, {}, 3), 0) << "it was late";
    EXPECT_FALSE(win.res.spurious);
}

TEST(TxWindow, RetransmissionIsEvidenceAgainstOlderRetransmissions)
{
    Window win = withRtt();
    for (u16 ev : {u16{5}, u16{5}, u16{6}, u16{6}})
        win.send(ev); // 1 to 4
    win.now += kRtt;
    ASSERT_EQ(win.sack(0, {2, 4}, 4), 0);
    ASSERT_EQ(win.res.lost, 2u);
    mrc_tx_resend(&win.w, 3, 7, win.now);
    win.now += kRtt;
    mrc_tx_resend(&win.w, 1, 8, win.now);
    win.now += kRtt;
    EXPECT_EQ(win.sack(2, {4}, 1, true), 0);
    EXPECT_EQ(win.res.lost, 1u);
    EXPECT_TRUE(lostEv(win.res, 7)) << "sent a round trip before, and as fast";
}

TEST(TxWindow, FirstTransmissionIsEvidenceAgainstOlderRetransmissions)
{
    Window win = withRtt();
    win.send(5); // 1
    win.send(5); // 2
    win.now += kRtt;
    ASSERT_EQ(win.sack(0, {2}, 2), 0);
    mrc_tx_resend(&win.w, 1, 7, win.now);
    const std::uint32_t later = win.send(7);
    win.now += kRtt;
    EXPECT_EQ(win.sack(0, {2, later}, later), 0);
    EXPECT_EQ(win.res.lost, 1u);
    EXPECT_TRUE(lostEv(win.res, 7)) << "it would have come first";
}

TEST(TxWindow, ResentPacketWithoutItsOwnSackIsNoEvidence)
{
    Window win = withRtt();
    win.send(5); // 1
    win.send(6); // 2
    win.now += kRtt;
    ASSERT_EQ(mrc_tx_nack(&win.w, 1, win.now, &win.res), 0);
    mrc_tx_resend(&win.w, 1, 6, win.now);
    EXPECT_EQ(win.sack(1, {}, 0), 0) << "either transmission of 1 may have arrived";
    EXPECT_EQ(win.res.acked, 1u);
    EXPECT_EQ(win.res.lost, 0u);
}

TEST(TxWindow, SpuriousLossGrowsTheSlackOfItsRule)
{
    Window win = withRtt();
    win.send(5); // 1
    win.send(5); // 2
    win.now += kRtt;
    EXPECT_EQ(win.sack(0, {2}, 2), 0);
    ASSERT_EQ(win.res.lost, 1u);
    EXPECT_EQ(win.sack(2, {}, 1), 0) << "the packet was only late";
    EXPECT_TRUE(win.res.spurious);
    EXPECT_EQ(win.w.ev_slack_ns, kRtt / 4);
    EXPECT_EQ(win.w.reorder_ns, 0u);
    EXPECT_EQ(win.w.lost, 0u);

    win.send(5); // 3
    win.send(5); // 4
    win.now += kRtt;
    EXPECT_EQ(win.sack(2, {4}, 4), 0);
    EXPECT_EQ(win.res.lost, 0u) << "tolerated now";
}

/* A packet each second, and its SACK at once. */
void halfAMinuteOfPeace(Window &win)
{
    for (int i = 0; i < 30; ++i) {
        win.now += kSec;
        const std::uint32_t sent = win.send(1);
        win.now += kRtt;
        EXPECT_EQ(win.sack(sent, {}, sent), 0);
    }
}

/* Paths are gone, and the others take their load: each packet waits longer than any before. */
TEST(TxWindow, AQueueThatGrowsIsNoLoss)
{
    Window win = withRtt();
    win.send(5); // 1
    win.now += 5 * kRtt;
    EXPECT_EQ(win.sack(1, {}, 1), 0) << "this path is four round trips behind";
    win.send(5); // 2
    win.now += 5 * kRtt;
    win.send(6); // 3
    win.now += kRtt;
    EXPECT_EQ(win.sack(1, {3}, 3), 0);
    EXPECT_EQ(win.res.lost, 0u) << "five are no surprise then";
    win.now += kRtt;
    win.send(6); // 4
    win.now += kRtt;
    EXPECT_EQ(win.sack(1, {3, 4}, 4), 0);
    EXPECT_EQ(win.res.lost, 1u) << "seven are";
}

/* A path that stands still is seen by the packets of others: these are fast. */
TEST(TxWindow, FastPathsDoNotShrinkWhatIsTolerated)
{
    for (u8 why : {u8{10}, u8{0}}) { // another EV's packet overtakes, or one of the same EV
        Window win = withRtt();
        for (int i = 0; i < 300; ++i) {
            const std::uint32_t sent = win.send(5);
            win.now += kRtt;
            EXPECT_EQ(win.sack(sent, {}, sent), 0);
        }
        win.w.reorder_ns = 16 * kRtt;
        win.w.ev_slack_ns = 16 * kRtt;
        const std::uint32_t late = win.send(5);
        win.now += 40 * kRtt;
        const std::uint32_t fast = win.send(static_cast<u16>(5 + why));
        win.now += kRtt;
        EXPECT_EQ(win.sack(late - 1, {fast}, fast), 0);
        ASSERT_EQ(win.res.lost, 1u);
        EXPECT_EQ(win.sack(fast, {}, late), 0);
        EXPECT_TRUE(win.res.spurious);
        EXPECT_GE(win.w.reorder_ns, 16 * kRtt);
        EXPECT_GE(win.w.ev_slack_ns, 16 * kRtt);
    }
}

TEST(TxWindow, ReorderWindowGrowsToItsCapAndDecays)
{
    Window win = withRtt();
    std::uint64_t last = kRtt / 4;
    std::uint32_t psn = 1;
    for (int i = 0; i < 8; ++i, psn += 2) {
        win.send(static_cast<u16>(10 + 2 * i));
        win.now += 5 * kRtt;
        win.send(static_cast<u16>(11 + 2 * i));
        win.now += kRtt;
        EXPECT_EQ(win.sack(psn - 1, {psn + 1}, psn + 1), 0);
        if (!win.res.lost)
            break;
        win.now += kRtt;
        EXPECT_EQ(win.sack(psn + 1, {}, psn), 0);
        EXPECT_TRUE(win.res.spurious);
        EXPECT_GE(win.w.reorder_ns, last);
        last = win.w.reorder_ns;
    }
    EXPECT_GE(last, 4 * kRtt);
    EXPECT_LE(last, std::max(4 * win.w.min_rtt_ns, 2 * win.w.srtt_ns));

    halfAMinuteOfPeace(win);
    EXPECT_EQ(win.w.reorder_ns, 0u);
    EXPECT_EQ(win.w.ev_slack_ns, 0u);
    EXPECT_EQ(win.w.decay_at_ns, 0u);
}

TEST(TxWindow, EvSlackIsCappedAtTheSmallestRtt)
{
    Window win = withRtt();
    win.w.ev_slack_ns = kRtt;
    win.send(5); // 1
    win.now += kRtt;
    win.send(5); // 2
    win.now += kRtt;
    EXPECT_EQ(win.sack(0, {2}, 2), 0);
    ASSERT_EQ(win.res.lost, 1u);
    EXPECT_EQ(win.sack(2, {}, 1), 0);
    EXPECT_EQ(win.w.ev_slack_ns, kRtt);
}

TEST(TxWindow, NackIsAnsweredWithoutBlame)
{
    Window win = withRtt();
    win.send(5); // 1
    win.send(6); // 2
    EXPECT_EQ(mrc_tx_nack(&win.w, 3, win.now, &win.res), -EINVAL) << "never sent";
    EXPECT_EQ(mrc_tx_nack(&win.w, 0, win.now, &win.res), -EALREADY) << "acknowledged";
    EXPECT_EQ(mrc_tx_nack(&win.w, 1, win.now, &win.res), 0);
    EXPECT_EQ(win.res.ev, 5);
    EXPECT_EQ(win.res.lost, 1u);
    EXPECT_FALSE(lostEv(win.res, 5));
    EXPECT_EQ(mrc_tx_nack(&win.w, 1, win.now, &win.res), -EALREADY) << "waits already";
    EXPECT_EQ(win.w.lost, 1u);

    mrc_tx_resend(&win.w, 1, 7, win.now);
    win.now += kRtt / 2;
    EXPECT_EQ(mrc_tx_nack(&win.w, 1, win.now, &win.res), -EALREADY) << "of the first time";
    win.now += kRtt;
    EXPECT_EQ(mrc_tx_nack(&win.w, 1, win.now, &win.res), 0);
    EXPECT_EQ(win.res.ev, 7);
    EXPECT_EQ(win.ring[1].retries, 0) << "that is no timeout";

    EXPECT_EQ(win.sack(0, {2}, 2), 0);
    EXPECT_EQ(mrc_tx_nack(&win.w, 2, win.now, &win.res), -EALREADY) << "acknowledged by bitmap";
}

TEST(TxWindow, TransportAckCoversArrival)
{
    Window win;
    for (int i = 0; i < 5; ++i)
        win.send(static_cast<u16>(i));
    EXPECT_EQ(mrc_tx_ack(&win.w, 5, win.now, &win.res), -EINVAL);
    EXPECT_EQ(win.w.una, 0u);
    EXPECT_EQ(mrc_tx_ack(&win.w, 2, win.now, &win.res), 0);
    EXPECT_EQ(win.res.acked, 3u);
    EXPECT_EQ(win.w.una, 3u);
    EXPECT_EQ(mrc_tx_ack(&win.w, 1, win.now, &win.res), 0);
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
    mrc_tx_lose_evs(&win.w, evs, false, &win.res);
    EXPECT_EQ(win.res.lost, 5u);
    EXPECT_EQ(win.w.inflight, 6u);
    EXPECT_EQ(win.nextLost(), 2u);
    mrc_tx_lose_evs(&win.w, evs, false, &win.res);
    EXPECT_EQ(win.res.lost, 0u);
}

TEST(TxWindow, ForgottenEvsAreNotBlamed)
{
    Window win = withRtt();
    win.send(5); // 1
    win.send(5); // 2
    win.send(6); // 3
    win.now += kRtt;
    mrc_tx_forget_evs(&win.w);
    win.send(5); // 4, another path now
    EXPECT_EQ(win.sack(0, {2}, 2), 0);
    EXPECT_EQ(win.res.lost, 0u);
    EXPECT_EQ(win.res.ev, MRC_EV_NONE);
    win.now += kRtt;
    EXPECT_EQ(win.sack(0, {2, 4}, 4), 0);
    EXPECT_EQ(win.res.lost, 2u) << "by time";
    EXPECT_EQ(win.res.ev, 5);
    for (unsigned ev = 0; ev < MRC_EV_MAX; ++ev)
        EXPECT_FALSE(lostEv(win.res, ev));
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
    mrc_tx_lose_evs(&win.w, evs, false, &win.res);
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
    mrc_tx_lose_evs(&win.w, evs, true, &win.res);
    EXPECT_EQ(win.res.lost, 1u);
    EXPECT_EQ(win.nextLost(), 1u);
    for (unsigned ev = 0; ev < MRC_EV_MAX; ++ev)
        EXPECT_FALSE(lostEv(win.res, ev)) << ev;
}

TEST(TxAcked, EveryWayToBeAcknowledgedCountsOnce)
{
    Window win;
    for (u16 ev : {u16{5}, u16{5}, u16{6}, u16{7}, u16{6}, u16{6}, u16{8}, u16{MRC_EV_NONE}})
        win.send(ev); // 0 .. 7
    ASSERT_EQ(win.sack(1, {4}, 4), 0);
    EXPECT_EQ(win.ackedEvs(), (std::set<unsigned>{5, 6}));
    EXPECT_EQ(mrc_tx_take_acked(&win.w, 5), 2u) << "cumulative PSN";
    EXPECT_EQ(mrc_tx_take_acked(&win.w, 5), 0u) << "taken";
    EXPECT_EQ(mrc_tx_take_acked(&win.w, 6), 1u) << "bitmap";
    EXPECT_EQ(mrc_tx_take_acked(&win.w, 7), 0u);

    ASSERT_EQ(win.sack(1, {4}, 4), 0);
    EXPECT_EQ(win.ackedEvs(), std::set<unsigned>{});
    ASSERT_EQ(mrc_tx_ack(&win.w, 5, win.now, &win.res), 0);
    EXPECT_EQ(win.ackedEvs(), (std::set<unsigned>{6, 7}));
    EXPECT_EQ(mrc_tx_take_acked(&win.w, 6), 2u) << "transport ACK";
    EXPECT_EQ(mrc_tx_take_acked(&win.w, 7), 1u);

    ASSERT_EQ(win.sack(7, {}, 7), 0);
    EXPECT_EQ(win.res.acked, 2u);
    EXPECT_EQ(win.ackedEvs(), std::set<unsigned>{8}) << "the other one had none";
    for (u16 ev : {u16{MRC_EV_MAX}, u16{MRC_EV_NONE}})
        EXPECT_EQ(mrc_tx_take_acked(&win.w, ev), 0u);
}

TEST(TxAcked, AnswerToAProbeCountsToo)
{
    Window win = withTail(3);
    ASSERT_EQ(win.answer(77, 1, {3}), 0);
    EXPECT_EQ(win.ackedEvs(), (std::set<unsigned>{1, 3}));
}

TEST(TxAcked, LateArrivalOfAPacketNotSentAgainCounts)
{
    Window win = withTail(1);
    ASSERT_EQ(mrc_tx_nack(&win.w, 1, win.now, &win.res), 0);
    ASSERT_EQ(win.sack(1, {}, 1), 0);
    EXPECT_EQ(win.ackedEvs(), std::set<unsigned>{1});
}

TEST(TxAcked, RetransmissionCountsIfItsOwnSackTells)
{
    Window win = withTail(1);
    win.again(1, 20);
    ASSERT_EQ(win.sack(1, {}, 1, true), 0);
    EXPECT_EQ(win.ackedEvs(), std::set<unsigned>{20});
    EXPECT_EQ(mrc_tx_take_acked(&win.w, 20), 1u);
    EXPECT_EQ(mrc_tx_take_acked(&win.w, 1), 0u);
}

TEST(TxAcked, WhatMayBeEitherTransmissionCountsForNone)
{
    Window covered = withTail(2);
    covered.again(1, 20);
    ASSERT_EQ(covered.sack(2, {}, 2), 0) << "the SACK of another packet";
    EXPECT_EQ(covered.ackedEvs(), std::set<unsigned>{2});

    Window first = withTail(1);
    first.again(1, 20);
    ASSERT_EQ(first.sack(1, {}, 1), 0) << "the first transmission's";
    EXPECT_EQ(first.res.acked, 1u);
    EXPECT_EQ(first.ackedEvs(), std::set<unsigned>{});

    Window thrice = withTail(1);
    thrice.again(1, 20);
    thrice.again(1, 21);
    ASSERT_EQ(thrice.sack(1, {}, 1, true), 0) << "the second's or the third's";
    EXPECT_EQ(thrice.res.acked, 1u);
    EXPECT_EQ(thrice.ackedEvs(), std::set<unsigned>{});
}

TEST(TxAcked, ATriggerThatIsNotAcknowledgedYetCountsWhenItIs)
{
    Window win = withTail(2);
    win.again(1, 20);
    for (int i = 0; i < 2; ++i) {
        ASSERT_EQ(win.sack(0, {}, 1, true), 0);
        EXPECT_EQ(win.ackedEvs(), std::set<unsigned>{});
    }
    ASSERT_EQ(win.sack(2, {}, 2), 0);
    EXPECT_EQ(win.ackedEvs(), (std::set<unsigned>{2, 20}));
    EXPECT_EQ(mrc_tx_take_acked(&win.w, 20), 1u);

    Window more = withTail(1);
    more.again(1, 20);
    ASSERT_EQ(more.sack(0, {}, 1, true), 0);
    more.again(1, 21);
    ASSERT_EQ(more.sack(1, {}, 0), 0);
    EXPECT_EQ(more.ackedEvs(), std::set<unsigned>{}) << "sent again since";
}

TEST(TxAcked, ForgottenWithTheEvs)
{
    Window win = withTail(2);
    ASSERT_EQ(win.sack(1, {}, 1), 0);
    mrc_tx_forget_evs(&win.w);
    EXPECT_EQ(mrc_tx_take_acked(&win.w, 1), 0u);
    ASSERT_EQ(win.sack(2, {}, 2), 0);
    EXPECT_EQ(win.res.acked, 1u);
    EXPECT_EQ(win.ackedEvs(), std::set<unsigned>{});
}

TEST(TxProbe, NoneWithoutNeed)
{
    Window win;
    EXPECT_EQ(mrc_tx_probe_at(&win.w, win.now), 0u) << "nothing in flight";
    win.send(1);
    EXPECT_EQ(mrc_tx_probe_at(&win.w, win.now), win.now + 50 * kMs)
        << "no RTT is known: half of a timeout";
    win.now += kRtt;
    ASSERT_EQ(win.sack(0, {}, 0), 0);
    EXPECT_EQ(mrc_tx_probe_at(&win.w, win.now + kSec), 0u) << "nothing in flight";
    win.send(1);
    EXPECT_NE(mrc_tx_probe_at(&win.w, win.now), 0u);
    ASSERT_EQ(mrc_tx_nack(&win.w, 1, win.now, &win.res), 0);
    EXPECT_EQ(mrc_tx_probe_at(&win.w, win.now), 0u) << "it waits here, not on the way";
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
    const std::uint64_t quiet = 2 * win.w.srtt_ns + MRC_TX_PROBE_SLACK_NS;
    EXPECT_EQ(mrc_tx_probe_at(&win.w, win.now), win.now + quiet) << "an acknowledgement";
    win.now += kRtt / 2;
    ASSERT_EQ(win.sack(1, {}, 1), 0);
    EXPECT_EQ(mrc_tx_probe_at(&win.w, win.now), since + kRtt / 2 + quiet) << "that is no news";
    ASSERT_EQ(mrc_tx_ack(&win.w, 2, win.now, &win.res), 0);
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
    win.w.reorder_ns = 3 * kRtt;
    EXPECT_EQ(mrc_tx_probe_at(&win.w, win.now), win.now + 3 * kRtt + MRC_TX_PROBE_SLACK_NS);
}

TEST(TxProbe, FewerAndFewerWithoutNews)
{
    Window win = withTail(2);
    for (unsigned n = 0; n < MRC_TX_PROBES_MAX; ++n) {
        const std::uint64_t wait =
            n < MRC_TX_PROBES_EVEN ? kQuiet : kQuiet << (n - MRC_TX_PROBES_EVEN + 1);
        ASSERT_EQ(mrc_tx_probe_at(&win.w, win.now), win.now + wait) << n;
        win.now += wait;
        mrc_tx_probe(&win.w, win.now);
    }
    EXPECT_EQ(mrc_tx_probe_at(&win.w, win.now), 0u);
    EXPECT_NE(mrc_tx_deadline(&win.w, win.now), 0u) << "the timeout decides";
    ASSERT_EQ(win.sack(0, {}, 0), 0);
    EXPECT_EQ(mrc_tx_probe_at(&win.w, win.now), 0u) << "no news";

    ASSERT_EQ(win.sack(1, {}, 1), 0);
    EXPECT_NE(mrc_tx_probe_at(&win.w, win.now), 0u) << "an acknowledgement";
    for (unsigned n = 0; n < MRC_TX_PROBES_MAX; ++n)
        mrc_tx_probe(&win.w, win.now);
    EXPECT_EQ(mrc_tx_probe_at(&win.w, win.now), 0u);
    win.send(3);
    EXPECT_NE(mrc_tx_probe_at(&win.w, win.now), 0u) << "a packet";
    for (unsigned n = 0; n < 256; ++n)
        mrc_tx_probe(&win.w, win.now);
    EXPECT_EQ(mrc_tx_probe_at(&win.w, win.now), 0u) << "of the caller's own accord";
}

/* A crowded network delays or drops all: probes by what RTTs once were would crowd it more. */
TEST(TxProbe, FewBetweenTimeoutsWhileAllIsInVain)
{
    Window win = withTail(2);
    const std::uint64_t timeout = win.w.cfg.timeout_ns;
    win.w.cfg.linear = 7;
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
    EXPECT_EQ(win.w.min_rtt_ns, 50 * kTick);
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
        EXPECT_EQ(lostEv(win.res, ev), ev == 2 || ev == 3 || ev == 5) << ev;
    EXPECT_EQ(win.nextLost(), 2u);
    EXPECT_EQ(win.w.inflight, 0u);
    EXPECT_LE(win.now - sent, 3 * kRtt + MRC_TX_PROBE_SLACK_NS);
    EXPECT_EQ(win.ring[2].retries, 0) << "no timeout";
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
    EXPECT_TRUE(lostEv(win.res, 1));
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
    ASSERT_EQ(mrc_tx_sack(&win.w, &part, false, win.now, &win.res), 0);
    EXPECT_EQ(win.res.acked, 1u);
    EXPECT_EQ(win.res.lost, 35u) << "now all is known";
    EXPECT_EQ(win.res.rtt_ns, 0u) << "one probe, one round trip";

    win.send(7);
    win.now += 100 * kRtt;
    ASSERT_EQ(mrc_tx_sack(&win.w, &part, false, win.now, &win.res), 0);
    EXPECT_EQ(win.res.lost, 0u) << "an answer that left nothing open was the last";
}

/* The SACKs of what lies beyond the answer's bitmap were lost: that is not lost, too. */
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

TEST(TxProbe, LateTailAfterAllGrowsTheReorderWindow)
{
    Window win = withTail(2);
    win.now += kQuiet;
    const u16 id = mrc_tx_probe(&win.w, win.now);
    win.now += kRtt;
    ASSERT_EQ(win.answer(id, 1), 0);
    ASSERT_EQ(win.res.lost, 1u);
    ASSERT_EQ(win.sack(2, {}, 2), 0);
    EXPECT_TRUE(win.res.spurious);
    EXPECT_TRUE(test_bit(2, win.res.cleared_evs));
    EXPECT_GT(win.w.reorder_ns, kRtt / 4);
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

TEST(TxInterval, LinearThenDoubling)
{
    const mrc_tx_cfg cfg = {.size = 128, .timeout_ns = 1000, .linear = 3, .exp = 4};
    const std::uint64_t want[] = {1000, 1000, 1000, 2000, 4000, 8000, 16000, 0, 0};
    for (unsigned n = 0; n < std::size(want); ++n)
        EXPECT_EQ(mrc_tx_interval(&cfg, n), want[n]) << n;
}

TEST(TxInterval, WithoutLinearRetriesTheFirstIsNotDoubled)
{
    const mrc_tx_cfg cfg = {.size = 128, .timeout_ns = 1000, .linear = 0, .exp = 3};
    const std::uint64_t want[] = {1000, 2000, 4000, 0};
    for (unsigned n = 0; n < std::size(want); ++n)
        EXPECT_EQ(mrc_tx_interval(&cfg, n), want[n]) << n;
    const mrc_tx_cfg none = {.size = 128, .timeout_ns = 1000, .linear = 0, .exp = 0};
    EXPECT_EQ(mrc_tx_interval(&none, 0), 0u);
}

TEST(TxInterval, ForEverNeverOverflows)
{
    for (std::uint64_t timeout : {1024ull, 1024ull << MRC_TIMEOUT_MAX, ~0ull}) {
        const mrc_tx_cfg cfg = {
            .size = 128, .timeout_ns = timeout, .linear = 7, .exp = MRC_EXP_MAX};
        std::uint64_t last = 0;
        for (unsigned n = 0; n < 1000; ++n) {
            const std::uint64_t ns = mrc_tx_interval(&cfg, n);
            EXPECT_GE(ns, last);
            EXPECT_GT(ns, 0u);
            EXPECT_LE(ns, MRC_TX_INTERVAL_MAX_NS);
            last = ns;
        }
        EXPECT_EQ(last, MRC_TX_INTERVAL_MAX_NS);
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
        EXPECT_TRUE(test_bit(3, win.res.silent_evs));
        EXPECT_FALSE(win.res.expired);
        EXPECT_EQ(mrc_tx_deadline(&win.w, win.now), 0u) << "nothing in flight";
        ASSERT_EQ(win.nextLost(), 0u);
        mrc_tx_resend(&win.w, 0, 3, win.now);
    }
    EXPECT_TRUE(win.res.expired);
}

/* One that nobody answers, for it is sent to nobody: no path is to blame. */
TEST(TxTimeout, WhoHearsOfNothingBlamesNoPath)
{
    Window win(0, 128, 10 * kMs, 7, 0);
    const std::uint64_t sent = win.now;
    win.send(3);
    win.send(4);
    for (int n = 0; n < 7; ++n) {
        win.now += 10 * kMs;
        win.timeout();
        ASSERT_EQ(win.res.lost, 2u);
        EXPECT_FALSE(lostEv(win.res, 3) || lostEv(win.res, 4)) << n;
        EXPECT_TRUE(test_bit(3, win.res.silent_evs) && test_bit(4, win.res.silent_evs));
        EXPECT_EQ(mrc_tx_in_vain(&win.w), n > 0) << "sent again in vain";
        if (n == 0) {
            EXPECT_LE(win.res.silent_since, sent);
            EXPECT_GT(win.res.silent_since + 2 * kTick, sent);
        }
        for (std::uint32_t psn : {0u, 1u})
            mrc_tx_resend(&win.w, psn, psn ? 4 : 3, win.now);
    }
    ASSERT_EQ(win.sack(1, {}, 1, true), 0);
    EXPECT_FALSE(mrc_tx_in_vain(&win.w));
}

/// A window whose peer has answered PSN 0, and tolerates reordering of more than a timeout.
Window met()
{
    Window win(0, 128, 10 * kMs);
    win.send(1);
    win.now += kRtt;
    EXPECT_EQ(win.sack(0, {}, 0), 0);
    win.w.reorder_ns = 40 * kMs; // losses would be found sooner
    return win;
}

TEST(TxTimeout, WhoHearsOfSomethingSentLaterDoes)
{
    Window win = met();
    win.send(3);
    win.now += kMs;
    win.send(4);
    win.now += kMs;
    ASSERT_EQ(win.sack(0, {2}, 2), 0);
    EXPECT_EQ(win.res.lost, 0u);
    EXPECT_LE(mrc_tx_heard_ns(&win.w, 4, win.now), win.now - kMs);
    EXPECT_GT(mrc_tx_heard_ns(&win.w, 4, win.now), win.now - kMs - 2 * kTick);
    win.now += 10 * kMs;
    win.timeout();
    EXPECT_EQ(win.res.lost, 1u);
    EXPECT_TRUE(lostEv(win.res, 3));
    EXPECT_EQ(win.res.silent_since, 0u);

    Window probed = met();
    probed.send(3);
    probed.now += kMs;
    const u16 id = mrc_tx_probe(&probed.w, probed.now);
    probed.now += kMs;
    ASSERT_EQ(probed.answer(id, 0), 0);
    EXPECT_EQ(probed.res.lost, 0u);
    probed.now += 10 * kMs;
    probed.timeout();
    EXPECT_TRUE(lostEv(probed.res, 3)) << "a probe that was sent later has been answered";
}

/* The peer was not there yet, perhaps: what it has missed is no path's fault. */
TEST(TxLoss, WhatWasSentBeforeTheFirstAnswerBlamesNoPath)
{
    Window win;
    win.send(1);
    win.send(2);
    win.now += 50 * kMs;
    const u16 id = mrc_tx_probe(&win.w, win.now);
    win.now += kRtt;
    ASSERT_EQ(win.answer(id, 0xffffff), 0);
    EXPECT_EQ(win.res.lost, 2u) << "sent again all the same";
    EXPECT_FALSE(lostEv(win.res, 1) || lostEv(win.res, 2));
    EXPECT_TRUE(test_bit(1, win.res.silent_evs) && test_bit(2, win.res.silent_evs));
    EXPECT_GT(win.res.silent_since, 0u) << "they are in doubt";
    mrc_tx_resend(&win.w, 0, 3, win.now);
    mrc_tx_resend(&win.w, 1, 4, win.now);
    ASSERT_EQ(win.sack(1, {}, 1, true), 0);

    win.send(5);
    win.now += kTick;
    win.send(5);
    win.now += kRtt;
    ASSERT_EQ(win.sack(1, {3}, 3), 0);
    EXPECT_TRUE(lostEv(win.res, 5)) << "it has been met";
}

TEST(TxTimeout, WhatMayHaveBeenOvertakenIsInDoubt)
{
    Window win = overtaken();
    win.now += win.w.cfg.timeout_ns;
    win.timeout();
    EXPECT_EQ(win.res.lost, 1u);
    EXPECT_FALSE(lostEv(win.res, 7)) << "but a retransmission has arrived by it";
    EXPECT_TRUE(test_bit(7, win.res.silent_evs));
    EXPECT_EQ(win.res.silent_since, 1u) << "no other EV is in doubt: the peer speaks";
}

/* It says that it is there, so it is not silent; but that it refuses for ever is no better. */
TEST(TxTimeout, RefusalsAreBorneAsLongAsSilence)
{
    Window win(0, 128, kMs, 2, 1);
    win.send(1);
    const std::uint64_t start = win.now;
    for (unsigned n = 0; n < 10000; ++n) {
        win.now += kUs;
        ASSERT_EQ(mrc_tx_nack(&win.w, 0, win.now, &win.res), 0);
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
        ASSERT_EQ(mrc_tx_nack(&win.w, 1, win.now, &win.res), 0);
        ASSERT_FALSE(win.res.expired);
        mrc_tx_resend(&win.w, 1, 1, win.now);
    }
    ASSERT_EQ(win.sack(0, {}, 0), 0);
    win.now += 5 * kMs;
    ASSERT_EQ(mrc_tx_nack(&win.w, 1, win.now, &win.res), 0);
    EXPECT_FALSE(win.res.expired);
    EXPECT_EQ(win.w.refusals, 0u);
}

TEST(TxTimeout, NacksForEverWhereRetriesAreForEver)
{
    Window win(0, 128, kMs, 0, MRC_EXP_MAX);
    win.send(1);
    for (int i = 0; i < 300; ++i) {
        win.now += kUs;
        ASSERT_EQ(mrc_tx_nack(&win.w, 0, win.now, &win.res), 0);
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

TEST(TxTimeout, NeverLessThanTwoRoundTrips)
{
    Window win(0, 128, kMs);
    const std::uint32_t first = win.send(1);
    win.now += 6 * kMs;
    EXPECT_EQ(win.sack(first, {}, first), 0);
    win.send(2);
    EXPECT_EQ(mrc_tx_deadline(&win.w, win.now), win.now + 2 * win.w.srtt_ns);
    win.now += 2 * win.w.srtt_ns - kTick;
    win.timeout();
    EXPECT_EQ(win.res.lost, 0u);
    win.now += kTick;
    win.timeout();
    EXPECT_EQ(win.res.lost, 1u);
}

/* One packet that times out and whose original arrives all the same. */
void lateOriginal(Window &win)
{
    const std::uint32_t psn = win.send(1);
    win.now = mrc_tx_deadline(&win.w, win.now);
    win.timeout();
    ASSERT_EQ(win.res.lost, 1u);
    mrc_tx_resend(&win.w, psn, 2, win.now);
    win.now += kTick;
    ASSERT_EQ(win.sack(psn, {}, psn), 0);
    EXPECT_TRUE(win.res.spurious);
}

TEST(TxTimeout, TooShortOnesGrowToTheirCapAndDecay)
{
    const std::uint64_t t = 4 * kMs;
    Window win(0, 128, t);
    std::uint64_t last = t;
    for (int i = 0; i < 8; ++i) {
        lateOriginal(win);
        EXPECT_EQ(win.w.patience_ns, std::min(2 * last, 16 * t)) << i;
        last = win.w.patience_ns;
    }
    EXPECT_EQ(last, 16 * t);
    win.send(1);
    EXPECT_EQ(mrc_tx_deadline(&win.w, win.now), win.now + 16 * t);

    halfAMinuteOfPeace(win);
    EXPECT_EQ(win.w.patience_ns, 0u);
    EXPECT_EQ(win.w.decay_at_ns, 0u);
}

TEST(TxTimeout, AWindowThatWasGivenUpWronglyCountsOnce)
{
    const std::uint64_t t = 4 * kMs;
    Window win(0, 128, t);
    for (int i = 0; i < 20; ++i)
        win.send(1);
    win.now += t;
    win.timeout();
    EXPECT_EQ(win.res.lost, 20u);
    for (std::uint32_t psn = 0; psn < 20; ++psn)
        mrc_tx_resend(&win.w, psn, 2, win.now);
    for (std::uint32_t psn = 0; psn < 20; ++psn) {
        win.now += kTick;
        EXPECT_EQ(win.sack(psn, {}, psn), 0);
    }
    EXPECT_EQ(win.w.patience_ns, 2 * t);
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

TEST(TxWrap, SendTimes)
{
    // the tick counter wraps while packets are in flight
    Window win = withRtt();
    win.now = (1ull << 40) - kRtt;
    win.send(5); // 1
    win.send(6); // 2
    win.now += 2 * kRtt;
    win.send(5); // 3
    EXPECT_EQ(mrc_tx_deadline(&win.w, win.now), (1ull << 40) - kRtt + 100 * kMs);
    win.timeout();
    EXPECT_EQ(win.res.lost, 0u);
    win.now += kRtt;
    EXPECT_EQ(win.sack(0, {3}, 3), 0);
    EXPECT_EQ(win.res.rtt_ns, kRtt);
    EXPECT_EQ(win.res.lost, 2u) << "1 on the same EV, 2 by time";
}

TEST(TxWrap, TransmissionNumbers)
{
    Window win = withRtt();
    win.w.seq = 0xffffffff;
    win.send(5); // 1, number 0xffffffff
    win.send(5); // 2, number 0
    win.send(5); // 3
    win.now += kRtt;
    EXPECT_EQ(win.sack(0, {2}, 2), 0);
    EXPECT_EQ(win.res.lost, 1u);
    EXPECT_EQ(win.nextLost(), 1u);
}

TEST(TxWrap, EvUnusedForHalfTheNumberSpace)
{
    Window win = withRtt(); // EV 99 has evidence
    win.w.seq += 0x90000000;
    win.now += 700 * kSec; // half the clock, too
    win.send(99);          // 1
    win.send(1);           // 2
    win.now += kTick;
    EXPECT_EQ(win.sack(0, {2}, 2), 0);
    EXPECT_EQ(win.res.lost, 0u) << "old evidence must not look new";
}

TEST(TxWrap, IdleForMoreThanHalfTheClock)
{
    Window win = withRtt();
    win.now += 700 * kSec;
    win.send(1); // 1
    win.send(2); // 2
    win.now += kRtt;
    EXPECT_EQ(win.sack(0, {2}, 2), 0);
    EXPECT_EQ(win.res.lost, 0u) << "old evidence must not look new";
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
