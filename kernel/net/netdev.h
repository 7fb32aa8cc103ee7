/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Masters of netdevs (bond, bridge, VRF): whether a netdev's packets get to this module at all, and
 * which addresses this host has.
 *
 * A port of a bond, a team, a bridge or a virtual switch hands each packet to its master before an
 * address of the port is looked at. A port of a VRF does not, but by default no UDP socket gets
 * what comes in there (sysctl net.ipv4.udp_l3mdev_accept, which is IPv6's too).
 */
#ifndef _MRC_NET_NETDEV_H
#define _MRC_NET_NETDEV_H

#include <linux/netdevice.h>

struct in6_addr;
struct mrc_change;

/** mrc_netdev_taken() - does a netdev's master take all its packets? Any context. */
bool mrc_netdev_taken(struct net_device *dev);

/** mrc_netdev_deaf() - is a netdev in a VRF that no UDP socket gets packets from? Any context. */
bool mrc_netdev_deaf(const struct net_device *dev);

/**
 * mrc_netdev_has_addr() - does this host have an address, in a netdev's VRF or outside all VRFs?
 *
 * IPv6 itself looks in one of the two only; without a netdev it sees no VRF's addresses. Any
 * context.
 */
bool mrc_netdev_has_addr(const struct net_device *dev, const struct in6_addr *addr);

/**
 * mrc_netdev_check() - does a netdev's master allow it to be an anchor or a plane?
 * @dev: the netdev
 * @change: if not, gets the names of the netdev and of its master
 *
 * Any context. Return: 0 or -EBUSY.
 */
int mrc_netdev_check(struct net_device *dev, const struct mrc_change *change);

/** mrc_netdev_tell() - log what a plane's master, if any, means for the plane. Any context. */
void mrc_netdev_tell(struct net_device *dev);

#endif /* _MRC_NET_NETDEV_H */
