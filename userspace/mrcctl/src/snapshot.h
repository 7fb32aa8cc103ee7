// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * All objects with counters, as they are at one moment.
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
 * @param device take only its objects; if it does not exist, there are none
 * @param time for the snapshot
 * @return EAGAIN: objects come and go too fast to be listed now
 */
mrcnl::Result<Snapshot> take_snapshot(mrcnl::Kernel &kernel,
                                      const std::optional<std::string> &device, uint64_t time);

/** The EVs of a device's peers; the parameters and errors are the same. */
mrcnl::Result<std::vector<mrcnl::PeerEv>> take_peer_evs(mrcnl::Kernel &kernel,
                                                        const std::optional<std::string> &device);

} // namespace mrcctl
