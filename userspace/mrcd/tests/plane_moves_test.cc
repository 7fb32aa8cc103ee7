// SPDX-License-Identifier: GPL-2.0-only
//
// Netdevs get to their ports, and most planes are there all the time.

#include <algorithm>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "plan/plane_moves.h"

namespace mrcd::test::plane_moves_test
{
namespace
{

/** Netdevs by port; 0: none. */
Planes planes_of(const std::vector<uint32_t> &ifindexes)
{
    Planes planes;

    for (size_t i = 0; i < ifindexes.size(); i++)
        if (ifindexes[i])
            planes[static_cast<uint8_t>(i + 1)] = {ifindexes[i],
                                                   "eth" + std::to_string(ifindexes[i])};
    return planes;
}

std::vector<std::string> moves(const std::vector<uint32_t> &from, const std::vector<uint32_t> &to)
{
    Planes now = planes_of(from);
    std::vector<std::string> lines;

    for (const PlaneMove &move : plane_moves(now, planes_of(to)))
        lines.push_back((move.add ? "+" : "-") + std::to_string(move.port) + " " +
                        move.netdev.name);
    return lines;
}

using Lines = std::vector<std::string>;

TEST(PlaneMoves, OneAfterTheOther)
{
    EXPECT_EQ(moves({1, 2}, {1, 2}), Lines());
    EXPECT_EQ(moves({0, 2}, {1, 2}), Lines{"+1 eth1"});
    EXPECT_EQ(moves({1, 2}, {3, 4}), (Lines{"-1 eth1", "+1 eth3", "-2 eth2", "+2 eth4"}));
    EXPECT_EQ(moves({1, 2}, {2, 3}), (Lines{"-2 eth2", "+2 eth3", "-1 eth1", "+1 eth2"}))
        << "the one whose netdev is free first";
    EXPECT_EQ(moves({1, 2}, {2, 1}), (Lines{"-1 eth1", "-2 eth2", "+1 eth2", "+2 eth1"}));
    EXPECT_EQ(moves({1, 2, 3}, {2, 3, 1}),
              (Lines{"-1 eth1", "-2 eth2", "+1 eth2", "-3 eth3", "+3 eth1", "+2 eth3"}));
    EXPECT_EQ(moves({1, 2, 0, 3}, {1, 3}), (Lines{"-2 eth2", "-4 eth3", "+2 eth3"}))
        << "from a port that is not planned";
    EXPECT_EQ(moves({1, 2}, {2, 0}), (Lines{"-1 eth1", "-2 eth2", "+1 eth2"}))
        << "from a port that waits for another one";
}

TEST(PlaneMoves, MostAreThereAllTheTime)
{
    std::mt19937 random(1);

    for (int round = 0; round < 2000; round++) {
        std::vector<uint32_t> from(6), to(6);
        for (auto *some : {&from, &to}) {
            std::iota(some->begin(), some->end(), 1);
            std::shuffle(some->begin(), some->end(), random);
            some->resize(random() % 6 + 1);
        }
        Planes now = planes_of(from);
        Planes there = now;
        const Planes wanted = planes_of(to);
        size_t least = std::min(from.size(), to.size());
        for (const PlaneMove &move : plane_moves(now, wanted)) {
            if (move.add) {
                for (const auto &[port, netdev] : there)
                    ASSERT_NE(netdev.ifindex, move.netdev.ifindex) << "the kernel refuses that";
                ASSERT_TRUE(there.try_emplace(move.port, move.netdev).second);
            } else {
                ASSERT_EQ(there.at(move.port).ifindex, move.netdev.ifindex);
                ASSERT_NE(wanted.contains(move.port) ? wanted.at(move.port).ifindex : 0,
                          move.netdev.ifindex)
                    << "was right";
                there.erase(move.port);
            }
            least = std::min(least, there.size());
        }
        EXPECT_GE(least + 2, std::min(from.size(), to.size())) << "two away at most";
        EXPECT_EQ(there.size(), now.size());
        for (const auto &[port, netdev] : wanted)
            EXPECT_EQ(now.at(port).ifindex, netdev.ifindex);
    }
}

} // namespace
} // namespace mrcd::test::plane_moves_test
