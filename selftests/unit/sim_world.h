// SPDX-License-Identifier: GPL-2.0-only
//
// What all parts of a simulated run share: its settings, its time, its random numbers, its report.
#pragma once

#include "engine/core.h"
#include "sim.h"
#include "sim_clock.h"

#include <random>
#include <stdexcept>

constexpr int kReq = 0;  ///< the host of the requesters
constexpr int kResp = 1; ///< the host of the responders

struct SimWorld {
    explicit SimWorld(const SimConfig &config) : c(config), clock(c.start), rng(c.seed) {}

    const SimConfig c;
    SimReport report;
    SimClock clock;
    std::mt19937_64 rng;
    std::uint64_t open = 0; ///< messages that have not ended yet

    u64 now() const { return clock.now; }

    /// Nanoseconds since the start.
    u64 elapsed() const { return clock.now - c.start; }

    u32 random() { return static_cast<u32>(rng()); }

    bool chance(double p) { return p > 0 && std::uniform_real_distribution<>(0, 1)(rng) < p; }

    u64 upTo(u64 n) { return n ? rng() % (n + 1) : 0; }
};

/// Ends the run with an error if @p ok is false.
inline void simCheck(bool ok, const char *what)
{
    if (!ok)
        throw std::runtime_error(what);
}
