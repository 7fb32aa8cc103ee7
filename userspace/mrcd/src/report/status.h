// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * What the status page shows, as JSON.
 */
#pragma once

#include <string>
#include <vector>

#include "report/event_log.h"
#include "report/report.h"
#include "report/snapshot.h"

namespace mrcd
{

/** How many peers are shown. */
constexpr size_t peers_shown = 32;

/** The peers to show: those with EVs that are not good first, then by what was sent to them. */
std::vector<mrcnl::Peer> peers_to_show(std::vector<mrcnl::Peer> peers);

/**
 * One object, without what the snapshot lacks. Keys:
 *
 * - health: as to_json() of report_json.h has it
 * - event: what the module has told of late: time-ns (of the last one of those that are alike,
 *   since 1970), count of them, text
 * - error: why the rest is missing, instead of it
 * - plane: port, ifname, up, tx-packets, tx-bytes, rx-packets, rx-bytes, rx-ce
 * - qp: number of QPs by state
 * - peers: how many there are
 * - peer: of those to show remote-gid, ev-profile, tx-packets, lost, and ev: of each port a
 *   letter per EV, see mrcnl::letter_of()
 *
 * @param evs of the peers to show
 */
std::string status_json(const Report &report, const std::vector<KernelEvent> &events,
                        const Snapshot &snapshot, const std::vector<mrcnl::PeerEv> &evs);

/** The same, when the module does not answer. */
std::string status_json(const Report &report, const std::vector<KernelEvent> &events,
                        const mrcnl::Error &error);

} // namespace mrcd
