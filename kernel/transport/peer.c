// SPDX-License-Identifier: GPL-2.0-only
/*
 * Peers: look-up and lifetime, and the making of their EVs from a profile.
 */
#include <linux/ktime.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <net/addrconf.h>

#include "../core/usid.h"
#include "endpoint.h"
#include "ev_profile.h"
#include "event.h"
#include "peer.h"
#include "route.h"
#include "trace.h"

/* EVs stay out of the ports that the system and RoCE know for something else. */
#define MRC_SPORT_BASE	0xc000u

/* What a peer with many paths may take: a host has thousands of peers. */
#define MRC_PEER_BYTES(evs)	(sizeof(struct mrc_peer) +			\
				 sizeof(struct mrc_peer_evs) +			\
				 (evs) * (sizeof(struct mrc_path) +		\
					  sizeof(struct mrc_paths_ev) +		\
					  sizeof(struct mrc_ev_entry)))
static_assert(IS_ENABLED(CONFIG_DEBUG_SPINLOCK) || MRC_PEER_BYTES(128) <= 16384);

/* By the addresses alone: control packets name no profile. */
static const struct rhashtable_params mrc_peer_params = {
	.head_offset = offsetof(struct mrc_peer, node),
	.key_offset = offsetof(struct mrc_peer, key),
	.key_len = offsetof(struct mrc_peer_key, ev_profile),
	.automatic_shrinking = true,
};

static void mrc_peer_evs_free(struct rcu_head *rcu)
{
	struct mrc_peer_evs *evs = container_of(rcu, struct mrc_peer_evs, rcu);
	unsigned int i;

	for (i = 0; i < evs->paths.count; i++)
		mrc_path_fini(&evs->path[i]);
	kvfree(evs);
}

static struct mrc_peer_evs *mrc_peer_evs_alloc(unsigned int count, gfp_t gfp)
{
	size_t each = sizeof(struct mrc_paths_ev) + sizeof(struct mrc_ev_entry);
	struct mrc_peer_evs *evs;

	evs = kvzalloc(size_add(struct_size(evs, path, count),
				size_mul(count, each)), gfp);
	if (!evs)
		return NULL;
	evs->paths.ev = (void *)&evs->path[count];
	evs->paths.set.ev = (void *)&evs->paths.ev[count];
	return evs;
}

/* Takes the next free element for one EV; nothing is taken on error. */
static void mrc_peer_evs_add(struct mrc_peer_evs *evs,
			     const struct mrc_path_cfg *cfg,
			     struct mrc_plane *plane, u8 port, u16 index,
			     u32 bits)
{
	struct mrc_paths *paths = &evs->paths;
	u16 i = paths->count;

	if (mrc_path_init(&evs->path[i], cfg, plane))
		return;
	paths->ev[i].index = index;
	paths->ev[i].bits = bits;
	paths->set.ev[i].port = port;
	paths->count++;
}

/* EV bits that only we interpret: which EV, and a random part against forgery. */
static u32 mrc_peer_ev_handle(u16 index)
{
	u16 sport = MRC_SPORT_BASE | (get_random_u32() & 0x3fff);

	return (u32)sport << 16 | index;
}

static u32 mrc_peer_ev_draw(enum mrc_ev_format format)
{
	u32 bits = get_random_u32() | MRC_SPORT_BASE << 16;

	return format == MRC_EV_FMT_UDP ? bits & 0xffff0000 : bits;
}

static void mrc_peer_evs_auto(struct mrc_peer_evs *evs, struct mrc_dev *dev,
			      const struct mrc_ev_profile *p)
{
	static const struct mrc_path_cfg plain = { .kind = MRC_PATH_PLAIN };
	struct mrc_plane *plane[MRC_PORT_MAX];
	unsigned int port, nplanes = 0, i, share;

	for (port = 1; port <= MRC_PORT_MAX; port++) {
		plane[nplanes] = mrc_plane_get(&dev->planes, port);
		if (plane[nplanes])
			nplanes++;
	}
	share = nplanes ? max(p->count / nplanes, 1u) : 0;
	for (port = 0; port < nplanes; port++) {
		for (i = 0; i < share && evs->paths.count < p->count; i++)
			mrc_peer_evs_add(evs, &plain, plane[port],
					 plane[port]->port, evs->paths.count,
					 mrc_peer_ev_draw(p->format));
		mrc_plane_put(plane[port]);
	}
}

/* An EV that leads to no host is left out, as one whose plane is not there. */
static void mrc_peer_evs_explicit(struct mrc_peer_evs *evs,
				  struct mrc_dev *dev, u16 usid,
				  const struct mrc_ev_profile *p)
{
	const struct mrc_ev_spec *spec;
	struct mrc_path_cfg path;
	struct mrc_plane *plane;
	unsigned int i;

	evs->via = p->via;
	for (i = 0; i < p->count; i++) {
		spec = &p->ev[i];
		path = spec->path;
		if (spec->via && !mrc_usid_append(path.sid.s6_addr, usid))
			continue;
		plane = mrc_plane_get(&dev->planes, spec->port);
		if (!plane)
			continue;
		mrc_peer_evs_add(evs, &path, plane, spec->port, i,
				 p->format == MRC_EV_FMT_SRV6 ?
				 mrc_peer_ev_handle(i) : spec->value);
		mrc_plane_put(plane);
	}
}

static void mrc_peer_evs_local(struct mrc_peer_evs *evs)
{
	static const struct mrc_path_cfg local = { .kind = MRC_PATH_LOCAL };

	mrc_peer_evs_add(evs, &local, NULL, 1, 0, mrc_peer_ev_handle(0));
}

static void mrc_peer_evs_fill(struct mrc_peer *peer, struct mrc_peer_evs *evs,
			      const struct mrc_ev_profile *p, u16 usid)
{
	struct mrc_paths *paths = &evs->paths;
	u64 now = ktime_get_ns();
	unsigned int i;
	u8 old;

	if (peer->local)
		mrc_peer_evs_local(evs);
	else if (p->mode == MRC_EV_MODE_AUTO)
		mrc_peer_evs_auto(evs, peer->dev, p);
	else
		mrc_peer_evs_explicit(evs, peer->dev, usid, p);
	if (mrc_paths_init(paths, paths->ev, paths->set.ev, paths->count,
			   p->min_active, p->active, get_random_u32()))
		return;
	for (i = 0; p->mode == MRC_EV_MODE_EXPLICIT && !peer->local &&
	     i < paths->count; i++)
		if (READ_ONCE(p->ev[paths->ev[i].index].denied))
			mrc_paths_deny(paths, paths->ev[i].index, true, now);
	mrc_paths_ports(paths, peer->local ? ~0u :
			mrc_planes_mask(&peer->dev->planes),
			READ_ONCE(peer->probing.told.mask), now);
	/* Who watches is told of changes, not of how EVs begin. */
	while (mrc_paths_next_change(paths, &old) != MRC_EV_NONE)
		;
}

/*
 * As the route to the peer says, whoever named the profile. Without one all stays: to delete
 * routes takes no path from QPs that there are.
 */
static u16 mrc_peer_usid(const struct mrc_peer *peer)
{
	struct mrc_route route;

	if (mrc_route_lookup(peer->dev, &peer->key.remote, &route) &&
	    route.usid)
		return route.usid;
	return peer->usid;
}

/*
 * Makes the EVs of a peer (anew). A profile that is gone leaves them as they are.
 * The program whose connection made the peer is charged, who configures is not.
 */
static int mrc_peer_make_evs(struct mrc_peer *peer, gfp_t gfp)
{
	struct mrc_ev_profile *p;
	struct mrc_peer_evs *evs, *old;
	u16 usid = mrc_peer_usid(peer);

	lockdep_assert_held(&peer->dev->cfg_lock);
	p = mrc_ev_profile_get(peer->dev, peer->key.ev_profile);
	if (!p)
		return -ENOENT;
	evs = mrc_peer_evs_alloc(p->count, gfp);
	if (evs) {
		mrc_peer_evs_fill(peer, evs, p, usid);
		evs->gen = ++peer->gen ?: ++peer->gen;
	}
	mrc_ev_profile_put(p);
	if (!evs)
		return -ENOMEM;
	WRITE_ONCE(peer->usid, usid);
	old = rcu_replace_pointer(peer->evs, evs,
				  lockdep_is_held(&peer->dev->cfg_lock));
	if (old)
		call_rcu(&old->rcu, mrc_peer_evs_free);
	spin_lock_bh(&peer->lock);
	/* A status that came meanwhile is in the old version only. */
	mrc_paths_ports(&evs->paths, evs->paths.set.local_mask,
			peer->local ? ~0u : peer->probing.told.mask,
			ktime_get_ns());
	mrc_peer_evs_changed(peer, evs);
	spin_unlock_bh(&peer->lock);
	return 0;
}

/* Writes the flow that nobody uses: senders see the old one or the new one as a whole. */
static void mrc_peer_make_flow(struct mrc_peer *peer)
{
	const struct mrc_dev_cfg *cfg = &peer->dev->cfg;
	struct mrc_flow *f = peer->flows;

	if (rcu_access_pointer(peer->flow) == f)
		f++;
	f->net = peer->dev->net;
	f->saddr = peer->key.local;
	f->daddr = peer->key.remote;
	f->tunnel_saddr = ipv6_addr_any(&cfg->tunnel_saddr) ?
			  peer->key.local : cfg->tunnel_saddr;
	f->dport = htons(cfg->udp_port);
	f->hop_limit = cfg->hop_limit;
	f->icrc = cfg->icrc;
	rcu_assign_pointer(peer->flow, f);
}

/* What the other end says of its ports it says once, to those that there are. */
static void mrc_peer_inherit(struct mrc_peer *peer)
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

static struct mrc_peer *mrc_peer_create(struct mrc_dev *dev,
					const struct mrc_peer_key *key)
{
	struct mrc_peer *peer = kzalloc(sizeof(*peer), GFP_KERNEL_ACCOUNT);
	int err;

	if (!peer)
		return ERR_PTR(-ENOMEM);
	peer->key = *key;
	peer->dev = dev;
	spin_lock_init(&peer->lock);
	mrc_prober_peer_init(peer);
	refcount_set(&peer->ref, 1);
	peer->local = ipv6_chk_addr(dev->net, &key->remote, NULL, 0);
	mrc_peer_make_flow(peer);
	err = mrc_peer_make_evs(peer, GFP_KERNEL_ACCOUNT);
	if (!err)
		err = rhltable_insert(&dev->peers, &peer->node, mrc_peer_params);
	if (!err) {
		mrc_dev_get(dev);
		spin_lock(&dev->peers_lock);
		list_add_tail(&peer->list, &dev->peer_list);
		spin_unlock(&dev->peers_lock);
		/* Only now nothing is missed any more. */
		mrc_peer_inherit(peer);
		return peer;
	}
	if (rcu_access_pointer(peer->evs))
		mrc_peer_evs_free(&rcu_dereference_protected(peer->evs, 1)->rcu);
	kfree(peer);
	return ERR_PTR(err);
}

struct rhlist_head *mrc_peers_of(struct mrc_dev *dev,
				 const struct in6_addr *local,
				 const struct in6_addr *remote)
{
	const struct mrc_peer_key key = { .local = *local, .remote = *remote };

	return rhltable_lookup(&dev->peers, &key, mrc_peer_params);
}

static struct mrc_peer *mrc_peer_find(struct mrc_dev *dev,
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

struct mrc_peer *mrc_peer_get(struct mrc_dev *dev,
			      const struct mrc_peer_key *key)
{
	struct mrc_peer *peer;

	mutex_lock(&dev->cfg_lock);
	if (dev->dead)
		peer = ERR_PTR(-ENODEV);
	else
		peer = mrc_peer_find(dev, key) ?: mrc_peer_create(dev, key);
	mutex_unlock(&dev->cfg_lock);
	return peer;
}

void mrc_peer_hold(struct mrc_peer *peer)
{
	refcount_inc(&peer->ref);
}

static void mrc_peer_free(struct rcu_head *rcu)
{
	struct mrc_peer *peer = container_of(rcu, struct mrc_peer, rcu);
	struct mrc_peer_evs *evs = rcu_dereference_protected(peer->evs, 1);

	if (evs)
		mrc_peer_evs_free(&evs->rcu);
	mrc_dev_put(peer->dev);
	kfree(peer);
}

void mrc_peer_put(struct mrc_peer *peer)
{
	if (!refcount_dec_and_test(&peer->ref))
		return;
	rhltable_remove(&peer->dev->peers, &peer->node, mrc_peer_params);
	spin_lock(&peer->dev->peers_lock);
	list_del(&peer->list);
	spin_unlock(&peer->dev->peers_lock);
	mrc_prober_peer_stop(peer);
	mrc_endpoint_forget(peer);
	call_rcu(&peer->rcu, mrc_peer_free);
}

/* The one before is held and so in the list still: the place is not lost. */
struct mrc_peer *mrc_peer_next(struct mrc_dev *dev, struct mrc_peer *peer)
{
	struct mrc_peer *next, *found = NULL;

	spin_lock(&dev->peers_lock);
	next = list_prepare_entry(peer, &dev->peer_list, list);
	list_for_each_entry_continue(next, &dev->peer_list, list) {
		if (refcount_inc_not_zero(&next->ref)) {
			found = next;
			break;
		}
	}
	spin_unlock(&dev->peers_lock);
	if (peer)
		mrc_peer_put(peer);
	return found;
}

int mrc_peers_init(struct mrc_dev *dev)
{
	INIT_LIST_HEAD(&dev->peer_list);
	spin_lock_init(&dev->peers_lock);
	return rhltable_init(&dev->peers, &mrc_peer_params);
}

void mrc_peers_exit(struct mrc_dev *dev)
{
	rhltable_destroy(&dev->peers);
}

void mrc_peers_settings(struct mrc_dev *dev)
{
	struct mrc_peer *peer = NULL;

	lockdep_assert_held(&dev->cfg_lock);
	while ((peer = mrc_peer_next(dev, peer)))
		mrc_peer_make_flow(peer);
	/* The old flows may be written again after this. */
	synchronize_rcu_expedited();
}

void mrc_peers_refresh(struct mrc_dev *dev, u64 ev_profile, bool all)
{
	struct mrc_peer *peer = NULL;

	lockdep_assert_held(&dev->cfg_lock);
	while ((peer = mrc_peer_next(dev, peer)))
		if (all || peer->key.ev_profile == ev_profile)
			mrc_peer_make_evs(peer, GFP_KERNEL);
}

static bool mrc_peer_via(const struct mrc_peer *peer)
{
	return rcu_dereference_protected(peer->evs,
			lockdep_is_held(&peer->dev->cfg_lock))->via;
}

void mrc_peers_rerouted(struct mrc_dev *dev, const struct in6_addr *prefix,
			u8 plen)
{
	struct mrc_peer *peer = NULL;

	lockdep_assert_held(&dev->cfg_lock);
	while ((peer = mrc_peer_next(dev, peer)))
		if (ipv6_prefix_equal(prefix, &peer->key.remote, plen) &&
		    mrc_peer_via(peer) && mrc_peer_usid(peer) != peer->usid)
			mrc_peer_make_evs(peer, GFP_KERNEL);
}

static const char *const mrc_peer_ev_reasons[] = {
	[MRC_EV_WHY_NONE] = "new",
	[MRC_EV_WHY_LOSS] = "loss",
	[MRC_EV_WHY_SKIP] = "always skip",
	[MRC_EV_WHY_NO_ROUTE] = "no route",
	[MRC_EV_WHY_NO_ROOM] = "MTU too small",
	[MRC_EV_WHY_PROBES_LOST] = "probes lost",
	[MRC_EV_WHY_PROBES_ANSWERED] = "probes answered",
	[MRC_EV_WHY_HEARD] = "data arrived",
	[MRC_EV_WHY_LATE] = "arrived late",
	[MRC_EV_WHY_HELD] = "heard of last",
	[MRC_EV_WHY_BETTER] = "better ones known",
	[MRC_EV_WHY_DENIED] = "denied",
	[MRC_EV_WHY_ALLOWED] = "allowed",
};

void mrc_peer_evs_changed(struct mrc_peer *peer, struct mrc_peer_evs *evs)
{
	struct mrc_event event = {
		.type = MRC_EVENT_EV,
		.dev = peer->dev,
		.peer = peer,
	};

	lockdep_assert_held(&peer->lock);
	/* Those that are bad now are probed. */
	mrc_prober_arm(peer, evs);
	for (;;) {
		event.ev = mrc_paths_next_change(&evs->paths, &event.old_state);
		if (event.ev == MRC_EV_NONE)
			return;
		event.new_state = evs->paths.set.ev[event.ev].state;
		event.reason = mrc_peer_ev_reasons[evs->paths.set.ev[event.ev].why];
		trace_mrc_ev(peer, evs, event.ev, event.old_state, event.reason);
		mrc_event_notify(&event);
	}
}

static void mrc_peer_deny(struct mrc_peer *peer, u16 index, bool deny)
{
	struct mrc_peer_evs *evs;

	rcu_read_lock();
	evs = rcu_dereference(peer->evs);
	spin_lock_bh(&peer->lock);
	mrc_paths_deny(&evs->paths, index, deny, ktime_get_ns());
	mrc_peer_evs_changed(peer, evs);
	spin_unlock_bh(&peer->lock);
	rcu_read_unlock();
}

void mrc_peers_deny(struct mrc_dev *dev, u64 ev_profile, u16 index, bool deny)
{
	struct mrc_peer *peer = NULL;

	while ((peer = mrc_peer_next(dev, peer)))
		if (peer->key.ev_profile == ev_profile && !peer->local)
			mrc_peer_deny(peer, index, deny);
}

static void mrc_peer_ports(struct mrc_peer *peer, u32 mask)
{
	struct mrc_peer_evs *evs;
	unsigned int i;

	rcu_read_lock();
	evs = rcu_dereference(peer->evs);
	spin_lock_bh(&peer->lock);
	if (evs->paths.count) {
		mrc_paths_ports(&evs->paths, mask, peer->probing.told.mask,
				ktime_get_ns());
		mrc_peer_evs_changed(peer, evs);
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
	while ((peer = mrc_peer_next(dev, peer))) {
		if (peer->local)
			continue;
		mrc_peer_ports(peer, mask);
		mrc_prober_tell(peer);
	}
}
