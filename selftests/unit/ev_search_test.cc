// SPDX-License-Identifier: GPL-2.0-only
//
// Tests what follows from packets that are late while nothing later has come by their EV.

#include "engine/core.h"

#include <gtest/gtest.h>
#include <set>
#include <vector>

namespace
{

constexpr std::uint64_t kMs = 1'000'000;
constexpr std::uint64_t kSec = 1000 * kMs;
/// When the late packets left, and when their lateness is seen; in between other packets were heard
/// of.
constexpr std::uint64_t kSent = 2 * kSec;
constexpr std::uint64_t kNow = kSent + 2 * kMs;

using Evs = std::set<u16>;

/// Planes of EVs. Each EV was heard of before @kSent, and the last one also since then.
struct Set {
    std::vector<mrc_ev_entry> entry;
    mrc_ev_set s;

    Set(int ports, int perPort, u16 minActive = 0)
        : entry(static_cast<std::size_t>(ports * perPort))
    {
        for (std::size_t i = 0; i < entry.size(); ++i)
            entry[i].port = static_cast<u8>(1 + i / static_cast<std::size_t>(perPort));
        EXPECT_EQ(
            mrc_ev_set_init(&s, entry.data(), static_cast<u16>(entry.size()), minActive, 0, 1), 0);
        for (u16 ev = 0; ev < entry.size(); ++ev)
            mrc_ev_heard(&s, ev, kSec, kSec);
    }

    void heard(u16 ev) { mrc_ev_heard(&s, ev, kSent + kMs, kNow); }
    void unheard(u16 ev) { mrc_ev_unheard(&s, ev, kSent, kNow); }

    Evs bad() const
    {
        Evs evs;
        for (u16 ev = 0; ev < entry.size(); ++ev)
            if (entry[ev].state == MRC_EV_ASSUMED_BAD)
                evs.insert(ev);
        return evs;
    }

    Evs doubted() const
    {
        Evs evs;
        for (u16 ev = 0; ev < entry.size(); ++ev)
            if (entry[ev].doubted)
                evs.insert(ev);
        return evs;
    }
};

TEST(EvUnheard, TheFirstMissIsADoubtTheSecondTakesTheEvOut)
{
    Set set(2, 8);
    set.heard(15);
    set.unheard(1);
    EXPECT_EQ(set.bad(), Evs());
    EXPECT_EQ(set.doubted(), Evs{1});
    EXPECT_EQ(mrc_ev_probe_next(&set.s, kNow), 1) << "it is probed at once";
    set.unheard(1);
    EXPECT_EQ(set.bad(), Evs{1});
    EXPECT_EQ(set.entry[1].why, MRC_EV_WHY_LOSS);
    EXPECT_EQ(set.doubted(), Evs());
}

TEST(EvUnheard, ALatePacketAndALostProbeAreTwoMisses)
{
    Set set(2, 8);
    set.heard(15);
    set.unheard(1);
    mrc_ev_probe_lost(&set.s, 1, kSent, kNow);
    EXPECT_EQ(set.bad(), Evs{1});

    Set other(2, 8);
    other.heard(15);
    mrc_ev_probe_lost(&other.s, 1, kSent, kNow);
    other.unheard(1);
    EXPECT_EQ(other.bad(), Evs{1});
}

/* All QPs towards a peer share its EVs. */
TEST(EvUnheard, WhatAnotherQpHasHeardSinceClearsTheEv)
{
    Set set(2, 8);
    set.heard(15);
    set.heard(1);
    for (int i = 0; i < 5; ++i)
        set.unheard(1);
    EXPECT_EQ(set.bad(), Evs());
    EXPECT_EQ(set.doubted(), Evs());

    Set between(2, 8);
    between.heard(15);
    between.unheard(1);
    mrc_ev_heard(&between.s, 1, kSent - kMs, kNow);
    between.unheard(1);
    EXPECT_EQ(between.bad(), Evs()) << "what had come meanwhile ends the row, be it older";
}

TEST(EvUnheard, ThreeEvsOfASilentPlaneTakeItOut)
{
    Set set(2, 8);
    set.heard(15);
    set.unheard(1);
    set.unheard(4);
    EXPECT_EQ(set.bad(), Evs());
    set.unheard(6);
    EXPECT_EQ(set.bad(), (Evs{0, 1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(set.entry[0].why, MRC_EV_WHY_LOSS);
}

TEST(EvUnheard, ThreeEvsOfAPlaneThatIsHeardOfAreThreeEvs)
{
    Set set(2, 8);
    set.heard(15);
    set.heard(7);
    for (u16 ev : {1, 4, 6})
        set.unheard(ev);
    EXPECT_EQ(set.bad(), Evs());
    EXPECT_EQ(set.doubted(), (Evs{1, 4, 6}));
    set.unheard(4);
    EXPECT_EQ(set.bad(), Evs{4});
}

TEST(EvUnheard, OneEvOfAPlaneThatIsLateTwiceIsNotItsPlane)
{
    Set set(2, 8);
    set.heard(15);
    set.unheard(1);
    set.unheard(4);
    set.unheard(4);
    EXPECT_EQ(set.bad(), Evs{4});
}

TEST(EvUnheard, OfAPlaneOfTwoEachShowsItForItself)
{
    Set set(2, 2);
    set.heard(3);
    set.unheard(0);
    set.unheard(1);
    EXPECT_EQ(set.bad(), Evs());
    set.unheard(0);
    EXPECT_EQ(set.bad(), Evs{0});
    set.unheard(1);
    EXPECT_EQ(set.bad(), (Evs{0, 1}));
}

TEST(EvUnheard, TheFloorKeepsWhatWasHeardOfLast)
{
    Set set(2, 4, 5);
    set.heard(7);
    mrc_ev_heard(&set.s, 2, kSent - kMs, kNow);
    for (u16 ev : {0, 1, 3})
        set.unheard(ev);
    EXPECT_EQ(set.entry[2].state, MRC_EV_HELD);
    EXPECT_EQ(set.bad(), (Evs{0, 1, 3}));
    for (u16 ev = 4; ev < 8; ++ev)
        EXPECT_EQ(set.entry[ev].state, MRC_EV_GOOD) << ev;
}

TEST(EvUnheard, OfOneThatIsOutOrOnAPortThatIsDownNothingIsMade)
{
    Set set(2, 4);
    set.heard(7);
    mrc_ev_lost(&set.s, 0, MRC_EV_WHY_SKIP, kNow);
    const std::uint64_t probe = set.entry[0].probe_at;
    set.unheard(0);
    set.unheard(99);
    EXPECT_EQ(set.entry[0].missed, 0);
    EXPECT_EQ(set.entry[0].probe_at, probe);
    mrc_ev_ports(&set.s, 2, ~0u, kNow);
    for (int i = 0; i < 3; ++i)
        for (u16 ev : {1, 2, 3})
            set.unheard(ev);
    EXPECT_EQ(set.bad(), Evs{0});
    EXPECT_EQ(set.doubted(), Evs());
}

} // namespace
