// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Names the broken element from the results of probe loops.
 */
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "watch/loop_history.h"
#include "watch/probe_loop.h"

namespace mrcd
{

/** How an element is broken. */
enum class Cause {
    silence,    ///< nothing passes it
    no_carrier, ///< the host's netdev has none
    loss,       ///< half of the packets that pass it are lost
    mtu,        ///< short packets pass it, packets as long as data do not
};

/** "silence", "no-carrier", "loss", "mtu" */
const char *name_of(Cause cause);

/** A broken element. */
struct Finding {
    Element element;
    std::string evidence; ///< for people
    Cause cause = Cause::silence;
    bool operator==(const Finding &) const = default;
};

/** What is known of a plane from which no probe comes back. */
struct PlaneEvidence {
    bool carrier = true;   ///< of this host's netdev
    bool neighbor = false; ///< the T0 itself answers
    bool lossy = false;    ///< some probes do come back, but half are lost
};

/** Names the host's link; or the T0, if it answers itself though no probe comes back over it. */
Finding locate_in_plane(const Fabric &fabric, uint8_t plane, const PlaneEvidence &evidence);

/**
 * Names the T1 if the loops around the link to it are dead, or else the link.
 *
 * @param past the verdict of these loops; unknown: there are none
 */
Finding locate_at_t1(const Fabric &fabric, uint8_t plane, uint32_t t1, Verdict past);

/**
 * Names the link that loses only long packets: the host's link, or the link between its T0 and a
 * T1.
 *
 * @param t1 the T1 of the loop that shows the loss; empty: the loop that turns at the T0
 * @param passes @param loses lengths of IPv6 packets that pass and that are lost, in bytes
 */
Finding locate_hole(const Fabric &fabric, uint8_t plane, std::optional<uint32_t> t1,
                    uint16_t passes, uint16_t loses);

} // namespace mrcd
