// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The QPs of a run, and what they send.
 */
#pragma once

#include <cstdint>
#include <vector>

#include "fabric.h"
#include "scenario.h"

namespace mrcsim
{

/** One direction of a QP. */
struct Flow {
    uint32_t source = 0;
    uint32_t destination = 0;
    uint32_t traffic = 0; ///< the [[traffic]] that it belongs to
    uint32_t group = 0;   ///< flows that are compared with each other: those to one sink
    bool victim = false;
    uint64_t bytes = 0; ///< 0: until the end
    Time start = 0;
    Time pace = 0; ///< from one request to the next; 0: as soon as there is room
};

/** The flows of a scenario, in an order that depends on the scenario alone. */
std::vector<Flow> make_flows(const Scenario &scenario, const Fabric &fabric);

} // namespace mrcsim
