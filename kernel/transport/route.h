/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Routes of a device: what a QP uses that names no profile itself.
 */
#ifndef _MRC_TRANSPORT_ROUTE_H
#define _MRC_TRANSPORT_ROUTE_H

#include <linux/in6.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/types.h>

struct mrc_dev;
struct netlink_ext_ack;

/**
 * struct mrc_route - maps a prefix of remote GIDs to profiles
 * @prefix: host bits zero
 * @plen: 0..128
 * @ev_profile: id of an EV profile that exists
 * @cc_profile: id of a CC profile, 0: none
 * @usid: of the host that the prefix names, which EVs that end at its switch go on to; 0: none
 */
struct mrc_route {
	struct list_head list;	/* longest prefix first, then by address */
	struct rcu_head rcu;
	struct in6_addr prefix;
	u8 plen;
	u16 usid;
	u64 ev_profile;
	u64 cc_profile;
};

/**
 * mrc_route_add() - a route, also for peers that there are: their EVs follow its uSID
 *
 * Process context, takes dev->cfg_lock. Return: 0, -EEXIST (without @replace), -ENOENT (no such
 * profile), -EINVAL (host bits, the profile needs a uSID), -ENOMEM.
 */
int mrc_route_add(struct mrc_dev *dev, const struct mrc_route *route,
		  bool replace, struct netlink_ext_ack *extack);
int mrc_route_del(struct mrc_dev *dev, const struct in6_addr *prefix, u8 plen,
		  struct netlink_ext_ack *extack);
/** mrc_route_lookup() - longest match; false: none, use the automatic profile. Any context. */
bool mrc_route_lookup(struct mrc_dev *dev, const struct in6_addr *gid,
		      struct mrc_route *result);
/**
 * mrc_route_nth() - copy of the @n-th route in list order; false: beyond the last. Process
 * context.
 */
bool mrc_route_nth(struct mrc_dev *dev, unsigned int n, struct mrc_route *result);

void mrc_routes_free(struct mrc_dev *dev);

#endif /* _MRC_TRANSPORT_ROUTE_H */
