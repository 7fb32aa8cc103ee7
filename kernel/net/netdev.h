/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Masters of netdevs: whether a netdev's packets get to us at all, and whose an address is.
 *
 * A port of a bond, a team, a bridge or a virtual switch hands each packet to its master before an address
 * of the port is looked at. A port of a VRF does not, but by default no UDP socket gets what comes in
 * there (sysctl net.ipv4.udp_l3mdev_accept, which is IPv6's too).
 */
#ifndef _MRC_NET_NETDEV_H
#define _MRC_NET_NETDEV_H

#include <linux/netdevice.h>

struct in6_addr;
struct mrc_change;

/** mrc_netdev_taken() - are its packets its master's? Any context. */
bool mrc_netdev_taken(struct net_device *dev);

/** mrc_netdev_deaf() - does no UDP socket get what comes in by it, for it is in a VRF? Any context. */
bool mrc_netdev_deaf(const struct net_device *dev);

/**
 * mrc_netdev_has_addr() - has this host an address, in the VRF of a netdev or in none?
 *
 * IPv6 itself asks for one of both, and without a netdev sees no address of any VRF. Any context.
 */
bool mrc_netdev_has_addr(const struct net_device *dev, const struct in6_addr *addr);

/**
 * mrc_netdev_check() - can it be an anchor or a plane, as masters go?
 * @dev: the netdev
 * @change: is told its name and its master's, if not
 *
 * Any context. Return: 0 or -EBUSY.
 */
int mrc_netdev_check(struct net_device *dev, const struct mrc_change *change);

/** mrc_netdev_tell() - the kernel's log has what a plane's master means for it. Any context. */
void mrc_netdev_tell(struct net_device *dev);

#endif /* _MRC_NET_NETDEV_H */
