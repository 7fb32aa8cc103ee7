// SPDX-License-Identifier: GPL-2.0-only
//
// Tests requests that wait for an answer: how many, for how long, and to which one an answer
// belongs.

#include "engine/core.h"

#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace
{

constexpr std::uint64_t kMs = 1'000'000;
constexpr std::uint64_t kSec = 1000 * kMs;

struct Pending {
    std::unique_ptr<mrc_pending> all = std::make_unique<mrc_pending>();
    mrc_pending_peer peer{};

    Pending()
    {
        mrc_pending_init(all.get());
        mrc_pending_peer_init(&peer);
    }

    u16 probe(std::uint64_t now, u32 random = 0, std::uint64_t wait = 50 * kMs)
    {
        return mrc_pending_add(all.get(), &peer, MRC_PENDING_PROBE, wait, random, now);
    }

    u16 raw(std::uint64_t now)
    {
        return mrc_pending_add(all.get(), nullptr, MRC_PENDING_RAW, 10 * kSec, 0, now);
    }

    u16 reverse(std::uint64_t now)
    {
        return mrc_pending_add(all.get(), &peer, MRC_PENDING_REVERSE, 50 * kMs, 0, now);
    }

    u16 status(std::uint64_t now)
    {
        return mrc_pending_add(all.get(), &peer, MRC_PENDING_STATUS, 50 * kMs, 0, now);
    }

    u16 id(u16 slot) const { return all->slot[slot].id; }

    u16 find(u16 id) const { return mrc_pending_find(all.get(), id); }
};

TEST(Pending, AnAnswerNamesItsRequestOnce)
{
    Pending a;
    const u16 one = a.probe(kSec, 0x1234abcd);
    const u16 two = a.probe(kSec, 0x4321);
    EXPECT_NE(one, two);
    EXPECT_EQ(a.id(one), 0xab00 | one);
    EXPECT_EQ(a.find(a.id(two)), two);
    EXPECT_EQ(a.find(a.id(one)), one);
    mrc_pending_end(a.all.get(), one);
    EXPECT_EQ(a.find(a.id(one)), MRC_PENDING_NONE) << "answered";
    EXPECT_EQ(a.find(a.id(two)), two);
    EXPECT_EQ(a.all->count, 1u);
}

TEST(Pending, WhoGuessesTheSlotOnlyIsNotBelieved)
{
    Pending a;
    const u16 slot = a.probe(kSec, 0x5500);
    for (u32 half = 0; half < 256; ++half)
        EXPECT_EQ(a.find(static_cast<u16>(half << 8 | slot)),
                  half == 0x55 ? slot : MRC_PENDING_NONE);
}

/* Otherwise a late answer with the same random half would be taken for that of the next request. */
TEST(Pending, ASlotRestsAsLongAsOthersAreFree)
{
    Pending a;
    const u16 first = a.status(kSec);
    mrc_pending_end(a.all.get(), first);
    for (unsigned i = 1; i < MRC_PENDING_MAX; ++i) {
        const u16 slot = a.status(kSec);
        EXPECT_NE(slot, first);
        mrc_pending_end(a.all.get(), slot);
    }
    EXPECT_EQ(a.status(kSec), first);
}

TEST(Pending, TheOldestIsLostFirst)
{
    Pending a;
    EXPECT_EQ(mrc_pending_timer_at(a.all.get()), U64_MAX);
    EXPECT_EQ(mrc_pending_lost(a.all.get(), 100 * kSec), MRC_PENDING_NONE);
    const u16 one = a.probe(kSec);
    const u16 two = a.probe(kSec + kMs);
    const u16 three = a.status(kSec + 2 * kMs);
    EXPECT_EQ(mrc_pending_timer_at(a.all.get()), kSec + 50 * kMs);
    EXPECT_EQ(mrc_pending_lost(a.all.get(), kSec + 50 * kMs - 1), MRC_PENDING_NONE);
    EXPECT_EQ(mrc_pending_lost(a.all.get(), kSec + 50 * kMs), one);
    mrc_pending_end(a.all.get(), two);
    mrc_pending_end(a.all.get(), one);
    EXPECT_EQ(mrc_pending_timer_at(a.all.get()), kSec + 52 * kMs);
    EXPECT_EQ(mrc_pending_lost(a.all.get(), kSec + 52 * kMs), three);
}

/* A peer that is far away, or behind a queue, delays no other. */
TEST(Pending, EachWaitsForItsOwnTime)
{
    Pending a;
    std::vector<u16> lost;
    const u16 far = a.probe(kSec, 0, 300 * kMs);
    const u16 near = a.probe(kSec + kMs);
    const u16 between = a.probe(kSec + 2 * kMs, 0, 100 * kMs);
    const u16 same = a.status(kSec + kMs);
    EXPECT_EQ(mrc_pending_timer_at(a.all.get()), kSec + 51 * kMs);
    while (mrc_pending_timer_at(a.all.get()) != U64_MAX) {
        const std::uint64_t at = mrc_pending_timer_at(a.all.get());
        EXPECT_EQ(mrc_pending_lost(a.all.get(), at - 1), MRC_PENDING_NONE);
        lost.push_back(mrc_pending_lost(a.all.get(), at));
        mrc_pending_end(a.all.get(), lost.back());
    }
    EXPECT_EQ(lost, (std::vector<u16>{near, same, between, far}));
}

TEST(Pending, ProbesLeaveRoomForPortStatus)
{
    Pending a;
    std::uint64_t now = kSec;
    for (unsigned i = 0; i < 240; ++i, now += kMs)
        ASSERT_NE(a.probe(now), MRC_PENDING_NONE) << i;
    EXPECT_EQ(a.probe(now), MRC_PENDING_NONE);
    EXPECT_EQ(mrc_pending_room(a.all.get(), now), 0u);
    for (unsigned i = 0; i < 16; ++i)
        ASSERT_NE(a.status(now), MRC_PENDING_NONE) << i;
    EXPECT_EQ(a.status(now), MRC_PENDING_NONE) << "none is left";
    mrc_pending_end(a.all.get(), 7);
    EXPECT_EQ(a.probe(now), MRC_PENDING_NONE);
    EXPECT_EQ(a.status(now), 7);
}

/* Raw probes may wait for seconds. */
TEST(Pending, RawProbesLeaveMostToOthers)
{
    Pending a;
    std::uint64_t now = kSec;
    for (unsigned i = 0; i < 64; ++i, now += kMs)
        ASSERT_NE(a.raw(now), MRC_PENDING_NONE) << i;
    const std::uint64_t free = a.all->gate.free_at;
    EXPECT_EQ(a.raw(now), MRC_PENDING_NONE);
    EXPECT_EQ(a.all->gate.free_at, free) << "the gate is for what leaves";
    u16 slot = MRC_PENDING_NONE;
    for (unsigned i = 0; i < 240 - 64; ++i, now += kMs)
        ASSERT_NE(slot = a.probe(now), MRC_PENDING_NONE) << i;
    mrc_pending_end(a.all.get(), slot);
    EXPECT_EQ(a.raw(now), MRC_PENDING_NONE) << "it was another's";
    mrc_pending_end(a.all.get(), 0);
    EXPECT_EQ(a.all->of[MRC_PENDING_RAW], 63u);
    EXPECT_NE(a.raw(now), MRC_PENDING_NONE);
    EXPECT_NE(a.probe(now), MRC_PENDING_NONE);
    EXPECT_EQ(a.probe(now), MRC_PENDING_NONE);
}

TEST(Pending, RawProbesPassTheGateOfOthers)
{
    Pending a;
    while (a.probe(kSec) != MRC_PENDING_NONE)
        ;
    EXPECT_EQ(a.raw(kSec), MRC_PENDING_NONE);
    EXPECT_NE(a.raw(kSec + kMs), MRC_PENDING_NONE);
}

TEST(Pending, WaysBackLeaveMostSlotsToTurns)
{
    Pending a;
    std::uint64_t now = kSec;
    for (unsigned i = 0; i < 64; ++i, now += kMs)
        ASSERT_NE(a.reverse(now), MRC_PENDING_NONE) << i;
    const std::uint64_t free = a.all->reverse.free_at;
    EXPECT_EQ(a.reverse(now), MRC_PENDING_NONE);
    EXPECT_EQ(a.all->reverse.free_at, free) << "the gate is for what leaves";
    for (unsigned i = 0; i < 240 - 64; ++i, now += kMs)
        ASSERT_NE(a.probe(now), MRC_PENDING_NONE) << i;
    mrc_pending_end(a.all.get(), 0);
    EXPECT_EQ(a.all->of[MRC_PENDING_REVERSE], 63u);
    EXPECT_NE(a.probe(now), MRC_PENDING_NONE);
    EXPECT_EQ(a.reverse(now), MRC_PENDING_NONE) << "all that probes may take are taken";
    EXPECT_NE(a.status(now), MRC_PENDING_NONE);
}

/* Each answer to a peer may cause a probe of the way back: these pass a gate of their own. */
TEST(Pending, WaysBackLeaveTheirRateToTurns)
{
    Pending a;
    unsigned sent = 0;
    for (; a.reverse(kSec) != MRC_PENDING_NONE; ++sent)
        mrc_pending_end(a.all.get(), mrc_pending_lost(a.all.get(), U64_MAX));
    EXPECT_EQ(sent, 64u);
    EXPECT_EQ(mrc_pending_room(a.all.get(), kSec), 64u);
    for (sent = 0; a.probe(kSec) != MRC_PENDING_NONE; ++sent)
        ;
    EXPECT_EQ(sent, 64u);
    EXPECT_NE(a.reverse(kSec + kMs), MRC_PENDING_NONE);
    EXPECT_EQ(a.reverse(kSec + kMs), MRC_PENDING_NONE) << "one a millisecond";
}

/* If a sender has lost nothing, late answers come from a forger, or are copies on slow paths. */
TEST(Pending, NoMoreAnswersAreLateThanWereLost)
{
    Pending a;
    EXPECT_FALSE(mrc_pending_peer_late(&a.peer, 50 * kMs, kSec));
    mrc_pending_end(a.all.get(), a.probe(kSec));
    EXPECT_FALSE(mrc_pending_peer_late(&a.peer, 50 * kMs, kSec)) << "that was answered";
    mrc_pending_give_up(a.all.get(), a.probe(kSec));
    EXPECT_TRUE(mrc_pending_peer_late(&a.peer, 50 * kMs, kSec));
    EXPECT_FALSE(mrc_pending_peer_late(&a.peer, 50 * kMs, kSec));
    EXPECT_EQ(a.peer.window, 120u);
    for (unsigned i = 0; i < 1000; ++i)
        mrc_pending_give_up(a.all.get(), a.probe(kSec + i * kMs));
    EXPECT_EQ(a.peer.lost, MRC_PENDING_MAX);
    mrc_pending_give_up(a.all.get(), a.raw(9 * kSec));
    EXPECT_EQ(a.all->count, 0u) << "a raw one is nobody's";
}

/* Each lost probe is sent again, and all of them together make up the queue that made it late. */
TEST(Pending, WhileAPeersAnswersAreLateFewerProbesOfItWait)
{
    Pending a;
    std::uint64_t now = kSec;
    for (unsigned i = 0; i < 240; ++i, now += kMs) {
        EXPECT_TRUE(mrc_pending_peer_may(&a.peer)) << i;
        ASSERT_NE(a.probe(now), MRC_PENDING_NONE) << i;
    }
    for (u16 slot = 0; slot < 90; ++slot)
        mrc_pending_give_up(a.all.get(), slot);
    EXPECT_TRUE(mrc_pending_peer_may(&a.peer)) << "150 wait";
    mrc_pending_peer_late(&a.peer, 50 * kMs, now);
    EXPECT_FALSE(mrc_pending_peer_may(&a.peer)) << "120 may";
    // All probes of a queue are late: they count once.
    mrc_pending_peer_late(&a.peer, 50 * kMs, now + 50 * kMs - 1);
    for (u16 slot = 90; slot < 121; ++slot)
        mrc_pending_end(a.all.get(), slot);
    EXPECT_TRUE(mrc_pending_peer_may(&a.peer));
    for (int n = 1; n <= 20; ++n)
        mrc_pending_peer_late(&a.peer, 50 * kMs, now + n * 50 * kMs);
    for (u16 slot = 121; slot < 232; ++slot)
        mrc_pending_end(a.all.get(), slot);
    EXPECT_FALSE(mrc_pending_peer_may(&a.peer)) << "8 wait";
    mrc_pending_end(a.all.get(), 232);
    EXPECT_TRUE(mrc_pending_peer_may(&a.peer)) << "never none";
    EXPECT_NE(a.reverse(now + kSec), MRC_PENDING_NONE);
    EXPECT_NE(a.status(now + kSec), MRC_PENDING_NONE);
    EXPECT_TRUE(mrc_pending_peer_may(&a.peer)) << "these have no turns";
}

TEST(Pending, WhenAnswersAreLateNoMoreProbesWaitAgain)
{
    Pending a;
    std::uint64_t now = kSec;
    for (int n = 0; n < 20; ++n) {
        mrc_pending_give_up(a.all.get(), a.probe(now));
        mrc_pending_peer_late(&a.peer, 50 * kMs, now += 50 * kMs);
    }
    EXPECT_EQ(a.peer.window, 8u);
    for (unsigned most = 8; most < 64; most *= 2) {
        mrc_pending_end(a.all.get(), a.probe(now + 200 * kMs - 1));
        EXPECT_EQ(a.peer.window, most) << "four waits without one";
        mrc_pending_end(a.all.get(), a.probe(now += 200 * kMs));
        EXPECT_EQ(a.peer.window, 2 * most);
    }
    mrc_pending_end(a.all.get(), a.probe(now + 600 * kMs - 1));
    EXPECT_EQ(a.peer.window, 240u) << "however rarely somebody is asked";
}

TEST(Pending, ProbesPassAGateAndPortStatusDoesNot)
{
    Pending a;
    unsigned sent = 0;
    EXPECT_EQ(mrc_pending_room(a.all.get(), kSec), 64u);
    while (a.probe(kSec) != MRC_PENDING_NONE)
        ++sent;
    EXPECT_EQ(sent, 64u);
    EXPECT_EQ(mrc_pending_room(a.all.get(), kSec), 0u);
    EXPECT_NE(a.status(kSec), MRC_PENDING_NONE);
    EXPECT_EQ(mrc_pending_room(a.all.get(), kSec + kMs), 10u);
}

TEST(Pending, WhatIsRefusedTakesNothing)
{
    Pending a;
    for (std::uint64_t now = kSec; a.all->count < 240; now += kMs)
        a.probe(now);
    const std::uint64_t free = a.all->gate.free_at;
    EXPECT_EQ(a.probe(10 * kSec), MRC_PENDING_NONE);
    EXPECT_EQ(a.all->gate.free_at, free) << "the gate is for what leaves";
    EXPECT_EQ(a.all->count, 240u);
}

} // namespace
