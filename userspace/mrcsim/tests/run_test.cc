// SPDX-License-Identifier: GPL-2.0-only
#include <gtest/gtest.h>

#include "drive_local.h"
#include "report.h"
#include "requester.h"
#include "responder.h"

using namespace mrcsim;

namespace
{

constexpr const char *eight_racks = R"([fabric]
planes = 2
generate = { endpoints = 16, t0-down = 2, t0-up = 4 }
[transport]
evs = { per-destination = 8, spares = 4, min-active = 2 }
[[traffic]]
kind = "permutation"
[[traffic]]
kind = "incast"
senders = 10
[run]
us = 60
)";

struct Ran {
    std::unique_ptr<Network> network;
    std::unique_ptr<LocalDriver> driver;
    Stats stats;
    std::unique_ptr<Report> report;

    double figure(const std::string &name) const { return report->figures().at(name); }
};

Ran run(const std::string &text, uint32_t cells = 1, uint32_t threads = 1)
{
    const ScenarioResult result = read_scenario(text, ".", {});
    Ran ran;

    if (!result.scenario)
        throw std::runtime_error(result.complaints[0].text);
    ran.network = std::make_unique<Network>(*result.scenario, cells);
    ran.driver = std::make_unique<LocalDriver>(*ran.network, threads);
    ran.driver->run({});
    ran.stats = ran.driver->stats();
    ran.report = std::make_unique<Report>(*ran.network, ran.stats, Cost{1, 1, 1});
    return ran;
}

/** Mean bytes of the samples from @p from to @p to, the last excluded. */
uint64_t mean_of(const Ran &ran, size_t from, size_t to)
{
    uint64_t bytes = 0;

    for (size_t i = from; i < to; i++)
        bytes += ran.stats.samples[i].bytes;
    return bytes / (to - from);
}

const std::string with_faults = std::string(eight_racks) + R"([[fault]]
at-us = 10
count = 4
loss = 0.05
[[fault]]
at-us = 20
tier = "host-t0"
count = 2
state = "down"
until-us = 40
)";

TEST(Run, IsTheSameHoweverItIsDivided)
{
    const uint64_t digest = run(with_faults).report->digest();
    const uint64_t hops = run(with_faults).stats.hops;

    EXPECT_GT(run(with_faults).figure("trimmed-share"), 0);
    for (const uint32_t cells : {1u, 2u, 3u, 4u, 8u})
        for (const uint32_t threads : {1u, 2u}) {
            const Ran ran = run(with_faults, cells, threads);
            EXPECT_EQ(ran.report->digest(), digest) << cells << " cells, " << threads << " threads";
            EXPECT_EQ(ran.stats.hops, hops);
        }
    EXPECT_NE(run(with_faults + "[expect]\n").report->digest(), 0u);
    std::string other = with_faults;
    other.replace(other.find("us = 60"), 7, "us = 60\nseed = 2");
    EXPECT_NE(run(other).report->digest(), digest);
}

constexpr const char *two_hosts = R"([fabric]
planes = 2
generate = { endpoints = 2, t0-down = 1, t0-up = 4 }
[transport]
evs = { per-destination = 8, spares = 0, min-active = 1 }
[run]
us = 400
from-us = 0
[[traffic]]
kind = "matrix"
flows = [[0, 1]]
)";

TEST(Run, AllBytesArriveOnceAndNothingIsLostOnAnEmptyFabric)
{
    const Ran ran = run(std::string(two_hosts) + "bytes = 4194305\n");
    const auto &arrived = *ran.network->responders[0];

    EXPECT_EQ(arrived.bytes(), 4'194'305u);
    EXPECT_EQ(ran.figure("completed"), 1);
    EXPECT_EQ(ran.figure("again"), 0);
    EXPECT_EQ(ran.figure("timeouts"), 0);
    EXPECT_EQ(ran.stats.data, 1025u);
    EXPECT_EQ(ran.stats.hops, 4 * ran.stats.packets) << "four links each";
    // 1,025 packets over two planes, and one round trip
    const double ideal = 1024 * 0.34064 / 2 + ran.network->derived.base_rtt_ns / 1000.0;
    EXPECT_NEAR(ran.figure("completion-max-us"), ideal, 0.05 * ideal);
}

TEST(Run, AllBytesArriveThoughPacketsAreLost)
{
    const Ran ran =
        run(std::string(two_hosts) + "bytes = 4194304\n[[fault]]\ncount = 8\nloss = 0.02\n");

    EXPECT_EQ(ran.network->responders[0]->bytes(), 4'194'304u);
    EXPECT_EQ(ran.figure("completed"), 1);
    EXPECT_GT(ran.stats.dropped[static_cast<size_t>(Drop::loss)], 5u);
    EXPECT_GE(ran.stats.again, 5u) << "SACKs are lost, too";
    EXPECT_LT(ran.stats.again, 40u);
}

TEST(Run, ADeadLinksEvsAreBadAndCarryNoMore)
{
    const Ran ran = run(std::string(two_hosts) +
                        "[[fault]]\nat-us = 50\nlink = [0, 0, 1]\nstate = \"silent\"\n");

    EXPECT_GE(ran.figure("evs-bad-end"), 1);
    EXPECT_GT(ran.stats.dropped[static_cast<size_t>(Drop::link)], 0u);
    // what is sent in two round trips on one EV of eight, and then probes
    EXPECT_LT(ran.stats.dropped[static_cast<size_t>(Drop::link)], 60u);
    EXPECT_GT(ran.figure("goodput-mean"), 0.9) << "the other ways have room";
}

TEST(Run, AHostsLinkThatIsDownCostsItsPlane)
{
    const Ran ran = run(std::string(two_hosts) + "[[fault]]\nat-us = 100\ntier = \"host-t0\"\n"
                                                 "link = [1, 0]\nstate = \"down\"\n");
    const auto before = static_cast<double>(mean_of(ran, 10, 24));

    EXPECT_NEAR(static_cast<double>(mean_of(ran, 60, 100)) / before, 0.5, 0.03);
    EXPECT_EQ(ran.figure("failed"), 0);
    EXPECT_EQ(ran.figure("evs-bad-end"), 0)
        << "no EV is blamed for a port that is known to be down";
}

TEST(Run, ASlowLinkCarriesItsPartWhileItIsSlow)
{
    std::string text = two_hosts;

    text.replace(text.find("planes = 2"), 10, "planes = 1");
    const Ran ran = run(text + "[[fault]]\nat-us = 100\nuntil-us = 300\ntier = \"host-t0\"\n"
                               "link = [0, 1]\nslow = 0.5\n");
    const auto whole = static_cast<double>(mean_of(ran, 10, 24));

    EXPECT_NEAR(static_cast<double>(mean_of(ran, 30, 74)) / whole, 0.5, 0.02);
    EXPECT_NEAR(static_cast<double>(mean_of(ran, 90, 100)) / whole, 1, 0.02);
    EXPECT_EQ(ran.figure("evs-bad-max"), 0) << "a slow link is no dead one";
    EXPECT_EQ(ran.figure("timeouts"), 0);
}

/**
 * The path through the slow link is skipped for longer each time that a packet on it is marked. The
 * three other paths have room for the rest. The slow path stays in use, because it loses nothing.
 */
TEST(Run, ASlowLinkBetweenSwitchesIsAvoided)
{
    const Ran ran = run(std::string(two_hosts) + "[[fault]]\nlink = [0, 0, 1]\nslow = 0.1\n");

    EXPECT_GT(ran.figure("goodput-mean"), 0.9);
    EXPECT_EQ(ran.figure("evs-bad-max"), 0);
    EXPECT_GT(ran.figure("marked-share"), 0);
    EXPECT_EQ(ran.figure("timeouts"), 0);
}

/**
 * Without marks NSCC goes by delay, both when it is told that there are no marks and when it sees
 * none.
 *
 */
TEST(Run, DelayIsTakenForAMark)
{
    std::string text = std::string(eight_racks) + "[queue]\necn = [0, 0]\n";
    text.replace(text.find("us = 60"), 7, "us = 400");
    const Ran present = run(text);
    text.replace(text.find("[transport]"), 11, "[transport]\necn = \"absent\"");
    const Ran absent = run(text);

    EXPECT_LT(present.figure("trimmed-share"), 0.01);
    EXPECT_LT(absent.figure("trimmed-share"), 0.01);
}

TEST(Run, AnIncastIsTrimmedAndTold)
{
    const Ran ran = run(std::string(eight_racks) + "[queue]\necn = [0, 0]\n");

    EXPECT_GT(ran.figure("trimmed-share"), 0.01);
    EXPECT_GT(ran.stats.trimmed[static_cast<size_t>(Tier::t0_down)], 10u);
    EXPECT_EQ(ran.stats.trimmed[static_cast<size_t>(Tier::host_up)], 0u);
    EXPECT_EQ(ran.figure("marked-share"), 0);
    uint64_t told = 0;
    for (const Requester *requester : ran.network->requesters)
        told += requester->counts().trims;
    EXPECT_GT(told, 10u);
}

TEST(Run, PacedFlowsOfferTheirLoad)
{
    std::string text = two_hosts;

    text.replace(text.find("[transport]"), 11, "[transport]\nmessage-bytes = 65536");
    const Ran ran = run(text + "load = 0.5\n");
    EXPECT_NEAR(ran.figure("goodput-mean"), 0.5, 0.02);
}

TEST(Run, SoftwareIsSlowerToAnswerAndSendsBursts)
{
    std::string text = two_hosts;

    text.replace(text.find("[transport]"), 11, "[transport]\ntiming = \"software\"");
    const Ran ran = run(text + "bytes = 1048576\n");
    EXPECT_EQ(ran.figure("completed"), 1);
    EXPECT_LT(ran.stats.packets - ran.stats.data, ran.stats.data / 4) << "answers are fewer";
}

TEST(Run, PacketsThatAreHeldBackAreAnsweredTogether)
{
    std::string text = two_hosts;

    text.replace(text.find("[transport]"), 11, "[transport]\nrx-batch = 8");
    const Ran ran = run(text + "bytes = 1048576\n");
    EXPECT_EQ(ran.figure("completed"), 1);
    EXPECT_LT(ran.stats.packets - ran.stats.data, ran.stats.data / 4);
}

TEST(Run, WhatIsNotAsExpectedIsTold)
{
    const Ran ran = run(std::string(two_hosts) +
                        "bytes = 1048576\n[expect]\ngoodput-min = 1.5\ntimeouts = 0\n");

    ASSERT_EQ(ran.report->missed().size(), 1u);
    EXPECT_TRUE(ran.report->missed()[0].starts_with("goodput-min is 0."));
    EXPECT_TRUE(ran.report->missed()[0].ends_with(", not 1.5 or more"));
    EXPECT_EQ(ran.report->json()["missed"].size(), 1u);
    EXPECT_EQ(ran.report->json()["flows"].size(), 1u);
}

} // namespace
