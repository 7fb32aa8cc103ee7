/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Building: one skb has one MRC packet, or several complete ones on the same path. UDP segmentation
 * offload cuts the UDP payload at gso_size, and copies IP and UDP headers. The headers of an MRC
 * packet and its ICRC are UDP payload.
 *
 *	mrc_skb_open()
 *	for each packet:  buf = mrc_skb_hdr(), encode into buf,
 *	                  mrc_skb_page() or mrc_skb_copy() for the payload,
 *	                  mrc_skb_close()	(pad, ICRC)
 *	mrc_skb_xmit()  or  mrc_skb_abort()
 *
 * Context of all functions: BH disabled, under RCU.
 */
#ifndef _MRC_NET_SKB_H
#define _MRC_NET_SKB_H

#include <linux/pkt_sched.h>
#include <linux/skbuff.h>

#include "path.h"
#include "walk.h"

/* At most so many packets are in one skb. */
#define MRC_BURST_MAX	16u
/* Their bytes where the netdev sets no other limit: 64 KiB minus IP, UDP and a long SRH. */
#define MRC_SKB_LEN_MAX	(65535u - 512u)
/* An skb and two more in its fragment list: MRC_BURST_MAX packets of three fragments each. */
#define MRC_SKB_PARTS	3u

/*
 * A payload of at most so many bytes is copied. A longer one is referenced, and may change between
 * the computation of the ICRC and the sending: if a program writes to it then, as to a flag or a
 * counter, the receiver drops the packet. 256 bytes fit into one kilobyte of an skb's memory, with
 * the longest headers and what the kernel keeps behind. Twice as much would take two kilobytes.
 */
#define MRC_SKB_COPY_MAX	256u

/* A traffic class is DSCP << 2 | ECN. The DSCP is a setting of the device. */
#define MRC_ECN_ECT0	0x02u

/**
 * struct mrc_skb - an skb under construction
 * @skb: data begins with the inner IPv6 header
 * @last: the skb that takes the next fragment: @skb, or the last one in its fragment list
 * @parts: how many more skbs may be added to that list
 * @flow: the peer
 * @path: the path
 * @hop: where the path leads
 * @ev: EV bits
 * @max_packets: at most so many packets
 * @max_len: at most so many bytes of all packets, from BTH to ICRC
 * @packets: finished packets
 * @bytes: their bytes from BTH to ICRC
 * @surplus: bytes behind the UDP datagram
 * @seg_len: bytes of the first packet; all others are as long, except the last, which may be
 *           shorter
 * @hdr: headers of the open packet, NULL between packets
 * @hdr_len: their bytes
 * @payload: offset in @skb of the open packet's payload
 * @pos: walk over @skb, not behind the open packet's payload
 * @piece: memory for what stands between payloads (ICRC, next header), NULL until needed
 * @piece_used: bytes of it
 * @bounce: memory for payload that is in too many pieces to be referenced, NULL until needed
 * @bounce_used: bytes of it
 * @spare: the next part, NULL until it is in sight
 * @tclass: traffic class of both headers
 * @closed: a packet shorter than the others was added: it must stay the last
 *
 * Private to skb.c, except @packets and @bytes.
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
	struct sk_buff *spare;
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
 * All packets of an skb must have the same length; only the last one may be shorter. The number of
 * fragments and 64 KiB are further limits.
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
 * mrc_skb_room() - how long a packet may be on a path, by its MTU
 * @flow: the peer
 * @path: one of its paths
 *
 * The outer header and its SRH are taken off the MTU. Context: BH disabled, under RCU.
 * Return: bytes from BTH to ICRC; 0: the MTU is smaller than the headers; U32_MAX: there is no
 * route now.
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
 * mrc_skb_reserve() - get the memory that mrc_skb_page() may need; that function allocates none itself
 * @b: the builder
 * @frags: how many pages mrc_skb_page() adds next, at most
 *
 * Return: 0 or -ENOMEM.
 */
int mrc_skb_reserve(struct mrc_skb *b, unsigned int frags);

/**
 * mrc_skb_page() - add payload by reference
 * @b: the builder
 * @page: page, the skb takes its own reference
 * @offset: in @page
 * @len: bytes; may go beyond @page if it is part of a larger page
 *
 * If the payload is in more pieces than an skb has fragments, the last pieces are copied. Call
 * mrc_skb_reserve() before.
 *
 * Return: 0, -EMSGSIZE or -ENOMEM.
 */
int mrc_skb_page(struct mrc_skb *b, struct page *page, unsigned int offset,
		 unsigned int len);

/** mrc_skb_read_page() - copy bytes of a page to @to; @offset and @len as of mrc_skb_page() */
void mrc_skb_read_page(u8 *to, struct page *page, unsigned int offset, unsigned int len);

/** mrc_skb_buffer() - memory for up to PAGE_SIZE bytes of payload, or NULL. Softirq or BH off. */
void *mrc_skb_buffer(unsigned int len);

/**
 * mrc_skb_add_buffer() - add memory of mrc_skb_buffer() as payload
 * @b: the builder
 * @at: the memory, filled; on error, too, it belongs to the caller no more
 * @len: bytes
 *
 * Return: 0, -EMSGSIZE or -ENOMEM.
 */
int mrc_skb_add_buffer(struct mrc_skb *b, void *at, unsigned int len);

/** mrc_skb_drop_buffer() - give memory of mrc_skb_buffer() back */
void mrc_skb_drop_buffer(void *at);

/** mrc_skb_copy() - add payload by copy, for inline data. Return: 0, -EMSGSIZE or -ENOMEM. */
int mrc_skb_copy(struct mrc_skb *b, const void *data, unsigned int len);

/**
 * mrc_skb_close() - end a packet: pad to 4 bytes and append the ICRC
 * @b: the builder
 *
 * The caller has encoded the same pad in the BTH.
 *
 * Return: 0, -ENOMEM, -EMSGSIZE; -EINVAL when the packet is longer than those before it, or the one
 * before it was already shorter.
 */
int mrc_skb_close(struct mrc_skb *b);

/**
 * mrc_skb_stretch() - pad the only packet of an skb to a size, to test the MTU of a path
 * @b: the builder; its packet is closed, and none is added afterwards
 * @size: bytes that the packet gets, from the outermost IPv6 header on
 *
 * The added bytes are zeros behind the UDP datagram, where no receiver looks (the "surplus area" of
 * RFC 9868).
 *
 * Return: 0, -ENOMEM; -EMSGSIZE: the packet is longer than @size already, or @size is beyond the
 * route's MTU.
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
 * mrc_skb_hurry() - let an skb leave before data, from queues of this host that know priorities
 *
 * For packets that the network, too, sends before data. They may overtake packets that were sent
 * earlier by the same path. So do not hurry a packet that reports on data which it must not
 * overtake.
 */
static inline void mrc_skb_hurry(struct mrc_skb *b)
{
	b->skb->priority = TC_PRIO_CONTROL;
}

/** mrc_skb_abort() - throw it away */
void mrc_skb_abort(struct mrc_skb *b);

#endif /* _MRC_NET_SKB_H */
