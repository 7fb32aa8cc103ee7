// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "decode.h"

#include <random>

#include <gtest/gtest.h>
#include <linux/mrc.h>

#include "fake_channel.h"

namespace mrcnl::decode_test
{
namespace
{

using test::reply_of;

TEST(Decode, QpWithoutConnectionAndPsns)
{
    Request r(MRC_CMD_QP_GET);

    r.put_u32(MRC_A_QP_QPN, 17).put_u8(MRC_A_QP_STATE, MRC_NL_QP_STATE_INIT);
    const Qp qp = decode_qp(reply_of(r));
    EXPECT_EQ(qp.qpn, 17u);
    EXPECT_EQ(qp.state, QpState::init);
    EXPECT_FALSE(qp.connection);
    EXPECT_FALSE(qp.psns);
}

TEST(Decode, QpWithAll)
{
    Request r(MRC_CMD_QP_GET);

    r.put_u32(MRC_A_QP_DEST_QPN, 18).put_u32(MRC_A_QP_MTU, 4096);
    r.put_address(MRC_A_QP_REMOTE_GID, *Address::parse("fd00::2"));
    r.put_u32(MRC_A_QP_PSN_UNA, 1).put_u32(MRC_A_QP_PSN_NXT, 2).put_u32(MRC_A_QP_PSN_CACK, 3);
    const Qp qp = decode_qp(reply_of(r));
    ASSERT_TRUE(qp.connection);
    EXPECT_EQ(qp.connection->dest_qpn, 18u);
    EXPECT_EQ(qp.connection->mtu, 4096u);
    EXPECT_EQ(qp.connection->remote_gid.text(), "fd00::2");
    ASSERT_TRUE(qp.psns);
    EXPECT_EQ(qp.psns->cack, 3u);
}

TEST(Decode, DeviceCountersKeepTheirOrder)
{
    Request r(MRC_CMD_DEVICE_GET);

    for (const char *name : {"tx_packets", "rx_packets"}) {
        const Request::Nest nest(r, MRC_A_DEVICE_COUNTER);

        r.put_string(MRC_A_COUNTER_NAME, name).put_u64(MRC_A_COUNTER_VALUE, 1ull << 33);
    }
    const Device device = decode_device(reply_of(r));
    ASSERT_EQ(device.counters.size(), 2u);
    EXPECT_EQ(device.counters[1].name, "rx_packets");
    EXPECT_EQ(device.counters[1].value, 1ull << 33);
}

TEST(Decode, RouteMatchWithoutRoute)
{
    Request r(MRC_CMD_ROUTE_GET);

    r.put_address(MRC_A_ROUTE_GID, *Address::parse("fd00::2"));
    EXPECT_FALSE(decode_route_match(reply_of(r)).prefix);
    r.put_address(MRC_A_ROUTE_PREFIX, *Address::parse("fd00::")).put_u8(MRC_A_ROUTE_PREFIX_LEN, 64);
    EXPECT_EQ(decode_route_match(reply_of(r)).prefix->text(), "fd00::/64");
}

TEST(Decode, PeerEvEvent)
{
    Request r(MRC_CMD_PEER_EV_NTF);

    r.put_u8(MRC_A_PEER_EV_STATE, MRC_NL_EV_STATE_ASSUMED_BAD);
    r.put_u8(MRC_A_PEER_EV_OLD_STATE, MRC_NL_EV_STATE_GOOD);
    r.put_string(MRC_A_PEER_EV_REASON, "loss").put_u64(MRC_A_PEER_EV_TIME, 5);
    const auto event = decode_event(reply_of(r));
    ASSERT_TRUE(event);
    const auto &change = std::get<PeerEvEvent>(*event);
    EXPECT_EQ(change.state, EvState::assumed_bad);
    EXPECT_EQ(change.old_state, EvState::good);
    EXPECT_EQ(change.reason, "loss");
    EXPECT_EQ(change.time, 5u);
}

TEST(Decode, WhatAnEvHasBeenThrough)
{
    Request r(MRC_CMD_PEER_EV_GET);

    r.put_u64(MRC_A_PEER_EV_ACKED, 1ull << 33).put_u32(MRC_A_PEER_EV_PROBED, 3);
    r.put_u64(MRC_A_PEER_EV_CHANGED, 77).put_u8(MRC_A_PEER_EV_SPARE, 1);
    const PeerEv ev = decode_peer_ev(reply_of(r));
    EXPECT_EQ(ev.acked, 1ull << 33);
    EXPECT_EQ(ev.probed, 3u);
    EXPECT_EQ(ev.changed, 77u);
    EXPECT_TRUE(ev.spare);
}

TEST(Decode, HowManyAreSpares)
{
    Request peer(MRC_CMD_PEER_GET);
    Request profile(MRC_CMD_EV_PROFILE_GET);

    peer.put_u16(MRC_A_PEER_EVS_GOOD, 5)
        .put_u16(MRC_A_PEER_EVS_SPARE, 3)
        .put_u16(MRC_A_PEER_EVS_HELD, 1);
    EXPECT_EQ(decode_peer(reply_of(peer)).evs_spare, 3);
    EXPECT_EQ(decode_peer(reply_of(peer)).evs_held, 1);
    profile.put_u16(MRC_A_EV_PROFILE_COUNT, 8).put_u16(MRC_A_EV_PROFILE_ACTIVE, 2);
    EXPECT_EQ(decode_ev_profile(reply_of(profile)).active, 2);
}

TEST(Decode, HowManyEvsOfEachPort)
{
    Request answer(MRC_CMD_PEER_GET);

    for (uint8_t port = 1; port <= 2; port++) {
        const Request::Nest nest(answer, MRC_A_PEER_PORT_EVS);

        answer.put_u8(MRC_A_PORT_EVS_PORT, port);
        for (uint16_t type = MRC_A_PORT_EVS_EVS; type <= MRC_A_PORT_EVS_DENIED; type++)
            answer.put_u16(type, static_cast<uint16_t>(port * 10 + type));
    }
    const Peer peer = decode_peer(reply_of(answer));
    ASSERT_EQ(peer.port_evs.size(), 2u);
    const PortEvs &second = peer.port_evs[1];
    EXPECT_EQ(second.port, 2);
    EXPECT_EQ(second.evs, 20 + MRC_A_PORT_EVS_EVS);
    EXPECT_EQ(second.good, 20 + MRC_A_PORT_EVS_GOOD);
    EXPECT_EQ(second.spare, 20 + MRC_A_PORT_EVS_SPARE);
    EXPECT_EQ(second.skip, 20 + MRC_A_PORT_EVS_SKIP);
    EXPECT_EQ(second.held, 20 + MRC_A_PORT_EVS_HELD);
    EXPECT_EQ(second.assumed_bad, 20 + MRC_A_PORT_EVS_ASSUMED_BAD);
    EXPECT_EQ(second.denied, 20 + MRC_A_PORT_EVS_DENIED);
}

TEST(Decode, WhatBecameOfTheEvsOfEachPort)
{
    Request answer(MRC_CMD_PEER_GET);

    for (uint8_t port = 1; port <= 2; port++) {
        const Request::Nest nest(answer, MRC_A_PEER_PORT_HISTORY);

        answer.put_u8(MRC_A_PORT_HISTORY_PORT, port);
        if (port == 2)
            answer.put_string(MRC_A_PORT_HISTORY_REASON, "loss");
        for (uint16_t type = MRC_A_PORT_HISTORY_CHANGED; type <= MRC_A_PORT_HISTORY_PROBED; type++)
            answer.put_u64(type, port * 100u + type);
    }
    const Peer peer = decode_peer(reply_of(answer));
    ASSERT_EQ(peer.port_history.size(), 2u);
    EXPECT_EQ(peer.port_history[0].reason, "") << "nothing has changed there";
    const PortHistory &second = peer.port_history[1];
    EXPECT_EQ(second.port, 2);
    EXPECT_EQ(second.reason, "loss");
    EXPECT_EQ(second.changed, 200u + MRC_A_PORT_HISTORY_CHANGED);
    EXPECT_EQ(second.heard, 200u + MRC_A_PORT_HISTORY_HEARD);
    EXPECT_EQ(second.tx_packets, 200u + MRC_A_PORT_HISTORY_TX_PACKETS);
    EXPECT_EQ(second.lost, 200u + MRC_A_PORT_HISTORY_LOST);
    EXPECT_EQ(second.acked, 200u + MRC_A_PORT_HISTORY_ACKED);
    EXPECT_EQ(second.probed, 200u + MRC_A_PORT_HISTORY_PROBED);
}

TEST(Decode, CongestionOfAPeer)
{
    Request answer(MRC_CMD_PEER_GET);

    EXPECT_FALSE(decode_peer(reply_of(answer)).congestion);
    {
        const Request::Nest nest(answer, MRC_A_PEER_CONGESTION);

        answer.put_u32(MRC_A_PEER_CONGESTION_CONTEXTS, 2).put_u32(MRC_A_PEER_CONGESTION_QPS, 9);
        answer.put_u64(MRC_A_PEER_CONGESTION_CWND, 1ull << 33);
        answer.put_u32(MRC_A_PEER_CONGESTION_CWND_LOWEST, 4224);
        answer.put_u32(MRC_A_PEER_CONGESTION_CWND_HIGHEST, 98304);
        answer.put_u64(MRC_A_PEER_CONGESTION_MAX_CWND, 1ull << 34);
        answer.put_u64(MRC_A_PEER_CONGESTION_INFLIGHT, 65536);
        answer.put_u32(MRC_A_PEER_CONGESTION_BASE_RTT, 100000);
        answer.put_u32(MRC_A_PEER_CONGESTION_DELAY, 7500);
        answer.put_u32(MRC_A_PEER_CONGESTION_TARGET_DELAY, 75000);
        for (uint16_t type = MRC_A_PEER_CONGESTION_FAST; type <= MRC_A_PEER_CONGESTION_PENALTIES;
             type++)
            answer.put_u64(type, type - MRC_A_PEER_CONGESTION_FAST + 1u);
    }
    const auto congestion = decode_peer(reply_of(answer)).congestion;
    const PeerCongestion expected{.contexts = 2,
                                  .qps = 9,
                                  .cwnd = 1ull << 33,
                                  .cwnd_lowest = 4224,
                                  .cwnd_highest = 98304,
                                  .max_cwnd = 1ull << 34,
                                  .inflight = 65536,
                                  .base_rtt = 100000,
                                  .delay = 7500,
                                  .target_delay = 75000,
                                  .counts = {.fast = 1,
                                             .proportional = 2,
                                             .fair = 3,
                                             .hold = 4,
                                             .decrease = 5,
                                             .cuts = 6,
                                             .quick_adapts = 7,
                                             .trims = 8,
                                             .penalties = 9}};

    EXPECT_EQ(congestion, expected);
}

TEST(Decode, CcProfile)
{
    Request answer(MRC_CMD_CC_PROFILE_GET);

    answer.put_u64(MRC_A_CC_PROFILE_ID, 3).put_string(MRC_A_CC_PROFILE_ALGORITHM, "none");
    answer.put_u32(MRC_A_CC_PROFILE_WINDOW, 8192);
    const CcProfile fixed = decode_cc_profile(reply_of(answer));
    EXPECT_EQ(fixed.window, 8192u);
    EXPECT_EQ(fixed.settings, CcSettings());
    EXPECT_EQ(fixed.derived, CcDerived());
    Request steered(MRC_CMD_CC_PROFILE_GET);
    steered.put_u64(MRC_A_CC_PROFILE_RATE, 1ull << 38).put_u32(MRC_A_CC_PROFILE_GAMMA, 800'000);
    steered.put_u8(MRC_A_CC_PROFILE_QUICK_ADAPT, 0).put_u8(MRC_A_CC_PROFILE_SCOPE, 1);
    {
        const Request::Nest nest(steered, MRC_A_CC_PROFILE_DERIVED);

        steered.put_u64(MRC_A_CC_DERIVED_RATE, 5).put_u32(MRC_A_CC_DERIVED_ALPHA, 6);
    }
    const CcProfile profile = decode_cc_profile(reply_of(steered));
    EXPECT_FALSE(profile.window);
    EXPECT_EQ(profile.settings, (CcSettings{.rate = 1ull << 38,
                                            .gamma = 800'000,
                                            .quick_adapt = false,
                                            .scope = MRC_NL_CC_SCOPE_QP}));
    EXPECT_EQ(profile.derived, (CcDerived{.rate = 5, .alpha = 6}));
}

TEST(Decode, PeerPortsEvent)
{
    Request r(MRC_CMD_PEER_PORTS_NTF);

    r.put_address(MRC_A_PEER_REMOTE_GID, *Address::parse("fd00::2"));
    r.put_u32(MRC_A_PEER_REMOTE_PORTS, 1).put_u32(MRC_A_PEER_OLD_REMOTE_PORTS, 3);
    r.put_u64(MRC_A_PEER_TIME, 5);
    const auto event = decode_event(reply_of(r));
    ASSERT_TRUE(event);
    const auto &change = std::get<PeerPortsEvent>(*event);
    EXPECT_EQ(change.key.remote_gid.text(), "fd00::2");
    EXPECT_EQ(change.remote_ports, 1u);
    EXPECT_EQ(change.old_remote_ports, 3u);
    EXPECT_EQ(change.time, 5u);
}

// Random bytes must not crash a client.
TEST(Decode, NoiseIsHarmless)
{
    std::mt19937 random(3);

    for (int round = 0; round < 5000; round++) {
        Reply reply{static_cast<uint8_t>(random() % (MRC_CMD_MAX + 2)), {}};

        reply.attributes.resize(random() % 256);
        for (std::byte &byte : reply.attributes)
            byte = static_cast<std::byte>(random() % 32);
        decode_info(reply);
        decode_device(reply);
        decode_plane(reply);
        decode_ev_profile(reply);
        decode_ev(reply);
        decode_cc_profile(reply);
        decode_route(reply);
        decode_route_match(reply);
        decode_peer(reply);
        decode_peer_ev(reply);
        decode_probe(reply);
        decode_qp(reply);
        decode_event(reply);
    }
}

} // namespace
} // namespace mrcnl::decode_test
