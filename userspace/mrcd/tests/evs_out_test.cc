// SPDX-License-Identifier: GPL-2.0-only
//
// Planes of which the engine uses nothing, and what is told of them.

#include "report/evs_out.h"

#include <gtest/gtest.h>

#include "fabrics.h"
#include "report/diagnosis.h"

namespace mrcd::test::evs_out_test
{
namespace
{

using mrcnl::Address;
using mrcnl::Peer;
using mrcnl::PortEvs;

constexpr uint64_t second = 1'000'000'000;

/** A peer at host "h" + number, with four good EVs in each of planes 1 and 2. */
Peer peer(unsigned number)
{
    Peer one;

    one.key.remote_gid = *Address::parse("fd00:6d72:63::" + std::to_string(number));
    one.local_ports = one.remote_ports = 3;
    for (uint8_t port = 1; port <= 2; port++) {
        one.port_evs.push_back({port, 4, 4, 0, 0, 0, 0, 0});
        one.port_history.push_back({port, "", 0, 0, 100, 0, 90, 0});
    }
    return one;
}

/** Makes all EVs of a port bad because of loss, at a time. */
void lose(Peer &peer, uint8_t port, uint64_t at_ns)
{
    peer.port_evs[port - 1u].good = 0;
    peer.port_evs[port - 1u].assumed_bad = 4;
    peer.port_history[port - 1u] = {port, "loss", at_ns, at_ns - second / 2, 100, 7, 90, 12};
}

struct EvsRig {
    Fabric fabric = fabric_of(small_file);
    FileState file{"f", "0", 1, "", 0, false};
    Progress progress;
    Observation seen;
    std::vector<Peer> peers{peer(2), peer(3)};
    std::set<uint8_t> alive{1, 2};

    EvsRig()
    {
        NetdevView netdev{1, true, true, 9000};
        seen.module = {true, "1.0"};
        seen.device = true;
        seen.anchor = netdev;
        seen.planes = {{netdev, true, {}, {}}, {netdev, true, {}, {}}};
    }
    void look(uint64_t now_ns)
    {
        seen.taken_ns = now_ns;
        seen.peers = peers.size();
        seen.evs_out = find_evs_out(peers, {{1, 1}, {2, 2}}, seen.evs_out);
    }
    std::vector<Problem> problems() const
    {
        return diagnose({fabric,
                         file,
                         progress,
                         &seen,
                         {},
                         seen.taken_ns + second / 2,
                         1'000 * second,
                         "1.0",
                         alive});
    }
};

TEST(EvsOut, OfAPlaneIsToldWhenItHasLasted)
{
    EvsRig rig;

    rig.look(10 * second);
    EXPECT_TRUE(rig.problems().empty());
    lose(rig.peers[0], 2, 11 * second);
    rig.look(12 * second - 1);
    EXPECT_TRUE(rig.problems().empty());
    rig.look(12 * second);
    const auto found = rig.problems();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].kind, ProblemKind::evs);
    EXPECT_STREQ(name_of(found[0].kind), "evs");
    EXPECT_EQ(found[0].port, 2);
    EXPECT_EQ(found[0].what, "plane 2: the module considers all EVs bad");
    EXPECT_EQ(found[0].since_ns, 1'000 * second - 3 * second / 2);
    EXPECT_EQ(
        found[0].seen,
        "towards h2 (1 of 2 peers), though probes over its links come back; the last packet that "
        "arrived was sent 1.5 s ago; 4 EVs (loss): 100 packets sent, 90 arrived, 7 lost, 12 "
        "probes");
}

TEST(EvsOut, PeersOfAPlaneAreToldTogether)
{
    EvsRig rig;

    lose(rig.peers[0], 1, 11 * second);
    lose(rig.peers[1], 1, 10 * second);
    rig.peers[1].port_history[0].reason = "probes lost";
    rig.peers[0].port_history[0].heard = rig.peers[1].port_history[0].heard = 0;
    rig.look(20 * second);
    const auto found = rig.problems();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].what, "plane 1: the module considers all EVs bad");
    EXPECT_EQ(found[0].since_ns, 1'000 * second - 21 * second / 2) << "of the one that came first";
    EXPECT_TRUE(found[0].seen.starts_with("towards h2, h3 (2 of 2 peers)")) << found[0].seen;
    EXPECT_NE(found[0].seen.find("no packet has ever arrived; 8 EVs (loss, probes lost): 200 "),
              std::string::npos)
        << found[0].seen;
}

/** The peer may be dead: a line for each plane would say no more. */
TEST(EvsOut, APeerThatNoPlaneReachesIsToldOnce)
{
    EvsRig rig;

    lose(rig.peers[0], 1, 11 * second);
    lose(rig.peers[0], 2, 11 * second);
    lose(rig.peers[1], 2, 11 * second);
    rig.look(20 * second);
    const auto found = rig.problems();
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].what, "all planes: the module considers all EVs bad");
    EXPECT_EQ(found[0].port, 0);
    EXPECT_TRUE(found[0].seen.starts_with("towards h2 (1 of 2 peers)")) << found[0].seen;
    EXPECT_EQ(found[1].what, "plane 2: the module considers all EVs bad");
    EXPECT_TRUE(found[1].seen.starts_with("towards h3 (1 of 2")) << found[1].seen;
}

TEST(EvsOut, OfAPlaneWhoseProbesAreLostNothingIsTold)
{
    EvsRig rig;

    lose(rig.peers[0], 2, 11 * second);
    rig.look(20 * second);
    rig.alive = {1};
    EXPECT_TRUE(rig.problems().empty());
    rig.alive = {1, 2};
    rig.seen.planes[1].netdev->carrier = false;
    ASSERT_EQ(rig.problems().size(), 1u);
    EXPECT_EQ(rig.problems()[0].kind, ProblemKind::carrier);
}

/**
 * A plane that is down at either end is reported as such. A plane with only denied EVs is intended.
 */
TEST(EvsOut, OfAPlaneThatIsDownOrDeniedNothingIsTold)
{
    EvsRig rig;

    lose(rig.peers[0], 2, 11 * second);
    rig.peers[0].remote_ports = 1;
    rig.look(20 * second);
    EXPECT_TRUE(rig.problems().empty());
    rig.peers[0].remote_ports = 3;
    rig.peers[0].local_ports = 1;
    rig.look(20 * second);
    EXPECT_TRUE(rig.problems().empty());
    rig.peers[0].local_ports = 3;
    rig.peers[0].port_evs[1].assumed_bad = 0;
    rig.peers[0].port_evs[1].denied = 4;
    rig.look(20 * second);
    EXPECT_TRUE(rig.problems().empty());
    rig.peers[0].port_evs[1].assumed_bad = 1;
    rig.peers[0].port_evs[1].denied = 3;
    rig.look(20 * second);
    EXPECT_EQ(rig.problems().size(), 1u) << "the one that is not denied is bad";
}

TEST(EvsOut, OneThatIsInUseIsEnough)
{
    for (uint16_t PortEvs::*const state : {&PortEvs::good, &PortEvs::skip}) {
        EvsRig rig;
        lose(rig.peers[0], 2, 11 * second);
        rig.peers[0].port_evs[1].*state = 1;
        rig.look(20 * second);
        EXPECT_TRUE(rig.problems().empty());
    }
    EvsRig rig;
    lose(rig.peers[0], 2, 11 * second);
    rig.peers[0].port_evs[1].held = 1;
    rig.look(20 * second);
    EXPECT_EQ(rig.problems().size(), 1u) << "it is held to be bad, and there is no better one";
}

/** When the module tries other EVs, their states change, but nothing is healed. */
TEST(EvsOut, SinceThenNothingHasArrived)
{
    EvsRig rig;
    mrcnl::PortHistory &history = rig.peers[0].port_history[1];

    lose(rig.peers[0], 2, 11 * second);
    rig.look(12 * second);
    history.changed = 19 * second;
    rig.look(20 * second);
    ASSERT_EQ(rig.seen.evs_out.size(), 1u);
    EXPECT_EQ(rig.seen.evs_out[0].since_ns, 11 * second);
    history.acked++;
    rig.look(21 * second);
    EXPECT_EQ(rig.seen.evs_out[0].since_ns, 19 * second) << "something has";
    rig.peers[0] = peer(2);
    rig.look(22 * second);
    EXPECT_TRUE(rig.seen.evs_out.empty());
}

TEST(EvsOut, OfAPortThatTheFileDoesNotNameNothingIsTold)
{
    std::vector<Peer> peers{peer(2)};

    lose(peers[0], 2, second);
    EXPECT_TRUE(find_evs_out(peers, {{1, 1}}, {}).empty());
    EXPECT_EQ(find_evs_out(peers, {{2, 1}}, {}).at(0).plane, 1);
    peers[0].port_evs.clear();
    EXPECT_TRUE(find_evs_out(peers, {{2, 1}}, {}).empty()) << "older modules do not say";
}

} // namespace
} // namespace mrcd::test::evs_out_test
