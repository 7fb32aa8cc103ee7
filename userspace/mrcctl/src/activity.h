// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Activity of planes, peers and QPs: rates, made from the counters of two snapshots.
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

/** A number of EVs: all, and those that are good. */
struct EvCount {
    uint32_t all = 0;
    uint32_t good = 0;  ///< good and in rotation
    uint32_t spare = 0; ///< good, but not in rotation
};

/** Numbers of EVs by port. */
using EvsByPort = std::map<uint8_t, EvCount>;

/** Rates per second, here and below. */
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

/** Rates of the counters of a peer's congestion contexts. */
struct CongestionRate {
    double fast = 0; ///< SACKs, by their effect on windows: this and the next four
    double proportional = 0;
    double fair = 0;
    double hold = 0;
    double decrease = 0;
    double cuts = 0; ///< times that a decrease, or losses of a full queue, cut a window
    double quick_adapts = 0;
    double trims = 0;
    double penalties = 0;
};

struct QpRate {
    double tx_packets = 0;
    double rx_packets = 0;
    double rtx_packets = 0;
};

// An object has no rate if it is new, or was made anew so that its counters went back.

struct PlaneActivity {
    mrcnl::Plane plane;
    EvCount evs; ///< of all peers
    std::optional<PlaneRate> rate;
};

struct PeerActivity {
    mrcnl::Peer peer;
    EvsByPort evs;
    std::optional<PeerRate> rate;
    std::optional<CongestionRate> congestion; ///< empty: no window of algorithm nscc
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

/** The sort key. Equal objects are sorted by name. */
enum class Sort {
    traffic, ///< bytes of planes, packets of peers and QPs, both ways
    lost,    ///< packets that were sent again; of planes: that could not be sent
    name,    ///< device, then port, GID, number
};

/** The objects of @p now, in the order of the kernel, with their rates since @p before. */
Activity activity_between(const Snapshot &before, const Snapshot &now);

/** Sorts each kind of object. */
void sort(Activity &activity, Sort key);

} // namespace mrcctl
