// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <algorithm>
#include <iterator>
#include <memory>

#include "base/edge.h"
#include "objects.h"

namespace mrc
{

namespace
{

constexpr int all = MRC_QP_HINT_NUM_QPS_PER_PEER | MRC_QP_HINT_NUM_SEND_PEERS |
                    MRC_QP_HINT_NUM_REMOTE_RECV_PEERS | MRC_QP_HINT_VENDOR_CFG;

/** Copies the fields that the mask names. */
void copy(mrc_qp_hint_attr &to, const mrc_qp_hint_attr &from, int mask)
{
    if (mask & MRC_QP_HINT_NUM_QPS_PER_PEER)
        to.num_qps_per_peer = from.num_qps_per_peer;
    if (mask & MRC_QP_HINT_NUM_SEND_PEERS)
        to.num_send_peers = from.num_send_peers;
    if (mask & MRC_QP_HINT_NUM_REMOTE_RECV_PEERS)
        to.num_remote_recv_peers = from.num_remote_recv_peers;
    if (mask & MRC_QP_HINT_VENDOR_CFG)
        std::copy(std::begin(from.vendor_cfg), std::end(from.vendor_cfg),
                  std::begin(to.vendor_cfg));
}

/** Check that no number of QPs or hosts is negative. */
bool counts(const mrc_qp_hint_attr &attr)
{
    return attr.num_qps_per_peer >= 0 && attr.num_send_peers >= 0 &&
           attr.num_remote_recv_peers >= 0;
}

mrc_qp_hint *create(mrc_context *context, const mrc_qp_hint_init_attr *init)
{
    if (!is(context) || (init && !counts(init->attr)))
        return refused(EINVAL);
    auto hint = std::make_unique<mrc_qp_hint>();
    hint->context = context;
    if (init)
        hint->attr = init->attr;
    const std::lock_guard lock(context->lock);
    context->hints.insert(hint.get());
    return hint.release();
}

int destroy(mrc_qp_hint *hint)
{
    if (!is(hint))
        return EINVAL;
    mrc_context *context = hint->context;
    const std::lock_guard lock(context->lock);
    if (hint->qps)
        return EBUSY;
    context->hints.erase(hint);
    delete hint;
    return 0;
}

int query(mrc_qp_hint *hint, mrc_qp_hint_attr *attr, int mask)
{
    if (!is(hint) || !attr || (mask & ~all))
        return EINVAL;
    const std::lock_guard lock(hint->context->lock);
    copy(*attr, hint->attr, mask);
    return 0;
}

int modify(mrc_qp_hint *hint, const mrc_qp_hint_attr *attr, int mask)
{
    if (!is(hint) || !attr || (mask & ~all))
        return EINVAL;
    const std::lock_guard lock(hint->context->lock);
    mrc_qp_hint_attr changed = hint->attr;
    copy(changed, *attr, mask);
    if (!counts(changed))
        return EINVAL;
    hint->attr = changed;
    return 0;
}

} // namespace

} // namespace mrc

MRC_EXPORT mrc_qp_hint *mrc_create_qp_hint(mrc_context *mrc_ctx, mrc_qp_hint_init_attr *init_attr)
{
    return mrc::pointer([&] { return mrc::create(mrc_ctx, init_attr); });
}

MRC_EXPORT int mrc_destroy_qp_hint(mrc_qp_hint *qp_hint)
{
    return mrc::zero_or_minus([&] { return mrc::destroy(qp_hint); });
}

MRC_EXPORT int mrc_query_qp_hint(mrc_qp_hint *qp_hint, mrc_qp_hint_attr *qp_hint_attr,
                                 int qp_hint_attr_mask)
{
    return mrc::zero_or_minus([&] { return mrc::query(qp_hint, qp_hint_attr, qp_hint_attr_mask); });
}

MRC_EXPORT int mrc_modify_qp_hint(mrc_qp_hint *qp_hint, mrc_qp_hint_attr *qp_hint_attr,
                                  int qp_hint_attr_mask)
{
    return mrc::zero_or_minus(
        [&] { return mrc::modify(qp_hint, qp_hint_attr, qp_hint_attr_mask); });
}
