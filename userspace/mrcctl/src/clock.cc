// SPDX-License-Identifier: GPL-2.0-only
#include "clock.h"

#include <array>

namespace mrcctl
{

namespace
{

constexpr int64_t second = 1'000'000'000;

/** The digits of @p part behind a point, as many as @p whole has zeros. */
std::string decimals(uint64_t part, uint64_t whole)
{
    // The leading 1 keeps the zeros.
    return "." + std::to_string(whole + part).substr(1);
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
    uint64_t unit = 1000;
    const char *name = "us";

    if (ns >= second) {
        unit = second;
        name = "s";
    } else if (ns >= 1'000'000) {
        unit = 1'000'000;
        name = "ms";
    }
    return std::to_string(ns / unit) + decimals(ns % unit * 1000 / unit, 1000) + name;
}

} // namespace mrcctl
