// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * What planes, peers and QPs do: counters of two snapshots, made into rates.
 */
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "mrcnl/types.h"

#include "snapshot.h"

namespace mrcctl
{

/** EVs: all, and those in state good. */
struct EvCount {
    uint32_t all = 0;
    uint32_t good = 0;  ///< but for spares
    uint32_t spare = 0; ///< good, but not in rotation
};

/** By port of their plane. */
using EvsByPort = std::map<uint8_t, EvCount>;

/** All per second. */
struct PlaneRate {
    double tx_packets = 0;
    double tx_bytes = 0;
    double tx_errors = 0;
    double rx_packets = 0;
    double rx_bytes = 0;
    double rx_ce = 0;
};

struct PeerRate {
    double tx_packets = 0;
    double acked = 0;
    double marked = 0;
    double lost = 0;
    double probed = 0;
};

/** What congestion contexts of a peer count. */
struct CongestionRate {
    double fast = 0; ///< SACKs, by what they made of windows ...
    double proportional = 0;
    double fair = 0;
    double hold = 0;
    double decrease = 0;
    double cuts = 0; ///< ... and times that a window became smaller by these
    double quick_adapts = 0;
    double trims = 0;
    double penalties = 0;
};

struct QpRate {
    double tx_packets = 0;
    double rx_packets = 0;
    double rtx_packets = 0;
};

// Without a rate: not there before, or made anew since, so that its counters have gone back.

struct PlaneActivity {
    mrcnl::Plane plane;
    EvCount evs; ///< of all peers
    std::optional<PlaneRate> rate;
};

struct PeerActivity {
    mrcnl::Peer peer;
    EvsByPort evs;
    std::optional<PeerRate> rate;
    std::optional<CongestionRate> congestion; ///< where algorithm nscc steers windows
};

struct QpActivity {
    mrcnl::Qp qp;
    std::optional<QpRate> rate;
};

struct Activity {
    uint64_t interval = 0; ///< ns
    std::vector<PlaneActivity> planes;
    std::vector<PeerActivity> peers;
    std::vector<QpActivity> qps;
};

/** What comes first. What is equal in that comes in the order of names. */
enum class Sort {
    traffic, ///< bytes of planes, packets of peers and QPs, both ways
    lost,    ///< what was sent again; of planes: what could not be sent
    name,    ///< device, then port, GID, number
};

/** The objects of @p now, in the order of the kernel, and what they have done since @p before. */
Activity activity_between(const Snapshot &before, const Snapshot &now);

/** Sorts each kind of object. */
void sort(Activity &activity, Sort key);

} // namespace mrcctl
