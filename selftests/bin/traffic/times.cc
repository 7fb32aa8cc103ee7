// SPDX-License-Identifier: GPL-2.0-only
#include "times.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace traffic
{

/** The number of places for each power of two: as many as fit into its upper bits. */
size_t Times::place(uint64_t ns)
{
    if (ns < steps) {
        return ns;
    }
    const auto shift = static_cast<unsigned int>(std::bit_width(ns)) - 1 - bits;
    return (shift + 1) * steps + ((ns >> shift) - steps);
}

/** The longest time that belongs to this place. */
uint64_t Times::most(size_t place)
{
    if (place < steps) {
        return place;
    }
    const size_t shift = place / steps - 1;
    return ((place % steps + steps + 1) << shift) - 1;
}

void Times::add(std::chrono::nanoseconds time)
{
    const auto ns = static_cast<uint64_t>(std::max<int64_t>(time.count(), 0));

    counts_[place(ns)]++;
    count_++;
    longest_ = std::max(longest_, ns);
}

uint64_t Times::quantile(double part) const
{
    const auto wanted = static_cast<uint64_t>(std::ceil(part * static_cast<double>(count_)));
    uint64_t seen = 0;

    for (size_t i = 0; i < counts_.size() && count_; i++) {
        seen += counts_[i];
        if (seen >= std::max<uint64_t>(wanted, 1)) {
            return std::min(most(i), longest_);
        }
    }
    return 0;
}

void to_json(nlohmann::json &json, const Times &times)
{
    json = {{"count", times.count()},
            {"p50_ns", times.quantile(0.5)},
            {"p99_ns", times.quantile(0.99)},
            {"max_ns", times.longest()}};
}

} // namespace traffic
