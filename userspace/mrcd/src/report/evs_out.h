// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Planes by which nothing goes to a peer, for the engine holds all their EVs to be bad, though both
 * ends have them up.
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

/** A plane that is out, towards one peer. */
struct EvsOut {
    uint8_t plane = 0; ///< of the file
    uint8_t of = 0;    ///< planes that are up towards this peer and have EVs that are not denied
    mrcnl::PeerKey key;
    uint64_t evs = 0;           ///< that are bad: all that are not denied
    uint64_t since_ns = 0;      ///< of CLOCK_MONOTONIC
    mrcnl::PortHistory history; ///< of these EVs
};

/** Shorter ones are the engine's business: it probes, and takes back what answers. */
constexpr uint64_t evs_out_after_ns = 1'000'000'000;

/**
 * @param plane_of planes of the file, by the module's ports
 * @param before what the last look came to: as long as nothing arrives by a plane it is out since
 *        then, whichever of its EVs the engine tries meanwhile
 */
std::vector<EvsOut> find_evs_out(const std::vector<mrcnl::Peer> &peers,
                                 const std::map<uint8_t, uint8_t> &plane_of,
                                 const std::vector<EvsOut> &before);

/**
 * What was seen of them last, for people.
 *
 * @param out of one plane, or of all towards some peers; not empty
 * @param peers how many there are
 * @param now_ns of CLOCK_MONOTONIC, when all this was so
 */
std::string seen_of(const std::vector<const EvsOut *> &out, size_t peers, const Fabric &fabric,
                    uint64_t now_ns);

} // namespace mrcd
