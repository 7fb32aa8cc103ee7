// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * The asynchronous events of an open device. There is one stream of them, from which each event is
 * read once; several contexts may be made of the device, each with readers of its own. So one
 * reader at a time reads, for all contexts, and gives each what is its.
 */
#pragma once

#include <condition_variable>
#include <mutex>
#include <unordered_set>

#include "objects.h"

namespace mrc
{

struct DeviceEvents {
    std::mutex lock; ///< guards what follows, and what its contexts have not read
    std::condition_variable changed;
    bool reading = false; ///< somebody waits for the device, without the lock
    std::unordered_set<mrc_context *> contexts;
};

/** A context of its device begins, or ends: it takes part. */
void join_events(mrc_context &context);
void leave_events(mrc_context &context);

/** The object is being destroyed: what nobody has read of it is acknowledged, and what comes. */
void forget_events(mrc_qp &qp);
void forget_events(mrc_cq &cq);
/** It was not destroyed. */
void keep_events(mrc_qp &qp);
void keep_events(mrc_cq &cq);

} // namespace mrc
