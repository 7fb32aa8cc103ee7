// SPDX-License-Identifier: GPL-2.0-only
/*
 * Peers: making their EVs from a profile, and their flow from the settings.
 */
#include <linux/bitmap.h>
#include <linux/ktime.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <net/ipv6.h>

#include "../../core/wire/usid.h"
#include "../profile/ev_profile.h"
#include "peer.h"
#include "../profile/route.h"

/* Limit for the memory of a peer with many paths: a host has thousands of peers. */
#define MRC_PEER_BYTES(evs)	(sizeof(struct mrc_peer) +			\
				 sizeof(struct mrc_peer_evs) +			\
				 (evs) * (sizeof(struct mrc_path) +		\
					  sizeof(struct mrc_paths_ev) +		\
					  sizeof(struct mrc_ev_entry)))
static_assert(IS_ENABLED(CONFIG_DEBUG_SPINLOCK) || MRC_PEER_BYTES(128) <= 17408);

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

/* Adds an EV. On error nothing is added. */
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

/* EV bits that only this host reads: the EV's index, and a random part against forgery. */
static u32 mrc_peer_ev_handle(u16 index)
{
	u16 sport = MRC_EV_SPORT_BASE | (get_random_u32() & 0x3fff);

	return (u32)sport << 16 | index;
}

static u32 mrc_peer_ev_draw(enum mrc_ev_format format)
{
	u32 bits = get_random_u32() | MRC_EV_SPORT_BASE << 16;

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

/* An EV that leads to no host (its uSID is missing), or that has no plane, is left out. */
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

/* Discards the first changes: events report changes of state, not the first state. */
static void mrc_peer_evs_begin(struct mrc_paths *paths)
{
	u8 old;

	while (mrc_paths_next_change(paths, &old) != MRC_EV_NONE)
		;
}

static void mrc_peer_evs_fill(struct mrc_peer *peer, struct mrc_peer_evs *evs,
			      const struct mrc_ev_profile *p, u16 usid)
{
	struct mrc_paths *paths = &evs->paths;
	u64 now = ktime_get_ns();
	unsigned int i;

	evs->format = p->format;
	evs->drawn = peer->local || p->mode == MRC_EV_MODE_AUTO || p->format == MRC_EV_FMT_SRV6;
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
	mrc_peer_evs_begin(paths);
}

/*
 * Is EV @i of @evs the same as EV @j of @old? Bits that the device has drawn say nothing about the
 * path, so they are not compared: any EV of the same port and path will do.
 */
static bool mrc_peer_evs_same(const struct mrc_peer_evs *evs, unsigned int i,
			      const struct mrc_peer_evs *old, unsigned int j)
{
	return evs->paths.set.ev[i].port == old->paths.set.ev[j].port &&
	       mrc_path_same(&evs->path[i], &old->path[j]) &&
	       (evs->drawn || evs->paths.ev[i].bits == old->paths.ev[j].bits);
}

/*
 * For each new EV, finds its index in @old, or MRC_EV_NONE. No old EV is used twice. Each search
 * begins behind the last match, because most often the order is the same.
 */
static void mrc_peer_evs_match(const struct mrc_peer_evs *evs, const struct mrc_peer_evs *old,
			       u16 *from)
{
	unsigned int i, n, j, next = 0, count = old->paths.count;
	DECLARE_BITMAP(taken, MRC_EV_MAX);

	bitmap_zero(taken, MRC_EV_MAX);
	for (i = 0; i < evs->paths.count; i++) {
		from[i] = MRC_EV_NONE;
		for (n = 0; n < count; n++) {
			j = (next + n) % count;
			if (test_bit(j, taken) || !mrc_peer_evs_same(evs, i, old, j))
				continue;
			__set_bit(j, taken);
			from[i] = j;
			next = j + 1;
			break;
		}
	}
}

static bool mrc_peer_evs_has_bits(const struct mrc_peer_evs *evs, unsigned int n, u32 bits)
{
	while (n--)
		if (evs->paths.ev[n].bits == bits)
			return true;
	return false;
}

/*
 * EVs that stay keep their bits, because answers on their way name them. Other EVs must not have
 * the same bits by chance.
 */
static void mrc_peer_evs_rename(struct mrc_peer_evs *evs, const struct mrc_peer_evs *old,
				const u16 *from)
{
	struct mrc_paths_ev *ev = evs->paths.ev;
	unsigned int i;

	for (i = 0; i < evs->paths.count; i++)
		if (from[i] != MRC_EV_NONE)
			ev[i].bits = old->paths.ev[from[i]].bits;
	for (i = 0; i < evs->paths.count; i++)
		while (from[i] == MRC_EV_NONE &&
		       (mrc_peer_evs_has_bits(evs, i, ev[i].bits) ||
			mrc_peer_evs_has_bits(old, old->paths.count, ev[i].bits)))
			ev[i].bits = evs->format == MRC_EV_FMT_SRV6 ?
				     mrc_peer_ev_handle(ev[i].index) :
				     mrc_peer_ev_draw(evs->format);
}

/*
 * Readers find either the old EVs or the new ones. What is learned about the old ones after their
 * state was copied is lost, as is the outcome of probes that are under way.
 */
static void mrc_peer_evs_replace(struct mrc_peer *peer, struct mrc_peer_evs *evs,
				 struct mrc_peer_evs *old)
{
	u16 from[MRC_EV_MAX];

	if (old->format == evs->format && old->drawn == evs->drawn) {
		mrc_peer_evs_match(evs, old, from);
		if (evs->drawn)
			mrc_peer_evs_rename(evs, old, from);
	} else {
		memset16(from, MRC_EV_NONE, MRC_EV_MAX);
	}
	spin_lock_bh(&peer->lock);
	mrc_paths_keep(&evs->paths, &old->paths, from, ktime_get_ns());
	rcu_assign_pointer(peer->evs, evs);
	spin_unlock_bh(&peer->lock);
	call_rcu(&old->rcu, mrc_peer_evs_free);
}

u16 mrc_peer_usid(const struct mrc_peer *peer)
{
	struct mrc_route route;

	if (mrc_route_lookup(peer->dev, &peer->key.remote, &route) &&
	    route.usid)
		return route.usid;
	return peer->usid;
}

struct mrc_peer_evs *mrc_peer_renew_evs(struct mrc_peer *peer, gfp_t gfp)
{
	struct mrc_ev_profile *p;
	struct mrc_peer_evs *evs, *old;
	u16 usid = mrc_peer_usid(peer);

	lockdep_assert_held(&peer->dev->cfg_lock);
	p = mrc_ev_profile_get(peer->dev, peer->key.ev_profile);
	if (!p)
		return ERR_PTR(-ENOENT);
	evs = mrc_peer_evs_alloc(p->count, gfp);
	if (evs) {
		mrc_peer_evs_fill(peer, evs, p, usid);
		evs->gen = ++peer->gen ?: ++peer->gen;
	}
	mrc_ev_profile_put(p);
	if (!evs)
		return ERR_PTR(-ENOMEM);
	WRITE_ONCE(peer->usid, usid);
	old = rcu_dereference_protected(peer->evs, lockdep_is_held(&peer->dev->cfg_lock));
	if (old)
		mrc_peer_evs_replace(peer, evs, old);
	else
		rcu_assign_pointer(peer->evs, evs);
	return evs;
}

void mrc_peer_free_evs(struct mrc_peer *peer)
{
	struct mrc_peer_evs *evs = rcu_dereference_protected(peer->evs, 1);

	if (evs)
		mrc_peer_evs_free(&evs->rcu);
}

void mrc_peer_make_flow(struct mrc_peer *peer)
{
	struct mrc_flow *f = peer->flows;

	if (rcu_access_pointer(peer->flow) == f)
		f++;
	mrc_dev_make_flow(peer->dev, f, &peer->key.local, &peer->key.remote);
	rcu_assign_pointer(peer->flow, f);
}

void mrc_peer_hold(struct mrc_peer *peer)
{
	refcount_inc(&peer->ref);
}
