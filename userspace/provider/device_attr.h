/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/**
 * @file
 * Queries what an mrc device has beyond verbs, over the uverbs ioctl. Needs only the public
 * libibverbs.
 */
#ifndef MRC_DEVICE_ATTR_H
#define MRC_DEVICE_ATTR_H

#include <infiniband/verbs.h>
#include <rdma/mrc-abi.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @brief Query the device.
 * @param context an open device, of any driver
 * @param values result
 * @return 0, or an errno value: EINVAL, EPROTONOSUPPORT or ENOTTY it is not an mrc device, or its
 *         module does not know this method; EIO the device has gone.
 */
int mrc_device_attr_query(struct ibv_context *context, struct mrc_abi_device_attr *values);

#ifdef __cplusplus
}
#endif

#endif /* MRC_DEVICE_ATTR_H */
