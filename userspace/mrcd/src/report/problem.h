// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * One problem of the host, in a line: what it is, since when it exists, and the command that mends
 * it.
 */
#pragma once

#include <cstdint>
#include <string>

namespace mrcd
{

/** The kinds, in the order in which they are reported. */
enum class ProblemKind : uint8_t {
    kernel,  ///< it does not answer
    device,  ///< missing, or on the wrong netdev
    file,    ///< refused, or changed since it was read
    version, ///< the module's differs from mrcd's
    anchor,  ///< the device's netdev, or its addresses
    netdev,  ///< a plane's netdev is missing or down
    carrier, ///< a plane's netdev has none
    plane,   ///< a plane is set down
    route,   ///< there is none to a T0
    mtu,     ///< a plane's netdev has a smaller one than others
    sysctl,
    step,  ///< of the plan: the kernel refuses it, or it is undone
    fault, ///< of the fabric, found by probing
    evs,   ///< of a plane: the module holds all to be bad, though probes find nothing broken
};

/** "kernel", "device", ... */
const char *name_of(ProblemKind kind);

struct Problem {
    ProblemKind kind = ProblemKind::kernel;
    uint8_t port = 0;      ///< of its plane; 0: not about a plane
    std::string what;      ///< identifies it; stays the same as long as it lasts
    std::string seen;      ///< what shows it; may change
    std::string mend;      ///< shell command; empty: nothing on this host mends it
    uint64_t since_ns = 0; ///< since 1970
};

/** The state of the host as a whole. */
enum class Health : uint8_t { well, not_well, unknown };

/** "well", "not-well", "unknown" */
const char *name_of(Health health);

} // namespace mrcd
