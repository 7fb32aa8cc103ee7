/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Users of a device, and what each has of it. A user is who opened the device; what his programs
 * have counts together, so that one user leaves enough for the others. Beside it stand the limits
 * of all users together, and those of the rdma and memory cgroups.
 */
#ifndef _MRC_TRANSPORT_USER_H
#define _MRC_TRANSPORT_USER_H

#include <linux/atomic.h>
#include <linux/uidgid.h>

/* Objects of a kind on a device, of all users together. */
#define MRC_MAX_OBJECTS	(1 << 20)

struct mrc_dev;

/** enum mrc_share - what of a device is shared out */
enum mrc_share {
	MRC_SHARE_PD,
	MRC_SHARE_CQ,
	MRC_SHARE_QP,
	MRC_SHARE_MR,
	MRC_SHARE_PEER,
	MRC_SHARE_COUNT,
};

/**
 * struct mrc_user - a user of a device
 * @dev: the device; who holds a user keeps it
 * @uid: who
 * @ref: contexts, and peers that are his; under the lock of dev->users
 * @has: how many of each
 */
struct mrc_user {
	struct mrc_dev *dev;
	kuid_t uid;
	unsigned int ref;
	atomic_t has[MRC_SHARE_COUNT];
};

/** mrc_users_init() - nobody uses the device yet */
void mrc_users_init(struct mrc_dev *dev);
/** mrc_users_exit() - nobody does any more */
void mrc_users_exit(struct mrc_dev *dev);

/** mrc_user_get() - who runs the current program. Process context. Return: a reference or NULL. */
struct mrc_user *mrc_user_get(struct mrc_dev *dev);
/** mrc_user_hold() - one more reference. Process context or BH off. */
void mrc_user_hold(struct mrc_user *user);
/** mrc_user_put() - Any context but hard interrupts. */
void mrc_user_put(struct mrc_user *user);

/**
 * mrc_user_take() - one more of something
 * @user: whose; NULL is nobody's, and without a limit
 * @what: of what
 *
 * Programs with CAP_SYS_RESOURCE are not held to the limits of users. Process context.
 * Return: 0, or -EDQUOT: he has as many as the setting allows.
 */
int mrc_user_take(struct mrc_user *user, enum mrc_share what);
/** mrc_user_give() - one less. Any context. */
void mrc_user_give(struct mrc_user *user, enum mrc_share what);

#endif /* _MRC_TRANSPORT_USER_H */
