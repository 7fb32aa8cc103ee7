// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Names what is broken, from what loops say.
 */
#pragma once

#include <string>

#include "watch/loop_history.h"
#include "watch/probe_loop.h"

namespace mrcd
{

/** A broken element. */
struct Finding {
    Element element;
    std::string evidence; ///< for people
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

} // namespace mrcd
