// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * What monitoring collects, in the text format of Prometheus.
 */
#pragma once

#include <string>

#include "report/snapshot.h"

namespace mrcd
{

/**
 * All metrics; Documentation/metrics.md lists them.
 *
 * @param health as to_json() of health.h has it
 * @param snapshot null: the module is away, or the device
 */
std::string metrics(const std::string &health, const Snapshot *snapshot);

} // namespace mrcd
