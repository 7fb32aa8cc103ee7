// SPDX-License-Identifier: GPL-2.0-only
#include "decode.h"

#include <type_traits>

#include <linux/mrc.h>
#include <linux/seg6_iptunnel.h>

#include "srh.h"

namespace mrcnl
{

namespace
{

// The same in every set of a noun.
constexpr int dev_index = MRC_A_DEVICE_DEV_INDEX;
constexpr int device_dev_name = MRC_A_DEVICE_DEV_NAME;

DeviceRef decode_ref(const Attributes &a)
{
    return {a.u32(dev_index), a.string(device_dev_name)};
}

Owner decode_owner(const Attributes &a, int type)
{
    return a.has(type) ? Owner(a.u8(type)) : std::nullopt;
}

template <typename T>
T read(const Attributes &a, int type)
{
    if constexpr (std::is_same_v<T, Address>)
        return a.address(type);
    else if constexpr (std::is_same_v<T, uint64_t>)
        return a.u64(type);
    else if constexpr (std::is_same_v<T, uint32_t>)
        return a.u32(type);
    else if constexpr (std::is_same_v<T, uint16_t>)
        return a.u16(type);
    else
        return static_cast<T>(a.u8(type));
}

template <typename Settings = DeviceSettings>
Settings decode_settings(const Attributes &a)
{
    Settings s;

    for_each_setting<Settings>([&](const Setting &setting, auto member) {
        using T = typename std::remove_reference_t<decltype(s.*member)>::value_type;

        if (a.has(setting.attribute))
            s.*member = read<T>(a, setting.attribute);
    });
    return s;
}

PlaneStats decode_stats(std::span<const std::byte> data)
{
    const Attributes a(data, MRC_A_PLANE_STATS_MAX);

    return {a.u64(MRC_A_PLANE_STATS_TX_PACKETS), a.u64(MRC_A_PLANE_STATS_TX_BYTES),
            a.u64(MRC_A_PLANE_STATS_TX_ERRORS),  a.u64(MRC_A_PLANE_STATS_RX_PACKETS),
            a.u64(MRC_A_PLANE_STATS_RX_BYTES),   a.u64(MRC_A_PLANE_STATS_RX_CE)};
}

/** @param first attribute of the first of them; the others follow, in the order of the members */
CongestionCounts decode_congestion_counts(const Attributes &a, int first)
{
    constexpr uint64_t CongestionCounts::*members[] = {
        &CongestionCounts::fast,         &CongestionCounts::proportional,
        &CongestionCounts::fair,         &CongestionCounts::hold,
        &CongestionCounts::decrease,     &CongestionCounts::cuts,
        &CongestionCounts::quick_adapts, &CongestionCounts::trims,
        &CongestionCounts::penalties};
    CongestionCounts counts;

    static_assert(MRC_A_CONGESTION_PENALTIES - MRC_A_CONGESTION_FAST + 1 == std::size(members));
    static_assert(MRC_A_PEER_CONGESTION_PENALTIES - MRC_A_PEER_CONGESTION_FAST + 1 ==
                  std::size(members));
    for (const auto member : members)
        counts.*member = a.u64(first++);
    return counts;
}

Congestion decode_congestion(std::span<const std::byte> data)
{
    const Attributes a(data, MRC_A_CONGESTION_MAX);

    return {.cwnd = a.u32(MRC_A_CONGESTION_CWND),
            .max_cwnd = a.u32(MRC_A_CONGESTION_MAX_CWND),
            .inflight = a.u64(MRC_A_CONGESTION_INFLIGHT),
            .qps = a.u32(MRC_A_CONGESTION_QPS),
            .base_rtt = a.u32(MRC_A_CONGESTION_BASE_RTT),
            .delay = a.u32(MRC_A_CONGESTION_DELAY),
            .target_delay = a.u32(MRC_A_CONGESTION_TARGET_DELAY),
            .counts = decode_congestion_counts(a, MRC_A_CONGESTION_FAST)};
}

PeerCongestion decode_peer_congestion(std::span<const std::byte> data)
{
    const Attributes a(data, MRC_A_PEER_CONGESTION_MAX);

    return {.contexts = a.u32(MRC_A_PEER_CONGESTION_CONTEXTS),
            .qps = a.u32(MRC_A_PEER_CONGESTION_QPS),
            .cwnd = a.u64(MRC_A_PEER_CONGESTION_CWND),
            .cwnd_lowest = a.u32(MRC_A_PEER_CONGESTION_CWND_LOWEST),
            .cwnd_highest = a.u32(MRC_A_PEER_CONGESTION_CWND_HIGHEST),
            .max_cwnd = a.u64(MRC_A_PEER_CONGESTION_MAX_CWND),
            .inflight = a.u64(MRC_A_PEER_CONGESTION_INFLIGHT),
            .base_rtt = a.u32(MRC_A_PEER_CONGESTION_BASE_RTT),
            .delay = a.u32(MRC_A_PEER_CONGESTION_DELAY),
            .target_delay = a.u32(MRC_A_PEER_CONGESTION_TARGET_DELAY),
            .counts = decode_congestion_counts(a, MRC_A_PEER_CONGESTION_FAST)};
}

EvPath decode_path(const Attributes &a)
{
    if (a.has(MRC_A_EV_SID))
        return EvSid{a.address(MRC_A_EV_SID)};
    if (a.has(MRC_A_EV_VIA))
        return EvVia{a.address(MRC_A_EV_VIA)};
    if (a.has(MRC_A_EV_TABLE))
        return EvTable{a.u32(MRC_A_EV_TABLE)};
    if (a.has(MRC_A_EV_ENCAP)) {
        const Attributes encap(a.bytes(MRC_A_EV_ENCAP), SEG6_IPTUNNEL_SRH);

        return decode_segments(encap.bytes(SEG6_IPTUNNEL_SRH)).value_or(EvSegments{});
    }
    if (a.has(MRC_A_EV_VALUE))
        return EvValue{a.u32(MRC_A_EV_VALUE)};
    return std::monostate{};
}

EvState ev_state(const Attributes &a, int type)
{
    return static_cast<EvState>(a.u8(type));
}

PeerKey decode_peer_key(const Attributes &a)
{
    return {a.address(MRC_A_PEER_REMOTE_GID), a.address(MRC_A_PEER_LOCAL_GID),
            a.u64(MRC_A_PEER_EV_PROFILE)};
}

PeerKey decode_peer_ev_key(const Attributes &a)
{
    return {a.address(MRC_A_PEER_EV_REMOTE_GID), a.address(MRC_A_PEER_EV_LOCAL_GID),
            a.u64(MRC_A_PEER_EV_EV_PROFILE)};
}

PortEvs decode_port_evs(std::span<const std::byte> data)
{
    const Attributes a(data, MRC_A_PORT_EVS_MAX);

    return {a.u8(MRC_A_PORT_EVS_PORT),         a.u16(MRC_A_PORT_EVS_EVS),
            a.u16(MRC_A_PORT_EVS_GOOD),        a.u16(MRC_A_PORT_EVS_SPARE),
            a.u16(MRC_A_PORT_EVS_SKIP),        a.u16(MRC_A_PORT_EVS_HELD),
            a.u16(MRC_A_PORT_EVS_ASSUMED_BAD), a.u16(MRC_A_PORT_EVS_DENIED)};
}

QpConnection decode_connection(const Attributes &a)
{
    return {a.u32(MRC_A_QP_DEST_QPN), a.address(MRC_A_QP_LOCAL_GID), a.address(MRC_A_QP_REMOTE_GID),
            a.u32(MRC_A_QP_MTU)};
}

By decode_by(const Attributes &a, int name, int pid)
{
    By by;

    by.name = a.string(name);
    if (a.has(pid))
        by.pid = a.u32(pid);
    return by;
}

DeviceEvent decode_device_event(const Reply &reply)
{
    const Attributes a(reply.attributes, MRC_A_DEVICE_MAX);

    return {decode_ref(a), reply.command == MRC_CMD_DEVICE_ADD_NTF, a.u64(MRC_A_DEVICE_TIME),
            decode_by(a, MRC_A_DEVICE_BY_NAME, MRC_A_DEVICE_BY_PID)};
}

PlaneEvent decode_plane_event(const Reply &reply)
{
    const Attributes a(reply.attributes, MRC_A_PLANE_MAX);

    return {decode_plane(reply), a.has(MRC_A_PLANE_GONE), a.u64(MRC_A_PLANE_TIME),
            decode_by(a, MRC_A_PLANE_BY_NAME, MRC_A_PLANE_BY_PID)};
}

SettingsEvent decode_settings_event(const Reply &reply)
{
    const Attributes a(reply.attributes, MRC_A_DEVICE_MAX);

    return {decode_ref(a), decode_settings(a),
            decode_by(a, MRC_A_DEVICE_BY_NAME, MRC_A_DEVICE_BY_PID), a.u64(MRC_A_DEVICE_TIME)};
}

ConfigEvent<EvProfile> decode_ev_profile_event(const Reply &reply)
{
    const Attributes a(reply.attributes, MRC_A_EV_PROFILE_MAX);

    return {decode_ev_profile(reply), a.has(MRC_A_EV_PROFILE_GONE),
            decode_by(a, MRC_A_EV_PROFILE_BY_NAME, MRC_A_EV_PROFILE_BY_PID),
            a.u64(MRC_A_EV_PROFILE_TIME)};
}

EvEvent decode_ev_event(const Reply &reply)
{
    const Attributes a(reply.attributes, MRC_A_EV_MAX);

    return {decode_ev(reply), decode_by(a, MRC_A_EV_BY_NAME, MRC_A_EV_BY_PID),
            a.u64(MRC_A_EV_TIME)};
}

ConfigEvent<CcProfile> decode_cc_profile_event(const Reply &reply)
{
    const Attributes a(reply.attributes, MRC_A_CC_PROFILE_MAX);

    return {decode_cc_profile(reply), a.has(MRC_A_CC_PROFILE_GONE),
            decode_by(a, MRC_A_CC_PROFILE_BY_NAME, MRC_A_CC_PROFILE_BY_PID),
            a.u64(MRC_A_CC_PROFILE_TIME)};
}

ConfigEvent<Route> decode_route_event(const Reply &reply)
{
    const Attributes a(reply.attributes, MRC_A_ROUTE_MAX);

    return {decode_route(reply), a.has(MRC_A_ROUTE_GONE),
            decode_by(a, MRC_A_ROUTE_BY_NAME, MRC_A_ROUTE_BY_PID), a.u64(MRC_A_ROUTE_TIME)};
}

PeerEvEvent decode_peer_ev_event(const Reply &reply)
{
    const Attributes a(reply.attributes, MRC_A_PEER_EV_MAX);
    PeerEvEvent event;

    event.device = decode_ref(a);
    event.key = decode_peer_ev_key(a);
    event.index = a.u16(MRC_A_PEER_EV_INDEX);
    event.port = a.u8(MRC_A_PEER_EV_PORT);
    event.state = ev_state(a, MRC_A_PEER_EV_STATE);
    event.old_state = ev_state(a, MRC_A_PEER_EV_OLD_STATE);
    event.acked = a.u64(MRC_A_PEER_EV_ACKED);
    event.probed = a.u32(MRC_A_PEER_EV_PROBED);
    event.changed = a.u64(MRC_A_PEER_EV_CHANGED);
    event.reason = a.string(MRC_A_PEER_EV_REASON);
    event.time = a.u64(MRC_A_PEER_EV_TIME);
    return event;
}

PeerPortsEvent decode_peer_ports_event(const Reply &reply)
{
    const Attributes a(reply.attributes, MRC_A_PEER_MAX);

    return {decode_ref(a), decode_peer_key(a), a.u32(MRC_A_PEER_REMOTE_PORTS),
            a.u32(MRC_A_PEER_OLD_REMOTE_PORTS), a.u64(MRC_A_PEER_TIME)};
}

QpEvent decode_qp_event(const Reply &reply)
{
    const Attributes a(reply.attributes, MRC_A_QP_MAX);
    QpEvent event;

    event.device = decode_ref(a);
    event.qpn = a.u32(MRC_A_QP_QPN);
    event.state = static_cast<QpState>(a.u8(MRC_A_QP_STATE));
    event.old_state = static_cast<QpState>(a.u8(MRC_A_QP_OLD_STATE));
    event.connection = decode_connection(a);
    event.pid = a.u32(MRC_A_QP_PID);
    event.reason = a.string(MRC_A_QP_REASON);
    event.time = a.u64(MRC_A_QP_TIME);
    return event;
}

} // namespace

Info decode_info(const Reply &reply)
{
    const Attributes a(reply.attributes, MRC_A_INFO_MAX);

    return {a.string(MRC_A_INFO_VERSION),  a.string(MRC_A_INFO_ICRC), a.u8(MRC_A_INFO_SEG6) != 0,
            a.u8(MRC_A_INFO_PORT_MAX),     a.u16(MRC_A_INFO_EV_MAX),  a.u8(MRC_A_INFO_BURST_MAX),
            a.u32(MRC_A_INFO_CAPABILITIES)};
}

Device decode_device(const Reply &reply)
{
    const Attributes a(reply.attributes, MRC_A_DEVICE_MAX);
    Device device;

    device.device = decode_ref(a);
    device.ifindex = a.u32(MRC_A_DEVICE_IFINDEX);
    device.ifname = a.string(MRC_A_DEVICE_IFNAME);
    device.settings = decode_settings(a);
    device.ports_up = a.u32(MRC_A_DEVICE_PORTS_UP);
    device.qps = a.u32(MRC_A_DEVICE_QPS);
    for (const auto nest : a.all(MRC_A_DEVICE_COUNTER)) {
        const Attributes counter(nest, MRC_A_COUNTER_MAX);

        device.counters.push_back(
            {counter.string(MRC_A_COUNTER_NAME), counter.u64(MRC_A_COUNTER_VALUE)});
    }
    return device;
}

Plane decode_plane(const Reply &reply)
{
    const Attributes a(reply.attributes, MRC_A_PLANE_MAX);
    Plane plane;

    plane.device = decode_ref(a);
    plane.port = a.u8(MRC_A_PLANE_PORT);
    plane.ifindex = a.u32(MRC_A_PLANE_IFINDEX);
    plane.ifname = a.string(MRC_A_PLANE_IFNAME);
    plane.admin_up = a.u8(MRC_A_PLANE_ADMIN_STATE) == MRC_NL_PLANE_STATE_UP;
    plane.oper_up = a.u8(MRC_A_PLANE_OPER_STATE) == MRC_NL_PLANE_STATE_UP;
    plane.stats = decode_stats(a.bytes(MRC_A_PLANE_STATS));
    plane.owner = decode_owner(a, MRC_A_PLANE_OWNER);
    return plane;
}

EvProfile decode_ev_profile(const Reply &reply)
{
    const Attributes a(reply.attributes, MRC_A_EV_PROFILE_MAX);
    EvProfile profile;

    profile.device = decode_ref(a);
    profile.id = a.u64(MRC_A_EV_PROFILE_ID);
    profile.format = static_cast<EvFormat>(a.u8(MRC_A_EV_PROFILE_FORMAT));
    profile.mode = static_cast<EvMode>(a.u8(MRC_A_EV_PROFILE_MODE));
    profile.min_active = a.u16(MRC_A_EV_PROFILE_MIN_ACTIVE);
    profile.active = a.u16(MRC_A_EV_PROFILE_ACTIVE);
    profile.count = a.u16(MRC_A_EV_PROFILE_COUNT);
    profile.version = a.u32(MRC_A_EV_PROFILE_VERSION);
    profile.denied = a.u16(MRC_A_EV_PROFILE_DENIED);
    profile.owner = decode_owner(a, MRC_A_EV_PROFILE_OWNER);
    profile.alias = a.string(MRC_A_EV_PROFILE_ALIAS);
    return profile;
}

Ev decode_ev(const Reply &reply)
{
    const Attributes a(reply.attributes, MRC_A_EV_MAX);
    Ev ev;

    ev.device = decode_ref(a);
    ev.ev_profile = a.u64(MRC_A_EV_EV_PROFILE);
    ev.index = a.u16(MRC_A_EV_INDEX);
    ev.spec = {a.u8(MRC_A_EV_PORT), decode_path(a), a.u8(MRC_A_EV_DENIED) != 0};
    if (a.has(MRC_A_EV_VERSION))
        ev.version = a.u32(MRC_A_EV_VERSION);
    return ev;
}

CcProfile decode_cc_profile(const Reply &reply)
{
    const Attributes a(reply.attributes, MRC_A_CC_PROFILE_MAX);
    const Attributes derived(a.bytes(MRC_A_CC_PROFILE_DERIVED), MRC_A_CC_DERIVED_MAX);
    CcProfile profile;

    profile.device = decode_ref(a);
    profile.id = a.u64(MRC_A_CC_PROFILE_ID);
    profile.algorithm = a.string(MRC_A_CC_PROFILE_ALGORITHM);
    if (a.has(MRC_A_CC_PROFILE_WINDOW))
        profile.window = a.u32(MRC_A_CC_PROFILE_WINDOW);
    profile.owner = decode_owner(a, MRC_A_CC_PROFILE_OWNER);
    profile.alias = a.string(MRC_A_CC_PROFILE_ALIAS);
    profile.settings = decode_settings<CcSettings>(a);
    profile.derived = decode_settings<CcDerived>(derived);
    return profile;
}

Route decode_route(const Reply &reply)
{
    const Attributes a(reply.attributes, MRC_A_ROUTE_MAX);

    return {decode_ref(a),
            {a.address(MRC_A_ROUTE_PREFIX), a.u8(MRC_A_ROUTE_PREFIX_LEN)},
            a.u64(MRC_A_ROUTE_EV_PROFILE),
            a.u64(MRC_A_ROUTE_CC_PROFILE),
            a.u16(MRC_A_ROUTE_USID),
            decode_owner(a, MRC_A_ROUTE_OWNER)};
}

RouteMatch decode_route_match(const Reply &reply)
{
    const Attributes a(reply.attributes, MRC_A_ROUTE_MAX);
    RouteMatch match;

    match.device = decode_ref(a);
    match.gid = a.address(MRC_A_ROUTE_GID);
    if (a.has(MRC_A_ROUTE_PREFIX))
        match.prefix = Prefix{a.address(MRC_A_ROUTE_PREFIX), a.u8(MRC_A_ROUTE_PREFIX_LEN)};
    match.ev_profile = a.u64(MRC_A_ROUTE_EV_PROFILE);
    match.cc_profile = a.u64(MRC_A_ROUTE_CC_PROFILE);
    match.usid = a.u16(MRC_A_ROUTE_USID);
    match.owner = decode_owner(a, MRC_A_ROUTE_OWNER);
    return match;
}

Peer decode_peer(const Reply &reply)
{
    const Attributes a(reply.attributes, MRC_A_PEER_MAX);
    Peer peer;

    peer.device = decode_ref(a);
    peer.key = decode_peer_key(a);
    peer.loopback = a.u8(MRC_A_PEER_LOOPBACK) != 0;
    peer.evs = a.u16(MRC_A_PEER_EVS);
    peer.evs_good = a.u16(MRC_A_PEER_EVS_GOOD);
    peer.evs_spare = a.u16(MRC_A_PEER_EVS_SPARE);
    peer.evs_held = a.u16(MRC_A_PEER_EVS_HELD);
    peer.evs_skip = a.u16(MRC_A_PEER_EVS_SKIP);
    peer.evs_assumed_bad = a.u16(MRC_A_PEER_EVS_ASSUMED_BAD);
    peer.evs_denied = a.u16(MRC_A_PEER_EVS_DENIED);
    peer.min_active = a.u16(MRC_A_PEER_MIN_ACTIVE);
    peer.usid = a.u16(MRC_A_PEER_USID);
    peer.local_ports = a.u32(MRC_A_PEER_LOCAL_PORTS);
    peer.remote_ports = a.u32(MRC_A_PEER_REMOTE_PORTS);
    peer.tx_packets = a.u64(MRC_A_PEER_TX_PACKETS);
    peer.lost = a.u64(MRC_A_PEER_LOST);
    peer.marked = a.u64(MRC_A_PEER_MARKED);
    peer.acked = a.u64(MRC_A_PEER_ACKED);
    peer.probed = a.u64(MRC_A_PEER_PROBED);
    for (const auto nest : a.all(MRC_A_PEER_PORT_EVS))
        peer.port_evs.push_back(decode_port_evs(nest));
    if (a.has(MRC_A_PEER_CONGESTION))
        peer.congestion = decode_peer_congestion(a.bytes(MRC_A_PEER_CONGESTION));
    return peer;
}

PeerEv decode_peer_ev(const Reply &reply)
{
    const Attributes a(reply.attributes, MRC_A_PEER_EV_MAX);
    PeerEv ev;

    ev.device = decode_ref(a);
    ev.key = decode_peer_ev_key(a);
    ev.index = a.u16(MRC_A_PEER_EV_INDEX);
    ev.port = a.u8(MRC_A_PEER_EV_PORT);
    ev.state = ev_state(a, MRC_A_PEER_EV_STATE);
    ev.spare = a.u8(MRC_A_PEER_EV_SPARE) != 0;
    if (a.has(MRC_A_PEER_EV_VALUE))
        ev.value = a.u32(MRC_A_PEER_EV_VALUE);
    ev.tx_packets = a.u64(MRC_A_PEER_EV_TX_PACKETS);
    ev.lost = a.u64(MRC_A_PEER_EV_LOST);
    ev.marked = a.u64(MRC_A_PEER_EV_MARKED);
    ev.acked = a.u64(MRC_A_PEER_EV_ACKED);
    ev.probed = a.u32(MRC_A_PEER_EV_PROBED);
    ev.changed = a.u64(MRC_A_PEER_EV_CHANGED);
    return ev;
}

Probe decode_probe(const Reply &reply)
{
    const Attributes a(reply.attributes, MRC_A_PROBE_MAX);
    Probe probe;

    probe.device = decode_ref(a);
    probe.id = a.u32(MRC_A_PROBE_ID);
    probe.key = {a.address(MRC_A_PROBE_REMOTE_GID), a.address(MRC_A_PROBE_LOCAL_GID),
                 a.u64(MRC_A_PROBE_EV_PROFILE)};
    for (const auto nest : a.all(MRC_A_PROBE_RESULT)) {
        const Attributes r(nest, MRC_A_PROBE_RESULT_MAX);
        ProbeResult result{r.u16(MRC_A_PROBE_RESULT_INDEX),
                           r.u8(MRC_A_PROBE_RESULT_PORT),
                           {},
                           r.u8(MRC_A_PROBE_RESULT_RX_PORT),
                           r.address(MRC_A_PROBE_RESULT_REMOTE_GID),
                           static_cast<int>(r.u32(MRC_A_PROBE_RESULT_ERROR))};

        if (r.has(MRC_A_PROBE_RESULT_RTT))
            result.rtt = r.u64(MRC_A_PROBE_RESULT_RTT);
        probe.results.push_back(result);
    }
    return probe;
}

Qp decode_qp(const Reply &reply)
{
    const Attributes a(reply.attributes, MRC_A_QP_MAX);
    Qp qp;

    qp.device = decode_ref(a);
    qp.qpn = a.u32(MRC_A_QP_QPN);
    qp.state = static_cast<QpState>(a.u8(MRC_A_QP_STATE));
    if (a.has(MRC_A_QP_DEST_QPN))
        qp.connection = decode_connection(a);
    if (a.has(MRC_A_QP_PSN_UNA))
        qp.psns = {a.u32(MRC_A_QP_PSN_UNA), a.u32(MRC_A_QP_PSN_NXT), a.u32(MRC_A_QP_PSN_CACK)};
    qp.ev_profile = a.u64(MRC_A_QP_EV_PROFILE);
    qp.cc_profile = a.u64(MRC_A_QP_CC_PROFILE);
    qp.inflight = a.u32(MRC_A_QP_INFLIGHT);
    qp.lost = a.u32(MRC_A_QP_LOST);
    qp.mpr_tx = a.u8(MRC_A_QP_MPR_TX);
    qp.mpr_rx = a.u8(MRC_A_QP_MPR_RX);
    qp.wimm_tx = a.u16(MRC_A_QP_WIMM_TX);
    qp.wimm_rx = a.u16(MRC_A_QP_WIMM_RX);
    qp.srtt = a.u64(MRC_A_QP_SRTT);
    qp.min_rtt = a.u64(MRC_A_QP_MIN_RTT);
    qp.tx_packets = a.u64(MRC_A_QP_TX_PACKETS);
    qp.rx_packets = a.u64(MRC_A_QP_RX_PACKETS);
    qp.rtx_packets = a.u64(MRC_A_QP_RTX_PACKETS);
    qp.timeout = a.u8(MRC_A_QP_TIMEOUT);
    qp.linear_retries = a.u8(MRC_A_QP_LINEAR_RETRIES);
    qp.exp_retries = a.u8(MRC_A_QP_EXP_RETRIES);
    qp.memory = a.u64(MRC_A_QP_MEMORY);
    qp.pid = a.u32(MRC_A_QP_PID);
    if (a.has(MRC_A_QP_CONGESTION))
        qp.congestion = decode_congestion(a.bytes(MRC_A_QP_CONGESTION));
    return qp;
}

std::optional<Event> decode_event(const Reply &reply)
{
    switch (reply.command) {
    case MRC_CMD_DEVICE_ADD_NTF:
    case MRC_CMD_DEVICE_DEL_NTF:
        return decode_device_event(reply);
    case MRC_CMD_PLANE_NTF:
        return decode_plane_event(reply);
    case MRC_CMD_PEER_EV_NTF:
        return decode_peer_ev_event(reply);
    case MRC_CMD_PEER_PORTS_NTF:
        return decode_peer_ports_event(reply);
    case MRC_CMD_QP_NTF:
        return decode_qp_event(reply);
    case MRC_CMD_DEVICE_NTF:
        return decode_settings_event(reply);
    case MRC_CMD_EV_PROFILE_NTF:
        return decode_ev_profile_event(reply);
    case MRC_CMD_EV_NTF:
        return decode_ev_event(reply);
    case MRC_CMD_CC_PROFILE_NTF:
        return decode_cc_profile_event(reply);
    case MRC_CMD_ROUTE_NTF:
        return decode_route_event(reply);
    default:
        return std::nullopt;
    }
}

} // namespace mrcnl
