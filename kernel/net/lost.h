/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packets for our UDP ports, and probes of the fabric, that have come to this host and that this host
 * itself has thrown away before they got to us: netfilter has (a firewall, a reverse path filter), or
 * no socket heard them (a VRF). By nothing else can peers, and whoever watches the fabric, tell that
 * from a switch that loses packets.
 *
 * The kernel tells of each packet that it throws away. That costs nothing while it throws none away.
 */
#ifndef _MRC_NET_LOST_H
#define _MRC_NET_LOST_H

#include <linux/in6.h>
#include <net/net_namespace.h>

/**
 * mrc_lost_module_init() - hear of packets
 * @lost: is told of each: its namespace, the destination (of an outer header, if it has one), and
 *        whether netfilter is why; else there was no socket. Under RCU, any context
 *
 * Where the kernel does not tell, @lost is never called. Process context.
 */
void mrc_lost_module_init(void (*lost)(struct net *net, const struct in6_addr *daddr,
				       bool filtered));
/** mrc_lost_module_exit() - hear no more, when it returns. Process context. */
void mrc_lost_module_exit(void);

#endif /* _MRC_NET_LOST_H */
