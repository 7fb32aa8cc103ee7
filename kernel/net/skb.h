/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Building: one skb out of one MRC packet, or out of several complete ones on
 * the same path (UDP segmentation offload cuts the UDP payload at gso_size and copies
 * IP and UDP headers; an MRC packet's own headers and ICRC are UDP payload).
 *
 *	mrc_skb_open()
 *	for each packet:  buf = mrc_skb_hdr(), encode into buf,
 *	                  mrc_skb_page() or mrc_skb_copy() for the payload,
 *	                  mrc_skb_close()	(pad, ICRC)
 *	mrc_skb_xmit()  or  mrc_skb_abort()
 *
 * Context: BH disabled, under RCU, all of it.
 */
#ifndef _MRC_NET_SKB_H
#define _MRC_NET_SKB_H

#include <linux/pkt_sched.h>
#include <linux/skbuff.h>

#include "path.h"
#include "walk.h"

/* Packets in one skb, at most. */
#define MRC_BURST_MAX	16u
/* Their bytes, where the netdev sets no other limit: 64 KiB without IP, UDP and a long SRH. */
#define MRC_SKB_LEN_MAX	(65535u - 512u)
/* An skb and two more in its fragment list: MRC_BURST_MAX packets of three fragments each. */
#define MRC_SKB_PARTS	3u

/*
 * Payload up to here is copied. What is referenced leaves after its ICRC was computed: a program that
 * writes to it meanwhile, as to a flag or a counter, makes packets that are dropped. So much fits
 * beside the headers, with the longest of them and what the kernel keeps behind, in the kilobyte that
 * an skb's memory takes; twice as much would take two.
 */
#define MRC_SKB_COPY_MAX	256u

/* Traffic class bytes: DSCP << 2 | ECN. Code points are settings of the device. */
#define MRC_ECN_ECT0	0x02u

/**
 * struct mrc_skb - an skb under construction
 * @skb: data begins with the inner IPv6 header
 * @last: takes the next fragment: @skb, or the end of its fragment list
 * @parts: how many more may be added to that list
 * @flow: the peer
 * @path: the path
 * @hop: where the path leads
 * @ev: EV bits
 * @max_packets: packets, at most
 * @max_len: their bytes from BTH to ICRC, at most
 * @packets: finished packets
 * @bytes: their bytes from BTH to ICRC
 * @surplus: bytes behind the UDP datagram
 * @seg_len: bytes of the first packet, of which all but the last have as many
 * @hdr: headers of the open packet, NULL between packets
 * @hdr_len: their bytes
 * @payload: offset in @skb of the open packet's payload
 * @pos: walk over @skb, not behind the open packet's payload
 * @piece: memory for what stands between payloads (ICRC, next header), NULL until needed
 * @piece_used: bytes of it
 * @bounce: memory for payload that is in too many pieces to be referenced, NULL until needed
 * @bounce_used: bytes of it
 * @tclass: traffic class of both headers
 * @closed: a packet shorter than the others was added: it must stay the last
 *
 * Private to skb.c but for @packets and @bytes.
 */
struct mrc_skb {
	struct sk_buff *skb;
	struct sk_buff *last;
	unsigned int parts;
	const struct mrc_flow *flow;
	struct mrc_path *path;
	struct mrc_path_hop hop;
	u32 ev;
	unsigned int max_packets;
	unsigned int max_len;
	unsigned int packets;
	unsigned int bytes;
	unsigned int surplus;
	unsigned int seg_len;
	u8 *hdr;
	unsigned int hdr_len;
	unsigned int payload;
	struct mrc_walk pos;
	u8 *piece;
	unsigned int piece_used;
	u8 *bounce;
	unsigned int bounce_used;
	u8 tclass;
	bool closed;
};

/**
 * mrc_skb_open() - start an skb
 * @b: the builder
 * @flow: the peer
 * @path: the path
 * @ev: EV bits: source port and flow label
 * @tclass: traffic class of inner and outer header
 * @max_packets: packets that will be added at most, 1..MRC_BURST_MAX; more than one asks for
 *               GSO
 *
 * Return: 0, or an error of mrc_path_hop(). On error there is nothing to abort.
 */
int mrc_skb_open(struct mrc_skb *b, const struct mrc_flow *flow,
		 struct mrc_path *path, u32 ev, u8 tclass,
		 unsigned int max_packets);

/**
 * mrc_skb_fits() - may one more packet be added?
 * @b: the builder
 * @len: its bytes from BTH to ICRC
 * @frags: page fragments of its payload
 *
 * All packets but the last of an skb must be of equal length; limits of
 * fragments and of 64 KiB apply.
 *
 * Return: true if so.
 */
bool mrc_skb_fits(const struct mrc_skb *b, unsigned int len,
		  unsigned int frags);

/**
 * mrc_skb_mtu_fits() - is the route's MTU large enough for a packet?
 * @b: the builder
 * @len: its bytes from BTH to ICRC
 *
 * Return: true if so.
 */
bool mrc_skb_mtu_fits(const struct mrc_skb *b, unsigned int len);

/**
 * mrc_skb_room() - bytes of a packet, from BTH to ICRC, that a path's MTU has room for
 * @flow: the peer
 * @path: one of its paths
 *
 * The outer header counts with its SRH. Context: BH disabled, under RCU.
 * Return: 0 with an MTU that is smaller than the headers; U32_MAX when there is no route now.
 */
u32 mrc_skb_room(const struct mrc_flow *flow, struct mrc_path *path);

/**
 * mrc_skb_hdr() - begin a packet
 * @b: the builder
 * @len: bytes of its MRC headers, MRC_BTH_LEN..MRC_HDR_MAX
 *
 * Return: room for the headers, to be filled in before mrc_skb_close(), or NULL (no memory, no
 * room, or the packet before was not closed).
 */
u8 *mrc_skb_hdr(struct mrc_skb *b, unsigned int len);

/**
 * mrc_skb_page() - payload by reference
 * @b: the builder
 * @page: page, the skb takes its own reference
 * @offset: in @page
 * @len: bytes; may go beyond the page if that is part of a larger one
 *
 * If the payload is in more pieces than an skb has fragments, the last pieces are copied.
 *
 * Return: 0, -EMSGSIZE or -ENOMEM.
 */
int mrc_skb_page(struct mrc_skb *b, struct page *page, unsigned int offset,
		 unsigned int len);

/**
 * mrc_skb_page_copy() - the same by copy, for a packet of MRC_SKB_COPY_MAX bytes at most
 *
 * Return: 0, -EMSGSIZE or -ENOMEM.
 */
int mrc_skb_page_copy(struct mrc_skb *b, struct page *page, unsigned int offset,
		      unsigned int len);

/** mrc_skb_copy() - payload by copy, for inline data. Return: 0, -EMSGSIZE or -ENOMEM. */
int mrc_skb_copy(struct mrc_skb *b, const void *data, unsigned int len);

/**
 * mrc_skb_close() - end a packet: pad to 4 bytes and append the ICRC
 * @b: the builder
 *
 * The BTH that the caller has encoded names the same pad.
 *
 * Return: 0, -ENOMEM, -EMSGSIZE; -EINVAL when it is longer than the packets before or comes
 * after a shorter one.
 */
int mrc_skb_close(struct mrc_skb *b);

/**
 * mrc_skb_stretch() - make the only packet of an skb longer by bytes that mean nothing
 * @b: the builder; a packet is closed, and none is added afterwards
 * @size: bytes of all, from the outermost IPv6 header on
 *
 * They are zeros behind the UDP datagram, where no receiver looks (RFC 9868 calls it the surplus
 * area).
 *
 * Return: 0, -EMSGSIZE: the packet is longer than that, or the route's MTU smaller.
 */
int mrc_skb_stretch(struct mrc_skb *b, unsigned int size);

/**
 * mrc_skb_xmit() - hand the skb to the plane and count it there
 * @b: the builder; all packets closed, at least one
 *
 * Return: 0 or a negative error (-EMSGSIZE: a packet is larger than the route's MTU);
 * consumed either way.
 */
int mrc_skb_xmit(struct mrc_skb *b);

/**
 * mrc_skb_hurry() - queues of this host that know priorities let it go before data
 *
 * For what the network lets go before data, too. It may overtake what was sent before it by the same
 * path: so what tells of data that it must not overtake is in no hurry.
 */
static inline void mrc_skb_hurry(struct mrc_skb *b)
{
	b->skb->priority = TC_PRIO_CONTROL;
}

/** mrc_skb_abort() - throw it away */
void mrc_skb_abort(struct mrc_skb *b);

#endif /* _MRC_NET_SKB_H */
