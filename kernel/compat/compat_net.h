/* SPDX-License-Identifier: GPL-2.0-only */
/* Differences between kernels in the network stack. */
#ifndef _MRC_COMPAT_NET_H
#define _MRC_COMPAT_NET_H

#include <linux/net.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <net/ip6_fib.h>

#include "compat-config.h"

/**
 * mrc_skb_frags_readable() - may the CPU read the fragments? (Device memory, from 6.12: no.)
 */
static inline bool mrc_skb_frags_readable(const struct sk_buff *skb)
{
#ifdef HAVE_SKB_FRAGS_READABLE
	return skb_frags_readable(skb);
#else
	return true;
#endif
}

/** mrc_netdev_registered() - is a netdev registered? Without RTNL, not for sure a moment later. */
static inline bool mrc_netdev_registered(const struct net_device *dev)
{
#ifdef HAVE_REG_STATE_BYTE
	return READ_ONCE(dev->reg_state) == NETREG_REGISTERED;
#else
	return dev->reg_state == NETREG_REGISTERED;
#endif
}

/** mrc_dst_rt6_info() - the IPv6 route that contains a dst */
static inline struct rt6_info *mrc_dst_rt6_info(struct dst_entry *dst)
{
#ifdef HAVE_DST_RT6_INFO
	return dst_rt6_info(dst);
#else
	return container_of(dst, struct rt6_info, dst);
#endif
}

/* The form in which the functions for UDP tunnels take a socket. */
#ifdef HAVE_UDP_TUNNEL_SK
static inline struct sock *mrc_udp_tunnel(struct socket *sock)
{
	return sock->sk;
}
#else
static inline struct socket *mrc_udp_tunnel(struct socket *sock)
{
	return sock;
}
#endif

/* What the tracepoint kfree_skb hands over behind the reason: the packet's socket, or nothing. */
#if defined(HAVE_KFREE_SKB_CONST_SK)
#define MRC_KFREE_SKB_SK	, const struct sock *rx_sk
#elif defined(HAVE_KFREE_SKB_RX_SK)
#define MRC_KFREE_SKB_SK	, struct sock *rx_sk
#else
#define MRC_KFREE_SKB_SK
#endif

#endif /* _MRC_COMPAT_NET_H */
