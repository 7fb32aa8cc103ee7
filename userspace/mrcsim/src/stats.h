// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * What a cell counts. All of it is sums, so that the order in which cells are added does not
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
    loss,    ///< its link loses some
};
constexpr unsigned drops = 4;

/** States of EVs that are counted. */
enum class EvCount : uint8_t { bad, denied, held };
constexpr unsigned ev_counts = 3;

/** Bins of queue lengths: so many to a plane BDP, and the last one for all that is longer. */
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
    uint64_t packets = 0; ///< that hosts sent
    uint64_t data = 0;    ///< of these, first transmissions
    uint64_t again = 0;   ///< and retransmissions
    uint64_t hops = 0;    ///< links that packets passed, whole or trimmed
    uint64_t arrived = 0; ///< packets at hosts
    uint64_t events = 0;
    std::array<uint64_t, drops> dropped{};
    std::array<uint64_t, tiers> trimmed{};
    std::array<uint64_t, tiers> marked{};
    uint64_t counted_sent = 0;    ///< packets with payload, in the time that counts
    uint64_t counted_trimmed = 0; ///< of these
    uint64_t counted_marked = 0;  ///< of these
    /** As packets found it, in the time that counts. */
    std::array<std::array<uint64_t, queue_bins>, tiers> queue{};
    std::vector<Sample> samples;
    uint64_t digest = 0;

    void add(const Stats &other);
};

} // namespace mrcsim
