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

/** The kind of object that an event is about. */
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
 * Find the object of a verbs object, and count an event, which delays the object's destruction.
 *
 * @param own the object's context is the reader's own
 * @return null if there is no such object, or if it is being destroyed and own is false
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

/** @param own context is the reader's own @return false: the event is not for this context */
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
        // A context that never reads keeps at most this number of events.
        return context.unread.size() < unread_most;
    default:
        return false;
    }
}

/** Give an event to its context, an event of the port to all. The lock of the events is held. */
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

/** While it exists, its thread reads for all contexts. Also works if the thread is cancelled. */
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

/** The object's destruction waits for one event less. */
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

/** Acknowledge an object's unread events. The lock of the events is held. */
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

/** The events of each open device that has contexts. */
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
