// SPDX-License-Identifier: GPL-2.0-only
//
// Simulates senders, each with the congestion control of kernel/core, and one switch per plane,
// whose port towards a host marks, trims or drops what it has to queue. All packets have the same
// length. SACKs, NACKs and heads of trimmed packets meet no queue. sim.h simulates QPs; this
// simulates how flows share a link.
#ifndef MRC_UNIT_CC_SIM_H
#define MRC_UNIT_CC_SIM_H

#include "core.h"

#include <vector>

struct CcSimFlow {
    unsigned from = 0; ///< a host
    unsigned to = 0;   ///< another one
    u64 startNs = 0;
    std::vector<u64> earlyNs; ///< a packet at each of these times, before it starts
    u64 stopNs = ~0ull;
    u64 burst = 0;   ///< it wants to send so many packets, 0: as many as it can ...
    u64 everyNs = 0; ///< ... so often
};

struct CcSimConfig {
    u64 seed = 1;
    u64 rate = 12'500'000'000; ///< of a port, bytes a second
    u64 hostRate = 0;          ///< of a host to a plane; 0: as that of a port
    u64 baseNs = 12000;        ///< round trip of an empty network
    u32 packet = 4160;         ///< nominal bytes
    unsigned planes = 1;
    bool ecn = true;        ///< marks from 0.2 to 0.8 BDP, when a packet leaves the queue
    bool trim = true;       ///< beyond 1 BDP; else drops beyond 5
    u64 queueBytes = 0;     ///< or beyond so many; 0: as said
    unsigned lossPpm = 0;   ///< packets that are lost for no reason
    unsigned forgedPpm = 0; ///< packets whose head somebody forges, who is faster than they are
    u32 sackBytes = 1;      ///< a SACK for so many bytes, or a mark, or when asked
    u64 jitterNs = 300;     ///< on the way to the switch, up to this
    u64 rtoNs = 500000;     ///< a packet of which nothing was heard
    u64 cutNs = ~0ull;      ///< plane 0 goes ...
    u64 backNs = ~0ull;     ///< ... and returns;
    u64 detectNs = 100000;  ///< senders know so much later
    u64 runNs = 12'000'000;
    mrc_cc_params params{};
    const mrc_timing *timing = nullptr;
    std::vector<CcSimFlow> flows;
};

/// What is counted per slice is in slices of a base RTT.
struct CcSimReport {
    std::vector<std::vector<u64>> arrived; ///< per flow and slice: bytes, once each
    std::vector<u64> sent;                 ///< per slice: packets
    std::vector<u64> trimmed;              ///< per slice
    std::vector<u64> dropped;              ///< per slice: by a full queue
    std::vector<u64> adapted;              ///< per slice: quick adapts
    std::vector<u64> longestRttNs;         ///< per slice: of what SACKs told of in it
    std::vector<u64> queued;    ///< per slice: mean bytes in the queue to host 0, plane 0
    u64 longestQueue = 0;       ///< bytes, of any
    u64 longestGapNs = 0;       ///< without an arrival, of any flow that always sends
    unsigned trimsOfOne = 0;    ///< most often that a packet was trimmed
    unsigned timeoutsOfOne = 0; ///< most often that one timed out
    u32 lowestCwnd = ~0u;
    u32 highestCwnd = 0;
    u64 outOfBounds = 0; ///< times that the window was
    u64 hash = 0;        ///< of all windows in their order
    std::vector<mrc_cc> cc;

    /// Bytes of flow @p flow in slices @p from to @p to, the last excluded.
    u64 bytes(unsigned flow, std::size_t from, std::size_t to) const;
    u64 count(mrc_cc_count what) const;
};

CcSimReport simulateCc(const CcSimConfig &config);

/// Fairness (Jain's index): 1 when all are equal, 1/n when one has all.
double fairness(const CcSimReport &r, std::size_t from, std::size_t to);

#endif
