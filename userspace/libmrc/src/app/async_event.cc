// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/edge.h"
#include "base/verbs.h"
#include "objects.h"

namespace mrc
{

namespace
{

/** What kind of object an event is about. */
enum class About { cq, qp, port, other };

About about(ibv_event_type type)
{
    switch (type) {
    case IBV_EVENT_CQ_ERR:
        return About::cq;
    case IBV_EVENT_QP_FATAL:
    case IBV_EVENT_QP_REQ_ERR:
    case IBV_EVENT_QP_ACCESS_ERR:
    case IBV_EVENT_COMM_EST:
    case IBV_EVENT_SQ_DRAINED:
    case IBV_EVENT_PATH_MIG:
    case IBV_EVENT_PATH_MIG_ERR:
    case IBV_EVENT_QP_LAST_WQE_REACHED:
        return About::qp;
    case IBV_EVENT_DEVICE_FATAL:
    case IBV_EVENT_PORT_ACTIVE:
    case IBV_EVENT_PORT_ERR:
    case IBV_EVENT_LID_CHANGE:
    case IBV_EVENT_PKEY_CHANGE:
    case IBV_EVENT_SM_CHANGE:
    case IBV_EVENT_CLIENT_REREGISTER:
    case IBV_EVENT_GID_CHANGE:
        return About::port;
    default:
        return About::other;
    }
}

/** The object that an inner one belongs to, kept from being destroyed; null: somebody else's. */
template <typename Map>
auto owner(const Map &objects, typename Map::key_type inner)
{
    const auto found = objects.find(inner);
    const auto object = found == objects.end() ? nullptr : found->second;

    if (object)
        object->async_events++;
    return object;
}

/** False: it is not for the program. */
bool translate(mrc_context &context, const ibv_async_event &from, mrc_async_event &to)
{
    const std::lock_guard lock(context.lock);

    to = {};
    to.event_type = from.event_type;
    switch (about(from.event_type)) {
    case About::cq:
        to.element.cq = owner(context.cqs, from.element.cq);
        return to.element.cq;
    case About::qp:
        to.element.qp = owner(context.qps, from.element.qp);
        return to.element.qp;
    case About::port:
        to.element.port_num = from.element.port_num;
        return true;
    default:
        return false;
    }
}

int get(mrc_context *context, mrc_async_event *event)
{
    const Verbs *v = verbs();
    ibv_async_event inner{};

    if (!is(context) || !event)
        return EINVAL;
    for (;;) {
        if (v->get_async_event(context->device, &inner))
            return errno ? errno : EIO;
        if (translate(*context, inner, *event))
            return 0;
        v->ack_async_event(&inner);
    }
}

/** One less that the object waits for. */
template <typename T>
void acknowledged(T &object)
{
    const std::lock_guard lock(object.context->lock);

    if (object.async_events)
        object.async_events--;
}

void acknowledge(const mrc_async_event &event)
{
    ibv_async_event inner{};

    inner.event_type = event.event_type;
    switch (about(event.event_type)) {
    case About::cq:
        if (!is(event.element.cq))
            return;
        inner.element.cq = event.element.cq->cq;
        acknowledged(*event.element.cq);
        break;
    case About::qp:
        if (!is(event.element.qp))
            return;
        inner.element.qp = event.element.qp->qp;
        acknowledged(*event.element.qp);
        break;
    case About::port:
        inner.element.port_num = event.element.port_num;
        break;
    default:
        return;
    }
    verbs()->ack_async_event(&inner);
}

} // namespace

} // namespace mrc

MRC_EXPORT int mrc_get_async_event(mrc_context *mrc_ctx, mrc_async_event *event)
{
    return mrc::zero_or_minus([&] { return mrc::get(mrc_ctx, event); });
}

MRC_EXPORT void mrc_ack_async_event(mrc_async_event *event)
{
    mrc::errno_value([&] {
        if (event)
            mrc::acknowledge(*event);
        return 0;
    });
}
