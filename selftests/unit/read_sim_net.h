// SPDX-License-Identifier: GPL-2.0-only
//
// What both ends of a simulated QP with READs share: settings, time, random numbers, the report,
// and the network between them.
#pragma once

#include "bytes.h"
#include "read_sim.h"
#include "sim_clock.h"
#include "sim_world.h"

#include <functional>
#include <random>
#include <vector>

struct ReadWorld {
    static constexpr u64 start = 1'000'000'000;

    explicit ReadWorld(const ReadSimConfig &config) : c(config), clock(start), rng(c.seed) {}

    const ReadSimConfig c;
    ReadSimReport report;
    SimClock clock;
    std::mt19937_64 rng;

    u64 now() const { return clock.now; }
    u64 elapsed() const { return clock.now - start; }

    bool chance(double p) { return p > 0 && std::uniform_real_distribution<>(0, 1)(rng) < p; }

    u64 upTo(u64 n) { return n ? rng() % (n + 1) : 0; }
};

/// A packet that arrives.
struct ReadPacket {
    Bytes bytes;
    u16 ev = 0; ///< the path that it took
    bool trimmed = false;
};

/// The paths from one end to the other.
class ReadNet
{
public:
    using Deliver = std::function<void(const ReadPacket &)>;

    explicit ReadNet(ReadWorld &world) : world(world), c(world.c) {}

    void connect(Deliver to) { deliver = std::move(to); }

    /// Sends a packet of a message.
    void send(u16 ev, const Bytes &packet);

    /// Sends an answer, whose packets share a path and a fate, or a probe.
    void sendControl(const std::vector<Bytes> &packets);

    u16 anyPath() { return static_cast<u16>(world.rng() % static_cast<unsigned>(c.paths)); }

private:
    ReadWorld &world;
    const ReadSimConfig &c;
    Deliver deliver;

    bool lostOn(u16 ev, double loss);
    void travel(const std::vector<ReadPacket> &packets, double loss);
    void arriveAt(u64 time, const std::vector<ReadPacket> &packets);
};
