// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Simulated time: whole picoseconds, so that a byte at any usual rate takes a whole number of them,
 * and what the engine takes for its clock.
 */
#pragma once

#include <cstdint>

namespace mrcsim
{

/** Picoseconds since the start of the run. */
using Time = uint64_t;

constexpr Time nanosecond = 1'000;
constexpr Time microsecond = 1'000 * nanosecond;
constexpr Time never = ~Time{0};

/** The engine's clock at the start of the run, ns: to it, 0 is "never". */
constexpr uint64_t engine_epoch_ns = 1'000'000'000;

/** The engine's clock, ns. */
constexpr uint64_t engine_ns(Time at)
{
    return engine_epoch_ns + at / nanosecond;
}

/** When the engine's clock shows @p ns, which is not before the start of the run. */
constexpr Time time_of(uint64_t ns)
{
    return ns > engine_epoch_ns ? (ns - engine_epoch_ns) * nanosecond : 0;
}

} // namespace mrcsim
