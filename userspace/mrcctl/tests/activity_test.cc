// SPDX-License-Identifier: GPL-2.0-only
#include "activity.h"

#include <tuple>

#include <gtest/gtest.h>

#include "fake_kernel.h"

namespace mrcctl::activity_test
{
namespace
{

using namespace mrcnl;

constexpr uint64_t second = 1'000'000'000;
const DeviceRef mrc0{1, "mrc0"};
const PeerKey near_peer{*Address::parse("fd00::1"), *Address::parse("fd00::1"), 0};
const PeerKey far_peer{*Address::parse("fd00::2"), *Address::parse("fd00::1"), 7};

Plane plane(uint8_t port, const PlaneStats &stats, const DeviceRef &device = mrc0)
{
    return {device, port, 10u + port, "eth" + std::to_string(port), true, true, stats};
}

Peer peer(const PeerKey &key, uint64_t tx_packets, uint64_t lost)
{
    Peer peer;

    peer.device = mrc0;
    peer.key = key;
    peer.tx_packets = tx_packets;
    peer.lost = lost;
    return peer;
}

PeerEv peer_ev(const PeerKey &key, uint8_t port, EvState state)
{
    PeerEv ev;

    ev.device = mrc0;
    ev.key = key;
    ev.port = port;
    ev.state = state;
    return ev;
}

Qp qp(uint32_t qpn, uint64_t tx_packets, uint64_t rx_packets, uint64_t rtx_packets)
{
    Qp qp;

    qp.device = mrc0;
    qp.qpn = qpn;
    qp.tx_packets = tx_packets;
    qp.rx_packets = rx_packets;
    qp.rtx_packets = rtx_packets;
    return qp;
}

Peer with_evs(Peer peer, std::vector<PortEvs> evs)
{
    peer.port_evs = std::move(evs);
    return peer;
}

/** Rates need windows in both snapshots; counters that went back have no rate. */
TEST(Activity, RatesOfWindows)
{
    Peer early = peer(far_peer, 0, 0);
    Peer late = early;
    const auto rate = [&] {
        return activity_between({second, {}, {early}, {}}, {3 * second, {}, {late}, {}})
            .peers.at(0)
            .congestion;
    };

    EXPECT_FALSE(rate());
    late.congestion = PeerCongestion{.counts = {10, 20, 30, 40, 50, 60, 70, 80, 90}};
    EXPECT_FALSE(rate()) << "there was none before";
    early.congestion = PeerCongestion{.counts = {8, 16, 24, 32, 40, 48, 56, 64, 72}};
    ASSERT_TRUE(rate());
    EXPECT_DOUBLE_EQ(rate()->fast, 1);
    EXPECT_DOUBLE_EQ(rate()->proportional, 2);
    EXPECT_DOUBLE_EQ(rate()->fair, 3);
    EXPECT_DOUBLE_EQ(rate()->hold, 4);
    EXPECT_DOUBLE_EQ(rate()->decrease, 5);
    EXPECT_DOUBLE_EQ(rate()->cuts, 6);
    EXPECT_DOUBLE_EQ(rate()->quick_adapts, 7);
    EXPECT_DOUBLE_EQ(rate()->trims, 8);
    EXPECT_DOUBLE_EQ(rate()->penalties, 9);
    late.congestion->counts.trims = 0;
    EXPECT_FALSE(rate());
}

TEST(Activity, RatesArePerSecond)
{
    const Snapshot before{
        second, {plane(1, {1, 2, 3, 4, 5, 6})}, {peer(far_peer, 9, 1)}, {qp(17, 5, 6, 7)}};
    const Snapshot now{second + second / 2,
                       {plane(1, {11, 22, 33, 44, 55, 66})},
                       {peer(far_peer, 109, 3)},
                       {qp(17, 15, 26, 37)}};
    const Activity activity = activity_between(before, now);

    EXPECT_EQ(activity.interval, second / 2);
    const auto &rate = activity.planes.at(0).rate;
    ASSERT_TRUE(rate);
    EXPECT_DOUBLE_EQ(rate->tx_packets, 20);
    EXPECT_DOUBLE_EQ(rate->tx_bytes, 40);
    EXPECT_DOUBLE_EQ(rate->tx_errors, 60);
    EXPECT_DOUBLE_EQ(rate->rx_packets, 80);
    EXPECT_DOUBLE_EQ(rate->rx_bytes, 100);
    EXPECT_DOUBLE_EQ(rate->rx_ce, 120);
    EXPECT_DOUBLE_EQ(activity.peers.at(0).rate->tx_packets, 200);
    EXPECT_DOUBLE_EQ(activity.peers.at(0).rate->lost, 4);
    EXPECT_DOUBLE_EQ(activity.qps.at(0).rate->tx_packets, 20);
    EXPECT_DOUBLE_EQ(activity.qps.at(0).rate->rx_packets, 40);
    EXPECT_DOUBLE_EQ(activity.qps.at(0).rate->rtx_packets, 60);
}

TEST(Activity, WhatIsNewHasNoRateAndWhatIsGoneIsNotThere)
{
    const Snapshot before{0, {plane(1, {})}, {peer(near_peer, 1, 0)}, {qp(1, 1, 1, 1)}};
    const Snapshot now{
        second, {plane(2, {9, 9, 9, 9, 9, 9})}, {peer(far_peer, 9, 0)}, {qp(2, 9, 9, 9)}};
    const Activity activity = activity_between(before, now);

    ASSERT_EQ(activity.planes.size(), 1u);
    EXPECT_EQ(activity.planes[0].plane.port, 2);
    EXPECT_FALSE(activity.planes[0].rate);
    ASSERT_EQ(activity.peers.size(), 1u);
    EXPECT_FALSE(activity.peers[0].rate);
    ASSERT_EQ(activity.qps.size(), 1u);
    EXPECT_FALSE(activity.qps[0].rate);
    EXPECT_TRUE(activity_between(now, {}).planes.empty());
}

TEST(Activity, CountersThatWentBackGiveNoRate)
{
    const Snapshot before{
        0, {plane(1, {5, 5, 5, 5, 5, 5})}, {peer(far_peer, 5, 5)}, {qp(1, 5, 5, 5)}};
    const Snapshot now{
        second, {plane(1, {9, 9, 9, 9, 9, 4})}, {peer(far_peer, 4, 9)}, {qp(1, 9, 9, 0)}};
    const Activity activity = activity_between(before, now);

    EXPECT_FALSE(activity.planes.at(0).rate);
    EXPECT_FALSE(activity.peers.at(0).rate);
    EXPECT_FALSE(activity.qps.at(0).rate);
}

// The index identifies the device: it is never used again.
TEST(Activity, DeviceMadeAnewIsAnother)
{
    const Snapshot before{0, {plane(1, {5, 5, 5, 5, 5, 5})}, {}, {}};
    const Snapshot now{second, {plane(1, {9, 9, 9, 9, 9, 9}, {2, "mrc0"})}, {}, {}};

    EXPECT_FALSE(activity_between(before, now).planes.at(0).rate);
}

TEST(Activity, NoTimeNoRate)
{
    const Snapshot before{second, {plane(1, {})}, {}, {}};
    Snapshot now{second, {plane(1, {9, 9, 9, 9, 9, 9})}, {}, {}};

    EXPECT_FALSE(activity_between(before, now).planes.at(0).rate);
    now.time = 0;
    EXPECT_FALSE(activity_between(before, now).planes.at(0).rate);
    EXPECT_EQ(activity_between(before, now).interval, 0u);
}

TEST(Activity, CountsEvsByPeerAndPlane)
{
    const Snapshot now{
        second,
        {plane(1, {}), plane(2, {}), plane(3, {})},
        {with_evs(peer(near_peer, 0, 0), {{1, 1, 1}}),
         with_evs(peer(far_peer, 0, 0), {{1, 3, 2, 1, 1}, {2, 1, 0, 0, 0, 0, 0, 1}})},
        {}};
    const Activity activity = activity_between({}, now);

    EXPECT_EQ(activity.planes.at(0).evs.all, 4u);
    EXPECT_EQ(activity.planes.at(0).evs.good, 2u);
    EXPECT_EQ(activity.planes.at(0).evs.spare, 1u);
    EXPECT_EQ(activity.planes.at(1).evs.all, 1u);
    EXPECT_EQ(activity.planes.at(1).evs.good, 0u);
    EXPECT_EQ(activity.planes.at(2).evs.all, 0u);
    EXPECT_EQ(activity.peers.at(0).evs.size(), 1u);
    ASSERT_EQ(activity.peers.at(1).evs.size(), 2u);
    EXPECT_EQ(activity.peers.at(1).evs.at(1).all, 3u);
    EXPECT_EQ(activity.peers.at(1).evs.at(1).good, 1u);
}

/** Older modules report only single EVs. */
TEST(Snapshot, CountsEvsByPortWhereTheModuleDoesNot)
{
    test::FakeKernel kernel;
    Peer silent = peer(far_peer, 0, 0);

    silent.evs = 3;
    kernel.peer_list = {with_evs(peer(near_peer, 0, 0), {{1, 1, 1}}), silent};
    kernel.peer_ev_list = {peer_ev(near_peer, 1, EvState::good),
                           peer_ev(far_peer, 1, EvState::good), peer_ev(far_peer, 1, EvState::skip),
                           peer_ev(far_peer, 2, EvState::denied)};
    kernel.peer_ev_list[1].spare = true;
    const auto snapshot = take_snapshot(kernel, "mrc0", 0);
    ASSERT_TRUE(snapshot);
    EXPECT_EQ(snapshot->peers[0].port_evs.size(), 1u) << "it has said so";
    const auto &evs = snapshot->peers[1].port_evs;
    ASSERT_EQ(evs.size(), 2u);
    EXPECT_EQ(std::tuple(evs[0].port, evs[0].evs, evs[0].good, evs[0].spare, evs[0].skip),
              std::tuple(1, 2, 1, 1, 1));
    EXPECT_EQ(std::tuple(evs[1].port, evs[1].evs, evs[1].denied), std::tuple(2, 1, 1));
}

std::vector<uint32_t> qps_sorted(Activity activity, Sort key)
{
    std::vector<uint32_t> numbers;

    sort(activity, key);
    for (const QpActivity &qp : activity.qps)
        numbers.push_back(qp.qp.qpn);
    return numbers;
}

TEST(Activity, SortsWhatIsEqualByName)
{
    const Snapshot before{
        0, {}, {}, {qp(4, 0, 0, 0), qp(3, 0, 0, 0), qp(2, 0, 0, 0), qp(1, 0, 0, 0)}};
    // The fifth one has no rate.
    const Snapshot now{
        second,
        {},
        {},
        {qp(5, 99, 99, 99), qp(4, 7, 0, 0), qp(3, 3, 5, 2), qp(2, 0, 0, 9), qp(1, 0, 0, 0)}};
    const Activity activity = activity_between(before, now);

    EXPECT_EQ(qps_sorted(activity, Sort::traffic), (std::vector<uint32_t>{3, 4, 1, 2, 5}));
    EXPECT_EQ(qps_sorted(activity, Sort::lost), (std::vector<uint32_t>{2, 3, 1, 4, 5}));
    EXPECT_EQ(qps_sorted(activity, Sort::name), (std::vector<uint32_t>{1, 2, 3, 4, 5}));
}

TEST(Activity, SortsPlanesAndPeers)
{
    const Snapshot before{
        0, {plane(1, {}), plane(2, {})}, {peer(near_peer, 0, 0), peer(far_peer, 0, 0)}, {}};
    const Snapshot now{second,
                       {plane(1, {9, 9, 1, 9, 0, 0}), plane(2, {0, 0, 0, 0, 10, 0})},
                       {peer(near_peer, 1, 1), peer(far_peer, 2, 0)},
                       {}};
    Activity activity = activity_between(before, now);

    sort(activity, Sort::traffic);
    EXPECT_EQ(activity.planes[0].plane.port, 2);
    EXPECT_EQ(activity.peers[0].peer.key, far_peer);
    sort(activity, Sort::lost);
    EXPECT_EQ(activity.planes[0].plane.port, 1);
    EXPECT_EQ(activity.peers[0].peer.key, near_peer);
}

} // namespace
} // namespace mrcctl::activity_test
