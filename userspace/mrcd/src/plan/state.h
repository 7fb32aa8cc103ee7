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

#include <linux/mrc.h>

#include "host/system.h"
#include "plan/plane_moves.h"
#include "plan/planner.h"

namespace mrcd
{

/** What the kernel has of a noun, and who looks after it: mrcd, where the module tells nobody. */
template <typename T>
struct Known {
    T is{};
    uint8_t owner = MRC_NL_OWNER_MRCD;
};

/** Of one device. The profiles that are built in are left out. */
struct State {
    bool device = false; ///< it exists; else there is nothing of the rest but addresses
    Netdev anchor;       ///< that it is on
    std::map<mrcnl::Address, HeldAddress> addresses; ///< of the planned anchor
    Planes planes;
    std::map<uint8_t, uint8_t> plane_owners; ///< by port
    std::map<uint64_t, Known<mrcnl::CcProfile>> cc_profiles;
    std::map<uint64_t, Known<mrcnl::EvProfileSpec>> ev_profiles;
    std::map<uint64_t, std::optional<uint32_t>> ev_versions; ///< of the lists in ev_profiles
    std::set<uint64_t> used_ev_profiles;                     ///< by peers: QPs depend on them
    std::map<mrcnl::Prefix, Known<PlannedRoute>> routes;
    mrcnl::Address tunnel_source;
    uint8_t dscp_data = 0; ///< of packets with data
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
