// SPDX-License-Identifier: GPL-2.0-only
#include "sim_queue.h"

void SimQueue::put(SimTraffic traffic, SimClock::What handOn)
{
    waiting[std::min(static_cast<int>(traffic), classes - 1)].push_back(std::move(handOn));
    if (!busy)
        serve();
}

void SimQueue::serve()
{
    busy = false;
    for (auto &queue : waiting) {
        if (queue.empty())
            continue;
        busy = true;
        clock.at(clock.now + serveNs, [this, handOn = std::move(queue.front())] {
            handOn();
            serve();
        });
        queue.pop_front();
        return;
    }
}
