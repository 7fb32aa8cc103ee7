// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * A report as JSON: what "mrcctl health" and the page show.
 */
#pragma once

#include <nlohmann/json.hpp>

#include "report/report.h"

namespace mrcd
{

/** Of the shape of what follows; a key that is new does not change it. */
constexpr int report_version = 1;

/**
 * One object. Keys, of which those that end in -ns without a span of time are since 1970:
 *
 * - version, dev-name, host, state (well, not-well, unknown), status, time-ns (now)
 * - file: name, hash, taken-ns, refused-ns (0: it is not), problem, changed
 * - problem: kind, port, what, seen, since-ns, mend
 * - plane: port, ifname, carrier, t0, and of the loop by it verdict (unknown, alive, dead), sent,
 *   lost, recent, recent-lost, rtt-ns (smoothed), rtt-min-ns, rtt-median-ns, rtt-max-ns (of the
 *   recent ones), history-us (of each of the recent ones the round-trip time, 0: lost); t1: name
 *   and the same
 * - fault: element, kind (host-link, t0, trunk, t1), port, since-ns, evidence, lost (probes in a
 *   row until it was named), denied
 * - denied: names of what the file denies
 * - decision: time-ns, text
 */
nlohmann::ordered_json to_json(const Report &report);

/** As text, whatever bytes are in it. */
std::string text_of(const nlohmann::ordered_json &json);

/** "unknown", "alive", "dead" */
const char *name_of(Verdict verdict);

} // namespace mrcd
