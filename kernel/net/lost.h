/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reports packets that reached this host and that the host itself dropped before this module got
 * them: packets for our UDP ports, and probes of the fabric. Netfilter dropped them (a firewall, a
 * reverse path filter), or no socket heard them (a VRF). Without this report, a peer or a monitor
 * of the fabric would blame a switch for the loss.
 *
 * It uses the kernel's tracepoint for dropped packets, which costs nothing while none is dropped.
 */
#ifndef _MRC_NET_LOST_H
#define _MRC_NET_LOST_H

#include <linux/in6.h>
#include <net/net_namespace.h>

/**
 * mrc_lost_module_init() - begin to report dropped packets
 * @lost: called for each packet, with its namespace, the destination of its outermost IPv6 header,
 *        and whether netfilter dropped it; if not, no socket heard it. Under RCU, any context
 *
 * A kernel that does not report drops never has @lost called. Process context.
 */
void mrc_lost_module_init(void (*lost)(struct net *net, const struct in6_addr *daddr,
				       bool filtered));
/** mrc_lost_module_exit() - once this returns, no packet is reported any more. Process context. */
void mrc_lost_module_exit(void);

#endif /* _MRC_NET_LOST_H */
