// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "device.h"

#include "base/edge.h"
#include "base/verbs.h"
#include "objects.h"

namespace mrc
{

int query_device(ibv_context *device, mrc_abi_device_attr &attr)
{
    const Verbs *v = verbs();

    if (!v)
        return ENOSYS;
    attr = {};
    const int error = v->query_device(device, &attr);
    switch (error) {
    // It is a device of another driver, a driver without this method, or not a device at all.
    case EINVAL:
    case ENOTTY:
    case EOPNOTSUPP:
    case EPROTONOSUPPORT:
        return ENOTSUP;
    default:
        return error;
    }
}

namespace
{

mrc_device_attr told(const mrc_abi_device_attr &abi)
{
    mrc_device_attr attr{};

    attr.mrc_protocol_version = MRC_PROTOCOL_VERSION_1;
    attr.wimm_attr.max_wimm = abi.max_wimm_tx;
    attr.wimm_attr.max_wimm_dest = abi.max_wimm_rx;
    attr.mpr_attr.max_mpr = abi.max_mpr;
    attr.mpr_attr.mpr_resolution = 1;
    attr.qp_attr.max_qp_hint = abi.max_qp;
    attr.cap = abi.caps & MRC_ABI_DEVICE_CAP_TRIM_NACK ? MRC_DEVICE_CAP_TRIM_NACK : 0;
    return attr;
}

int query(ibv_context *device, mrc_device_attr *attr, int *supported)
{
    mrc_abi_device_attr abi;

    if (!device || !attr || !supported)
        return EINVAL;
    *attr = {};
    *supported = 0;
    const int error = query_device(device, abi);
    if (error)
        return error == ENOTSUP ? 0 : error;
    *attr = told(abi);
    *supported = 1;
    return 0;
}

} // namespace

} // namespace mrc

MRC_EXPORT int mrc_query_device(ibv_context *context, mrc_device_attr *attr, int *supported)
{
    return mrc::zero_or_minus([&] { return mrc::query(context, attr, supported); });
}

MRC_EXPORT int mrc_query_device_ex(ibv_context *context, mrc_context *mcontext,
                                   mrc_device_attr *attr, int *supported)
{
    return mrc::zero_or_minus([&] {
        if (mcontext && !mrc::is(mcontext))
            return EINVAL;
        return mrc::query(context, attr, supported);
    });
}
