// SPDX-License-Identifier: GPL-2.0-only
/*
 * Routes of a device: prefixes of remote GIDs to profiles, longest first.
 */
#include <linux/rhashtable.h>
#include <linux/slab.h>
#include <linux/stringify.h>
#include <net/ipv6.h>

#include "../../net/change.h"
#include "cc_profile.h"
#include "../device/device.h"
#include "ev_profile.h"
#include "route.h"

/**
 * struct mrc_route_node - a route in the table
 * @hash: in routes->table
 * @order: in routes->order
 * @rcu: freed after readers
 * @route: never changes; to change a route, its node is replaced
 */
struct mrc_route_node {
	struct rhash_head hash;
	struct rb_node order;
	struct rcu_head rcu;
	struct mrc_route route;
};

/* Documentation/failures.md states this size. */
static_assert(sizeof(struct mrc_route_node) <= 96);

static const struct rhashtable_params mrc_route_params = {
	.key_len = offsetofend(struct mrc_route_key, plen),
	.key_offset = offsetof(struct mrc_route_node, route.key),
	.head_offset = offsetof(struct mrc_route_node, hash),
	.automatic_shrinking = true,
};

static struct mrc_route_node *mrc_route_node(struct rb_node *rb)
{
	return rb_entry_safe(rb, struct mrc_route_node, order);
}

/* Longest prefix first, then by address. */
static int mrc_route_cmp(const struct mrc_route_key *a,
			 const struct mrc_route_key *b)
{
	if (a->plen != b->plen)
		return a->plen > b->plen ? -1 : 1;
	return memcmp(&a->prefix, &b->prefix, sizeof(a->prefix));
}

static bool mrc_route_before(struct rb_node *a, const struct rb_node *b)
{
	return mrc_route_cmp(&mrc_route_node(a)->route.key,
			     &rb_entry(b, struct mrc_route_node, order)->route.key) < 0;
}

static struct mrc_route_node *mrc_route_find(struct mrc_dev *dev,
					     const struct mrc_route_key *key)
{
	return rhashtable_lookup_fast(&dev->routes->table, key, mrc_route_params);
}

static int mrc_route_bit(const struct mrc_route_node *n)
{
	return 128 - n->route.key.plen;
}

static int mrc_route_check(struct mrc_dev *dev, const struct mrc_route *route,
			   const struct mrc_change *change)
{
	struct mrc_ev_profile *p;
	struct mrc_cc_profile cc;
	struct in6_addr prefix;
	bool via;

	ipv6_addr_prefix(&prefix, &route->key.prefix, route->key.plen);
	if (!ipv6_addr_equal(&prefix, &route->key.prefix))
		return mrc_refuse(change, -EINVAL, MRC_A_ROUTE_PREFIX,
				  "host bits of the prefix are not zero");
	if (!mrc_cc_profile_get(dev, route->cc_profile, &cc))
		return mrc_refuse(change, -ENOENT, MRC_A_ROUTE_CC_PROFILE,
				  "no such CC profile");
	p = mrc_ev_profile_get(dev, route->ev_profile);
	if (!p)
		return mrc_refuse(change, -ENOENT, MRC_A_ROUTE_EV_PROFILE,
				  "no such EV profile");
	via = p->via;
	mrc_ev_profile_put(p);
	if (via && !route->usid)
		return mrc_refuse(change, -EINVAL, MRC_A_ROUTE_EV_PROFILE,
				  "EVs of this EV profile end at a switch: usid is missing");
	return 0;
}

/* A reader that sees the bit of a length before its route finds none, and tries the next length. */
static int mrc_route_insert(struct mrc_routes *routes, struct mrc_route_node *new,
			    const struct mrc_change *change)
{
	int bit = mrc_route_bit(new);
	int err;

	if (routes->count >= MRC_ROUTES_MAX)
		return mrc_refuse(change, -ENOSPC, 0,
				  "a device has at most " __stringify(MRC_ROUTES_MAX)
				  " routes");
	err = rhashtable_insert_fast(&routes->table, &new->hash, mrc_route_params);
	if (err)
		return err;
	rb_add(&new->order, &routes->order, mrc_route_before);
	routes->count++;
	if (!routes->len_count[bit]++)
		set_bit(bit, routes->lens);
	return 0;
}

static void mrc_route_remove(struct mrc_routes *routes, struct mrc_route_node *n)
{
	int bit = mrc_route_bit(n);

	rhashtable_remove_fast(&routes->table, &n->hash, mrc_route_params);
	rb_erase(&n->order, &routes->order);
	routes->count--;
	if (!--routes->len_count[bit])
		clear_bit(bit, routes->lens);
	kfree_rcu(n, rcu);
}

/* Readers find either the old route or the new one, never none. */
static int mrc_route_replace(struct mrc_routes *routes, struct mrc_route_node *old,
			     struct mrc_route_node *new)
{
	int err = rhashtable_replace_fast(&routes->table, &old->hash, &new->hash,
					  mrc_route_params);

	if (err)
		return err;
	rb_replace_node(&old->order, &new->order, &routes->order);
	kfree_rcu(old, rcu);
	return 0;
}

static int mrc_route_put(struct mrc_dev *dev, struct mrc_route_node *new,
			 bool replace, const struct mrc_change *change)
{
	struct mrc_route_node *old = mrc_route_find(dev, &new->route.key);

	int err;

	new->route.owner = mrc_change_owner(change, old ? old->route.owner :
							  MRC_NL_OWNER_NONE);
	if (!old)
		return mrc_route_insert(dev->routes, new, change);
	if (!replace)
		return mrc_refuse(change, -EEXIST, MRC_A_ROUTE_PREFIX,
				  "a route of this prefix exists");
	err = mrc_change_claim(change, old->route.owner, MRC_A_ROUTE_OWNER);
	return err ?: mrc_route_replace(dev->routes, old, new);
}

int mrc_route_add(struct mrc_dev *dev, struct mrc_route *route,
		  bool replace, const struct mrc_change *change)
{
	struct mrc_route_node *new;
	int err;

	lockdep_assert_held(&dev->cfg_lock);
	if (route->key.plen > 128)
		return mrc_refuse(change, -EINVAL, MRC_A_ROUTE_PREFIX_LEN,
				  "prefix length must be 0 to 128");
	new = kzalloc(sizeof(*new), GFP_KERNEL_ACCOUNT);
	if (!new)
		return -ENOMEM;
	new->route = *route;
	err = mrc_route_check(dev, route, change);
	if (!err)
		err = mrc_route_put(dev, new, replace, change);
	if (err)
		kfree(new);
	else
		route->owner = new->route.owner;
	return err;
}

int mrc_route_del(struct mrc_dev *dev, const struct mrc_route_key *key,
		  const struct mrc_change *change)
{
	struct mrc_route_node *n;
	int err;

	lockdep_assert_held(&dev->cfg_lock);
	n = mrc_route_find(dev, key);
	if (!n)
		return mrc_refuse(change, -ENOENT, MRC_A_ROUTE_PREFIX,
				  "no route of this prefix");
	err = mrc_change_claim(change, n->route.owner, MRC_A_ROUTE_OWNER);
	if (err)
		return err;
	mrc_route_remove(dev->routes, n);
	return 0;
}

bool mrc_route_lookup(struct mrc_dev *dev, const struct in6_addr *gid,
		      struct mrc_route *result)
{
	struct mrc_route_key key = { };
	struct mrc_route_node *n = NULL;
	int bit;

	rcu_read_lock();
	for_each_set_bit(bit, dev->routes->lens, MRC_ROUTE_LENS) {
		key.plen = 128 - bit;
		ipv6_addr_prefix(&key.prefix, gid, key.plen);
		n = mrc_route_find(dev, &key);
		if (n)
			break;
	}
	if (n)
		*result = n->route;
	rcu_read_unlock();
	return n;
}

/* The first route behind @after, or NULL. */
static struct mrc_route_node *mrc_route_behind(struct mrc_dev *dev,
					       const struct mrc_route_key *after)
{
	struct rb_node *rb = dev->routes->order.rb_node;
	struct mrc_route_node *n, *found = NULL;

	while (rb) {
		n = mrc_route_node(rb);
		if (mrc_route_cmp(after, &n->route.key) < 0) {
			found = n;
			rb = rb->rb_left;
		} else {
			rb = rb->rb_right;
		}
	}
	return found;
}

bool mrc_route_next(struct mrc_dev *dev, const struct mrc_route_key *after,
		    struct mrc_route *result)
{
	struct mrc_route_node *n;

	mutex_lock(&dev->cfg_lock);
	n = after ? mrc_route_behind(dev, after) :
		    mrc_route_node(rb_first(&dev->routes->order));
	if (n)
		*result = n->route;
	mutex_unlock(&dev->cfg_lock);
	return n;
}

bool mrc_routes_name_ev_profile(struct mrc_dev *dev, u64 id)
{
	struct rb_node *rb;

	lockdep_assert_held(&dev->cfg_lock);
	for (rb = rb_first(&dev->routes->order); rb; rb = rb_next(rb))
		if (mrc_route_node(rb)->route.ev_profile == id)
			return true;
	return false;
}

bool mrc_routes_name_cc_profile(struct mrc_dev *dev, u64 id)
{
	struct rb_node *rb;

	lockdep_assert_held(&dev->cfg_lock);
	for (rb = rb_first(&dev->routes->order); rb; rb = rb_next(rb))
		if (mrc_route_node(rb)->route.cc_profile == id)
			return true;
	return false;
}

int mrc_routes_init(struct mrc_dev *dev)
{
	struct mrc_routes *routes = kzalloc(sizeof(*routes), GFP_KERNEL);
	int err;

	if (!routes)
		return -ENOMEM;
	routes->order = RB_ROOT;
	err = rhashtable_init(&routes->table, &mrc_route_params);
	if (err)
		kfree(routes);
	else
		dev->routes = routes;
	return err;
}

static void mrc_route_free(void *node, void *unused)
{
	kfree(node);
}

void mrc_routes_free(struct mrc_dev *dev)
{
	if (!dev->routes)
		return;
	rhashtable_free_and_destroy(&dev->routes->table, mrc_route_free, NULL);
	kfree(dev->routes);
}
