// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * What the kernel has of what mrcd looks after.
 */
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "host/system.h"
#include "plan/plane_moves.h"
#include "plan/planner.h"

namespace mrcd
{

/** Of one device. The profiles that are built in are left out. */
struct State {
    bool device = false; ///< it exists; else there is nothing of the rest but addresses
    Netdev anchor;       ///< that it is on
    std::map<mrcnl::Address, uint8_t> addresses; ///< of the planned anchor, with their lengths
    Planes planes;
    std::map<uint64_t, mrcnl::CcProfile> cc_profiles;
    std::map<uint64_t, mrcnl::EvProfileSpec> ev_profiles;
    std::set<uint64_t> used_ev_profiles; ///< by peers: QPs depend on them
    std::map<mrcnl::Prefix, PlannedRoute> routes;
    mrcnl::Address tunnel_source;
};

/** What there is where the module is not loaded. */
mrcnl::Result<State> read_state(System &system, const Plan &plan);

/**
 * Reads it all.
 *
 * @param plan what it is about: device and anchor
 * @return ENOENT: the module is not loaded any more
 */
mrcnl::Result<State> read_state(const Target &target, const Plan &plan);

} // namespace mrcd
