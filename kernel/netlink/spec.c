// SPDX-License-Identifier: GPL-2.0-only
/*
 * Made by scripts/spec of Documentation/netlink/specs/mrc.yaml.
 * What operations of the family take.
 */
#include <linux/seg6_iptunnel.h>

#include "../core/receive/rx_window.h"
#include "../net/skb.h"
#include "../transport/profile/alias.h"
#include "../transport/profile/cc_profile.h"
#include "../transport/device/device.h"
#include "../transport/device/user.h"
#include "spec.h"

static_assert(MRC_BURST_MAX == 16, "device: burst");
static_assert(MRC_SACK_BYTES_MAX == 1048576, "device: sack-bytes");
static_assert(MRC_MAX_OBJECTS == 1048576, "device: user-pds");
static_assert(MRC_MAX_OBJECTS == 1048576, "device: user-cqs");
static_assert(MRC_MAX_OBJECTS == 1048576, "device: user-qps");
static_assert(MRC_MAX_OBJECTS == 1048576, "device: user-mrs");
static_assert(MRC_MAX_OBJECTS == 1048576, "device: user-peers");
static_assert(MRC_PORT_MAX == 32, "plane: port");
static_assert(MRC_EV_MAX == 256, "ev-profile: count");
static_assert(MRC_ALIAS_MAX == 64, "ev-profile: alias");
static_assert(MRC_ALIAS_MAX == 64, "cc-profile: alias");
static_assert(MRC_CC_RATE_MAX == 274877906944, "cc-profile: rate");
static_assert(MRC_CC_RATE_MIN == 1000000, "cc-profile: rate");
static_assert(MRC_CC_BASE_RTT_MAX == 1000000000, "cc-profile: base-rtt");
static_assert(MRC_CC_BASE_RTT_MIN == 1000, "cc-profile: base-rtt");
static_assert(MRC_CC_BASE_RTT_MAX == 1000000000, "cc-profile: target-delay");
static_assert(MRC_CC_BASE_RTT_MIN == 1000, "cc-profile: target-delay");
static_assert(MRC_CC_CWND_MAX == 268435456, "cc-profile: max-cwnd");
static_assert(MRC_CC_WINDOW_MIN == 8192, "cc-profile: max-cwnd");
static_assert(MRC_CC_CWND_MAX == 268435456, "cc-profile: adjust-bytes");
static_assert(MRC_CC_BASE_RTT_MAX == 1000000000, "cc-profile: adjust-period");
static_assert(MRC_CC_BASE_RTT_MIN == 1000, "cc-profile: adjust-period");
static_assert(MRC_CC_ETA_MAX == 1048576, "cc-profile: eta");
static_assert(MRC_CC_FI_MAX == 67108864, "cc-profile: fi");
static_assert(MRC_CC_FI_SCALE_MAX == 64000000, "cc-profile: fi-scale");
static_assert(MRC_CC_ONE == 1000000, "cc-profile: gamma");
static_assert(MRC_CC_ONE == 1000000, "cc-profile: max-md-jump");
static_assert(MRC_CC_QA_GATE_MAX == 15, "cc-profile: qa-gate");
static_assert(MRC_CC_RTT_MAX_NS == 4000000000, "cc-profile: qa-threshold");
static_assert(MRC_CC_BASE_RTT_MIN == 1000, "cc-profile: qa-threshold");

static const struct nla_policy mrc_nl_device_get_policy[MRC_A_DEVICE_MAX + 1] = {
	[MRC_A_DEVICE_DEV_INDEX] = { .type = NLA_U32 },
	[MRC_A_DEVICE_DEV_NAME] = { .type = NLA_NUL_STRING, .len = 63 },
};

static struct netlink_range_validation mrc_nl_1_to_1048576 = {
	.min = 1,
	.max = 1048576,
};

static const struct nla_policy mrc_nl_device_set_policy[MRC_A_DEVICE_MAX + 1] = {
	[MRC_A_DEVICE_DEV_INDEX] = { .type = NLA_U32 },
	[MRC_A_DEVICE_DEV_NAME] = { .type = NLA_NUL_STRING, .len = 63 },
	[MRC_A_DEVICE_BURST] = NLA_POLICY_RANGE(NLA_U8, 1, 16),
	[MRC_A_DEVICE_ICRC] = NLA_POLICY_MAX(NLA_U8, 1),
	[MRC_A_DEVICE_UDP_PORT] = NLA_POLICY_MIN(NLA_U16, 1),
	[MRC_A_DEVICE_HOP_LIMIT] = NLA_POLICY_MIN(NLA_U8, 1),
	[MRC_A_DEVICE_DSCP_DATA] = NLA_POLICY_MAX(NLA_U8, 63),
	[MRC_A_DEVICE_DSCP_RTX] = NLA_POLICY_MAX(NLA_U8, 63),
	[MRC_A_DEVICE_DSCP_CONTROL] = NLA_POLICY_MAX(NLA_U8, 63),
	[MRC_A_DEVICE_MPR] = NLA_POLICY_MIN(NLA_U8, 1),
	[MRC_A_DEVICE_SACK_BYTES] = NLA_POLICY_FULL_RANGE(NLA_U32, &mrc_nl_1_to_1048576),
	[MRC_A_DEVICE_TUNNEL_SOURCE] = NLA_POLICY_EXACT_LEN(16),
	[MRC_A_DEVICE_INGRESS_FILTER] = NLA_POLICY_MAX(NLA_U8, 1),
	[MRC_A_DEVICE_USER_PDS] = NLA_POLICY_FULL_RANGE(NLA_U32, &mrc_nl_1_to_1048576),
	[MRC_A_DEVICE_USER_CQS] = NLA_POLICY_FULL_RANGE(NLA_U32, &mrc_nl_1_to_1048576),
	[MRC_A_DEVICE_USER_QPS] = NLA_POLICY_FULL_RANGE(NLA_U32, &mrc_nl_1_to_1048576),
	[MRC_A_DEVICE_USER_MRS] = NLA_POLICY_FULL_RANGE(NLA_U32, &mrc_nl_1_to_1048576),
	[MRC_A_DEVICE_USER_PEERS] = NLA_POLICY_FULL_RANGE(NLA_U32, &mrc_nl_1_to_1048576),
	[MRC_A_DEVICE_TRIM] = NLA_POLICY_MAX(NLA_U8, 1),
	[MRC_A_DEVICE_DSCP_TRIMMED] = NLA_POLICY_MAX(NLA_U8, 63),
	[MRC_A_DEVICE_DSCP_TRIMMED_LASTHOP] = NLA_POLICY_MAX(NLA_U8, 63),
	[MRC_A_DEVICE_EXTENSIONS] = NLA_POLICY_MAX(NLA_U8, 1),
};

static const struct nla_policy mrc_nl_plane_get_policy[MRC_A_PLANE_MAX + 1] = {
	[MRC_A_PLANE_DEV_INDEX] = { .type = NLA_U32 },
	[MRC_A_PLANE_DEV_NAME] = { .type = NLA_NUL_STRING, .len = 63 },
	[MRC_A_PLANE_PORT] = NLA_POLICY_RANGE(NLA_U8, 1, 32),
};

static const struct nla_policy mrc_nl_plane_add_policy[MRC_A_PLANE_MAX + 1] = {
	[MRC_A_PLANE_DEV_INDEX] = { .type = NLA_U32 },
	[MRC_A_PLANE_DEV_NAME] = { .type = NLA_NUL_STRING, .len = 63 },
	[MRC_A_PLANE_PORT] = NLA_POLICY_RANGE(NLA_U8, 1, 32),
	[MRC_A_PLANE_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[MRC_A_PLANE_OWNER] = { .type = NLA_U8 },
};

static const struct nla_policy mrc_nl_plane_set_policy[MRC_A_PLANE_MAX + 1] = {
	[MRC_A_PLANE_DEV_INDEX] = { .type = NLA_U32 },
	[MRC_A_PLANE_DEV_NAME] = { .type = NLA_NUL_STRING, .len = 63 },
	[MRC_A_PLANE_PORT] = NLA_POLICY_RANGE(NLA_U8, 1, 32),
	[MRC_A_PLANE_ADMIN_STATE] = NLA_POLICY_MAX(NLA_U8, MRC_NL_PLANE_STATE_UP),
	[MRC_A_PLANE_OWNER] = { .type = NLA_U8 },
	[MRC_A_PLANE_CLAIM] = { .type = NLA_FLAG },
};

static const struct nla_policy mrc_nl_plane_del_policy[MRC_A_PLANE_MAX + 1] = {
	[MRC_A_PLANE_DEV_INDEX] = { .type = NLA_U32 },
	[MRC_A_PLANE_DEV_NAME] = { .type = NLA_NUL_STRING, .len = 63 },
	[MRC_A_PLANE_PORT] = NLA_POLICY_RANGE(NLA_U8, 1, 32),
	[MRC_A_PLANE_OWNER] = { .type = NLA_U8 },
};

static const struct nla_policy mrc_nl_ev_profile_get_policy[MRC_A_EV_PROFILE_MAX + 1] = {
	[MRC_A_EV_PROFILE_DEV_INDEX] = { .type = NLA_U32 },
	[MRC_A_EV_PROFILE_DEV_NAME] = { .type = NLA_NUL_STRING, .len = 63 },
	[MRC_A_EV_PROFILE_ID] = { .type = NLA_U64 },
};

static const struct nla_policy mrc_nl_seg6_iptunnel_policy[] = {
	[SEG6_IPTUNNEL_SRH] = NLA_POLICY_MIN_LEN(28),
};

const struct nla_policy mrc_nl_ev_spec_policy[MRC_A_EV_MAX + 1] = {
	[MRC_A_EV_PORT] = NLA_POLICY_RANGE(NLA_U8, 1, 32),
	[MRC_A_EV_VALUE] = { .type = NLA_U32 },
	[MRC_A_EV_SID] = NLA_POLICY_EXACT_LEN(16),
	[MRC_A_EV_ENCAP] = NLA_POLICY_NESTED(mrc_nl_seg6_iptunnel_policy),
	[MRC_A_EV_TABLE] = NLA_POLICY_MIN(NLA_U32, 1),
	[MRC_A_EV_DENIED] = NLA_POLICY_MAX(NLA_U8, 1),
	[MRC_A_EV_VIA] = NLA_POLICY_EXACT_LEN(16),
};

static const struct nla_policy mrc_nl_ev_profile_add_policy[MRC_A_EV_PROFILE_MAX + 1] = {
	[MRC_A_EV_PROFILE_DEV_INDEX] = { .type = NLA_U32 },
	[MRC_A_EV_PROFILE_DEV_NAME] = { .type = NLA_NUL_STRING, .len = 63 },
	[MRC_A_EV_PROFILE_ID] = { .type = NLA_U64 },
	[MRC_A_EV_PROFILE_FORMAT] = NLA_POLICY_MAX(NLA_U8, MRC_NL_EV_FORMAT_UDP),
	[MRC_A_EV_PROFILE_MODE] = NLA_POLICY_MAX(NLA_U8, MRC_NL_EV_MODE_EXPLICIT),
	[MRC_A_EV_PROFILE_MIN_ACTIVE] = NLA_POLICY_MAX(NLA_U16, 256),
	[MRC_A_EV_PROFILE_COUNT] = NLA_POLICY_RANGE(NLA_U16, 1, 256),
	[MRC_A_EV_PROFILE_EV] = NLA_POLICY_NESTED(mrc_nl_ev_spec_policy),
	[MRC_A_EV_PROFILE_ACTIVE] = NLA_POLICY_MAX(NLA_U16, 256),
	[MRC_A_EV_PROFILE_OWNER] = { .type = NLA_U8 },
	[MRC_A_EV_PROFILE_CLAIM] = { .type = NLA_FLAG },
	[MRC_A_EV_PROFILE_ALIAS] = { .type = NLA_NUL_STRING, .len = 64 },
};

static const struct nla_policy mrc_nl_ev_profile_del_policy[MRC_A_EV_PROFILE_MAX + 1] = {
	[MRC_A_EV_PROFILE_DEV_INDEX] = { .type = NLA_U32 },
	[MRC_A_EV_PROFILE_DEV_NAME] = { .type = NLA_NUL_STRING, .len = 63 },
	[MRC_A_EV_PROFILE_ID] = { .type = NLA_U64 },
	[MRC_A_EV_PROFILE_OWNER] = { .type = NLA_U8 },
};

static const struct nla_policy mrc_nl_ev_get_policy[MRC_A_EV_MAX + 1] = {
	[MRC_A_EV_DEV_INDEX] = { .type = NLA_U32 },
	[MRC_A_EV_DEV_NAME] = { .type = NLA_NUL_STRING, .len = 63 },
	[MRC_A_EV_EV_PROFILE] = { .type = NLA_U64 },
};

static const struct nla_policy mrc_nl_ev_set_policy[MRC_A_EV_MAX + 1] = {
	[MRC_A_EV_DEV_INDEX] = { .type = NLA_U32 },
	[MRC_A_EV_DEV_NAME] = { .type = NLA_NUL_STRING, .len = 63 },
	[MRC_A_EV_EV_PROFILE] = { .type = NLA_U64 },
	[MRC_A_EV_INDEX] = NLA_POLICY_MAX(NLA_U16, 255),
	[MRC_A_EV_DENIED] = NLA_POLICY_MAX(NLA_U8, 1),
	[MRC_A_EV_OWNER] = { .type = NLA_U8 },
	[MRC_A_EV_VERSION] = { .type = NLA_U32 },
};

static const struct nla_policy mrc_nl_cc_profile_get_policy[MRC_A_CC_PROFILE_MAX + 1] = {
	[MRC_A_CC_PROFILE_DEV_INDEX] = { .type = NLA_U32 },
	[MRC_A_CC_PROFILE_DEV_NAME] = { .type = NLA_NUL_STRING, .len = 63 },
	[MRC_A_CC_PROFILE_ID] = { .type = NLA_U64 },
};

static struct netlink_range_validation mrc_nl_1000000_to_274877906944 = {
	.min = 1000000,
	.max = 274877906944,
};

static struct netlink_range_validation mrc_nl_1000_to_1000000000 = {
	.min = 1000,
	.max = 1000000000,
};

static struct netlink_range_validation mrc_nl_8192_to_268435456 = {
	.min = 8192,
	.max = 268435456,
};

static struct netlink_range_validation mrc_nl_1_to_268435456 = {
	.min = 1,
	.max = 268435456,
};

static struct netlink_range_validation mrc_nl_1_to_67108864 = {
	.min = 1,
	.max = 67108864,
};

static struct netlink_range_validation mrc_nl_1_to_64000000 = {
	.min = 1,
	.max = 64000000,
};

static struct netlink_range_validation mrc_nl_0_to_1000000 = {
	.min = 0,
	.max = 1000000,
};

static struct netlink_range_validation mrc_nl_1000_to_4000000000 = {
	.min = 1000,
	.max = 4000000000,
};

static const struct nla_policy mrc_nl_cc_profile_add_policy[MRC_A_CC_PROFILE_MAX + 1] = {
	[MRC_A_CC_PROFILE_DEV_INDEX] = { .type = NLA_U32 },
	[MRC_A_CC_PROFILE_DEV_NAME] = { .type = NLA_NUL_STRING, .len = 63 },
	[MRC_A_CC_PROFILE_ID] = { .type = NLA_U64 },
	[MRC_A_CC_PROFILE_ALGORITHM] = { .type = NLA_NUL_STRING, .len = 15 },
	[MRC_A_CC_PROFILE_WINDOW] = { .type = NLA_U32 },
	[MRC_A_CC_PROFILE_OWNER] = { .type = NLA_U8 },
	[MRC_A_CC_PROFILE_CLAIM] = { .type = NLA_FLAG },
	[MRC_A_CC_PROFILE_ALIAS] = { .type = NLA_NUL_STRING, .len = 64 },
	[MRC_A_CC_PROFILE_RATE] = NLA_POLICY_FULL_RANGE(NLA_U64, &mrc_nl_1000000_to_274877906944),
	[MRC_A_CC_PROFILE_BASE_RTT] = NLA_POLICY_FULL_RANGE(NLA_U32, &mrc_nl_1000_to_1000000000),
	[MRC_A_CC_PROFILE_TARGET_DELAY] = NLA_POLICY_FULL_RANGE(NLA_U32, &mrc_nl_1000_to_1000000000),
	[MRC_A_CC_PROFILE_MAX_CWND] = NLA_POLICY_FULL_RANGE(NLA_U32, &mrc_nl_8192_to_268435456),
	[MRC_A_CC_PROFILE_ADJUST_BYTES] = NLA_POLICY_FULL_RANGE(NLA_U32, &mrc_nl_1_to_268435456),
	[MRC_A_CC_PROFILE_ADJUST_PERIOD] = NLA_POLICY_FULL_RANGE(NLA_U32, &mrc_nl_1000_to_1000000000),
	[MRC_A_CC_PROFILE_ETA] = NLA_POLICY_FULL_RANGE(NLA_U32, &mrc_nl_1_to_1048576),
	[MRC_A_CC_PROFILE_FI] = NLA_POLICY_FULL_RANGE(NLA_U32, &mrc_nl_1_to_67108864),
	[MRC_A_CC_PROFILE_FI_SCALE] = NLA_POLICY_FULL_RANGE(NLA_U32, &mrc_nl_1_to_64000000),
	[MRC_A_CC_PROFILE_GAMMA] = NLA_POLICY_FULL_RANGE(NLA_U32, &mrc_nl_0_to_1000000),
	[MRC_A_CC_PROFILE_MAX_MD_JUMP] = NLA_POLICY_FULL_RANGE(NLA_U32, &mrc_nl_0_to_1000000),
	[MRC_A_CC_PROFILE_QA_GATE] = NLA_POLICY_MAX(NLA_U8, 15),
	[MRC_A_CC_PROFILE_QA_THRESHOLD] = NLA_POLICY_FULL_RANGE(NLA_U32, &mrc_nl_1000_to_4000000000),
	[MRC_A_CC_PROFILE_QUICK_ADAPT] = NLA_POLICY_MAX(NLA_U8, 1),
	[MRC_A_CC_PROFILE_TRIMMING] = NLA_POLICY_MAX(NLA_U8, 1),
	[MRC_A_CC_PROFILE_ECN] = NLA_POLICY_MAX(NLA_U8, MRC_NL_CC_ECN_ABSENT),
	[MRC_A_CC_PROFILE_SCOPE] = NLA_POLICY_MAX(NLA_U8, MRC_NL_CC_SCOPE_QP),
};

static const struct nla_policy mrc_nl_cc_profile_del_policy[MRC_A_CC_PROFILE_MAX + 1] = {
	[MRC_A_CC_PROFILE_DEV_INDEX] = { .type = NLA_U32 },
	[MRC_A_CC_PROFILE_DEV_NAME] = { .type = NLA_NUL_STRING, .len = 63 },
	[MRC_A_CC_PROFILE_ID] = { .type = NLA_U64 },
	[MRC_A_CC_PROFILE_OWNER] = { .type = NLA_U8 },
};

static const struct nla_policy mrc_nl_route_get_policy[MRC_A_ROUTE_MAX + 1] = {
	[MRC_A_ROUTE_DEV_INDEX] = { .type = NLA_U32 },
	[MRC_A_ROUTE_DEV_NAME] = { .type = NLA_NUL_STRING, .len = 63 },
	[MRC_A_ROUTE_GID] = NLA_POLICY_EXACT_LEN(16),
};

static const struct nla_policy mrc_nl_route_add_policy[MRC_A_ROUTE_MAX + 1] = {
	[MRC_A_ROUTE_DEV_INDEX] = { .type = NLA_U32 },
	[MRC_A_ROUTE_DEV_NAME] = { .type = NLA_NUL_STRING, .len = 63 },
	[MRC_A_ROUTE_PREFIX] = NLA_POLICY_EXACT_LEN(16),
	[MRC_A_ROUTE_PREFIX_LEN] = NLA_POLICY_MAX(NLA_U8, 128),
	[MRC_A_ROUTE_EV_PROFILE] = { .type = NLA_U64 },
	[MRC_A_ROUTE_CC_PROFILE] = { .type = NLA_U64 },
	[MRC_A_ROUTE_USID] = NLA_POLICY_MIN(NLA_U16, 1),
	[MRC_A_ROUTE_OWNER] = { .type = NLA_U8 },
	[MRC_A_ROUTE_CLAIM] = { .type = NLA_FLAG },
};

static const struct nla_policy mrc_nl_route_del_policy[MRC_A_ROUTE_MAX + 1] = {
	[MRC_A_ROUTE_DEV_INDEX] = { .type = NLA_U32 },
	[MRC_A_ROUTE_DEV_NAME] = { .type = NLA_NUL_STRING, .len = 63 },
	[MRC_A_ROUTE_PREFIX] = NLA_POLICY_EXACT_LEN(16),
	[MRC_A_ROUTE_PREFIX_LEN] = NLA_POLICY_MAX(NLA_U8, 128),
	[MRC_A_ROUTE_OWNER] = { .type = NLA_U8 },
};

static const struct nla_policy mrc_nl_peer_get_policy[MRC_A_PEER_MAX + 1] = {
	[MRC_A_PEER_DEV_INDEX] = { .type = NLA_U32 },
	[MRC_A_PEER_DEV_NAME] = { .type = NLA_NUL_STRING, .len = 63 },
	[MRC_A_PEER_REMOTE_GID] = NLA_POLICY_EXACT_LEN(16),
};

static const struct nla_policy mrc_nl_peer_ev_get_policy[MRC_A_PEER_EV_MAX + 1] = {
	[MRC_A_PEER_EV_DEV_INDEX] = { .type = NLA_U32 },
	[MRC_A_PEER_EV_DEV_NAME] = { .type = NLA_NUL_STRING, .len = 63 },
	[MRC_A_PEER_EV_REMOTE_GID] = NLA_POLICY_EXACT_LEN(16),
};

static const struct nla_policy mrc_nl_qp_get_policy[MRC_A_QP_MAX + 1] = {
	[MRC_A_QP_DEV_INDEX] = { .type = NLA_U32 },
	[MRC_A_QP_DEV_NAME] = { .type = NLA_NUL_STRING, .len = 63 },
	[MRC_A_QP_QPN] = NLA_POLICY_MASK(NLA_U32, 0xffffff),
};

static const struct nla_policy mrc_nl_ev_add_policy[MRC_A_EV_MAX + 1] = {
	[MRC_A_EV_DEV_INDEX] = { .type = NLA_U32 },
	[MRC_A_EV_DEV_NAME] = { .type = NLA_NUL_STRING, .len = 63 },
	[MRC_A_EV_EV_PROFILE] = { .type = NLA_U64 },
	[MRC_A_EV_PORT] = NLA_POLICY_RANGE(NLA_U8, 1, 32),
	[MRC_A_EV_VALUE] = { .type = NLA_U32 },
	[MRC_A_EV_SID] = NLA_POLICY_EXACT_LEN(16),
	[MRC_A_EV_ENCAP] = NLA_POLICY_NESTED(mrc_nl_seg6_iptunnel_policy),
	[MRC_A_EV_TABLE] = NLA_POLICY_MIN(NLA_U32, 1),
	[MRC_A_EV_DENIED] = NLA_POLICY_MAX(NLA_U8, 1),
	[MRC_A_EV_VIA] = NLA_POLICY_EXACT_LEN(16),
	[MRC_A_EV_OWNER] = { .type = NLA_U8 },
	[MRC_A_EV_VERSION] = { .type = NLA_U32 },
};

static const struct nla_policy mrc_nl_ev_replace_policy[MRC_A_EV_MAX + 1] = {
	[MRC_A_EV_DEV_INDEX] = { .type = NLA_U32 },
	[MRC_A_EV_DEV_NAME] = { .type = NLA_NUL_STRING, .len = 63 },
	[MRC_A_EV_EV_PROFILE] = { .type = NLA_U64 },
	[MRC_A_EV_INDEX] = NLA_POLICY_MAX(NLA_U16, 255),
	[MRC_A_EV_PORT] = NLA_POLICY_RANGE(NLA_U8, 1, 32),
	[MRC_A_EV_VALUE] = { .type = NLA_U32 },
	[MRC_A_EV_SID] = NLA_POLICY_EXACT_LEN(16),
	[MRC_A_EV_ENCAP] = NLA_POLICY_NESTED(mrc_nl_seg6_iptunnel_policy),
	[MRC_A_EV_TABLE] = NLA_POLICY_MIN(NLA_U32, 1),
	[MRC_A_EV_DENIED] = NLA_POLICY_MAX(NLA_U8, 1),
	[MRC_A_EV_VIA] = NLA_POLICY_EXACT_LEN(16),
	[MRC_A_EV_OWNER] = { .type = NLA_U8 },
	[MRC_A_EV_VERSION] = { .type = NLA_U32 },
};

static const struct nla_policy mrc_nl_ev_del_policy[MRC_A_EV_MAX + 1] = {
	[MRC_A_EV_DEV_INDEX] = { .type = NLA_U32 },
	[MRC_A_EV_DEV_NAME] = { .type = NLA_NUL_STRING, .len = 63 },
	[MRC_A_EV_EV_PROFILE] = { .type = NLA_U64 },
	[MRC_A_EV_INDEX] = NLA_POLICY_MAX(NLA_U16, 255),
	[MRC_A_EV_OWNER] = { .type = NLA_U8 },
	[MRC_A_EV_VERSION] = { .type = NLA_U32 },
};

static const struct nla_policy mrc_nl_probe_start_policy[MRC_A_PROBE_MAX + 1] = {
	[MRC_A_PROBE_DEV_INDEX] = { .type = NLA_U32 },
	[MRC_A_PROBE_DEV_NAME] = { .type = NLA_NUL_STRING, .len = 63 },
	[MRC_A_PROBE_REMOTE_GID] = NLA_POLICY_EXACT_LEN(16),
	[MRC_A_PROBE_LOCAL_GID] = NLA_POLICY_EXACT_LEN(16),
	[MRC_A_PROBE_EV_PROFILE] = { .type = NLA_U64 },
	[MRC_A_PROBE_EV] = NLA_POLICY_MAX(NLA_U16, 255),
	[MRC_A_PROBE_TIMEOUT] = NLA_POLICY_RANGE(NLA_U32, 1, 10000),
};

static struct netlink_range_validation mrc_nl_1_to_10000000000 = {
	.min = 1,
	.max = 10000000000,
};

static const struct nla_policy mrc_nl_raw_probe_start_policy[MRC_A_PROBE_MAX + 1] = {
	[MRC_A_PROBE_DEV_INDEX] = { .type = NLA_U32 },
	[MRC_A_PROBE_DEV_NAME] = { .type = NLA_NUL_STRING, .len = 63 },
	[MRC_A_PROBE_LOCAL_GID] = NLA_POLICY_EXACT_LEN(16),
	[MRC_A_PROBE_FORMAT] = NLA_POLICY_MAX(NLA_U8, MRC_NL_EV_FORMAT_UDP),
	[MRC_A_PROBE_RAW_EV] = NLA_POLICY_NESTED(mrc_nl_ev_spec_policy),
	[MRC_A_PROBE_TO] = NLA_POLICY_EXACT_LEN(16),
	[MRC_A_PROBE_COUNT] = NLA_POLICY_RANGE(NLA_U16, 1, 256),
	[MRC_A_PROBE_DSCP] = NLA_POLICY_MAX(NLA_U8, 63),
	[MRC_A_PROBE_SIZE] = { .type = NLA_U16 },
	[MRC_A_PROBE_LIMIT] = NLA_POLICY_FULL_RANGE(NLA_U64, &mrc_nl_1_to_10000000000),
	[MRC_A_PROBE_PORT_STATUS] = { .type = NLA_U32 },
};

const struct genl_ops mrc_nl_ops[MRC_NL_OPS] = {
	{
		.cmd = MRC_CMD_INFO_GET,
		.doit = mrc_nl_info_get,
	},
	{
		.cmd = MRC_CMD_DEVICE_GET,
		.doit = mrc_nl_device_get,
		.start = mrc_nl_device_get_start,
		.dumpit = mrc_nl_device_get_dump,
		.policy = mrc_nl_device_get_policy,
		.maxattr = MRC_A_DEVICE_MAX,
	},
	{
		.cmd = MRC_CMD_DEVICE_SET,
		.doit = mrc_nl_device_set,
		.policy = mrc_nl_device_set_policy,
		.maxattr = MRC_A_DEVICE_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd = MRC_CMD_PLANE_GET,
		.doit = mrc_nl_plane_get,
		.dumpit = mrc_nl_plane_get_dump,
		.policy = mrc_nl_plane_get_policy,
		.maxattr = MRC_A_PLANE_MAX,
	},
	{
		.cmd = MRC_CMD_PLANE_ADD,
		.doit = mrc_nl_plane_add,
		.policy = mrc_nl_plane_add_policy,
		.maxattr = MRC_A_PLANE_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd = MRC_CMD_PLANE_SET,
		.doit = mrc_nl_plane_set,
		.policy = mrc_nl_plane_set_policy,
		.maxattr = MRC_A_PLANE_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd = MRC_CMD_PLANE_DEL,
		.doit = mrc_nl_plane_del,
		.policy = mrc_nl_plane_del_policy,
		.maxattr = MRC_A_PLANE_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd = MRC_CMD_EV_PROFILE_GET,
		.doit = mrc_nl_ev_profile_get,
		.dumpit = mrc_nl_ev_profile_get_dump,
		.policy = mrc_nl_ev_profile_get_policy,
		.maxattr = MRC_A_EV_PROFILE_MAX,
	},
	{
		.cmd = MRC_CMD_EV_PROFILE_ADD,
		.doit = mrc_nl_ev_profile_add,
		.policy = mrc_nl_ev_profile_add_policy,
		.maxattr = MRC_A_EV_PROFILE_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd = MRC_CMD_EV_PROFILE_SET,
		.doit = mrc_nl_ev_profile_set,
		.policy = mrc_nl_ev_profile_add_policy,
		.maxattr = MRC_A_EV_PROFILE_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd = MRC_CMD_EV_PROFILE_DEL,
		.doit = mrc_nl_ev_profile_del,
		.policy = mrc_nl_ev_profile_del_policy,
		.maxattr = MRC_A_EV_PROFILE_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd = MRC_CMD_EV_GET,
		.dumpit = mrc_nl_ev_get_dump,
		.policy = mrc_nl_ev_get_policy,
		.maxattr = MRC_A_EV_MAX,
	},
	{
		.cmd = MRC_CMD_EV_SET,
		.doit = mrc_nl_ev_set,
		.policy = mrc_nl_ev_set_policy,
		.maxattr = MRC_A_EV_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd = MRC_CMD_CC_PROFILE_GET,
		.doit = mrc_nl_cc_profile_get,
		.dumpit = mrc_nl_cc_profile_get_dump,
		.policy = mrc_nl_cc_profile_get_policy,
		.maxattr = MRC_A_CC_PROFILE_MAX,
	},
	{
		.cmd = MRC_CMD_CC_PROFILE_ADD,
		.doit = mrc_nl_cc_profile_add,
		.policy = mrc_nl_cc_profile_add_policy,
		.maxattr = MRC_A_CC_PROFILE_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd = MRC_CMD_CC_PROFILE_SET,
		.doit = mrc_nl_cc_profile_set,
		.policy = mrc_nl_cc_profile_add_policy,
		.maxattr = MRC_A_CC_PROFILE_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd = MRC_CMD_CC_PROFILE_DEL,
		.doit = mrc_nl_cc_profile_del,
		.policy = mrc_nl_cc_profile_del_policy,
		.maxattr = MRC_A_CC_PROFILE_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd = MRC_CMD_ROUTE_GET,
		.doit = mrc_nl_route_get,
		.dumpit = mrc_nl_route_get_dump,
		.policy = mrc_nl_route_get_policy,
		.maxattr = MRC_A_ROUTE_MAX,
	},
	{
		.cmd = MRC_CMD_ROUTE_ADD,
		.doit = mrc_nl_route_add,
		.policy = mrc_nl_route_add_policy,
		.maxattr = MRC_A_ROUTE_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd = MRC_CMD_ROUTE_REPLACE,
		.doit = mrc_nl_route_replace,
		.policy = mrc_nl_route_add_policy,
		.maxattr = MRC_A_ROUTE_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd = MRC_CMD_ROUTE_DEL,
		.doit = mrc_nl_route_del,
		.policy = mrc_nl_route_del_policy,
		.maxattr = MRC_A_ROUTE_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd = MRC_CMD_PEER_GET,
		.start = mrc_nl_peer_get_start,
		.dumpit = mrc_nl_peer_get_dump,
		.policy = mrc_nl_peer_get_policy,
		.maxattr = MRC_A_PEER_MAX,
	},
	{
		.cmd = MRC_CMD_PEER_EV_GET,
		.dumpit = mrc_nl_peer_ev_get_dump,
		.policy = mrc_nl_peer_ev_get_policy,
		.maxattr = MRC_A_PEER_EV_MAX,
	},
	{
		.cmd = MRC_CMD_QP_GET,
		.doit = mrc_nl_qp_get,
		.dumpit = mrc_nl_qp_get_dump,
		.policy = mrc_nl_qp_get_policy,
		.maxattr = MRC_A_QP_MAX,
	},
	{
		.cmd = MRC_CMD_EV_ADD,
		.doit = mrc_nl_ev_add,
		.policy = mrc_nl_ev_add_policy,
		.maxattr = MRC_A_EV_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd = MRC_CMD_EV_REPLACE,
		.doit = mrc_nl_ev_replace,
		.policy = mrc_nl_ev_replace_policy,
		.maxattr = MRC_A_EV_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd = MRC_CMD_EV_DEL,
		.doit = mrc_nl_ev_del,
		.policy = mrc_nl_ev_del_policy,
		.maxattr = MRC_A_EV_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd = MRC_CMD_PROBE_START,
		.doit = mrc_nl_probe_start,
		.policy = mrc_nl_probe_start_policy,
		.maxattr = MRC_A_PROBE_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	{
		.cmd = MRC_CMD_RAW_PROBE_START,
		.doit = mrc_nl_raw_probe_start,
		.policy = mrc_nl_raw_probe_start_policy,
		.maxattr = MRC_A_PROBE_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
};

const struct genl_multicast_group mrc_nl_groups[MRC_NL_GROUPS] = {
	[MRC_NL_GROUP_EVENTS] = { .name = MRC_MCGRP_EVENTS },
	[MRC_NL_GROUP_CONFIG] = { .name = MRC_MCGRP_CONFIG },
	[MRC_NL_GROUP_PROBES] = { .name = MRC_MCGRP_PROBES },
};

const u16 mrc_nl_dump_heeds[MRC_CMD_MAX + 1][MRC_NL_HEEDS + 1] = {
	[MRC_CMD_DEVICE_GET] = { MRC_A_DEVICE_DEV_INDEX,
		MRC_A_DEVICE_DEV_NAME },
	[MRC_CMD_PLANE_GET] = { MRC_A_PLANE_DEV_INDEX,
		MRC_A_PLANE_DEV_NAME },
	[MRC_CMD_EV_PROFILE_GET] = { MRC_A_EV_PROFILE_DEV_INDEX,
		MRC_A_EV_PROFILE_DEV_NAME },
	[MRC_CMD_EV_GET] = { MRC_A_EV_DEV_INDEX,
		MRC_A_EV_DEV_NAME,
		MRC_A_EV_EV_PROFILE },
	[MRC_CMD_CC_PROFILE_GET] = { MRC_A_CC_PROFILE_DEV_INDEX,
		MRC_A_CC_PROFILE_DEV_NAME },
	[MRC_CMD_ROUTE_GET] = { MRC_A_ROUTE_DEV_INDEX,
		MRC_A_ROUTE_DEV_NAME },
	[MRC_CMD_PEER_GET] = { MRC_A_PEER_DEV_INDEX,
		MRC_A_PEER_DEV_NAME,
		MRC_A_PEER_REMOTE_GID },
	[MRC_CMD_PEER_EV_GET] = { MRC_A_PEER_EV_DEV_INDEX,
		MRC_A_PEER_EV_DEV_NAME,
		MRC_A_PEER_EV_REMOTE_GID },
	[MRC_CMD_QP_GET] = { MRC_A_QP_DEV_INDEX,
		MRC_A_QP_DEV_NAME },
};

const struct mrc_nl_required mrc_nl_required[MRC_NL_REQUIRED] = {
	{ MRC_CMD_PLANE_GET, MRC_A_PLANE_PORT,
	  KBUILD_MODNAME ": port is missing" },
	{ MRC_CMD_PLANE_ADD, MRC_A_PLANE_IFINDEX,
	  KBUILD_MODNAME ": ifindex is missing" },
	{ MRC_CMD_PLANE_SET, MRC_A_PLANE_PORT,
	  KBUILD_MODNAME ": port is missing" },
	{ MRC_CMD_PLANE_DEL, MRC_A_PLANE_PORT,
	  KBUILD_MODNAME ": port is missing" },
	{ MRC_CMD_EV_PROFILE_GET, MRC_A_EV_PROFILE_ID,
	  KBUILD_MODNAME ": id is missing" },
	{ MRC_CMD_EV_PROFILE_ADD, MRC_A_EV_PROFILE_ID,
	  KBUILD_MODNAME ": id is missing" },
	{ MRC_CMD_EV_PROFILE_ADD, MRC_A_EV_PROFILE_FORMAT,
	  KBUILD_MODNAME ": format is missing" },
	{ MRC_CMD_EV_PROFILE_SET, MRC_A_EV_PROFILE_ID,
	  KBUILD_MODNAME ": id is missing" },
	{ MRC_CMD_EV_PROFILE_SET, MRC_A_EV_PROFILE_FORMAT,
	  KBUILD_MODNAME ": format is missing" },
	{ MRC_CMD_EV_PROFILE_DEL, MRC_A_EV_PROFILE_ID,
	  KBUILD_MODNAME ": id is missing" },
	{ MRC_CMD_EV_SET, MRC_A_EV_EV_PROFILE,
	  KBUILD_MODNAME ": ev-profile is missing" },
	{ MRC_CMD_EV_SET, MRC_A_EV_INDEX,
	  KBUILD_MODNAME ": index is missing" },
	{ MRC_CMD_EV_SET, MRC_A_EV_DENIED,
	  KBUILD_MODNAME ": denied is missing" },
	{ MRC_CMD_CC_PROFILE_GET, MRC_A_CC_PROFILE_ID,
	  KBUILD_MODNAME ": id is missing" },
	{ MRC_CMD_CC_PROFILE_ADD, MRC_A_CC_PROFILE_ID,
	  KBUILD_MODNAME ": id is missing" },
	{ MRC_CMD_CC_PROFILE_ADD, MRC_A_CC_PROFILE_ALGORITHM,
	  KBUILD_MODNAME ": algorithm is missing" },
	{ MRC_CMD_CC_PROFILE_SET, MRC_A_CC_PROFILE_ID,
	  KBUILD_MODNAME ": id is missing" },
	{ MRC_CMD_CC_PROFILE_SET, MRC_A_CC_PROFILE_ALGORITHM,
	  KBUILD_MODNAME ": algorithm is missing" },
	{ MRC_CMD_CC_PROFILE_DEL, MRC_A_CC_PROFILE_ID,
	  KBUILD_MODNAME ": id is missing" },
	{ MRC_CMD_ROUTE_GET, MRC_A_ROUTE_GID,
	  KBUILD_MODNAME ": gid is missing" },
	{ MRC_CMD_ROUTE_ADD, MRC_A_ROUTE_PREFIX,
	  KBUILD_MODNAME ": prefix is missing" },
	{ MRC_CMD_ROUTE_ADD, MRC_A_ROUTE_PREFIX_LEN,
	  KBUILD_MODNAME ": prefix-len is missing" },
	{ MRC_CMD_ROUTE_ADD, MRC_A_ROUTE_EV_PROFILE,
	  KBUILD_MODNAME ": ev-profile is missing" },
	{ MRC_CMD_ROUTE_REPLACE, MRC_A_ROUTE_PREFIX,
	  KBUILD_MODNAME ": prefix is missing" },
	{ MRC_CMD_ROUTE_REPLACE, MRC_A_ROUTE_PREFIX_LEN,
	  KBUILD_MODNAME ": prefix-len is missing" },
	{ MRC_CMD_ROUTE_REPLACE, MRC_A_ROUTE_EV_PROFILE,
	  KBUILD_MODNAME ": ev-profile is missing" },
	{ MRC_CMD_ROUTE_DEL, MRC_A_ROUTE_PREFIX,
	  KBUILD_MODNAME ": prefix is missing" },
	{ MRC_CMD_ROUTE_DEL, MRC_A_ROUTE_PREFIX_LEN,
	  KBUILD_MODNAME ": prefix-len is missing" },
	{ MRC_CMD_QP_GET, MRC_A_QP_QPN,
	  KBUILD_MODNAME ": qpn is missing" },
	{ MRC_CMD_EV_ADD, MRC_A_EV_EV_PROFILE,
	  KBUILD_MODNAME ": ev-profile is missing" },
	{ MRC_CMD_EV_ADD, MRC_A_EV_PORT,
	  KBUILD_MODNAME ": port is missing" },
	{ MRC_CMD_EV_REPLACE, MRC_A_EV_EV_PROFILE,
	  KBUILD_MODNAME ": ev-profile is missing" },
	{ MRC_CMD_EV_REPLACE, MRC_A_EV_INDEX,
	  KBUILD_MODNAME ": index is missing" },
	{ MRC_CMD_EV_REPLACE, MRC_A_EV_PORT,
	  KBUILD_MODNAME ": port is missing" },
	{ MRC_CMD_EV_DEL, MRC_A_EV_EV_PROFILE,
	  KBUILD_MODNAME ": ev-profile is missing" },
	{ MRC_CMD_EV_DEL, MRC_A_EV_INDEX,
	  KBUILD_MODNAME ": index is missing" },
	{ MRC_CMD_PROBE_START, MRC_A_PROBE_REMOTE_GID,
	  KBUILD_MODNAME ": remote-gid is missing" },
	{ MRC_CMD_RAW_PROBE_START, MRC_A_PROBE_FORMAT,
	  KBUILD_MODNAME ": format is missing" },
	{ MRC_CMD_RAW_PROBE_START, MRC_A_PROBE_RAW_EV,
	  KBUILD_MODNAME ": raw-ev is missing" },
	{ MRC_CMD_RAW_PROBE_START, MRC_A_PROBE_TO,
	  KBUILD_MODNAME ": to is missing" },
};

int mrc_nl_put_cfg(struct sk_buff *skb, const struct mrc_dev_cfg *cfg)
{
	return nla_put_u8(skb, MRC_A_DEVICE_BURST, cfg->burst) ?:
	       nla_put_u8(skb, MRC_A_DEVICE_ICRC, cfg->icrc) ?:
	       nla_put_u16(skb, MRC_A_DEVICE_UDP_PORT, cfg->udp_port) ?:
	       nla_put_u8(skb, MRC_A_DEVICE_HOP_LIMIT, cfg->hop_limit) ?:
	       nla_put_u8(skb, MRC_A_DEVICE_DSCP_DATA, cfg->dscp_data) ?:
	       nla_put_u8(skb, MRC_A_DEVICE_DSCP_RTX, cfg->dscp_rtx) ?:
	       nla_put_u8(skb, MRC_A_DEVICE_DSCP_CONTROL, cfg->dscp_control) ?:
	       nla_put_u8(skb, MRC_A_DEVICE_MPR, cfg->mpr) ?:
	       nla_put_u32(skb, MRC_A_DEVICE_SACK_BYTES, cfg->sack_bytes) ?:
	       nla_put_in6_addr(skb, MRC_A_DEVICE_TUNNEL_SOURCE, &cfg->tunnel_source) ?:
	       nla_put_u8(skb, MRC_A_DEVICE_INGRESS_FILTER, cfg->ingress_filter) ?:
	       nla_put_u32(skb, MRC_A_DEVICE_USER_PDS, cfg->user_pds) ?:
	       nla_put_u32(skb, MRC_A_DEVICE_USER_CQS, cfg->user_cqs) ?:
	       nla_put_u32(skb, MRC_A_DEVICE_USER_QPS, cfg->user_qps) ?:
	       nla_put_u32(skb, MRC_A_DEVICE_USER_MRS, cfg->user_mrs) ?:
	       nla_put_u32(skb, MRC_A_DEVICE_USER_PEERS, cfg->user_peers) ?:
	       nla_put_u8(skb, MRC_A_DEVICE_TRIM, cfg->trim) ?:
	       nla_put_u8(skb, MRC_A_DEVICE_DSCP_TRIMMED, cfg->dscp_trimmed) ?:
	       nla_put_u8(skb, MRC_A_DEVICE_DSCP_TRIMMED_LASTHOP, cfg->dscp_trimmed_lasthop) ?:
	       nla_put_u8(skb, MRC_A_DEVICE_EXTENSIONS, cfg->extensions);
}

void mrc_nl_get_cfg(struct nlattr **attrs, struct mrc_dev_cfg *cfg)
{
	if (attrs[MRC_A_DEVICE_BURST])
		cfg->burst = nla_get_u8(attrs[MRC_A_DEVICE_BURST]);
	if (attrs[MRC_A_DEVICE_ICRC])
		cfg->icrc = nla_get_u8(attrs[MRC_A_DEVICE_ICRC]);
	if (attrs[MRC_A_DEVICE_UDP_PORT])
		cfg->udp_port = nla_get_u16(attrs[MRC_A_DEVICE_UDP_PORT]);
	if (attrs[MRC_A_DEVICE_HOP_LIMIT])
		cfg->hop_limit = nla_get_u8(attrs[MRC_A_DEVICE_HOP_LIMIT]);
	if (attrs[MRC_A_DEVICE_DSCP_DATA])
		cfg->dscp_data = nla_get_u8(attrs[MRC_A_DEVICE_DSCP_DATA]);
	if (attrs[MRC_A_DEVICE_DSCP_RTX])
		cfg->dscp_rtx = nla_get_u8(attrs[MRC_A_DEVICE_DSCP_RTX]);
	if (attrs[MRC_A_DEVICE_DSCP_CONTROL])
		cfg->dscp_control = nla_get_u8(attrs[MRC_A_DEVICE_DSCP_CONTROL]);
	if (attrs[MRC_A_DEVICE_MPR])
		cfg->mpr = nla_get_u8(attrs[MRC_A_DEVICE_MPR]);
	if (attrs[MRC_A_DEVICE_SACK_BYTES])
		cfg->sack_bytes = nla_get_u32(attrs[MRC_A_DEVICE_SACK_BYTES]);
	if (attrs[MRC_A_DEVICE_TUNNEL_SOURCE])
		cfg->tunnel_source = nla_get_in6_addr(attrs[MRC_A_DEVICE_TUNNEL_SOURCE]);
	if (attrs[MRC_A_DEVICE_INGRESS_FILTER])
		cfg->ingress_filter = nla_get_u8(attrs[MRC_A_DEVICE_INGRESS_FILTER]);
	if (attrs[MRC_A_DEVICE_USER_PDS])
		cfg->user_pds = nla_get_u32(attrs[MRC_A_DEVICE_USER_PDS]);
	if (attrs[MRC_A_DEVICE_USER_CQS])
		cfg->user_cqs = nla_get_u32(attrs[MRC_A_DEVICE_USER_CQS]);
	if (attrs[MRC_A_DEVICE_USER_QPS])
		cfg->user_qps = nla_get_u32(attrs[MRC_A_DEVICE_USER_QPS]);
	if (attrs[MRC_A_DEVICE_USER_MRS])
		cfg->user_mrs = nla_get_u32(attrs[MRC_A_DEVICE_USER_MRS]);
	if (attrs[MRC_A_DEVICE_USER_PEERS])
		cfg->user_peers = nla_get_u32(attrs[MRC_A_DEVICE_USER_PEERS]);
	if (attrs[MRC_A_DEVICE_TRIM])
		cfg->trim = nla_get_u8(attrs[MRC_A_DEVICE_TRIM]);
	if (attrs[MRC_A_DEVICE_DSCP_TRIMMED])
		cfg->dscp_trimmed = nla_get_u8(attrs[MRC_A_DEVICE_DSCP_TRIMMED]);
	if (attrs[MRC_A_DEVICE_DSCP_TRIMMED_LASTHOP])
		cfg->dscp_trimmed_lasthop = nla_get_u8(attrs[MRC_A_DEVICE_DSCP_TRIMMED_LASTHOP]);
	if (attrs[MRC_A_DEVICE_EXTENSIONS])
		cfg->extensions = nla_get_u8(attrs[MRC_A_DEVICE_EXTENSIONS]);
}

int mrc_nl_put_cc_profile_settings(struct sk_buff *skb, const struct mrc_cc_profile *p)
{
	return (p->params.rate ? nla_put_u64_64bit(skb, MRC_A_CC_PROFILE_RATE, p->params.rate, MRC_A_PAD) : 0) ?:
	       (p->params.base_rtt_ns ? nla_put_u32(skb, MRC_A_CC_PROFILE_BASE_RTT, p->params.base_rtt_ns) : 0) ?:
	       (p->params.target_ns ? nla_put_u32(skb, MRC_A_CC_PROFILE_TARGET_DELAY, p->params.target_ns) : 0) ?:
	       (p->params.max_cwnd ? nla_put_u32(skb, MRC_A_CC_PROFILE_MAX_CWND, p->params.max_cwnd) : 0) ?:
	       (p->params.adjust_bytes ? nla_put_u32(skb, MRC_A_CC_PROFILE_ADJUST_BYTES, p->params.adjust_bytes) : 0) ?:
	       (p->params.adjust_ns ? nla_put_u32(skb, MRC_A_CC_PROFILE_ADJUST_PERIOD, p->params.adjust_ns) : 0) ?:
	       (p->params.eta ? nla_put_u32(skb, MRC_A_CC_PROFILE_ETA, p->params.eta) : 0) ?:
	       (p->params.fi ? nla_put_u32(skb, MRC_A_CC_PROFILE_FI, p->params.fi) : 0) ?:
	       (p->params.fi_scale ? nla_put_u32(skb, MRC_A_CC_PROFILE_FI_SCALE, p->params.fi_scale) : 0) ?:
	       nla_put_u32(skb, MRC_A_CC_PROFILE_GAMMA, p->params.gamma) ?:
	       nla_put_u32(skb, MRC_A_CC_PROFILE_MAX_MD_JUMP, p->params.max_md_jump) ?:
	       nla_put_u8(skb, MRC_A_CC_PROFILE_QA_GATE, p->params.qa_gate) ?:
	       (p->params.qa_threshold_ns ? nla_put_u32(skb, MRC_A_CC_PROFILE_QA_THRESHOLD, p->params.qa_threshold_ns) : 0) ?:
	       nla_put_u8(skb, MRC_A_CC_PROFILE_QUICK_ADAPT, !p->params.disable_qa) ?:
	       nla_put_u8(skb, MRC_A_CC_PROFILE_TRIMMING, p->params.trimming) ?:
	       nla_put_u8(skb, MRC_A_CC_PROFILE_ECN, p->params.ecn_absent) ?:
	       nla_put_u8(skb, MRC_A_CC_PROFILE_SCOPE, p->scope);
}

void mrc_nl_get_cc_profile_settings(struct nlattr **attrs, struct mrc_cc_profile *p)
{
	p->params.rate = attrs[MRC_A_CC_PROFILE_RATE] ? nla_get_u64(attrs[MRC_A_CC_PROFILE_RATE]) : 0;
	p->params.base_rtt_ns = attrs[MRC_A_CC_PROFILE_BASE_RTT] ? nla_get_u32(attrs[MRC_A_CC_PROFILE_BASE_RTT]) : 0;
	p->params.target_ns = attrs[MRC_A_CC_PROFILE_TARGET_DELAY] ? nla_get_u32(attrs[MRC_A_CC_PROFILE_TARGET_DELAY]) : 0;
	p->params.max_cwnd = attrs[MRC_A_CC_PROFILE_MAX_CWND] ? nla_get_u32(attrs[MRC_A_CC_PROFILE_MAX_CWND]) : 0;
	p->params.adjust_bytes = attrs[MRC_A_CC_PROFILE_ADJUST_BYTES] ? nla_get_u32(attrs[MRC_A_CC_PROFILE_ADJUST_BYTES]) : 0;
	p->params.adjust_ns = attrs[MRC_A_CC_PROFILE_ADJUST_PERIOD] ? nla_get_u32(attrs[MRC_A_CC_PROFILE_ADJUST_PERIOD]) : 0;
	p->params.eta = attrs[MRC_A_CC_PROFILE_ETA] ? nla_get_u32(attrs[MRC_A_CC_PROFILE_ETA]) : 0;
	p->params.fi = attrs[MRC_A_CC_PROFILE_FI] ? nla_get_u32(attrs[MRC_A_CC_PROFILE_FI]) : 0;
	p->params.fi_scale = attrs[MRC_A_CC_PROFILE_FI_SCALE] ? nla_get_u32(attrs[MRC_A_CC_PROFILE_FI_SCALE]) : 0;
	p->params.gamma = attrs[MRC_A_CC_PROFILE_GAMMA] ? nla_get_u32(attrs[MRC_A_CC_PROFILE_GAMMA]) : 800000;
	p->params.max_md_jump = attrs[MRC_A_CC_PROFILE_MAX_MD_JUMP] ? nla_get_u32(attrs[MRC_A_CC_PROFILE_MAX_MD_JUMP]) : 500000;
	p->params.qa_gate = attrs[MRC_A_CC_PROFILE_QA_GATE] ? nla_get_u8(attrs[MRC_A_CC_PROFILE_QA_GATE]) : 3;
	p->params.qa_threshold_ns = attrs[MRC_A_CC_PROFILE_QA_THRESHOLD] ? nla_get_u32(attrs[MRC_A_CC_PROFILE_QA_THRESHOLD]) : 0;
	p->params.disable_qa = !(attrs[MRC_A_CC_PROFILE_QUICK_ADAPT] ? nla_get_u8(attrs[MRC_A_CC_PROFILE_QUICK_ADAPT]) : 1);
	p->params.trimming = attrs[MRC_A_CC_PROFILE_TRIMMING] ? nla_get_u8(attrs[MRC_A_CC_PROFILE_TRIMMING]) : 0;
	p->params.ecn_absent = attrs[MRC_A_CC_PROFILE_ECN] ? nla_get_u8(attrs[MRC_A_CC_PROFILE_ECN]) : MRC_NL_CC_ECN_PRESENT;
	p->scope = attrs[MRC_A_CC_PROFILE_SCOPE] ? nla_get_u8(attrs[MRC_A_CC_PROFILE_SCOPE]) : MRC_NL_CC_SCOPE_PEER;
}

const u8 mrc_nl_cc_profile_settings[MRC_NL_CC_PROFILE_SETTINGS] = {
	MRC_A_CC_PROFILE_RATE,
	MRC_A_CC_PROFILE_BASE_RTT,
	MRC_A_CC_PROFILE_TARGET_DELAY,
	MRC_A_CC_PROFILE_MAX_CWND,
	MRC_A_CC_PROFILE_ADJUST_BYTES,
	MRC_A_CC_PROFILE_ADJUST_PERIOD,
	MRC_A_CC_PROFILE_ETA,
	MRC_A_CC_PROFILE_FI,
	MRC_A_CC_PROFILE_FI_SCALE,
	MRC_A_CC_PROFILE_GAMMA,
	MRC_A_CC_PROFILE_MAX_MD_JUMP,
	MRC_A_CC_PROFILE_QA_GATE,
	MRC_A_CC_PROFILE_QA_THRESHOLD,
	MRC_A_CC_PROFILE_QUICK_ADAPT,
	MRC_A_CC_PROFILE_TRIMMING,
	MRC_A_CC_PROFILE_ECN,
	MRC_A_CC_PROFILE_SCOPE,
};
