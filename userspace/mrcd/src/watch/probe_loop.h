// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Source-routed ways out of this host and back to it, by which its links are probed.
 */
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "file/fabric.h"

namespace mrcd
{

/** What may be broken, of one plane. */
struct Element {
    enum class Kind { host_link, t0, trunk, t1 };

    Kind kind = Kind::host_link;
    uint8_t plane = 0;
    uint32_t t0 = 0; ///< index in Fabric::t0: of this host, but for Kind::t1, where it is 0
    uint32_t t1 = 0; ///< index in Fabric::t1, for Kind::trunk and Kind::t1
    auto operator<=>(const Element &) const = default;
};

/** Does all of its plane depend on it, for this host? */
bool whole_plane(const Element &element);

/** "host-link", "t0", "trunk", "t1" */
const char *name_of(Element::Kind kind);

/** "p1t0r1", "p1t0r1-p1t1s2" */
std::string to_string(const Fabric &fabric, const Element &element);

/** A way out of a plane's netdev and back. */
struct ProbeLoop {
    uint8_t plane = 0;
    /** uSID carriers in travel order: one, or two, of which the last leads home. */
    std::vector<mrcnl::Address> carriers;
    bool operator==(const ProbeLoop &) const = default;
};

/** The ways that tell whether a T1 lives, past the link to it. */
struct Detour {
    ProbeLoop past;    ///< to the T1, by another T1 and another rack
    ProbeLoop control; ///< the same, but for the T1: comes back though that is dead
    uint32_t t1 = 0;   ///< the other one, index in Fabric::t1
};

/** The T0 of this host in a plane. */
uint32_t own_t0(const Fabric &fabric, uint8_t plane);

/** The T1s of a plane that this host's T0 leads to. */
std::vector<uint32_t> own_t1s(const Fabric &fabric, uint8_t plane);

/** To the T0 and back. */
ProbeLoop uplink_loop(const Fabric &fabric, uint8_t plane);

/** To the T0, a T1, and back by the T0. */
ProbeLoop trunk_loop(const Fabric &fabric, uint8_t plane, uint32_t t1);

/**
 * Ways to a T1 that avoid the link from this host's T0.
 *
 * @param by T1s that such a way may take; not @p t1 itself
 * @param most how many are wanted
 * @param first any number: which racks come first
 * @return none where there is one rack only
 */
std::vector<Detour> detours(const Fabric &fabric, uint8_t plane, uint32_t t1,
                            const std::vector<uint32_t> &by, size_t most, uint64_t first);

} // namespace mrcd
