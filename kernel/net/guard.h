/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A guard drops forged packets to one of our UDP ports that a program of this host sends: from the
 * address of a device of ours, or from an address that this host does not have. All users share a
 * device's addresses. A user that could send from one could forge answers to the QPs of others.
 */
#ifndef _MRC_NET_GUARD_H
#define _MRC_NET_GUARD_H

#include <linux/netfilter.h>
#include <linux/types.h>

struct in6_addr;
struct net;

/**
 * struct mrc_guard - the guard of a namespace and a UDP port
 * @hook: sees each packet that leaves the namespace
 * @port: UDP port, network order
 */
struct mrc_guard {
	struct nf_hook_ops hook;
	__be16 port;
};

/**
 * struct mrc_guard_ops - what the layers above know of devices; any context, under RCU
 * @is_device: does a device of this namespace have the address?
 * @forged: a packet that claimed to be from this address was dropped
 */
struct mrc_guard_ops {
	bool (*is_device)(struct net *net, const struct in6_addr *addr);
	void (*forged)(struct net *net, const struct in6_addr *saddr);
};

/**
 * mrc_guard_up() - from now on only the module can send to the port from its devices' addresses
 * @guard: freed by RCU, after mrc_guard_down()
 * @net: namespace
 * @port: UDP port, network order
 *
 * A kernel without netfilter guards nothing.
 *
 * Process context, sleeps; RTNL may be held. Return: 0 or -ENOMEM.
 */
int mrc_guard_up(struct mrc_guard *guard, struct net *net, __be16 port);
/** mrc_guard_down() - remove the guard; it may still look at packets on their way. Sleeps. */
void mrc_guard_down(struct mrc_guard *guard, struct net *net);

/** mrc_guard_module_init() - call it before any guard is up; @ops stays valid until all are down */
void mrc_guard_module_init(const struct mrc_guard_ops *ops);

#endif /* _MRC_NET_GUARD_H */
