/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Address handles. What a handle stands for, its address vector, outlives the handle while a datagram
 * is being sent to it. Programs name it in their rings by a number.
 */
#ifndef _MRC_VERBS_AH_H
#define _MRC_VERBS_AH_H

#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "gid.h"

/*
 * The connection manager keeps the handle of a request for more than a minute if nobody answers. Any
 * program may connect, so the peers of these handles are limited.
 */
#define MRC_AH_KERNEL_PEERS	16384

struct mrc_dev;
struct mrc_peer;
struct mrc_user;

/**
 * struct mrc_av - an address vector
 * @ref: the handle's reference, and those of senders
 * @dev: device, which stays as long as somebody has a reference
 * @pd: protection domain of the handle, only compared
 * @user: the user whose handle it is; NULL: the kernel's
 * @number: in the device's table
 * @gids: addresses, as they were given
 * @peer: the peer, a reference; NULL: mrc_av_peer() has not found it yet
 * @mtu: as the peer was told of it; 0: it counts as no use of the peer
 * @work: gives up @peer, and frees the vector
 * @rcu: readers look at the table
 */
struct mrc_av {
	refcount_t ref;
	struct mrc_dev *dev;
	const struct ib_pd *pd;
	struct mrc_user *user;
	u32 number;
	struct mrc_gids gids;
	struct mrc_peer *peer;
	u32 mtu;
	struct work_struct work;
	struct rcu_head rcu;
};

/**
 * struct mrc_ib_ah - an address handle
 * @ib: the core's part
 * @av: its address vector, a reference
 * @attr: for queries
 */
struct mrc_ib_ah {
	struct ib_ah ib;
	struct mrc_av *av;
	struct rdma_ah_attr attr;
};

static inline struct mrc_ib_ah *to_mrc_ah(struct ib_ah *ib)
{
	return container_of(ib, struct mrc_ib_ah, ib);
}

/** mrc_av_get() - a reference to the address vector of a number, or NULL. Any context. */
struct mrc_av *mrc_av_get(struct ib_device *ib, u32 number);
/** mrc_av_put() - drop a reference. Any context. */
void mrc_av_put(struct mrc_av *av);

/**
 * mrc_av_peer() - the peer of an address vector, which is made if there is none
 * @av: the vector
 * @ib: its device
 * @who: who wants to know, for the kernel's log
 *
 * Process context. Return: the peer, which stays as long as the vector, or ERR_PTR: as for
 * mrc_gid_resolve(), mrc_peers_get() and mrc_peers_connect().
 */
struct mrc_peer *mrc_av_peer(struct mrc_av *av, struct ib_device *ib, const char *who);

/** mrc_ah_init() - set up the table of a device; mrc_ah_exit() is its end: no handle is left */
void mrc_ah_init(struct xarray *avs);
void mrc_ah_exit(struct xarray *avs);

/* Device operations. */
int mrc_create_ah(struct ib_ah *ah, struct rdma_ah_init_attr *init, struct ib_udata *udata);
int mrc_query_ah(struct ib_ah *ah, struct rdma_ah_attr *attr);
int mrc_destroy_ah(struct ib_ah *ah, u32 flags);

#endif /* _MRC_VERBS_AH_H */
