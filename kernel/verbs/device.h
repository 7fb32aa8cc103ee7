/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ib_device, and the count of the objects that it has.
 */
#ifndef _MRC_VERBS_DEVICE_H
#define _MRC_VERBS_DEVICE_H

#include <rdma/ib_verbs.h>
#include <rdma/mrc-abi.h>

#include "../transport/device/device.h"
#include "../transport/device/user.h"

#define MRC_IB_DRIVER	((__force enum rdma_driver_id)MRC_DRIVER_ID)

/**
 * struct mrc_ibdev - an mrc device as the RDMA core sees it
 * @ib: the core's part
 * @dev: the transport's part, a reference
 * @place: the device's parent in sysfs, or NULL; private to link.c
 * @objects: how many objects of each kind exist, by enum mrc_share
 * @avs: address vectors, see ah.h
 * @list: private to registry.c
 * @registered: private to registry.c
 * @state: private to registry.c
 */
struct mrc_ibdev {
	struct ib_device ib;
	struct mrc_dev *dev;
	struct device *place;
	atomic_t objects[MRC_SHARE_MR + 1];
	struct xarray avs;
	struct list_head list;
	bool registered;
	enum ib_port_state state;
};

static inline struct mrc_ibdev *to_mrc_ibdev(struct ib_device *ib)
{
	return container_of(ib, struct mrc_ibdev, ib);
}

static inline struct mrc_dev *to_mrc_dev(struct ib_device *ib)
{
	return to_mrc_ibdev(ib)->dev;
}

/**
 * mrc_object_add() - count one more object
 * @ib: the device
 * @user: the user it belongs to; NULL: the kernel
 * @kind: kind of the object, MRC_SHARE_MR at most
 *
 * Process context. Return: 0, -ENOMEM at the device's limit, -EDQUOT at the user's.
 */
int mrc_object_add(struct ib_device *ib, struct mrc_user *user, enum mrc_share kind);
/** mrc_object_del() - count one object less */
void mrc_object_del(struct ib_device *ib, struct mrc_user *user, enum mrc_share kind);

#endif /* _MRC_VERBS_DEVICE_H */
