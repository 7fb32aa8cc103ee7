// SPDX-License-Identifier: GPL-2.0-only
/*
 * Building skbs. While an skb grows, its data begins with the inner IPv6 header:
 *
 *	linear:     IPv6 | UDP | headers of packet 1
 *	fragments:  payload 1 | ICRC 1, headers of packet 2 | payload 2 | ICRC 2, ...
 *
 * Fragments that do not fit into one skb go into further skbs in its fragment list, if the netdev
 * can send such a list. A packet whose payload is not in fragments has its ICRC in the linear part,
 * too. The outer header is put in front at the end, when all lengths are known.
 */
#include <linux/highmem.h>
#include <linux/jhash.h>
#include <linux/udp.h>
#include <net/ip6_checksum.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/lwtunnel.h>
#include <net/ndisc.h>

#include "../compat/compat_net.h"
#include "../core/wire/icrc.h"
#include "../core/wire/wire.h"
#include "crc.h"
#include "skb.h"
#include "sock.h"

#define MRC_INNER_LEN	(sizeof(struct ipv6hdr) + sizeof(struct udphdr))
#define MRC_PAD_MAX	3u
/* Fragments that no payload takes: one for the ICRC, one for copies of all further payload. */
#define MRC_SKB_FRAGS_KEPT	2u
#define MRC_TAIL_MAX	(MRC_PAD_MAX + MRC_ICRC_LEN)

static unsigned int mrc_hop_outer_len(const struct mrc_path_hop *hop)
{
	if (!hop->daddr)
		return 0;
	return sizeof(struct ipv6hdr) + (hop->srh ? hop->srh->len : 0);
}

static void mrc_ip6_fill(struct ipv6hdr *h, const struct mrc_skb *b,
			 const struct in6_addr *saddr,
			 const struct in6_addr *daddr, u8 nexthdr)
{
	ip6_flow_hdr(h, b->tclass, htonl(mrc_ev_flow_label(b->ev)));
	h->payload_len = 0;
	h->nexthdr = nexthdr;
	h->hop_limit = b->flow->hop_limit;
	h->saddr = *saddr;
	h->daddr = *daddr;
}

/* Inner headers, without lengths and checksum. */
static void mrc_skb_put_inner(struct mrc_skb *b)
{
	struct ipv6hdr *ip6 = skb_put(b->skb, MRC_INNER_LEN);
	struct udphdr *udp = (struct udphdr *)(ip6 + 1);

	mrc_ip6_fill(ip6, b, &b->flow->saddr, &b->flow->daddr, NEXTHDR_UDP);
	udp->source = htons(mrc_ev_sport(b->ev));
	udp->dest = b->flow->dport;
	udp->len = 0;
	udp->check = 0;
}

/*
 * Two things limit an skb: the 16-bit length of the outer IPv6 header, and the netdev's limit for
 * aggregates, which includes the link-layer header. A single packet may always be as long as the
 * path's MTU.
 */
static unsigned int mrc_skb_max_len(const struct mrc_path_hop *hop)
{
	const struct net_device *dev = hop->dst->dev;
	unsigned int headers = mrc_hop_outer_len(hop) + MRC_INNER_LEN;
	unsigned int gso = READ_ONCE(dev->gso_max_size);
	unsigned int limit;

	gso -= min(gso, 1u + dev->hard_header_len);
	limit = min(IPV6_MAXPLEN + (unsigned int)sizeof(struct ipv6hdr),
		    max(gso, mrc_path_mtu(hop->dst)));
	return limit - min(limit, headers);
}

int mrc_skb_open(struct mrc_skb *b, const struct mrc_flow *flow,
		 struct mrc_path *path, u32 ev, u8 tclass,
		 unsigned int max_packets)
{
	unsigned int front;
	int err;

	memset(b, 0, sizeof(*b));
	err = mrc_path_hop(path, flow, &b->hop);
	if (err)
		return err;
	front = LL_RESERVED_SPACE(b->hop.dst->dev) + b->hop.dst->header_len +
		mrc_hop_outer_len(&b->hop);
	b->skb = alloc_skb(front + MRC_INNER_LEN + MRC_HDR_MAX + MRC_SKB_COPY_MAX + MRC_TAIL_MAX,
			   GFP_ATOMIC | __GFP_NOWARN);
	if (!b->skb)
		return -ENOMEM;
	skb_reserve(b->skb, front);
	b->flow = flow;
	b->path = path;
	b->ev = ev;
	b->tclass = tclass;
	b->max_packets = clamp(max_packets, 1u, MRC_BURST_MAX);
	b->max_len = mrc_skb_max_len(&b->hop);
	b->last = b->skb;
	if (b->hop.dst->dev->features & NETIF_F_FRAGLIST)
		b->parts = MRC_SKB_PARTS - 1;
	mrc_skb_put_inner(b);
	return 0;
}

/* Fragments that can still be added. */
static unsigned int mrc_skb_frags_left(const struct mrc_skb *b)
{
	return (b->parts + 1) * MAX_SKB_FRAGS - skb_shinfo(b->last)->nr_frags;
}

bool mrc_skb_fits(const struct mrc_skb *b, unsigned int len,
		  unsigned int frags)
{
	if (b->packets == b->max_packets || b->closed ||
	    len > b->max_len - b->bytes)
		return false;
	if (b->packets && len > b->seg_len)
		return false;
	/* The headers share a fragment with the ICRC before them, if that ICRC is in a fragment. */
	if (b->packets && !skb_is_nonlinear(b->skb))
		frags++;
	return frags + 1 <= mrc_skb_frags_left(b);
}

int mrc_skb_reserve(struct mrc_skb *b, unsigned int frags)
{
	if (!b->bounce && mrc_skb_frags_left(b) <= MRC_SKB_FRAGS_KEPT + frags) {
		b->bounce = netdev_alloc_frag(PAGE_SIZE);
		if (!b->bounce)
			return -ENOMEM;
	}
	if (!b->spare && b->parts && skb_shinfo(b->last)->nr_frags + frags > MAX_SKB_FRAGS) {
		b->spare = alloc_skb(0, GFP_ATOMIC | __GFP_NOWARN);
		if (!b->spare)
			return -ENOMEM;
	}
	return 0;
}

/* Adds an skb to the fragment list, for more fragments. */
static int mrc_skb_extend(struct mrc_skb *b)
{
	struct sk_buff *skb = b->spare;

	if (!b->parts)
		return -EMSGSIZE;
	if (!skb)
		skb = alloc_skb(0, GFP_ATOMIC | __GFP_NOWARN);
	if (!skb)
		return -ENOMEM;
	b->spare = NULL;
	b->parts--;
	if (b->last == b->skb)
		skb_shinfo(b->skb)->frag_list = skb;
	else
		b->last->next = skb;
	b->skb->truesize += skb->truesize;
	b->last = skb;
	return 0;
}

static void mrc_skb_grow(struct sk_buff *skb, unsigned int len)
{
	skb->len += len;
	skb->data_len += len;
	skb->truesize += len;
}

static int mrc_skb_add_frag(struct mrc_skb *b, struct page *page,
			    unsigned int offset, unsigned int len)
{
	struct page *head = compound_head(page);
	unsigned int n = skb_shinfo(b->last)->nr_frags;
	int err;

	/* With offsets from its head, neighbouring pages of a huge page can share a fragment. */
	offset += (page - head) << PAGE_SHIFT;
	if (skb_can_coalesce(b->last, n, head, offset)) {
		skb_frag_size_add(&skb_shinfo(b->last)->frags[n - 1], len);
	} else {
		if (n == MAX_SKB_FRAGS) {
			err = mrc_skb_extend(b);
			if (err)
				return err;
			n = 0;
		}
		get_page(head);
		skb_fill_page_desc_noacc(b->last, n, head, offset, len);
	}
	mrc_skb_grow(b->skb, len);
	if (b->last != b->skb)
		mrc_skb_grow(b->last, len);
	return 0;
}

/* Adds memory of netdev_alloc_frag() as a fragment. */
static int mrc_skb_add_mem(struct mrc_skb *b, const void *at, unsigned int len)
{
	struct page *page = virt_to_head_page(at);

	return mrc_skb_add_frag(b, page, at - page_address(page), len);
}

/* Room at the skb's end for headers and ICRC: in the linear part, until there are fragments. */
static void *mrc_skb_put(struct mrc_skb *b, unsigned int len)
{
	unsigned int size = b->max_packets * (MRC_HDR_MAX + MRC_TAIL_MAX);
	u8 *at;

	if (!skb_is_nonlinear(b->skb) && skb_tailroom(b->skb) >= len)
		return skb_put(b->skb, len);
	if (!b->piece) {
		b->piece = netdev_alloc_frag(size);
		if (!b->piece)
			return NULL;
	}
	if (b->piece_used + len > size)
		return NULL;
	at = b->piece + b->piece_used;
	if (mrc_skb_add_mem(b, at, len))
		return NULL;
	b->piece_used += len;
	return at;
}

u8 *mrc_skb_hdr(struct mrc_skb *b, unsigned int len)
{
	if (b->hdr || len < MRC_BTH_LEN || len > MRC_HDR_MAX ||
	    b->packets == b->max_packets)
		return NULL;
	b->hdr = mrc_skb_put(b, len);
	b->hdr_len = len;
	b->payload = b->skb->len;
	return b->hdr;
}

static bool mrc_skb_payload_ok(const struct mrc_skb *b, unsigned int len)
{
	unsigned int open = b->skb->len - MRC_INNER_LEN - b->bytes;

	return b->hdr && len <= b->max_len &&
	       b->bytes + open + len + MRC_TAIL_MAX <= b->max_len;
}

void mrc_skb_read_page(u8 *to, struct page *page, unsigned int offset, unsigned int len)
{
	unsigned int n;
	void *from;

	page += offset >> PAGE_SHIFT;
	for (offset &= ~PAGE_MASK; len; to += n, len -= n, page++, offset = 0) {
		n = min_t(unsigned int, len, PAGE_SIZE - offset);
		from = kmap_local_page(page);
		memcpy(to, from + offset, n);
		kunmap_local(from);
	}
}

/* Adds payload by copy. Pieces that are copied one after the other share a fragment. */
static int mrc_skb_bounce(struct mrc_skb *b, struct page *page,
			  unsigned int offset, unsigned int len)
{
	u8 *at;
	int err;

	if (!b->bounce || len > PAGE_SIZE - b->bounce_used)
		return -EMSGSIZE;
	at = b->bounce + b->bounce_used;
	mrc_skb_read_page(at, page, offset, len);
	err = mrc_skb_add_mem(b, at, len);
	if (!err)
		b->bounce_used += len;
	return err;
}

int mrc_skb_page(struct mrc_skb *b, struct page *page, unsigned int offset,
		 unsigned int len)
{
	if (!mrc_skb_payload_ok(b, len))
		return -EMSGSIZE;
	if (mrc_skb_frags_left(b) <= MRC_SKB_FRAGS_KEPT)
		return mrc_skb_bounce(b, page, offset, len);
	/* The program may write to the page while the skb is on its way; the stack must not. */
	skb_shinfo(b->skb)->flags |= SKBFL_SHARED_FRAG;
	return mrc_skb_add_frag(b, page, offset, len);
}

void *mrc_skb_buffer(unsigned int len)
{
	return len <= PAGE_SIZE ? netdev_alloc_frag(len) : NULL;
}

void mrc_skb_drop_buffer(void *at)
{
	page_frag_free(at);
}

int mrc_skb_add_buffer(struct mrc_skb *b, void *at, unsigned int len)
{
	int err = mrc_skb_payload_ok(b, len) ? mrc_skb_add_mem(b, at, len) : -EMSGSIZE;

	mrc_skb_drop_buffer(at);	/* the fragment has its own reference */
	return err;
}

int mrc_skb_copy(struct mrc_skb *b, const void *data, unsigned int len)
{
	void *at;

	if (!mrc_skb_payload_ok(b, len))
		return -EMSGSIZE;
	if (!skb_is_nonlinear(b->skb) &&
	    skb_tailroom(b->skb) >= len + MRC_TAIL_MAX) {
		skb_put_data(b->skb, data, len);
		return 0;
	}
	at = mrc_skb_buffer(len);
	if (!at)
		return -ENOMEM;
	memcpy(at, data, len);
	return mrc_skb_add_buffer(b, at, len);
}

/* ICRC of the open packet; payload and pad are the @body bytes behind its headers. */
static u32 mrc_skb_icrc(struct mrc_skb *b, unsigned int body)
{
	u8 head[MRC_ICRC_PSEUDO_LEN + MRC_HDR_MAX - MRC_BTH_LEN];
	unsigned int rest = b->hdr_len - MRC_BTH_LEN;
	const u8 *ip6 = b->skb->data;
	struct mrc_crc crc;

	mrc_icrc_pseudo(head, ip6, ip6 + sizeof(struct ipv6hdr), b->hdr,
			sizeof(struct udphdr) + b->hdr_len + body +
			MRC_ICRC_LEN);
	memcpy(head + MRC_ICRC_PSEUDO_LEN, b->hdr + MRC_BTH_LEN, rest);
	mrc_crc_begin(&crc, MRC_ICRC_SEED, MRC_ICRC_PSEUDO_LEN + rest + body);
	mrc_crc_add(&crc, head, MRC_ICRC_PSEUDO_LEN + rest);
	mrc_walk_seek(b->skb, &b->pos, b->payload);
	/* Cannot fail: all these bytes are there. */
	mrc_walk_crc(b->skb, b->pos, b->payload, &crc, body);
	return ~mrc_crc_end(&crc);
}

int mrc_skb_close(struct mrc_skb *b)
{
	unsigned int body, pad, wire_len;
	u8 *tail;

	if (!b->hdr || b->closed)
		return -EINVAL;
	body = b->skb->len - b->payload;
	pad = -body & MRC_PAD_MAX;
	wire_len = b->hdr_len + body + pad + MRC_ICRC_LEN;
	if (b->packets && wire_len > b->seg_len)
		return -EINVAL;
	if (b->bytes + wire_len > b->max_len)
		return -EMSGSIZE;
	tail = mrc_skb_put(b, pad + MRC_ICRC_LEN);
	if (!tail)
		return mrc_skb_frags_left(b) ? -ENOMEM : -EMSGSIZE;
	memset(tail, 0, pad + MRC_ICRC_LEN);
	if (b->flow->icrc)
		put_unaligned_le32(mrc_skb_icrc(b, body + pad), tail + pad);
	if (!b->packets)
		b->seg_len = wire_len;
	b->closed = wire_len < b->seg_len;
	b->packets++;
	b->bytes += wire_len;
	b->hdr = NULL;
	return 0;
}

/*
 * Segmentation needs a UDP checksum that it can adjust. A single packet has none: the ICRC covers
 * more. The skb's network and transport header are those of the outermost header already.
 */
static void mrc_skb_set_gso(struct mrc_skb *b, struct udphdr *udp)
{
	struct skb_shared_info *info = skb_shinfo(b->skb);

	info->gso_size = b->seg_len;
	info->gso_segs = b->packets;
	info->gso_type = SKB_GSO_UDP_L4;
	if (b->hop.daddr) {
		info->gso_type |= SKB_GSO_IPXIP6;
		b->skb->encapsulation = 1;
	}
	udp->check = ~udp_v6_check(ntohs(udp->len), &b->flow->saddr,
				   &b->flow->daddr, 0);
	b->skb->ip_summed = CHECKSUM_PARTIAL;
	b->skb->csum_start = (u8 *)udp - b->skb->head;
	b->skb->csum_offset = offsetof(struct udphdr, check);
}

static void mrc_skb_push_outer(struct mrc_skb *b)
{
	const struct mrc_srh *srh = b->hop.srh;
	struct sk_buff *skb = b->skb;

	skb_set_inner_mac_header(skb, 0);
	skb_set_inner_network_header(skb, 0);
	skb_set_inner_transport_header(skb, sizeof(struct ipv6hdr));
	skb_set_inner_ipproto(skb, IPPROTO_IPV6);
	skb_reset_transport_header(skb);
	if (srh)
		memcpy(skb_push(skb, srh->len), srh->srh, srh->len);
	mrc_ip6_fill(skb_push(skb, sizeof(struct ipv6hdr)), b,
		     &b->flow->tunnel_saddr, b->hop.daddr,
		     srh ? NEXTHDR_ROUTING : NEXTHDR_IPV6);
	skb_reset_network_header(skb);
}

/*
 * All packets of a path take one queue of the netdev, so that they stay in order whichever CPU
 * sends them. With XPS the sender's CPU selects the queue, not the hash. So the hash selects a CPU,
 * too.
 */
static void mrc_skb_set_queue(struct mrc_skb *b)
{
	u32 hash = jhash_2words(b->ev,
				(__force u32)b->flow->daddr.s6_addr32[3], 0);

	skb_set_hash(b->skb, hash, PKT_HASH_TYPE_L4);
#ifdef CONFIG_XPS
	b->skb->sender_cpu = 1 + reciprocal_scale(hash, nr_cpu_ids);
#endif
}

/* A neighbour that has not answered for so long is silent, jiffies. */
#define MRC_SKB_ASKED_MAX	(HZ / 10)

/*
 * Would the neighbour's queue drop another skb for this one, while the neighbour may still answer?
 * An empty queue takes any skb, and then asks for the address. A silent neighbour is another
 * matter: packets that it does not get must count as lost, so that its EVs go out of use.
 */
static bool mrc_skb_must_wait(const struct sk_buff *skb, const struct neighbour *neigh)
{
	unsigned int queued = READ_ONCE(neigh->arp_queue_len_bytes);

	return queued && queued + skb->truesize > NEIGH_VAR(neigh->parms, QUEUE_LEN_BYTES) &&
	       time_before(jiffies, READ_ONCE(neigh->updated) + MRC_SKB_ASKED_MAX);
}

/*
 * Can the skb go to the next hop? While this host does not know the link-layer address, skbs wait
 * in a queue of the neighbour, for seconds if the neighbour is silent. Beyond its bound that queue
 * drops its oldest skb, and reports that to nobody. Where the route's encapsulation looks for a
 * next hop of its own, this function takes the address for known. Under RCU.
 *
 * Return: 1: it leaves at once; 0: it waits there; -ENOBUFS: an skb would be dropped for it.
 */
static int mrc_skb_next_hop(const struct mrc_skb *b)
{
	struct dst_entry *dst = b->hop.dst;
	struct in6_addr daddr = b->hop.daddr ? *b->hop.daddr : b->flow->daddr;
	const struct neighbour *neigh;
	int hop = 0;

	if (lwtunnel_output_redirect(dst->lwtstate))
		return 1;
	rcu_read_lock_bh();
	neigh = __ipv6_neigh_lookup_noref(dst->dev, rt6_nexthop(mrc_dst_rt6_info(dst), &daddr));
	if (neigh && READ_ONCE(neigh->nud_state) & NUD_VALID)
		hop = 1;
	else if (neigh && mrc_skb_must_wait(b->skb, neigh))
		hop = -ENOBUFS;
	rcu_read_unlock_bh();
	return hop;
}

/*
 * The skb's socket makes the stack go by the netdev's MTU, as we do, and not by what ICMPv6 said.
 * It is the plane's socket, or else, if ICMPv6 said something, the UDP socket. A neighbour's queue
 * is not the plane's, and takes no room of the plane from other peers. Return: 0 or -ENOBUFS.
 */
static int mrc_skb_set_owner(struct mrc_skb *b)
{
	int hop = b->path->plane ? mrc_skb_next_hop(b) : 0;

	if (hop < 0)
		return hop;
	if (hop && mrc_backlog_charge(&b->path->plane->backlog, b->skb))
		return 0;
	if (mrc_path_mtu_is_told(b->hop.dst))
		mrc_sock_own(b->flow->net, b->flow->dport, b->skb);
	return 0;
}

/* Return: 0, or -ENOBUFS: the queue of the next hop has no room. */
static int mrc_skb_finish(struct mrc_skb *b)
{
	struct sk_buff *skb = b->skb;
	struct ipv6hdr *ip6 = (struct ipv6hdr *)skb->data;
	struct udphdr *udp = (struct udphdr *)(ip6 + 1);

	udp->len = htons(skb->len - sizeof(*ip6) - b->surplus);
	ip6->payload_len = htons(skb->len - sizeof(*ip6));
	skb_reset_network_header(skb);
	skb_set_transport_header(skb, sizeof(*ip6));
	if (b->hop.daddr)
		mrc_skb_push_outer(b);
	if (b->packets > 1)
		mrc_skb_set_gso(b, udp);
	skb->protocol = htons(ETH_P_IPV6);
	skb->dev = b->hop.dst->dev;
	mrc_skb_set_queue(b);
	/* Sent within this RCU read section; a queue that keeps the skb takes a reference. */
	skb_dst_set_noref(skb, b->hop.dst);
	return mrc_skb_set_owner(b);
}

bool mrc_skb_mtu_fits(const struct mrc_skb *b, unsigned int len)
{
	return mrc_hop_outer_len(&b->hop) + MRC_INNER_LEN + len <=
	       mrc_path_mtu(b->hop.dst);
}

u32 mrc_skb_room(const struct mrc_flow *flow, struct mrc_path *path)
{
	struct mrc_path_hop hop;
	u32 mtu, headers;

	if (mrc_path_hop(path, flow, &hop))
		return U32_MAX;
	mtu = mrc_path_mtu(hop.dst);
	headers = mrc_hop_outer_len(&hop) + MRC_INNER_LEN;
	return mtu - min(mtu, headers);
}

int mrc_skb_stretch(struct mrc_skb *b, unsigned int size)
{
	unsigned int now = mrc_hop_outer_len(&b->hop) + b->skb->len, more, len;
	int err;

	if (size < now || size > mrc_path_mtu(b->hop.dst))
		return -EMSGSIZE;
	/* The zero page is read-only: the stack must not write to it either. */
	skb_shinfo(b->skb)->flags |= SKBFL_SHARED_FRAG;
	for (more = size - now; more; more -= len) {
		len = min_t(unsigned int, more, PAGE_SIZE);
		err = mrc_skb_add_frag(b, ZERO_PAGE(0), 0, len);
		if (err)
			return err;
	}
	b->surplus = size - now;
	b->closed = true;
	return 0;
}

static int mrc_skb_send(struct mrc_skb *b)
{
	struct sk_buff *skb = b->skb;
	int err;

	if (!b->packets || b->hdr)
		err = -EINVAL;
	else if (!mrc_skb_mtu_fits(b, b->seg_len))
		err = -EMSGSIZE;
	else
		err = mrc_skb_finish(b);
	if (err) {
		kfree_skb(skb);
		return err;
	}
	err = ip6_local_out(b->flow->net, NULL, skb);
	return err > 0 ? net_xmit_errno(err) : err;
}

/* Drops our references to the memory; fragments have their own. */
static void mrc_skb_free_mem(struct mrc_skb *b)
{
	if (b->piece)
		page_frag_free(b->piece);
	if (b->bounce)
		page_frag_free(b->bounce);
	consume_skb(b->spare);
}

int mrc_skb_xmit(struct mrc_skb *b)
{
	int err = mrc_skb_send(b);

	mrc_skb_free_mem(b);
	if (b->path->plane)
		mrc_plane_count_tx(b->path->plane, b->packets, b->bytes, err);
	return err;
}

void mrc_skb_abort(struct mrc_skb *b)
{
	kfree_skb(b->skb);
	mrc_skb_free_mem(b);
}
