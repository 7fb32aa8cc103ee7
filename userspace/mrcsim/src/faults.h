// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The changes of links, and when they happen.
 */
#pragma once

#include <cstdint>
#include <vector>

#include "fabric.h"
#include "scenario.h"

namespace mrcsim
{

/** A direction of a link changes. */
struct FaultStep {
    Time at = 0;
    uint32_t port = 0;
    LinkState link;
    bool carrier = false; ///< the hosts at the link see it go, or come back
};

/** All changes, in order of time. */
std::vector<FaultStep> make_faults(const Scenario &scenario, const Fabric &fabric);

} // namespace mrcsim
