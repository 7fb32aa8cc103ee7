// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * From a fabric to what the kernel of this host is to have.
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

/** What a route says; its prefix is the key. */
struct PlannedRoute {
    uint64_t ev_profile = 0;
    uint64_t cc_profile = 0;
    uint16_t usid = 0;
    bool operator==(const PlannedRoute &) const = default;
};

/** All that the device of this host is to have. */
struct Plan {
    std::string device;
    std::string anchor;
    mrcnl::Address gid;
    std::optional<uint8_t> gid_length; ///< prefix length of its address; empty: any
    mrcnl::Address sid;                ///< of this host: where paths to it end
    std::set<mrcnl::Address> others;   ///< GIDs and SIDs of the other hosts
    std::vector<std::string> planes;   ///< netdev of port 1, 2, ...
    std::map<uint64_t, mrcnl::CcProfile> cc_profiles;
    std::map<uint64_t, mrcnl::EvProfileSpec> ev_profiles;
    std::map<mrcnl::Prefix, PlannedRoute> routes;
    DeniedWays denied;         ///< for EVs of profiles that are not planned
    bool keep_denials = false; ///< EVs that are denied stay so, planned or not
};

/** An EV of the plan's EV profiles, and the way that it takes. */
struct PlannedEv {
    uint64_t profile = 0;
    uint16_t index = 0;
    uint8_t port = 0;
    Path path;
};

/** A uSID carrier: block and uSIDs in travel order, six at most. */
mrcnl::Address carrier(const mrcnl::Address &block, std::initializer_list<uint16_t> usids);

/** The same everywhere and for ever. 53 bits: what JSON's numbers can hold. */
uint64_t hash_of_name(std::string_view name);

/**
 * Ids of the EV profiles of racks: a hash of the name, so that it stays whatever becomes of
 * the others; the next free one if a name before this one, in their order, has it. Never 0.
 */
std::vector<uint64_t> profile_ids(const std::vector<std::string> &racks,
                                  uint64_t (*hash)(std::string_view) = hash_of_name);

/**
 * One EV profile per rack and one route per other host.
 *
 * Each plane gets as many EVs, as far as it has paths; each path has one EV. Which spines is
 * drawn for each host and rack anew, but the same whenever it is drawn, and one more spine, or
 * one less, changes no other EVs than it must.
 */
Plan make_plan(const Fabric &fabric);

/** The EVs that make_plan() plans, by profile and index. */
std::vector<PlannedEv> planned_evs(const Fabric &fabric);

} // namespace mrcd
