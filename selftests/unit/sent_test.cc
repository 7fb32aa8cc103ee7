// SPDX-License-Identifier: GPL-2.0-only
//
// Tests what an errno of sending means: each element of rows is a row of the table in sent.h, or a
// part of a row.

#include "engine/core.h"

#include <array>
#include <gtest/gtest.h>

namespace
{

constexpr std::uint64_t kSec = 1'000'000'000;

struct Row {
    int err;
    mrc_sent verdict;
    int state; ///< of the EV
    int why;
};

constexpr int kGood = MRC_EV_GOOD;
constexpr int kBad = MRC_EV_ASSUMED_BAD;
constexpr int kNone = MRC_EV_WHY_NONE;

constexpr std::array rows{
    Row{0, MRC_SENT, kGood, kNone},
    Row{-ENOBUFS, MRC_SENT_NO_SPACE, kGood, kNone},
    Row{-ENOMEM, MRC_SENT_NO_SPACE, kGood, kNone},
    Row{-EBUSY, MRC_SENT_NO_SPACE, kGood, kNone},
    Row{-EAGAIN, MRC_SENT_NO_SPACE, kGood, kNone},
    Row{-EINVAL, MRC_SENT_NO_SPACE, kGood, kNone},
    Row{-EIO, MRC_SENT_NO_SPACE, kGood, kNone}, // an unknown error
    Row{-ENETDOWN, MRC_SENT_DOWN, kGood, kNone},
    Row{-ENODEV, MRC_SENT_DOWN, kGood, kNone},
    Row{-ENXIO, MRC_SENT_DOWN, kGood, kNone},
    Row{-ENETUNREACH, MRC_SENT_NO_WAY, kBad, MRC_EV_WHY_NO_ROUTE},
    Row{-EHOSTUNREACH, MRC_SENT_NO_WAY, kBad, MRC_EV_WHY_NO_ROUTE},
    Row{-EADDRNOTAVAIL, MRC_SENT_NO_WAY, kBad, MRC_EV_WHY_NO_ROUTE},
    Row{-EOPNOTSUPP, MRC_SENT_NO_WAY, kBad, MRC_EV_WHY_NO_ROUTE},
    Row{-EMSGSIZE, MRC_SENT_NO_ROOM, kBad, MRC_EV_WHY_NO_ROOM},
    Row{-EPERM, MRC_SENT_REFUSED, kBad, MRC_EV_WHY_REFUSED},
    Row{-EACCES, MRC_SENT_REFUSED, kBad, MRC_EV_WHY_REFUSED},
    Row{-ECONNREFUSED, MRC_SENT_REFUSED, kBad, MRC_EV_WHY_REFUSED},
    Row{-ESHUTDOWN, MRC_SENT_GONE, kGood, kNone},
};

struct Paths {
    std::array<mrc_ev_entry, 4> entry{};
    std::array<mrc_paths_ev, 4> ev{};
    mrc_paths p{};

    Paths()
    {
        for (u16 i = 0; i < 4; ++i) {
            entry[i].port = static_cast<u8>(1 + i / 2);
            ev[i].index = i;
        }
        EXPECT_EQ(mrc_paths_init(&p, ev.data(), entry.data(), 4, 0, 0, 3), 0);
    }
};

TEST(Sent, AnErrnoHasOneMeaning)
{
    for (const Row &row : rows) {
        SCOPED_TRACE(strerror(-row.err));
        EXPECT_EQ(mrc_sent_verdict(row.err), row.verdict);
        Paths f;
        EXPECT_EQ(mrc_sent_report(&f.p, 1, row.verdict, kSec), row.state == kBad);
        EXPECT_EQ(f.entry[1].state, row.state);
        EXPECT_EQ(f.entry[1].why, row.why);
        for (const int other : {0, 2, 3})
            EXPECT_EQ(f.entry[static_cast<std::size_t>(other)].state, kGood);
        EXPECT_EQ(mrc_sent_blames(row.verdict), row.state == kBad);
    }
}

/** A probe is counted, or tried again a little later, or has the same effect on its EV as data. */
TEST(Sent, AProbeAndDataSayTheSameOfAnEv)
{
    for (const Row &row : rows) {
        SCOPED_TRACE(strerror(-row.err));
        Paths f;
        mrc_probing_account(&f.p, 1, row.verdict, kSec);
        EXPECT_EQ(f.ev[1].probed, row.err == 0);
        EXPECT_EQ(f.entry[1].state, row.state);
        EXPECT_EQ(f.entry[1].why, row.why);
    }
}

/** While it lasts probes are refused, too: the EV does not come back before they are answered. */
TEST(Sent, WhatIsRefusedHereComesBackByProbes)
{
    Paths f;
    u64 now = kSec;
    mrc_sent_report(&f.p, 1, MRC_SENT_REFUSED, now);
    for (unsigned n = 0; n < 100; ++n) {
        now = mrc_ev_probe_at(&f.p.set);
        ASSERT_EQ(mrc_ev_probe_next(&f.p.set, now), 1);
        mrc_probing_account(&f.p, 1, MRC_SENT_REFUSED, now);
        ASSERT_EQ(f.entry[1].state, kBad);
    }
    for (unsigned n = 0; n < MRC_EV_PROBE_GOOD; ++n) {
        now = mrc_ev_probe_at(&f.p.set);
        ASSERT_EQ(mrc_ev_probe_next(&f.p.set, now), 1);
        mrc_probing_account(&f.p, 1, MRC_SENT, now);
        mrc_paths_report(&f.p, MRC_SEEN_PROBE_ANSWERED, 1, now, now + 1000);
    }
    EXPECT_EQ(f.entry[1].state, kGood);
}

} // namespace
