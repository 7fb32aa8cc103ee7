// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * What monitoring collects, in the text format of Prometheus.
 */
#pragma once

#include <string>

#include "report/report.h"
#include "report/snapshot.h"

namespace mrcd
{

/**
 * All metrics; Documentation/metrics.md lists them.
 *
 * @param snapshot null: the module is away, or the device
 */
std::string metrics(const Report &report, const Snapshot *snapshot);

} // namespace mrcd
