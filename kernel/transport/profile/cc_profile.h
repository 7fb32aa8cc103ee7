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
 * @id: 64-bit number; 0 is the built-in one, NSCC with nothing set
 * @params: the settings. mtu is 0, because each connection has its own; with algorithm "none",
 *          max_cwnd is @window; with @links_rate, rate is that of the links
 * @window: at most so many bytes in flight per QP, with algorithm "none"; else 0
 * @scope: enum mrc_nl_cc_scope
 * @links_rate: no rate is set: the rate of the links is used
 * @owner: enum mrc_nl_owner, or another controller's number
 * @alias: name for people, or empty
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

/* Names, by enum mrc_cc_algorithm. */
extern const char * const mrc_cc_algorithm_names[MRC_CC_ALGORITHMS];

/**
 * mrc_cc_profile_set() - add a copy of @p or, with @replace, replace the profile with its id
 *
 * In @p->params, rate and mtu are 0 if not set, and an unknown algorithm is MRC_CC_ALGORITHMS. The
 * owner is the one that @change names, or else the owner of the replaced profile. @p gets the
 * owner, and the values of all settings that were not set.
 *
 * dev->cfg_lock held. Return: 0, -EEXIST, -ENOENT, -EPERM (the built-in one), -ESTALE (it belongs
 * to another owner), -EOPNOTSUPP (the algorithm), -ERANGE (the window), -ENOMEM.
 */
int mrc_cc_profile_set(struct mrc_dev *dev, struct mrc_cc_profile *p,
		       bool replace, const struct mrc_change *change);
/**
 * mrc_cc_profile_del() - delete a profile that no route names
 *
 * dev->cfg_lock held. Return: 0, -ENOENT, -EPERM (the built-in one), -ESTALE (it belongs to another
 * owner).
 */
int mrc_cc_profile_del(struct mrc_dev *dev, u64 id,
		       const struct mrc_change *change);
/** mrc_cc_profile_get() - copy a profile; false: no such id. Any context. */
bool mrc_cc_profile_get(struct mrc_dev *dev, u64 id, struct mrc_cc_profile *out);
/** mrc_cc_profile_next() - copy the profile with the lowest id >= @id. Process context. */
bool mrc_cc_profile_next(struct mrc_dev *dev, u64 id, struct mrc_cc_profile *out);

/**
 * mrc_cc_profile_derive() - values that follow from a profile, for a QP with the largest packets
 * that all planes take, and with all planes up
 * @dev: the device
 * @p: a copy of one of its profiles
 * @mtu: gets the nominal bytes of such a packet
 * @d: result
 *
 * Any context. Return: false: nothing follows without a base RTT in the profile, or without NSCC.
 */
bool mrc_cc_profile_derive(struct mrc_dev *dev, const struct mrc_cc_profile *p, u32 *mtu,
			   struct mrc_cc_derived *d);

int mrc_cc_profiles_init(struct mrc_dev *dev);
void mrc_cc_profiles_free(struct mrc_dev *dev);

#endif /* _MRC_TRANSPORT_CC_PROFILE_H */
