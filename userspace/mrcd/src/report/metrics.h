// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The metrics for monitoring, in the text format of Prometheus.
 */
#pragma once

#include <cstddef>
#include <string>

#include "report/report.h"
#include "report/snapshot.h"

namespace mrcd
{

/** The largest number of peers that have metrics of their own. */
constexpr size_t metrics_peers_max = 256;

/**
 * All metrics; Documentation/metrics.md lists them.
 *
 * @param snapshot null: the module or the device does not exist
 */
std::string metrics(const Report &report, const Snapshot *snapshot);

} // namespace mrcd
