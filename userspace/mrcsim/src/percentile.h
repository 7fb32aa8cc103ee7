// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Percentiles, means and fairness of many values.
 */
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace mrcsim
{

/**
 * The smallest value that at least @p percent per cent of the values do not exceed (nearest rank).
 * @param sorted ascending; none: 0
 * @param percent 0 to 100
 */
double percentile(const std::vector<double> &sorted, double percent);

/** The same for values in bins: the number of the bin. */
size_t percentile_bin(std::span<const uint64_t> bins, double percent);

/** The mean; 0 if there are no values. */
double mean(const std::vector<double> &values);

/** Jain's index of fairness: 1 if all are equal, 1/n if one has all; 1 if there are no values. */
double jain(const std::vector<double> &values);

} // namespace mrcsim
