// SPDX-License-Identifier: GPL-2.0-only
/*
 * A guard drops forged packets of programs of this host to a UDP port of ours.
 *
 * The guard is the first of netfilter's output hooks, before anything could copy or change a
 * packet. There, each packet of a program has the program's socket. Our own packets have no socket,
 * or a kernel's. Packets that leave a tunnel have no socket either. If a program of this namespace
 * sent what is inside, the guard saw that packet before it entered the tunnel.
 *
 * IPV6_FREEBIND lets any user send from any address. So an address that this host does not have is
 * as bad as a device's: it may be the peer's. Packets to the same port from other addresses of this
 * host, as rdma_rxe sends them, pass.
 */
#include <linux/netfilter_ipv6.h>
#include <linux/skbuff.h>
#include <linux/udp.h>
#include <net/addrconf.h>
#include <net/ipv6.h>
#include <net/sock.h>

#include "guard.h"
#include "netdev.h"

/* So many IPv6 headers inside each other are looked through. */
#define MRC_GUARD_DEPTH		4u

static const struct mrc_guard_ops *mrc_guard_ops;

/* Is @saddr an address that no program may send from? */
static bool mrc_guard_names(const struct nf_hook_state *state, const struct in6_addr *saddr)
{
	return mrc_guard_ops->is_device(state->net, saddr) ||
	       !mrc_netdev_has_addr(state->out, saddr);
}

/**
 * struct mrc_guard_walk - where a walk over headers stands
 * @at: offset of the header that comes next
 * @next: its protocol
 * @saddr: source in the last IPv6 header
 */
struct mrc_guard_walk {
	int at;
	u8 next;
	struct in6_addr saddr;
};

/* Steps past an IPv6 header and its extensions. Return: false when the rest cannot be read. */
static bool mrc_guard_step(const struct sk_buff *skb, struct mrc_guard_walk *w)
{
	const struct ipv6hdr *ip6;
	struct ipv6hdr buf;
	__be16 offset = 0;

	ip6 = skb_header_pointer(skb, w->at, sizeof(buf), &buf);
	if (!ip6)
		return false;
	w->saddr = ip6->saddr;
	w->next = ip6->nexthdr;
	w->at = ipv6_skip_exthdr(skb, w->at + sizeof(*ip6), &w->next, &offset);
	return w->at >= 0 && !(offset & htons(IP6_OFFSET));
}

/* Is the packet surely for another port than ours? */
static bool mrc_guard_other_port(const struct mrc_guard *g, const struct sk_buff *skb, int at)
{
	const struct udphdr *udp;
	struct udphdr buf;

	udp = skb_header_pointer(skb, at, sizeof(buf), &buf);
	return udp && udp->dest != g->port;
}

/*
 * Can this packet be for our port, judged by its headers? Yes, if they cannot be read: it is a
 * fragment, which only raw sockets send here, or it has more headers than any honest packet. Sets
 * w->saddr.
 */
static bool mrc_guard_like_ours(const struct mrc_guard *g, const struct sk_buff *skb,
				struct mrc_guard_walk *w)
{
	unsigned int depth;

	for (depth = 0; depth < MRC_GUARD_DEPTH; depth++) {
		if (!mrc_guard_step(skb, w))
			return true;
		if (w->next == NEXTHDR_UDP)
			return !mrc_guard_other_port(g, skb, w->at);
		if (w->next != NEXTHDR_IPV6)
			return false;
	}
	return true;
}

/* No program's packet: a packet of a plane has the plane's socket, a packet of a tunnel none. */
static bool mrc_guard_of_kernel(const struct sock *sk)
{
	return !sk || (sk_fullsock(sk) && sk->sk_kern_sock);
}

/* Process context or softirq, under RCU. The network header is an IPv6 header. */
static unsigned int __maybe_unused mrc_guard_hook(void *priv, struct sk_buff *skb,
						  const struct nf_hook_state *state)
{
	const struct mrc_guard *g = priv;
	struct mrc_guard_walk w = { .at = skb_network_offset(skb) };

	if (mrc_guard_of_kernel(skb->sk ?: state->sk))
		return NF_ACCEPT;
	if (!mrc_guard_like_ours(g, skb, &w) || !mrc_guard_names(state, &w.saddr))
		return NF_ACCEPT;
	mrc_guard_ops->forged(state->net, &w.saddr);
	return NF_DROP;
}

#if IS_ENABLED(CONFIG_NETFILTER)

int mrc_guard_up(struct mrc_guard *guard, struct net *net, __be16 port)
{
	guard->port = port;
	guard->hook = (struct nf_hook_ops) {
		.hook = mrc_guard_hook,
		.priv = guard,
		.pf = NFPROTO_IPV6,
		.hooknum = NF_INET_LOCAL_OUT,
		.priority = NF_IP6_PRI_FIRST,
	};
	return nf_register_net_hook(net, &guard->hook);
}

void mrc_guard_down(struct mrc_guard *guard, struct net *net)
{
	nf_unregister_net_hook(net, &guard->hook);
}

#else

int mrc_guard_up(struct mrc_guard *guard, struct net *net, __be16 port)
{
	return 0;
}

void mrc_guard_down(struct mrc_guard *guard, struct net *net)
{
}

#endif

void mrc_guard_module_init(const struct mrc_guard_ops *ops)
{
	mrc_guard_ops = ops;
}
