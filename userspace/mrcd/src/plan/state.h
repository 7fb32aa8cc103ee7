// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Reads the kernel's objects that mrcd manages.
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

/** An object of the kernel and its owner: mrcd, if the module has no owners. */
template <typename T>
struct Known {
    T is{};
    uint8_t owner = MRC_NL_OWNER_MRCD;
};

/** The state of one device, without the built-in profiles. */
struct State {
    bool device = false; ///< it exists; if not, only the addresses are set
    Netdev anchor;       ///< the netdev of the device
    std::map<mrcnl::Address, HeldAddress> addresses; ///< those of the planned anchor
    Planes planes;
    std::map<uint8_t, uint8_t> plane_owners; ///< by port
    std::map<uint64_t, Known<mrcnl::CcProfile>> cc_profiles;
    std::map<uint64_t, Known<mrcnl::EvProfileSpec>> ev_profiles;
    std::map<uint64_t, std::optional<uint32_t>> ev_versions; ///< of the lists in ev_profiles
    std::set<uint64_t> used_ev_profiles; ///< used by peers, so QPs depend on them
    std::map<mrcnl::Prefix, Known<PlannedRoute>> routes;
    mrcnl::Address tunnel_source;
    uint8_t dscp_data = 0; ///< of packets with data
};

/** The state if the module is not loaded. */
mrcnl::Result<State> read_state(System &system, const Plan &plan);

/**
 * Reads the whole state.
 *
 * @param plan names the device and the anchor
 * @return ENOENT: the module is not loaded any more
 */
mrcnl::Result<State> read_state(const Target &target, const Plan &plan);

} // namespace mrcd
