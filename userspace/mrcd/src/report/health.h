// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * What the daemon knows of the host's side of the fabric, as JSON: what "mrcctl health" shows.
 */
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "watch/fault_finder.h"

namespace mrcd
{

/** The status when nothing is amiss. */
inline constexpr const char *as_planned = "as planned";

/** Something that mrcd has decided, with the reason. */
struct Decision {
    uint64_t time_ns = 0; ///< since 1970
    std::string text;
};

/** "host-link", "t0", "trunk", "t1" */
const char *name_of(Element::Kind kind);

/** What there is to say. */
struct Health {
    const Fabric &fabric;      ///< as the file has it
    const FaultFinder *watch;  ///< null: nothing is probed
    const std::string &status; ///< of the configuration
    const std::deque<Decision> &decisions;
    uint64_t monotonic_ns = 0; ///< now, of the clock that the watch is told
    uint64_t wall_ns = 0;      ///< now, since 1970
};

/**
 * One object. Keys:
 *
 * - dev-name, host, status, time (now, ns since 1970)
 * - plane: port, ifname, carrier, t0, and of the loop by it verdict (unknown, alive, dead), sent,
 *   lost, recent, recent-lost, rtt (smoothed, ns), rtt-min, rtt-median, rtt-max (of the recent
 *   ones, ns), history (of each of the recent ones the round-trip time in us, 0: lost), data (of
 *   probes that are as long as data: bytes, verdict, sent, lost); t1: name and the same
 * - fault: element, kind (host-link, t0, trunk, t1), cause (silence, no-carrier, loss, mtu), port,
 * since (ns since 1970), evidence, lost (probes in a row until it was named), denied
 * - denied: names of what the file denies
 * - decision: time (ns since 1970), text
 */
std::string to_json(const Health &health);

} // namespace mrcd
