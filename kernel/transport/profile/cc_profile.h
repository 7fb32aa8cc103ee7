/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CC profiles of a device: numbered congestion-control configurations.
 */
#ifndef _MRC_TRANSPORT_CC_PROFILE_H
#define _MRC_TRANSPORT_CC_PROFILE_H

#include <linux/in6.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/types.h>

#include "../../core/cc/cc.h"
#include "alias.h"

struct mrc_change;
struct mrc_dev;

/**
 * struct mrc_cc_profile - numbered congestion-control configuration
 * @id: 64-bit number; 0 is the built-in one, NSCC of which nothing is set
 * @params: what is set. mtu is 0, for it is the connection's; max_cwnd is @window with algorithm
 *          "none"; rate is that of the links where @links_rate says so
 * @window: bytes in flight per QP, at most, with algorithm "none"; else 0
 * @scope: enum mrc_nl_cc_scope
 * @links_rate: no rate is set
 * @owner: enum mrc_nl_owner or a number behind it
 * @alias: what people call it by, or empty
 */
struct mrc_cc_profile {
	struct list_head list;	/* dev->cc_profiles */
	u64 id;
	struct mrc_cc_params params;
	u32 window;
	u8 scope;
	bool links_rate;
	u8 owner;
	char alias[MRC_ALIAS_MAX + 1];
	struct rcu_head rcu;
};

#define MRC_CC_PROFILE_DEFAULT	0ull
#define MRC_CC_WINDOW_MIN	(8u << 10)
#define MRC_CC_WINDOW_MAX	(256u << 20)

#define MRC_CC_ALGORITHMS	(MRC_CC_NSCC + 1)

/* By enum mrc_cc_algorithm. */
extern const char * const mrc_cc_algorithm_names[MRC_CC_ALGORITHMS];

/**
 * mrc_cc_profile_set() - a copy of @p, new or, with @replace, in place of the one of its id
 *
 * Of @p->params rate and mtu are 0 where they are not set, and an algorithm that nobody knows is
 * MRC_CC_ALGORITHMS. Its owner is the one that @change names, or that of the one before; @p gets
 * it, and what is not set.
 *
 * dev->cfg_lock held. Return: 0, -EEXIST, -ENOENT, -EPERM (the built-in one), -ESTALE (it belongs
 * to another owner), -EOPNOTSUPP (the algorithm), -ERANGE (the window), -ENOMEM.
 */
int mrc_cc_profile_set(struct mrc_dev *dev, struct mrc_cc_profile *p,
		       bool replace, const struct mrc_change *change);
/**
 * mrc_cc_profile_del() - no route names it. dev->cfg_lock held. Return: 0, -ENOENT, -EPERM for the
 * built-in one, -ESTALE (it belongs to another owner)
 */
int mrc_cc_profile_del(struct mrc_dev *dev, u64 id,
		       const struct mrc_change *change);
/** mrc_cc_profile_get() - copy out; false: no such id. Any context. */
bool mrc_cc_profile_get(struct mrc_dev *dev, u64 id, struct mrc_cc_profile *out);
/** mrc_cc_profile_next() - copy of the one with the lowest id >= @id. Process context. */
bool mrc_cc_profile_next(struct mrc_dev *dev, u64 id, struct mrc_cc_profile *out);

/**
 * mrc_cc_profile_derive() - what follows for a QP whose packets are as large as all planes take,
 * with all planes up
 * @dev: the device
 * @p: a copy of a profile of it
 * @mtu: gets the nominal bytes of such a packet
 * @d: result
 *
 * Return: false: nothing does as long as nobody has measured the base RTT. Any context.
 */
bool mrc_cc_profile_derive(struct mrc_dev *dev, const struct mrc_cc_profile *p, u32 *mtu,
			   struct mrc_cc_derived *d);

int mrc_cc_profiles_init(struct mrc_dev *dev);
void mrc_cc_profiles_free(struct mrc_dev *dev);

#endif /* _MRC_TRANSPORT_CC_PROFILE_H */
