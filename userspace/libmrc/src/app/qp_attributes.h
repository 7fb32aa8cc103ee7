// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * MRC's own attributes of a QP, between mrc.h and the kernel.
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
 * What the kernel is to be told.
 * @param mask those of the fields that count; the hint, capabilities and a vendor's are not the
 * kernel's
 * @param defaults that a window of 0 stands for
 * @param abi result; ranges are the kernel's to check
 */
void to_kernel(const mrc_qp_attr &attr, int mask, const mrc_abi_qp_attr &defaults,
               mrc_abi_qp_attr &abi);

/** What the kernel says; fields that the mask does not name stay as they are. */
void from_kernel(const mrc_abi_qp_attr &abi, int mask, mrc_qp_attr &attr);

} // namespace mrc
