// SPDX-License-Identifier: GPL-2.0-only
/*
 * Routes of a device: prefixes of remote GIDs to profiles, longest first.
 */
#include <linux/netlink.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <net/ipv6.h>

#include "device.h"
#include "peer.h"
#include "route.h"

/* Longest prefix first, then by address: the order of look-up and of dumps. */
static int mrc_route_cmp(const struct mrc_route *r,
			 const struct in6_addr *prefix, u8 plen)
{
	if (r->plen != plen)
		return r->plen > plen ? -1 : 1;
	return memcmp(&r->prefix, prefix, sizeof(*prefix));
}

static int mrc_route_check(struct mrc_dev *dev, const struct mrc_route *route,
			   struct netlink_ext_ack *extack)
{
	struct mrc_ev_profile *p;
	struct mrc_cc_profile cc;
	struct in6_addr prefix;
	bool via;

	ipv6_addr_prefix(&prefix, &route->prefix, route->plen);
	if (!ipv6_addr_equal(&prefix, &route->prefix)) {
		NL_SET_ERR_MSG_MOD(extack, "host bits of the prefix are not zero");
		return -EINVAL;
	}
	if (!mrc_cc_profile_get(dev, route->cc_profile, &cc)) {
		NL_SET_ERR_MSG_MOD(extack, "no such CC profile");
		return -ENOENT;
	}
	p = mrc_ev_profile_get(dev, route->ev_profile);
	if (!p) {
		NL_SET_ERR_MSG_MOD(extack, "no such EV profile");
		return -ENOENT;
	}
	via = p->via;
	mrc_ev_profile_put(p);
	if (via && !route->usid) {
		NL_SET_ERR_MSG_MOD(extack,
				   "EVs of this EV profile end at a switch: usid is missing");
		return -EINVAL;
	}
	return 0;
}

static int mrc_route_insert(struct mrc_dev *dev, struct mrc_route *new,
			    bool replace, struct netlink_ext_ack *extack)
{
	struct mrc_route *r;
	int order;

	list_for_each_entry(r, &dev->routes, list) {
		order = mrc_route_cmp(r, &new->prefix, new->plen);
		if (order < 0)
			continue;
		if (order > 0)
			break;
		if (!replace) {
			NL_SET_ERR_MSG_MOD(extack, "a route of this prefix exists");
			return -EEXIST;
		}
		list_replace_rcu(&r->list, &new->list);
		kfree_rcu(r, rcu);
		return 0;
	}
	list_add_tail_rcu(&new->list, &r->list);
	return 0;
}

int mrc_route_add(struct mrc_dev *dev, const struct mrc_route *route,
		  bool replace, struct netlink_ext_ack *extack)
{
	struct mrc_route *new;
	int err;

	if (route->plen > 128) {
		NL_SET_ERR_MSG_MOD(extack, "prefix length must be 0 to 128");
		return -EINVAL;
	}
	new = kmemdup(route, sizeof(*route), GFP_KERNEL_ACCOUNT);
	if (!new)
		return -ENOMEM;
	mutex_lock(&dev->cfg_lock);
	err = mrc_route_check(dev, new, extack);
	if (!err)
		err = mrc_route_insert(dev, new, replace, extack);
	if (!err)
		mrc_peers_rerouted(dev, &new->prefix, new->plen);
	mutex_unlock(&dev->cfg_lock);
	if (err)
		kfree(new);
	return err;
}

int mrc_route_del(struct mrc_dev *dev, const struct in6_addr *prefix, u8 plen,
		  struct netlink_ext_ack *extack)
{
	struct mrc_route *r;
	int err = -ENOENT;

	mutex_lock(&dev->cfg_lock);
	list_for_each_entry(r, &dev->routes, list) {
		if (mrc_route_cmp(r, prefix, plen))
			continue;
		list_del_rcu(&r->list);
		kfree_rcu(r, rcu);
		err = 0;
		break;
	}
	if (!err)
		mrc_peers_rerouted(dev, prefix, plen);
	mutex_unlock(&dev->cfg_lock);
	if (err)
		NL_SET_ERR_MSG_MOD(extack, "no route of this prefix");
	return err;
}

bool mrc_route_lookup(struct mrc_dev *dev, const struct in6_addr *gid,
		      struct mrc_route *result)
{
	struct mrc_route *r;
	bool found = false;

	rcu_read_lock();
	list_for_each_entry_rcu(r, &dev->routes, list) {
		if (!ipv6_prefix_equal(&r->prefix, gid, r->plen))
			continue;
		*result = *r;
		found = true;
		break;
	}
	rcu_read_unlock();
	return found;
}

bool mrc_route_nth(struct mrc_dev *dev, unsigned int n,
		   struct mrc_route *result)
{
	struct mrc_route *r;
	bool found = false;

	mutex_lock(&dev->cfg_lock);
	list_for_each_entry(r, &dev->routes, list) {
		if (n--)
			continue;
		*result = *r;
		found = true;
		break;
	}
	mutex_unlock(&dev->cfg_lock);
	return found;
}

void mrc_routes_free(struct mrc_dev *dev)
{
	struct mrc_route *r, *tmp;

	list_for_each_entry_safe(r, tmp, &dev->routes, list) {
		list_del_rcu(&r->list);
		kfree_rcu(r, rcu);
	}
}
