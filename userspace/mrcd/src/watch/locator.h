// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Names what is broken, from what loops say.
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
    no_carrier, ///< of the host's netdev
    loss,       ///< half of what passes it is lost
    mtu,        ///< what is short passes it, what is as long as data does not
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

/** What is known of a plane of which nothing comes back. */
struct PlaneEvidence {
    bool carrier = true;   ///< of this host's netdev
    bool neighbor = false; ///< the T0 answers by itself
    bool lossy = false;    ///< something does come back, but half is lost
};

/** The host's link, or the T0 if that answers by itself though nothing comes back by it. */
Finding locate_in_plane(const Fabric &fabric, uint8_t plane, const PlaneEvidence &evidence);

/**
 * The T1 if ways past the link to it are dead, or else the link.
 *
 * @param past what they say; unknown: there are none
 */
Finding locate_at_t1(const Fabric &fabric, uint8_t plane, uint32_t t1, Verdict past);

/**
 * A hole for data: the host's link, or that between its T0 and a T1.
 *
 * @param t1 whose loop shows it; none: that by the T0 only
 * @param passes @param loses bytes of IPv6 packets
 */
Finding locate_hole(const Fabric &fabric, uint8_t plane, std::optional<uint32_t> t1,
                    uint16_t passes, uint16_t loses);

} // namespace mrcd
