// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts the objects that an ib_device has.
 */
#include "device.h"

int mrc_object_add(struct ib_device *ib, struct mrc_user *user, enum mrc_share kind)
{
	atomic_t *n = &to_mrc_ibdev(ib)->objects[kind];
	int err;

	if (!atomic_add_unless(n, 1, MRC_MAX_OBJECTS))
		return -ENOMEM;
	err = mrc_user_take(user, kind);
	if (err)
		atomic_dec(n);
	return err;
}

void mrc_object_del(struct ib_device *ib, struct mrc_user *user, enum mrc_share kind)
{
	mrc_user_give(user, kind);
	atomic_dec(&to_mrc_ibdev(ib)->objects[kind]);
}
