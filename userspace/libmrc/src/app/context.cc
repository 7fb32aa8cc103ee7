// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <memory>

#include "async_event.h"
#include "base/edge.h"
#include "base/verbs.h"
#include "device.h"

namespace mrc
{

namespace
{

bool takes(const mrc_context_attr *attr)
{
    return !attr || (attr->mrc_api_version_used <= MRC_API_CURRENT_VERSION &&
                     attr->mrc_vendor_api_version_used <= MRC_VENDOR_API_CURRENT_VERSION);
}

mrc_context *create(ibv_context *device, const mrc_context_attr *attr)
{
    mrc_abi_device_attr abi;

    if (!device || !takes(attr))
        return refused(EINVAL);
    if (const int error = query_device(device, abi))
        return refused(error);
    auto context = std::make_unique<mrc_context>();
    context->device = device;
    join_events(*context);
    return context.release();
}

// Verbs waits for events that are not acknowledged, so drop() acknowledges them. If the device has
// gone, an object cannot be destroyed; closing the device then frees it.

void drop(const Verbs &v, mrc_qp *qp)
{
    for (; qp->async_events; qp->async_events--) {
        ibv_async_event event{};
        event.element.qp = qp->qp;
        event.event_type = IBV_EVENT_QP_FATAL;
        v.ack_async_event(&event);
    }
    v.destroy_qp(qp->qp);
    delete qp;
}

void drop(const Verbs &v, mrc_cq *cq)
{
    for (; cq->async_events; cq->async_events--) {
        ibv_async_event event{};
        event.element.cq = cq->cq;
        event.event_type = IBV_EVENT_CQ_ERR;
        v.ack_async_event(&event);
    }
    if (cq->events)
        v.ack_cq_events(cq->cq, cq->events);
    v.destroy_cq(cq->cq);
    delete cq;
}

void drop(const Verbs &v, mrc_comp_channel *channel)
{
    v.destroy_comp_channel(channel->channel);
    delete channel;
}

int destroy(mrc_context *context)
{
    const Verbs *v = verbs();

    if (!is(context))
        return EINVAL;
    leave_events(*context);
    for (const auto &[inner, qp] : context->qps)
        drop(*v, qp);
    for (const auto &[inner, cq] : context->cqs)
        drop(*v, cq);
    for (mrc_qp_hint *hint : context->hints)
        delete hint;
    for (mrc_cq *cq : context->ev_event_cqs)
        delete cq;
    for (mrc_comp_channel *channel : context->channels)
        drop(*v, channel);
    delete context;
    return 0;
}

} // namespace

} // namespace mrc

MRC_EXPORT mrc_context *mrc_create_context(ibv_context *vcontext, mrc_context_attr *context_attr)
{
    return mrc::pointer([&] { return mrc::create(vcontext, context_attr); });
}

MRC_EXPORT int mrc_destroy_context(mrc_context *mrc_ctx)
{
    return mrc::zero_or_minus([&] { return mrc::destroy(mrc_ctx); });
}
