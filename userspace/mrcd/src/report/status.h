// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The data of the status page, as JSON.
 */
#pragma once

#include <string>
#include <vector>

#include "report/event_log.h"
#include "report/report.h"
#include "report/snapshot.h"

namespace mrcd
{

/** The largest number of peers on the page. */
constexpr size_t peers_shown = 32;

/**
 * The peers to show: first those with EVs that are not good, then those that were sent the most.
 */
std::vector<mrcnl::Peer> peers_to_show(std::vector<mrcnl::Peer> peers);

/**
 * One object, without what the snapshot lacks. Keys:
 *
 * - health: as to_json() of report_json.h makes it
 * - event: recent events of the module: time-ns (of the last of several similar events, since
 *   1970), count of them, text
 * - error: instead of the following keys, why they are missing
 * - plane: port, ifname, up, tx-packets, tx-bytes, rx-packets, rx-bytes, rx-ce
 * - qp: number of QPs by state
 * - peers: number of peers
 * - peer: of each peer to show: remote-gid, ev-profile, tx-packets, lost, and ev: for each port a
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
