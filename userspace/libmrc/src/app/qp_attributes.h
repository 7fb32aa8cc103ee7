// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * Conversion of MRC's own QP attributes between mrc.h and the kernel.
 */
#pragma once

#include <mrc.h>
#include <rdma/mrc-abi.h>

namespace mrc
{

/** All bits of enum mrc_qp_attr_mask. */
constexpr int qp_attr_all = MRC_QP_MAX_WIMM | MRC_QP_MAX_WIMM_DEST | MRC_QP_MPR | MRC_QP_MPR_DEST |
                            MRC_QP_TIMEOUT | MRC_QP_EV_PROFILE_ID | MRC_QP_CC_PROFILE_ID |
                            MRC_QP_HINT | MRC_QP_RETRY_CNT | MRC_QP_CAP | MRC_QP_VENDOR_CFG;

/**
 * Convert attributes for the kernel.
 * @param mask fields to convert; the kernel has no hint, capabilities and vendor's fields
 * @param defaults values that a window of 0 stands for
 * @param abi result; the kernel checks the ranges
 */
void to_kernel(const mrc_qp_attr &attr, int mask, const mrc_abi_qp_attr &defaults,
               mrc_abi_qp_attr &abi);

/** Convert the kernel's attributes. Fields that the mask does not name are not changed. */
void from_kernel(const mrc_abi_qp_attr &abi, int mask, mrc_qp_attr &attr);

} // namespace mrc
