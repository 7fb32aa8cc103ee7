// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * What is not well, a line each: what, since when, and what mends it.
 */
#pragma once

#include <cstdint>
#include <string>

namespace mrcd
{

/** In the order in which they are told. */
enum class ProblemKind : uint8_t {
    kernel,  ///< it does not answer
    device,  ///< it is missing, or is where it should not be
    file,    ///< refused, or not the one that is followed
    version, ///< of the module
    anchor,  ///< the device's netdev
    netdev,  ///< of a plane: missing, or down
    carrier, ///< of a plane's netdev
    plane,   ///< set down, or missing in the device
    route,   ///< to a T0
    mtu,     ///< of a plane's netdev
    sysctl,
    step,  ///< of the plan, that the kernel refuses or that is undone
    fault, ///< of the fabric, found by probing
    evs,   ///< of a plane: the engine holds all to be bad, though probes find nothing broken
};

/** "kernel", "device", ... */
const char *name_of(ProblemKind kind);

struct Problem {
    ProblemKind kind = ProblemKind::kernel;
    uint8_t port = 0;      ///< of the plane that it is about; 0: of none
    std::string what;      ///< names it: the same as long as it lasts
    std::string seen;      ///< what it is known by; may change
    std::string mend;      ///< command of a shell; empty: nothing on this host does
    uint64_t since_ns = 0; ///< since 1970
};

/** How it is, all in all. */
enum class Health : uint8_t { well, not_well, unknown };

/** "well", "not-well", "unknown" */
const char *name_of(Health health);

} // namespace mrcd
