// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Formats times for people.
 */
#pragma once

#include <cstdint>
#include <ctime>
#include <string>

namespace mrcctl
{

/** The time now, ns of a clock. */
int64_t clock_ns(clockid_t clock);

/** Local date and time of day, with microseconds. @param ns of CLOCK_REALTIME */
std::string time_text(int64_t ns);

/** A time span in suitable units, rounded down: "12.3 us", "1.5 ms", "59 s", "3d 4h". */
std::string duration_text(uint64_t ns);

/** The same moment by two clocks, to convert times of one clock to the other. */
struct Moment {
    uint64_t monotonic = 0; ///< ns of CLOCK_MONOTONIC, the clock of the kernel's objects
    uint64_t wall = 0;      ///< ns of CLOCK_REALTIME, the clock for people and JSON

    /** @param ns of CLOCK_MONOTONIC @return ns of CLOCK_REALTIME */
    [[nodiscard]] uint64_t wall_of(uint64_t ns) const { return wall - monotonic + ns; }
};

} // namespace mrcctl
