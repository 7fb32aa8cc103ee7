// SPDX-License-Identifier: GPL-2.0-only
//
// Tests congestion control, a rule at a time. The network is 1.2 Tb/s and 10 us, so that numbers
// are round, and packets are 1000 bytes. cc_sim_test.cc tests what the rules add up to.
#include "engine/core.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <random>

namespace
{

constexpr u32 kMtu = 1000;
constexpr u32 kBase = 10000;
constexpr u32 kTarget = 7500;
constexpr u32 kMax = 2250000;
constexpr u64 kPeriod = 17500;
constexpr u64 kSec = 1000000000;
constexpr u64 kStart = 5 * kSec;

const mrc_timing &nic()
{
    static const mrc_timing t = [] {
        mrc_timing out;
        mrc_timing_nic(&out, kBase);
        return out;
    }();
    return t;
}

mrc_cc_params params()
{
    mrc_cc_params p{};
    p.algorithm = MRC_CC_NSCC;
    p.rate = 150'000'000'000;
    p.mtu = kMtu;
    p.base_rtt_ns = kBase;
    p.gamma = MRC_CC_GAMMA_DEFAULT;
    p.max_md_jump = MRC_CC_MD_JUMP_DEFAULT;
    p.qa_gate = MRC_CC_QA_GATE_DEFAULT;
    p.trimming = true;
    return p;
}

mrc_cc_derived derive(const mrc_cc_params &p, u32 base = kBase, u32 live = 1, u32 planes = 1)
{
    mrc_cc_derived d;
    mrc_cc_derive(&p, &nic(), base, live, planes, &d);
    return d;
}

struct Context {
    mrc_cc cc;
    u64 now = kStart;

    explicit Context(const mrc_cc_params &p = params()) { mrc_cc_init(&cc, &p, &nic(), now); }

    /// A medium window that is all in flight.
    Context &at(u32 cwnd)
    {
        cc.cwnd = cwnd;
        mrc_cc_sent(&cc, cwnd, now);
        return *this;
    }

    void learn(const mrc_cc_news &n) { mrc_cc_learn(&cc, &n, now); }

    /// A packet arrived and more packets wait.
    mrc_cc_news acked(u32 bytes, u32 delay, bool marked) const
    {
        const u32 base = cc.base_ns ? cc.base_ns : kBase;
        return {.acked = bytes,
                .landed = bytes,
                .rtt_ns = static_cast<u64>(base) + delay,
                .marked = marked,
                .waiting = true};
    }

    void ack(u32 delay, bool marked = false, u32 bytes = kMtu)
    {
        learn(acked(bytes, delay, marked));
    }

    void acks(unsigned n, u32 delay, bool marked = false)
    {
        for (; n; --n)
            ack(delay, marked);
    }

    void lose(mrc_cc_cause cause, u32 bytes = kMtu)
    {
        learn({.lost = bytes, .cause = static_cast<u8>(cause)});
    }

    /// The first period of quick adapt begins; nothing else changes.
    void openPeriod()
    {
        const mrc_cc before = cc;
        ack(2000, true, 0);
        ASSERT_EQ(cc.qa_end, now + cc.d.qa_period_ns);
        ASSERT_EQ(cc.cwnd, before.cwnd);
    }

    u64 count(mrc_cc_count what) const { return cc.count[what]; }
};

} // namespace

/* ---- what follows from settings ------------------------------------------- */

TEST(CcDerive, OneNetworkWorkedOut)
{
    const mrc_cc_derived d = derive(params());
    EXPECT_EQ(d.bdp, 1500000u);
    EXPECT_EQ(d.max_cwnd, kMax);
    EXPECT_EQ(d.target_ns, kTarget);
    EXPECT_EQ(d.fast_ns, 1250u);
    EXPECT_EQ(d.qa_threshold_ns, 0u);
    EXPECT_EQ(d.qa_period_ns, kPeriod);
    EXPECT_EQ(d.adjust_bytes, 8 * kMtu);
    EXPECT_EQ(d.adjust_ns, kBase);
    EXPECT_EQ(d.alpha_q16, (10u << 16) / 3);
    EXPECT_EQ(d.fi, 50000u);
    EXPECT_EQ(d.fi_scale_q16, 5u << 15) << "2.5";
    EXPECT_EQ(d.eta_q8, 1500u << 8);
}

TEST(CcDerive, WithoutTrimming)
{
    mrc_cc_params p = params();
    p.trimming = false;
    const mrc_cc_derived marked = derive(p);
    EXPECT_EQ(marked.target_ns, kTarget) << "within the ramp of marks";
    EXPECT_EQ(marked.qa_threshold_ns, 4 * kBase);
    EXPECT_EQ(marked.qa_period_ns, kPeriod);
    p.ecn_absent = true;
    const mrc_cc_derived d = derive(p);
    EXPECT_EQ(d.target_ns, kBase);
    EXPECT_EQ(d.qa_threshold_ns, 4 * kBase);
    EXPECT_EQ(d.qa_period_ns, 2 * kBase);
    EXPECT_EQ(d.alpha_q16, (10u << 16) / 3) << "the target does not matter";
    p.target_ns = 2 * kBase;
    EXPECT_EQ(derive(p).qa_threshold_ns, 8 * kBase);
    p.target_ns = kBase / 2;
    EXPECT_EQ(derive(p).qa_threshold_ns, 4 * kBase) << "what is usual there is no reason";
}

/*
 * A round trip without delay adds as many BDPs in a long network as in UE's network, and no more.
 */
TEST(CcDerive, ALongTargetGivesNoLargerIncrease)
{
    const auto added = [](u32 base) {
        mrc_cc_params p = params();
        const mrc_cc_derived d = derive(p, base);
        return static_cast<double>(d.alpha_q16) * d.target_ns / 65536 / d.bdp;
    };
    const double reference = added(16000);
    EXPECT_NEAR(added(12000), reference * 3 / 4, reference / 100) << "as UE has it";
    EXPECT_NEAR(added(160000), reference, reference / 100);
    EXPECT_NEAR(added(1600000), reference, reference / 100);
}

TEST(CcDerive, WhatIsSetIsKept)
{
    mrc_cc_params p = params();
    p.target_ns = 3000;
    p.max_cwnd = 70000;
    p.adjust_bytes = 5000;
    p.adjust_ns = 6000;
    p.eta = 7;
    p.fi = 8;
    p.fi_scale = MRC_CC_ONE / 2;
    p.qa_threshold_ns = 9000;
    const mrc_cc_derived d = derive(p);
    EXPECT_EQ(d.target_ns, 3000u);
    EXPECT_EQ(d.max_cwnd, 70000u);
    EXPECT_EQ(d.adjust_bytes, 5000u);
    EXPECT_EQ(d.adjust_ns, 6000u);
    EXPECT_EQ(d.eta_q8, 7u << 8);
    EXPECT_EQ(d.fi, 8u);
    EXPECT_EQ(d.fi_scale_q16, 1u << 15);
    EXPECT_EQ(d.qa_threshold_ns, 9000u);
}

TEST(CcDerive, ThisHostsOwnDelayIsTheLeastTarget)
{
    mrc_cc_params p = params();
    mrc_cc_derived d;
    mrc_cc_derive(&p, &mrc_timing_software, kBase, 1, 1, &d);
    EXPECT_EQ(d.target_ns, mrc_timing_software.cc_target);
}

/*
 * In a short network a busy host's delay is no sign of a full network. In a long one four base RTTs
 * are.
 */
TEST(CcDerive, ABusyHostIsNoFullNetwork)
{
    mrc_cc_params p = params();
    p.trimming = false;
    mrc_cc_derived d;
    mrc_cc_derive(&p, &mrc_timing_software, kBase, 1, 1, &d);
    EXPECT_EQ(d.qa_threshold_ns, mrc_timing_software.cc_late);
    mrc_cc_derive(&p, &mrc_timing_software, mrc_timing_software.cc_late, 1, 1, &d);
    EXPECT_EQ(d.qa_threshold_ns, 4 * mrc_timing_software.cc_late);
    p.qa_threshold_ns = 9000;
    mrc_cc_derive(&p, &mrc_timing_software, kBase, 1, 1, &d);
    EXPECT_EQ(d.qa_threshold_ns, 9000u) << "as it is set";
    p.qa_threshold_ns = 0;
    p.trimming = true;
    mrc_cc_derive(&p, &mrc_timing_software, kBase, 1, 1, &d);
    EXPECT_EQ(d.qa_threshold_ns, 0u) << "trims show it";
}

/* The base RTT is measured on an idle host; round trips of a busy one are longer. */
TEST(CcDerive, WithoutABaseRttThereIsRoomForABusyHost)
{
    mrc_cc_params p = params();
    p.rate = 125'000'000;
    mrc_cc_derived d;
    mrc_cc_derive(&p, &mrc_timing_software, 30000, 1, 1, &d);
    EXPECT_EQ(d.max_cwnd, 5625u) << "one is set";
    p.base_rtt_ns = 0;
    mrc_cc_derive(&p, &mrc_timing_software, 30000, 1, 1, &d);
    EXPECT_EQ(d.max_cwnd, mrc_timing_software.cc_room);
    EXPECT_EQ(derive(p, 30000).max_cwnd, 5625u) << "a NIC is never busy";
    p.rate = 12'500'000'000;
    mrc_cc_derive(&p, &mrc_timing_software, 100000, 1, 1, &d);
    EXPECT_EQ(d.max_cwnd, 1875000u) << "the network holds more";
    p.max_cwnd = 70000;
    mrc_cc_derive(&p, &mrc_timing_software, 100000, 1, 1, &d);
    EXPECT_EQ(d.max_cwnd, 70000u) << "as it is set";
}

TEST(CcDerive, SmallNetworks)
{
    mrc_cc_params p = params();
    p.rate = 125'000'000;
    p.mtu = 1088;
    const mrc_cc_derived d = derive(p, 100000);
    EXPECT_EQ(d.bdp, 12500u);
    EXPECT_EQ(d.eta_q8, 3481u) << "13.6 bytes";
    EXPECT_EQ(d.fi, 453u);
    EXPECT_NEAR(static_cast<double>(d.alpha_q16), 65536 * 0.030222 * 12000 / 75000, 2);

    p.rate = MRC_CC_RATE_MIN;
    const mrc_cc_derived least = derive(p, MRC_CC_BASE_RTT_MIN);
    EXPECT_EQ(least.bdp, 2 * p.mtu) << "not less than two packets";
    EXPECT_EQ(least.max_cwnd, 3 * p.mtu);
    EXPECT_GT(least.fi, 0u);
}

TEST(CcDerive, LargestNetworks)
{
    mrc_cc_params p = params();
    p.rate = MRC_CC_RATE_MAX;
    p.mtu = 9216;
    for (u32 base : {MRC_CC_BASE_RTT_MAX, MRC_CC_RTT_MAX_NS, U32_MAX}) {
        const mrc_cc_derived d = derive(p, base);
        EXPECT_LE(d.max_cwnd, MRC_CC_CWND_MAX);
        EXPECT_GE(d.max_cwnd, MRC_CC_CWND_MAX - 2);
        EXPECT_NEAR(d.fi, 54976614, 2000);
        EXPECT_EQ(d.target_ns, static_cast<u64>(base) * 3 / 4);
        EXPECT_GE(d.qa_period_ns, d.target_ns);
    }
}

TEST(CcDerive, PlanesHaveTheirShare)
{
    mrc_cc_params p = params();
    mrc_cc_derived d = derive(p, kBase, 3, 4);
    EXPECT_EQ(d.bdp, 1125000u);
    EXPECT_EQ(d.max_cwnd, 1687500u);
    EXPECT_EQ(d.fi, 37500u);
    p.max_cwnd = 1000000;
    d = derive(p, kBase, 3, 4);
    EXPECT_EQ(d.max_cwnd, 750000u);
}

/* ---- quadrants ------------------------------------------------------------ */

TEST(CcQuadrant, ProportionalIncrease)
{
    Context c;
    c.at(1000000).acks(8, 2000);
    EXPECT_EQ(c.cc.cwnd, 1000000u) << "takes effect after more than eight packets";
    c.ack(2000);
    EXPECT_EQ(c.cc.cwnd, 1000164u) << "9000 bytes times 10/3 times 5500 ns, by the window: 164.9";
    EXPECT_EQ(c.count(MRC_CC_PROPORTIONAL), 9u);
    EXPECT_EQ(c.count(MRC_CC_FAST), 0u);
}

TEST(CcQuadrant, FairIncrease)
{
    Context c;
    c.at(1000000).acks(9, 3 * kTarget);
    EXPECT_EQ(c.cc.cwnd, 1000450u) << "9000 bytes times 50000, by the window";
    EXPECT_EQ(c.count(MRC_CC_FAIR), 9u);
}

TEST(CcQuadrant, Hold)
{
    Context c;
    c.at(1000000).acks(9, kTarget - 1, true);
    EXPECT_EQ(c.cc.cwnd, 1000000u);
    EXPECT_EQ(c.count(MRC_CC_HOLD), 9u);
}

TEST(CcQuadrant, DecreaseByWhatTheAverageExceedsTheTarget)
{
    Context c;
    c.at(1000000).now += 2 * kBase;
    c.ack(2 * kTarget, true);
    EXPECT_EQ(c.cc.cwnd, 601500u) << "1 - 0.8 / 2, and eta";
    EXPECT_EQ(c.count(MRC_CC_DECREASE), 1u);
    EXPECT_EQ(c.count(MRC_CC_CUTS), 1u);
}

TEST(CcQuadrant, ADelayEqualToTheTargetIsLate)
{
    const struct {
        u32 delay;
        bool marked;
        mrc_cc_count what;
    } cases[] = {{kTarget - 1, false, MRC_CC_PROPORTIONAL},
                 {kTarget, false, MRC_CC_FAIR},
                 {kTarget - 1, true, MRC_CC_HOLD},
                 {kTarget, true, MRC_CC_DECREASE}};
    for (const auto &k : cases) {
        Context c;
        c.at(1000000).ack(k.delay, k.marked);
        for (int i = MRC_CC_PROPORTIONAL; i <= MRC_CC_DECREASE; ++i)
            EXPECT_EQ(c.cc.count[i], i == k.what ? 1u : 0u) << k.delay << k.marked << i;
    }
}

TEST(CcQuadrant, DelayAloneNeverShrinksTheWindow)
{
    Context c;
    c.at(1000000);
    for (int i = 0; i < 100; ++i) {
        const u32 before = c.cc.cwnd;
        c.now += 2000;
        c.ack(10 * kTarget);
        EXPECT_GE(c.cc.cwnd, before);
    }
}

TEST(CcQuadrant, WhereSwitchesDoNotMarkDelayCountsAsAMark)
{
    mrc_cc_params p = params();
    p.ecn_absent = true;
    Context c(p);
    c.at(1000000).ack(2 * kTarget);
    EXPECT_EQ(c.count(MRC_CC_FAIR), 1u) << "not before the average is above the target, too";
    c.now += 2 * kBase;
    c.ack(2 * kTarget);
    EXPECT_EQ(c.count(MRC_CC_CUTS), 1u);
    c.ack(kTarget - 1);
    EXPECT_EQ(c.count(MRC_CC_PROPORTIONAL), 1u);
}

/* ---- fast increase -------------------------------------------------------- */

TEST(CcFast, AWindowWithoutDelayComesFirst)
{
    Context c;
    c.at(100000).acks(100, 1249);
    EXPECT_EQ(c.count(MRC_CC_FAST), 0u);
    EXPECT_EQ(c.count(MRC_CC_PROPORTIONAL), 100u);
    c.cc.unhindered = c.cc.cwnd; // it has grown meanwhile
    c.cc.inc = 0;
    const u32 before = c.cc.cwnd;
    c.ack(1249);
    EXPECT_EQ(c.count(MRC_CC_FAST), 1u);
    EXPECT_EQ(c.cc.cwnd, before + 2500) << "2.5 times what arrived";
    c.ack(0);
    EXPECT_EQ(c.cc.cwnd, before + 5000) << "and so on";
    EXPECT_EQ(c.count(MRC_CC_PROPORTIONAL), 100u);
}

TEST(CcFast, ExactlyAWindowIsNotEnough)
{
    Context c;
    c.at(20000).cc.d.adjust_bytes = 1000000;
    c.acks(20, 0);
    EXPECT_EQ(c.count(MRC_CC_FAST), 0u);
    c.ack(0, false, 1);
    EXPECT_EQ(c.count(MRC_CC_FAST), 1u);
}

TEST(CcFast, SomeDelayEndsIt)
{
    Context c;
    c.at(20000).cc.d.adjust_bytes = 1000000;
    c.acks(20, 0);
    c.ack(1250);
    c.ack(0);
    EXPECT_EQ(c.count(MRC_CC_FAST), 0u) << "counts from the start";
    c.acks(20, 0);
    EXPECT_EQ(c.count(MRC_CC_FAST), 1u);
    c.ack(1250);
    c.ack(0);
    EXPECT_EQ(c.count(MRC_CC_FAST), 1u);
}

TEST(CcFast, AMarkWithDelayEndsItAndOneWithoutDoesNot)
{
    Context c;
    c.at(20000).acks(80, 0);
    const u64 fast = c.count(MRC_CC_FAST);
    EXPECT_GT(fast, 0u);
    c.ack(0, true);
    c.ack(0);
    EXPECT_EQ(c.count(MRC_CC_FAST), fast + 1);
    c.ack(kTarget, true);
    c.ack(0);
    EXPECT_EQ(c.count(MRC_CC_FAST), fast + 1);
}

TEST(CcFast, NeverBeyondTheLargestWindow)
{
    Context c;
    c.at(kMax - 5000);
    c.cc.fast = true;
    c.acks(10, 0);
    EXPECT_EQ(c.cc.cwnd, kMax);
}

/* ---- decrease ------------------------------------------------------------- */

TEST(CcDecrease, OnceInARoundTrip)
{
    Context c;
    c.at(1000000).now += 2 * kBase;
    c.ack(2 * kTarget, true);
    c.now += kBase;
    c.ack(2 * kTarget, true);
    EXPECT_EQ(c.count(MRC_CC_CUTS), 1u) << "more than a round trip";
    c.now += 1;
    c.ack(2 * kTarget, true);
    EXPECT_EQ(c.count(MRC_CC_CUTS), 2u);
}

TEST(CcDecrease, HalfIsLeft)
{
    Context c;
    c.at(1000000).now += 2 * kBase;
    c.ack(100 * kTarget, true);
    EXPECT_EQ(c.cc.cwnd, 501500u);
}

TEST(CcDecrease, TheAverageCountsNotTheOneSample)
{
    Context c;
    c.at(1000000).now += kBase + 1;
    c.ack(0);
    c.now += kBase / 10;
    c.ack(10 * kTarget, true);
    EXPECT_EQ(c.cc.avg_ns, kTarget);
    EXPECT_EQ(c.count(MRC_CC_DECREASE), 1u);
    EXPECT_EQ(c.count(MRC_CC_CUTS), 0u) << "not above the target yet";
    c.ack(10 * kTarget, true);
    EXPECT_EQ(c.count(MRC_CC_CUTS), 0u) << "no time has passed";
    c.now += kBase / 10;
    c.ack(10 * kTarget, true);
    EXPECT_EQ(c.count(MRC_CC_CUTS), 1u);
}

TEST(CcDecrease, APacketAlwaysGoes)
{
    Context c;
    c.at(1500).cc.d.eta_q8 = 0;
    for (int i = 0; i < 3; ++i) {
        c.now += 2 * kBase;
        c.ack(100 * kTarget, true);
        EXPECT_EQ(c.cc.cwnd, kMtu);
    }
}

TEST(CcDecrease, ZeroOfEverySettingCounts)
{
    mrc_cc_params p = params();
    p.gamma = 0;
    Context none(p);
    none.at(1000000).now += 2 * kBase;
    none.ack(100 * kTarget, true);
    EXPECT_EQ(none.cc.cwnd, 1001500u);

    p = params();
    p.gamma = MRC_CC_ONE;
    p.max_md_jump = 0;
    Context all(p);
    all.at(1000000).now += 2 * kBase;
    all.ack(100 * kTarget, true);
    EXPECT_EQ(all.cc.cwnd, 11500u) << "a hundredth is left";
}

/* ---- increases take effect ------------------------------------------------ */

TEST(CcFulfil, EtaIsPaidByTimeOnly)
{
    Context c;
    c.at(1000000).acks(90, 2000, true);
    EXPECT_EQ(c.cc.cwnd, 1000000u) << "by bytes: ten times";
    c.now += kBase - 1;
    c.ack(2000, true);
    EXPECT_EQ(c.cc.cwnd, 1000000u);
    c.now += 1;
    c.ack(2000, true);
    EXPECT_EQ(c.cc.cwnd, 1001500u);
    c.acks(9, 2000, true);
    EXPECT_EQ(c.cc.cwnd, 1001500u);
}

TEST(CcFulfil, BytesDoNotPutTimeOff)
{
    Context c;
    c.at(1000000);
    for (int i = 0; i < 100; ++i) { // by bytes twice in a base RTT
        c.now += kBase / 20;
        c.ack(2000, true);
    }
    EXPECT_EQ(c.cc.cwnd, 1000000u + 5 * 1500);
}

TEST(CcFulfil, WhatIsLessThanAByteAddsUp)
{
    Context c;
    c.at(1000000).cc.d.eta_q8 = 64;
    for (int i = 0; i < 10; ++i) {
        c.now += kBase;
        c.ack(2000, true);
    }
    EXPECT_EQ(c.cc.cwnd, 1000002u);
    EXPECT_EQ(c.cc.eta_rest, 128u);
}

TEST(CcFulfil, AnIncreaseIsPaidOnce)
{
    Context c;
    c.at(1000000).acks(9, 3 * kTarget);
    ASSERT_EQ(c.cc.cwnd, 1000450u);
    EXPECT_EQ(c.cc.inc, 0u);
    EXPECT_EQ(c.cc.received, 0u);
    c.acks(9, 2000, true);
    EXPECT_EQ(c.cc.cwnd, 1000450u);
}

TEST(CcFulfil, NeverBeyondTheLargestWindow)
{
    Context c;
    c.at(kMax - 10).acks(9, 3 * kTarget);
    EXPECT_EQ(c.cc.cwnd, kMax);
    c.now += kBase;
    c.ack(2000, true);
    EXPECT_EQ(c.cc.cwnd, kMax);
}

/* ---- quick adapt ---------------------------------------------------------- */

TEST(CcQuickAdapt, TheFirstPeriodOnlyBegins)
{
    Context c;
    c.at(1000000).lose(MRC_CC_TRIMMED);
    EXPECT_EQ(c.count(MRC_CC_QUICK_ADAPTS), 0u);
    EXPECT_EQ(c.cc.cwnd, 999000u) << "what was trimmed";
    EXPECT_EQ(c.cc.qa_end, c.now + kPeriod);
    EXPECT_TRUE(c.cc.qa_trigger);
}

TEST(CcQuickAdapt, TheWindowBecomesWhatArrived)
{
    Context c;
    c.at(1000000).openPeriod();
    c.acks(5, 2000);
    c.now += kPeriod - 1;
    c.lose(MRC_CC_TRIMMED);
    EXPECT_EQ(c.cc.cwnd, 999000u) << "the period is not over";
    c.now += 1;
    c.lose(MRC_CC_TRIMMED);
    EXPECT_EQ(c.cc.cwnd, 5000u);
    EXPECT_EQ(c.count(MRC_CC_QUICK_ADAPTS), 1u);
    EXPECT_EQ(c.cc.to_ignore, 1000000u - 7000);
    EXPECT_EQ(c.cc.achieved, 0u);
    EXPECT_EQ(c.cc.inc, 0u);
    EXPECT_FALSE(c.cc.qa_trigger);
    EXPECT_EQ(c.cc.qa_end, c.now + kPeriod);
}

TEST(CcQuickAdapt, ASackAfterATrimDoesIt)
{
    Context c;
    c.at(1000000).openPeriod();
    c.lose(MRC_CC_TRIMMED);
    c.now += kPeriod;
    c.ack(2000);
    EXPECT_EQ(c.count(MRC_CC_QUICK_ADAPTS), 1u);
    EXPECT_EQ(c.cc.cwnd, kMtu);
}

TEST(CcQuickAdapt, WithoutASignOfLossItDoesNot)
{
    Context c;
    c.at(1000000).openPeriod();
    c.now += kPeriod;
    c.ack(1000 * kTarget);
    EXPECT_EQ(c.count(MRC_CC_QUICK_ADAPTS), 0u);
    EXPECT_EQ(c.cc.qa_end, c.now + kPeriod) << "the next one has begun";
}

TEST(CcQuickAdapt, TheGateIsAShift)
{
    for (const u32 less : {0u, 1u}) {
        Context c;
        c.at(1000000).openPeriod();
        c.ack(2000, true, (kMax >> 3) - less);
        c.now += kPeriod;
        c.lose(MRC_CC_TRIMMED);
        EXPECT_EQ(c.count(MRC_CC_QUICK_ADAPTS), less);
        EXPECT_EQ(c.cc.cwnd, less ? (kMax >> 3) - 1 : 999000u);
        EXPECT_EQ(c.cc.achieved, 0u);
    }
}

TEST(CcQuickAdapt, SignsOfWhatWasSentBeforeAreIgnored)
{
    Context c;
    c.at(10000).openPeriod();
    c.acks(2, 2000);
    c.now += kPeriod;
    c.lose(MRC_CC_TRIMMED);
    ASSERT_EQ(c.cc.cwnd, 2000u);
    ASSERT_EQ(c.cc.to_ignore, 7000u);
    c.now += 2 * kPeriod;
    for (int i = 0; i < 3; ++i) {
        c.lose(MRC_CC_TRIMMED);
        c.ack(3 * kTarget, true);
        EXPECT_EQ(c.cc.cwnd, 2000u);
    }
    EXPECT_EQ(c.cc.ignored, 6000u);
    EXPECT_EQ(c.count(MRC_CC_DECREASE), 0u);
    EXPECT_EQ(c.count(MRC_CC_QUICK_ADAPTS), 1u);
    c.cc.qa_end = c.now + 1;
    c.lose(MRC_CC_TRIMMED);
    EXPECT_EQ(c.cc.cwnd, 1000u) << "this is the last of it";
}

TEST(CcQuickAdapt, WhatHasNoMarkIsNotIgnored)
{
    Context c;
    c.at(10000).openPeriod();
    c.cc.to_ignore = 10000;
    c.ack(3 * kTarget, true);
    EXPECT_EQ(c.count(MRC_CC_DECREASE), 0u);
    c.ack(3 * kTarget);
    EXPECT_EQ(c.count(MRC_CC_FAIR), 1u);
}

TEST(CcQuickAdapt, Disabled)
{
    mrc_cc_params p = params();
    p.disable_qa = true;
    Context c(p);
    c.at(1000000).lose(MRC_CC_TRIMMED);
    for (int i = 0; i < 3; ++i) {
        c.now += 2 * kPeriod;
        c.lose(MRC_CC_TRIMMED);
    }
    EXPECT_EQ(c.cc.cwnd, 996000u);
    EXPECT_EQ(c.count(MRC_CC_QUICK_ADAPTS), 0u);
}

TEST(CcQuickAdapt, WithoutTrimmingAtLongDelays)
{
    mrc_cc_params p = params();
    p.trimming = false;
    for (const u32 more : {0u, 1u}) {
        Context c(p);
        c.at(1000000).openPeriod();
        c.now += 2 * kBase;
        c.ack(4 * kBase + more);
        EXPECT_EQ(c.count(MRC_CC_QUICK_ADAPTS), more);
        EXPECT_EQ(c.count(MRC_CC_FAIR), 1 - more);
    }
}

TEST(CcQuickAdapt, NeverLessThanAPacket)
{
    Context c;
    c.at(1000000).openPeriod();
    c.now += kPeriod;
    c.lose(MRC_CC_TRIMMED);
    EXPECT_EQ(c.cc.cwnd, kMtu);
}

/* ---- losses --------------------------------------------------------------- */

TEST(CcLoss, EachCause)
{
    const struct {
        mrc_cc_cause cause;
        u32 cwnd;
        bool trigger;
    } cases[] = {{MRC_CC_LOST, 997000, false},
                 {MRC_CC_PORT, 1000000, false},
                 {MRC_CC_TRIMMED, 997000, true},
                 {MRC_CC_REFUSED, 1000000, false}};
    for (const auto &k : cases) {
        Context c;
        c.at(1000000).lose(k.cause, 3000);
        EXPECT_EQ(c.cc.cwnd, k.cwnd) << k.cause;
        EXPECT_EQ(c.cc.qa_trigger, k.trigger) << k.cause;
        EXPECT_EQ(c.cc.inflight, 997000u) << k.cause;
        EXPECT_EQ(c.count(MRC_CC_TRIMS), k.trigger ? 1u : 0u) << k.cause;
    }
}

TEST(CcLoss, OnlyTrimsBringQuickAdapt)
{
    for (const mrc_cc_cause cause : {MRC_CC_LOST, MRC_CC_PORT, MRC_CC_REFUSED}) {
        Context c;
        c.at(1000000).openPeriod();
        c.now += kPeriod;
        c.lose(cause);
        c.ack(2000);
        EXPECT_EQ(c.count(MRC_CC_QUICK_ADAPTS), 0u) << cause;
    }
}

TEST(CcLoss, NeverLessThanAPacket)
{
    for (const mrc_cc_cause cause : {MRC_CC_LOST, MRC_CC_TRIMMED}) {
        Context c;
        c.at(3000).lose(cause, 3000);
        EXPECT_EQ(c.cc.cwnd, kMtu);
    }
}

TEST(CcLoss, ATrimCountsAsABaseRttOfDelay)
{
    Context c;
    c.at(1000000).now += kBase;
    c.lose(MRC_CC_TRIMMED);
    EXPECT_EQ(c.cc.avg_ns, kBase);
    EXPECT_EQ(c.cc.base_ns, kBase);
}

/* The configured base RTT, not a shorter one that was seen: that might be below the target. */
TEST(CcLoss, ATrimCountsAsTheBaseRttThatIsSet)
{
    Context c;
    c.at(1000000).learn({.acked = 1, .rtt_ns = kBase / 2});
    ASSERT_EQ(c.cc.base_ns, kBase / 2);
    c.now += kBase;
    c.lose(MRC_CC_TRIMMED);
    EXPECT_EQ(c.cc.avg_ns, kBase);
}

/* ---- capacity ------------------------------------------------------------- */

TEST(CcCapacity, TheLargestWindowFollowsThePlanes)
{
    Context c;
    mrc_cc_capacity(&c.cc, 4, 4);
    EXPECT_EQ(c.cc.max_cwnd, kMax);
    EXPECT_EQ(c.cc.cwnd, kMax);
    mrc_cc_capacity(&c.cc, 3, 4);
    EXPECT_EQ(c.cc.max_cwnd, kMax / 4 * 3);
    EXPECT_EQ(c.cc.cwnd, kMax / 4 * 3);
    c.cc.cwnd = 1000000;
    mrc_cc_capacity(&c.cc, 4, 4);
    EXPECT_EQ(c.cc.max_cwnd, kMax);
    EXPECT_EQ(c.cc.cwnd, 1000000u) << "it grows by what arrives";
    mrc_cc_capacity(&c.cc, 2, 4);
    EXPECT_EQ(c.cc.cwnd, 500000u);
    EXPECT_EQ(c.cc.base_ns, kBase);
    EXPECT_FALSE(c.cc.qa_trigger);
}

/* The result is the same whether the planes or the losses with them are reported first. */
TEST(CcCapacity, ALostPlaneCountsOnce)
{
    const struct {
        u32 from, to;
    } cases[] = {{2, 1}, {4, 3}};
    for (const auto &k : cases) {
        for (const bool lossFirst : {false, true}) {
            Context c;
            mrc_cc_capacity(&c.cc, k.from, k.from);
            c.at(kMax);
            const u32 lost = kMax / k.from * (k.from - k.to);
            if (lossFirst)
                c.lose(MRC_CC_PORT, lost);
            mrc_cc_capacity(&c.cc, k.to, k.from);
            if (!lossFirst)
                c.lose(MRC_CC_PORT, lost);
            EXPECT_EQ(c.cc.cwnd, kMax / k.from * k.to) << k.from;
            EXPECT_EQ(c.cc.max_cwnd, kMax / k.from * k.to) << k.from;
            EXPECT_EQ(c.cc.inflight, kMax - lost) << k.from;
        }
    }
}

TEST(CcCapacity, WhatThePeerAskedForIsNotUndoneByMoreThanThePlanesHold)
{
    Context c;
    mrc_cc_capacity(&c.cc, 2, 2);
    c.at(1000000).learn({.acked = 1, .landed = 1, .penalty = 127});
    mrc_cc_capacity(&c.cc, 1, 2);
    c.learn({.acked = 1, .landed = 1, .restore = true});
    EXPECT_EQ(c.cc.cwnd, 500000u);
}

TEST(CcCapacity, NoPlanesCountAsOne)
{
    Context c;
    mrc_cc_capacity(&c.cc, 0, 4);
    EXPECT_EQ(c.cc.max_cwnd, kMax / 4);
    mrc_cc_capacity(&c.cc, 0, 0);
    EXPECT_EQ(c.cc.max_cwnd, kMax);
    mrc_cc_capacity(&c.cc, 7, 4);
    EXPECT_EQ(c.cc.max_cwnd, kMax);
}

TEST(CcCapacity, LinksThatHaveBecomeFaster)
{
    mrc_cc_params p = params();
    p.max_cwnd = 0;
    Context c(p);
    mrc_cc_capacity(&c.cc, 1, 2);
    const u64 rate = c.cc.p.rate;
    const u32 half = c.cc.max_cwnd;
    mrc_cc_links(&c.cc, rate, 4);
    EXPECT_EQ(c.cc.max_cwnd, half) << "they have not";
    mrc_cc_links(&c.cc, rate * 2, 4);
    EXPECT_EQ(c.cc.max_cwnd, half * 3) << "one of the old planes is up, and two new ones";
    mrc_cc_links(&c.cc, rate, 2);
    EXPECT_EQ(c.cc.max_cwnd, half * 3) << "slower ones are no news";
    mrc_cc_links(&c.cc, rate * 4, 4);
    EXPECT_EQ(c.cc.max_cwnd, half * 6) << "as many";
}

TEST(CcCapacity, BeforeAnythingIsMeasured)
{
    mrc_cc_params p = params();
    p.base_rtt_ns = 0;
    Context c(p);
    const u32 guess = c.cc.max_cwnd;
    EXPECT_EQ(guess, kMax) << "what a host adds is a tenth of it";
    mrc_cc_capacity(&c.cc, 1, 2);
    EXPECT_EQ(c.cc.max_cwnd, guess / 2);
    EXPECT_EQ(c.cc.base_ns, 0u);
    c.ack(0);
    EXPECT_EQ(c.cc.base_ns, kBase);
    EXPECT_EQ(c.cc.cwnd, kMax / 2);
}

/* ---- the receiver --------------------------------------------------------- */

TEST(CcPenalty, TakesAPartOfWhatArrived)
{
    const struct {
        u8 penalty;
        u32 cwnd;
    } cases[] = {{1, 999000 - 7}, {64, 999000 - 500}, {127, 999000 - 992}};
    for (const auto &k : cases) {
        Context c;
        c.at(1000000);
        c.learn({.acked = kMtu, .landed = kMtu, .waiting = true, .penalty = k.penalty});
        EXPECT_EQ(c.cc.cwnd, k.cwnd) << "of what is in flight";
        EXPECT_EQ(c.cc.saved, 1000000u);
        EXPECT_EQ(c.count(MRC_CC_PENALTIES), 1u);
    }
}

TEST(CcPenalty, BlocksIncreases)
{
    for (const u32 delay : {0u, 2000u, 3 * kTarget}) {
        Context c;
        c.at(100000);
        mrc_cc_news n = c.acked(kMtu, delay, false);
        n.penalty = 1;
        for (int i = 0; i < 90; ++i)
            c.learn(n);
        EXPECT_LE(c.cc.cwnd, 10000u);
        EXPECT_EQ(c.count(MRC_CC_PROPORTIONAL) + c.count(MRC_CC_FAIR) + c.count(MRC_CC_FAST), 0u);
    }
}

TEST(CcPenalty, IsTakenBackOnce)
{
    Context c;
    c.at(1000000);
    for (int i = 0; i < 5; ++i)
        c.learn({.acked = kMtu, .landed = kMtu, .penalty = 127});
    EXPECT_EQ(c.cc.saved, 1000000u) << "the window before the first";
    c.learn({.acked = kMtu, .landed = kMtu});
    EXPECT_LT(c.cc.cwnd, 1000000u) << "not without being told";
    c.learn({.acked = kMtu, .landed = kMtu, .restore = true});
    EXPECT_EQ(c.cc.cwnd, 1000000u);
    c.cc.cwnd = 5000;
    c.learn({.acked = kMtu, .landed = kMtu, .restore = true});
    EXPECT_EQ(c.cc.cwnd, 5000u);
}

TEST(CcPenalty, WhatIsTakenBackNeverMakesTheWindowSmaller)
{
    Context c;
    c.at(5000).learn({.acked = kMtu, .landed = kMtu, .penalty = 1});
    c.cc.cwnd = 90000;
    c.learn({.acked = kMtu, .landed = kMtu, .restore = true});
    EXPECT_EQ(c.cc.cwnd, 90000u);
    EXPECT_EQ(c.cc.saved, 0u);
}

TEST(CcPenalty, APauseTakesItBack)
{
    for (const u64 pause : {u64{kBase}, u64{kBase} + 1}) {
        Context c;
        c.at(1000000).learn({.acked = kMtu, .landed = 1000000, .penalty = 127});
        const u32 smaller = c.cc.cwnd;
        c.now += pause;
        mrc_cc_sent(&c.cc, kMtu, c.now);
        EXPECT_EQ(c.cc.cwnd, pause > kBase ? 1000000u : smaller);
        EXPECT_EQ(c.cc.saved, pause > kBase ? 0u : 1000000u);
    }
}

TEST(CcPenalty, NeverLessThanAPacketNorMoreThanTheLargestWindow)
{
    Context c;
    c.at(5000).learn({.acked = 4999, .landed = 4999, .penalty = 127});
    EXPECT_EQ(c.cc.cwnd, kMtu);
    c.cc.saved = kMax;
    mrc_cc_capacity(&c.cc, 1, 2);
    c.learn({.acked = 1, .landed = 1, .restore = true});
    EXPECT_EQ(c.cc.cwnd, kMax / 2);
}

/* ---- round trips ---------------------------------------------------------- */

TEST(CcBase, WithoutARoundTripOnlyBytesCount)
{
    Context c;
    c.at(1000000).now += 2 * kBase;
    c.learn({.acked = 9000, .landed = 9000, .marked = true, .waiting = true});
    EXPECT_EQ(c.cc.cwnd, 1000000u);
    EXPECT_EQ(c.cc.inflight, 991000u);
    EXPECT_EQ(c.cc.received, 9000u);
    EXPECT_EQ(c.cc.achieved, 9000u);
    EXPECT_EQ(c.cc.ignored, 9000u);
    EXPECT_EQ(c.cc.qa_end, 0u);
}

TEST(CcBase, AShorterRoundTripLowersIt)
{
    Context c;
    c.learn({.acked = 1, .rtt_ns = kBase - 1});
    EXPECT_EQ(c.cc.base_ns, kBase - 1) << "hosts that differ in it get different shares";
    c.learn({.acked = 1, .rtt_ns = 8999});
    EXPECT_EQ(c.cc.base_ns, 8999u);
    c.learn({.acked = 1, .rtt_ns = 9000});
    EXPECT_EQ(c.cc.base_ns, 8999u);
    EXPECT_EQ(c.cc.max_cwnd, 2024775u) << "one and a half times what this holds";
    EXPECT_EQ(c.cc.cwnd, 2024775u);
    EXPECT_EQ(c.cc.d.target_ns, kTarget) << "the rest goes by what is set";
    EXPECT_EQ(c.cc.d.fi, 50000u);
}

TEST(CcBase, MeasuredWithTheFirstRoundTrip)
{
    mrc_cc_params p = params();
    p.base_rtt_ns = 0;
    Context c(p);
    EXPECT_EQ(c.cc.base_ns, 0u);
    c.ack(0);
    EXPECT_EQ(c.cc.base_ns, kBase);
    EXPECT_EQ(c.cc.cwnd, kMax);
    EXPECT_EQ(c.cc.max_cwnd, kMax);
    EXPECT_EQ(c.cc.d.fi, 50000u) << "all follows";
    c.learn({.acked = 1, .rtt_ns = kBase / 2});
    EXPECT_EQ(c.cc.d.fi, 25000u);
    EXPECT_EQ(c.cc.d.target_ns, kTarget / 2);
}

TEST(CcBase, ALongerOneThanWasGuessedOpensTheWindow)
{
    mrc_cc_params p = params();
    p.base_rtt_ns = 0;
    Context c(p);
    c.learn({.acked = kMtu, .rtt_ns = 2 * kBase});
    EXPECT_EQ(c.cc.base_ns, 2 * kBase);
    EXPECT_EQ(c.cc.cwnd, 2 * kMax);
}

TEST(CcBase, AWindowThatWasCutStaysCut)
{
    mrc_cc_params p = params();
    p.base_rtt_ns = 0;
    Context c(p);
    c.at(c.cc.cwnd).lose(MRC_CC_TRIMMED);
    const u32 cut = c.cc.cwnd;
    c.ack(1000000);
    EXPECT_GT(c.cc.max_cwnd, cut);
    EXPECT_LT(c.cc.cwnd, cut + 10000);
}

namespace
{

/// A context with a measured base RTT: kBase.
Context measured()
{
    mrc_cc_params p = params();
    p.base_rtt_ns = 0;
    Context c(p);
    mrc_cc_sent(&c.cc, kMtu, c.now);
    c.now += kBase;
    c.ack(0);
    EXPECT_EQ(c.cc.base_ns, kBase);
    return c;
}

/// A packet is sent when nothing is in flight, and takes @p rtt.
void alone(Context &c, u64 rtt)
{
    c.now += 1000000;
    mrc_cc_sent(&c.cc, kMtu, c.now);
    c.now += rtt;
    c.learn({.acked = kMtu, .landed = kMtu, .rtt_ns = rtt});
}

void longFor(Context &c, u64 ns, u64 rtt)
{
    for (const u64 end = c.now + ns; c.now < end; c.now += 100000000)
        alone(c, rtt);
}

} // namespace

TEST(CcBase, RisesWhenTheWayIsLonger)
{
    Context c = measured();
    longFor(c, 3 * kSec, 15000);
    EXPECT_EQ(c.cc.base_ns, kBase);
    longFor(c, 2 * kSec, 15000);
    EXPECT_EQ(c.cc.base_ns, kBase) << "one was short in the first four seconds";
    longFor(c, 4 * kSec, 15000);
    EXPECT_EQ(c.cc.base_ns, 15000u);
    EXPECT_EQ(c.cc.max_cwnd, kMax / 2 * 3);
    alone(c, kBase);
    EXPECT_EQ(c.cc.base_ns, kBase) << "at once";
}

/* The longer round trip may come from standing queues of others. */
TEST(CcBase, RisesToTwiceTheShortestRoundTrip)
{
    Context c = measured();
    longFor(c, 100 * kSec, 35000);
    EXPECT_EQ(c.cc.base_ns, 2 * kBase);
}

/* If all flows steer by delay, no queue is that long. 100 Gb/s, 61 us instead of 10. */
TEST(CcBase, AWayThatIsMuchLongerIsLearnedAnew)
{
    mrc_cc_params p = params();
    p.base_rtt_ns = 0;
    p.rate = 12'500'000'000;
    Context c(p);
    alone(c, kBase);
    longFor(c, 10 * kSec, 61000);
    EXPECT_EQ(c.cc.base_ns, 61000u);
    EXPECT_NEAR(c.cc.max_cwnd, 1'143'750, 1000);
    longFor(c, 10 * kSec, 35000);
    EXPECT_EQ(c.cc.base_ns, 35000u);
}

/* If switches mark, queues of others have marks. */
TEST(CcBase, WithoutAMarkAmongMarksItIsALongerWay)
{
    for (const bool marked : {false, true}) {
        Context c = measured();
        longFor(c, 5 * kSec, kBase);
        c.ack(0, true);
        for (int i = 0; i < 50; ++i) {
            c.ack(35000, marked);
            longFor(c, kSec / 10, 35000);
        }
        longFor(c, 5 * kSec, 35000);
        if (!marked)
            EXPECT_EQ(c.cc.base_ns, 35000u);
        else
            EXPECT_EQ(c.cc.base_ns, 2 * kBase);
    }
}

namespace
{

/// For @p ns, something is always in flight as far as there is room: each packet takes @p rtt.
void busyFor(Context &c, u64 ns, u64 rtt)
{
    const auto fill = [&c] {
        if (mrc_cc_room(&c.cc) >= kMtu)
            mrc_cc_sent(&c.cc, mrc_cc_room(&c.cc), c.now);
    };
    const auto land = [&c](u32 bytes, u64 rtt) {
        c.learn({.acked = bytes, .landed = bytes, .rtt_ns = rtt, .waiting = true});
    };
    for (const u64 end = c.now + ns; c.now < end;) {
        fill();
        c.now += rtt;
        land(static_cast<u32>(c.cc.inflight) - kMtu, rtt);
        fill();
        land(kMtu, 0);
    }
}

} // namespace

/*
 * A sender that always has packets in flight waits once until all have arrived, to send a packet
 * alone.
 */
TEST(CcBase, AWayThatIsLongerIsLearnedByWhoNeverPauses)
{
    Context c = measured();
    busyFor(c, 9 * kSec, 61000);
    EXPECT_EQ(c.cc.base_ns, 61000u);
    EXPECT_EQ(c.cc.drained, 0u);
    EXPECT_GE(c.cc.cwnd, kMax) << "and goes on as before";
}

TEST(CcBase, NobodyWaitsWhoseRoundTripsAreShort)
{
    Context c = measured();
    for (int i = 0; i < 1000; ++i) {
        busyFor(c, 10'000'000, kBase + 500);
        ASSERT_EQ(c.cc.drained, 0u);
    }
}

TEST(CcBase, RisesByASixteenthAtLeast)
{
    Context c = measured();
    longFor(c, 30 * kSec, kBase + 1000);
    EXPECT_EQ(c.cc.base_ns, kBase) << "and a microsecond";
    longFor(c, 30 * kSec, kBase + 1001);
    EXPECT_EQ(c.cc.base_ns, kBase + 1001);
}

TEST(CcBase, OneFastPacketInFourSecondsKeepsIt)
{
    Context c = measured();
    for (int i = 0; i < 12; ++i) {
        longFor(c, 3 * kSec / 2, 15000);
        alone(c, kBase + 500);
    }
    EXPECT_EQ(c.cc.base_ns, kBase);
}

TEST(CcBase, PacketsBehindOthersDoNotRaiseIt)
{
    Context c = measured();
    mrc_cc_sent(&c.cc, kMtu, c.now);
    for (int i = 0; i < 300; ++i) {
        c.now += 100000000;
        mrc_cc_sent(&c.cc, kMtu, c.now);
        c.now += 15000;
        c.learn({.acked = kMtu, .landed = kMtu, .rtt_ns = 15000});
    }
    EXPECT_EQ(c.cc.base_ns, kBase);
}

TEST(CcBase, OneThatIsSetDoesNotRise)
{
    Context c;
    longFor(c, 30 * kSec, 15000);
    EXPECT_EQ(c.cc.base_ns, kBase);
}

TEST(CcAverage, TakesTimeNotSamples)
{
    u32 after[3];
    u32 *out = after;
    for (const unsigned perRtt : {1u, 16u, 100u}) {
        Context c;
        c.at(1000000);
        for (unsigned i = 0; i < 4 * perRtt; ++i) {
            c.now += kBase / perRtt;
            c.ack(4000, true);
        }
        *out++ = c.cc.avg_ns;
    }
    EXPECT_EQ(after[0], 4000u);
    EXPECT_NEAR(after[1], 4000, 100);
    EXPECT_NEAR(after[2], 4000, 200);
    EXPECT_NEAR(after[1], after[2], 150);
}

TEST(CcAverage, FollowsDownAndIgnoresWhatTakesNoTime)
{
    Context c;
    c.at(1000000).now += kBase;
    c.ack(8000, true);
    c.now += kBase / 4;
    c.ack(0, true);
    EXPECT_EQ(c.cc.avg_ns, 6000u);
    c.acks(100, 0, true);
    EXPECT_EQ(c.cc.avg_ns, 6000u);
    c.now -= kBase;
    c.ack(0, true);
    EXPECT_EQ(c.cc.avg_ns, 6000u) << "another CPU's clock";
    c.now += kBase;
    c.ack(0, true);
    EXPECT_EQ(c.cc.avg_ns, 6000u) << "no time has passed since";
}

/* ---- senders that have little to send ------------------------------------- */

TEST(CcApplication, AWindowThatIsNotUsedDoesNotGrow)
{
    for (const u32 delay : {0u, 2000u, 3 * kTarget}) {
        Context c;
        c.cc.cwnd = 100000;
        for (int i = 0; i < 90; ++i) {
            mrc_cc_sent(&c.cc, 49999, c.now);
            mrc_cc_news n = c.acked(49999, delay, false);
            n.waiting = false;
            c.learn(n);
        }
        EXPECT_EQ(c.cc.cwnd, 100000u);
        mrc_cc_sent(&c.cc, 50000, c.now);
        mrc_cc_news n = c.acked(50000, delay, false);
        n.waiting = false;
        c.learn(n);
        EXPECT_EQ(c.count(MRC_CC_PROPORTIONAL) + c.count(MRC_CC_FAIR), 1u) << "half of it is use";
    }
}

TEST(CcApplication, WhatWaitsShowsThatTheWindowLimits)
{
    Context c;
    c.cc.cwnd = 1000000;
    c.acks(9, 3 * kTarget);
    EXPECT_EQ(c.cc.cwnd, 1000450u);
}

TEST(CcApplication, SignsOfCongestionCountAllTheSame)
{
    Context c;
    c.cc.cwnd = 1000000;
    c.now += 2 * kBase;
    mrc_cc_news n = c.acked(kMtu, 2 * kTarget, true);
    n.waiting = false;
    c.learn(n);
    EXPECT_EQ(c.cc.cwnd, 601500u);
}

TEST(CcApplication, AfterAPauseNothingIsKnownOfQueues)
{
    Context c;
    c.at(10000).now += kBase;
    c.ack(kTarget, false, 9000);
    c.lose(MRC_CC_TRIMMED);
    const u32 cwnd = c.cc.cwnd;
    const u32 avg = c.cc.avg_ns;
    ASSERT_GT(avg, 0u);
    c.now += kBase;
    mrc_cc_sent(&c.cc, kMtu, c.now);
    EXPECT_EQ(c.cc.avg_ns, avg) << "a base RTT is none";
    EXPECT_TRUE(c.cc.qa_trigger);
    c.learn({.acked = kMtu, .landed = kMtu});
    c.now += kBase + 1;
    mrc_cc_sent(&c.cc, kMtu, c.now);
    EXPECT_EQ(c.cc.avg_ns, 0u);
    EXPECT_EQ(c.cc.qa_end, 0u);
    EXPECT_FALSE(c.cc.qa_trigger);
    EXPECT_EQ(c.cc.cwnd, cwnd);
}

/* A second on a kernel's clock, here ten thousand round trips. */
TEST(CcApplication, ALongPauseBeginsAnew)
{
    Context c;
    c.at(kMtu).lose(MRC_CC_LOST);
    ASSERT_EQ(c.cc.cwnd, kMtu);
    c.now += nic().quiet;
    mrc_cc_sent(&c.cc, kMtu, c.now);
    EXPECT_EQ(c.cc.cwnd, kMtu);
    c.learn({.acked = kMtu, .landed = kMtu});
    c.now += nic().quiet + 1;
    mrc_cc_sent(&c.cc, kMtu, c.now);
    EXPECT_EQ(c.cc.cwnd, kMax);
    c.learn({.acked = kMtu, .landed = kMtu});
    c.cc.planes = 4;
    c.cc.live = 4;
    mrc_cc_capacity(&c.cc, 1, 4);
    c.cc.cwnd = kMtu;
    c.now += 2 * nic().quiet;
    mrc_cc_sent(&c.cc, kMtu, c.now);
    EXPECT_EQ(c.cc.cwnd, kMax / 4) << "what there is now";
}

/* ---- nothing is set ------------------------------------------------------- */

namespace
{

/// A kernel's context, with four links of 10 Gb/s.
struct Unset : Context {
    Unset() : Context(unset())
    {
        const mrc_cc_params p = unset();
        mrc_cc_init(&cc, &p, &mrc_timing_software, now);
    }

    static mrc_cc_params unset()
    {
        mrc_cc_params p = params();
        p.rate = 5'000'000'000;
        p.trimming = false;
        p.base_rtt_ns = 0;
        return p;
    }
};

constexpr u32 kMs = 1000000;

} // namespace

TEST(CcUnset, BeginsWithLittleAndDoublesSoon)
{
    Unset c;
    EXPECT_EQ(c.cc.cwnd, mrc_timing_software.cc_start);
    EXPECT_GE(c.cc.max_cwnd, mrc_timing_software.cc_room);
    c.ack(0);
    for (int i = 0; i < 8; ++i)
        c.ack(kMs, false, c.cc.cwnd);
    EXPECT_GE(c.cc.cwnd, 2 * mrc_timing_software.cc_start);
}

TEST(CcUnset, ABaseRttOrAWindowThatIsSetBeginsWithAllOfIt)
{
    mrc_cc_params p = Unset::unset();
    p.base_rtt_ns = kMs;
    mrc_cc cc;
    mrc_cc_init(&cc, &p, &mrc_timing_software, kStart);
    EXPECT_EQ(cc.cwnd, 7500000u);
    p.base_rtt_ns = 0;
    p.max_cwnd = 3000000;
    mrc_cc_init(&cc, &p, &mrc_timing_software, kStart);
    EXPECT_EQ(cc.cwnd, 3000000u);
}

TEST(CcUnset, DelayBeyondABusyHostsCountsAsAMark)
{
    Unset c;
    c.ack(0);
    EXPECT_EQ(c.cc.d.target_ns, 8 * kMs);
    const u32 cwnd = c.cc.cwnd;
    c.now += 10 * kMs;
    c.ack(8 * kMs - 1);
    EXPECT_GE(c.cc.cwnd, cwnd);
    c.now += 10 * kMs;
    c.ack(16 * kMs);
    EXPECT_EQ(c.count(MRC_CC_CUTS), 1u);
    EXPECT_NEAR(c.cc.cwnd, cwnd * 0.6, cwnd / 50);
    c.now += 10 * kMs;
    c.ack(16 * kMs);
    EXPECT_EQ(c.count(MRC_CC_CUTS), 1u) << "a round trip is as long as it is";
    c.now += 7 * kMs;
    c.ack(16 * kMs);
    EXPECT_EQ(c.count(MRC_CC_CUTS), 2u);
}

TEST(CcUnset, IncreasesAreAPacketInARoundTrip)
{
    Unset c;
    c.ack(0);
    c.now += 20 * kMs;
    c.ack(16 * kMs);
    c.now += 20 * kMs;
    const u32 cwnd = c.cc.cwnd;
    c.ack(2 * kMs, false, cwnd);
    EXPECT_GT(c.cc.cwnd, cwnd);
    EXPECT_LE(c.cc.cwnd, cwnd + kMtu);
}

TEST(CcUnset, OnceMarksComeItGoesByMarks)
{
    Unset c;
    c.cc.p.disable_qa = true;
    c.ack(0);
    c.ack(0, true);
    EXPECT_EQ(c.cc.d.target_ns, 10000u);
    c.now += 9 * kSec;
    u32 cwnd = c.cc.cwnd;
    c.ack(20 * kMs, false, 0);
    EXPECT_GE(c.cc.cwnd, cwnd);
    EXPECT_EQ(c.count(MRC_CC_FAIR), 1u);
    c.now += kSec;
    c.ack(0);
    EXPECT_EQ(c.cc.d.target_ns, 8 * kMs) << "none has come for ten seconds";
    c.now += 20 * kMs;
    cwnd = c.cc.cwnd;
    c.ack(20 * kMs);
    EXPECT_LT(c.cc.cwnd, cwnd);
}

TEST(CcUnset, WhatIsSaidIsBelieved)
{
    for (const bool trimming : {false, true}) {
        mrc_cc_params p = Unset::unset();
        p.trimming = trimming;
        p.ecn_absent = !trimming;
        mrc_cc cc;
        mrc_cc_init(&cc, &p, &mrc_timing_software, kStart);
        EXPECT_FALSE(cc.by_delay);
        EXPECT_EQ(cc.cwnd, cc.max_cwnd);
    }
    mrc_cc_params p = Unset::unset();
    p.target_ns = 123456;
    mrc_cc cc;
    mrc_cc_init(&cc, &p, &mrc_timing_software, kStart);
    EXPECT_TRUE(cc.by_delay);
    EXPECT_EQ(cc.d.target_ns, 123456u);
}

/* Random losses are fewer than one packet in eight of a round trip, and of the next one. */
TEST(CcUnset, ManyLossesCutTheWindowOnce)
{
    Unset c;
    c.ack(0);
    c.at(100000);
    c.now += kMs;
    for (int i = 0; i < 13; ++i)
        c.lose(MRC_CC_LOST);
    EXPECT_EQ(c.cc.cwnd, 100000u) << "of one round trip";
    c.now += c.cc.base_ns + 1;
    for (int i = 0; i < 12; ++i)
        c.lose(MRC_CC_LOST);
    EXPECT_EQ(c.cc.cwnd, 100000u);
    c.lose(MRC_CC_LOST);
    EXPECT_EQ(c.cc.cwnd, 50000u);
    for (int i = 0; i < 20; ++i)
        c.lose(MRC_CC_LOST);
    EXPECT_EQ(c.cc.cwnd, 50000u) << "they are of the same round trip";
}

/*
 * Packets that share an skb are lost together: two skbs are two losses, however many packets they
 * have.
 */
TEST(CcUnset, LossesOfALinkLeaveTheWindow)
{
    Unset c;
    c.ack(0);
    c.at(100000);
    for (int i = 0; i < 100; ++i) {
        c.now += kMs;
        c.lose(MRC_CC_LOST, 8 * kMtu);
        c.lose(MRC_CC_LOST, 8 * kMtu);
        ASSERT_EQ(c.cc.cwnd, 100000u) << i;
        c.ack(0);
        c.at(100000);
    }
}

/* Even a few losses, far apart: nothing of what is sent has room. */
TEST(CcUnset, AWindowThatIsLostWholeAgainIsCut)
{
    Unset c;
    c.ack(0);
    c.at(100000);
    c.lose(MRC_CC_LOST, 100000);
    EXPECT_EQ(c.cc.cwnd, 100000u) << "once a path that has died loses all";
    for (u32 left : {50000u, 25000u, 12500u}) {
        c.now += 10 * kMs;
        c.lose(MRC_CC_LOST, c.cc.cwnd);
        EXPECT_EQ(c.cc.cwnd, left);
    }
    c.now += 10 * kMs;
    c.ack(0);
    const u32 cwnd = c.cc.cwnd;
    c.lose(MRC_CC_LOST, cwnd);
    EXPECT_EQ(c.cc.cwnd, cwnd) << "something has arrived since";
}

namespace
{

/// A window of 100000 that has met a limit and is emptied to see whether the path is shorter.
Unset emptied()
{
    Unset c;
    c.ack(0);
    c.at(100000).cc.met = true;
    c.now += 300 * kMs;
    c.ack(kMs);
    EXPECT_NEAR(c.cc.drained, 100000, kMtu);
    EXPECT_EQ(c.cc.cwnd, kMtu);
    return c;
}

} // namespace

TEST(CcUnset, AWindowThatIsEmptiedComesBackAsItWas)
{
    Unset c = emptied();
    for (int i = 0; i < 25; ++i) {
        c.now += kMs;
        c.ack(kMs, false, 4 * kMtu);
    }
    c.now += 600 * kMs;
    c.ack(kMs);
    EXPECT_EQ(c.cc.drained, 0u);
    EXPECT_GE(c.cc.cwnd, 100000u);
    EXPECT_LE(c.cc.cwnd, 100000u + 4 * kMtu);
}

TEST(CcUnset, WhatTheReceiverAsksOfAnEmptiedWindowHoldsForTheWholeOne)
{
    Unset c = emptied();
    mrc_cc_news n = c.acked(4 * kMtu, kMs, false);
    n.penalty = 127;
    c.learn(n);
    EXPECT_EQ(c.cc.cwnd, kMtu);
    EXPECT_LT(c.cc.drained, 100000u);
    n.penalty = 0;
    n.restore = true;
    c.learn(n);
    EXPECT_EQ(c.cc.cwnd, kMtu);
    EXPECT_GE(c.cc.drained, 100000u);
}

TEST(CcUnset, AMarkEndsTheWaitForAnEmptyWindow)
{
    Unset c = emptied();
    c.now += kMs;
    c.ack(kMs, true);
    EXPECT_EQ(c.cc.drained, 0u);
    EXPECT_GT(c.cc.cwnd, 50000u);
}

TEST(CcUnset, TwoLossesBeyondTheTargetCutIt)
{
    Unset c;
    c.ack(0);
    c.at(100000).now += 20 * kMs;
    c.ack(9 * kMs);
    const u32 cwnd = c.cc.cwnd;
    c.lose(MRC_CC_LOST);
    EXPECT_EQ(c.cc.cwnd, cwnd - kMtu);
    c.lose(MRC_CC_LOST);
    EXPECT_NEAR(c.cc.cwnd, (cwnd - kMtu) / 2, 1);
}

/* ---- what is in flight ---------------------------------------------------- */

TEST(CcInflight, RoomIsWhatTheWindowLeaves)
{
    Context c;
    c.cc.cwnd = 10000;
    EXPECT_EQ(mrc_cc_room(&c.cc), 10000u);
    mrc_cc_sent(&c.cc, 9999, c.now);
    EXPECT_EQ(mrc_cc_room(&c.cc), 1u);
    mrc_cc_sent(&c.cc, 1000, c.now);
    EXPECT_EQ(mrc_cc_room(&c.cc), 0u) << "a part of a packet had room";
    c.learn({.acked = 1000, .landed = 1000});
    EXPECT_EQ(mrc_cc_room(&c.cc), 1u);
}

TEST(CcInflight, WhatArrivedAfterItWasLostIsNotInFlight)
{
    Context c;
    c.at(10000).lose(MRC_CC_LOST);
    c.learn({.acked = 1000});
    EXPECT_EQ(c.cc.inflight, 9000u);
    EXPECT_EQ(c.cc.achieved, 1000u);
}

TEST(CcInflight, NeverLessThanNothing)
{
    Context c;
    mrc_cc_sent(&c.cc, 1000, c.now);
    c.learn({.acked = 1500, .landed = 1500});
    EXPECT_EQ(c.cc.inflight, 0u);
    EXPECT_EQ(mrc_cc_room(&c.cc), c.cc.cwnd);
    c.learn({.acked = U32_MAX, .landed = U32_MAX, .lost = U32_MAX});
    EXPECT_EQ(c.cc.inflight, 0u);
}

/* ---- a fixed window ------------------------------------------------------- */

TEST(CcNone, NothingChangesIt)
{
    mrc_cc_params p{};
    p.algorithm = MRC_CC_NONE;
    p.max_cwnd = 50000;
    Context c(p);
    for (int i = 0; i < 100; ++i) {
        mrc_cc_sent(&c.cc, 4000, c.now);
        c.now += 10000000;
        mrc_cc_news n = c.acked(1000, i * 1000, i % 2);
        n.lost = 1000;
        n.cause = static_cast<u8>(i % 4);
        n.penalty = static_cast<u8>(i % 3);
        n.restore = i % 5;
        c.learn(n);
        mrc_cc_capacity(&c.cc, i % 3, 4);
        EXPECT_EQ(c.cc.cwnd, 50000u);
        EXPECT_EQ(c.cc.inflight, 2000u * (i + 1));
        EXPECT_EQ(mrc_cc_room(&c.cc), i < 25 ? 50000u - 2000 * (i + 1) : 0);
    }
    for (u64 count : c.cc.count)
        EXPECT_EQ(count, 0u);
}

/* ---- corners -------------------------------------------------------------- */

namespace
{

/// A value of any size, or a value at an end of @p least to @p most.
template <typename Rng>
u64 any(Rng &rng, u64 least, u64 most)
{
    switch (rng() % 8) {
    case 0:
        return least;
    case 1:
        return most;
    default:
        const u64 span = most - least + 1;
        const u64 part = span ? rng() % span : rng();
        return least + (part >> rng() % 32);
    }
}

template <typename Rng>
u32 any32(Rng &rng, u64 least, u64 most)
{
    return static_cast<u32>(any(rng, least, most));
}

template <typename Rng>
u32 perhaps(Rng &rng, u64 least, u64 most)
{
    return rng() % 2 ? 0 : any32(rng, least, most);
}

template <typename Rng>
mrc_cc_params anyParams(Rng &rng)
{
    mrc_cc_params p{};
    p.algorithm = MRC_CC_NSCC;
    p.rate = any(rng, MRC_CC_RATE_MIN, MRC_CC_RATE_MAX);
    p.mtu = any32(rng, 256, 9216);
    p.base_rtt_ns = perhaps(rng, MRC_CC_BASE_RTT_MIN, MRC_CC_BASE_RTT_MAX);
    p.target_ns = perhaps(rng, 1, U32_MAX);
    p.max_cwnd = perhaps(rng, 1, MRC_CC_CWND_MAX);
    p.adjust_bytes = perhaps(rng, 1, U32_MAX);
    p.adjust_ns = perhaps(rng, 1, U32_MAX);
    p.eta = perhaps(rng, 1, MRC_CC_ETA_MAX);
    p.fi = perhaps(rng, 1, MRC_CC_FI_MAX);
    p.fi_scale = perhaps(rng, 1, MRC_CC_FI_SCALE_MAX);
    p.gamma = any32(rng, 0, MRC_CC_ONE);
    p.max_md_jump = any32(rng, 0, MRC_CC_ONE);
    p.qa_threshold_ns = perhaps(rng, 1, U32_MAX);
    p.qa_gate = static_cast<u8>(rng() % (MRC_CC_QA_GATE_MAX + 1));
    p.disable_qa = rng() % 4 == 0;
    p.trimming = rng() % 2;
    p.ecn_absent = rng() % 4 == 0;
    return p;
}

/// News of some of @p inflight, or now and then of more than is possible.
template <typename Rng>
mrc_cc_news anyNews(Rng &rng, const mrc_cc &cc)
{
    const u64 most = rng() % 32 ? std::min<u64>(cc.inflight, 1u << 28) : U32_MAX;
    mrc_cc_news n{};
    n.acked = any32(rng, 0, most);
    n.landed = any32(rng, 0, n.acked);
    n.lost = rng() % 2 ? 0 : any32(rng, 0, most);
    n.cause = static_cast<u8>(rng() % 4);
    n.rtt_ns = rng() % 4 ? cc.base_ns + any(rng, 0, rng() % 8 ? 4ull * cc.base_ns : ~0ull >> 1) : 0;
    n.marked = rng() % 2;
    n.waiting = rng() % 2;
    n.restore = rng() % 8 == 0;
    n.penalty = static_cast<u8>(rng() % 8 ? 0 : rng() % 128);
    return n;
}

void expectSound(const mrc_cc &cc, u64 inflight)
{
    ASSERT_GE(cc.cwnd, cc.p.mtu);
    ASSERT_LE(cc.cwnd, cc.max_cwnd);
    ASSERT_LE(cc.max_cwnd, cc.d.max_cwnd);
    ASSERT_LE(cc.d.max_cwnd, MRC_CC_CWND_MAX);
    ASSERT_EQ(cc.inflight, inflight);
    ASSERT_EQ(mrc_cc_room(&cc), inflight < cc.cwnd ? cc.cwnd - inflight : 0);
    ASSERT_TRUE(inflight || mrc_cc_room(&cc) >= cc.p.mtu);
    ASSERT_LE(cc.avg_ns, MRC_CC_RTT_MAX_NS);
    ASSERT_LE(cc.base_ns, MRC_CC_RTT_MAX_NS);
    ASSERT_TRUE(!cc.base_ns || cc.base_ns >= MRC_CC_BASE_RTT_MIN);
    ASSERT_LE(cc.eta_rest, 255u);
}

template <typename Rng>
void anyEvent(Rng &rng, mrc_cc &cc, u64 &inflight, u64 now)
{
    if (rng() % 64 == 0)
        return mrc_cc_capacity(&cc, rng() % 9, rng() % 9);
    if (rng() % 3) {
        const mrc_cc_news n = anyNews(rng, cc);
        inflight -= std::min(inflight, static_cast<u64>(n.landed) + n.lost);
        return mrc_cc_learn(&cc, &n, now);
    }
    const u32 bytes = rng() % 64 ? any32(rng, 1, 2 * cc.p.mtu) : any32(rng, 1, 1u << 28);
    inflight += bytes;
    mrc_cc_sent(&cc, bytes, now);
}

void runAny(u32 seed)
{
    std::mt19937_64 rng(seed);
    for (int run = 0; run < 300; ++run) {
        const mrc_cc_params p = anyParams(rng);
        u64 now = rng() % 2 ? rng() % 1000 : rng() >> 1;
        u64 inflight = 0;
        mrc_cc cc;
        mrc_cc_init(&cc, &p, rng() % 2 ? &nic() : &mrc_timing_software, now);
        for (int i = 0; i < 300; ++i) {
            anyEvent(rng, cc, inflight, now);
            ASSERT_NO_FATAL_FAILURE(expectSound(cc, inflight))
                << "run " << run << ", event " << i << " of seed " << seed;
            now += any(rng, 0, rng() % 16 ? 2 * cc.d.adjust_ns : 20 * kSec);
            now -= std::min<u64>(now, rng() % 16 ? 0 : rng() % 100000);
        }
    }
}

/// Printed at once, because a failure aborts.
u32 drawnSeed()
{
    const char *given = std::getenv("MRC_CC_SEED");
    const u32 seed =
        given ? static_cast<u32>(std::strtoul(given, nullptr, 0)) : std::random_device()();
    std::cout << "MRC_CC_SEED=" << seed << std::endl;
    return seed;
}

} // namespace

TEST(CcCorners, AnyEvents)
{
    runAny(1);
}

TEST(CcCorners, AnyEventsDrawn)
{
    runAny(drawnSeed());
}

TEST(CcCorners, TheLargestOfEverything)
{
    mrc_cc_params p = params();
    p.rate = MRC_CC_RATE_MAX;
    p.base_rtt_ns = MRC_CC_BASE_RTT_MAX;
    p.fi = MRC_CC_FI_MAX;
    p.fi_scale = MRC_CC_FI_SCALE_MAX;
    Context c(p);
    c.at(MRC_CC_CWND_MAX - 2);
    for (const u32 delay : {0u, 2000u, 800000000u, U32_MAX - MRC_CC_BASE_RTT_MAX}) {
        for (const u32 bytes : {1u << 28, U32_MAX}) {
            c.now += 2ull * MRC_CC_BASE_RTT_MAX;
            c.ack(delay, false, bytes);
            EXPECT_GE(c.cc.cwnd, MRC_CC_CWND_MAX - 2) << delay;
        }
    }
    c.now += 2ull * MRC_CC_BASE_RTT_MAX;
    c.ack(U32_MAX, true);
    EXPECT_NEAR(c.cc.cwnd, MRC_CC_CWND_MAX / 2, MRC_CC_ETA_MAX * 2);
}

/* Products that wrapped would sometimes be small. */
TEST(CcCorners, IncreasesDoNotWrap)
{
    mrc_cc_params p = params();
    p.rate = MRC_CC_RATE_MAX;
    p.base_rtt_ns = MRC_CC_BASE_RTT_MAX;
    Context c(p);
    const mrc_cc_derived d = c.cc.d;
    const double cwnd = MRC_CC_CWND_MAX / 2;
    for (u32 i = 0; i < 3000; ++i) {
        const u32 delay = d.fast_ns + i * 65537;
        const double gain = static_cast<double>(d.alpha_q16) * (d.target_ns - delay) / 65536;
        c.cc.cwnd = static_cast<u32>(cwnd);
        c.ack(delay, false, 1u << 31);
        ASSERT_NEAR(c.cc.cwnd, cwnd + gain * (1u << 31) / cwnd, cwnd / 1000) << i;
    }
}

TEST(CcCorners, TheClockStepsBack)
{
    Context c;
    c.at(1000000).now += 2 * kBase;
    c.ack(2 * kTarget, true);
    ASSERT_EQ(c.cc.cwnd, 601500u);
    c.now -= kBase;
    c.ack(2 * kTarget, true);
    EXPECT_EQ(c.cc.cwnd, 601500u) << "no decrease, and no eta";
    c.now = 0;
    c.acks(8, 2 * kTarget);
    EXPECT_EQ(c.cc.cwnd, 601500u + 8000ull * 50000 / 601500);
}
