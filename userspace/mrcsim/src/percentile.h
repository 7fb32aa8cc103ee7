// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Figures that stand for many.
 */
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace mrcsim
{

/**
 * The smallest of the values that so many parts of a hundred of them do not exceed (nearest rank).
 * @param sorted ascending; none: 0
 * @param percent 0 to 100
 */
double percentile(const std::vector<double> &sorted, double percent);

/** The same of values in bins: the number of the bin. */
size_t percentile_bin(std::span<const uint64_t> bins, double percent);

/** Mean; of none 0. */
double mean(const std::vector<double> &values);

/** Jain's index of fairness: 1, all are equal; 1/n: one has all. Of none 1. */
double jain(const std::vector<double> &values);

} // namespace mrcsim
