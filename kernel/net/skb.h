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

#include <linux/skbuff.h>

#include "path.h"

/* Packets in one skb, at most. */
#define MRC_BURST_MAX	16u

/* Traffic class bytes: DSCP << 2 | ECN. Code points are the deployment's choice (protocol 2.15). */
#define MRC_ECN_ECT0	0x02u

/**
 * struct mrc_skb - an skb under construction
 *
 * Private to skb.c but for @packets and @bytes, which count finished packets
 * and their bytes from BTH to ICRC.
 */
struct mrc_skb {
	struct sk_buff *skb;
	const struct mrc_flow *flow;
	struct mrc_path *path;
	struct dst_entry *dst;
	u8 *hdr;
	unsigned int hdr_len;
	unsigned int payload;
	unsigned int packets;
	unsigned int bytes;
	unsigned int seg_len;
	u32 crc;
	u8 *tail;	/* where the ICRC and the next header go */
	unsigned int tail_room;
	struct page *tail_page;
	bool gso;
	bool gso_closed;	/* a short packet was added: it must stay the last */
};

/**
 * mrc_skb_open() - start an skb
 * @b: the builder
 * @flow: the peer
 * @path: the path
 * @ev: EV bits: source port and flow label
 * @tclass: traffic class of inner and outer header
 * @max_packets: packets that will be added at most, 1..MRC_BURST_MAX; more than one asks for GSO
 *
 * Return: 0, -ENETUNREACH (no route, plane down), -ENOMEM. On error there is nothing to abort.
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
 */
bool mrc_skb_fits(const struct mrc_skb *b, unsigned int len,
		  unsigned int frags);

/** mrc_skb_hdr() - begin a packet. Return: room for @len bytes (<= MRC_HDR_MAX) of MRC headers, or NULL. */
u8 *mrc_skb_hdr(struct mrc_skb *b, unsigned int len);

/** mrc_skb_page() - payload by reference (the page is held). Return: 0 or -EMSGSIZE. */
int mrc_skb_page(struct mrc_skb *b, struct page *page, unsigned int offset,
		 unsigned int len);

/** mrc_skb_copy() - payload by copy, for inline data. Return: 0, -EMSGSIZE or -ENOMEM. */
int mrc_skb_copy(struct mrc_skb *b, const void *data, unsigned int len);

/** mrc_skb_close() - end a packet: pad to 4 bytes and append the ICRC. Return: 0 or -ENOMEM. */
int mrc_skb_close(struct mrc_skb *b);

/** mrc_skb_xmit() - hand the skb to the plane. Return: 0 or a negative error; consumed either way. */
int mrc_skb_xmit(struct mrc_skb *b);

/** mrc_skb_abort() - throw it away */
void mrc_skb_abort(struct mrc_skb *b);

#endif /* _MRC_NET_SKB_H */
