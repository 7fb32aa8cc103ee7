// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Plans the objects that the kernel of this host should have, from the fabric.
 */
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "file/fabric.h"
#include "file/topology.h"
#include "mrcnl/types.h"
#include "plan/denied_ways.h"

namespace mrcd
{

/** The CC profile of all routes. */
constexpr uint64_t cc_profile_id = 1;

/** The values of a route. Its prefix is the key in Plan::routes. */
struct PlannedRoute {
    uint64_t ev_profile = 0;
    uint64_t cc_profile = 0;
    uint16_t usid = 0;
    bool operator==(const PlannedRoute &) const = default;
};

/** All objects that the device of this host should have. */
struct Plan {
    std::string device;
    std::string anchor;
    mrcnl::Address gid;
    std::optional<uint8_t> gid_length; ///< prefix length of its address; empty: any length
    mrcnl::Address sid;                ///< SID of this host, where paths to it end
    std::set<mrcnl::Address> others;   ///< GIDs and SIDs of the other hosts
    std::vector<std::string> planes;   ///< netdev of port 1, 2, ...
    std::map<uint64_t, mrcnl::CcProfile> cc_profiles;
    std::map<uint64_t, mrcnl::EvProfileSpec> ev_profiles;
    std::map<mrcnl::Prefix, PlannedRoute> routes;
    DeniedWays denied;         ///< denials for EVs of profiles that are not planned
    bool keep_denials = false; ///< denied EVs stay denied, planned or not
};

/** An EV of the plan's EV profiles, and its path. */
struct PlannedEv {
    uint64_t profile = 0;
    uint16_t index = 0;
    uint8_t port = 0;
    Path path;
};

/** Makes a uSID carrier: the block, then at most six uSIDs in travel order. */
mrcnl::Address carrier(const mrcnl::Address &block, std::initializer_list<uint16_t> usids);

/**
 * A hash that is the same on all hosts and in all versions. It has 53 bits, as many as JSON's
 * numbers can hold.
 */
uint64_t hash_of_name(std::string_view name);

/**
 * The ids of the EV profiles of racks. An id is a hash of the rack's name, so that it stays when
 * other racks come or go. If an earlier name in the list already has that id, the next free one is
 * taken. Never 0.
 */
std::vector<uint64_t> profile_ids(const std::vector<std::string> &racks,
                                  uint64_t (*hash)(std::string_view) = hash_of_name);

/**
 * Plans one EV profile per rack and one route per other host.
 *
 * Each plane gets the same number of EVs, as far as it has that many paths; each path has one EV.
 * The T1s are drawn at random for each host and rack, but each time with the same result. Adding or
 * removing a T1 changes as few EVs as possible.
 */
Plan make_plan(const Fabric &fabric);

/** The EVs that make_plan() plans, by profile and index. */
std::vector<PlannedEv> planned_evs(const Fabric &fabric);

} // namespace mrcd
