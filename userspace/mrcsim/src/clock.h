// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Simulated time, in whole picoseconds, so that a byte takes a whole number of them at any usual
 * rate; and its conversion to the engine's clock.
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

/**
 * The engine's clock at the start of the run, ns. It is not 0, because 0 means "never" to the
 * engine.
 */
constexpr uint64_t engine_epoch_ns = 1'000'000'000;

/** The engine's clock, ns. */
constexpr uint64_t engine_ns(Time at)
{
    return engine_epoch_ns + at / nanosecond;
}

/** The simulated time at which the engine's clock shows @p ns, which is not before the start. */
constexpr Time time_of(uint64_t ns)
{
    return ns > engine_epoch_ns ? (ns - engine_epoch_ns) * nanosecond : 0;
}

} // namespace mrcsim
