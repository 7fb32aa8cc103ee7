// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <memory>

#include "base/edge.h"
#include "base/verbs.h"
#include "objects.h"

namespace mrc
{

namespace
{

int create(mrc_context *context, mrc_comp_channel **made)
{
    const Verbs *v = verbs();

    if (!is(context) || !made)
        return EINVAL;
    auto channel = std::make_unique<mrc_comp_channel>();
    channel->context = context;
    const std::lock_guard lock(context->lock);
    context->channels.insert(channel.get());
    channel->channel = v->create_comp_channel(context->device);
    if (!channel->channel) {
        const int error = errno;
        context->channels.erase(channel.get());
        return error ? error : EIO;
    }
    *made = channel.release();
    return 0;
}

int destroy(mrc_comp_channel *channel)
{
    if (!is(channel))
        return EINVAL;
    if (const int error = error_of(verbs()->destroy_comp_channel(channel->channel)))
        return error;
    mrc_context *context = channel->context;
    const std::lock_guard lock(context->lock);
    context->channels.erase(channel);
    delete channel;
    return 0;
}

/** Find the CQ of an event; the event delays its destruction. @return null: not the context's CQ */
mrc_cq *owner(mrc_context *context, const ibv_cq *inner)
{
    const std::lock_guard lock(context->lock);
    const auto found = context->cqs.find(inner);

    if (found == context->cqs.end())
        return nullptr;
    found->second->events++;
    return found->second;
}

int get_event(mrc_comp_channel *channel, mrc_cq **cq, void **cq_context)
{
    const Verbs *v = verbs();
    ibv_cq *inner = nullptr;
    void *theirs = nullptr;

    if (!is(channel) || !cq || !cq_context)
        return EINVAL;
    for (;;) {
        if (v->get_cq_event(channel->channel, &inner, &theirs))
            return errno ? errno : EIO;
        *cq = owner(channel->context, inner);
        if (*cq)
            break;
        v->ack_cq_events(inner, 1);
    }
    *cq_context = theirs;
    return 0;
}

} // namespace

} // namespace mrc

MRC_EXPORT int mrc_create_comp_channel(mrc_context *mrc_ctx, mrc_comp_channel **channel)
{
    return mrc::zero_or_minus([&] { return mrc::create(mrc_ctx, channel); });
}

MRC_EXPORT int mrc_get_comp_channel_fd(mrc_comp_channel *channel, int *fd)
{
    return mrc::zero_or_minus([&] {
        if (!mrc::is(channel) || !fd)
            return EINVAL;
        *fd = channel->channel->fd;
        return 0;
    });
}

MRC_EXPORT int mrc_destroy_comp_channel(mrc_comp_channel *channel)
{
    return mrc::errno_value([&] { return mrc::destroy(channel); });
}

MRC_EXPORT int mrc_get_cq_event(mrc_comp_channel *channel, mrc_cq **cq, void **cq_context)
{
    return mrc::zero_or_minus([&] { return mrc::get_event(channel, cq, cq_context); });
}
