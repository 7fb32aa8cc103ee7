/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/**
 * @file
 * Sets and queries MRC's own QP attributes, over the uverbs ioctl. Needs only the public
 * libibverbs, so that a program can link it without the provider.
 */
#ifndef MRC_QP_ATTR_H
#define MRC_QP_ATTR_H

#include <infiniband/verbs.h>
#include <rdma/mrc-abi.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @brief Set attributes.
 * @param qp a QP of an mrc device
 * @param values the mask names the fields to set
 * @return 0, or an errno value: EINVAL a value is out of range, EBUSY the QP's state is too late,
 *         ENOTTY or EPROTONOSUPPORT the device is not an mrc device.
 */
int mrc_qp_attr_set(struct ibv_qp *qp, const struct mrc_abi_qp_attr *values);

/**
 * @brief Query all attributes.
 * @param qp a QP of an mrc device
 * @param values result
 * @return 0 or an errno value.
 */
int mrc_qp_attr_query(struct ibv_qp *qp, struct mrc_abi_qp_attr *values);

#ifdef __cplusplus
}
#endif

#endif /* MRC_QP_ATTR_H */
