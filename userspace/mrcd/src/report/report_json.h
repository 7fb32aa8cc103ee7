// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The report as JSON: what "mrcctl health" and the status page show.
 */
#pragma once

#include <nlohmann/json.hpp>

#include "report/report.h"

namespace mrcd
{

/** Version of the format below; a new key does not change it. */
constexpr int report_version = 1;

/**
 * One object. Times are ns since 1970, except for those that are marked as time spans. Keys:
 *
 * - version, dev-name, host, state (well, not-well, unknown), status, time-ns (now)
 * - file: name, hash, taken-ns, refused-ns (0: it was not refused), problem, changed
 * - problem: kind, port, what, seen, since-ns, mend
 * - plane: port, ifname, carrier, t0; of the loop by the T0 verdict (unknown, alive, dead), sent,
 *   lost, recent, recent-lost, and as time spans rtt-ns (smoothed), rtt-min-ns, rtt-median-ns,
 *   rtt-max-ns (of the recent probes), history-us (the round-trip time of each recent probe, 0:
 *   lost), data; t1: name and the same keys for the loop by the T1
 * - data, missing if no probes are as long as data: bytes, verdict, sent, lost
 * - fault: element, kind (host-link, t0, trunk, t1), cause (silence, no-carrier, loss, mtu), port,
 *   since-ns, evidence, lost (probes in a row until it was named), denied
 * - denied: names of the elements that the file denies
 * - decision: time-ns, text
 */
nlohmann::ordered_json to_json(const Report &report);

/** The object as text. Bytes that are no UTF-8 are replaced. */
std::string text_of(const nlohmann::ordered_json &json);

/** "unknown", "alive", "dead" */
const char *name_of(Verdict verdict);

} // namespace mrcd
