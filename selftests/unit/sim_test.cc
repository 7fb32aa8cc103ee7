// SPDX-License-Identifier: GPL-2.0-only
//
// Tests requester and responder, joined by a hostile network, over many seeds: each message
// completes exactly once and in order, immediates come in order, memory is right, no PSN leaves the
// window, and the run comes to its end.
#include "sim.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <random>

namespace
{

/// Seeds of a run; MRC_SIM_SEEDS=N asks for another number.
std::uint64_t seeds(std::uint64_t usual)
{
    const char *text = std::getenv("MRC_SIM_SEEDS");
    return text ? std::strtoull(text, nullptr, 10) : usual;
}

SimReport expectGood(const SimConfig &config)
{
    SimReport report = simulate(config);
    EXPECT_EQ(report.error, "");
    return report;
}

SimReport &operator+=(SimReport &sum, const SimReport &r)
{
    using R = SimReport;
    for (auto member : {&R::packets,    &R::sent,     &R::resent,    &R::unsent,   &R::nacks,
                        &R::dropped,    &R::spurious, &R::sacks,     &R::dups,     &R::marked,
                        &R::timeouts,   &R::probes,   &R::probeLost, &R::waits,    &R::starved,
                        &R::naks,       &R::evAcked,  &R::evProbes,  &R::evsLost,  &R::evsReturned,
                        &R::evsCleared, &R::evsHeard, &R::evsBad,    &R::elapsedNs})
        sum.*member += r.*member;
    return sum;
}

using Check = std::function<void(const SimConfig &, const SimReport &)>;

/// Simulates with seeds 1 to @p count, and checks each run. @return the sum of the reports
SimReport runs(std::uint64_t count, const std::function<SimConfig(std::uint64_t)> &config,
               const Check &check = {})
{
    SimReport sum;
    for (std::uint64_t seed = 1; seed <= count; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        SimConfig c = config(seed);
        c.seed = seed;
        const SimReport r = expectGood(c);
        if (check)
            check(c, r);
        sum += r;
    }
    return sum;
}

SimReport runs(std::uint64_t count, const SimConfig &config, const Check &check = {})
{
    return runs(
        count, [&config](std::uint64_t) { return config; }, check);
}

double pick(std::mt19937_64 &rng, std::initializer_list<double> values)
{
    return values.begin()[rng() % values.size()];
}

/*
 * Several QPs, some of which the peer does not know at once; queues; hosts without room for
 * packets.
 */
void randomHosts(std::mt19937_64 &rng, SimConfig &c)
{
    c.qps = static_cast<int>(pick(rng, {1, 1, 1, 2, 5}));
    c.messages = (c.messages + c.qps - 1) / c.qps;
    if (rng() % 4 == 0) {
        c.lateQps = static_cast<int>(rng() % static_cast<std::uint64_t>(c.qps + 1));
        c.lateNs = rng() % 20000000;
    }
    c.classes = static_cast<int>(1 + rng() % 3);
    c.serveNs = static_cast<std::uint64_t>(pick(rng, {0, 0, 500, 3000}));
    c.queueNs = static_cast<std::uint64_t>(pick(rng, {0, 0, 3000}));
    c.trimmed = pick(rng, {0, 0, 0, 0.02});
    c.unsent = pick(rng, {0, 0, 0, 0.02});
    if (rng() % 8 == 0) {
        c.busyPeriod = 2 + rng() % 10000000;
        c.busyNs = 1 + rng() % (c.busyPeriod / 2);
    }
    if (!c.carrier && rng() % 2)
        c.peerTellsNs = 1 + rng() % 100000;
}

SimConfig randomConfig(std::uint64_t seed)
{
    std::mt19937_64 rng(seed * 7919);
    SimConfig c;
    c.seed = seed;
    c.planes = static_cast<int>(1 + rng() % 5);
    c.evsPerPlane = static_cast<int>(1 + rng() % 6);
    c.minActive = static_cast<int>(rng() % 4 ? 0 : c.planes);
    c.loss = pick(rng, {0, 0, 0.001, 0.01, 0.05, 0.2});
    c.evLoss = c.planes * c.evsPerPlane > 1 ? pick(rng, {0, 0, 0.2, 1.0}) : 0;
    c.ctlLoss = pick(rng, {0, 0, 0.01, 0.1, 0.4});
    c.dup = pick(rng, {0, 0, 0.01, 0.1});
    c.ce = pick(rng, {0, 0, 0.01, 0.2});
    c.nack = pick(rng, {0, 0, 0, 0.02});
    c.refused = pick(rng, {0, 0, 0, 0.002});
    c.slowCopy = pick(rng, {0, 0.05});
    c.copyNs = static_cast<std::uint64_t>(pick(rng, {0, 3000}));
    c.forged = pick(rng, {0, 0, 0.05});
    c.fifo = rng() % 3 != 0;
    c.skewNs = static_cast<std::uint64_t>(pick(rng, {0, 2000, 20000, 100000}));
    if (rng() % 4 == 0) {
        c.carrier = rng() % 2;
        c.outageAt = 1 + rng() % 500000;
        c.outageEnds = c.outageAt + rng() % 20000000;
        c.outagePlanes = static_cast<int>(1 + rng() % static_cast<std::uint64_t>(c.planes));
    }
    if (rng() % 4 == 0) {
        const int all = c.planes * c.evsPerPlane;
        c.holeEvs = static_cast<int>(1 + rng() % static_cast<std::uint64_t>(all));
        c.holeAt = rng() % 500000;
        c.holeNs = rng() % 20000000;
        c.holePeriod = rng() % 2 ? 2 * c.holeNs + 1 + rng() % 20000000 : 0;
    }
    c.windowUnits = static_cast<std::uint32_t>(1 + rng() % 3);
    c.cwnd = static_cast<std::uint32_t>(pick(rng, {1, 8, 64, 1000}));
    c.immMax = static_cast<std::uint32_t>(pick(rng, {0, 1, 8, 64}));
    c.psn = rng() % 2 ? static_cast<std::uint32_t>(0xffffff - rng() % 300)
                      : static_cast<std::uint32_t>(rng() % 0x1000000);
    c.seq = static_cast<std::uint32_t>(rng() % 2 ? -(rng() % 300) : rng());
    c.start = rng() % 3 ? 1000000000 + rng() % (1ull << 42)
                        : (1ull << 40) * (1 + rng() % 3) - rng() % 2000000;
    c.timeoutNs = static_cast<std::uint64_t>(pick(rng, {400000, 1000000, 4000000}));
    c.messages = static_cast<int>(1 + rng() % 80);
    c.slots = static_cast<int>(1 + rng() % 20);
    c.maxPackets = static_cast<std::uint32_t>(pick(rng, {1, 12, 12, 200}));
    if (c.maxPackets > 12)
        c.messages = c.messages / 8 + 1;
    if (rng() % 3 == 0)
        c.active =
            static_cast<int>(1 + rng() % static_cast<std::uint64_t>(c.planes * c.evsPerPlane));
    randomHosts(rng, c);
    c.nscc = rng() % 2;
    c.lateReceive = pick(rng, {0, 0, 0, 0.3, 1});
    c.lateReceiveNs = static_cast<std::uint64_t>(pick(rng, {1000, 100000, 5000000}));
    c.sends = c.immMax ? pick(rng, {0, 0, 0.3, 1}) : 0;
    c.receives = 1 + rng() % 32;
    c.repostNs = static_cast<std::uint64_t>(pick(rng, {0, 10000, 1000000}));
    return c;
}

/* QPs whose bursts wait behind each other, on one path: one RTT says little about the next. */
SimConfig longQueues(std::uint64_t seed)
{
    return {.planes = 1,
            .evsPerPlane = 1,
            .classes = 3,
            .serveNs = 1000,
            .windowUnits = 3,
            .cwnd = 256,
            .timeoutNs = 100000000,
            .qps = 12,
            .messages = 15,
            .slots = static_cast<int>(1 + seed % 2),
            .maxPackets = 200};
}

/*
 * A peer need not count what is beyond the cumulative PSN. Then SACKs that overtake each other
 * cannot be told apart, and a few packets are sent again for nothing: in each of 15 runs of 20
 * seeds between 1.2 and 1.7 %. It would be 5.4 to 8.7 % if the reported packets were taken for all
 * that arrived.
 */
TEST(Sim, APeerThatDoesNotCountCostsFewRetransmissions)
{
    const SimReport sum = runs(seeds(20), {.ctlLoss = 0.05,
                                           .skewNs = 2000,
                                           .windowUnits = 8,
                                           .cwnd = 512,
                                           .sackPackets = 8,
                                           .counts = false,
                                           .timeoutNs = 100000000,
                                           .maxPackets = 100});
    EXPECT_LT(sum.resent, sum.packets / 40);
}

} // namespace

TEST(Sim, ThousandsOfSeeds)
{
    SimReport sum;
    const std::uint64_t count = seeds(2300);
    for (std::uint64_t seed = 1; seed <= count; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        sum += expectGood(randomConfig(seed));
        if (HasFailure())
            return;
    }
    RecordProperty("packets", static_cast<int>(sum.packets));
    RecordProperty("resent", static_cast<int>(sum.resent));
    RecordProperty("dropped", static_cast<int>(sum.dropped));
    if (count < 1000)
        return;
    // the hostile network was in fact hostile
    EXPECT_GT(sum.dropped, sum.packets / 100);
    EXPECT_GT(sum.dups, 0u);
    EXPECT_GT(sum.marked, 0u);
    EXPECT_GT(sum.spurious, 0u);
    EXPECT_GT(sum.probes, 0u);
    EXPECT_GT(sum.probeLost, 0u);
    EXPECT_GT(sum.naks, 0u);
    EXPECT_GT(sum.waits, 0u);
    EXPECT_GT(sum.nacks, 0u);
    EXPECT_GT(sum.unsent, 0u);
    EXPECT_GT(sum.evAcked, 0u);
    EXPECT_LT(sum.evAcked, sum.packets);
    EXPECT_GT(sum.evsReturned, 0u);
    EXPECT_GT(sum.evsCleared, 0u);
}

TEST(Sim, NothingIsSentTwiceOverACleanNetwork)
{
    runs(50, {.skewNs = 0, .messages = 200}, [](auto &, auto &r) {
        EXPECT_EQ(r.resent, 0u);
        EXPECT_EQ(r.sent, r.packets);
    });
}

TEST(Sim, RetransmissionsStayNearTheLosses)
{
    const SimReport sum =
        runs(50, {.evsPerPlane = 16, .loss = 0.01, .skewNs = 1000, .messages = 200});
    EXPECT_GE(sum.resent, sum.dropped);
    EXPECT_LT(sum.resent, 2 * sum.dropped);
}

TEST(Sim, UnequalPlanesAreLearnt)
{
    const SimReport sum = runs(20, {.skewNs = 30000, .messages = 1000});
    EXPECT_LT(sum.resent, sum.packets / 20) << "the reorder window grew to the difference";
}

/* Whatever arrives first: all that was sent before it is executed, and the NAK arrives. */
TEST(Sim, ARefusedPacketEndsTheQpInOrder)
{
    const SimReport sum = runs(seeds(200), [](std::uint64_t seed) -> SimConfig {
        return {.loss = 0.02,
                .ctlLoss = seed % 2 ? 0.5 : 0,
                .dup = 0.05,
                .refused = 0.005,
                .messages = 200};
    });
    EXPECT_GT(sum.naks, seeds(200) / 2);
}

/* No carrier reports it: the paths leave at their first losses, and return by probes. */
TEST(Sim, SilentlyDeadPathsLeaveAndReturn)
{
    const std::set<int> dead{0, 1, 2, 3, 4}; // one plane and a part of the next
    std::size_t others = 0;
    const SimConfig config{.holeEvs = 5,
                           .holeAt = 300000,
                           .holeNs = 10000000,
                           .evProbeUntil = 2000000000,
                           .skewNs = 0,
                           .messages = 4000};
    runs(20, config, [&](auto &c, auto &r) {
        EXPECT_GT(r.elapsedNs, c.holeAt + c.holeNs);
        EXPECT_TRUE(std::includes(r.lostEvs.begin(), r.lostEvs.end(), dead.begin(), dead.end()));
        others += r.lostEvs.size() - dead.size();
        EXPECT_EQ(r.evsBad, 0u);
        EXPECT_GE(r.evsReturned, 5u);
        EXPECT_EQ(r.evsReturned + r.evsCleared + r.evsHeard, r.evsLost);
        EXPECT_LT(r.dropped, 2 * 64u) << "what was on its way, and what left until it was late";
    });
    // Of 220. Packets may take up to 60 us longer than others here, three times the shortest time.
    EXPECT_LE(others, 10u);
}

TEST(Sim, DeadPathsGetProbesOnly)
{
    const SimReport r = expectGood({.holeEvs = 4, .holeNs = ~0ull, .skewNs = 0, .messages = 3000});
    EXPECT_EQ(r.evsBad, 4u);
    EXPECT_EQ(r.evsReturned, 0u);
    EXPECT_GT(r.evProbes, 4u);
    EXPECT_LT(r.dropped, 64u);
}

TEST(Sim, AFlappingPathIsUsedLessAndLess)
{
    const SimConfig c{.holeEvs = 1,
                      .holeNs = 1300000,
                      .holePeriod = 5900000,
                      .skewNs = 0,
                      .cwnd = 2,
                      .messages = 5000};
    const SimReport r = expectGood(c);
    EXPECT_GT(r.elapsedNs, 80 * c.holePeriod);
    EXPECT_GE(r.evsReturned, 1u);
    EXPECT_LT(r.evsReturned, 12u);
}

TEST(Sim, ALostTailIsFoundWithoutItsTimeout)
{
    int waited = 0;
    // Each message waits for the previous one.
    const SimConfig config{
        .loss = 0.05, .skewNs = 0, .timeoutNs = 1000000000, .messages = 100, .slots = 1};
    const SimReport sum = runs(50, config, [&](auto &c, auto &r) {
        waited += r.timeouts > 0;
        EXPECT_EQ(r.resent, r.dropped) << "all that was lost and nothing else";
        EXPECT_LT(r.elapsedNs, c.timeoutNs + 100000000);
    });
    // The rest is found by what was sent later. In 100 runs of 50 seeds none found less than 0.41.
    EXPECT_GT(sum.probeLost, sum.dropped / 3) << "by probes";
    EXPECT_LT(waited, 10) << "where the first message's tail was lost: no RTT was known yet";
}

TEST(Sim, SurvivesAllPlanesGone)
{
    for (bool carrier : {false, true}) {
        SimConfig c{.carrier = carrier, .outageAt = 200000, .outageEnds = 300000000};
        c.outagePlanes = c.planes;
        runs(20, c);
    }
}

/*
 * SENDs take receives that a program posts late, or just in time. All arrive once, in order, and
 * where they belong, beside writes of each kind.
 */
TEST(Sim, SendsTakeReceivesInOrder)
{
    for (const std::uint64_t repost : {0, 20000, 2000000})
        for (const std::size_t receives : {1, 4, 64}) {
            const SimReport sum = runs(seeds(20), {.loss = 0.01,
                                                   .ctlLoss = 0.05,
                                                   .dup = 0.01,
                                                   .sends = 0.5,
                                                   .receives = receives,
                                                   .repostNs = repost,
                                                   .immMax = 16,
                                                   .messages = 300,
                                                   .slots = 16});
            EXPECT_TRUE(sum.starved || receives >= 16 || !repost);
            EXPECT_LT(sum.resent, sum.packets / 15) << "a SEND that waits is not sent in vain";
        }
}

/*
 * The network loses only answers. In one of a thousand runs it loses all that tell of some packets
 * until their timeout: so EVs may be blamed in one run of twenty.
 */
TEST(Sim, LostSacksAreNoLostPackets)
{
    const SimConfig config{.ctlLoss = 0.3,
                           .windowUnits = 3,
                           .cwnd = 256,
                           .sackPackets = 64,
                           .messages = 1000,
                           .slots = 64};
    int blaming = 0;
    const SimReport sum =
        runs(20, config, [&blaming](auto &, auto &r) { blaming += r.evsLost > 0; });
    EXPECT_LE(blaming, 1);
    EXPECT_LT(sum.resent, sum.packets / 400);
}

/*
 * A plane dies both ways: packets sent on it are sent again, but no packet because its SACK was
 * lost.
 */
TEST(Sim, APlaneThatTakesSacksWithIt)
{
    const SimReport sum = runs(20, {.outageAt = 1000000,
                                    .outageEnds = 100000000,
                                    .windowUnits = 3,
                                    .cwnd = 256,
                                    .sackPackets = 64,
                                    .timeoutNs = 10000000,
                                    .messages = 2000,
                                    .slots = 64});
    EXPECT_GT(sum.dropped, 100u);
    EXPECT_LT(sum.resent, sum.dropped + sum.dropped / 4);
}

/* A full queue of this host is no loss: no EV is blamed, and everything arrives. */
TEST(Sim, WhatDoesNotLeaveBlamesNothing)
{
    runs(seeds(20), {.unsent = 0.02, .skewNs = 0, .messages = 500}, [](auto &, auto &r) {
        EXPECT_GT(r.unsent, 0u);
        EXPECT_EQ(r.evsLost, 0u);
        EXPECT_EQ(r.resent, r.unsent);
    });
}

/*
 * QPs that the peer does not know yet send in vain. That is no fault of the paths, which others
 * use. What those QPs hear of the paths serves all, so no EV is probed. If no QP hears anything,
 * all are.
 */
TEST(Sim, ASilentQpHarmsNoOther)
{
    const auto config = [](std::uint64_t seed) -> SimConfig {
        return {.skewNs = 0,
                .cwnd = 16,
                .qps = 4,
                .lateQps = seed % 2 ? 2 : 4,
                .lateNs = 6000000,
                .messages = 1000};
    };
    runs(seeds(10), config, [](auto &c, auto &r) {
        EXPECT_GT(r.timeouts, 0u);
        EXPECT_EQ(r.lostEvs, std::set<int>());
        if (c.lateQps < c.qps)
            EXPECT_LE(r.evProbes, 1u) << "the way back, before anything is heard";
        else
            EXPECT_GE(r.evProbes, 16u) << "each EV";
    });
}

/*
 * What one QP loses there is enough for all. Each for itself, they would lose at least a packet
 * each.
 */
TEST(Sim, QpsFindADeadPathTogether)
{
    const SimConfig config{.holeEvs = 1,
                           .holeAt = 200000,
                           .holeNs = ~0ull,
                           .skewNs = 0,
                           .cwnd = 4,
                           .qps = 32,
                           .messages = 30};
    const auto count = seeds(10);
    const SimReport sum =
        runs(count, config, [](auto &, auto &r) { EXPECT_EQ(r.lostEvs, std::set<int>{0}); });
    EXPECT_LT(sum.dropped, count * static_cast<std::uint64_t>(config.qps));
}

/*
 * Retransmissions have a queue of their own, and overtake data that waits in another queue. They
 * may leave soon after that data, if the head of a trimmed packet has overtaken it, too. That says
 * nothing about the waiting data.
 */
TEST(Sim, RetransmissionsThatOvertakeDataCondemnNone)
{
    const auto config = [](std::uint64_t seed) {
        SimConfig c = longQueues(seed);
        c.sackPackets = 4;
        (seed % 2 ? c.loss : c.trimmed) = 0.005;
        return c;
    };
    runs(seeds(8), config, [](auto &, auto &r) { EXPECT_EQ(r.resent, r.dropped + r.nacks); });
}

/* A probe is in data's class, so packets that its answer condemns are not waiting in a queue. */
TEST(Sim, ProbesOvertakeNoData)
{
    const SimReport sum =
        runs(seeds(8), longQueues, [](auto &, auto &r) { EXPECT_EQ(r.resent, 0u); });
    EXPECT_GT(sum.probes, 0u);
}

/* Three QPs, while ports fail for 1 ms; no timeout hides what does not go at once. */
SimConfig shortOutage(int planes)
{
    return {.outageAt = 1000000,
            .outageEnds = 2000000,
            .outagePlanes = planes,
            .timeoutNs = 100000000,
            .qps = 3,
            .messages = 1000};
}

/*
 * The peer reports that one of its ports is down before lost packets can be noticed. They are sent
 * again at once, nothing else is, and no EV is blamed.
 */
TEST(Sim, PortsDownAtThePeerBlameNothing)
{
    const auto config = [](std::uint64_t seed) {
        SimConfig c = shortOutage(static_cast<int>(1 + seed % 3));
        c.skewNs = 0;
        c.peerTellsNs = 30000;
        return c;
    };
    runs(seeds(10), config, [](auto &c, auto &r) {
        EXPECT_GT(r.elapsedNs, c.outageEnds);
        EXPECT_GT(r.dropped, 0u);
        EXPECT_GE(r.resent, r.dropped);
        EXPECT_LE(r.resent, 3 * c.cwnd) << "what was on its way";
        EXPECT_EQ(r.evsLost, 0u);
        EXPECT_EQ(r.timeouts, 0u);
    });
}

/*
 * Ports of this host go. All that had left by them arrives, and gets the time for it: nothing is
 * sent again.
 */
TEST(Sim, WhatLeftByAPortThatIsGoneMayArrive)
{
    const auto config = [](std::uint64_t seed) {
        SimConfig c = shortOutage(static_cast<int>(1 + seed % 3));
        c.carrier = true;
        return c;
    };
    runs(seeds(10), config, [](auto &c, auto &r) {
        EXPECT_GT(r.elapsedNs, c.outageEnds);
        EXPECT_EQ(r.dropped, 0u);
        EXPECT_EQ(r.resent, 0u);
        EXPECT_EQ(r.evsLost, 0u);
    });
}

/* Packets in the port's queues when it went are lost and sent again once, and no EV is blamed. */
TEST(Sim, WhatWasLostWithAPortIsSentAgainOnce)
{
    SimConfig config = shortOutage(1);
    config.holeEvs = config.evsPerPlane;
    config.holeNs = 10000;
    config.holeAt = config.outageAt - config.holeNs;
    config.carrier = true;
    const SimReport sum = runs(seeds(10), config, [](auto &c, auto &r) {
        EXPECT_GT(r.elapsedNs, c.outageEnds);
        EXPECT_EQ(r.resent, r.dropped);
        EXPECT_EQ(r.evsLost, 0u);
        EXPECT_EQ(r.timeouts, 0u);
    });
    EXPECT_GT(sum.dropped, 0u);
}

/*
 * Trimmed packets are sent again at once, refused ones after pauses, which grow with their number.
 */
TEST(Sim, NacksDelayAndKillNothing)
{
    const auto config = [](std::uint64_t seed) -> SimConfig {
        return {.trimmed = seed % 2 ? 0 : 0.02,
                .busyNs = seed % 4 == 2 ? 0ull : 1000000,
                .busyPeriod = 5000000,
                .skewNs = 0,
                .messages = 500};
    };
    runs(seeds(20), config, [](auto &c, auto &r) {
        if (!c.trimmed) {
            EXPECT_EQ(r.evsLost, 0u) << "a peer that is busy";
        }
        EXPECT_GT(r.nacks, 0u);
        EXPECT_EQ(r.resent, r.nacks);
        EXPECT_LT(r.nacks, r.packets / 2);
    });
}

/* Packets of one EV that leave by two queues of a host overtake each other a little. */
TEST(Sim, TwoQueuesToAPathAreNoLoss)
{
    const SimConfig config{
        .queueNs = 5000, .evProbeUntil = 2000000000, .skewNs = 0, .messages = 1000};
    const SimReport sum = runs(seeds(20), config, [](auto &, auto &r) { EXPECT_EQ(r.evsBad, 0u); });
    EXPECT_LT(sum.resent, sum.packets / 200);
    EXPECT_LT(sum.evsLost, sum.resent) << "most are found to be late in time";
}
