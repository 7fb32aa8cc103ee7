// SPDX-License-Identifier: GPL-2.0-only
#include "fabric.h"

#include <set>

#include <gtest/gtest.h>

#include "scenario.h"
#include "workload.h"

using namespace mrcsim;

namespace
{

constexpr FabricShape shape = {.planes = 3, .endpoints = 12, .t0_down = 4, .t0_up = 5};

Packet packet(const Fabric &fabric, uint32_t to, uint32_t plane, uint32_t spine)
{
    Packet p{};

    p.destination = to;
    p.rack = static_cast<uint16_t>(fabric.rack_of(to));
    p.slot = static_cast<uint16_t>(fabric.slot_of(to));
    p.plane = static_cast<uint8_t>(plane);
    p.spine = static_cast<uint16_t>(spine);
    return p;
}

/** The nodes that a packet passes, its destination last. */
std::vector<uint32_t> way(const Fabric &fabric, uint32_t from, const Packet &p)
{
    std::vector<uint32_t> nodes = {fabric.place(fabric.host_port(from, p.plane)).peer};

    while (!fabric.is_host(nodes.back()) && nodes.size() < 10) {
        const uint32_t port = fabric.next_port(nodes.back(), p);
        EXPECT_EQ(fabric.place(port).node, nodes.back());
        EXPECT_EQ(fabric.place(port).plane, p.plane);
        nodes.push_back(fabric.place(port).peer);
    }
    return nodes;
}

TEST(Fabric, EveryPairIsReachedOnEachPlaneByEachT1)
{
    const Fabric fabric(shape);

    for (uint32_t from = 0; from < 12; from++)
        for (uint32_t to = 0; to < 12; to++)
            for (uint32_t plane = 0; plane < 3; plane++)
                for (uint32_t spine = 0; spine < 5 && from != to; spine++) {
                    const auto nodes = way(fabric, from, packet(fabric, to, plane, spine));
                    EXPECT_EQ(nodes.back(), to);
                    EXPECT_EQ(nodes[0], fabric.t0(plane, fabric.rack_of(from)));
                    if (fabric.rack_of(from) == fabric.rack_of(to)) {
                        EXPECT_EQ(nodes.size(), 2u);
                        continue;
                    }
                    ASSERT_EQ(nodes.size(), fabric.longest_way());
                    EXPECT_EQ(nodes[1], fabric.t1(plane, spine));
                    EXPECT_EQ(nodes[2], fabric.t0(plane, fabric.rack_of(to)));
                }
}

TEST(Fabric, PortsHaveOneNumberEach)
{
    const Fabric fabric(shape);
    std::set<std::pair<uint32_t, uint32_t>> ends;

    for (uint32_t port = 0; port < fabric.ports(); port++) {
        const PortPlace place = fabric.place(port);
        EXPECT_TRUE(ends.emplace(place.node, place.peer).second) << port;
        EXPECT_LT(place.node, fabric.nodes());
        EXPECT_LT(place.peer, fabric.nodes());
    }
    // each link has another direction
    for (const auto &[node, peer] : ends)
        EXPECT_TRUE(ends.count({peer, node}));
    EXPECT_EQ(fabric.place(fabric.t1_port(2, 4, 1)).tier, Tier::t1_down);
    EXPECT_EQ(fabric.place(fabric.t0_up_port(2, 1, 4)).peer, fabric.t1(2, 4));
    EXPECT_EQ(fabric.place(fabric.t0_down_port(1, 2, 3)).peer, 11u);
}

TEST(Fabric, AHostIsInTheCellOfItsT0s)
{
    const Fabric fabric(shape);

    for (uint32_t cells = 1; cells <= 3; cells++) {
        std::set<uint32_t> used;
        for (uint32_t host = 0; host < 12; host++)
            for (uint32_t plane = 0; plane < 3; plane++)
                EXPECT_EQ(fabric.cell_of(host, cells),
                          fabric.cell_of(fabric.t0(plane, fabric.rack_of(host)), cells));
        for (uint32_t node = 0; node < fabric.nodes(); node++)
            used.insert(fabric.cell_of(node, cells));
        EXPECT_EQ(used.size(), cells);
        EXPECT_EQ(*used.rbegin(), cells - 1);
    }
}

std::vector<Flow> flows_of(TrafficSettings traffic)
{
    Scenario scenario;

    scenario.fabric = shape;
    scenario.traffic = {std::move(traffic)};
    return make_flows(scenario, Fabric(shape));
}

TEST(Workload, APermutationHasEachHostOnceAtEachEnd)
{
    std::set<uint32_t> to;

    for (const Flow &flow : flows_of({.kind = TrafficKind::permutation})) {
        EXPECT_NE(flow.source, flow.destination);
        to.insert(flow.destination);
    }
    EXPECT_EQ(to.size(), 12u);
}

TEST(Workload, AnIncastComesFromOtherRacks)
{
    const auto flows =
        flows_of({.kind = TrafficKind::incast, .qps = 2, .senders = 5, .victim = true});
    std::set<uint32_t> from;

    ASSERT_EQ(flows.size(), 12u);
    for (const Flow &flow : flows) {
        from.insert(flow.source);
        EXPECT_NE(Fabric(shape).rack_of(flow.source), 0u);
    }
    EXPECT_EQ(from.size(), 5u);
    EXPECT_TRUE(flows[11].victim);
    EXPECT_EQ(flows[11].source, flows[0].source);
    EXPECT_NE(flows[11].destination, flows[0].destination);
}

} // namespace
