// SPDX-License-Identifier: GPL-2.0-only
/*
 * Address handles. The kernel makes and destroys them in any context, so the peer of such a handle is
 * found when the first datagram is sent to it. That of a program is found at once, and counts as in
 * use: its paths are probed.
 */
#include <linux/slab.h>

#include "../transport/endpoint/peers.h"
#include "../transport/profile/ev_profile.h"
#include "../transport/profile/route.h"
#include "ah.h"
#include "context.h"
#include "device.h"

/* ---- the table ---------------------------------------------------------------- */

void mrc_ah_init(struct xarray *avs)
{
	xa_init_flags(avs, XA_FLAGS_ALLOC | XA_FLAGS_LOCK_IRQ | XA_FLAGS_ACCOUNT);
}

void mrc_ah_exit(struct xarray *avs)
{
	xa_destroy(avs);
}

/* Any context. */
static int mrc_av_publish(struct xarray *avs, struct mrc_av *av)
{
	unsigned long flags;
	int err;

	xa_lock_irqsave(avs, flags);
	err = __xa_alloc(avs, &av->number, av, xa_limit_32b, GFP_ATOMIC);
	xa_unlock_irqrestore(avs, flags);
	return err;
}

/* Any context. */
static void mrc_av_unlist(struct xarray *avs, u32 number)
{
	unsigned long flags;

	xa_lock_irqsave(avs, flags);
	__xa_erase(avs, number);
	xa_unlock_irqrestore(avs, flags);
}

struct mrc_av *mrc_av_get(struct ib_device *ib, u32 number)
{
	struct mrc_av *av;

	rcu_read_lock();
	av = xa_load(&to_mrc_ibdev(ib)->avs, number);
	if (av && !refcount_inc_not_zero(&av->ref))
		av = NULL;
	rcu_read_unlock();
	return av;
}

/* ---- the peer ------------------------------------------------------------------ */

static void mrc_av_release_peer(struct mrc_peer *peer, u32 mtu)
{
	if (mtu)
		mrc_peers_disconnect(peer, mtu);
	else
		mrc_peers_put(peer);
}

/* Process context. */
static void mrc_av_free(struct mrc_av *av)
{
	if (av->peer) {
		mrc_av_release_peer(av->peer, av->mtu);
		if (!av->user)
			atomic_dec(&av->dev->kernel_peers);
	}
	kfree_rcu(av, rcu);
}

static void mrc_av_free_work(struct work_struct *work)
{
	struct mrc_av *av = container_of(work, struct mrc_av, work);
	struct mrc_dev *dev = av->dev;

	mrc_av_free(av);
	mrc_dev_put(dev);
}

void mrc_av_put(struct mrc_av *av)
{
	if (refcount_dec_and_test(&av->ref))
		mrc_dev_queue_work(av->dev, &av->work);
}

/* The route leads to the profile, as for a QP that leaves it open. */
static struct mrc_peer *mrc_av_find_peer(const struct mrc_av *av, const struct mrc_gids *gids)
{
	struct mrc_peer_key key = {
		.local = gids->local,
		.remote = gids->remote,
		.ev_profile = MRC_EV_PROFILE_AUTO,
	};
	struct mrc_route route;

	if (mrc_route_lookup(av->dev, &key.remote, &route))
		key.ev_profile = route.ev_profile;
	if (av->mtu)
		return mrc_peers_connect(av->dev, &key, av->mtu, av->user);
	return mrc_peers_get(av->dev, &key);
}

/* Of the kernel's handles, that many have a peer at most. */
static struct mrc_peer *mrc_av_find_kernel_peer(const struct mrc_av *av, const struct mrc_gids *gids)
{
	struct mrc_peer *peer;

	if (!atomic_add_unless(&av->dev->kernel_peers, 1, MRC_AH_KERNEL_PEERS))
		return ERR_PTR(-ENOSPC);
	peer = mrc_av_find_peer(av, gids);
	if (IS_ERR(peer))
		atomic_dec(&av->dev->kernel_peers);
	return peer;
}

/* QPs that share a handle may be here at the same time. */
struct mrc_peer *mrc_av_peer(struct mrc_av *av, struct ib_device *ib, const char *who)
{
	struct mrc_peer *peer = READ_ONCE(av->peer);
	struct mrc_gids gids = av->gids;
	int err;

	if (peer)
		return peer;
	err = mrc_gid_resolve(ib, who, &gids);
	if (err)
		return ERR_PTR(err);
	peer = av->user ? mrc_av_find_peer(av, &gids) : mrc_av_find_kernel_peer(av, &gids);
	if (IS_ERR(peer))
		return peer;
	if (cmpxchg(&av->peer, NULL, peer)) {
		mrc_av_release_peer(peer, av->mtu);
		if (!av->user)
			atomic_dec(&av->dev->kernel_peers);
	}
	return av->peer;
}

/* ---- device operations ---------------------------------------------------------- */

static struct mrc_av *mrc_av_alloc(struct ib_ah *ah, const struct mrc_gids *gids,
				   struct mrc_user *user, gfp_t gfp)
{
	struct mrc_av *av = kzalloc(sizeof(*av), gfp);

	if (!av)
		return NULL;
	refcount_set(&av->ref, 1);
	INIT_WORK(&av->work, mrc_av_free_work);
	av->pd = ah->pd;
	av->user = user;
	av->gids = *gids;
	av->dev = to_mrc_dev(ah->device);
	av->mtu = user ? MRC_MTU_MIN : 0;
	return av;
}

/* A program's handle: finds its peer before anybody can send to it, and tells the number. */
static int mrc_ah_open(struct mrc_ib_ah *a, struct ib_udata *udata)
{
	struct xarray *avs = &to_mrc_ibdev(a->ib.device)->avs;
	struct mrc_peer *peer = mrc_av_peer(a->av, a->ib.device, "address handle");
	struct mrc_create_ah_resp resp = {};
	int ret = PTR_ERR_OR_ZERO(peer);

	if (!ret)
		ret = mrc_av_publish(avs, a->av);
	if (ret)
		return ret;
	resp.number = a->av->number;
	ret = mrc_udata_answer(udata, &resp, sizeof(resp));
	if (ret)
		mrc_av_unlist(avs, a->av->number);
	return ret;
}

static int mrc_ah_setup(struct mrc_ib_ah *a, const struct mrc_gids *gids, struct ib_udata *udata,
			gfp_t gfp)
{
	int ret;

	a->av = mrc_av_alloc(&a->ib, gids, mrc_udata_user(udata), gfp);
	if (!a->av)
		return -ENOMEM;
	if (udata)
		ret = mrc_ah_open(a, udata);
	else
		ret = mrc_av_publish(&to_mrc_ibdev(a->ib.device)->avs, a->av);
	if (ret)
		mrc_av_put(a->av);
	return ret;
}

/**
 * mrc_create_ah() - create an address handle
 * @ah: the handle, its core part filled in
 * @init: the address vector
 * @udata: the program's response buffer; NULL: the kernel creates it
 *
 * Context: process for programs; any for the kernel, which tells by a flag.
 * Return: 0, errors of mrc_gid_read() and mrc_av_peer(), -ENOMEM, -EDQUOT (the user has too many),
 * -EOPNOTSUPP (wishes of a newer library).
 */
int mrc_create_ah(struct ib_ah *ah, struct rdma_ah_init_attr *init, struct ib_udata *udata)
{
	gfp_t gfp = init->flags & RDMA_CREATE_AH_SLEEPABLE ? GFP_KERNEL_ACCOUNT : GFP_ATOMIC;
	struct mrc_user *user = mrc_udata_user(udata);
	struct mrc_ib_ah *a = to_mrc_ah(ah);
	struct mrc_gids gids;
	int ret;

	ret = udata ? mrc_udata_check(udata, offsetof(struct mrc_create_ah_resp, comp_mask)) : 0;
	if (!ret)
		ret = mrc_gid_read(ah->device, "address handle", init->ah_attr, &gids);
	if (!ret)
		ret = mrc_object_add(ah->device, user, MRC_SHARE_AH);
	if (ret)
		return ret;
	a->attr = *init->ah_attr;
	a->attr.grh.sgid_attr = NULL;
	ret = mrc_ah_setup(a, &gids, udata, gfp);
	if (ret)
		mrc_object_del(ah->device, user, MRC_SHARE_AH);
	return ret;
}

/** mrc_query_ah() - what the handle was created with. Any context. Return: 0 */
int mrc_query_ah(struct ib_ah *ah, struct rdma_ah_attr *attr)
{
	*attr = to_mrc_ah(ah)->attr;
	return 0;
}

/**
 * mrc_destroy_ah() - destroy a handle
 * @ah: the handle; a request that names it and is not sent yet fails
 * @flags: RDMA_DESTROY_AH_SLEEPABLE: process context; else any
 *
 * Return: 0
 */
int mrc_destroy_ah(struct ib_ah *ah, u32 flags)
{
	struct mrc_av *av = to_mrc_ah(ah)->av;

	mrc_av_unlist(&to_mrc_ibdev(ah->device)->avs, av->number);
	mrc_object_del(ah->device, av->user, MRC_SHARE_AH);
	/* A program that is at its limit of peers may make another one next. */
	if (!(flags & RDMA_DESTROY_AH_SLEEPABLE))
		mrc_av_put(av);
	else if (refcount_dec_and_test(&av->ref))
		mrc_av_free(av);
	return 0;
}
