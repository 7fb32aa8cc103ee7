// SPDX-License-Identifier: GPL-2.0-only
#include "core.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace
{

constexpr std::uint64_t kMs = 1000 * 1000;

struct Set {
    std::vector<mrc_ev_entry> ev;
    mrc_ev_set s;

    /// @p perPort EVs on each of @p ports, numbered from 1.
    Set(int ports, int perPort, int minActive = 0, std::uint32_t seed = 1)
    {
        for (int port = 1; port <= ports; ++port)
            for (int i = 0; i < perPort; ++i)
                ev.push_back(entry(port));
        EXPECT_EQ(mrc_ev_set_init(&s, ev.data(), static_cast<u16>(ev.size()),
                                  static_cast<u16>(minActive), seed),
                  0);
    }

    static mrc_ev_entry entry(int port)
    {
        mrc_ev_entry e{};
        e.port = static_cast<u8>(port);
        return e;
    }

    int port(u16 index) const { return ev[index].port; }

    std::map<u16, int> picks(int n, std::uint64_t now = 0)
    {
        std::map<u16, int> count;
        while (n--)
            ++count[mrc_ev_pick(&s, now)];
        return count;
    }
};

int init(const std::vector<int> &ports, int minActive = 0)
{
    std::vector<mrc_ev_entry> ev;
    for (int port : ports)
        ev.push_back(Set::entry(port));
    mrc_ev_set s;
    return mrc_ev_set_init(&s, ev.data(), static_cast<u16>(ev.size()), static_cast<u16>(minActive),
                           1);
}

} // namespace

TEST(EvSet, InitChecksItsInput)
{
    EXPECT_EQ(init({1}), 0);
    EXPECT_EQ(init({1, 1, 3, 32}), 0);
    EXPECT_EQ(init({}), -EINVAL);
    EXPECT_EQ(init({0}), -EINVAL);
    EXPECT_EQ(init({33}), -EINVAL);
    EXPECT_EQ(init({2, 1}), -EINVAL);
    EXPECT_EQ(init({1, 2, 1}), -EINVAL);
    EXPECT_EQ(init({1, 2}, 2), 0);
    EXPECT_EQ(init({1, 2}, 3), -EINVAL);
    EXPECT_EQ(init(std::vector<int>(256, 1)), 0);
    EXPECT_EQ(init(std::vector<int>(257, 1)), -EINVAL);
}

TEST(EvSet, PlanesTakeTurnsAndEveryEvIsUsedOncePerRotation)
{
    for (std::uint32_t seed = 0; seed < 50; ++seed) {
        Set set(4, 32, 0, seed);
        for (int rotation = 0; rotation < 5; ++rotation) {
            std::set<u16> seen;
            for (int i = 0; i < 32; ++i) {
                std::set<int> planes;
                for (int p = 0; p < 4; ++p) {
                    const u16 ev = mrc_ev_pick(&set.s, 0);
                    planes.insert(set.port(ev));
                    seen.insert(ev);
                }
                EXPECT_EQ(planes.size(), 4u);
            }
            EXPECT_EQ(seen.size(), 128u);
        }
    }
}

TEST(EvSet, PlanesOfDifferentSizeCarryEqualShares)
{
    std::vector<mrc_ev_entry> ev;
    for (int port : {1, 1, 1, 1, 1, 2, 3, 3})
        ev.push_back(Set::entry(port));
    mrc_ev_set s;
    ASSERT_EQ(mrc_ev_set_init(&s, ev.data(), 8, 0, 7), 0);
    std::map<int, int> perPort;
    for (int i = 0; i < 3000; ++i)
        ++perPort[ev[mrc_ev_pick(&s, 0)].port];
    EXPECT_EQ(perPort, (std::map<int, int>{{1, 1000}, {2, 1000}, {3, 1000}}));
}

TEST(EvSet, OrderIsDrawnAnewAndDiffersBetweenSenders)
{
    std::set<std::vector<u16>> orders;
    for (std::uint32_t seed = 0; seed < 4; ++seed) {
        Set set(1, 31, 0, seed);
        for (int rotation = 0; rotation < 8; ++rotation) {
            std::vector<u16> order;
            for (int i = 0; i < 31; ++i)
                order.push_back(mrc_ev_pick(&set.s, 0));
            orders.insert(order);
        }
    }
    EXPECT_GT(orders.size(), 24u) << "of 32 drawn from 930";
}

TEST(EvSet, NoEvTwiceInSuccession)
{
    for (auto [ports, perPort] : {std::pair{1, 2}, {1, 7}, {2, 1}, {4, 1}, {4, 16}}) {
        Set set(ports, perPort);
        u16 last = MRC_EV_NONE;
        for (int i = 0; i < 1000; ++i) {
            const u16 ev = mrc_ev_pick(&set.s, 0);
            EXPECT_NE(ev, last);
            last = ev;
        }
    }
}

TEST(EvSet, MarkedEvIsLeftOutOfOneBatch)
{
    Set set(2, 4);
    mrc_ev_marked(&set.s, 5);
    EXPECT_EQ(set.ev[5].state, MRC_EV_SKIP);
    auto batch = set.picks(8 * 100, 1);
    EXPECT_EQ(batch[5], 0);
    int plane1 = 0;
    for (const auto &[ev, n] : batch)
        plane1 += set.port(ev) == 1 ? n : 0;
    EXPECT_EQ(plane1, 400) << "what is skipped moves inside its plane";

    auto next = set.picks(8 * 100, 2);
    EXPECT_EQ(set.ev[5].state, MRC_EV_GOOD);
    EXPECT_GE(next[5], 98);
    EXPECT_LT(next[5], 102);
}

TEST(EvSet, ASetThatIsMarkedAllOverStillSends)
{
    Set set(2, 3);
    for (int round = 0; round < 20; ++round) {
        for (u16 ev = 0; ev < 6; ++ev)
            mrc_ev_marked(&set.s, ev);
        EXPECT_NE(mrc_ev_pick(&set.s, 0), MRC_EV_NONE);
        EXPECT_NE(mrc_ev_pick(&set.s, 0), MRC_EV_NONE);
    }
}

TEST(EvSet, LostEvIsReplacedFromItsOwnPlane)
{
    Set set(4, 8);
    EXPECT_TRUE(mrc_ev_lost(&set.s, 3, 0));
    EXPECT_EQ(set.ev[3].state, MRC_EV_ASSUMED_BAD);
    EXPECT_EQ(set.s.good, 31);
    auto count = set.picks(4 * 700);
    EXPECT_EQ(count.count(3), 0u);
    std::map<int, int> perPort;
    for (const auto &[ev, n] : count)
        perPort[set.port(ev)] += n;
    for (int port = 1; port <= 4; ++port)
        EXPECT_EQ(perPort[port], 700);
    EXPECT_FALSE(mrc_ev_lost(&set.s, 3, 0)) << "further losses of the same kind say nothing new";
}

TEST(EvSet, HoldTimeDoublesWithEachFailedTrialAndIsCapped)
{
    Set set(2, 2);
    std::uint64_t now = 5 * kMs;
    std::uint64_t want = 10 * kMs;
    for (int trial = 0; trial < 80; ++trial) {
        ASSERT_TRUE(mrc_ev_lost(&set.s, 0, now));
        EXPECT_EQ(set.picks(50, now + want - 1).count(0), 0u) << trial;
        now += want;
        EXPECT_GE(set.picks(50, now).count(0), 1u) << trial;
        EXPECT_EQ(set.ev[0].state, MRC_EV_GOOD);
        EXPECT_TRUE(set.ev[0].trial);
        want = std::min<std::uint64_t>(2 * want, 1000 * kMs);
    }
}

TEST(EvSet, APlaneWithNothingToUseCostsNoWalk)
{
    Set set(2, 16);
    for (u16 ev = 0; ev < 16; ++ev)
        EXPECT_TRUE(mrc_ev_lost(&set.s, ev, ev * kMs));
    set.picks(4, 5 * kMs);
    const u16 pos = set.s.planes[0].pos;
    const u16 add = set.s.planes[0].add;
    EXPECT_EQ(set.picks(100, 10 * kMs - 1).count(0), 0u);
    EXPECT_EQ(set.s.planes[0].pos, pos);
    EXPECT_EQ(set.s.planes[0].add, add);
    EXPECT_EQ(set.s.planes[0].retry_at, 10 * kMs);
    EXPECT_GE(set.picks(4, 10 * kMs).count(0), 1u);
    mrc_ev_lost(&set.s, 0, 10 * kMs);
    set.picks(2, 10 * kMs + 1);
    EXPECT_EQ(set.s.planes[0].retry_at, 11 * kMs) << "found by a walk in vain";
}

TEST(EvSet, SuccessResetsTheHoldTime)
{
    Set set(1, 2);
    EXPECT_TRUE(mrc_ev_lost(&set.s, 0, 0));
    set.picks(10, 10 * kMs);
    EXPECT_TRUE(mrc_ev_lost(&set.s, 0, 10 * kMs));
    EXPECT_EQ(set.ev[0].retry_at, 30 * kMs);
    EXPECT_FALSE(mrc_ev_acked(&set.s, 0)) << "what arrives now was sent before";
    EXPECT_EQ(set.ev[0].state, MRC_EV_ASSUMED_BAD);

    set.picks(10, 30 * kMs);
    EXPECT_TRUE(mrc_ev_acked(&set.s, 0));
    EXPECT_FALSE(mrc_ev_acked(&set.s, 0));
    EXPECT_TRUE(mrc_ev_lost(&set.s, 0, 40 * kMs));
    EXPECT_EQ(set.ev[0].retry_at, 50 * kMs);
}

TEST(EvSet, FloorKeepsTheLastOnesInUse)
{
    Set set(2, 4, 3);
    int retired = 0;
    for (u16 ev = 0; ev < 8; ++ev)
        retired += mrc_ev_lost(&set.s, ev, 0);
    EXPECT_EQ(retired, 5);
    EXPECT_EQ(set.s.good, 3);
    EXPECT_EQ(set.picks(300).size(), 3u);
}

TEST(EvSet, FloorIsOneAtLeast)
{
    Set set(2, 2, 0);
    for (u16 ev = 0; ev < 4; ++ev)
        mrc_ev_lost(&set.s, ev, 0);
    EXPECT_EQ(set.s.good, 1);
    EXPECT_EQ(set.picks(10).size(), 1u);
}

TEST(EvSet, FloorCountsOnlyPortsThatAreUp)
{
    Set set(2, 4, 3);
    mrc_ev_ports(&set.s, 0x1, ~0u);
    EXPECT_EQ(set.s.good, 4);
    EXPECT_TRUE(mrc_ev_lost(&set.s, 0, 0));
    EXPECT_FALSE(mrc_ev_lost(&set.s, 1, 0));
    EXPECT_TRUE(mrc_ev_lost(&set.s, 4, 0)) << "not in use anyway";
    EXPECT_EQ(set.s.good, 3);
    mrc_ev_ports(&set.s, ~0u, ~0u);
    EXPECT_EQ(set.s.good, 6);
}

TEST(EvSet, ControllerDenialStandsAboveAll)
{
    Set set(2, 2, 4);
    mrc_ev_deny(&set.s, 1, true);
    EXPECT_EQ(set.s.good, 3);
    EXPECT_EQ(set.picks(100).count(1), 0u);
    mrc_ev_marked(&set.s, 1);
    EXPECT_FALSE(mrc_ev_lost(&set.s, 1, 0));
    EXPECT_FALSE(mrc_ev_acked(&set.s, 1));
    EXPECT_EQ(set.ev[1].state, MRC_EV_DENIED);
    EXPECT_EQ(set.picks(100, 5000 * kMs).count(1), 0u);

    mrc_ev_deny(&set.s, 1, false);
    EXPECT_EQ(set.ev[1].state, MRC_EV_GOOD);
    EXPECT_EQ(set.s.good, 4);
    EXPECT_GE(set.picks(100).count(1), 1u);
}

TEST(EvSet, AdmittingAnEvThatIsNotDeniedChangesNothing)
{
    Set set(1, 2);
    EXPECT_TRUE(mrc_ev_lost(&set.s, 0, 0));
    mrc_ev_deny(&set.s, 0, false);
    EXPECT_EQ(set.ev[0].state, MRC_EV_ASSUMED_BAD);
    EXPECT_EQ(set.s.good, 1);
}

TEST(EvSet, PortsMaskedOnEitherSideAreNotUsed)
{
    Set set(4, 4);
    mrc_ev_ports(&set.s, ~0u & ~0x2u, ~0u & ~0x8u);
    auto count = set.picks(400);
    std::map<int, int> perPort;
    for (const auto &[ev, n] : count)
        perPort[set.port(ev)] += n;
    EXPECT_EQ(perPort, (std::map<int, int>{{1, 200}, {3, 200}}));

    mrc_ev_ports(&set.s, 0, ~0u);
    EXPECT_EQ(mrc_ev_pick(&set.s, 0), MRC_EV_NONE);
    mrc_ev_ports(&set.s, ~0u, ~0u);
    EXPECT_EQ(set.picks(400).size(), 16u);
}

TEST(EvSet, ABadEvIsBetterThanNone)
{
    Set set(2, 2);
    EXPECT_TRUE(mrc_ev_lost(&set.s, 0, 0));
    EXPECT_TRUE(mrc_ev_lost(&set.s, 1, 0));
    mrc_ev_ports(&set.s, 0x1, ~0u);
    auto count = set.picks(10);
    EXPECT_EQ(count[0], 5);
    EXPECT_EQ(count[1], 5);
    EXPECT_EQ(set.ev[0].state, MRC_EV_ASSUMED_BAD);
    mrc_ev_deny(&set.s, 0, true);
    mrc_ev_deny(&set.s, 1, true);
    EXPECT_EQ(mrc_ev_pick(&set.s, 0), MRC_EV_NONE) << "denied ones are not used whatever happens";
}

TEST(EvSet, IndexOutOfRangeIsHarmless)
{
    Set set(1, 2);
    for (u16 ev : {u16{2}, u16{255}, u16{MRC_EV_NONE}}) {
        mrc_ev_marked(&set.s, ev);
        mrc_ev_deny(&set.s, ev, true);
        EXPECT_FALSE(mrc_ev_lost(&set.s, ev, 0));
        EXPECT_FALSE(mrc_ev_acked(&set.s, ev));
    }
    EXPECT_EQ(set.s.good, 2);
}

TEST(EvSet, CountsStayTrueUnderRandomEvents)
{
    for (std::uint32_t seed = 1; seed <= 60; ++seed) {
        std::mt19937 rng(seed);
        const int ports = 1 + static_cast<int>(rng() % 5);
        const int perPort = 1 + static_cast<int>(rng() % 20);
        Set set(ports, perPort, static_cast<int>(rng() % (ports * perPort + 1)), seed);
        std::uint64_t now = 0;

        for (int step = 0; step < 2000; ++step) {
            const auto ev = static_cast<u16>(rng() % set.ev.size());
            now += rng() % (2 * kMs);
            switch (rng() % 8) {
            case 0:
                mrc_ev_marked(&set.s, ev);
                break;
            case 1:
                mrc_ev_lost(&set.s, ev, now);
                break;
            case 2:
                mrc_ev_acked(&set.s, ev);
                break;
            case 3:
                mrc_ev_deny(&set.s, ev, rng() % 2);
                break;
            case 4:
                if (rng() % 10 == 0)
                    mrc_ev_ports(&set.s, rng() | rng(), rng() | rng());
                break;
            default: {
                const u16 got = mrc_ev_pick(&set.s, now);
                if (got == MRC_EV_NONE)
                    break;
                ASSERT_LT(got, set.ev.size());
                ASSERT_NE(set.ev[got].state, MRC_EV_DENIED);
                ASSERT_TRUE((set.s.local_mask & set.s.remote_mask) >> (set.port(got) - 1) & 1);
                break;
            }
            }
            int good = 0;
            for (const mrc_ev_entry &e : set.ev)
                good += (e.state == MRC_EV_GOOD || e.state == MRC_EV_SKIP) &&
                        ((set.s.local_mask & set.s.remote_mask) >> (e.port - 1) & 1);
            ASSERT_EQ(set.s.good, good) << "seed " << seed << " step " << step;
        }
    }
}
