// SPDX-License-Identifier: GPL-2.0-only
#include "percentile.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mrcsim
{

namespace
{

/** The rank, from 1, of a percentile of @p count values. */
uint64_t rank_of(uint64_t count, double percent)
{
    const auto rank = static_cast<uint64_t>(std::ceil(percent * static_cast<double>(count) / 100));

    return std::clamp<uint64_t>(rank, 1, count);
}

} // namespace

double percentile(const std::vector<double> &sorted, double percent)
{
    return sorted.empty() ? 0 : sorted[rank_of(sorted.size(), percent) - 1];
}

size_t percentile_bin(std::span<const uint64_t> bins, double percent)
{
    const uint64_t count = std::accumulate(bins.begin(), bins.end(), uint64_t{0});
    uint64_t seen = 0;

    if (!count)
        return 0;
    const uint64_t rank = rank_of(count, percent);
    for (size_t i = 0; i < bins.size(); i++) {
        seen += bins[i];
        if (seen >= rank)
            return i;
    }
    return bins.size() - 1;
}

double mean(const std::vector<double> &values)
{
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);

    return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

double jain(const std::vector<double> &values)
{
    double sum = 0;
    double squares = 0;

    for (const double value : values) {
        sum += value;
        squares += value * value;
    }
    return squares > 0 ? sum * sum / (static_cast<double>(values.size()) * squares) : 1;
}

} // namespace mrcsim
