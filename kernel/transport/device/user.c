// SPDX-License-Identifier: GPL-2.0-only
/*
 * Users of a device.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>

#include "device.h"
#include "user.h"

/*
 * In this file for lockdep's sake. Lockdep gives xarrays that are initialised in one file the same
 * lock class. Softirqs take the lock of this xarray, but not those of the xarrays in device.c.
 */
void mrc_users_init(struct mrc_dev *dev)
{
	xa_init_flags(&dev->users, XA_FLAGS_LOCK_BH | XA_FLAGS_ACCOUNT);
}

void mrc_users_exit(struct mrc_dev *dev)
{
	xa_destroy(&dev->users);
}

static struct mrc_user *mrc_user_alloc(struct mrc_dev *dev, kuid_t uid)
{
	struct mrc_user *user = kzalloc(sizeof(*user), GFP_KERNEL_ACCOUNT);

	if (!user)
		return NULL;
	user->dev = dev;
	user->uid = uid;
	user->ref = 1;
	return user;
}

struct mrc_user *mrc_user_get(struct mrc_dev *dev)
{
	kuid_t uid = current_uid();
	struct mrc_user *fresh = mrc_user_alloc(dev, uid), *user;

	if (!fresh)
		return NULL;
	xa_lock_bh(&dev->users);
	user = __xa_cmpxchg(&dev->users, __kuid_val(uid), NULL, fresh, GFP_KERNEL);
	if (user && !xa_is_err(user))
		user->ref++;
	xa_unlock_bh(&dev->users);
	if (!user)
		return fresh;
	kfree(fresh);
	return xa_is_err(user) ? NULL : user;
}

void mrc_user_hold(struct mrc_user *user)
{
	xa_lock_bh(&user->dev->users);
	user->ref++;
	xa_unlock_bh(&user->dev->users);
}

void mrc_user_put(struct mrc_user *user)
{
	struct xarray *users = &user->dev->users;
	bool last;

	xa_lock_bh(users);
	last = !--user->ref;
	if (last)
		__xa_erase(users, __kuid_val(user->uid));
	xa_unlock_bh(users);
	if (last)
		kfree(user);
}

static u32 mrc_user_limit(const struct mrc_dev_cfg *cfg, enum mrc_share what)
{
	switch (what) {
	case MRC_SHARE_PD:
		return READ_ONCE(cfg->user_pds);
	case MRC_SHARE_CQ:
		return READ_ONCE(cfg->user_cqs);
	case MRC_SHARE_QP:
	case MRC_SHARE_SRQ:
		return READ_ONCE(cfg->user_qps);
	case MRC_SHARE_AH:
	case MRC_SHARE_MR:
		return READ_ONCE(cfg->user_mrs);
	default:
		return READ_ONCE(cfg->user_peers);
	}
}

/* No audit record: a program without the privilege does nothing wrong. */
static bool mrc_user_is_free(void)
{
	return ns_capable_noaudit(&init_user_ns, CAP_SYS_RESOURCE);
}

int mrc_user_take(struct mrc_user *user, enum mrc_share what)
{
	u32 has;

	if (!user)
		return 0;
	has = atomic_inc_return(&user->has[what]);
	if (has <= mrc_user_limit(&user->dev->cfg, what) || mrc_user_is_free())
		return 0;
	atomic_dec(&user->has[what]);
	mrc_count(user->dev, MRC_CNT_USER_LIMIT);
	return -EDQUOT;
}

void mrc_user_give(struct mrc_user *user, enum mrc_share what)
{
	if (user)
		atomic_dec(&user->has[what]);
}
