// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <memory>

#include "async_event.h"
#include "base/edge.h"
#include "base/verbs.h"

namespace mrc
{

namespace
{

mrc_cq *create(mrc_context *context, int cqe, void *cq_context, mrc_comp_channel *channel,
               int vector)
{
    const Verbs *v = verbs();

    if (!is(context) || (channel && (!is(channel) || channel->context != context)))
        return refused(EINVAL);
    auto cq = std::make_unique<mrc_cq>();
    cq->context = context;
    // The verbs CQ has the program's cq_context, too, because some programs look for it there.
    std::unique_ptr<ibv_cq, decltype(v->destroy_cq)> inner(
        v->create_cq(context->device, cqe, cq_context, channel ? channel->channel : nullptr,
                     vector),
        v->destroy_cq);
    if (!inner)
        return nullptr;
    const std::lock_guard lock(context->lock);
    context->cqs.insert_or_assign(inner.get(), cq.get());
    cq->cq = inner.release();
    return cq.release();
}

int destroy_ev_event_cq(mrc_cq *cq)
{
    const std::lock_guard lock(cq->context->lock);

    cq->context->ev_event_cqs.erase(cq);
    delete cq;
    return 0;
}

int destroy(mrc_cq *cq)
{
    if (cq && cq->kind == Kind::ev_event_cq)
        return destroy_ev_event_cq(cq);
    if (!is(cq))
        return EINVAL;
    mrc_context *context = cq->context;
    ibv_cq *inner = cq->cq;
    forget_events(*cq);
    // Until the CQ is destroyed its events may be read, so the context must know it until then.
    if (const int error = error_of(verbs()->destroy_cq(inner))) {
        keep_events(*cq);
        return error;
    }
    const std::lock_guard lock(context->lock);
    const auto found = context->cqs.find(inner);
    // A new verbs CQ may have the same address already.
    if (found != context->cqs.end() && found->second == cq)
        context->cqs.erase(found);
    delete cq;
    return 0;
}

void acknowledge(mrc_cq *cq, unsigned int events)
{
    if (!is(cq))
        return;
    {
        const std::lock_guard lock(cq->context->lock);
        cq->events -= events < cq->events ? events : cq->events;
    }
    verbs()->ack_cq_events(cq->cq, events);
}

} // namespace

} // namespace mrc

MRC_EXPORT mrc_cq *mrc_create_cq(mrc_context *mrc_ctx, int cqe, void *cq_context,
                                 mrc_comp_channel *channel, int comp_vector)
{
    return mrc::pointer(
        [&] { return mrc::create(mrc_ctx, cqe, cq_context, channel, comp_vector); });
}

MRC_EXPORT int mrc_destroy_cq(mrc_cq *cq)
{
    return mrc::errno_value([&] { return mrc::destroy(cq); });
}

MRC_EXPORT int mrc_req_notify_cq(mrc_cq *cq, int solicited_only)
{
    return mrc::errno_value([&] {
        if (!mrc::is(cq))
            return EINVAL;
        return mrc::error_of(ibv_req_notify_cq(cq->cq, solicited_only));
    });
}

MRC_EXPORT void mrc_ack_cq_events(mrc_cq *cq, unsigned int nevents)
{
    mrc::errno_value([&] {
        mrc::acknowledge(cq, nevents);
        return 0;
    });
}
