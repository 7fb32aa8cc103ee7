// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * What monitoring collects, in the text format of Prometheus.
 */
#pragma once

#include <cstddef>
#include <string>

#include "report/report.h"
#include "report/snapshot.h"

namespace mrcd
{

/** Of how many peers there are metrics of their own, at most. */
constexpr size_t metrics_peers_max = 256;

/**
 * All metrics; Documentation/metrics.md lists them.
 *
 * @param snapshot null: the module is away, or the device
 */
std::string metrics(const Report &report, const Snapshot *snapshot);

} // namespace mrcd
