// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets for this module that reached this host, and that the host dropped itself.
 */
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <net/addrconf.h>
#include <net/ipv6.h>
#include <trace/events/skb.h>

#include "../compat/compat_net.h"
#include "lost.h"
#include "netdev.h"
#include "sock.h"

static void (*mrc_lost)(struct net *net, const struct in6_addr *daddr, bool filtered);
static bool mrc_lost_told;

/**
 * struct mrc_lost_headers - a walk over the headers of a packet, which may lie in fragments
 * @at: offset of the header that comes next; data begins there or behind it
 * @next: its protocol
 * @ip6: the IPv6 header before that one
 */
struct mrc_lost_headers {
	int at;
	u8 next;
	struct ipv6hdr ip6;
};

/* Steps past an IPv6 header and its extensions. Return: false when these cannot be read. */
static bool mrc_lost_step(const struct sk_buff *skb, struct mrc_lost_headers *h)
{
	struct ipv6hdr buf;
	const struct ipv6hdr *ip6 = skb_header_pointer(skb, h->at, sizeof(buf), &buf);
	__be16 frag_off;

	if (!ip6 || ip6->version != 6)
		return false;
	h->ip6 = *ip6;
	h->next = ip6->nexthdr;
	h->at = ipv6_skip_exthdr(skb, h->at + sizeof(*ip6), &h->next, &frag_off);
	return h->at >= 0;
}

/*
 * The UDP destination port of a packet with one or two IPv6 headers; 0: it has none. With a port,
 * @outer gets the first IPv6 header.
 */
static __be16 mrc_lost_port(const struct sk_buff *skb, struct ipv6hdr *outer)
{
	struct mrc_lost_headers h = { .at = skb_network_offset(skb) };
	const struct udphdr *udp;
	struct udphdr buf;

	if (!mrc_lost_step(skb, &h))
		return 0;
	*outer = h.ip6;
	if (h.next == IPPROTO_IPV6 && !mrc_lost_step(skb, &h))
		return 0;
	if (h.next != IPPROTO_UDP)
		return 0;
	udp = skb_header_pointer(skb, h.at, sizeof(buf), &buf);
	return udp ? udp->dest : 0;
}

/* Has the packet come back to the host that sent it, as a probe of the fabric does? */
static bool mrc_lost_came_back(const struct net_device *dev, const struct in6_addr *saddr)
{
	return !(dev->flags & IFF_LOOPBACK) && mrc_netdev_has_addr(dev, saddr);
}

/*
 * Any context, preemption off.
 *
 * skb->dev is valid: it would not be in an skb that has waited in a socket's queue, but none that
 * is dropped for one of these two reasons has. A packet that was on its way out has another host's
 * address as its destination, and is not reported.
 */
static void mrc_lost_probe(const struct sk_buff *skb, enum skb_drop_reason reason)
{
	struct ipv6hdr outer;
	struct net *net;
	__be16 port;

	if (reason != SKB_DROP_REASON_NETFILTER_DROP && reason != SKB_DROP_REASON_NO_SOCKET)
		return;
	if (skb->protocol != htons(ETH_P_IPV6) || !skb->dev)
		return;
	port = mrc_lost_port(skb, &outer);
	if (!port)
		return;
	rcu_read_lock();
	net = dev_net(skb->dev);
	if (mrc_sock_any(net) &&
	    (mrc_sock_listening(net, port) || mrc_lost_came_back(skb->dev, &outer.saddr)) &&
	    mrc_netdev_has_addr(skb->dev, &outer.daddr))
		mrc_lost(net, &outer.daddr, reason == SKB_DROP_REASON_NETFILTER_DROP);
	rcu_read_unlock();
}

static void mrc_lost_hit(void *data, struct sk_buff *skb, void *location,
			 enum skb_drop_reason reason MRC_KFREE_SKB_SK)
{
	mrc_lost_probe(skb, reason);
}

void mrc_lost_module_init(void (*lost)(struct net *net, const struct in6_addr *daddr,
				       bool filtered))
{
	mrc_lost = lost;
	mrc_lost_told = !register_trace_kfree_skb(mrc_lost_hit, NULL);
	if (!mrc_lost_told)
		pr_info("mrc: this kernel does not report packets that it drops\n");
}

void mrc_lost_module_exit(void)
{
	if (!mrc_lost_told)
		return;
	unregister_trace_kfree_skb(mrc_lost_hit, NULL);
	tracepoint_synchronize_unregister();
}
