// SPDX-License-Identifier: GPL-2.0-only
/*
 * Peers of a device: look-up and lifetime, and changes that concern all of them.
 */
#include <linux/bottom_half.h>
#include <linux/ktime.h>
#include <linux/slab.h>

#include "../../net/netdev.h"
#include "ask.h"
#include "../profile/ev_profile.h"
#include "peers.h"
#include "prober.h"
#include "../peer/trace.h"
#include "../device/user.h"

/* After so long, EVs for which there was no memory are tried again. */
#define MRC_PEERS_RENEW		HZ

/* The key of a look-up is only the addresses, because control packets name no profile. */
static const struct rhashtable_params mrc_peers_params = {
	.head_offset = offsetof(struct mrc_peer, node),
	.key_offset = offsetof(struct mrc_peer, key),
	.key_len = offsetof(struct mrc_peer_key, ev_profile),
	.automatic_shrinking = true,
};

/* Return: 0 or an error of mrc_peer_renew_evs(). */
static int mrc_peers_make_evs(struct mrc_peer *peer, gfp_t gfp)
{
	struct mrc_peer_evs *evs = mrc_peer_renew_evs(peer, gfp);

	if (IS_ERR(evs))
		return PTR_ERR(evs);
	spin_lock_bh(&peer->lock);
	/* A port status that came meanwhile was applied to the old version only. */
	mrc_paths_ports(&evs->paths, evs->paths.set.local_mask,
			peer->local ? ~0u : peer->probing.told.mask,
			ktime_get_ns());
	mrc_prober_evs_changed(peer, evs);
	spin_unlock_bh(&peer->lock);
	return 0;
}

/* A port status is sent once, to the peers that exist. A new peer takes it over from them. */
static void mrc_peers_inherit(struct mrc_peer *peer)
{
	struct rhlist_head *list, *at;
	struct mrc_peer *other;

	rcu_read_lock();
	list = mrc_peers_of(peer->dev, &peer->key.local, &peer->key.remote);
	rhl_for_each_entry_rcu(other, at, list, node)
		if (other != peer)
			mrc_prober_inherit(peer, other);
	rcu_read_unlock();
}

/* A walk by number may take a reference at once. So the number is stored after all else is done. */
static int mrc_peers_insert(struct mrc_peer *peer)
{
	struct mrc_dev *dev = peer->dev;
	int err;

	err = xa_alloc_cyclic(&dev->peer_numbers, &peer->number, NULL, xa_limit_32b,
			      &dev->next_peer, GFP_KERNEL_ACCOUNT);
	if (err < 0)
		return err;
	err = rhltable_insert(&dev->peers, &peer->node, mrc_peers_params);
	if (err)
		xa_release(&dev->peer_numbers, peer->number);
	else
		xa_store(&dev->peer_numbers, peer->number, peer, 0);
	return err;
}

static struct mrc_peer *mrc_peers_make(struct mrc_dev *dev,
				       const struct mrc_peer_key *key)
{
	struct mrc_peer *peer = kzalloc(sizeof(*peer), GFP_KERNEL_ACCOUNT);
	int err;

	if (!peer)
		return ERR_PTR(-ENOMEM);
	peer->key = *key;
	peer->dev = dev;
	spin_lock_init(&peer->lock);
	INIT_LIST_HEAD(&peer->congestions);
	INIT_LIST_HEAD(&peer->qps);
	seqcount_spinlock_init(&peer->congestions_seq, &peer->lock);
	mrc_prober_peer_init(peer);
	refcount_set(&peer->ref, 1);
	peer->local = mrc_netdev_has_addr(dev->anchor, &key->remote);
	mrc_peer_make_flow(peer);
	err = mrc_peers_make_evs(peer, GFP_KERNEL_ACCOUNT);
	if (!err)
		err = mrc_peers_insert(peer);
	if (!err) {
		mrc_dev_get(dev);
		/* Only from now on the peer itself hears each port status. */
		mrc_peers_inherit(peer);
		return peer;
	}
	mrc_peer_free_evs(peer);
	kfree(peer);
	return ERR_PTR(err);
}

/* @user: the user that the peer counts for; NULL: none */
static struct mrc_peer *mrc_peers_create(struct mrc_dev *dev, const struct mrc_peer_key *key,
					 struct mrc_user *user)
{
	struct mrc_peer *peer;
	int err = mrc_user_take(user, MRC_SHARE_PEER);

	if (err)
		return ERR_PTR(err);
	peer = mrc_peers_make(dev, key);
	if (IS_ERR(peer)) {
		mrc_user_give(user, MRC_SHARE_PEER);
	} else if (user) {
		mrc_user_hold(user);
		peer->user = user;
	}
	return peer;
}

struct rhlist_head *mrc_peers_of(struct mrc_dev *dev,
				 const struct in6_addr *local,
				 const struct in6_addr *remote)
{
	const struct mrc_peer_key key = { .local = *local, .remote = *remote };

	return rhltable_lookup(&dev->peers, &key, mrc_peers_params);
}

struct mrc_peer *mrc_peers_met(struct rhlist_head *list)
{
	struct rhlist_head *at;
	struct mrc_peer *peer;

	rhl_for_each_entry_rcu(peer, at, list, node)
		if (READ_ONCE(peer->probing.met))
			return peer;
	return NULL;
}

static struct mrc_peer *mrc_peers_find(struct mrc_dev *dev,
				       const struct mrc_peer_key *key)
{
	struct mrc_peer *peer, *found = NULL;
	struct rhlist_head *at, *list;

	rcu_read_lock();
	list = mrc_peers_of(dev, &key->local, &key->remote);
	rhl_for_each_entry_rcu(peer, at, list, node) {
		if (peer->key.ev_profile != key->ev_profile ||
		    !refcount_inc_not_zero(&peer->ref))
			continue;
		found = peer;
		break;
	}
	rcu_read_unlock();
	return found;
}

static struct mrc_peer *mrc_peers_get_locked(struct mrc_dev *dev,
					     const struct mrc_peer_key *key,
					     struct mrc_user *user)
{
	lockdep_assert_held(&dev->cfg_lock);
	if (dev->dead)
		return ERR_PTR(-ENODEV);
	return mrc_peers_find(dev, key) ?: mrc_peers_create(dev, key, user);
}

struct mrc_peer *mrc_peers_get(struct mrc_dev *dev,
			       const struct mrc_peer_key *key)
{
	struct mrc_peer *peer;

	mutex_lock(&dev->cfg_lock);
	peer = mrc_peers_get_locked(dev, key, NULL);
	mutex_unlock(&dev->cfg_lock);
	return peer;
}

static void mrc_peers_use(struct mrc_peer *peer, u32 mtu, bool use)
{
	rcu_read_lock();
	local_bh_disable();
	mrc_prober_use(peer, mtu, use);
	local_bh_enable();
	rcu_read_unlock();
}

/*
 * A peer that was made for answers, or for the connection manager, counts for the first user that
 * connects to it. Return: 0 or -EDQUOT.
 */
static int mrc_peers_adopt(struct mrc_peer *peer, struct mrc_user *user)
{
	int err;

	if (!user || READ_ONCE(peer->user))
		return 0;
	err = mrc_user_take(user, MRC_SHARE_PEER);
	if (err)
		return err;
	mrc_user_hold(user);
	if (cmpxchg(&peer->user, NULL, user)) {
		mrc_user_give(user, MRC_SHARE_PEER);
		mrc_user_put(user);
	}
	return 0;
}

struct mrc_peer *mrc_peers_connect(struct mrc_dev *dev, const struct mrc_peer_key *key, u32 mtu,
				   struct mrc_user *user)
{
	struct mrc_peer *peer;
	int err;

	mutex_lock(&dev->cfg_lock);
	/* A peer may still exist although its profile does not. */
	if (mrc_ev_profile_exists(dev, key->ev_profile))
		peer = mrc_peers_get_locked(dev, key, user);
	else
		peer = ERR_PTR(-ENOENT);
	if (!IS_ERR(peer))
		mrc_peers_use(peer, mtu, true);
	mutex_unlock(&dev->cfg_lock);
	err = IS_ERR(peer) ? 0 : mrc_peers_adopt(peer, user);
	if (!err)
		return peer;
	mrc_peers_disconnect(peer, mtu);
	return ERR_PTR(err);
}

u32 mrc_peers_room(struct mrc_peer *peer, u32 len)
{
	struct mrc_peer_evs *evs;
	const struct mrc_flow *flow;
	unsigned int i;
	u32 room = 0;

	rcu_read_lock();
	local_bh_disable();
	flow = rcu_dereference(peer->flow);
	evs = rcu_dereference(peer->evs);
	for (i = 0; i < evs->paths.count && room < len; i++)
		room = max(room, mrc_skb_room(flow, &evs->path[i]));
	local_bh_enable();
	rcu_read_unlock();
	return i ? room : len;
}

/* Does the error mean that no way is configured, rather than that a plane is down for now? */
static bool mrc_peers_has_no_way(int err)
{
	return err == -ENETUNREACH || err == -EACCES;
}

int mrc_peers_reach(struct mrc_peer *peer)
{
	const struct mrc_flow *flow;
	struct mrc_path_hop hop;
	struct mrc_peer_evs *evs;
	unsigned int i;
	int err = 0;

	rcu_read_lock();
	local_bh_disable();
	flow = rcu_dereference(peer->flow);
	evs = rcu_dereference(peer->evs);
	for (i = 0; i < evs->paths.count && (!i || err); i++) {
		err = mrc_path_hop(&evs->path[i], flow, &hop);
		if (!mrc_peers_has_no_way(err))
			err = 0;
	}
	local_bh_enable();
	rcu_read_unlock();
	return err;
}

void mrc_peers_disconnect(struct mrc_peer *peer, u32 mtu)
{
	mrc_peers_use(peer, mtu, false);
	mrc_peers_put(peer);
}

static void mrc_peers_free(struct rcu_head *rcu)
{
	struct mrc_peer *peer = container_of(rcu, struct mrc_peer, rcu);

	mrc_peer_free_evs(peer);
	if (peer->user)
		mrc_user_put(peer->user);
	mrc_dev_put(peer->dev);
	kfree(peer);
}

void mrc_peers_put(struct mrc_peer *peer)
{
	if (!refcount_dec_and_test(&peer->ref))
		return;
	rhltable_remove(&peer->dev->peers, &peer->node, mrc_peers_params);
	xa_erase(&peer->dev->peer_numbers, peer->number);
	/* Not after the grace period: a program that connects anew need not wait for readers. */
	mrc_user_give(peer->user, MRC_SHARE_PEER);
	mrc_prober_peer_stop(peer);
	mrc_ask_forget(peer);
	call_rcu(&peer->rcu, mrc_peers_free);
}

struct mrc_peer *mrc_peers_from(struct mrc_dev *dev, u32 number)
{
	unsigned long at = number;
	struct mrc_peer *peer;

	rcu_read_lock();
	peer = xa_find(&dev->peer_numbers, &at, U32_MAX, XA_PRESENT);
	while (peer && !refcount_inc_not_zero(&peer->ref))
		peer = xa_find_after(&dev->peer_numbers, &at, U32_MAX, XA_PRESENT);
	rcu_read_unlock();
	return peer;
}

struct mrc_peer *mrc_peers_next(struct mrc_dev *dev, struct mrc_peer *peer)
{
	u32 number = 0;

	if (peer) {
		number = peer->number + 1;
		mrc_peers_put(peer);
		if (!number)
			return NULL;
	}
	return mrc_peers_from(dev, number);
}

int mrc_peers_init(struct mrc_dev *dev)
{
	xa_init_flags(&dev->peer_numbers, XA_FLAGS_ALLOC);
	return rhltable_init(&dev->peers, &mrc_peers_params);
}

void mrc_peers_exit(struct mrc_dev *dev)
{
	rhltable_destroy(&dev->peers);
	xa_destroy(&dev->peer_numbers);
}

bool mrc_peers_use_ev_profile(struct mrc_dev *dev, u64 id)
{
	struct mrc_peer *peer = NULL;

	lockdep_assert_held(&dev->cfg_lock);
	while ((peer = mrc_peers_next(dev, peer))) {
		if (peer->key.ev_profile != id || !READ_ONCE(peer->probing.users))
			continue;
		mrc_peers_put(peer);
		return true;
	}
	return false;
}

/* ---- changes ---------------------------------------------------------------- */

void mrc_peers_settings(struct mrc_dev *dev)
{
	struct mrc_peer *peer = NULL;

	lockdep_assert_held(&dev->cfg_lock);
	while ((peer = mrc_peers_next(dev, peer)))
		mrc_peer_make_flow(peer);
	/* After this no sender uses the old flows, and they may be written again. */
	synchronize_rcu_expedited();
}

static void mrc_peers_renew(struct mrc_peer *peer)
{
	struct mrc_dev *dev = peer->dev;

	lockdep_assert_held(&dev->cfg_lock);
	peer->stale = mrc_peers_make_evs(peer, GFP_KERNEL) == -ENOMEM;
	if (peer->stale && !dev->dead)
		mrc_dev_queue_later(&dev->renew_work, MRC_PEERS_RENEW);
}

void mrc_peers_renew_work(struct work_struct *work)
{
	struct mrc_dev *dev = container_of(to_delayed_work(work), struct mrc_dev, renew_work);
	struct mrc_peer *peer = NULL;

	mutex_lock(&dev->cfg_lock);
	while ((peer = mrc_peers_next(dev, peer)))
		if (peer->stale)
			mrc_peers_renew(peer);
	mutex_unlock(&dev->cfg_lock);
}

void mrc_peers_refresh(struct mrc_dev *dev, u64 ev_profile, bool all)
{
	struct mrc_peer *peer = NULL;

	lockdep_assert_held(&dev->cfg_lock);
	while ((peer = mrc_peers_next(dev, peer)))
		if (all || peer->key.ev_profile == ev_profile)
			mrc_peers_renew(peer);
}

static bool mrc_peers_via(const struct mrc_peer *peer)
{
	return rcu_dereference_protected(peer->evs,
			lockdep_is_held(&peer->dev->cfg_lock))->via;
}

void mrc_peers_rerouted(struct mrc_dev *dev, const struct in6_addr *prefix,
			u8 plen)
{
	struct mrc_peer *peer = NULL;

	lockdep_assert_held(&dev->cfg_lock);
	while ((peer = mrc_peers_next(dev, peer)))
		if (ipv6_prefix_equal(prefix, &peer->key.remote, plen) &&
		    mrc_peers_via(peer) && mrc_peer_usid(peer) != peer->usid)
			mrc_peers_renew(peer);
}

static void mrc_peers_deny_one(struct mrc_peer *peer, u16 index, bool deny)
{
	struct mrc_peer_evs *evs;

	rcu_read_lock();
	evs = rcu_dereference(peer->evs);
	spin_lock_bh(&peer->lock);
	mrc_paths_deny(&evs->paths, index, deny, ktime_get_ns());
	mrc_prober_evs_changed(peer, evs);
	spin_unlock_bh(&peer->lock);
	rcu_read_unlock();
}

void mrc_peers_deny(struct mrc_dev *dev, u64 ev_profile, u16 index, bool deny)
{
	struct mrc_peer *peer = NULL;

	lockdep_assert_held(&dev->cfg_lock);
	while ((peer = mrc_peers_next(dev, peer))) {
		if (peer->key.ev_profile != ev_profile || peer->local)
			continue;
		/* Its index may mean another EV. New EVs take the denial from the profile. */
		if (peer->stale)
			mrc_peers_renew(peer);
		else
			mrc_peers_deny_one(peer, index, deny);
	}
}

static void mrc_peers_ports_one(struct mrc_peer *peer, u32 mask)
{
	struct mrc_peer_evs *evs;
	unsigned int i;

	rcu_read_lock();
	evs = rcu_dereference(peer->evs);
	spin_lock_bh(&peer->lock);
	if (evs->paths.count) {
		mrc_paths_ports(&evs->paths, mask, peer->probing.told.mask,
				ktime_get_ns());
		mrc_prober_evs_changed(peer, evs);
		trace_mrc_ports(peer, mask, peer->probing.told.mask);
	}
	spin_unlock_bh(&peer->lock);
	for (i = 0; i < evs->paths.count; i++)
		if (!(mask & BIT(evs->paths.set.ev[i].port - 1)))
			mrc_path_forget(&evs->path[i]);
	rcu_read_unlock();
}

void mrc_peers_ports(struct mrc_dev *dev)
{
	u32 mask = mrc_planes_mask(&dev->planes);
	struct mrc_peer *peer = NULL;

	lockdep_assert_held(&dev->cfg_lock);
	while ((peer = mrc_peers_next(dev, peer))) {
		if (peer->local)
			continue;
		mrc_peers_ports_one(peer, mask);
		mrc_prober_tell(peer);
	}
}
