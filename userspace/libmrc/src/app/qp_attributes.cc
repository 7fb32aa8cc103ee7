// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "qp_attributes.h"

namespace mrc
{

namespace
{

template <typename T>
T or_default(T value, T otherwise)
{
    return value ? value : otherwise;
}

} // namespace

void to_kernel(const mrc_qp_attr &attr, int mask, const mrc_abi_qp_attr &defaults,
               mrc_abi_qp_attr &abi)
{
    const auto takes = [&](int field, uint32_t kernels) {
        if (mask & field)
            abi.mask |= kernels;
        return (mask & field) != 0;
    };

    abi = {};
    if (takes(MRC_QP_EV_PROFILE_ID, MRC_QP_ATTR_EV_PROFILE))
        abi.ev_profile = attr.profile.ev_profile_id;
    if (takes(MRC_QP_CC_PROFILE_ID, MRC_QP_ATTR_CC_PROFILE))
        abi.cc_profile = attr.profile.cc_profile_id;
    if (takes(MRC_QP_MPR_DEST, MRC_QP_ATTR_MPR_RX))
        abi.mpr_rx = or_default(attr.mpr.mpr_dest, defaults.mpr_rx);
    if (takes(MRC_QP_MPR, MRC_QP_ATTR_MPR_TX))
        abi.mpr_tx = or_default(attr.mpr.mpr, defaults.mpr_tx);
    if (takes(MRC_QP_MAX_WIMM_DEST, MRC_QP_ATTR_WIMM_RX))
        abi.wimm_rx = or_default(attr.wimm.max_wimm_dest, defaults.wimm_rx);
    if (takes(MRC_QP_MAX_WIMM, MRC_QP_ATTR_WIMM_TX))
        abi.wimm_tx = or_default(attr.wimm.max_wimm, defaults.wimm_tx);
    if (takes(MRC_QP_TIMEOUT, MRC_QP_ATTR_TIMEOUT))
        abi.timeout = attr.timeout;
    if (takes(MRC_QP_RETRY_CNT, MRC_QP_ATTR_LINEAR | MRC_QP_ATTR_EXP)) {
        abi.linear = attr.retry.linear_cnt;
        abi.exp = attr.retry.exp_cnt;
    }
}

void from_kernel(const mrc_abi_qp_attr &abi, int mask, mrc_qp_attr &attr)
{
    if (mask & MRC_QP_EV_PROFILE_ID)
        attr.profile.ev_profile_id = abi.ev_profile;
    if (mask & MRC_QP_CC_PROFILE_ID)
        attr.profile.cc_profile_id = abi.cc_profile;
    if (mask & MRC_QP_MPR_DEST)
        attr.mpr.mpr_dest = abi.mpr_rx;
    if (mask & MRC_QP_MPR)
        attr.mpr.mpr = abi.mpr_tx;
    if (mask & MRC_QP_MAX_WIMM_DEST)
        attr.wimm.max_wimm_dest = abi.wimm_rx;
    if (mask & MRC_QP_MAX_WIMM)
        attr.wimm.max_wimm = abi.wimm_tx;
    if (mask & MRC_QP_TIMEOUT)
        attr.timeout = abi.timeout;
    if (mask & MRC_QP_RETRY_CNT) {
        attr.retry.linear_cnt = abi.linear;
        attr.retry.exp_cnt = abi.exp;
    }
}

} // namespace mrc
