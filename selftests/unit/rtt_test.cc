// SPDX-License-Identifier: GPL-2.0-only
#include "tx_fixture.h"

TEST(Rtt, SpuriousLossGrowsTheSlackOfItsRule)
{
    Window win = afterRttOf({5, 5});
    EXPECT_EQ(win.sack(0, {2}, 2), 0);
    ASSERT_EQ(win.res.lost, 1u);
    EXPECT_EQ(win.sack(2, {}, 1), 0) << "the packet was only late";
    EXPECT_TRUE(win.res.spurious);
    EXPECT_EQ(win.w.rtt.ev_slack_ns, kRtt / 4);
    EXPECT_EQ(win.w.rtt.reorder_ns, 0u);
    EXPECT_EQ(win.w.lost, 0u);

    win.send(5); // 3
    win.send(5); // 4
    win.now += kRtt;
    EXPECT_EQ(win.sack(2, {4}, 4), 0);
    EXPECT_EQ(win.res.lost, 0u) << "tolerated now";
}

namespace
{

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

} // namespace

TEST(Rtt, TheLongestIsNotOneThatStandsAlone)
{
    Window win = withRtt();
    mrc_rtt &rtt = win.w.rtt;
    EXPECT_EQ(mrc_rtt_longest(&rtt), kRtt + mrc_timing_software.sack_delay);
    for (int i = 0; i < 8; ++i)
        mrc_rtt_sample(&rtt, 3 * kRtt / 2);
    EXPECT_EQ(mrc_rtt_longest(&rtt), 3 * kRtt / 2 + mrc_timing_software.sack_delay);
    mrc_rtt_sample(&rtt, 100 * kRtt);
    for (int i = 0; i < 64; ++i)
        mrc_rtt_sample(&rtt, kRtt);
    EXPECT_LT(mrc_rtt_longest(&rtt), 3 * kRtt + mrc_timing_software.sack_delay);
    const mrc_rtt none{};
    EXPECT_EQ(mrc_rtt_longest(&none), 0u);
}

/* Paths are gone, and the others take over their load: each packet waits longer than any before. */
TEST(Rtt, AQueueThatGrowsIsNoLossUntilItTakesEightTimesAsLong)
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
    EXPECT_FALSE(win.late(5));
    win.now += 33 * kRtt;
    win.send(6); // 4
    win.now += kRtt;
    EXPECT_EQ(win.sack(1, {3, 4}, 4), 0);
    EXPECT_EQ(win.res.lost, 0u) << "nor are forty lost";
    EXPECT_TRUE(win.late(5));
    win.send(6); // 5
    win.now += kRtt;
    EXPECT_EQ(win.sack(1, {3, 4, 5}, 5), 0);
    EXPECT_EQ(win.res.lost, 1u) << "more are";
    EXPECT_TRUE(win.mute(5));
}

/* Packets on other EVs show that a path stands still: these EVs are fast. */
TEST(Rtt, FastPathsDoNotShrinkWhatIsTolerated)
{
    for (u8 why : {u8{10}, u8{0}}) { // another EV's packet overtakes, or one of the same EV
        Window win = withRtt();
        for (int i = 0; i < 300; ++i) {
            const std::uint32_t sent = win.send(5);
            win.now += kRtt;
            EXPECT_EQ(win.sack(sent, {}, sent), 0);
        }
        win.w.rtt.reorder_ns = 16 * kRtt;
        win.w.rtt.ev_slack_ns = 16 * kRtt;
        const std::uint32_t late = win.send(5);
        win.now += 40 * kRtt;
        const std::uint32_t fast = win.send(static_cast<u16>(5 + why));
        win.now += kRtt;
        EXPECT_EQ(win.sack(late - 1, {fast}, fast), 0);
        ASSERT_EQ(win.res.lost, 1u);
        EXPECT_EQ(win.sack(fast, {}, late), 0);
        EXPECT_TRUE(win.res.spurious);
        EXPECT_GE(win.w.rtt.reorder_ns, 16 * kRtt);
        EXPECT_GE(win.w.rtt.ev_slack_ns, 16 * kRtt);
    }
}

TEST(Rtt, ReorderWindowGrowsToItsCapAndDecays)
{
    Window win = withRtt();
    std::uint64_t last = kRtt / 4;
    std::uint32_t psn = 1;
    for (int i = 0; i < 8; ++i, psn += 2) {
        win.send(static_cast<u16>(10 + 2 * i));
        win.now += 9 * kRtt;
        win.send(static_cast<u16>(11 + 2 * i));
        win.now += kRtt;
        EXPECT_EQ(win.sack(psn - 1, {psn + 1}, psn + 1), 0);
        if (!win.res.lost)
            break;
        win.now += kRtt;
        EXPECT_EQ(win.sack(psn + 1, {}, psn), 0);
        EXPECT_TRUE(win.res.spurious);
        EXPECT_GE(win.w.rtt.reorder_ns, last);
        last = win.w.rtt.reorder_ns;
        EXPECT_LE(last, std::max(4 * win.w.rtt.min_ns, 2 * win.w.rtt.srtt_ns));
    }
    EXPECT_GE(last, 4 * kRtt);

    halfAMinuteOfPeace(win);
    EXPECT_EQ(win.w.rtt.reorder_ns, 0u);
    EXPECT_EQ(win.w.rtt.ev_slack_ns, 0u);
    EXPECT_EQ(win.w.rtt.decay_at_ns, 0u);
}

TEST(Rtt, EvSlackIsCappedAtTheSmallestRtt)
{
    Window win = withRtt();
    win.w.rtt.ev_slack_ns = kRtt;
    win.send(5); // 1
    win.now += kRtt;
    win.send(5); // 2
    win.now += kRtt;
    EXPECT_EQ(win.sack(0, {2}, 2), 0);
    ASSERT_EQ(win.res.lost, 1u);
    EXPECT_EQ(win.sack(2, {}, 1), 0);
    EXPECT_EQ(win.w.rtt.ev_slack_ns, kRtt);
}

TEST(Rtt, LateTailAfterAllGrowsTheReorderWindow)
{
    Window win = withTail(2);
    win.now += kQuiet;
    const u16 id = mrc_tx_probe(&win.w, win.now);
    win.now += kRtt;
    ASSERT_EQ(win.answer(id, 1), 0);
    ASSERT_EQ(win.res.lost, 1u);
    ASSERT_EQ(win.sack(2, {}, 2), 0);
    EXPECT_TRUE(win.res.spurious);
    EXPECT_TRUE(win.cleared(2));
    EXPECT_GT(win.w.rtt.reorder_ns, kRtt / 4);
}

TEST(RttInterval, LinearThenDoubling)
{
    const mrc_retries cfg = {.timeout_ns = 1000, .linear = 3, .exp = 4};
    const std::uint64_t want[] = {1000, 1000, 1000, 2000, 4000, 8000, 16000, 0, 0};
    for (unsigned n = 0; n < std::size(want); ++n)
        EXPECT_EQ(mrc_rtt_interval(&cfg, n), want[n]) << n;
}

TEST(RttInterval, WithoutLinearRetriesTheFirstIsNotDoubled)
{
    const mrc_retries cfg = {.timeout_ns = 1000, .linear = 0, .exp = 3};
    const std::uint64_t want[] = {1000, 2000, 4000, 0};
    for (unsigned n = 0; n < std::size(want); ++n)
        EXPECT_EQ(mrc_rtt_interval(&cfg, n), want[n]) << n;
    const mrc_retries none = {.timeout_ns = 1000, .linear = 0, .exp = 0};
    EXPECT_EQ(mrc_rtt_interval(&none, 0), 0u);
}

TEST(RttInterval, ForEverNeverOverflows)
{
    for (std::uint64_t timeout : {1024ull, 1024ull << MRC_TIMEOUT_MAX, ~0ull}) {
        const mrc_retries cfg = {.timeout_ns = timeout, .linear = 7, .exp = MRC_EXP_MAX};
        std::uint64_t last = 0;
        for (unsigned n = 0; n < 1000; ++n) {
            const std::uint64_t ns = mrc_rtt_interval(&cfg, n);
            EXPECT_GE(ns, last);
            EXPECT_GT(ns, 0u);
            EXPECT_LE(ns, MRC_TX_INTERVAL_MAX_NS);
            last = ns;
        }
        EXPECT_EQ(last, MRC_TX_INTERVAL_MAX_NS);
    }
}

TEST(Rtt, NeverLessThanTwoRoundTrips)
{
    Window win(0, 128, kMs);
    const std::uint32_t first = win.send(1);
    win.now += 6 * kMs;
    EXPECT_EQ(win.sack(first, {}, first), 0);
    win.send(2);
    EXPECT_EQ(mrc_tx_deadline(&win.w, win.now), win.now + 2 * win.w.rtt.srtt_ns);
    win.now += 2 * win.w.rtt.srtt_ns - kTick;
    win.timeout();
    EXPECT_EQ(win.res.lost, 0u);
    win.now += kTick;
    win.timeout();
    EXPECT_EQ(win.res.lost, 1u);
}

namespace
{

/* A packet times out although its first copy arrives. */
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

} // namespace

TEST(Rtt, TooShortOnesGrowToTheirCapAndDecay)
{
    const std::uint64_t t = 4 * kMs;
    Window win(0, 128, t);
    std::uint64_t last = t;
    for (int i = 0; i < 8; ++i) {
        lateOriginal(win);
        EXPECT_EQ(win.w.rtt.patience_ns, std::min(2 * last, 16 * t)) << i;
        last = win.w.rtt.patience_ns;
    }
    EXPECT_EQ(last, 16 * t);
    win.send(1);
    EXPECT_EQ(mrc_tx_deadline(&win.w, win.now), win.now + 16 * t);

    halfAMinuteOfPeace(win);
    EXPECT_EQ(win.w.rtt.patience_ns, 0u);
    EXPECT_EQ(win.w.rtt.decay_at_ns, 0u);
}

TEST(Rtt, AWindowThatWasGivenUpWronglyCountsOnce)
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
    EXPECT_EQ(win.w.rtt.patience_ns, 2 * t);
}

TEST(Rtt, SamplesAreSmoothedAndTheHighestComesDownSlowly)
{
    mrc_rtt r{};
    EXPECT_EQ(mrc_rtt_sample(&r, 0), kTick) << "never 0";
    r = {};
    mrc_rtt_sample(&r, 8000);
    EXPECT_EQ(r.srtt_ns, 8000u);
    mrc_rtt_sample(&r, 16000);
    EXPECT_EQ(r.srtt_ns, 9000u) << "an eighth of the way";
    EXPECT_EQ(r.min_ns, 8000u);
    EXPECT_EQ(r.high_ns, 16000u);
    mrc_rtt_sample(&r, 9600);
    EXPECT_EQ(r.high_ns, 15900u) << "a 64th of the way";
}

TEST(Rtt, TheReorderWindowCoversHowMuchPathsDiffer)
{
    mrc_rtt r{};
    mrc_rtt_sample(&r, 8000);
    EXPECT_EQ(mrc_rtt_reorder_window(&r), 2000u);
    mrc_rtt_sample(&r, 16000);
    EXPECT_EQ(mrc_rtt_reorder_window(&r), 12000u) << "half as much again";
    r.reorder_ns = 20000;
    EXPECT_EQ(mrc_rtt_reorder_window(&r), 20000u);
}
