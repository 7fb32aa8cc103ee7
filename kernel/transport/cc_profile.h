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

#include "alias.h"

struct mrc_asked;
struct mrc_dev;

/**
 * struct mrc_cc_profile - numbered congestion-control configuration
 * @id: 64-bit number; 0 is the built-in one, window MRC_CC_WINDOW_DEFAULT
 * @algorithm: "none"
 * @window: bytes in flight per QP, at most
 * @owner: enum mrc_nl_owner or a number behind it
 * @alias: what people call it by, or empty
 */
struct mrc_cc_profile {
	struct list_head list;	/* dev->cc_profiles */
	u64 id;
	char algorithm[16];
	u32 window;
	u8 owner;
	char alias[MRC_ALIAS_MAX + 1];
	struct rcu_head rcu;
};

#define MRC_CC_PROFILE_DEFAULT	0ull
#define MRC_CC_WINDOW_DEFAULT	(1u << 20)
#define MRC_CC_WINDOW_MIN	(8u << 10)
#define MRC_CC_WINDOW_MAX	(256u << 20)

/**
 * mrc_cc_profile_set() - a copy of @p, new or, with @replace, in place of the one of its id
 *
 * Its owner is the one that @asked names, or that of the one before; @p gets it.
 *
 * dev->cfg_lock held. Return: 0, -EEXIST, -ENOENT, -EPERM (the built-in one), -ESTALE (it belongs
 * to another owner), -EOPNOTSUPP (the algorithm), -ERANGE (the window), -ENOMEM.
 */
int mrc_cc_profile_set(struct mrc_dev *dev, struct mrc_cc_profile *p,
		       bool replace, const struct mrc_asked *asked);
/**
 * mrc_cc_profile_del() - no route names it. dev->cfg_lock held. Return: 0, -ENOENT, -EPERM for the
 * built-in one, -ESTALE (it belongs to another owner)
 */
int mrc_cc_profile_del(struct mrc_dev *dev, u64 id,
		       const struct mrc_asked *asked);
/** mrc_cc_profile_get() - copy out; false: no such id. Any context. */
bool mrc_cc_profile_get(struct mrc_dev *dev, u64 id, struct mrc_cc_profile *out);
/** mrc_cc_profile_next() - copy of the one with the lowest id >= @id. Process context. */
bool mrc_cc_profile_next(struct mrc_dev *dev, u64 id, struct mrc_cc_profile *out);

int mrc_cc_profiles_init(struct mrc_dev *dev);
void mrc_cc_profiles_free(struct mrc_dev *dev);

#endif /* _MRC_TRANSPORT_CC_PROFILE_H */
