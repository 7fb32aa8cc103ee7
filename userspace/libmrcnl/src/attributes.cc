// SPDX-License-Identifier: GPL-2.0-only
#include "mrcnl/attributes.h"

#include <algorithm>

#include <linux/mrc.h>
#include <linux/seg6_iptunnel.h>
#include <netlink/attr.h>
#include <vector>

namespace mrcnl
{

namespace
{

constexpr AttributeName info_names[] = {
    {MRC_A_INFO_VERSION, "version"}, {MRC_A_INFO_ICRC, "icrc"},
    {MRC_A_INFO_SEG6, "seg6"},       {MRC_A_INFO_PORT_MAX, "port-max"},
    {MRC_A_INFO_EV_MAX, "ev-max"},   {MRC_A_INFO_BURST_MAX, "burst-max"},
};
constexpr AttributeSet info_set{"info", info_names};

constexpr AttributeName counter_names[] = {
    {MRC_A_COUNTER_NAME, "name"},
    {MRC_A_COUNTER_VALUE, "value"},
    {MRC_A_COUNTER_PAD, "pad"},
};
constexpr AttributeSet counter_set{"counter", counter_names};

constexpr AttributeName device_names[] = {
    {MRC_A_DEVICE_DEV_INDEX, "dev-index"},
    {MRC_A_DEVICE_DEV_NAME, "dev-name"},
    {MRC_A_DEVICE_PAD, "pad"},
    {MRC_A_DEVICE_IFINDEX, "ifindex"},
    {MRC_A_DEVICE_IFNAME, "ifname"},
    {MRC_A_DEVICE_BURST, "burst"},
    {MRC_A_DEVICE_ICRC, "icrc"},
    {MRC_A_DEVICE_UDP_PORT, "udp-port"},
    {MRC_A_DEVICE_HOP_LIMIT, "hop-limit"},
    {MRC_A_DEVICE_DSCP_DATA, "dscp-data"},
    {MRC_A_DEVICE_DSCP_RTX, "dscp-rtx"},
    {MRC_A_DEVICE_DSCP_CONTROL, "dscp-control"},
    {MRC_A_DEVICE_MPR, "mpr"},
    {MRC_A_DEVICE_SACK_BYTES, "sack-bytes"},
    {MRC_A_DEVICE_TUNNEL_SOURCE, "tunnel-source"},
    {MRC_A_DEVICE_PORTS_UP, "ports-up"},
    {MRC_A_DEVICE_QPS, "qps"},
    {MRC_A_DEVICE_COUNTER, "counter", &counter_set, true},
    {MRC_A_DEVICE_TIME, "time"},
};
constexpr AttributeSet device_set{"device", device_names};

constexpr AttributeName plane_stats_names[] = {
    {MRC_A_PLANE_STATS_TX_PACKETS, "tx-packets"},
    {MRC_A_PLANE_STATS_TX_BYTES, "tx-bytes"},
    {MRC_A_PLANE_STATS_PAD, "pad"},
    {MRC_A_PLANE_STATS_TX_ERRORS, "tx-errors"},
    {MRC_A_PLANE_STATS_RX_PACKETS, "rx-packets"},
    {MRC_A_PLANE_STATS_RX_BYTES, "rx-bytes"},
    {MRC_A_PLANE_STATS_RX_CE, "rx-ce"},
};
constexpr AttributeSet plane_stats_set{"plane-stats", plane_stats_names};

constexpr AttributeName plane_names[] = {
    {MRC_A_PLANE_DEV_INDEX, "dev-index"},
    {MRC_A_PLANE_DEV_NAME, "dev-name"},
    {MRC_A_PLANE_PAD, "pad"},
    {MRC_A_PLANE_PORT, "port"},
    {MRC_A_PLANE_IFINDEX, "ifindex"},
    {MRC_A_PLANE_IFNAME, "ifname"},
    {MRC_A_PLANE_ADMIN_STATE, "admin-state"},
    {MRC_A_PLANE_OPER_STATE, "oper-state"},
    {MRC_A_PLANE_STATS, "stats", &plane_stats_set},
    {MRC_A_PLANE_GONE, "gone"},
    {MRC_A_PLANE_TIME, "time"},
};
constexpr AttributeSet plane_set{"plane", plane_names};

constexpr AttributeName seg6_names[] = {{SEG6_IPTUNNEL_SRH, "srh"}};
constexpr AttributeSet seg6_set{"seg6-iptunnel", seg6_names};

constexpr AttributeName ev_names[] = {
    {MRC_A_EV_DEV_INDEX, "dev-index"},
    {MRC_A_EV_DEV_NAME, "dev-name"},
    {MRC_A_EV_PAD, "pad"},
    {MRC_A_EV_EV_PROFILE, "ev-profile"},
    {MRC_A_EV_INDEX, "index"},
    {MRC_A_EV_PORT, "port"},
    {MRC_A_EV_VALUE, "value"},
    {MRC_A_EV_SID, "sid"},
    {MRC_A_EV_ENCAP, "encap", &seg6_set},
    {MRC_A_EV_TABLE, "table"},
    {MRC_A_EV_DENIED, "denied"},
    {MRC_A_EV_VIA, "via"},
};
constexpr AttributeSet ev_set{"ev", ev_names};

constexpr AttributeName ev_profile_names[] = {
    {MRC_A_EV_PROFILE_DEV_INDEX, "dev-index"},
    {MRC_A_EV_PROFILE_DEV_NAME, "dev-name"},
    {MRC_A_EV_PROFILE_PAD, "pad"},
    {MRC_A_EV_PROFILE_ID, "id"},
    {MRC_A_EV_PROFILE_FORMAT, "format"},
    {MRC_A_EV_PROFILE_MODE, "mode"},
    {MRC_A_EV_PROFILE_MIN_ACTIVE, "min-active"},
    {MRC_A_EV_PROFILE_COUNT, "count"},
    {MRC_A_EV_PROFILE_VERSION, "version"},
    {MRC_A_EV_PROFILE_DENIED, "denied"},
    {MRC_A_EV_PROFILE_EV, "ev", &ev_set, true},
    {MRC_A_EV_PROFILE_ACTIVE, "active"},
};
constexpr AttributeSet ev_profile_set{"ev-profile", ev_profile_names};

constexpr AttributeName cc_profile_names[] = {
    {MRC_A_CC_PROFILE_DEV_INDEX, "dev-index"},
    {MRC_A_CC_PROFILE_DEV_NAME, "dev-name"},
    {MRC_A_CC_PROFILE_PAD, "pad"},
    {MRC_A_CC_PROFILE_ID, "id"},
    {MRC_A_CC_PROFILE_ALGORITHM, "algorithm"},
    {MRC_A_CC_PROFILE_WINDOW, "window"},
};
constexpr AttributeSet cc_profile_set{"cc-profile", cc_profile_names};

constexpr AttributeName route_names[] = {
    {MRC_A_ROUTE_DEV_INDEX, "dev-index"},
    {MRC_A_ROUTE_DEV_NAME, "dev-name"},
    {MRC_A_ROUTE_PAD, "pad"},
    {MRC_A_ROUTE_PREFIX, "prefix"},
    {MRC_A_ROUTE_PREFIX_LEN, "prefix-len"},
    {MRC_A_ROUTE_GID, "gid"},
    {MRC_A_ROUTE_EV_PROFILE, "ev-profile"},
    {MRC_A_ROUTE_CC_PROFILE, "cc-profile"},
    {MRC_A_ROUTE_USID, "usid"},
};
constexpr AttributeSet route_set{"route", route_names};

constexpr AttributeName peer_names[] = {
    {MRC_A_PEER_DEV_INDEX, "dev-index"},
    {MRC_A_PEER_DEV_NAME, "dev-name"},
    {MRC_A_PEER_PAD, "pad"},
    {MRC_A_PEER_REMOTE_GID, "remote-gid"},
    {MRC_A_PEER_LOCAL_GID, "local-gid"},
    {MRC_A_PEER_EV_PROFILE, "ev-profile"},
    {MRC_A_PEER_LOOPBACK, "loopback"},
    {MRC_A_PEER_EVS, "evs"},
    {MRC_A_PEER_EVS_GOOD, "evs-good"},
    {MRC_A_PEER_EVS_SKIP, "evs-skip"},
    {MRC_A_PEER_EVS_ASSUMED_BAD, "evs-assumed-bad"},
    {MRC_A_PEER_EVS_DENIED, "evs-denied"},
    {MRC_A_PEER_MIN_ACTIVE, "min-active"},
    {MRC_A_PEER_LOCAL_PORTS, "local-ports"},
    {MRC_A_PEER_REMOTE_PORTS, "remote-ports"},
    {MRC_A_PEER_TX_PACKETS, "tx-packets"},
    {MRC_A_PEER_LOST, "lost"},
    {MRC_A_PEER_MARKED, "marked"},
    {MRC_A_PEER_ACKED, "acked"},
    {MRC_A_PEER_PROBED, "probed"},
    {MRC_A_PEER_OLD_REMOTE_PORTS, "old-remote-ports"},
    {MRC_A_PEER_TIME, "time"},
    {MRC_A_PEER_USID, "usid"},
    {MRC_A_PEER_EVS_SPARE, "evs-spare"},
    {MRC_A_PEER_EVS_HELD, "evs-held"},
};
constexpr AttributeSet peer_set{"peer", peer_names};

constexpr AttributeName peer_ev_names[] = {
    {MRC_A_PEER_EV_DEV_INDEX, "dev-index"},
    {MRC_A_PEER_EV_DEV_NAME, "dev-name"},
    {MRC_A_PEER_EV_PAD, "pad"},
    {MRC_A_PEER_EV_REMOTE_GID, "remote-gid"},
    {MRC_A_PEER_EV_LOCAL_GID, "local-gid"},
    {MRC_A_PEER_EV_EV_PROFILE, "ev-profile"},
    {MRC_A_PEER_EV_INDEX, "index"},
    {MRC_A_PEER_EV_PORT, "port"},
    {MRC_A_PEER_EV_STATE, "state"},
    {MRC_A_PEER_EV_OLD_STATE, "old-state"},
    {MRC_A_PEER_EV_VALUE, "value"},
    {MRC_A_PEER_EV_TX_PACKETS, "tx-packets"},
    {MRC_A_PEER_EV_LOST, "lost"},
    {MRC_A_PEER_EV_MARKED, "marked"},
    {MRC_A_PEER_EV_REASON, "reason"},
    {MRC_A_PEER_EV_TIME, "time"},
    {MRC_A_PEER_EV_ACKED, "acked"},
    {MRC_A_PEER_EV_PROBED, "probed"},
    {MRC_A_PEER_EV_CHANGED, "changed"},
    {MRC_A_PEER_EV_SPARE, "spare"},
};
constexpr AttributeSet peer_ev_set{"peer-ev", peer_ev_names};

constexpr AttributeName probe_result_names[] = {
    {MRC_A_PROBE_RESULT_INDEX, "index"},     {MRC_A_PROBE_RESULT_PORT, "port"},
    {MRC_A_PROBE_RESULT_PAD, "pad"},         {MRC_A_PROBE_RESULT_RTT, "rtt"},
    {MRC_A_PROBE_RESULT_RX_PORT, "rx-port"},
};
constexpr AttributeSet probe_result_set{"probe-result", probe_result_names};

constexpr AttributeName probe_names[] = {
    {MRC_A_PROBE_DEV_INDEX, "dev-index"},
    {MRC_A_PROBE_DEV_NAME, "dev-name"},
    {MRC_A_PROBE_PAD, "pad"},
    {MRC_A_PROBE_REMOTE_GID, "remote-gid"},
    {MRC_A_PROBE_LOCAL_GID, "local-gid"},
    {MRC_A_PROBE_EV_PROFILE, "ev-profile"},
    {MRC_A_PROBE_EV, "ev", nullptr, true},
    {MRC_A_PROBE_TIMEOUT, "timeout"},
    {MRC_A_PROBE_RESULT, "result", &probe_result_set, true},
};
constexpr AttributeSet probe_set{"probe", probe_names};

constexpr AttributeName qp_names[] = {
    {MRC_A_QP_DEV_INDEX, "dev-index"},
    {MRC_A_QP_DEV_NAME, "dev-name"},
    {MRC_A_QP_PAD, "pad"},
    {MRC_A_QP_QPN, "qpn"},
    {MRC_A_QP_STATE, "state"},
    {MRC_A_QP_DEST_QPN, "dest-qpn"},
    {MRC_A_QP_LOCAL_GID, "local-gid"},
    {MRC_A_QP_REMOTE_GID, "remote-gid"},
    {MRC_A_QP_EV_PROFILE, "ev-profile"},
    {MRC_A_QP_CC_PROFILE, "cc-profile"},
    {MRC_A_QP_MTU, "mtu"},
    {MRC_A_QP_PSN_UNA, "psn-una"},
    {MRC_A_QP_PSN_NXT, "psn-nxt"},
    {MRC_A_QP_PSN_CACK, "psn-cack"},
    {MRC_A_QP_INFLIGHT, "inflight"},
    {MRC_A_QP_LOST, "lost"},
    {MRC_A_QP_MPR_TX, "mpr-tx"},
    {MRC_A_QP_MPR_RX, "mpr-rx"},
    {MRC_A_QP_WIMM_TX, "wimm-tx"},
    {MRC_A_QP_WIMM_RX, "wimm-rx"},
    {MRC_A_QP_SRTT, "srtt"},
    {MRC_A_QP_MIN_RTT, "min-rtt"},
    {MRC_A_QP_TX_PACKETS, "tx-packets"},
    {MRC_A_QP_RX_PACKETS, "rx-packets"},
    {MRC_A_QP_RTX_PACKETS, "rtx-packets"},
    {MRC_A_QP_TIMEOUT, "timeout"},
    {MRC_A_QP_LINEAR_RETRIES, "linear-retries"},
    {MRC_A_QP_EXP_RETRIES, "exp-retries"},
    {MRC_A_QP_MEMORY, "memory"},
    {MRC_A_QP_PID, "pid"},
    {MRC_A_QP_REASON, "reason"},
    {MRC_A_QP_TIME, "time"},
    {MRC_A_QP_OLD_STATE, "old-state"},
};
constexpr AttributeSet qp_set{"qp", qp_names};

constexpr const AttributeSet *sets[] = {
    &info_set,       &device_set,  &counter_set, &plane_set,        &plane_stats_set,
    &ev_profile_set, &ev_set,      &seg6_set,    &cc_profile_set,   &route_set,
    &peer_set,       &peer_ev_set, &probe_set,   &probe_result_set, &qp_set,
};

} // namespace

const AttributeName *AttributeSet::find(int type) const
{
    for (const AttributeName &attribute : attributes)
        if (attribute.type == type)
            return &attribute;
    return nullptr;
}

std::span<const AttributeSet *const> attribute_sets()
{
    return sets;
}

const AttributeSet *command_set(uint8_t command)
{
    switch (command) {
    case MRC_CMD_INFO_GET:
        return &info_set;
    case MRC_CMD_PLANE_GET:
    case MRC_CMD_PLANE_ADD:
    case MRC_CMD_PLANE_SET:
    case MRC_CMD_PLANE_DEL:
    case MRC_CMD_PLANE_NTF:
        return &plane_set;
    case MRC_CMD_EV_PROFILE_GET:
    case MRC_CMD_EV_PROFILE_ADD:
    case MRC_CMD_EV_PROFILE_SET:
    case MRC_CMD_EV_PROFILE_DEL:
        return &ev_profile_set;
    case MRC_CMD_EV_GET:
    case MRC_CMD_EV_SET:
        return &ev_set;
    case MRC_CMD_CC_PROFILE_GET:
    case MRC_CMD_CC_PROFILE_ADD:
    case MRC_CMD_CC_PROFILE_SET:
    case MRC_CMD_CC_PROFILE_DEL:
        return &cc_profile_set;
    case MRC_CMD_ROUTE_GET:
    case MRC_CMD_ROUTE_ADD:
    case MRC_CMD_ROUTE_REPLACE:
    case MRC_CMD_ROUTE_DEL:
        return &route_set;
    case MRC_CMD_PEER_GET:
    case MRC_CMD_PEER_PORTS_NTF:
        return &peer_set;
    case MRC_CMD_PEER_EV_GET:
    case MRC_CMD_PEER_EV_NTF:
        return &peer_ev_set;
    case MRC_CMD_PROBE:
        return &probe_set;
    case MRC_CMD_QP_GET:
    case MRC_CMD_QP_NTF:
        return &qp_set;
    default:
        return &device_set;
    }
}

namespace
{

/** Looks for the attribute at @p wanted among those of one level, then inside them. */
std::string name_at(const AttributeSet &set, const std::byte *start, size_t size,
                    const std::byte *wanted)
{
    const auto *attr = reinterpret_cast<const nlattr *>(start);
    int left = static_cast<int>(size);
    std::vector<unsigned> seen;

    for (; nla_ok(attr, left); attr = nla_next(attr, &left)) {
        const AttributeName *known = set.find(nla_type(attr));
        const auto *here = reinterpret_cast<const std::byte *>(attr);
        const auto type = static_cast<size_t>(nla_type(attr));

        seen.resize(std::max(seen.size(), type + 1));
        seen[type]++;
        if (wanted < here || wanted >= here + nla_attr_size(nla_len(attr)))
            continue;
        std::string name = known ? known->name : "attribute " + std::to_string(type);

        if (known && known->multi)
            name += " " + std::to_string(seen[type]);
        if (known && known->nested) {
            const auto *inner = static_cast<const std::byte *>(nla_data(attr));
            const std::string rest = name_at(*known->nested, inner, nla_len(attr), wanted);

            if (!rest.empty())
                name += ": " + rest;
        }
        return name;
    }
    return {};
}

} // namespace

std::string attribute_at(uint8_t command, std::span<const std::byte> attributes, size_t offset)
{
    if (offset >= attributes.size())
        return {};
    return name_at(*command_set(command), attributes.data(), attributes.size(),
                   attributes.data() + offset);
}

} // namespace mrcnl
