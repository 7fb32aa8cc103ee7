/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Generic netlink family "mrc". Made by scripts/spec of Documentation/netlink/specs/mrc.yaml: edit
 * that.
 *
 * In each attribute set of a noun, 1 and 2 name the device (either will do in requests, answers
 * carry both) and 3 is padding.
 */
#ifndef _UAPI_LINUX_MRC_H
#define _UAPI_LINUX_MRC_H

#define MRC_FAMILY_NAME		"mrc"
#define MRC_FAMILY_VERSION	1

#define MRC_MCGRP_EVENTS	"events"
#define MRC_MCGRP_CONFIG	"config"
#define MRC_MCGRP_PROBES	"probes"

enum mrc_nl_plane_state {
	MRC_NL_PLANE_STATE_DOWN,
	MRC_NL_PLANE_STATE_UP,
};

enum mrc_nl_ev_format {
	MRC_NL_EV_FORMAT_STEV,		/* 4 bytes: UDP source port and flow label */
	MRC_NL_EV_FORMAT_SRV6,		/* outer destination, segment list, or a kernel table */
	MRC_NL_EV_FORMAT_UDP,		/* 2 bytes: UDP source port */
};

enum mrc_nl_ev_mode {
	MRC_NL_EV_MODE_AUTO,		/* drawn by the device, spread over its planes */
	MRC_NL_EV_MODE_EXPLICIT,	/* a list */
};

/* Values of the OCP API, and skip and held, which it does not show */
enum mrc_nl_ev_state {
	MRC_NL_EV_STATE_GOOD = 1,
	MRC_NL_EV_STATE_ASSUMED_BAD = 2,
	MRC_NL_EV_STATE_DENIED = 4,
	MRC_NL_EV_STATE_SKIP = 8,
	MRC_NL_EV_STATE_HELD = 16,	/* lost, and in use because nothing better is known */
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

/* Who looks after an object. Other controllers use numbers from 16 on. */
enum mrc_nl_owner {
	MRC_NL_OWNER_NONE,		/* made by a request that named no owner */
	MRC_NL_OWNER_KERNEL,		/* made together with the device */
	MRC_NL_OWNER_ADMIN,		/* somebody by hand, as mrcctl does */
	MRC_NL_OWNER_MRCD,
	MRC_NL_OWNER_MRC_CTL,		/* a program that uses the MRC controller API */
};

enum mrc_nl_cc_ecn {
	MRC_NL_CC_ECN_PRESENT,		/* switches mark packets that wait long */
	/* the switches that matter do not mark: delay counts as a mark */
	MRC_NL_CC_ECN_ABSENT,
};

enum mrc_nl_cc_scope {
	MRC_NL_CC_SCOPE_PEER,		/* all QPs to a remote GID together */
	MRC_NL_CC_SCOPE_QP,		/* each by itself */
};

/* What not every module of this family can do: ask before you rely on it. */
enum mrc_nl_capability {
	/* planes, profiles and routes have an owner, and requests may name one */
	MRC_NL_CAPABILITY_OWNER = 1,
	/* group config reports each change of the configuration */
	MRC_NL_CAPABILITY_CONFIG_EVENTS = 2,
	/*
	 * when a profile is replaced, or planes come and go, what is known of EVs that stay is kept
	 */
	MRC_NL_CAPABILITY_KEEP_EVS = 4,
	/*
	 * single EVs of a profile can be added, replaced and deleted, and a request may name the
	 * version of the profile
	 */
	MRC_NL_CAPABILITY_EDIT_EVS = 8,
	MRC_NL_CAPABILITY_ALIAS = 16,	/* EV and CC profiles have an alias */
	MRC_NL_CAPABILITY_PORT_EVS = 32,	/* peers show their EVs by port */
	/* probe-start starts probes, and group probes reports what became of them */
	MRC_NL_CAPABILITY_PROBE_START = 64,
	/* probes may take a path that is not an EV of a profile */
	MRC_NL_CAPABILITY_RAW_PROBE = 128,
	MRC_NL_CAPABILITY_NSCC = 256,	/* CC profiles may have algorithm nscc, and its settings */
	MRC_NL_CAPABILITY_RAW_STATUS = 512,	/* raw probes may be Port Status Updates */
};

enum {
	MRC_A_INFO_VERSION = 1,		/* string: version of the module */
	MRC_A_INFO_ICRC,		/* string: CRC implementation in use */
	MRC_A_INFO_SEG6,		/* u8: 1: the kernel can encapsulate in SRv6 */
	MRC_A_INFO_PORT_MAX,		/* u8: highest port number of a plane */
	MRC_A_INFO_EV_MAX,		/* u16: EVs in one profile, at most */
	MRC_A_INFO_BURST_MAX,		/* u8: packets in one skb, at most */
	MRC_A_INFO_CAPABILITIES,	/* u32, enum mrc_nl_capability: none when absent */

	__MRC_A_INFO_MAX,
	MRC_A_INFO_MAX = (__MRC_A_INFO_MAX - 1)
};

enum {
	MRC_A_DEVICE_DEV_INDEX = 1,	/* u32: unique in this kernel, never used again */
	MRC_A_DEVICE_DEV_NAME,		/* string */
	MRC_A_DEVICE_PAD,
	MRC_A_DEVICE_IFINDEX,		/* u32: netdev whose addresses are the GIDs */
	MRC_A_DEVICE_IFNAME,		/* string */
	MRC_A_DEVICE_BURST,		/* u8, 1 to 16: packets per skb */
	MRC_A_DEVICE_ICRC,		/* u8, 0 to 1: ICRC; 0: sent as zero and not checked */
	/* u16, at least 1: destination and listening port; fixed while QPs exist */
	MRC_A_DEVICE_UDP_PORT,
	MRC_A_DEVICE_HOP_LIMIT,		/* u8, at least 1: of inner and outer headers */
	MRC_A_DEVICE_DSCP_DATA,		/* u8, 0 to 63: of write packets and Reliability Probes */
	MRC_A_DEVICE_DSCP_RTX,		/* u8, 0 to 63: of retransmissions */
	MRC_A_DEVICE_DSCP_CONTROL,	/* u8, 0 to 63: of SACK, NACK, ACK and endpoint packets */
	MRC_A_DEVICE_MPR,		/* u8, at least 1: window of new QPs in units of 128 PSNs */
	/* u32, 1 to 1048576: a SACK is due after this many received bytes */
	MRC_A_DEVICE_SACK_BYTES,
	/* IPv6 address: source address of outer headers; unspecified: the GID of each QP */
	MRC_A_DEVICE_TUNNEL_SOURCE,
	MRC_A_DEVICE_PORTS_UP,		/* u32: bit per usable port, bit 0 is port 1 */
	MRC_A_DEVICE_QPS,		/* u32: number of QPs */
	/* nest of MRC_A_COUNTER_*, repeated: see Documentation/counters.md */
	MRC_A_DEVICE_COUNTER,
	MRC_A_DEVICE_TIME,		/* u64: ns of CLOCK_MONOTONIC */
	MRC_A_DEVICE_BY_NAME,		/* string: name that the requesting program gives itself */
	/* u32: pid of that program; only where the device's user namespace is the initial one */
	MRC_A_DEVICE_BY_PID,
	/*
	 * u8, 0 to 1: drop packets that come in by netdevs other than planes and loopback; 0:
	 * accept them
	 */
	MRC_A_DEVICE_INGRESS_FILTER,
	/* u32, 1 to 1048576: protection domains that one user may have, at most */
	MRC_A_DEVICE_USER_PDS,
	/* u32, 1 to 1048576: completion queues that one user may have, at most */
	MRC_A_DEVICE_USER_CQS,
	/* u32, 1 to 1048576: QPs that one user may have, at most, and as many SRQs */
	MRC_A_DEVICE_USER_QPS,
	/*
	 * u32, 1 to 1048576: memory regions that one user may have, at most, and as many address
	 * handles
	 */
	MRC_A_DEVICE_USER_MRS,
	/* u32, 1 to 1048576: peers that QPs of one user have made, at most */
	MRC_A_DEVICE_USER_PEERS,
	/*
	 * u8, 0 to 1: switches trim packets that they have no room for: trimmed packets are
	 * reported to the peer; 0: trimmed packets are dropped
	 */
	MRC_A_DEVICE_TRIM,
	MRC_A_DEVICE_DSCP_TRIMMED,	/* u8, 0 to 63: of packets that a switch has trimmed */
	/* u8, 0 to 63: of packets that the last switch has trimmed */
	MRC_A_DEVICE_DSCP_TRIMMED_LASTHOP,
	/*
	 * u8, 0 to 1: operations that MRC 1.0 does not have: SEND, READ, atomics; 0: they are
	 * refused, here and for peers
	 */
	MRC_A_DEVICE_EXTENSIONS,

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
	MRC_A_PLANE_DEV_INDEX = 1,	/* u32 */
	MRC_A_PLANE_DEV_NAME,		/* string */
	MRC_A_PLANE_PAD,
	MRC_A_PLANE_PORT,		/* u8, 1 to 32 */
	MRC_A_PLANE_IFINDEX,		/* u32, at least 1 */
	MRC_A_PLANE_IFNAME,		/* string */
	MRC_A_PLANE_ADMIN_STATE,	/* u8, enum mrc_nl_plane_state: set by the operator */
	/* u8, enum mrc_nl_plane_state: the netdev is up, has carrier and an MTU of 1280 or more */
	MRC_A_PLANE_OPER_STATE,
	MRC_A_PLANE_STATS,		/* nest of MRC_A_PLANE_STATS_* */
	MRC_A_PLANE_GONE,		/* flag: the plane was removed */
	MRC_A_PLANE_TIME,		/* u64: ns of CLOCK_MONOTONIC */
	MRC_A_PLANE_OWNER,		/* u8: enum owner, or the number of another controller */
	/*
	 * flag: refuse the request if the object belongs to somebody other than owner, the kernel
	 * or nobody
	 */
	MRC_A_PLANE_CLAIM,
	MRC_A_PLANE_BY_NAME,		/* string: name that the requesting program gives itself */
	/* u32: pid of that program; only where the device's user namespace is the initial one */
	MRC_A_PLANE_BY_PID,

	__MRC_A_PLANE_MAX,
	MRC_A_PLANE_MAX = (__MRC_A_PLANE_MAX - 1)
};

enum {
	MRC_A_PLANE_STATS_TX_PACKETS = 1,	/* u64: MRC packets */
	MRC_A_PLANE_STATS_TX_BYTES,	/* u64: from BTH to ICRC */
	MRC_A_PLANE_STATS_PAD,
	MRC_A_PLANE_STATS_TX_ERRORS,	/* u64: packets that the stack refused */
	MRC_A_PLANE_STATS_RX_PACKETS,	/* u64 */
	MRC_A_PLANE_STATS_RX_BYTES,	/* u64 */
	MRC_A_PLANE_STATS_RX_CE,	/* u64: CE-marked packets */

	__MRC_A_PLANE_STATS_MAX,
	MRC_A_PLANE_STATS_MAX = (__MRC_A_PLANE_STATS_MAX - 1)
};

enum {
	MRC_A_EV_PROFILE_DEV_INDEX = 1,	/* u32 */
	MRC_A_EV_PROFILE_DEV_NAME,	/* string */
	MRC_A_EV_PROFILE_PAD,
	/* u64: 0 is the automatic one that every device has: 128 EVs over all its planes */
	MRC_A_EV_PROFILE_ID,
	MRC_A_EV_PROFILE_FORMAT,	/* u8, enum mrc_nl_ev_format */
	/* u8, enum mrc_nl_ev_mode: explicit when left out; format srv6 excludes auto */
	MRC_A_EV_PROFILE_MODE,
	/*
	 * u16, 0 to 256: number of EVs, spares included, that stay usable whatever is lost; a
	 * quarter of the EVs when left out
	 */
	MRC_A_EV_PROFILE_MIN_ACTIVE,
	/* u16, 1 to 256: number of EVs; in requests for mode auto only */
	MRC_A_EV_PROFILE_COUNT,
	MRC_A_EV_PROFILE_VERSION,	/* u32: grows with each replacement */
	MRC_A_EV_PROFILE_DENIED,	/* u16: number of denied EVs */
	MRC_A_EV_PROFILE_EV,		/* nest of MRC_A_EV_*, repeated: EVs of mode explicit */
	/*
	 * u16, 0 to 256: EVs of a peer that are in rotation at a time, divided equally among its
	 * planes and rounded up, at least one per plane; the other EVs are spares; 0 or left out:
	 * all; at most the number of EVs
	 */
	MRC_A_EV_PROFILE_ACTIVE,
	MRC_A_EV_PROFILE_OWNER,		/* u8: enum owner, or the number of another controller */
	/*
	 * flag: refuse the request if the object belongs to somebody other than owner, the kernel
	 * or nobody
	 */
	MRC_A_EV_PROFILE_CLAIM,
	MRC_A_EV_PROFILE_GONE,		/* flag: it was deleted */
	MRC_A_EV_PROFILE_TIME,		/* u64: ns of CLOCK_MONOTONIC */
	MRC_A_EV_PROFILE_BY_NAME,	/* string: name that the requesting program gives itself */
	/* u32: pid of that program; only where the device's user namespace is the initial one */
	MRC_A_EV_PROFILE_BY_PID,
	/* string: name for people; no control characters; none when left out */
	MRC_A_EV_PROFILE_ALIAS,

	__MRC_A_EV_PROFILE_MAX,
	MRC_A_EV_PROFILE_MAX = (__MRC_A_EV_PROFILE_MAX - 1)
};

/*
 * One EV of a profile. Besides port, an EV of format srv6 has one of sid, via, encap and table,
 * one of another format has value.
 */
enum {
	MRC_A_EV_DEV_INDEX = 1,		/* u32 */
	MRC_A_EV_DEV_NAME,		/* string */
	MRC_A_EV_PAD,
	MRC_A_EV_EV_PROFILE,		/* u64 */
	/* u16, 0 to 255: in the profile, whose EVs are sorted by port */
	MRC_A_EV_INDEX,
	MRC_A_EV_PORT,			/* u8, 1 to 32: the plane need not exist yet */
	/* u32: stev: source port << 16 | flow label; udp: source port; shown to CAP_NET_ADMIN */
	MRC_A_EV_VALUE,
	/* IPv6 address: outer destination; a uSID carrier is a whole path */
	MRC_A_EV_SID,
	/*
	 * nest of SEG6_IPTUNNEL_*: segment list of an IPv6 route with encapsulation seg6, mode
	 * encap or encap.red
	 */
	MRC_A_EV_ENCAP,
	/* u32, at least 1: routing table whose seg6 route to the peer gives the segment list */
	MRC_A_EV_TABLE,
	MRC_A_EV_DENIED,		/* u8, 0 to 1: 1: out of use for all peers */
	/*
	 * IPv6 address: a uSID carrier that leads to the last switch and has room for one more
	 * uSID, the usid of the route to the peer; so one profile serves all hosts behind a switch
	 */
	MRC_A_EV_VIA,
	/*
	 * u8: refuse the request if the profile belongs to somebody other than this owner, the
	 * kernel or nobody
	 */
	MRC_A_EV_OWNER,
	MRC_A_EV_TIME,			/* u64: ns of CLOCK_MONOTONIC */
	MRC_A_EV_BY_NAME,		/* string: name that the requesting program gives itself */
	/* u32: pid of that program; only where the device's user namespace is the initial one */
	MRC_A_EV_BY_PID,
	/*
	 * u32: of the profile; a request that names another version is refused, because indices may
	 * have changed
	 */
	MRC_A_EV_VERSION,

	__MRC_A_EV_MAX,
	MRC_A_EV_MAX = (__MRC_A_EV_MAX - 1)
};

/* From rate to scope: settings of algorithm nscc */
enum {
	MRC_A_CC_PROFILE_DEV_INDEX = 1,	/* u32 */
	MRC_A_CC_PROFILE_DEV_NAME,	/* string */
	MRC_A_CC_PROFILE_PAD,
	MRC_A_CC_PROFILE_ID,		/* u64: 0 is built in: nscc with no setting changed */
	/* string: none: a fixed window; nscc: the network's signals steer it */
	MRC_A_CC_PROFILE_ALGORITHM,
	/* u32: of algorithm none: most bytes in flight per QP; 8 KiB to 256 MiB */
	MRC_A_CC_PROFILE_WINDOW,
	MRC_A_CC_PROFILE_OWNER,		/* u8: enum owner, or the number of another controller */
	/*
	 * flag: refuse the request if the object belongs to somebody other than owner, the kernel
	 * or nobody
	 */
	MRC_A_CC_PROFILE_CLAIM,
	MRC_A_CC_PROFILE_GONE,		/* flag: it was deleted */
	MRC_A_CC_PROFILE_TIME,		/* u64: ns of CLOCK_MONOTONIC */
	MRC_A_CC_PROFILE_BY_NAME,	/* string: name that the requesting program gives itself */
	/* u32: pid of that program; only where the device's user namespace is the initial one */
	MRC_A_CC_PROFILE_BY_PID,
	/* string: name for people; no control characters; none when left out */
	MRC_A_CC_PROFILE_ALIAS,
	/*
	 * u64, 1000000 to 274877906944: bytes a second to a destination, over all planes; left out:
	 * the sum of the rates of all planes' links
	 */
	MRC_A_CC_PROFILE_RATE,
	/*
	 * u32, 1000 to 1000000000: ns of a round trip in an empty network; left out: it is measured
	 */
	MRC_A_CC_PROFILE_BASE_RTT,
	/*
	 * u32, 1000 to 1000000000: ns of delay beyond the base RTT to aim at; left out: three
	 * quarters of the base RTT, or all of it with ecn absent and without trimming; with ecn
	 * present at least 8 ms while delay counts as a mark
	 */
	MRC_A_CC_PROFILE_TARGET_DELAY,
	/*
	 * u32, 8192 to 268435456: most bytes in flight; left out: 1.5 times base RTT times rate,
	 * and without base-rtt at least 1048576
	 */
	MRC_A_CC_PROFILE_MAX_CWND,
	/* u32, 1 to 268435456: increases take effect after this many bytes; left out: 8 packets */
	MRC_A_CC_PROFILE_ADJUST_BYTES,
	/*
	 * u32, 1000 to 1000000000: increases take effect after this many ns, too; left out: a base
	 * RTT
	 */
	MRC_A_CC_PROFILE_ADJUST_PERIOD,
	/*
	 * u32, 1 to 1048576: bytes that each adjust-period adds, whatever else happens; left out:
	 * in proportion to base RTT times rate
	 */
	MRC_A_CC_PROFILE_ETA,
	/*
	 * u32, 1 to 67108864: bytes that a round trip of fair increase adds; left out: as for eta
	 */
	MRC_A_CC_PROFILE_FI,
	/*
	 * u32, 1 to 64000000: millionths of the window that a round trip of fast increase adds;
	 * left out: as for eta
	 */
	MRC_A_CC_PROFILE_FI_SCALE,
	/* u32, 0 to 1000000: millionths of the excess of delay that a decrease takes */
	MRC_A_CC_PROFILE_GAMMA,
	/*
	 * u32, 0 to 1000000: a decrease leaves at least this many millionths of the window, and
	 * losses that show a full queue leave so many
	 */
	MRC_A_CC_PROFILE_MAX_MD_JUMP,
	/* u8, 0 to 15: quick adapt acts below the largest window shifted right by this */
	MRC_A_CC_PROFILE_QA_GATE,
	/*
	 * u32, 1000 to 4000000000: quick adapt acts at this delay, too, in ns; left out: with
	 * trimming never, otherwise 4 times the longer of base RTT and target-delay, and at least 8
	 * ms
	 */
	MRC_A_CC_PROFILE_QA_THRESHOLD,
	/* u8, 0 to 1: when little has arrived, the window is set to what has arrived */
	MRC_A_CC_PROFILE_QUICK_ADAPT,
	/* u8, 0 to 1: switches on the path trim packets that they have no room for */
	MRC_A_CC_PROFILE_TRIMMING,
	/* u8, enum mrc_nl_cc_ecn: whether switches on the path mark */
	MRC_A_CC_PROFILE_ECN,
	MRC_A_CC_PROFILE_SCOPE,		/* u8, enum mrc_nl_cc_scope: what has a window of its own */
	/*
	 * nest of MRC_A_CC_DERIVED_*: only with algorithm nscc and a base-rtt; without base-rtt
	 * each peer has its own
	 */
	MRC_A_CC_PROFILE_DERIVED,

	__MRC_A_CC_PROFILE_MAX,
	MRC_A_CC_PROFILE_MAX = (__MRC_A_CC_PROFILE_MAX - 1)
};

/* What follows from the settings of a CC profile, with all planes up. */
enum {
	/* u32: bytes of the largest packet that all planes take, from the inner IPv6 header on */
	MRC_A_CC_DERIVED_MTU = 1,
	MRC_A_CC_DERIVED_BDP,		/* u32: bytes: base RTT times rate */
	MRC_A_CC_DERIVED_PAD,
	MRC_A_CC_DERIVED_RATE,		/* u64: bytes a second */
	MRC_A_CC_DERIVED_MAX_CWND,	/* u32: bytes */
	MRC_A_CC_DERIVED_TARGET_DELAY,	/* u32: ns */
	MRC_A_CC_DERIVED_FAST_DELAY,	/* u32: ns: a shorter delay counts as none */
	MRC_A_CC_DERIVED_ADJUST_BYTES,	/* u32: bytes */
	MRC_A_CC_DERIVED_ADJUST_PERIOD,	/* u32: ns */
	/*
	 * u32: millionths of a byte that proportional increase adds for each ns below target-delay
	 */
	MRC_A_CC_DERIVED_ALPHA,
	MRC_A_CC_DERIVED_ETA,		/* u32: bytes */
	MRC_A_CC_DERIVED_FI,		/* u32: bytes */
	MRC_A_CC_DERIVED_FI_SCALE,	/* u32: millionths */
	MRC_A_CC_DERIVED_QA_THRESHOLD,	/* u32: ns; left out: never */
	MRC_A_CC_DERIVED_QA_PERIOD,	/* u32: ns: period of quick adapt */

	__MRC_A_CC_DERIVED_MAX,
	MRC_A_CC_DERIVED_MAX = (__MRC_A_CC_DERIVED_MAX - 1)
};

enum {
	MRC_A_ROUTE_DEV_INDEX = 1,	/* u32 */
	MRC_A_ROUTE_DEV_NAME,		/* string */
	MRC_A_ROUTE_PAD,
	MRC_A_ROUTE_PREFIX,		/* IPv6 address: of remote GIDs; host bits zero */
	MRC_A_ROUTE_PREFIX_LEN,		/* u8, 0 to 128 */
	MRC_A_ROUTE_GID,		/* IPv6 address: to look up */
	MRC_A_ROUTE_EV_PROFILE,		/* u64: for QPs that name no profile themselves */
	MRC_A_ROUTE_CC_PROFILE,		/* u64: for QPs that name no profile themselves */
	/* u16, at least 1: of the host that the prefix names; EVs with via continue to it */
	MRC_A_ROUTE_USID,
	MRC_A_ROUTE_OWNER,		/* u8: enum owner, or the number of another controller */
	/*
	 * flag: refuse the request if the object belongs to somebody other than owner, the kernel
	 * or nobody
	 */
	MRC_A_ROUTE_CLAIM,
	MRC_A_ROUTE_GONE,		/* flag: it was deleted */
	MRC_A_ROUTE_TIME,		/* u64: ns of CLOCK_MONOTONIC */
	MRC_A_ROUTE_BY_NAME,		/* string: name that the requesting program gives itself */
	/* u32: pid of that program; only where the device's user namespace is the initial one */
	MRC_A_ROUTE_BY_PID,

	__MRC_A_ROUTE_MAX,
	MRC_A_ROUTE_MAX = (__MRC_A_ROUTE_MAX - 1)
};

enum {
	MRC_A_PEER_DEV_INDEX = 1,	/* u32 */
	MRC_A_PEER_DEV_NAME,		/* string */
	MRC_A_PEER_PAD,
	MRC_A_PEER_REMOTE_GID,		/* IPv6 address */
	MRC_A_PEER_LOCAL_GID,		/* IPv6 address */
	MRC_A_PEER_EV_PROFILE,		/* u64 */
	MRC_A_PEER_LOOPBACK,		/* u8: the remote GID is one of this host's */
	MRC_A_PEER_EVS,			/* u16: EVs on planes that exist */
	MRC_A_PEER_EVS_GOOD,		/* u16: of them, spares included */
	MRC_A_PEER_EVS_SKIP,		/* u16 */
	MRC_A_PEER_EVS_ASSUMED_BAD,	/* u16 */
	MRC_A_PEER_EVS_DENIED,		/* u16 */
	MRC_A_PEER_MIN_ACTIVE,		/* u16 */
	MRC_A_PEER_LOCAL_PORTS,		/* u32: bit per port of ours that can send */
	/*
	 * u32: bit per port of the peer that can receive, as the peer said last; all ports before
	 * it has said anything
	 */
	MRC_A_PEER_REMOTE_PORTS,
	MRC_A_PEER_TX_PACKETS,		/* u64 */
	MRC_A_PEER_LOST,		/* u64: packets held to be lost and sent again */
	MRC_A_PEER_MARKED,		/* u64: echoes of CE marks */
	MRC_A_PEER_ACKED,		/* u64: packets known to have arrived */
	MRC_A_PEER_PROBED,		/* u64: EV probes sent */
	MRC_A_PEER_OLD_REMOTE_PORTS,	/* u32: remote-ports before this event */
	MRC_A_PEER_TIME,		/* u64: ns of CLOCK_MONOTONIC */
	/* u16: uSID to which EVs with via continue; left out if there is none */
	MRC_A_PEER_USID,
	MRC_A_PEER_EVS_SPARE,		/* u16: good ones that are not in rotation */
	MRC_A_PEER_EVS_HELD,		/* u16: lost ones that the floor keeps in use */
	/* nest of MRC_A_PORT_EVS_*, repeated: one per port that EVs have */
	MRC_A_PEER_PORT_EVS,
	/*
	 * nest of MRC_A_PEER_CONGESTION_*: sums over its congestion contexts of algorithm nscc;
	 * left out if it has had none
	 */
	MRC_A_PEER_CONGESTION,
	/* nest of MRC_A_PORT_HISTORY_*, repeated: one per port that has EVs but no good one */
	MRC_A_PEER_PORT_HISTORY,

	__MRC_A_PEER_MAX,
	MRC_A_PEER_MAX = (__MRC_A_PEER_MAX - 1)
};

/* How many EVs leave by a port, and what they are. */
enum {
	MRC_A_PORT_EVS_PORT = 1,	/* u8 */
	MRC_A_PORT_EVS_EVS,		/* u16 */
	MRC_A_PORT_EVS_GOOD,		/* u16: spares included */
	MRC_A_PORT_EVS_SPARE,		/* u16: good ones that are not in rotation */
	MRC_A_PORT_EVS_SKIP,		/* u16 */
	MRC_A_PORT_EVS_HELD,		/* u16: lost ones that the floor keeps in use */
	MRC_A_PORT_EVS_ASSUMED_BAD,	/* u16 */
	MRC_A_PORT_EVS_DENIED,		/* u16 */

	__MRC_A_PORT_EVS_MAX,
	MRC_A_PORT_EVS_MAX = (__MRC_A_PORT_EVS_MAX - 1)
};

/*
 * What became of the EVs that leave by a port, those that are denied left out of changed and
 * reason.
 */
enum {
	MRC_A_PORT_HISTORY_PORT = 1,	/* u8 */
	/* string: of the last change, see Events; left out if there was none */
	MRC_A_PORT_HISTORY_REASON,
	MRC_A_PORT_HISTORY_PAD,
	/* u64: last change of one of them, ns of CLOCK_MONOTONIC; 0: none yet */
	MRC_A_PORT_HISTORY_CHANGED,
	/*
	 * u64: of the packets (data or EV probes) known to have arrived by one of them, when the
	 * newest was sent, ns of CLOCK_MONOTONIC; 0: none
	 */
	MRC_A_PORT_HISTORY_HEARD,
	MRC_A_PORT_HISTORY_TX_PACKETS,	/* u64 */
	MRC_A_PORT_HISTORY_LOST,	/* u64: packets held to be lost and sent again */
	MRC_A_PORT_HISTORY_ACKED,	/* u64: packets known to have arrived */
	MRC_A_PORT_HISTORY_PROBED,	/* u64: EV probes sent */

	__MRC_A_PORT_HISTORY_MAX,
	MRC_A_PORT_HISTORY_MAX = (__MRC_A_PORT_HISTORY_MAX - 1)
};

enum {
	MRC_A_PEER_EV_DEV_INDEX = 1,	/* u32 */
	MRC_A_PEER_EV_DEV_NAME,		/* string */
	MRC_A_PEER_EV_PAD,
	MRC_A_PEER_EV_REMOTE_GID,	/* IPv6 address */
	MRC_A_PEER_EV_LOCAL_GID,	/* IPv6 address */
	MRC_A_PEER_EV_EV_PROFILE,	/* u64 */
	MRC_A_PEER_EV_INDEX,		/* u16: in the profile */
	MRC_A_PEER_EV_PORT,		/* u8 */
	MRC_A_PEER_EV_STATE,		/* u8, enum mrc_nl_ev_state */
	MRC_A_PEER_EV_OLD_STATE,	/* u8, enum mrc_nl_ev_state */
	/* u32: bits in source port and flow label; shown to CAP_NET_ADMIN */
	MRC_A_PEER_EV_VALUE,
	MRC_A_PEER_EV_TX_PACKETS,	/* u64 */
	MRC_A_PEER_EV_LOST,		/* u64 */
	MRC_A_PEER_EV_MARKED,		/* u64 */
	MRC_A_PEER_EV_REASON,		/* string: see Events */
	MRC_A_PEER_EV_TIME,		/* u64: ns of CLOCK_MONOTONIC */
	MRC_A_PEER_EV_ACKED,		/* u64: packets known to have arrived by it */
	MRC_A_PEER_EV_PROBED,		/* u32: EV probes sent on it */
	/* u64: last change of the state, ns of CLOCK_MONOTONIC; 0: none yet */
	MRC_A_PEER_EV_CHANGED,
	/* u8: good, but not in rotation: carries data when another of its port is lost or denied */
	MRC_A_PEER_EV_SPARE,

	__MRC_A_PEER_EV_MAX,
	MRC_A_PEER_EV_MAX = (__MRC_A_PEER_EV_MAX - 1)
};

enum {
	MRC_A_PROBE_DEV_INDEX = 1,	/* u32 */
	MRC_A_PROBE_DEV_NAME,		/* string */
	MRC_A_PROBE_PAD,
	MRC_A_PROBE_REMOTE_GID,		/* IPv6 address */
	/*
	 * IPv6 address: when left out: that of a peer in use, otherwise the device's address that
	 * the host would take as source towards remote-gid
	 */
	MRC_A_PROBE_LOCAL_GID,
	/*
	 * u64: when left out: that of the route, otherwise that of a peer in use; refused if there
	 * is neither
	 */
	MRC_A_PROBE_EV_PROFILE,
	/* u16, repeated, 0 to 255: index in the profile; all EVs when left out */
	MRC_A_PROBE_EV,
	MRC_A_PROBE_TIMEOUT,		/* u32, 1 to 10000: ms; 100 when left out */
	MRC_A_PROBE_RESULT,		/* nest of MRC_A_PROBE_RESULT_*, repeated: one per EV */
	/* u32: of the request, never 0; practically unique within a device */
	MRC_A_PROBE_ID,
	MRC_A_PROBE_TIME,		/* u64: ns of CLOCK_MONOTONIC */
	MRC_A_PROBE_FORMAT,		/* u8, enum mrc_nl_ev_format: of raw-ev */
	MRC_A_PROBE_RAW_EV,		/* nest of MRC_A_EV_*: the path that raw probes take */
	/* IPv6 address, repeated: a GID to which raw probes go; 1 to 64 of them */
	MRC_A_PROBE_TO,
	/*
	 * u16, 1 to 256: raw probes to each GID; 1 when left out; at most 256 to all GIDs together
	 */
	MRC_A_PROBE_COUNT,
	/* u8, 0 to 63: of raw probes, in both headers; dscp-control of the device when left out */
	MRC_A_PROBE_DSCP,
	/*
	 * u16: bytes of a raw probe from its outermost IPv6 header on, a multiple of 4; as few as
	 * possible when left out. Zeros that nobody reads follow the UDP datagram
	 */
	MRC_A_PROBE_SIZE,
	/*
	 * u64, 1 to 10000000000: ns from the sending of a raw probe to its answer; a later answer
	 * does not count. 100000000 when left out
	 */
	MRC_A_PROBE_LIMIT,
	/*
	 * u32: send Port Status Updates instead of EV probes: these ports of ours can receive, bit
	 * 0 is port 1. A peer believes it until our ports change
	 */
	MRC_A_PROBE_PORT_STATUS,

	__MRC_A_PROBE_MAX,
	MRC_A_PROBE_MAX = (__MRC_A_PROBE_MAX - 1)
};

enum {
	/* u16: of the EV in its profile; for a raw probe: its number among those to its GID */
	MRC_A_PROBE_RESULT_INDEX = 1,
	MRC_A_PROBE_RESULT_PORT,	/* u8: sent from */
	MRC_A_PROBE_RESULT_PAD,
	MRC_A_PROBE_RESULT_RTT,		/* u64: ns; absent: no answer */
	/* u8: the answer came by this port; absent: by none of the device's */
	MRC_A_PROBE_RESULT_RX_PORT,
	MRC_A_PROBE_RESULT_REMOTE_GID,	/* IPv6 address: where a raw probe went */
	/* u32: why a raw probe was not sent, as errno; absent: it was sent */
	MRC_A_PROBE_RESULT_ERROR,

	__MRC_A_PROBE_RESULT_MAX,
	MRC_A_PROBE_RESULT_MAX = (__MRC_A_PROBE_RESULT_MAX - 1)
};

enum {
	MRC_A_QP_DEV_INDEX = 1,		/* u32 */
	MRC_A_QP_DEV_NAME,		/* string */
	MRC_A_QP_PAD,
	MRC_A_QP_QPN,			/* u32, 0 to 16777215 */
	MRC_A_QP_STATE,			/* u8, enum mrc_nl_qp_state: sqd and sqe do not occur */
	MRC_A_QP_DEST_QPN,		/* u32: from RTR on */
	MRC_A_QP_LOCAL_GID,		/* IPv6 address: from RTR on */
	MRC_A_QP_REMOTE_GID,		/* IPv6 address: from RTR on */
	MRC_A_QP_EV_PROFILE,		/* u64: in use; before RTR the one asked for */
	MRC_A_QP_CC_PROFILE,		/* u64: in use; before RTR the one asked for */
	MRC_A_QP_MTU,			/* u32: payload bytes per packet; from RTR on */
	/* u32: oldest PSN not acknowledged; shown to CAP_NET_ADMIN */
	MRC_A_QP_PSN_UNA,
	MRC_A_QP_PSN_NXT,		/* u32: next new PSN; shown to CAP_NET_ADMIN */
	MRC_A_QP_PSN_CACK,		/* u32: cumulative PSN received; shown to CAP_NET_ADMIN */
	MRC_A_QP_INFLIGHT,		/* u32: packets on their way */
	MRC_A_QP_LOST,			/* u32: packets that wait for retransmission */
	MRC_A_QP_MPR_TX,		/* u8: the peer's window, units of 128 PSNs */
	MRC_A_QP_MPR_RX,		/* u8: ours, in the same units */
	/* u16: WriteImm and SEND requests in flight that we may send */
	MRC_A_QP_WIMM_TX,
	/* u16: WriteImm and SEND requests in flight that we accept */
	MRC_A_QP_WIMM_RX,
	MRC_A_QP_SRTT,			/* u64: ns; 0 before the first sample */
	MRC_A_QP_MIN_RTT,		/* u64: ns; 0 before the first sample */
	MRC_A_QP_TX_PACKETS,		/* u64 */
	MRC_A_QP_RX_PACKETS,		/* u64 */
	MRC_A_QP_RTX_PACKETS,		/* u64 */
	MRC_A_QP_TIMEOUT,		/* u8: 1.024 us * 2^timeout */
	MRC_A_QP_LINEAR_RETRIES,	/* u8: retries at that interval */
	/* u8: further retries, with a doubling interval; 25: for ever */
	MRC_A_QP_EXP_RETRIES,
	/* u64: bytes of kernel memory without the rings that the program shares */
	MRC_A_QP_MEMORY,
	/* u32: of the creator; absent where the pid namespace of the reader does not know it */
	MRC_A_QP_PID,
	MRC_A_QP_REASON,		/* string */
	MRC_A_QP_TIME,			/* u64: ns of CLOCK_MONOTONIC */
	MRC_A_QP_OLD_STATE,		/* u8, enum mrc_nl_qp_state */
	/* nest of MRC_A_CONGESTION_*: its congestion context, from RTS on */
	MRC_A_QP_CONGESTION,

	__MRC_A_QP_MAX,
	MRC_A_QP_MAX = (__MRC_A_QP_MAX - 1)
};

enum {
	MRC_A_CONGESTION_CWND = 1,	/* u32: the window, in nominal bytes */
	MRC_A_CONGESTION_MAX_CWND,	/* u32: limit of the window, with the planes that are up */
	MRC_A_CONGESTION_PAD,
	MRC_A_CONGESTION_INFLIGHT,	/* u64: nominal bytes on their way */
	MRC_A_CONGESTION_QPS,		/* u32: QPs that share it */
	/* u32: ns, of an empty network; 0: not known, or not asked for */
	MRC_A_CONGESTION_BASE_RTT,
	/* u32: ns beyond base-rtt, over about the last round trip */
	MRC_A_CONGESTION_DELAY,
	MRC_A_CONGESTION_TARGET_DELAY,	/* u32: ns */
	/* u64: SACKs that found no delay, for a whole window: fast increase */
	MRC_A_CONGESTION_FAST,
	MRC_A_CONGESTION_PROPORTIONAL,	/* u64: SACKs without a mark and with little delay */
	MRC_A_CONGESTION_FAIR,		/* u64: SACKs without a mark and with much delay */
	MRC_A_CONGESTION_HOLD,		/* u64: SACKs with a mark and little delay */
	MRC_A_CONGESTION_DECREASE,	/* u64: SACKs with a mark and much delay */
	/*
	 * u64: times that a decrease, or losses that showed a full queue, cut the window by a part
	 * of it; when it shrinks by lost or trimmed bytes, that does not count
	 */
	MRC_A_CONGESTION_CUTS,
	MRC_A_CONGESTION_QUICK_ADAPTS,	/* u64: times that the window was set to what had arrived */
	MRC_A_CONGESTION_TRIMS,		/* u64: packets that were trimmed */
	MRC_A_CONGESTION_PENALTIES,	/* u64: SACKs by which the receiver asked for less */

	__MRC_A_CONGESTION_MAX,
	MRC_A_CONGESTION_MAX = (__MRC_A_CONGESTION_MAX - 1)
};

/*
 * Sums over the congestion contexts of a peer that algorithm nscc steers, the first 4096 of
 * them. The counts, from fast on, include contexts that have ended.
 */
enum {
	MRC_A_PEER_CONGESTION_CONTEXTS = 1,	/* u32: how many there are; 0: all have ended */
	MRC_A_PEER_CONGESTION_QPS,	/* u32: QPs that share them */
	MRC_A_PEER_CONGESTION_PAD,
	MRC_A_PEER_CONGESTION_CWND,	/* u64: sum of all windows, in nominal bytes */
	MRC_A_PEER_CONGESTION_CWND_LOWEST,	/* u32: of one context */
	MRC_A_PEER_CONGESTION_CWND_HIGHEST,	/* u32: of one context */
	/* u64: limit of all windows together, with the planes that are up */
	MRC_A_PEER_CONGESTION_MAX_CWND,
	MRC_A_PEER_CONGESTION_INFLIGHT,	/* u64: nominal bytes on their way */
	/* u32: ns, of an empty network: the lowest of all contexts; 0: not known */
	MRC_A_PEER_CONGESTION_BASE_RTT,
	/* u32: ns beyond base-rtt, over about the last round trip: the mean of contexts */
	MRC_A_PEER_CONGESTION_DELAY,
	MRC_A_PEER_CONGESTION_TARGET_DELAY,	/* u32: ns, the mean of contexts */
	/* u64: SACKs that found no delay, for a whole window: fast increase */
	MRC_A_PEER_CONGESTION_FAST,
	/* u64: SACKs without a mark and with little delay */
	MRC_A_PEER_CONGESTION_PROPORTIONAL,
	MRC_A_PEER_CONGESTION_FAIR,	/* u64: SACKs without a mark and with much delay */
	MRC_A_PEER_CONGESTION_HOLD,	/* u64: SACKs with a mark and little delay */
	MRC_A_PEER_CONGESTION_DECREASE,	/* u64: SACKs with a mark and much delay */
	/*
	 * u64: times that a decrease, or losses that showed a full queue, cut a window by a part of
	 * it; when it shrinks by lost or trimmed bytes, that does not count
	 */
	MRC_A_PEER_CONGESTION_CUTS,
	/* u64: times that a window was set to what had arrived */
	MRC_A_PEER_CONGESTION_QUICK_ADAPTS,
	MRC_A_PEER_CONGESTION_TRIMS,	/* u64: packets that were trimmed */
	/* u64: SACKs by which the receiver asked for less */
	MRC_A_PEER_CONGESTION_PENALTIES,

	__MRC_A_PEER_CONGESTION_MAX,
	MRC_A_PEER_CONGESTION_MAX = (__MRC_A_PEER_CONGESTION_MAX - 1)
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
	MRC_CMD_DEVICE_NTF,
	MRC_CMD_EV_PROFILE_NTF,
	MRC_CMD_EV_NTF,
	MRC_CMD_CC_PROFILE_NTF,
	MRC_CMD_ROUTE_NTF,
	MRC_CMD_EV_ADD,
	MRC_CMD_EV_REPLACE,
	MRC_CMD_EV_DEL,
	MRC_CMD_PROBE_START,
	MRC_CMD_PROBE_NTF,
	MRC_CMD_RAW_PROBE_START,

	__MRC_CMD_MAX,
	MRC_CMD_MAX = (__MRC_CMD_MAX - 1)
};

#endif /* _UAPI_LINUX_MRC_H */
