// SPDX-License-Identifier: GPL-2.0-only
//
// Simulates two ends made of the protocol engine. Each has EVs towards the other: some are dead,
// some lose packets, and about some the end believes what is not true. sim.h simulates QPs; this
// simulates which end finds which path, and when.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// The fate of packets on an EV in one direction.
enum class Fate { Alive, Loses1, Loses20, Dead };

/// What an end believes of an EV at the start. If all cannot be bad, the last of them is held.
enum class Belief { Good, Bad };

/// One direction, and the end that sends in it.
struct PathSimEnd {
    std::vector<Fate> fates;     ///< per EV
    std::vector<Belief> beliefs; ///< per EV
    bool sends = true;           ///< sends data; else it only answers
};

struct PathSimConfig {
    std::uint64_t seed = 1;
    std::vector<int> ports; ///< per EV, ascending, the same at both ends
    PathSimEnd end[2];
    bool mirrored = true; ///< EVs with the same index go the same way
    bool stale = true;    ///< bad EVs have flapped, and are probed only once a second by now
    unsigned burst = 8;   ///< packets that are sent before the sender waits for answers
    std::uint64_t timeoutNs = 1024ull << 14;
    std::uint8_t linear = 7;
    std::uint8_t exp = 3;
    std::uint64_t diesNs = 0; ///< until then Dead EVs are alive
    std::uint64_t cpuNs = 0;  ///< time that the only CPU takes for a packet of either end; 0: none
    unsigned backlog = 1000;  ///< packets that wait for the CPU; more are lost
    std::uint64_t runNs = 2000000000;
};

struct PathSimReport {
    std::string error;                 ///< empty when no QP ended
    std::uint64_t firstNs[2] = {0, 0}; ///< when its first packet was executed and it knew; 0: never
    std::uint64_t pauseNs[2] = {0, 0}; ///< the longest time after that without another such packet
    std::uint64_t done[2] = {0, 0};    ///< packets
    std::uint64_t leftNs[2] = {0, 0};  ///< the longest time from a dead EV's first packet until
                                       ///< the EV was out of use because of it
    int left[2] = {0, 0};              ///< times that an EV left so
    std::uint64_t probes = 0;          ///< EV probes of both ends
    std::uint64_t goodNs = 0;          ///< when all EVs of both ends were first good; 0: never
};

PathSimReport simulatePaths(const PathSimConfig &config);
