// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ib_device: how many objects it has.
 */
#include "device.h"

int mrc_object_add(struct ib_device *ib, enum mrc_object kind)
{
	atomic_t *n = &to_mrc_ibdev(ib)->objects[kind];

	return atomic_add_unless(n, 1, MRC_MAX_OBJECTS) ? 0 : -ENOMEM;
}

void mrc_object_del(struct ib_device *ib, enum mrc_object kind)
{
	atomic_dec(&to_mrc_ibdev(ib)->objects[kind]);
}
