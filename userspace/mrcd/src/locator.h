// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Which element of a plane is broken, from what its loops say.
 */
#pragma once

#include <map>
#include <string>
#include <vector>

#include "loop_history.h"
#include "probe_loop.h"

namespace mrcd
{

/** What is known of a T1 that the link to it does not lead to. */
struct TrunkEvidence {
    Verdict loop = Verdict::unknown; ///< to the T1 and back
    Verdict past = Verdict::unknown; ///< to the T1 past that link; only asked when the loop is dead
};

/** What is known of a plane. */
struct PlaneEvidence {
    bool carrier = true;                 ///< of this host's netdev
    Verdict uplink = Verdict::unknown;   ///< to the T0 and back
    Verdict neighbor = Verdict::unknown; ///< does the T0 itself answer? asked when the loop is dead
    std::map<uint32_t, TrunkEvidence> trunks; ///< by T1 of the fabric
};

/** A broken element. */
struct Finding {
    Element element;
    std::string evidence; ///< for people
    bool operator==(const Finding &) const = default;
};

/**
 * Names what is broken: the fewest elements that explain all.
 *
 * When the loop by the T0 is dead, so are all others of the plane, and nothing more is said:
 * it is the host's link, or the T0 if that answers by itself. When it is alive, each dead loop
 * by a T1 is the link to it, or the T1 if ways past that link are dead too.
 */
std::vector<Finding> locate(const Fabric &fabric, uint8_t plane, const PlaneEvidence &evidence);

} // namespace mrcd
