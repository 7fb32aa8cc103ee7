// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * What is wrong, from all that is seen: each cause once, and of what follows from it nothing.
 */
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "file/fabric.h"
#include "file/file_state.h"
#include "plan/reconciler.h"
#include "report/observation.h"
#include "report/problem.h"
#include "watch/fault_finder.h"

namespace mrcd
{

/** All that there is to judge by. */
struct Evidence {
    const Fabric &fabric;
    const FileState &file;
    const Progress &progress;
    const Observation *seen; ///< null: nothing yet
    const std::vector<Fault> &faults;
    uint64_t monotonic_ns = 0; ///< now, of the clock of the others
    uint64_t wall_ns = 0;      ///< now, since 1970
    std::string version;       ///< of this program
    /** Planes by which probes come back; see FaultFinder::alive_planes(). */
    std::set<uint8_t> alive{};
};

/** How old the last look is at most, before the kernel is said not to answer. */
constexpr uint64_t look_lasts_ns = 4'000'000'000;

/** In the order of kinds; since_ns is not known here, but for faults. */
std::vector<Problem> diagnose(const Evidence &evidence);

} // namespace mrcd
