// SPDX-License-Identifier: GPL-2.0-only
/*
 * What this host throws away of what has come for us.
 */
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <net/addrconf.h>
#include <net/ipv6.h>
#include <trace/events/skb.h>

#include "../compat/compat_net.h"
#include "lost.h"
#include "sock.h"

static void (*mrc_lost)(struct net *net, const struct in6_addr *daddr, bool filtered);

/*
 * The header behind the IPv6 header at *@at, and its place in *@at. Data begins there or behind it.
 * Return: its number, or -1.
 */
static int mrc_lost_next(const struct sk_buff *skb, int *at)
{
	struct ipv6hdr buf;
	const struct ipv6hdr *ip6 = skb_header_pointer(skb, *at, sizeof(buf), &buf);
	__be16 frag_off;
	u8 next;

	if (!ip6 || ip6->version != 6)
		return -1;
	next = ip6->nexthdr;
	*at = ipv6_skip_exthdr(skb, *at + sizeof(*ip6), &next, &frag_off);
	return *at < 0 ? -1 : next;
}

/* The UDP port that it was for, with one IPv6 header or two; 0: none. */
static __be16 mrc_lost_port(const struct sk_buff *skb)
{
	int at = skb_network_offset(skb);
	int next = mrc_lost_next(skb, &at);
	struct udphdr buf;
	const struct udphdr *udp;

	if (next == IPPROTO_IPV6)
		next = mrc_lost_next(skb, &at);
	if (next != IPPROTO_UDP)
		return 0;
	udp = skb_header_pointer(skb, at, sizeof(buf), &buf);
	return udp ? udp->dest : 0;
}

/* A probe of the fabric comes back to the host that has sent it. */
static bool mrc_lost_came_back(struct net *net, const struct sk_buff *skb)
{
	return !(skb->dev->flags & IFF_LOOPBACK) &&
	       ipv6_chk_addr(net, &ipv6_hdr(skb)->saddr, NULL, 0);
}

/*
 * What waits in a queue of a socket has something else in the place of its netdev: with these reasons none
 * has waited. What leaves this host is not for it. Any context, preemption off.
 */
static void mrc_lost_probe(const struct sk_buff *skb, enum skb_drop_reason reason)
{
	const struct in6_addr *daddr;
	struct net *net;
	__be16 port;

	if (reason != SKB_DROP_REASON_NETFILTER_DROP && reason != SKB_DROP_REASON_NO_SOCKET)
		return;
	if (skb->protocol != htons(ETH_P_IPV6) || !skb->dev)
		return;
	port = mrc_lost_port(skb);
	if (!port)
		return;
	rcu_read_lock();
	net = dev_net(skb->dev);
	daddr = &ipv6_hdr(skb)->daddr;
	if ((mrc_sock_listening(net, port) || mrc_lost_came_back(net, skb)) &&
	    ipv6_chk_addr(net, daddr, NULL, 0))
		mrc_lost(net, daddr, reason == SKB_DROP_REASON_NETFILTER_DROP);
	rcu_read_unlock();
}

#ifdef HAVE_KFREE_SKB_RX_SK
static void mrc_lost_hit(void *data, struct sk_buff *skb, void *location,
			 enum skb_drop_reason reason, struct sock *rx_sk)
{
	mrc_lost_probe(skb, reason);
}
#else
static void mrc_lost_hit(void *data, struct sk_buff *skb, void *location,
			 enum skb_drop_reason reason)
{
	mrc_lost_probe(skb, reason);
}
#endif

void mrc_lost_module_init(void (*lost)(struct net *net, const struct in6_addr *daddr,
				       bool filtered))
{
	mrc_lost = lost;
	if (register_trace_kfree_skb(mrc_lost_hit, NULL))
		pr_info("mrc: this kernel does not tell of packets that it drops\n");
}

void mrc_lost_module_exit(void)
{
	unregister_trace_kfree_skb(mrc_lost_hit, NULL);
	tracepoint_synchronize_unregister();
}
