// SPDX-License-Identifier: GPL-2.0-only
//
// Tests what is sent to know the paths, and when; and the port status that is sent.

#include "engine/core.h"

#include <gtest/gtest.h>
#include <vector>

namespace
{

constexpr std::uint64_t kMs = 1'000'000;
constexpr std::uint64_t kSec = 1000 * kMs;

struct Probing {
    std::vector<mrc_ev_entry> entry;
    std::vector<mrc_paths_ev> ev;
    mrc_paths paths;
    mrc_probing p{};

    Probing(int ports, int perPort)
        : entry(static_cast<std::size_t>(ports * perPort)), ev(entry.size())
    {
        for (std::size_t i = 0; i < entry.size(); ++i)
            entry[i].port = static_cast<u8>(1 + i / static_cast<std::size_t>(perPort));
        EXPECT_EQ(mrc_paths_init(&paths, ev.data(), entry.data(), static_cast<u16>(entry.size()), 0,
                                 0, 3),
                  0);
        mrc_paths_ports(&paths, (1u << ports) - 1, ~0u, 1);
        mrc_probing_init(&p, &mrc_timing_software);
    }

    void use(u32 mtu) { mrc_probing_use(&p, mtu, true); }

    void lose(int n, std::uint64_t now)
    {
        for (u16 i = 0; i < n; ++i)
            mrc_paths_report(&paths, MRC_SEEN_SKIP_ALWAYS, i, 0, now);
    }

    u16 next(std::uint64_t now)
    {
        unsigned any;
        return mrc_probing_next(&p, &paths, now, &any);
    }

    unsigned room()
    {
        unsigned room = 0;
        mrc_probing_next(&p, &paths, kSec, &room);
        return room;
    }

    bool hear(u32 mask, std::uint64_t now)
    {
        const mrc_ep ep = {.op = MRC_EP_PORT_STATUS, .port_mask = mask};
        return mrc_probing_hear(&p, &ep, now);
    }
};

TEST(Probing, WithoutQpsNothingIsSent)
{
    Probing f(1, 3);
    f.lose(2, kSec);
    mrc_port_tell_say(&f.p.tell, 1, kSec);
    mrc_probing_tell tell;
    EXPECT_EQ(mrc_probing_at(&f.p, &f.paths), U64_MAX);
    EXPECT_EQ(mrc_probing_ports_at(&f.p, &f.paths), U64_MAX);
    EXPECT_EQ(f.next(9 * kSec), MRC_EV_NONE);
    EXPECT_FALSE(mrc_probing_plan_tell(&f.p, &f.paths, 9 * kSec, &tell));
    EXPECT_FALSE(f.hear(1, kSec));

    f.use(1024);
    EXPECT_EQ(mrc_probing_at(&f.p, &f.paths), kSec + mrc_timing_software.ev_probe);
    EXPECT_EQ(f.next(9 * kSec), 0);
    EXPECT_EQ(f.next(9 * kSec), 1);
    EXPECT_EQ(f.next(9 * kSec), MRC_EV_NONE);
    mrc_probing_use(&f.p, 1024, false);
    EXPECT_EQ(mrc_probing_at(&f.p, &f.paths), U64_MAX);
    EXPECT_TRUE(f.p.met) << "there has been one";
}

TEST(Probing, AnEvIsOfUseWhenItHasRoomForTheLongestPacketsOfAll)
{
    Probing f(1, 2);
    f.use(1024);
    f.use(4096);
    f.use(256);
    EXPECT_EQ(f.room(), 4096 + MRC_WRITE_HDR_MAX + MRC_ICRC_LEN);
    mrc_probing_use(&f.p, 4096, false);
    EXPECT_EQ(f.room(), 1024 + MRC_WRITE_HDR_MAX + MRC_ICRC_LEN);
}

TEST(Probing, WhatBecameOfAProbeIsAccountedFor)
{
    Probing f(1, 5);
    f.use(1024);
    f.lose(1, kSec);
    ASSERT_EQ(f.next(2 * kSec), 0);
    mrc_probing_account(&f.paths, 0, MRC_SENT, 2 * kSec);
    EXPECT_EQ(f.ev[0].probed, 1u);
    ASSERT_EQ(f.next(3 * kSec), 0);
    mrc_probing_account(&f.paths, 0, MRC_SENT_NO_SPACE, 3 * kSec);
    EXPECT_EQ(f.ev[0].probed, 1u);
    EXPECT_EQ(f.entry[0].probe_at, 3 * kSec + 2 * kMs) << "as before, which was the second";
    mrc_probing_account(&f.paths, 1, MRC_SENT_NO_WAY, 3 * kSec);
    mrc_probing_account(&f.paths, 2, MRC_SENT_NO_ROOM, 3 * kSec);
    mrc_probing_account(&f.paths, 3, MRC_SENT_GONE, 3 * kSec);
    EXPECT_EQ(f.entry[1].why, MRC_EV_WHY_NO_ROUTE);
    EXPECT_EQ(f.entry[2].why, MRC_EV_WHY_NO_ROOM);
    EXPECT_EQ(f.entry[3].state, MRC_EV_GOOD);
}

TEST(Probing, PortsOfThePeerAreTakenInTime)
{
    Probing f(2, 2);
    f.use(1024);
    EXPECT_FALSE(mrc_probing_take_ports(&f.p, &f.paths, kSec));
    ASSERT_TRUE(f.hear(2, kSec));
    EXPECT_TRUE(mrc_probing_take_ports(&f.p, &f.paths, kSec));
    EXPECT_FALSE(mrc_ev_port_up(&f.paths.set, 1));
    ASSERT_TRUE(f.hear(3, kSec + 1));
    EXPECT_EQ(mrc_probing_ports_at(&f.p, &f.paths), kSec + mrc_timing_software.ports_change);
    EXPECT_FALSE(mrc_probing_take_ports(&f.p, &f.paths, kSec + 1)) << "too soon";
    EXPECT_TRUE(mrc_probing_take_ports(&f.p, &f.paths, kSec + mrc_timing_software.ports_change));
    EXPECT_TRUE(mrc_ev_port_up(&f.paths.set, 1));
}

TEST(Probing, AStatusThatLeavesNoPortWaits)
{
    Probing f(2, 2);
    f.use(1024);
    ASSERT_TRUE(f.hear(4, kSec)) << "no port that EVs lead to";
    EXPECT_EQ(mrc_probing_ports_at(&f.p, &f.paths), U64_MAX);
    EXPECT_FALSE(mrc_probing_take_ports(&f.p, &f.paths, 9 * kSec));
    ASSERT_TRUE(f.hear(2, 10 * kSec));
    mrc_paths_ports(&f.paths, 1, ~0u, 10 * kSec);
    EXPECT_FALSE(mrc_probing_take_ports(&f.p, &f.paths, 11 * kSec)) << "ours of it is down";
    mrc_paths_ports(&f.paths, 3, ~0u, 12 * kSec);
    EXPECT_TRUE(mrc_probing_take_ports(&f.p, &f.paths, 12 * kSec));
}

TEST(Probing, OurPortsAreSaidAgainUntilThatIsAnswered)
{
    Probing f(2, 2);
    f.use(1024);
    mrc_probing_tell tell;
    mrc_port_tell_say(&f.p.tell, 1, kSec);
    EXPECT_EQ(mrc_probing_ports_at(&f.p, &f.paths), kSec);
    ASSERT_TRUE(mrc_probing_plan_tell(&f.p, &f.paths, kSec, &tell));
    EXPECT_EQ(tell.mask, 1u);
    EXPECT_FALSE(mrc_probing_plan_tell(&f.p, &f.paths, kSec, &tell));
    ASSERT_TRUE(mrc_probing_plan_tell(&f.p, &f.paths, kSec + kMs, &tell));
    EXPECT_EQ(f.p.tell.at, kSec + 3 * kMs) << "twice as long";
    mrc_probing_untold(&f.p, &tell);
    EXPECT_EQ(f.p.tell.at, kSec + 3 * kMs);
    ASSERT_TRUE(mrc_probing_plan_tell(&f.p, &f.paths, kSec + 3 * kMs, &tell));
    EXPECT_EQ(f.p.tell.at, kSec + 5 * kMs) << "no longer for what was not sent";
    mrc_port_tell_answered(&f.p.tell, 3, kSec + 3 * kMs);
    EXPECT_TRUE(f.p.tell.at) << "that was another";
    mrc_port_tell_answered(&f.p.tell, 1, kSec - 1);
    EXPECT_TRUE(f.p.tell.at) << "that was before";
    mrc_port_tell_answered(&f.p.tell, 1, kSec);
    EXPECT_EQ(mrc_probing_ports_at(&f.p, &f.paths), U64_MAX);
}

TEST(Probing, WhatThereIsToSayAnewIsNotPutOff)
{
    mrc_port_tell t;
    mrc_port_tell_init(&t, &mrc_timing_software);
    u64 wait = 0;
    mrc_port_tell_say(&t, 1, kSec);
    ASSERT_TRUE(mrc_port_tell_next(&t, kSec, &wait));
    mrc_port_tell_say(&t, 3, kSec + 1);
    mrc_port_tell_unsent(&t, kSec, wait);
    EXPECT_EQ(t.at, kSec + 1);
}

/* The peer may not be the one that was told before; but two peers must not keep each other busy. */
TEST(Probing, WhoSpeaksIsToldBack)
{
    Probing f(2, 2);
    f.use(1024);
    ASSERT_TRUE(f.hear(3, kSec));
    EXPECT_EQ(f.p.tell.at, 0u) << "there was never anything to say";

    mrc_port_tell_say(&f.p.tell, 1, kSec);
    mrc_port_tell_answered(&f.p.tell, 1, kSec);
    ASSERT_TRUE(f.hear(3, kSec + kMs));
    EXPECT_EQ(f.p.tell.at, 0u) << "too soon";
    ASSERT_TRUE(f.hear(3, 3 * kSec));
    EXPECT_EQ(f.p.tell.at, 3 * kSec);
    mrc_port_tell_say(&f.p.tell, ~0u, 4 * kSec);
    mrc_port_tell_answered(&f.p.tell, ~0u, 4 * kSec);
    ASSERT_TRUE(f.hear(3, 9 * kSec));
    EXPECT_EQ(f.p.tell.at, 0u) << "all are up, which is what it believes anyway";
}

TEST(Probing, WhatAnotherPeerOfTheHostWasToldCountsIfItIsNewer)
{
    Probing f(2, 2);
    f.use(1024);
    mrc_port_status told;
    mrc_port_status_init(&told, &mrc_timing_software);
    EXPECT_FALSE(mrc_probing_inherit(&f.p, &f.paths, &told, kSec)) << "nothing was";
    told.at = kSec;
    told.mask = told.newest = 2;
    EXPECT_TRUE(mrc_probing_inherit(&f.p, &f.paths, &told, kSec));
    EXPECT_FALSE(mrc_ev_port_up(&f.paths.set, 1));
    EXPECT_FALSE(mrc_probing_inherit(&f.p, &f.paths, &told, kSec));
}

TEST(Probing, AnswersToProbesDoNotUseUpThoseToPortStatus)
{
    Probing f(1, 1);
    int n = 0;
    while (mrc_probing_may_answer(&f.p, MRC_EP_EV_PROBE, kSec))
        ++n;
    EXPECT_EQ(n, 64);
    EXPECT_TRUE(mrc_probing_may_answer(&f.p, MRC_EP_PORT_STATUS, kSec));
}

} // namespace
