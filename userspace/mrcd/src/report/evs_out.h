// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Finds planes that the kernel module does not use to reach a peer because it holds all their EVs
 * to be bad, although both ends have the plane up.
 */
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "file/fabric.h"
#include "mrcnl/kernel.h"

namespace mrcd
{

/** A plane without a good EV to one peer. */
struct EvsOut {
    uint8_t plane = 0; ///< as the file numbers it
    uint8_t of = 0;    ///< planes that are up at both ends and have EVs that are not denied
    mrcnl::PeerKey key;
    uint64_t evs = 0;           ///< number of bad EVs: all that are not denied
    uint64_t since_ns = 0;      ///< of CLOCK_MONOTONIC
    mrcnl::PortHistory history; ///< of these EVs
};

/**
 * A plane that is out for less is not reported: the module probes its EVs, and uses those again
 * that answer.
 */
constexpr uint64_t evs_out_after_ns = 1'000'000'000;

/**
 * Finds the planes that are out.
 *
 * @param plane_of planes of the file, by the module's ports
 * @param before result of the last call. As long as nothing arrives by a plane, it counts as out
 *        since then, whichever of its EVs the module tries in between
 */
std::vector<EvsOut> find_evs_out(const std::vector<mrcnl::Peer> &peers,
                                 const std::map<uint8_t, uint8_t> &plane_of,
                                 const std::vector<EvsOut> &before);

/**
 * What was last seen of such planes, for people.
 *
 * @param out all of one plane, or all towards some peers; not empty
 * @param peers how many peers there are
 * @param now_ns of CLOCK_MONOTONIC, the time of the observation
 */
std::string seen_of(const std::vector<const EvsOut *> &out, size_t peers, const Fabric &fabric,
                    uint64_t now_ns);

} // namespace mrcd
