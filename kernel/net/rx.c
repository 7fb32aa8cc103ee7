// SPDX-License-Identifier: GPL-2.0-only
/*
 * Receiving. The tunnel handler gets packets with their outer header. The UDP socket gets packets
 * that never had an outer header or have lost it, one packet at a time. Both get aggregates in one
 * piece; the socket has a hook for them.
 *
 * UDP checksums are not verified here: senders of single packets leave them zero anyway, and the
 * ICRC covers more. The stack has verified the checksums of the UDP socket's packets, where there
 * are any.
 */
#include <linux/udp.h>
#include <net/addrconf.h>
#include <net/inet_ecn.h>
#include <net/ipv6.h>
#include <net/l3mdev.h>
#include <net/xfrm.h>

#include "../compat/compat_net.h"
#include "../core/wire/icrc.h"
#include "crc.h"
#include "lost.h"
#include "netdev.h"
#include "rx.h"
#include "sock.h"

#define MRC_PAYLOAD_MAX		4096u
/* The shortest packet. The packets of an skb are walked in steps of at least this. */
#define MRC_PACKET_MIN		(MRC_BTH_LEN + MRC_ICRC_LEN)
/* Before the kernel's own handlers, which have 0 and above. */
#define MRC_TUNNEL_PRIORITY	(-1)

const char *const mrc_drop_names[MRC_DROP_COUNT] = {
	[MRC_DROP_TRUNCATED]		= "truncated",
	[MRC_DROP_OPCODE]		= "opcode",
	[MRC_DROP_HEADER]		= "header",
	[MRC_DROP_LENGTH]		= "length",
	[MRC_DROP_ICRC]			= "icrc",
	[MRC_DROP_NO_QP]		= "no_qp",
	[MRC_DROP_WRONG_PEER]		= "wrong_peer",
	[MRC_DROP_QP_STATE]		= "qp_state",
	[MRC_DROP_OUT_OF_WINDOW]	= "out_of_window",
	[MRC_DROP_BAD_ACK]		= "bad_ack",
	[MRC_DROP_PKEY]			= "pkey",
	[MRC_DROP_ENDPOINT]		= "endpoint",
	[MRC_DROP_NO_MEMORY]		= "no_memory",
	[MRC_DROP_INGRESS]		= "ingress",
	[MRC_DROP_FILTERED]		= "filtered",
	[MRC_DROP_NO_SOCKET]		= "no_socket",
	[MRC_DROP_QKEY]			= "qkey",
	[MRC_DROP_STRANGER]		= "stranger",
};

static const struct mrc_rx_ops *mrc_rx_ops;

int mrc_rx_copy(const struct mrc_rx_pkt *pkt, unsigned int offset, void *to,
		unsigned int len)
{
	if (offset > pkt->len || len > pkt->len - offset)
		return -EINVAL;
	return mrc_walk_copy(pkt->skb, pkt->pos, pkt->payload + offset, to,
			     len);
}

bool mrc_rx_icrc_ok(const struct mrc_rx_pkt *pkt)
{
	unsigned int rest = pkt->hdr.len - MRC_BTH_LEN;
	unsigned int body = pkt->wire_len - pkt->hdr.len - MRC_ICRC_LEN;
	u8 head[MRC_ICRC_PSEUDO_LEN + MRC_HDR_MAX - MRC_BTH_LEN];
	u8 udp[sizeof(struct udphdr)];
	struct mrc_crc crc;
	__le32 icrc;

	if (mrc_walk_copy(pkt->skb, (struct mrc_walk){}, pkt->udp, udp,
			  sizeof(udp)))
		return false;
	mrc_icrc_pseudo(head, pkt->skb->data + pkt->ip6, udp, pkt->raw,
			sizeof(udp) + pkt->wire_len);
	memcpy(head + MRC_ICRC_PSEUDO_LEN, pkt->raw + MRC_BTH_LEN, rest);
	mrc_crc_begin(&crc, MRC_ICRC_SEED, MRC_ICRC_PSEUDO_LEN + rest + body);
	mrc_crc_add(&crc, head, MRC_ICRC_PSEUDO_LEN + rest);
	if (mrc_walk_crc(pkt->skb, pkt->pos, pkt->payload, &crc, body) ||
	    mrc_walk_copy(pkt->skb, pkt->pos, pkt->payload + body, &icrc,
			  sizeof(icrc)))
		return false;
	return le32_to_cpu(icrc) == ~mrc_crc_end(&crc);
}

/* Do opcode, pad and the bytes behind the headers fit together? Sets pkt->len. */
static bool mrc_rx_length_ok(struct mrc_rx_pkt *pkt)
{
	unsigned int flags = mrc_opcode_flags(pkt->hdr.bth.opcode);
	unsigned int body = pkt->wire_len - pkt->hdr.len - MRC_ICRC_LEN;
	unsigned int pad = pkt->hdr.bth.pad;

	if (flags & MRC_OPF_CONTROL)
		return !body && !pad;
	if (pad > body || body % 4 || body - pad > MRC_PAYLOAD_MAX)
		return false;
	pkt->len = body - pad;
	if (!(flags & MRC_OPF_LAST) && pad)
		return false;
	/* Only a message of a single packet may be empty. */
	return pkt->len ||
	       (flags & (MRC_OPF_FIRST | MRC_OPF_LAST)) ==
	       (MRC_OPF_FIRST | MRC_OPF_LAST);
}

static enum mrc_drop mrc_rx_decode_drop(enum mrc_decode_err err)
{
	switch (err) {
	case MRC_DECODE_SHORT:
		return MRC_DROP_TRUNCATED;
	case MRC_DECODE_OPCODE:
		return MRC_DROP_OPCODE;
	default:
		return MRC_DROP_HEADER;
	}
}

/*
 * Decodes one packet; pkt->bth and pkt->wire_len say where it is.
 * Return: MRC_DROP_COUNT when it is fine, otherwise why it is not.
 */
static enum mrc_drop mrc_rx_decode(struct mrc_rx_pkt *pkt, u8 *raw)
{
	enum mrc_decode_err err;
	unsigned int len;

	if (pkt->wire_len < MRC_PACKET_MIN)
		return MRC_DROP_TRUNCATED;
	len = min(pkt->wire_len - MRC_ICRC_LEN, MRC_HDR_MAX);
	mrc_walk_seek(pkt->skb, &pkt->pos, pkt->bth);
	if (mrc_walk_copy(pkt->skb, pkt->pos, pkt->bth, raw, len))
		return MRC_DROP_TRUNCATED;
	err = mrc_hdr_decode(raw, len, &pkt->hdr);
	if (err)
		return mrc_rx_decode_drop(err);
	pkt->raw = raw;
	pkt->payload = pkt->bth + pkt->hdr.len;
	return mrc_rx_length_ok(pkt) ? MRC_DROP_COUNT : MRC_DROP_LENGTH;
}

/* Delivers the packets of a UDP payload, each @seg bytes long; the last one may be shorter. */
static void mrc_rx_segments(struct mrc_rx_pkt *pkt, unsigned int end,
			    unsigned int seg)
{
	struct mrc_rx_run run = {};
	u8 raw[MRC_HDR_MAX];
	enum mrc_drop why;

	for (; pkt->bth < end; pkt->bth += seg) {
		pkt->wire_len = min(seg, end - pkt->bth);
		pkt->len = 0;
		why = mrc_rx_decode(pkt, raw);
		if (why == MRC_DROP_COUNT)
			mrc_rx_ops->rx(pkt, &run);
		else
			mrc_rx_ops->drop(pkt->net, pkt->daddr, why);
	}
	mrc_rx_ops->end(&run);
}

/* The netdev by which an skb came in. In a VRF, skb->dev is the VRF's own netdev. */
static int mrc_rx_ifindex(const struct sk_buff *skb)
{
	return netif_is_l3_master(skb->dev) ? inet6_sdif(skb) : skb->dev->ifindex;
}

/* Did this host send it to itself? In a VRF, it then came in by lo or by the VRF's own netdev. */
static bool mrc_rx_loopback(const struct sk_buff *skb)
{
	int ifindex = mrc_rx_ifindex(skb);

	return ifindex == LOOPBACK_IFINDEX ||
	       (netif_is_l3_master(skb->dev) && ifindex == skb->dev->ifindex);
}

/* Did this host send it to itself, from an address that it does not have? Any user can do that. */
static bool mrc_rx_impossible(const struct mrc_rx_pkt *pkt)
{
	return pkt->loopback && !mrc_netdev_has_addr(pkt->skb->dev, pkt->saddr);
}

/*
 * What all packets of an skb have in common. The skb's data begins with the inner IPv6 header.
 * @tclass is the traffic class of the outer header, or the inner one's if there is no outer header.
 */
static struct mrc_rx_pkt mrc_rx_begin(struct sk_buff *skb, unsigned int udp_offset, u8 tclass)
{
	const struct ipv6hdr *ip6 = (const struct ipv6hdr *)skb->data;

	return (struct mrc_rx_pkt) {
		.skb = skb,
		.net = dev_net(skb->dev),
		.ifindex = mrc_rx_ifindex(skb),
		.loopback = mrc_rx_loopback(skb),
		.saddr = &ip6->saddr,
		.daddr = &ip6->daddr,
		.udp = udp_offset,
		.bth = udp_offset + sizeof(struct udphdr),
		.ce = INET_ECN_is_ce(tclass) ||
		      INET_ECN_is_ce(ipv6_get_dsfield(ip6)),
		.dscp = tclass >> 2,
	};
}

/*
 * Delivers all packets of an skb, whose data begins with the inner IPv6 header. @tclass is as for
 * mrc_rx_begin().
 */
static void mrc_rx_skb(struct sk_buff *skb, unsigned int udp_offset, u8 tclass)
{
	int err = mrc_walk_prepare(skb);
	const struct ipv6hdr *ip6 = (const struct ipv6hdr *)skb->data;
	struct mrc_rx_pkt pkt = mrc_rx_begin(skb, udp_offset, tclass);
	struct udphdr buf;
	const struct udphdr *udp = skb_header_pointer(skb, udp_offset,
						      sizeof(buf), &buf);
	unsigned int len = udp ? ntohs(udp->len) : 0;
	unsigned int seg = len - sizeof(*udp);

	if (skb_is_gso(skb))
		seg = skb_shinfo(skb)->gso_size;
	/* skb->len is 64 KiB and some headers at most, no sum here can wrap. */
	if (err || len < sizeof(*udp) + MRC_PACKET_MIN ||
	    udp_offset + len > skb->len || seg < MRC_PACKET_MIN) {
		mrc_rx_ops->drop(pkt.net, pkt.daddr,
				 err == -ENOMEM ? MRC_DROP_NO_MEMORY :
						  MRC_DROP_TRUNCATED);
		return;
	}
	if (mrc_rx_impossible(&pkt)) {
		mrc_rx_ops->drop(pkt.net, pkt.daddr, MRC_DROP_INGRESS);
		return;
	}
	pkt.ev = mrc_ev_pack(ntohs(udp->source), ntohl(ip6_flowlabel(ip6)));
	mrc_rx_segments(&pkt, udp_offset + len, seg);
}

/*
 * Delivers the head of a trimmed packet. The skb's data begins with the inner IPv6 header, UDP
 * follows. Nothing behind the BTH is read.
 */
static void mrc_rx_head(struct sk_buff *skb, u8 tclass)
{
	const struct ipv6hdr *ip6 = (const struct ipv6hdr *)skb->data;
	struct mrc_rx_pkt pkt = mrc_rx_begin(skb, sizeof(*ip6), tclass);
	struct {
		struct udphdr udp;
		u8 bth[MRC_BTH_LEN];
	} __packed head;
	enum mrc_decode_err err = MRC_DECODE_SHORT;

	if (mrc_rx_impossible(&pkt)) {
		mrc_rx_ops->drop(pkt.net, pkt.daddr, MRC_DROP_INGRESS);
		return;
	}
	if (!skb_copy_bits(skb, pkt.udp, &head, sizeof(head)))
		err = mrc_bth_decode(head.bth, sizeof(head.bth), &pkt.hdr.bth);
	if (err) {
		mrc_rx_ops->drop(pkt.net, pkt.daddr, MRC_DROP_TRUNCATED);
		return;
	}
	pkt.ev = mrc_ev_pack(ntohs(head.udp.source), ntohl(ip6_flowlabel(ip6)));
	mrc_rx_ops->trimmed(&pkt);
}

/* A trimmed packet without an outer header. */
static void mrc_rx_trimmed(struct sk_buff *skb)
{
	mrc_rx_head(skb, ipv6_get_dsfield(ipv6_hdr(skb)));
}

/* An aggregate without an outer header. */
static void mrc_rx_aggregate(struct sk_buff *skb)
{
	mrc_rx_skb(skb, sizeof(struct ipv6hdr), ipv6_get_dsfield(ipv6_hdr(skb)));
}

/* Is the packet behind the outer header one of ours? */
static bool mrc_tunnel_ours(const struct sk_buff *skb)
{
	const struct ipv6hdr *ip6 = (const struct ipv6hdr *)skb->data;
	const struct net *net = dev_net(skb->dev);
	const struct udphdr *udp;
	struct udphdr buf;

	if (ip6->version != 6 || ip6->nexthdr != NEXTHDR_UDP)
		return false;
	if (skb_is_gso(skb) && !(skb_shinfo(skb)->gso_type & SKB_GSO_UDP_L4))
		return false;
	udp = skb_header_pointer(skb, sizeof(*ip6), sizeof(buf), &buf);
	return udp && mrc_sock_listening(net, udp->dest) &&
	       mrc_netdev_has_addr(skb->dev, &ip6->daddr);
}

/*
 * Gets an IPv6-in-IPv6 packet; data begins with the inner header, 40 bytes of it are linear.
 * Softirq, under RCU. Return: 0: taken; otherwise the kernel asks the next handler.
 */
static int mrc_tunnel_rcv(struct sk_buff *skb)
{
	const struct ipv6hdr *ip6 = (const struct ipv6hdr *)skb->data;

	if (!mrc_tunnel_ours(skb))
		return -ENOENT;
	if (sizeof(*ip6) + ntohs(ip6->payload_len) > skb->len)
		mrc_rx_head(skb, ipv6_get_dsfield(ipv6_hdr(skb)));
	else
		mrc_rx_skb(skb, sizeof(*ip6), ipv6_get_dsfield(ipv6_hdr(skb)));
	consume_skb(skb);
	return 0;
}

/* ICMP errors about our outer headers say nothing that SACKs do not. */
static int mrc_tunnel_err(struct sk_buff *skb, struct inet6_skb_parm *opt,
			  u8 type, u8 code, int offset, __be32 info)
{
	return -ENOENT;
}

static struct xfrm6_tunnel mrc_tunnel = {
	.handler = mrc_tunnel_rcv,
	.err_handler = mrc_tunnel_err,
	.priority = MRC_TUNNEL_PRIORITY,
};

/* A packet of our UDP socket; data begins with the UDP header. Softirq, under RCU. */
static int mrc_udp_rcv(struct sock *sk, struct sk_buff *skb)
{
	unsigned int udp = skb_transport_offset(skb) - skb_network_offset(skb);
	const struct ipv6hdr *ip6;

	if (!rcu_dereference_sk_user_data(sk)) {
		kfree_skb(skb);		/* the socket is about to be closed */
		return 0;
	}
	__skb_push(skb, -skb_network_offset(skb));
	ip6 = (const struct ipv6hdr *)skb->data;
	/* The stack gives each socket a copy of a multicast packet. No such packet is for us. */
	if (ipv6_addr_is_multicast(&ip6->daddr))
		mrc_rx_ops->drop(dev_net(skb->dev), &ip6->daddr,
				 MRC_DROP_WRONG_PEER);
	else
		mrc_rx_skb(skb, udp, ipv6_get_dsfield(ip6));
	consume_skb(skb);
	return 0;
}

static const struct mrc_sock_ops mrc_rx_sock_ops = {
	.rcv = mrc_udp_rcv,
	.trimmed = mrc_rx_trimmed,
	.aggregate = mrc_rx_aggregate,
};

static void mrc_rx_lost(struct net *net, const struct in6_addr *daddr, bool filtered)
{
	mrc_rx_ops->drop(net, daddr, filtered ? MRC_DROP_FILTERED : MRC_DROP_NO_SOCKET);
}

int mrc_rx_module_init(const struct mrc_rx_ops *ops)
{
	int err;

	mrc_rx_ops = ops;
	mrc_guard_module_init(&ops->guard);
	err = mrc_sock_module_init(&mrc_rx_sock_ops);
	if (err)
		return err;
	err = xfrm6_tunnel_register(&mrc_tunnel, AF_INET6);
	if (err)
		mrc_sock_module_exit();
	else
		mrc_lost_module_init(mrc_rx_lost);
	return err;
}

void mrc_rx_module_exit(void)
{
	mrc_lost_module_exit();
	xfrm6_tunnel_deregister(&mrc_tunnel, AF_INET6);
	mrc_sock_module_exit();
}
