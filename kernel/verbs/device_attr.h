/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The query for what a device has beyond verbs: a driver method on the device object of the uverbs
 * ioctl.
 */
#ifndef _MRC_VERBS_DEVICE_ATTR_H
#define _MRC_VERBS_DEVICE_ATTR_H

#include <rdma/uverbs_ioctl.h>

/** mrc_device_uapi_defs - for ib_device.driver_def */
extern const struct uapi_definition mrc_device_uapi_defs[];

#endif /* _MRC_VERBS_DEVICE_ATTR_H */
