/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What programs of this host may not send to a UDP port of ours: packets in the name of a device, or
 * of nobody here. All users share the addresses of a device, and who may send from one could forge
 * answers to the QPs of others.
 */
#ifndef _MRC_NET_GUARD_H
#define _MRC_NET_GUARD_H

#include <linux/netfilter.h>
#include <linux/types.h>

struct in6_addr;
struct net;

/**
 * struct mrc_guard - of a namespace and a UDP port
 * @hook: sees each packet that leaves the namespace
 * @port: UDP port, network order
 */
struct mrc_guard {
	struct nf_hook_ops hook;
	__be16 port;
};

/**
 * struct mrc_guard_ops - what is known above; any context, under RCU
 * @is_device: has a device of this namespace the address?
 * @forged: a packet that claimed to be from this address was dropped
 */
struct mrc_guard_ops {
	bool (*is_device)(struct net *net, const struct in6_addr *addr);
	void (*forged)(struct net *net, const struct in6_addr *saddr);
};

/**
 * mrc_guard_up() - from here on only the module sends to the port in the name of its devices
 * @guard: freed by RCU, after mrc_guard_down()
 * @net: namespace
 * @port: UDP port, network order
 *
 * A kernel without netfilter guards nothing.
 *
 * Process context, sleeps; RTNL may be held. Return: 0 or -ENOMEM.
 */
int mrc_guard_up(struct mrc_guard *guard, struct net *net, __be16 port);
/** mrc_guard_down() - undo it; packets that are on their way may still be looked at. Sleeps. */
void mrc_guard_down(struct mrc_guard *guard, struct net *net);

/** mrc_guard_module_init() - before any guard is up; @ops stays valid until no guard is */
void mrc_guard_module_init(const struct mrc_guard_ops *ops);

#endif /* _MRC_NET_GUARD_H */
