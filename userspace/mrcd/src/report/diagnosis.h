// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Finds what is wrong, from all that is known of the host. Each cause is reported once, and its
 * consequences are not reported.
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

/** All that the diagnosis is made from. */
struct Evidence {
    const Fabric &fabric;
    const FileState &file;
    const Progress &progress;
    const Observation *seen; ///< null: nothing was seen yet
    const std::vector<Fault> &faults;
    uint64_t monotonic_ns = 0; ///< now, of CLOCK_MONOTONIC like the other times
    uint64_t wall_ns = 0;      ///< now, since 1970
    std::string version;       ///< of this program
    /** Planes by which probes come back; see FaultFinder::alive_planes(). */
    std::set<uint8_t> alive{};
};

/** An observation that is older than this means that the kernel does not answer. ns */
constexpr uint64_t look_lasts_ns = 4'000'000'000;

/** The problems, in the order of their kinds. since_ns is set for faults only. */
std::vector<Problem> diagnose(const Evidence &evidence);

} // namespace mrcd
