// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The counts of a cell. All of them are sums, so that the order in which cells are added does not
 * matter.
 */
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "fabric.h"

namespace mrcsim
{

/** Why a packet did not arrive. */
enum class Drop : uint8_t {
    queue,   ///< no room for it, whole or trimmed
    control, ///< no room in the first class
    link,    ///< its link was dead
    loss,    ///< its link loses some packets
};
constexpr unsigned drops = 4;

/** States of EVs that are counted. */
enum class EvCount : uint8_t { bad, denied, held };
constexpr unsigned ev_counts = 3;

/** Bins of queue lengths: so many per plane BDP, and the last one for all longer queues. */
constexpr uint32_t queue_bins_per_bdp = 64;
constexpr uint32_t queue_bins = 5 * queue_bins_per_bdp + 1;

/** One point of the curves over time. */
struct Sample {
    uint64_t bytes = 0; ///< payload that arrived for the first time
    std::array<int64_t, ev_counts>
        ev_change{}; ///< EVs that came into a state, less those that left
};

/** Sums over a cell. */
struct Stats {
    uint64_t packets = 0; ///< packets that hosts sent
    uint64_t data = 0;    ///< first transmissions among them
    uint64_t again = 0;   ///< retransmissions among them
    uint64_t hops = 0;    ///< links that packets passed, whole or trimmed
    uint64_t arrived = 0; ///< packets at hosts
    uint64_t events = 0;
    std::array<uint64_t, drops> dropped{};
    std::array<uint64_t, tiers> trimmed{};
    std::array<uint64_t, tiers> marked{};
    uint64_t counted_sent = 0;    ///< packets with payload that were sent in the time that counts
    uint64_t counted_trimmed = 0; ///< those of them that were trimmed
    uint64_t counted_marked = 0;  ///< those of them that were marked
    /** Queue lengths as packets found them, in the time that counts. */
    std::array<std::array<uint64_t, queue_bins>, tiers> queue{};
    std::vector<Sample> samples;
    uint64_t digest = 0;

    void add(const Stats &other);
};

} // namespace mrcsim
