// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Times for people.
 */
#pragma once

#include <cstdint>
#include <ctime>
#include <string>

namespace mrcctl
{

/** ns of a clock */
int64_t clock_ns(clockid_t clock);

/** Date and time of day, local, with microseconds. @param ns of CLOCK_REALTIME */
std::string time_text(int64_t ns);

/** A time span with units that suit it, rounded down: "12.3 us", "1.5 ms", "59 s", "3d 4h". */
std::string duration_text(uint64_t ns);

/** One moment by two clocks: tells times of the one in those of the other. */
struct Moment {
    uint64_t monotonic = 0; ///< ns of CLOCK_MONOTONIC, which the kernel's objects have
    uint64_t wall = 0;      ///< ns of CLOCK_REALTIME, as people and JSON have it

    /** @param ns of CLOCK_MONOTONIC @return ns of CLOCK_REALTIME */
    [[nodiscard]] uint64_t wall_of(uint64_t ns) const { return wall - monotonic + ns; }
};

} // namespace mrcctl
