// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * All that has counters, as it is at one moment.
 */
#pragma once

#include <cstdint>
#include <vector>

#include "mrcnl/kernel.h"

namespace mrcctl
{

struct Snapshot {
    uint64_t time = 0; ///< ns of CLOCK_MONOTONIC
    std::vector<mrcnl::Plane> planes;
    std::vector<mrcnl::Peer> peers;
    std::vector<mrcnl::Qp> qps;
};

/**
 * Ask the kernel.
 *
 * @param device its objects only; one that does not exist has none
 * @param time for the snapshot
 * @return EAGAIN: too much comes and goes just now
 */
mrcnl::Result<Snapshot> take_snapshot(mrcnl::Kernel &kernel,
                                      const std::optional<std::string> &device, uint64_t time);

/** The EVs of its peers, in the same way. */
mrcnl::Result<std::vector<mrcnl::PeerEv>> take_peer_evs(mrcnl::Kernel &kernel,
                                                        const std::optional<std::string> &device);

} // namespace mrcctl
