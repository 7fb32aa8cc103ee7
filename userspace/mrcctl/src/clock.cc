// SPDX-License-Identifier: GPL-2.0-only
#include "clock.h"

#include <algorithm>
#include <array>

namespace mrcctl
{

namespace
{

constexpr int64_t second = 1'000'000'000;
constexpr uint64_t minute = 60 * second;
constexpr uint64_t hour = 60 * minute;
constexpr uint64_t day = 24 * hour;

struct Unit {
    const char *name;
    uint64_t ns;
};

/** @p part as digits behind a point, as many as @p whole has zeros. */
std::string decimals(uint64_t part, uint64_t whole)
{
    // Adding @p whole keeps leading zeros.
    return "." + std::to_string(whole + part).substr(1);
}

/** "1.23 ms", "12.3 ms", "123 ms"; a fraction does not end in zeros. */
std::string three_digits(uint64_t ns, const Unit &unit)
{
    const uint64_t whole = ns / unit.ns;
    std::string fraction;

    if (unit.ns > 1 && whole < 100) {
        fraction = decimals(ns % unit.ns, unit.ns).substr(0, whole < 10 ? 3 : 2);
        fraction.erase(fraction.find_last_not_of("0.") + 1);
    }
    return std::to_string(whole) + fraction + " " + unit.name;
}

} // namespace

int64_t clock_ns(clockid_t clock)
{
    timespec now{};

    clock_gettime(clock, &now);
    return now.tv_sec * second + now.tv_nsec;
}

std::string time_text(int64_t ns)
{
    const time_t seconds = ns / second;
    std::array<char, 64> date{};
    tm parts{};

    localtime_r(&seconds, &parts);
    strftime(date.data(), date.size(), "%Y-%m-%dT%H:%M:%S", &parts);
    return date.data() + decimals(ns % second / 1000, second / 1000);
}

std::string duration_text(uint64_t ns)
{
    static constexpr std::array small{Unit{"ns", 1}, Unit{"us", 1'000}, Unit{"ms", 1'000'000},
                                      Unit{"s", second}};
    static constexpr std::array large{Unit{"d", day}, Unit{"h", hour}, Unit{"m", minute},
                                      Unit{"s", second}};

    if (ns < minute) {
        const auto above = std::find_if(small.begin() + 1, small.end(),
                                        [ns](const Unit &unit) { return ns < unit.ns; });
        return three_digits(ns, *(above - 1));
    }
    const auto first =
        std::find_if(large.begin(), large.end(), [ns](const Unit &unit) { return ns >= unit.ns; });
    const Unit &next = *(first + 1);
    const uint64_t rest = ns % first->ns / next.ns;
    return std::to_string(ns / first->ns) + first->name +
           (rest ? " " + std::to_string(rest) + next.name : "");
}

} // namespace mrcctl
