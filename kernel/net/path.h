/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Paths: an EV of a profile becomes one path to each peer. A path knows its plane, its outer header
 * (none, an IPv6 header, or an IPv6 header with an SRH) and its cached route. The inner header,
 * which all paths to a peer share, is the flow.
 */
#ifndef _MRC_NET_PATH_H
#define _MRC_NET_PATH_H

#include <linux/in6.h>
#include <linux/refcount.h>
#include <linux/types.h>
#include <net/dst.h>
#include <net/net_namespace.h>

#include "plane.h"

struct lwtunnel_state;
struct nlattr;
struct netlink_ext_ack;
struct ipv6_sr_hdr;

/**
 * struct mrc_flow - what all packets to one peer share
 * @net: namespace; its lifetime is the device's
 * @saddr: our GID
 * @daddr: the peer's GID
 * @tunnel_saddr: source of outer headers
 * @dport: UDP destination port
 * @hop_limit: of both headers
 * @icrc: compute the ICRC (otherwise it is sent as zero)
 */
struct mrc_flow {
	struct net *net;
	struct in6_addr saddr;
	struct in6_addr daddr;
	struct in6_addr tunnel_saddr;
	__be16 dport;
	u8 hop_limit;
	bool icrc;
};

/**
 * enum mrc_path_kind - how a packet finds its way
 * @MRC_PATH_PLAIN: routed by the inner destination, out of the plane's netdev
 * @MRC_PATH_SID: outer IPv6 header whose destination is the whole path (a uSID carrier)
 * @MRC_PATH_SRH: outer IPv6 header with a segment list in an SRH
 * @MRC_PATH_TABLE: the kernel has a route to the peer with encap seg6, in some table: packets take
 *                  the segment list of that route, and the new one when the route changes
 * @MRC_PATH_LOCAL: the peer is a device of this host
 */
enum mrc_path_kind {
	MRC_PATH_PLAIN,
	MRC_PATH_SID,
	MRC_PATH_SRH,
	MRC_PATH_TABLE,
	MRC_PATH_LOCAL,
};

/**
 * struct mrc_srh - a validated segment list, shared by the EVs that use it
 * @ref: references
 * @len: bytes of @srh; 0: the list is one segment in reduced form, and there is no SRH
 * @rcu: freed after readers
 * @first: first segment, the destination of the outer header
 * @srh: wire format, segments left at the first segment, next header IPv6. In reduced form
 *       (mode encap.red) the first segment is not in it.
 */
struct mrc_srh {
	refcount_t ref;
	unsigned int len;
	struct rcu_head rcu;
	struct in6_addr first;
	struct ipv6_sr_hdr *srh;
};

/**
 * mrc_srh_parse() - segment list from the attribute that `ip route ... encap seg6` uses
 * @net: namespace
 * @attr: nested attribute with SEG6_IPTUNNEL_SRH (mode encap or encap.red)
 * @extack: gets the reason for a refusal
 *
 * The kernel's own seg6 code validates the list, when it builds a SEG6 lightweight tunnel state
 * from it. HMACs are refused: they would have to be computed for each packet.
 *
 * Context: process, sleeps, takes no lock of ours.
 * Return: a reference, or ERR_PTR.
 */
struct mrc_srh *mrc_srh_parse(struct net *net, const struct nlattr *attr,
			      struct netlink_ext_ack *extack);

/** mrc_srh_get() - take a reference. Any context. */
struct mrc_srh *mrc_srh_get(struct mrc_srh *srh);

/** mrc_srh_put() - drop a reference; NULL is fine. Any context. */
void mrc_srh_put(struct mrc_srh *srh);

/**
 * mrc_srh_follow() - segment list of a route's seg6 encapsulation
 * @lwt: lightweight tunnel state of a route, of any type or NULL
 *
 * A list of one segment comes in reduced form.
 *
 * Context: any, no sleep.
 * Return: a reference, or ERR_PTR (-ENOENT: no seg6 encapsulation).
 */
struct mrc_srh *mrc_srh_follow(struct lwtunnel_state *lwt);

/** mrc_srh_segment() - segment @i in travel order; false beyond the last */
bool mrc_srh_segment(const struct mrc_srh *srh, unsigned int i,
		     struct in6_addr *seg);

/**
 * struct mrc_path_cfg - what a path is made from
 * @kind: says which of the other members is used
 * @sid: MRC_PATH_SID: outer destination
 * @srh: MRC_PATH_SRH: segment list; the path takes its own reference
 * @table: MRC_PATH_TABLE: kernel routing table
 */
struct mrc_path_cfg {
	enum mrc_path_kind kind;
	struct in6_addr sid;
	struct mrc_srh *srh;
	u32 table;
};

struct mrc_path_route;

/**
 * struct mrc_path - one path to one peer
 * @plane: reference; NULL for MRC_PATH_LOCAL
 * @route: result of the last route look-up; an error pointer after mrc_path_fini()
 * @sid: MRC_PATH_SID: outer destination
 * @srh: MRC_PATH_SRH: segment list, a reference
 * @table: MRC_PATH_TABLE
 * @kind: enum mrc_path_kind
 *
 * Small on purpose: a peer has one per EV.
 */
struct mrc_path {
	struct mrc_plane *plane;
	struct mrc_path_route __rcu *route;
	union {
		struct in6_addr sid;
		struct mrc_srh *srh;
		u32 table;
	};
	u8 kind;
};

/**
 * struct mrc_path_hop - route and outer header of a path's packets at this moment
 * @dst: the route; without a reference, valid in this RCU read section
 * @daddr: outer destination, NULL without an outer header
 * @srh: what follows the outer IPv6 header, NULL without SRH
 */
struct mrc_path_hop {
	struct dst_entry *dst;
	const struct in6_addr *daddr;
	const struct mrc_srh *srh;
};

/**
 * mrc_path_init() - make a path; no route is looked up yet
 * @path: zeroed
 * @cfg: what it is made from
 * @plane: reference taken; NULL for MRC_PATH_LOCAL only
 *
 * Context: any.
 * Return: 0 or -EINVAL.
 */
int mrc_path_init(struct mrc_path *path, const struct mrc_path_cfg *cfg,
		  struct mrc_plane *plane);

/** mrc_path_same() - do two paths of one port lead the same way? Any context. */
bool mrc_path_same(const struct mrc_path *a, const struct mrc_path *b);

/**
 * mrc_path_fini() - drop what a path holds; it finds no route any more
 * @path: the path, or a zeroed one
 *
 * Context: process or softirq. The memory must outlive an RCU grace period if senders may
 * still see it.
 */
void mrc_path_fini(struct mrc_path *path);

/**
 * mrc_path_forget() - drop the cached route (plane change, route event). Process or softirq.
 */
void mrc_path_forget(struct mrc_path *path);

/**
 * mrc_path_hop() - route and outer header of a path; the route is looked up anew if it is not valid
 * @path: the path
 * @flow: the peer
 * @hop: result
 *
 * Context: BH disabled, under RCU; concurrent calls on one path are fine.
 * Return: 0; -ENETDOWN: the plane is not usable; -ENETUNREACH: no route leads out of its netdev;
 * -EACCES: an IPsec policy covers the packets; -ESHUTDOWN: the path has ended; or -ENOMEM.
 * core/paths/sent.h says what follows from each.
 */
int mrc_path_hop(struct mrc_path *path, const struct mrc_flow *flow,
		 struct mrc_path_hop *hop);

/**
 * mrc_path_mtu() - how long a packet may be by its route and netdev
 * @dst: the route
 *
 * ICMPv6 "packet too big" does not count, because anybody may have sent it. If a link on the way
 * takes less than the MTU, packets are lost there, and the EVs across that link go out of use.
 *
 * Context: under RCU. Return: bytes, from the outermost IP header on.
 */
unsigned int mrc_path_mtu(struct dst_entry *dst);

/** mrc_path_mtu_is_told() - has ICMPv6 given the stack an MTU below mrc_path_mtu()? Under RCU. */
bool mrc_path_mtu_is_told(struct dst_entry *dst);

#endif /* _MRC_NET_PATH_H */
