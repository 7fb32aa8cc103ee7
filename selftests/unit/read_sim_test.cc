// SPDX-License-Identifier: GPL-2.0-only
//
// Tests READs and atomics between two ends that ask each other at the same time, over a hostile
// network and with many seeds: each request completes once and in order, each READ and atomic is
// executed once, in order, and returns what was there; nothing is written to a READ that is
// complete; and the QP comes to rest.
#include "read_sim.h"

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

ReadSimReport &operator+=(ReadSimReport &sum, const ReadSimReport &r)
{
    using R = ReadSimReport;
    for (auto member :
         {&R::packets, &R::resent, &R::responses, &R::lost, &R::dups, &R::reads, &R::atomics,
          &R::naks, &R::ends, &R::trims, &R::fences, &R::held, &R::nakWaits, &R::probes,
          &R::timeouts, &R::waits, &R::starved, &R::elapsedNs})
        sum.*member += r.*member;
    sum.underWay = std::max(sum.underWay, r.underWay);
    return sum;
}

using Config = std::function<ReadSimConfig(std::uint64_t)>;
using Check = std::function<void(const ReadSimReport &)>;

/// Simulates with seeds 1 to @p count. @return the sum of the reports
ReadSimReport runs(std::uint64_t count, const Config &config, const Check &check = {})
{
    ReadSimReport sum;
    for (std::uint64_t seed = 1; seed <= count && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        ReadSimConfig c = config(seed);
        c.seed = seed;
        const ReadSimReport r = readSimulate(c);
        EXPECT_EQ(r.error, "");
        if (check)
            check(r);
        sum += r;
    }
    return sum;
}

template <class T>
T pick(std::mt19937_64 &rng, std::initializer_list<T> values)
{
    return values.begin()[rng() % values.size()];
}

ReadSimEnd randomEnd(std::mt19937_64 &rng)
{
    return {.requests = static_cast<int>(rng() % 50),
            .readsMax = static_cast<std::uint32_t>(rng() % 2 ? 1 + rng() % 16 : 16),
            .psn = static_cast<std::uint32_t>(rng() % 2 ? 0xffffff - rng() % 100 : rng() >> 40),
            .msn = static_cast<std::uint16_t>(rng() % 2 ? 0xffff - rng() % 40 : rng())};
}

/// The network and the hosts.
void randomPaths(std::mt19937_64 &rng, ReadSimConfig &c)
{
    c.paths = static_cast<int>(1 + rng() % 8);
    c.loss = pick(rng, {0.0, 0.001, 0.01, 0.05, 0.2});
    c.ctlLoss = pick(rng, {0.0, 0.0, 0.01, 0.1, 0.4});
    c.dup = pick(rng, {0.0, 0.01, 0.1});
    c.pathLoss = pick(rng, {0.0, 0.0, 0.2, 1.0});
    c.trimmed = pick(rng, {0.0, 0.0, 0.02});
    c.skewNs = pick(rng, {0u, 2000u, 20000u, 100000u});
    c.jitterNs = pick(rng, {0u, 2000u, 60000u, 500000u});
    c.nack = pick(rng, {0.0, 0.0, 0.0, 0.02});
    c.unsent = pick(rng, {0.0, 0.0, 0.0, 0.02});
    c.copyNs = pick(rng, {0u, 3000u, 100000u});
    c.answerNs = pick(rng, {0u, 3000u, 1000000u});
}

ReadSimConfig randomConfig(std::uint64_t seed)
{
    std::mt19937_64 rng(seed * 7919);
    ReadSimConfig c;
    for (ReadSimEnd &end : c.end)
        end = randomEnd(rng);
    randomPaths(rng, c);
    c.mix = pick<std::array<int, 6>>(rng, {{2, 1, 0, 3, 1, 2},
                                           {2, 1, 1, 3, 1, 2},
                                           {0, 0, 0, 1, 0, 0},
                                           {0, 0, 0, 0, 1, 2},
                                           {5, 1, 1, 1, 0, 0}});
    c.fence = pick(rng, {0.0, 0.1, 1.0});
    c.rest = pick(rng, {0.0, 0.1, 0.5});
    c.restNs = pick(rng, {100000u, 5000000u});
    if (rng() % 4 == 0) {
        c.receives = 1 + rng() % 4;
        c.repostNs = rng() % 2000000;
    }
    c.depth = pick(rng, {4u, 32u, 64u});
    c.immMax = pick(rng, {1u, 8u, 64u});
    c.windowUnits = pick(rng, {1u, 2u});
    c.takenUnits = pick(rng, {1u, 2u});
    c.cwnd = pick(rng, {1u, 8u, 64u, 1000u});
    c.maxPackets = pick(rng, {1u, 3u, 12u, 100u});
    c.timeoutNs = pick(rng, {400000u, 1000000u, 4000000u});
    return c;
}

} // namespace

TEST(ReadSim, ThousandsOfSeeds)
{
    const std::uint64_t count = seeds(800);
    const ReadSimReport sum = runs(count, randomConfig);
    RecordProperty("packets", static_cast<int>(sum.packets));
    RecordProperty("reads", static_cast<int>(sum.reads));
    RecordProperty("atomics", static_cast<int>(sum.atomics));
    if (count < 100)
        return;
    // the hostile network was in fact hostile
    EXPECT_GT(sum.lost, sum.packets / 100);
    EXPECT_GT(sum.trims, 0u);
    EXPECT_GT(sum.dups, 0u);
    EXPECT_GT(sum.resent, 0u);
    EXPECT_GT(sum.timeouts, 0u);
    EXPECT_GT(sum.probes, 0u);
    EXPECT_GT(sum.fences, 0u);
    EXPECT_GT(sum.held, 0u);
    EXPECT_GT(sum.waits, 0u);
    EXPECT_GT(sum.starved, 0u);
    EXPECT_EQ(sum.underWay, 16u);
}

/*
 * One end asks for something that the other end refuses. All that it has asked for before
 * completes, with its responses, and that request fails.
 */
TEST(ReadSim, ABadKeyFailsItsRequestAndNoEarlierOne)
{
    const std::uint64_t count = seeds(200);
    const ReadSimReport sum = runs(count, [](std::uint64_t seed) {
        ReadSimConfig c = randomConfig(seed);
        ReadSimEnd &end = c.end[seed % 2];
        end.requests += 20;
        end.bad = static_cast<int>(seed % static_cast<std::uint64_t>(end.requests));
        return c;
    });
    EXPECT_EQ(sum.naks, count);
    EXPECT_GT(sum.nakWaits, 0u);
}

/*
 * One end's program ends the QP. The other end learns that, if it still waits for anything, and
 * nothing completes there that was not executed.
 */
TEST(ReadSim, AnEndThatClosesIsNotWaitedFor)
{
    const ReadSimReport sum = runs(seeds(400), [](std::uint64_t seed) {
        ReadSimConfig c = randomConfig(seed);
        c.end[seed % 2].closesNs = 1 + seed * 7919 % 3000000;
        c.answerNs = seed % 4 ? 1000000 : 0;
        return c;
    });
    EXPECT_GT(sum.ends, 0u);
}

/* Numbers of packets and messages wrap while READs and responses are under way, at both ends. */
TEST(ReadSim, NumbersWrap)
{
    const ReadSimReport sum = runs(seeds(100), [](std::uint64_t seed) {
        ReadSimConfig c = randomConfig(seed);
        for (ReadSimEnd &end : c.end) {
            end.requests = 60;
            end.psn = static_cast<std::uint32_t>(0xffffff - seed % 50);
            end.msn = static_cast<std::uint16_t>(0xffff - seed / 7 % 50);
        }
        return c;
    });
    EXPECT_EQ(sum.underWay, 16u);
}

/*
 * A program that posts no receive while one of its READs is open. Responses must pass SENDs and
 * WriteImms of the other end that wait for the receive, also more responses than there are slots.
 */
TEST(ReadSim, AResponseDoesNotWaitForAReceive)
{
    const ReadSimReport sum = runs(seeds(200), [](std::uint64_t seed) {
        ReadSimConfig c = randomConfig(seed);
        c.end[seed % 2].readsFirst = true;
        for (ReadSimEnd &end : c.end)
            end.requests = 40;
        c.mix = {1, 2, 2, 3, 1, 1};
        c.maxPackets = 1;
        c.receives = 1 + seed % 4;
        return c;
    });
    EXPECT_GT(sum.waits, 0u);
    EXPECT_GT(sum.starved, 0u);
}

/*
 * News of a WriteImm that waits for a receive comes when the WriteImm has been executed, but is not
 * complete, because an earlier READ is not.
 */
TEST(ReadSim, AWaitThatIsOverBeginsNotAgain)
{
    const ReadSimReport sum = runs(seeds(200), [](std::uint64_t seed) {
        ReadSimConfig c;
        c.mix = {0, 1, 0, 1, 0, 0};
        c.receives = 1;
        c.repostNs = 100000;
        c.loss = 0.05;
        c.jitterNs = 500000;
        c.copyNs = seed % 2 * 3000;
        c.rest = 0.1;
        c.restNs = 1000000;
        return c;
    });
    EXPECT_GT(sum.waits, 0u);
}

/*
 * The last packets in flight are behind a SEND that waits for a receive, and are trimmed. Only
 * probes can tell that the receive is there, if the answer that told it is lost.
 */
TEST(ReadSim, TrimsBehindASendThatWaits)
{
    const ReadSimReport sum = runs(seeds(200), [](std::uint64_t) {
        ReadSimConfig c;
        c.mix = {1, 0, 2, 1, 0, 0};
        c.maxPackets = 1;
        c.receives = 1;
        c.repostNs = 2000000;
        c.depth = 4;
        c.end[1].requests = 0;
        c.trimmed = 0.3;
        c.ctlLoss = 0.3;
        return c;
    });
    EXPECT_GT(sum.trims, 0u);
    EXPECT_GT(sum.starved, 0u);
}

/* Over a clean network nothing is sent twice, and nobody has to ask. */
TEST(ReadSim, NothingIsAskedForOverACleanNetwork)
{
    const auto config = [](std::uint64_t seed) {
        return ReadSimConfig{.end = {{.readsMax = 1 + static_cast<std::uint32_t>(seed % 16)}, {}},
                             .skewNs = 0,
                             .jitterNs = 0};
    };
    runs(50, config, [](const ReadSimReport &r) {
        EXPECT_EQ(r.resent, 0u);
        EXPECT_EQ(r.probes, 0u);
        EXPECT_EQ(r.timeouts, 0u);
        EXPECT_LE(r.elapsedNs, 50u * 40000) << "at most a round trip for a request";
    });
}
