// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "mrcnl/members.h"

#include <set>

#include <gtest/gtest.h>

#include "decode.h"
#include "fake_channel.h"

namespace mrcnl::members_test
{
namespace
{

using test::reply_of;

/** Converts to a member of any type. */
struct Any {
    template <typename T>
    operator T() const
    {
        return T();
    }
};

/** The number of members of a struct: the number of values that it can be made from. */
template <typename T, typename... Values>
constexpr size_t member_count()
{
    if constexpr (requires { T{Values{}..., Any{}}; })
        return member_count<T, Values..., Any>();
    else
        return sizeof...(Values);
}

/** @param others number of members that are decoded by code instead of a list */
template <typename Set, typename T>
void expect_all(size_t others = 0)
{
    std::set<int> numbers;

    for_each_member<Set, T>([&](auto from, auto) {
        EXPECT_TRUE(numbers.insert(from.number).second) << from.number;
        EXPECT_GT(from.number, 0);
        EXPECT_LE(from.number, Set::max);
    });
    EXPECT_EQ(numbers.size() + others, member_count<T>()) << typeid(T).name();
}

TEST(Members, AreAllInTheListsOfAnswers)
{
    expect_all<InfoSet, Info>();
    expect_all<DeviceSet, Device>();
    expect_all<DeviceSet, DeviceSettings>();
    expect_all<CounterSet, Counter>();
    expect_all<PlaneSet, Plane>(2); // states
    expect_all<PlaneStatsSet, PlaneStats>();
    expect_all<EvProfileSet, EvProfile>();
    expect_all<EvSet, Ev>();
    expect_all<EvSet, EvSpec>(1); // path
    expect_all<CcProfileSet, CcProfile>();
    expect_all<CcProfileSet, CcSettings>();
    expect_all<CcDerivedSet, CcDerived>();
    expect_all<RouteSet, Route>();
    expect_all<RouteSet, RouteMatch>();
    expect_all<RouteSet, Prefix>();
    expect_all<PeerSet, Peer>();
    expect_all<PortEvsSet, PortEvs>();
    expect_all<PortHistorySet, PortHistory>();
    expect_all<PeerCongestionSet, PeerCongestion>();
    expect_all<PeerCongestionSet, CongestionCounts>();
    expect_all<PeerEvSet, PeerEv>();
    expect_all<ProbeSet, Probe>();
    expect_all<ProbeResultSet, ProbeResult>();
    expect_all<QpSet, Qp>();
    expect_all<QpSet, QpConnection>();
    expect_all<QpSet, QpPsns>();
    expect_all<CongestionSet, Congestion>();
    expect_all<CongestionSet, CongestionCounts>();
}

TEST(Members, AreAllInTheListsOfEvents)
{
    expect_all<DeviceSet, DeviceEvent>(1); // added
    expect_all<DeviceSet, SettingsEvent>();
    expect_all<PlaneSet, PlaneEvent>();
    expect_all<EvProfileSet, ConfigEvent<EvProfile>>();
    expect_all<EvSet, EvEvent>();
    expect_all<CcProfileSet, ConfigEvent<CcProfile>>();
    expect_all<RouteSet, ConfigEvent<Route>>();
    expect_all<PeerSet, PeerPortsEvent>();
    expect_all<PeerEvSet, PeerEvEvent>();
    expect_all<QpSet, QpEvent>();
}

/**
 * In each set, the numbers of the device and of the program that asked for a change are the same.
 */
template <typename Set>
void expect_by()
{
    expect_all<Set, DeviceRef>();
    expect_all<Set, By>();
}

TEST(Members, OfEverySet)
{
    expect_by<DeviceSet>();
    expect_by<PlaneSet>();
    expect_by<EvProfileSet>();
    expect_by<EvSet>();
    expect_by<CcProfileSet>();
    expect_by<RouteSet>();
    expect_all<PeerSet, DeviceRef>();
    expect_all<PeerEvSet, DeviceRef>();
    expect_all<ProbeSet, DeviceRef>();
    expect_all<QpSet, DeviceRef>();
}

TEST(Members, Plane)
{
    Request r(MRC_CMD_PLANE_NTF);

    r.put_u32(MRC_A_PLANE_DEV_INDEX, 3).put_string(MRC_A_PLANE_DEV_NAME, "mrc0");
    r.put_u8(MRC_A_PLANE_PORT, 2).put_string(MRC_A_PLANE_IFNAME, "eth2").put_flag(MRC_A_PLANE_GONE);
    r.put_u8(MRC_A_PLANE_ADMIN_STATE, MRC_NL_PLANE_STATE_UP).put_u8(MRC_A_PLANE_OPER_STATE, 2);
    {
        const Request::Nest nest(r, MRC_A_PLANE_STATS);

        r.put_u64(MRC_A_PLANE_STATS_TX_PACKETS, 4).put_u64(MRC_A_PLANE_STATS_TX_BYTES, 5);
        r.put_u64(MRC_A_PLANE_STATS_TX_ERRORS, 6).put_u64(MRC_A_PLANE_STATS_RX_CE, 1ull << 40);
    }
    const auto event = std::get<PlaneEvent>(decode_event(reply_of(r)).value());
    EXPECT_TRUE(event.gone);
    EXPECT_EQ(event.plane.device, (DeviceRef{3, "mrc0"}));
    EXPECT_EQ(event.plane.port, 2);
    EXPECT_EQ(event.plane.ifname, "eth2");
    EXPECT_FALSE(event.plane.owner);
    EXPECT_TRUE(event.plane.admin_up);
    EXPECT_FALSE(event.plane.oper_up) << "a state of a newer kernel";
    EXPECT_EQ(event.plane.stats.tx_packets, 4u);
    EXPECT_EQ(event.plane.stats.tx_bytes, 5u);
    EXPECT_EQ(event.plane.stats.tx_errors, 6u);
    EXPECT_EQ(event.plane.stats.rx_packets, 0u);
    EXPECT_EQ(event.plane.stats.rx_ce, 1ull << 40);
}

TEST(Members, KeyOfAPeer)
{
    const Address remote = *Address::parse("fd00::2"), local = *Address::parse("fd00::1");
    Request peer(MRC_CMD_PEER_GET), ev(MRC_CMD_PEER_EV_GET), probe(MRC_CMD_PROBE_NTF);

    peer.put_address(MRC_A_PEER_REMOTE_GID, remote).put_address(MRC_A_PEER_LOCAL_GID, local);
    peer.put_u64(MRC_A_PEER_EV_PROFILE, 7);
    ev.put_address(MRC_A_PEER_EV_REMOTE_GID, remote).put_address(MRC_A_PEER_EV_LOCAL_GID, local);
    ev.put_u64(MRC_A_PEER_EV_EV_PROFILE, 7);
    probe.put_address(MRC_A_PROBE_REMOTE_GID, remote).put_address(MRC_A_PROBE_LOCAL_GID, local);
    probe.put_u64(MRC_A_PROBE_EV_PROFILE, 7);
    const PeerKey key{remote, local, 7};
    EXPECT_EQ(decode_peer(reply_of(peer)).key, key);
    EXPECT_EQ(decode_peer_ev(reply_of(ev)).key, key);
    EXPECT_EQ(decode_probe(reply_of(probe)).key, key);
}

TEST(Members, ResultsOfProbes)
{
    Request r(MRC_CMD_PROBE_NTF);

    for (const bool answered : {true, false}) {
        const Request::Nest nest(r, MRC_A_PROBE_RESULT);

        r.put_u16(MRC_A_PROBE_RESULT_INDEX, 300).put_u8(MRC_A_PROBE_RESULT_PORT, 1);
        if (answered)
            r.put_u64(MRC_A_PROBE_RESULT_RTT, 0).put_u8(MRC_A_PROBE_RESULT_RX_PORT, 2);
        else
            r.put_u32(MRC_A_PROBE_RESULT_ERROR, EBUSY);
    }
    const auto results = decode_probe(reply_of(r)).results;
    ASSERT_EQ(results.size(), 2u);
    EXPECT_EQ(results[0].index, 300);
    EXPECT_EQ(results[0].port, 1);
    EXPECT_EQ(results[0].rtt, 0u);
    EXPECT_EQ(results[0].rx_port, 2);
    EXPECT_EQ(results[0].error, 0);
    EXPECT_FALSE(results[1].rtt);
    EXPECT_EQ(results[1].error, EBUSY);
}

// A part of an object exists if its first attribute does.
TEST(Members, PartsThatMayBeMissing)
{
    Request qp(MRC_CMD_QP_GET), match(MRC_CMD_ROUTE_GET);

    qp.put_u32(MRC_A_QP_MTU, 4096).put_u32(MRC_A_QP_PSN_NXT, 2);
    EXPECT_FALSE(decode_qp(reply_of(qp)).connection);
    EXPECT_FALSE(decode_qp(reply_of(qp)).psns);
    EXPECT_FALSE(decode_qp(reply_of(qp)).congestion);
    match.put_u8(MRC_A_ROUTE_PREFIX_LEN, 64);
    EXPECT_FALSE(decode_route_match(reply_of(match)).prefix);
    EXPECT_EQ(decode_route(reply_of(match)).prefix.length, 64);
    qp.put_u32(MRC_A_QP_DEST_QPN, 9).put_u32(MRC_A_QP_PSN_UNA, 1);
    EXPECT_EQ(decode_qp(reply_of(qp)).connection.value().mtu, 4096u);
    EXPECT_EQ(decode_qp(reply_of(qp)).psns.value().una, 1u);
    EXPECT_EQ(decode_qp(reply_of(qp)).psns.value().nxt, 2u);
}

TEST(Members, CongestionOfAQp)
{
    Request r(MRC_CMD_QP_GET);

    {
        const Request::Nest nest(r, MRC_A_QP_CONGESTION);

        r.put_u32(MRC_A_CONGESTION_CWND, 1).put_u32(MRC_A_CONGESTION_MAX_CWND, 2);
        r.put_u64(MRC_A_CONGESTION_INFLIGHT, 1ull << 33).put_u32(MRC_A_CONGESTION_QPS, 4);
        r.put_u64(MRC_A_CONGESTION_FAST, 5).put_u64(MRC_A_CONGESTION_PENALTIES, 6);
    }
    const Congestion expected{.cwnd = 1,
                              .max_cwnd = 2,
                              .inflight = 1ull << 33,
                              .qps = 4,
                              .counts = {.fast = 5, .penalties = 6}};
    EXPECT_EQ(decode_qp(reply_of(r)).congestion, expected);
}

// The kind of the event says whether a device was added or deleted.
TEST(Members, DevicesComeAndGo)
{
    for (const uint8_t command : {MRC_CMD_DEVICE_ADD_NTF, MRC_CMD_DEVICE_DEL_NTF}) {
        Request r(command);

        r.put_string(MRC_A_DEVICE_DEV_NAME, "mrc0").put_u64(MRC_A_DEVICE_TIME, 5);
        const auto event = std::get<DeviceEvent>(decode_event(reply_of(r)).value());
        EXPECT_EQ(event.added, command == MRC_CMD_DEVICE_ADD_NTF);
        EXPECT_EQ(event.device.name, "mrc0");
        EXPECT_EQ(event.time, 5u);
        EXPECT_FALSE(event.by.pid);
    }
}

} // namespace
} // namespace mrcnl::members_test
