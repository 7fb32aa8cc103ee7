/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Routes of a device. A QP that names no profile itself uses the profiles of the route to its peer.
 */
#ifndef _MRC_TRANSPORT_ROUTE_H
#define _MRC_TRANSPORT_ROUTE_H

#include <linux/bitmap.h>
#include <linux/in6.h>
#include <linux/rbtree.h>
#include <linux/rhashtable.h>
#include <linux/types.h>

struct mrc_change;
struct mrc_dev;

/* At most so many routes of a device: one per host of a large cluster. A message has the number. */
#define MRC_ROUTES_MAX	65536

/* Number of lengths that a prefix may have: 0 to 128. */
#define MRC_ROUTE_LENS	129

/**
 * struct mrc_route_key - a prefix of remote GIDs
 * @prefix: host bits zero
 * @plen: 0..128
 */
struct mrc_route_key {
	struct in6_addr prefix;
	u8 plen;
};

/**
 * struct mrc_route - maps a prefix of remote GIDs to profiles
 * @key: the prefix
 * @owner: enum mrc_nl_owner, or another controller's number
 * @usid: uSID of the host that the prefix names, appended to EVs that end at its switch; 0: none
 * @ev_profile: id of an EV profile that exists
 * @cc_profile: id of a CC profile, 0: none
 */
struct mrc_route {
	struct mrc_route_key key;
	u8 owner;
	u16 usid;
	u64 ev_profile;
	u64 cc_profile;
};

/**
 * struct mrc_routes - the routes of a device; changed under dev->cfg_lock
 * @table: by prefix, for look-ups under RCU
 * @lens: bit per prefix length in use; bit 0 is for length 128, which a look-up tries first
 * @len_count: routes per length
 * @order: all routes in the order of dumps: the longest prefix first, then by address
 * @count: number of routes
 *
 * A look-up searches the table once per length in use, however many routes there are.
 */
struct mrc_routes {
	struct rhashtable table;
	DECLARE_BITMAP(lens, MRC_ROUTE_LENS);
	u32 len_count[MRC_ROUTE_LENS];
	struct rb_root order;
	u32 count;
};

/** mrc_routes_init() - Return: 0 or -ENOMEM */
int mrc_routes_init(struct mrc_dev *dev);
/** mrc_routes_free() - no look-up runs any more; mrc_routes_init() may not have run */
void mrc_routes_free(struct mrc_dev *dev);

/**
 * mrc_route_add() - add a route or, with @replace, replace the route of its prefix
 *
 * The owner is the one that @change names, or else the owner of the replaced route; @route gets it.
 *
 * dev->cfg_lock held. Return: 0, -EEXIST (without @replace), -ENOENT (no such
 * profile), -EINVAL (host bits, the profile needs a uSID), -ENOSPC (there are MRC_ROUTES_MAX),
 * -ESTALE (it belongs to another owner), -ENOMEM.
 */
int mrc_route_add(struct mrc_dev *dev, struct mrc_route *route,
		  bool replace, const struct mrc_change *change);
/**
 * mrc_route_del() - Return: 0, -ENOENT, -ESTALE (it belongs to another owner). dev->cfg_lock held.
 */
int mrc_route_del(struct mrc_dev *dev, const struct mrc_route_key *key,
		  const struct mrc_change *change);
/** mrc_route_lookup() - find the longest match; false: none: use profile 0. Any context. */
bool mrc_route_lookup(struct mrc_dev *dev, const struct in6_addr *gid,
		      struct mrc_route *result);
/**
 * mrc_route_next() - walk the routes: the longest prefix first, then by address
 * @dev: the device
 * @after: key of the route before, which may be gone by now; NULL: get the first route
 * @result: gets a copy
 *
 * The walk sees each route once that exists from beginning to end. Process context, takes
 * dev->cfg_lock. Return: false: there is no further route.
 */
bool mrc_route_next(struct mrc_dev *dev, const struct mrc_route_key *after,
		    struct mrc_route *result);

/** mrc_routes_name_ev_profile() - does a route name this EV profile? dev->cfg_lock held. */
bool mrc_routes_name_ev_profile(struct mrc_dev *dev, u64 id);
/** mrc_routes_name_cc_profile() - does a route name this CC profile? dev->cfg_lock held. */
bool mrc_routes_name_cc_profile(struct mrc_dev *dev, u64 id);

#endif /* _MRC_TRANSPORT_ROUTE_H */
