/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Receiving. Packets with an outer header come from the IPv6-in-IPv6 handler: we take the header
 * off, read its ECN, and get aggregates whole. Packets without an outer header come from the UDP
 * socket: they never had one, or End.DT6 took it off. Packets go up decoded, one at a time. The
 * head of a packet that a switch has trimmed goes up, too.
 */
#ifndef _MRC_NET_RX_H
#define _MRC_NET_RX_H

#include <linux/in6.h>
#include <linux/skbuff.h>

#include "../core/wire/wire.h"
#include "guard.h"
#include "walk.h"

struct net;

/**
 * enum mrc_drop - why a received packet was thrown away; each has its counter
 * @MRC_DROP_TRUNCATED: ends before its headers do
 * @MRC_DROP_OPCODE: unknown opcode
 * @MRC_DROP_HEADER: forbidden field value
 * @MRC_DROP_LENGTH: pad, payload and opcode do not fit together
 * @MRC_DROP_ICRC: wrong ICRC
 * @MRC_DROP_NO_QP: no such QP
 * @MRC_DROP_WRONG_PEER: addresses are not those of the QP's connection
 * @MRC_DROP_QP_STATE: the QP does not receive now
 * @MRC_DROP_OUT_OF_WINDOW: PSN far from those expected
 * @MRC_DROP_BAD_ACK: SACK, NACK or ACK for a PSN never sent
 * @MRC_DROP_PKEY: wrong partition key
 * @MRC_DROP_ENDPOINT: unexpected endpoint request or response
 * @MRC_DROP_NO_MEMORY: no memory
 * @MRC_DROP_INGRESS: came in by a netdev that is no plane of the device, or was sent by this host
 *                    from an address that this host does not have
 * @MRC_DROP_FILTERED: netfilter dropped it before this module got it
 * @MRC_DROP_NO_SOCKET: came in where no UDP socket hears it
 * @MRC_DROP_QKEY: a datagram with a wrong Q_Key
 * @MRC_DROP_STRANGER: a datagram for the connection manager, and strangers have sent too many of late
 * @MRC_DROP_COUNT: number of the reasons above
 *
 * mrc_drop_names[] has their names.
 */
enum mrc_drop {
	MRC_DROP_TRUNCATED,
	MRC_DROP_OPCODE,
	MRC_DROP_HEADER,
	MRC_DROP_LENGTH,
	MRC_DROP_ICRC,
	MRC_DROP_NO_QP,
	MRC_DROP_WRONG_PEER,
	MRC_DROP_QP_STATE,
	MRC_DROP_OUT_OF_WINDOW,
	MRC_DROP_BAD_ACK,
	MRC_DROP_PKEY,
	MRC_DROP_ENDPOINT,
	MRC_DROP_NO_MEMORY,
	MRC_DROP_INGRESS,
	MRC_DROP_FILTERED,
	MRC_DROP_NO_SOCKET,
	MRC_DROP_QKEY,
	MRC_DROP_STRANGER,
	MRC_DROP_COUNT,
};

extern const char *const mrc_drop_names[MRC_DROP_COUNT];

/**
 * struct mrc_rx_pkt - a received packet
 * @skb: holds the packet; linear or not
 * @net: namespace it arrived in
 * @ifindex: netdev it arrived by (a plane, lo, ...)
 * @loopback: this host sent it to itself
 * @saddr: inner source
 * @daddr: inner destination
 * @hdr: decoded headers
 * @bth: offset of the BTH in @skb
 * @payload: offset of the payload in @skb
 * @len: payload bytes, without pad
 * @wire_len: bytes from BTH to ICRC
 * @ip6: offset of the inner IPv6 header, shared by all packets of an aggregate
 * @ev: EV bits of source port and flow label
 * @ce: CE on the outer or inner header
 * @dscp: of the outer header; of the inner one if there is no outer header any more
 * @raw: copy of the headers, as long as the headers
 * @udp: offset of the UDP header
 * @pos: position of a walk over @skb: the piece that holds the BTH
 */
struct mrc_rx_pkt {
	struct sk_buff *skb;
	struct net *net;
	int ifindex;
	bool loopback;
	const struct in6_addr *saddr;
	const struct in6_addr *daddr;
	struct mrc_hdr hdr;
	unsigned int bth;
	unsigned int payload;
	unsigned int len;
	unsigned int wire_len;
	unsigned int ip6;
	u32 ev;
	bool ce;
	u8 dscp;
	/* Private to rx.c: */
	const u8 *raw;
	unsigned int udp;
	struct mrc_walk pos;
};

/**
 * struct mrc_rx_run - memory of the layer above while the packets of one skb go up
 * @scratch: zero at the first packet
 */
struct mrc_rx_run {
	u64 scratch[8];
};

/**
 * struct mrc_rx_ops - how packets go up; softirq, under RCU
 * @rx: one packet; the skb is valid during the call only
 * @trimmed: a packet that is shorter than its headers say; @pkt->hdr has the BTH only, and there is
 *           no ICRC. A switch has trimmed it, or it is damaged
 * @end: the last packet of an skb has been delivered
 * @drop: this layer, or the kernel before it, dropped a packet
 * @guard: see guard.h
 */
struct mrc_rx_ops {
	void (*rx)(struct mrc_rx_pkt *pkt, struct mrc_rx_run *run);
	void (*trimmed)(struct mrc_rx_pkt *pkt);
	void (*end)(struct mrc_rx_run *run);
	void (*drop)(struct net *net, const struct in6_addr *daddr,
		     enum mrc_drop why);
	struct mrc_guard_ops guard;
};

/** mrc_rx_icrc_ok() - verify the ICRC of a packet. Softirq. */
bool mrc_rx_icrc_ok(const struct mrc_rx_pkt *pkt);

/**
 * mrc_rx_copy() - copy payload out of a packet
 * @pkt: the packet
 * @offset: in its payload
 * @to: destination
 * @len: bytes
 *
 * Context: softirq.
 * Return: 0, -EINVAL beyond the payload, -EFAULT.
 */
int mrc_rx_copy(const struct mrc_rx_pkt *pkt, unsigned int offset, void *to,
		unsigned int len);

/**
 * mrc_rx_module_init() - register tunnel handler and the layer above
 * @ops: stays valid until mrc_rx_module_exit() returns
 *
 * mrc_rx_module_exit() waits until no handler runs any more. It closes sockets that still have
 * references, as happens when a namespace goes; those references may be given up later.
 *
 * Return: 0, or -EEXIST when another module has our place among the tunnel handlers.
 */
int mrc_rx_module_init(const struct mrc_rx_ops *ops);
void mrc_rx_module_exit(void);

#endif /* _MRC_NET_RX_H */
