/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Users of a device, and how many objects each has. A user is the uid that opened the device. The
 * objects of all programs of a user count together and are limited, so that one user leaves enough
 * for the others. Other limits hold for all users together, and by the rdma and memory cgroups.
 */
#ifndef _MRC_TRANSPORT_USER_H
#define _MRC_TRANSPORT_USER_H

#include <linux/atomic.h>
#include <linux/uidgid.h>

/* Limit of objects of one kind on a device, of all users together. */
#define MRC_MAX_OBJECTS	(1 << 20)

struct mrc_dev;

/** enum mrc_share - kinds of objects that are limited per user */
enum mrc_share {
	MRC_SHARE_PD,
	MRC_SHARE_CQ,
	MRC_SHARE_QP,
	MRC_SHARE_SRQ,
	MRC_SHARE_AH,
	MRC_SHARE_MR,
	MRC_SHARE_PEER,
	MRC_SHARE_COUNT,
};

/**
 * struct mrc_user - a user of a device
 * @dev: the device; a holder of the user keeps the device
 * @uid: the user's id
 * @ref: the user's contexts and peers; under the lock of dev->users
 * @has: number of objects of each kind
 */
struct mrc_user {
	struct mrc_dev *dev;
	kuid_t uid;
	unsigned int ref;
	atomic_t has[MRC_SHARE_COUNT];
};

/** mrc_users_init() - set up a device without users */
void mrc_users_init(struct mrc_dev *dev);
/** mrc_users_exit() - undo it; no user is left */
void mrc_users_exit(struct mrc_dev *dev);

/** mrc_user_get() - user of the current program. Process context. Return: a reference or NULL. */
struct mrc_user *mrc_user_get(struct mrc_dev *dev);
/** mrc_user_hold() - take one more reference. Process context or BH off. */
void mrc_user_hold(struct mrc_user *user);
/** mrc_user_put() - drop a reference. Any context except hard interrupts. */
void mrc_user_put(struct mrc_user *user);

/**
 * mrc_user_take() - count one more object of a user
 * @user: the user; NULL: the object has no user, and no limit
 * @what: kind of the object
 *
 * Programs with CAP_SYS_RESOURCE may exceed the limits of users. Process context.
 * Return: 0, or -EDQUOT: the user has as many as the setting allows.
 */
int mrc_user_take(struct mrc_user *user, enum mrc_share what);
/** mrc_user_give() - count one object less. Any context. */
void mrc_user_give(struct mrc_user *user, enum mrc_share what);

#endif /* _MRC_TRANSPORT_USER_H */
