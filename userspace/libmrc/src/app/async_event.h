// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * The asynchronous events of an open device. The device has one stream of events, and each event
 * can be read only once. But several contexts may be made of the device, each with readers of its
 * own. So one reader at a time reads for all contexts, and gives each context its events.
 */
#pragma once

#include <condition_variable>
#include <mutex>
#include <unordered_set>

#include "objects.h"

namespace mrc
{

struct DeviceEvents {
    std::mutex lock; ///< guards the members below, and mrc_context::unread of the contexts
    std::condition_variable changed;
    bool reading = false; ///< a thread is reading from the device, without the lock
    std::unordered_set<mrc_context *> contexts;
};

/** Let a new context take part in the events of its device, or end that. */
void join_events(mrc_context &context);
void leave_events(mrc_context &context);

/** Before an object is destroyed: acknowledge its unread events, and those that still come. */
void forget_events(mrc_qp &qp);
void forget_events(mrc_cq &cq);
/** Undo forget_events(), because the object could not be destroyed. */
void keep_events(mrc_qp &qp);
void keep_events(mrc_cq &cq);

} // namespace mrc
