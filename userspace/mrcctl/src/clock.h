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

/** A time span with a unit that suits it: "12.345us", "1.500ms", "75.000s". */
std::string duration_text(uint64_t ns);

} // namespace mrcctl
