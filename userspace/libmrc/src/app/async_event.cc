// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <algorithm>
#include <map>

#include "async_event.h"
#include "base/edge.h"
#include "base/verbs.h"

namespace mrc
{

namespace
{

constexpr size_t unread_most = 1024;

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

/**
 * The object that an inner one belongs to, kept from being destroyed; null: it is none of these, or
 * one that nobody will ask for any more.
 */
template <typename Map>
auto owner(const Map &objects, typename Map::key_type inner, bool own)
{
    const auto found = objects.find(inner);
    auto object = found == objects.end() ? nullptr : found->second;

    if (object && object->going && !own)
        object = nullptr;
    if (object)
        object->async_events++;
    return object;
}

/** @param own the reader's own context @return false: it is not for this context's program */
bool translate(mrc_context &context, bool own, const ibv_async_event &from, mrc_async_event &to)
{
    const std::lock_guard lock(context.lock);

    to = {};
    to.event_type = from.event_type;
    switch (about(from.event_type)) {
    case About::cq:
        to.element.cq = owner(context.cqs, from.element.cq, own);
        return to.element.cq;
    case About::qp:
        to.element.qp = owner(context.qps, from.element.qp, own);
        return to.element.qp;
    case About::port:
        to.element.port_num = from.element.port_num;
        // Who never reads keeps no more of them than this.
        return context.unread.size() < unread_most;
    default:
        return false;
    }
}

/** To each context whose it is: that of a port is everybody's. The lock of the events held. */
void distribute(DeviceEvents &events, const mrc_context &reader, const ibv_async_event &inner)
{
    bool any = false;
    mrc_async_event event{};

    for (mrc_context *context : events.contexts) {
        if (!translate(*context, context == &reader, inner, event))
            continue;
        context->unread.push_back(event);
        any = true;
    }
    if (!any) {
        ibv_async_event nobodys = inner;
        verbs()->ack_async_event(&nobodys);
    }
}

/** Reads in the name of all, also if its thread is cancelled meanwhile. */
class Reading
{
public:
    Reading(DeviceEvents &events, std::unique_lock<std::mutex> &lock) : events_(events), lock_(lock)
    {
        events_.reading = true;
        lock_.unlock();
    }
    ~Reading()
    {
        lock_.lock();
        events_.reading = false;
        events_.changed.notify_all();
    }
    Reading(const Reading &) = delete;
    Reading &operator=(const Reading &) = delete;

private:
    DeviceEvents &events_;
    std::unique_lock<std::mutex> &lock_;
};

/** @return 0 or an errno value */
int read(mrc_context &context, std::unique_lock<std::mutex> &lock)
{
    ibv_async_event inner{};

    {
        const Reading reading(*context.events, lock);
        if (verbs()->get_async_event(context.device, &inner))
            return errno ? errno : EIO;
    }
    distribute(*context.events, context, inner);
    return 0;
}

int get(mrc_context *context, mrc_async_event *event)
{
    if (!is(context) || !event)
        return EINVAL;
    DeviceEvents &events = *context->events;
    std::unique_lock lock(events.lock);
    while (context->unread.empty()) {
        if (events.reading) {
            events.changed.wait(lock);
            continue;
        }
        if (const int error = read(*context, lock))
            return error;
    }
    *event = context->unread.front();
    context->unread.pop_front();
    return 0;
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

/** What of an object's events nobody has read. The lock of the events held. */
template <typename Is>
void acknowledge_unread(mrc_context &context, Is is_its)
{
    const auto its = std::stable_partition(context.unread.begin(), context.unread.end(),
                                           [&](const auto &event) { return !is_its(event); });

    std::for_each(its, context.unread.end(), acknowledge);
    context.unread.erase(its, context.unread.end());
}

template <typename T, typename Is>
void forget(T &object, Is is_its)
{
    const std::lock_guard lock(object.context->events->lock);

    {
        const std::lock_guard inner(object.context->lock);
        object.going = true;
    }
    acknowledge_unread(*object.context, is_its);
}

template <typename T>
void keep(T &object)
{
    const std::lock_guard lock(object.context->lock);

    object.going = false;
}

/** By open device, as long as there are contexts of it. */
struct Registry {
    std::mutex lock;
    std::map<const ibv_context *, std::weak_ptr<DeviceEvents>> devices;
};

Registry &registry()
{
    static Registry all;

    return all;
}

} // namespace

void join_events(mrc_context &context)
{
    Registry &all = registry();
    const std::lock_guard lock(all.lock);
    auto &device = all.devices[context.device];

    context.events = device.lock();
    if (!context.events) {
        context.events = std::make_shared<DeviceEvents>();
        device = context.events;
    }
    const std::lock_guard inner(context.events->lock);
    context.events->contexts.insert(&context);
}

void leave_events(mrc_context &context)
{
    Registry &all = registry();
    const std::lock_guard lock(all.lock);

    {
        const std::lock_guard inner(context.events->lock);
        context.events->contexts.erase(&context);
    }
    context.events.reset();
    if (all.devices[context.device].expired())
        all.devices.erase(context.device);
}

void forget_events(mrc_qp &qp)
{
    forget(qp, [&](const mrc_async_event &event) {
        return about(event.event_type) == About::qp && event.element.qp == &qp;
    });
}

void forget_events(mrc_cq &cq)
{
    forget(cq, [&](const mrc_async_event &event) {
        return about(event.event_type) == About::cq && event.element.cq == &cq;
    });
}

void keep_events(mrc_qp &qp)
{
    keep(qp);
}

void keep_events(mrc_cq &cq)
{
    keep(cq);
}

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
