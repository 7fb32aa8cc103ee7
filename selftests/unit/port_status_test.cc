// SPDX-License-Identifier: GPL-2.0-only
//
// Tests which of a peer's port statuses counts, and when.

#include "engine/core.h"

#include <gtest/gtest.h>

namespace
{

constexpr std::uint64_t kUs = 1000;
constexpr std::uint64_t kMs = 1000 * kUs;
constexpr std::uint64_t kSec = 1000 * kMs;
constexpr u32 kAll = ~0u;

struct Told {
    mrc_port_status s;
    std::uint64_t now = 5 * kSec;

    Told() { mrc_port_status_init(&s, &mrc_timing_software); }

    /// Return: whether it must be answered.
    bool hear(u32 mask, u16 stamp, bool tsr = true)
    {
        const mrc_ep ep = {
            .op = MRC_EP_PORT_STATUS, .port_mask = mask, .tx_timestamp = stamp, .tsr = tsr};
        return mrc_port_status_hear(&s, &ep, now);
    }

    bool take() { return mrc_port_status_take(&s, now); }

    /// Hears a status and acts on it, at a time when nothing prevents that.
    void told(u32 mask, u16 stamp, bool tsr = true)
    {
        now += kMs;
        EXPECT_TRUE(hear(mask, stamp, tsr));
        take();
        EXPECT_EQ(s.mask, mask);
    }
};

TEST(PortStatus, AllPortsUntilSomethingIsSaid)
{
    Told t;
    EXPECT_EQ(t.s.mask, kAll);
    EXPECT_EQ(mrc_port_status_due(&t.s), U64_MAX);
    EXPECT_FALSE(t.take());
}

TEST(PortStatus, TheFirstIsTakenAtOnce)
{
    Told t;
    EXPECT_TRUE(t.hear(1, 0xffff));
    EXPECT_TRUE(t.take());
    EXPECT_EQ(t.s.mask, 1u);
    EXPECT_FALSE(t.take());
}

TEST(PortStatus, StampsInTheSendersUnitTellTheOrder)
{
    Told t;
    t.told(1, 0x8000);
    t.now += kMs;
    EXPECT_FALSE(t.hear(3, 0x7fff));
    EXPECT_FALSE(t.take());
    EXPECT_EQ(t.s.mask, 1u);
    EXPECT_TRUE(t.hear(3, 0x8000));
    t.told(7, 0xf000);
    t.told(3, 0x0001); // the field has wrapped
    t.now += MRC_PORTS_ORDER_NS - 1;
    EXPECT_FALSE(t.hear(1, 0));
    t.now += 1;
    EXPECT_TRUE(t.hear(1, 0));
}

/* In units of 128 ns the field wraps every 8.4 ms: such stamps say nothing. */
TEST(PortStatus, OtherStampsDoNot)
{
    Told t;
    t.told(1, 0x8000, false);
    t.told(3, 0x7fff, false);
    t.told(1, 0x0000, true);
    t.told(3, 0xffff, false);
    t.told(1, 0xfffe, true);
    for (unsigned i = 0; i < 1000; ++i)
        t.told(i % 2 ? 1 : 3, static_cast<u16>(i * 7919), false);
}

TEST(PortStatus, ASecondChangeWaitsForTheMillisecondToEnd)
{
    Told t;
    t.told(1, 10);
    const std::uint64_t change = t.now;
    t.now += 100 * kUs;
    EXPECT_TRUE(t.hear(3, 11)) << "it is answered";
    EXPECT_FALSE(t.take());
    EXPECT_EQ(t.s.mask, 1u);
    EXPECT_EQ(mrc_port_status_due(&t.s), change + kMs);
    t.now = change + kMs - 1;
    EXPECT_FALSE(t.take());
    t.now = change + kMs;
    EXPECT_TRUE(t.take());
    EXPECT_EQ(t.s.mask, 3u);
    EXPECT_EQ(mrc_port_status_due(&t.s), U64_MAX);
}

TEST(PortStatus, TheNewestOfThoseThatWaitIsTaken)
{
    Told t;
    t.told(1, 10);
    const std::uint64_t change = t.now;
    t.now += 100 * kUs;
    EXPECT_TRUE(t.hear(3, 13));
    t.now += 100 * kUs;
    EXPECT_FALSE(t.hear(5, 12)) << "overtaken on its way";
    EXPECT_TRUE(t.hear(7, 14));
    t.now = change + kMs;
    EXPECT_TRUE(t.take());
    EXPECT_EQ(t.s.mask, 7u);
}

TEST(PortStatus, WhatIsAsBeforeInTheEndIsNoChange)
{
    Told t;
    t.told(1, 10);
    t.now += 100 * kUs;
    EXPECT_TRUE(t.hear(3, 11));
    EXPECT_TRUE(t.hear(1, 12));
    EXPECT_EQ(mrc_port_status_due(&t.s), U64_MAX);
    t.now += kMs;
    EXPECT_FALSE(t.take());
}

/* In a flood of changes one change per millisecond is taken, and the last one at the end. */
TEST(PortStatus, AFloodCausesOneChangeAMillisecond)
{
    Told t;
    unsigned changes = 0;
    for (unsigned i = 0; i < 10000; ++i) {
        t.now += 10 * kUs;
        EXPECT_TRUE(t.hear(i % 3 + 1, 0, false));
        changes += t.take();
    }
    EXPECT_LE(changes, 101u);
    EXPECT_GE(changes, 50u);
    EXPECT_TRUE(t.hear(0xff, 0, false));
    t.now += kMs;
    t.take();
    EXPECT_EQ(t.s.mask, 0xffu);
}

TEST(PortStatus, OurStampsTurnOverInFourSeconds)
{
    EXPECT_EQ(mrc_port_stamp(0), 0);
    EXPECT_EQ(mrc_port_stamp(65535), 0);
    EXPECT_EQ(mrc_port_stamp(65536), 1);
    EXPECT_EQ(mrc_port_stamp((1ull << 32) + 65536), 1);
    EXPECT_LT(MRC_PORTS_ORDER_NS, (1ull << (MRC_PORTS_STAMP_SHIFT + 15)));
}

TEST(PortStatus, AStampThatComesBackTellsWhenItWasSent)
{
    const u64 units[] = {0, 1, 2, 1000, 65535};
    for (u64 sent : {5ull << 32, (5ull << 32) + 65535, (7ull << 32) - 1})
        for (u64 unit : units)
            EXPECT_EQ(mrc_port_stamp_at(mrc_port_stamp(sent), (sent & ~65535ull) + unit * 65536),
                      sent & ~65535ull)
                << sent << " " << unit;
}

} // namespace
