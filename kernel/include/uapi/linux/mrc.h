/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Generic netlink family "mrc": devices, planes, profiles, routes, peers, QPs.
 *
 * Documentation/netlink/specs/mrc.yaml describes it; a test keeps this file and that
 * one equal. In each attribute set of a noun, 1 and 2 name the device (either will
 * do in requests, answers carry both) and 3 is padding.
 */
#ifndef _UAPI_LINUX_MRC_H
#define _UAPI_LINUX_MRC_H

#define MRC_FAMILY_NAME		"mrc"
#define MRC_FAMILY_VERSION	1

#define MRC_MCGRP_EVENTS	"events"

enum mrc_nl_plane_state {
	MRC_NL_PLANE_STATE_DOWN,
	MRC_NL_PLANE_STATE_UP,
};

enum mrc_nl_ev_format {
	MRC_NL_EV_FORMAT_STEV,
	MRC_NL_EV_FORMAT_SRV6,
	MRC_NL_EV_FORMAT_UDP,
};

enum mrc_nl_ev_mode {
	MRC_NL_EV_MODE_AUTO,
	MRC_NL_EV_MODE_EXPLICIT,
};

enum mrc_nl_ev_state {
	MRC_NL_EV_STATE_GOOD		= 1,
	MRC_NL_EV_STATE_ASSUMED_BAD	= 2,
	MRC_NL_EV_STATE_DENIED		= 4,
	MRC_NL_EV_STATE_SKIP		= 8,
	MRC_NL_EV_STATE_HELD		= 16,
};

enum mrc_nl_qp_state {
	MRC_NL_QP_STATE_RESET,
	MRC_NL_QP_STATE_INIT,
	MRC_NL_QP_STATE_RTR,
	MRC_NL_QP_STATE_RTS,
	MRC_NL_QP_STATE_SQD,
	MRC_NL_QP_STATE_SQE,
	MRC_NL_QP_STATE_ERR,
};

/* The module itself. */
enum {
	MRC_A_INFO_VERSION = 1,		/* string */
	MRC_A_INFO_ICRC,		/* string: implementation in use */
	MRC_A_INFO_SEG6,		/* u8: the kernel can encapsulate in SRv6 */
	MRC_A_INFO_PORT_MAX,		/* u8: highest port number */
	MRC_A_INFO_EV_MAX,		/* u16: EVs in one profile, at most */
	MRC_A_INFO_BURST_MAX,		/* u8 */

	__MRC_A_INFO_MAX,
	MRC_A_INFO_MAX = (__MRC_A_INFO_MAX - 1)
};

enum {
	MRC_A_DEVICE_DEV_INDEX = 1,	/* u32 */
	MRC_A_DEVICE_DEV_NAME,		/* string */
	MRC_A_DEVICE_PAD,
	MRC_A_DEVICE_IFINDEX,		/* u32: anchor */
	MRC_A_DEVICE_IFNAME,		/* string */
	MRC_A_DEVICE_BURST,		/* u8: packets per skb */
	MRC_A_DEVICE_ICRC,		/* u8: 0 off, 1 on */
	MRC_A_DEVICE_UDP_PORT,		/* u16 */
	MRC_A_DEVICE_HOP_LIMIT,		/* u8 */
	MRC_A_DEVICE_DSCP_DATA,		/* u8 */
	MRC_A_DEVICE_DSCP_RTX,		/* u8 */
	MRC_A_DEVICE_DSCP_CONTROL,	/* u8 */
	MRC_A_DEVICE_MPR,		/* u8: units of 128 PSNs */
	MRC_A_DEVICE_SACK_BYTES,	/* u32 */
	MRC_A_DEVICE_TUNNEL_SOURCE,	/* IPv6 address; :: is each QP's own GID */
	MRC_A_DEVICE_PORTS_UP,		/* u32: bit per usable port, bit 0 is port 1 */
	MRC_A_DEVICE_QPS,		/* u32 */
	MRC_A_DEVICE_COUNTER,		/* nest, one per counter */
	MRC_A_DEVICE_TIME,		/* u64: events: ns of CLOCK_MONOTONIC */

	__MRC_A_DEVICE_MAX,
	MRC_A_DEVICE_MAX = (__MRC_A_DEVICE_MAX - 1)
};

enum {
	MRC_A_COUNTER_NAME = 1,		/* string */
	MRC_A_COUNTER_VALUE,		/* u64 */
	MRC_A_COUNTER_PAD,

	__MRC_A_COUNTER_MAX,
	MRC_A_COUNTER_MAX = (__MRC_A_COUNTER_MAX - 1)
};

enum {
	MRC_A_PLANE_DEV_INDEX = 1,
	MRC_A_PLANE_DEV_NAME,
	MRC_A_PLANE_PAD,
	MRC_A_PLANE_PORT,		/* u8: 1..32 */
	MRC_A_PLANE_IFINDEX,		/* u32 */
	MRC_A_PLANE_IFNAME,		/* string */
	MRC_A_PLANE_ADMIN_STATE,	/* u8: enum mrc_nl_plane_state */
	MRC_A_PLANE_OPER_STATE,		/* u8: enum mrc_nl_plane_state */
	MRC_A_PLANE_STATS,		/* nest */
	MRC_A_PLANE_GONE,		/* flag: events: the plane was removed */
	MRC_A_PLANE_TIME,		/* u64: events */

	__MRC_A_PLANE_MAX,
	MRC_A_PLANE_MAX = (__MRC_A_PLANE_MAX - 1)
};

enum {
	MRC_A_PLANE_STATS_TX_PACKETS = 1,	/* u64, as the others */
	MRC_A_PLANE_STATS_TX_BYTES,
	MRC_A_PLANE_STATS_PAD,
	MRC_A_PLANE_STATS_TX_ERRORS,
	MRC_A_PLANE_STATS_RX_PACKETS,
	MRC_A_PLANE_STATS_RX_BYTES,
	MRC_A_PLANE_STATS_RX_CE,

	__MRC_A_PLANE_STATS_MAX,
	MRC_A_PLANE_STATS_MAX = (__MRC_A_PLANE_STATS_MAX - 1)
};

enum {
	MRC_A_EV_PROFILE_DEV_INDEX = 1,
	MRC_A_EV_PROFILE_DEV_NAME,
	MRC_A_EV_PROFILE_PAD,
	MRC_A_EV_PROFILE_ID,		/* u64; 0 is the automatic one */
	MRC_A_EV_PROFILE_FORMAT,	/* u8: enum mrc_nl_ev_format */
	MRC_A_EV_PROFILE_MODE,		/* u8: enum mrc_nl_ev_mode */
	MRC_A_EV_PROFILE_MIN_ACTIVE,	/* u16 */
	MRC_A_EV_PROFILE_COUNT,		/* u16: EVs */
	MRC_A_EV_PROFILE_VERSION,	/* u32: grows with each replacement */
	MRC_A_EV_PROFILE_DENIED,	/* u16: denied EVs */
	MRC_A_EV_PROFILE_EV,		/* nest (MRC_A_EV_*), one per EV; requests only */
	MRC_A_EV_PROFILE_ACTIVE,	/* u16: EVs in rotation at a time; 0: all */

	__MRC_A_EV_PROFILE_MAX,
	MRC_A_EV_PROFILE_MAX = (__MRC_A_EV_PROFILE_MAX - 1)
};

enum {
	MRC_A_EV_DEV_INDEX = 1,
	MRC_A_EV_DEV_NAME,
	MRC_A_EV_PAD,
	MRC_A_EV_EV_PROFILE,		/* u64 */
	MRC_A_EV_INDEX,			/* u16: in the profile's order, grouped by port */
	MRC_A_EV_PORT,			/* u8 */
	MRC_A_EV_VALUE,			/* u32: port << 16 | flow label, UDP: port; CAP_NET_ADMIN */
	MRC_A_EV_SID,			/* IPv6 address: the whole path is a uSID carrier */
	MRC_A_EV_ENCAP,			/* nest (SEG6_IPTUNNEL_*): segment list */
	MRC_A_EV_TABLE,			/* u32: as the route in this kernel table says */
	MRC_A_EV_DENIED,		/* u8: 0 or 1 */
	MRC_A_EV_VIA,			/* IPv6 address: as the SID, up to the last switch */

	__MRC_A_EV_MAX,
	MRC_A_EV_MAX = (__MRC_A_EV_MAX - 1)
};

enum {
	MRC_A_CC_PROFILE_DEV_INDEX = 1,
	MRC_A_CC_PROFILE_DEV_NAME,
	MRC_A_CC_PROFILE_PAD,
	MRC_A_CC_PROFILE_ID,		/* u64; 0 is built in */
	MRC_A_CC_PROFILE_ALGORITHM,	/* string */
	MRC_A_CC_PROFILE_WINDOW,	/* u32: bytes in flight per QP */

	__MRC_A_CC_PROFILE_MAX,
	MRC_A_CC_PROFILE_MAX = (__MRC_A_CC_PROFILE_MAX - 1)
};

enum {
	MRC_A_ROUTE_DEV_INDEX = 1,
	MRC_A_ROUTE_DEV_NAME,
	MRC_A_ROUTE_PAD,
	MRC_A_ROUTE_PREFIX,		/* IPv6 address */
	MRC_A_ROUTE_PREFIX_LEN,		/* u8 */
	MRC_A_ROUTE_GID,		/* IPv6 address: look-up */
	MRC_A_ROUTE_EV_PROFILE,		/* u64 */
	MRC_A_ROUTE_CC_PROFILE,		/* u64 */
	MRC_A_ROUTE_USID,		/* u16: of the host, where EVs with MRC_A_EV_VIA go on to */

	__MRC_A_ROUTE_MAX,
	MRC_A_ROUTE_MAX = (__MRC_A_ROUTE_MAX - 1)
};

enum {
	MRC_A_PEER_DEV_INDEX = 1,
	MRC_A_PEER_DEV_NAME,
	MRC_A_PEER_PAD,
	MRC_A_PEER_REMOTE_GID,		/* IPv6 address */
	MRC_A_PEER_LOCAL_GID,		/* IPv6 address */
	MRC_A_PEER_EV_PROFILE,		/* u64 */
	MRC_A_PEER_LOOPBACK,		/* u8: the remote GID is one of this host's */
	MRC_A_PEER_EVS,			/* u16 */
	MRC_A_PEER_EVS_GOOD,		/* u16 */
	MRC_A_PEER_EVS_SKIP,		/* u16 */
	MRC_A_PEER_EVS_ASSUMED_BAD,	/* u16 */
	MRC_A_PEER_EVS_DENIED,		/* u16 */
	MRC_A_PEER_MIN_ACTIVE,		/* u16 */
	MRC_A_PEER_LOCAL_PORTS,		/* u32: bit per port of ours that can send */
	MRC_A_PEER_REMOTE_PORTS,	/* u32: bit per port of the peer's that can receive */
	MRC_A_PEER_TX_PACKETS,		/* u64 */
	MRC_A_PEER_LOST,		/* u64 */
	MRC_A_PEER_MARKED,		/* u64 */
	MRC_A_PEER_ACKED,		/* u64 */
	MRC_A_PEER_PROBED,		/* u64 */
	MRC_A_PEER_OLD_REMOTE_PORTS,	/* u32: events */
	MRC_A_PEER_TIME,		/* u64: events */
	MRC_A_PEER_USID,		/* u16: where EVs with MRC_A_EV_VIA go on to */
	MRC_A_PEER_EVS_SPARE,		/* u16: of the good ones */
	MRC_A_PEER_EVS_HELD,		/* u16 */

	__MRC_A_PEER_MAX,
	MRC_A_PEER_MAX = (__MRC_A_PEER_MAX - 1)
};

enum {
	MRC_A_PEER_EV_DEV_INDEX = 1,
	MRC_A_PEER_EV_DEV_NAME,
	MRC_A_PEER_EV_PAD,
	MRC_A_PEER_EV_REMOTE_GID,
	MRC_A_PEER_EV_LOCAL_GID,
	MRC_A_PEER_EV_EV_PROFILE,
	MRC_A_PEER_EV_INDEX,		/* u16: in the profile */
	MRC_A_PEER_EV_PORT,		/* u8 */
	MRC_A_PEER_EV_STATE,		/* u8: enum mrc_nl_ev_state */
	MRC_A_PEER_EV_OLD_STATE,	/* u8: events */
	MRC_A_PEER_EV_VALUE,		/* u32: EV bits on the wire; CAP_NET_ADMIN */
	MRC_A_PEER_EV_TX_PACKETS,	/* u64 */
	MRC_A_PEER_EV_LOST,		/* u64 */
	MRC_A_PEER_EV_MARKED,		/* u64 */
	MRC_A_PEER_EV_REASON,		/* string: events */
	MRC_A_PEER_EV_TIME,		/* u64: events */
	MRC_A_PEER_EV_ACKED,		/* u64 */
	MRC_A_PEER_EV_PROBED,		/* u32 */
	MRC_A_PEER_EV_CHANGED,		/* u64: ns of CLOCK_MONOTONIC, 0: never */
	MRC_A_PEER_EV_SPARE,		/* u8: good, but not in rotation */

	__MRC_A_PEER_EV_MAX,
	MRC_A_PEER_EV_MAX = (__MRC_A_PEER_EV_MAX - 1)
};

enum {
	MRC_A_PROBE_DEV_INDEX = 1,
	MRC_A_PROBE_DEV_NAME,
	MRC_A_PROBE_PAD,
	MRC_A_PROBE_REMOTE_GID,		/* IPv6 address */
	MRC_A_PROBE_LOCAL_GID,		/* IPv6 address */
	MRC_A_PROBE_EV_PROFILE,		/* u64 */
	MRC_A_PROBE_EV,			/* u16: index in the profile, may come several times */
	MRC_A_PROBE_TIMEOUT,		/* u32: ms, 1..10000 */
	MRC_A_PROBE_RESULT,		/* nest, one per EV; answers only */

	__MRC_A_PROBE_MAX,
	MRC_A_PROBE_MAX = (__MRC_A_PROBE_MAX - 1)
};

enum {
	MRC_A_PROBE_RESULT_INDEX = 1,	/* u16: in the profile */
	MRC_A_PROBE_RESULT_PORT,	/* u8: sent from */
	MRC_A_PROBE_RESULT_PAD,
	MRC_A_PROBE_RESULT_RTT,		/* u64: ns; absent: no answer */
	MRC_A_PROBE_RESULT_RX_PORT,	/* u8: answered by this port; absent: by none of ours */

	__MRC_A_PROBE_RESULT_MAX,
	MRC_A_PROBE_RESULT_MAX = (__MRC_A_PROBE_RESULT_MAX - 1)
};

enum {
	MRC_A_QP_DEV_INDEX = 1,
	MRC_A_QP_DEV_NAME,
	MRC_A_QP_PAD,
	MRC_A_QP_QPN,			/* u32 */
	MRC_A_QP_STATE,			/* u8: enum mrc_nl_qp_state */
	MRC_A_QP_DEST_QPN,		/* u32 */
	MRC_A_QP_LOCAL_GID,
	MRC_A_QP_REMOTE_GID,
	MRC_A_QP_EV_PROFILE,		/* u64 */
	MRC_A_QP_CC_PROFILE,		/* u64 */
	MRC_A_QP_MTU,			/* u32: payload bytes per packet */
	MRC_A_QP_PSN_UNA,		/* u32: oldest PSN not acknowledged; CAP_NET_ADMIN */
	MRC_A_QP_PSN_NXT,		/* u32: next new PSN; CAP_NET_ADMIN */
	MRC_A_QP_PSN_CACK,		/* u32: cumulative PSN received; CAP_NET_ADMIN */
	MRC_A_QP_INFLIGHT,		/* u32: packets */
	MRC_A_QP_LOST,			/* u32: packets that wait for retransmission */
	MRC_A_QP_MPR_TX,		/* u8: units of 128 PSNs */
	MRC_A_QP_MPR_RX,		/* u8 */
	MRC_A_QP_WIMM_TX,		/* u16 */
	MRC_A_QP_WIMM_RX,		/* u16 */
	MRC_A_QP_SRTT,			/* u64: ns */
	MRC_A_QP_MIN_RTT,		/* u64: ns */
	MRC_A_QP_TX_PACKETS,		/* u64 */
	MRC_A_QP_RX_PACKETS,		/* u64 */
	MRC_A_QP_RTX_PACKETS,		/* u64 */
	MRC_A_QP_TIMEOUT,		/* u8: 1.024 us * 2^timeout */
	MRC_A_QP_LINEAR_RETRIES,	/* u8 */
	MRC_A_QP_EXP_RETRIES,		/* u8 */
	MRC_A_QP_MEMORY,		/* u64: bytes */
	MRC_A_QP_PID,			/* u32: creator as the reader knows it */
	MRC_A_QP_REASON,		/* string: events */
	MRC_A_QP_TIME,			/* u64: events */
	MRC_A_QP_OLD_STATE,		/* u8: events */

	__MRC_A_QP_MAX,
	MRC_A_QP_MAX = (__MRC_A_QP_MAX - 1)
};

enum {
	MRC_CMD_INFO_GET = 1,
	MRC_CMD_DEVICE_GET,
	MRC_CMD_DEVICE_SET,
	MRC_CMD_PLANE_GET,
	MRC_CMD_PLANE_ADD,
	MRC_CMD_PLANE_SET,
	MRC_CMD_PLANE_DEL,
	MRC_CMD_EV_PROFILE_GET,
	MRC_CMD_EV_PROFILE_ADD,
	MRC_CMD_EV_PROFILE_SET,
	MRC_CMD_EV_PROFILE_DEL,
	MRC_CMD_EV_GET,
	MRC_CMD_EV_SET,
	MRC_CMD_CC_PROFILE_GET,
	MRC_CMD_CC_PROFILE_ADD,
	MRC_CMD_CC_PROFILE_SET,
	MRC_CMD_CC_PROFILE_DEL,
	MRC_CMD_ROUTE_GET,
	MRC_CMD_ROUTE_ADD,
	MRC_CMD_ROUTE_REPLACE,
	MRC_CMD_ROUTE_DEL,
	MRC_CMD_PEER_GET,
	MRC_CMD_PEER_EV_GET,
	MRC_CMD_QP_GET,
	MRC_CMD_DEVICE_ADD_NTF,
	MRC_CMD_DEVICE_DEL_NTF,
	MRC_CMD_PLANE_NTF,
	MRC_CMD_PEER_EV_NTF,
	MRC_CMD_QP_NTF,
	MRC_CMD_PEER_PORTS_NTF,
	MRC_CMD_PROBE,

	__MRC_CMD_MAX,
	MRC_CMD_MAX = (__MRC_CMD_MAX - 1)
};

#endif /* _UAPI_LINUX_MRC_H */
