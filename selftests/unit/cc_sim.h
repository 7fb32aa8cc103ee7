// SPDX-License-Identifier: GPL-2.0-only
//
// Simulates senders, each with the congestion control of kernel/core, and one switch per plane,
// whose port towards a host marks, trims or drops what it has to queue. All packets have the same
// length. SACKs, NACKs and heads of trimmed packets meet no queue. sim.h simulates QPs; this
// simulates how flows share a link.
#pragma once

#include "engine/core.h"

#include <vector>

struct CcSimFlow {
    unsigned from = 0; ///< the sending host
    unsigned to = 0;   ///< the receiving host
    u64 startNs = 0;
    std::vector<u64> earlyNs; ///< it sends one packet at each of these times, before startNs
    u64 stopNs = ~0ull;
    u64 burst = 0;   ///< packets that it wants to send at a time; 0: as many as it can
    u64 everyNs = 0; ///< time from one burst to the next
};

struct CcSimConfig {
    u64 seed = 1;
    u64 rate = 12'500'000'000; ///< bytes a second of a port
    u64 hostRate = 0;          ///< bytes a second of a host to a plane; 0: rate
    u64 baseNs = 12000;        ///< round trip of an empty network
    u32 packet = 4160;         ///< nominal bytes
    unsigned planes = 1;
    bool ecn = true;        ///< marks from 0.2 to 0.8 BDP, when a packet leaves the queue
    bool trim = true;       ///< trims beyond 1 BDP; else drops beyond 5 BDP
    u64 queueBytes = 0;     ///< trims or drops beyond this; 0: as above
    unsigned lossPpm = 0;   ///< packets per million that are lost for no reason
    unsigned forgedPpm = 0; ///< packets per million whose head is forged, and arrives before them
    u32 sackBytes = 1;      ///< bytes that make a SACK due; a mark and an ack request do, too
    u64 jitterNs = 300;     ///< delay on the way to the switch, at most
    u64 rtoNs = 500000;     ///< timeout of a packet of which nothing was heard
    u64 cutNs = ~0ull;      ///< when plane 0 goes
    u64 backNs = ~0ull;     ///< when plane 0 returns
    u64 detectNs = 100000;  ///< senders know both after this time
    u64 runNs = 12'000'000;
    mrc_cc_params params{};
    const mrc_timing *timing = nullptr;
    std::vector<CcSimFlow> flows;
};

/// Values per slice are for slices of a base RTT.
struct CcSimReport {
    std::vector<std::vector<u64>> arrived; ///< per flow and slice: bytes, each counted once
    std::vector<u64> sent;                 ///< per slice: packets
    std::vector<u64> trimmed;              ///< per slice
    std::vector<u64> dropped;              ///< per slice: dropped by a full queue
    std::vector<u64> adapted;              ///< per slice: quick adapts
    std::vector<u64> longestRttNs; ///< per slice: of the packets that SACKs acknowledged in it
    std::vector<u64> queued;       ///< per slice: mean bytes in the queue to host 0, plane 0
    u64 longestQueue = 0;          ///< bytes, the longest of all queues
    u64 longestGapNs = 0;       ///< longest time without an arrival, of all flows that always send
    unsigned trimsOfOne = 0;    ///< most often that a packet was trimmed
    unsigned timeoutsOfOne = 0; ///< most often that a packet timed out
    u32 lowestCwnd = ~0u;
    u32 highestCwnd = 0;
    u64 outOfBounds = 0; ///< times that the window was out of bounds
    u64 hash = 0;        ///< of all windows in their order
    std::vector<mrc_cc> cc;

    /// Bytes of flow @p flow in slices @p from to @p to, the last excluded.
    u64 bytes(unsigned flow, std::size_t from, std::size_t to) const;
    u64 count(mrc_cc_count what) const;
};

CcSimReport simulateCc(const CcSimConfig &config);

/// Fairness (Jain's index): 1 if all are equal, 1/n if one has all.
double fairness(const CcSimReport &r, std::size_t from, std::size_t to);
