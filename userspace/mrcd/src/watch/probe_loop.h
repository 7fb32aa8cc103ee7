// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Source-routed loops from this host back to itself, by which the links of the fabric are probed.
 */
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "file/fabric.h"

namespace mrcd
{

/** An element of a plane that may be broken. */
struct Element {
    enum class Kind { host_link, t0, trunk, t1 };

    Kind kind = Kind::host_link;
    uint8_t plane = 0;
    uint32_t t0 = 0; ///< index in Fabric::t0, of this host's T0; 0 for Kind::t1
    uint32_t t1 = 0; ///< index in Fabric::t1, for Kind::trunk and Kind::t1
    auto operator<=>(const Element &) const = default;
};

/** Does all traffic of this host in the plane depend on the element? */
bool whole_plane(const Element &element);

/** "host-link", "t0", "trunk", "t1" */
const char *name_of(Element::Kind kind);

/** "p1t0r1", "p1t0r1-p1t1s2" */
std::string to_string(const Fabric &fabric, const Element &element);

/** A path out of a plane's netdev and back to it. */
struct ProbeLoop {
    uint8_t plane = 0;
    /** uSID carriers in travel order: one or two. The last one leads home. */
    std::vector<mrcnl::Address> carriers;
    bool operator==(const ProbeLoop &) const = default;
};

/** Two loops that tell whether a T1 lives without using the link from this host's T0 to it. */
struct Detour {
    ProbeLoop past;    ///< leads to the T1, by another T1 and another rack
    ProbeLoop control; ///< same path without the T1: comes back even if the T1 is dead
    uint32_t t1 = 0;   ///< the other T1, index in Fabric::t1
};

/** The T0 of this host in a plane. */
uint32_t own_t0(const Fabric &fabric, uint8_t plane);

/** The T1s of a plane that have a link to this host's T0. */
std::vector<uint32_t> own_t1s(const Fabric &fabric, uint8_t plane);

/** The loop to the T0 and back. */
ProbeLoop uplink_loop(const Fabric &fabric, uint8_t plane);

/** The loop to the T0, on to a T1, and back by the T0. */
ProbeLoop trunk_loop(const Fabric &fabric, uint8_t plane, uint32_t t1);

/**
 * Loops to a T1 that avoid the link from this host's T0 to it.
 *
 * @param by T1s that such a loop may use; @p t1 must not be among them
 * @param most the largest number of loops
 * @param first any number: chooses which racks come first
 * @return none if there is only one rack
 */
std::vector<Detour> detours(const Fabric &fabric, uint8_t plane, uint32_t t1,
                            const std::vector<uint32_t> &by, size_t most, uint64_t first);

} // namespace mrcd
