// SPDX-License-Identifier: GPL-2.0-only
//
// Where packets wait on a simulated path: a queue per traffic class, the most urgent one first.
#pragma once

#include "engine/core.h"
#include "sim_clock.h"

#include <deque>

/// Traffic classes, the most urgent one first.
enum class SimTraffic { Control, Again, Data };

class SimQueue
{
public:
    /// @p classes: as in struct SimConfig. @p serveNs: time that a packet takes, not 0
    SimQueue(SimClock &clock, int classes, u64 serveNs)
        : clock(clock), classes(classes), serveNs(serveNs)
    {
    }

    /// Adds a packet, which is handed on when its turn has come.
    void put(SimTraffic traffic, SimClock::What handOn);

private:
    SimClock &clock;
    int classes;
    u64 serveNs;
    std::deque<SimClock::What> waiting[3]; ///< per class
    bool busy = false;

    void serve();
};
