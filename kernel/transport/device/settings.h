/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Made by scripts/spec of Documentation/netlink/specs/mrc.yaml.
 * Settings of a device.
 */
#ifndef _MRC_TRANSPORT_SETTINGS_H
#define _MRC_TRANSPORT_SETTINGS_H

#include <linux/in6.h>

/**
 * struct mrc_dev_cfg - settings of a device
 * @burst: packets per skb; 1 to 16
 * @icrc: ICRC; 0: sent as zero and not checked
 * @udp_port: destination and listening port; fixed while QPs exist; at least 1
 * @hop_limit: of inner and outer headers; at least 1
 * @dscp_data: of write packets and Reliability Probes; 0 to 63
 * @dscp_rtx: of retransmissions; 0 to 63
 * @dscp_control: of SACK, NACK, ACK and endpoint packets; 0 to 63
 * @mpr: window of new QPs in units of 128 PSNs; at least 1
 * @sack_bytes: a SACK is due after this many received bytes; 1 to 1048576
 * @tunnel_source: source address of outer headers; unspecified: the GID of each QP
 * @ingress_filter: drop packets that come in by netdevs other than planes and loopback; 0: accept them
 * @user_pds: protection domains that one user may have, at most; 1 to 1048576
 * @user_cqs: completion queues that one user may have, at most; 1 to 1048576
 * @user_qps: QPs that one user may have, at most, and as many SRQs; 1 to 1048576
 * @user_mrs: memory regions that one user may have, at most, and as many address handles; 1 to 1048576
 * @user_peers: peers that QPs of one user have made, at most; 1 to 1048576
 * @trim: switches trim packets that they have no room for: trimmed packets are reported to the peer; 0: trimmed packets are dropped
 * @dscp_trimmed: of packets that a switch has trimmed; 0 to 63
 * @dscp_trimmed_lasthop: of packets that the last switch has trimmed; 0 to 63
 * @extensions: operations that MRC 1.0 does not have: SEND, READ, atomics; 0: they are refused, here and for peers
 */
struct mrc_dev_cfg {
	u8 burst;
	bool icrc;
	u16 udp_port;
	u8 hop_limit;
	u8 dscp_data;
	u8 dscp_rtx;
	u8 dscp_control;
	u8 mpr;
	u32 sack_bytes;
	struct in6_addr tunnel_source;
	bool ingress_filter;
	u32 user_pds;
	u32 user_cqs;
	u32 user_qps;
	u32 user_mrs;
	u32 user_peers;
	bool trim;
	u8 dscp_trimmed;
	u8 dscp_trimmed_lasthop;
	bool extensions;
};

#define MRC_DEV_CFG_DEFAULT {						\
	.burst = 16,							\
	.icrc = true,							\
	.udp_port = 4791,						\
	.hop_limit = 64,						\
	.dscp_data = 4,							\
	.dscp_rtx = 8,							\
	.dscp_control = 46,						\
	.mpr = 8,							\
	.sack_bytes = 262144,						\
	.ingress_filter = true,						\
	.user_pds = 16384,						\
	.user_cqs = 65536,						\
	.user_qps = 65536,						\
	.user_mrs = 262144,						\
	.user_peers = 16384,						\
	.trim = false,							\
	.dscp_trimmed = 12,						\
	.dscp_trimmed_lasthop = 16,					\
	.extensions = true,						\
}

#endif /* _MRC_TRANSPORT_SETTINGS_H */
