// SPDX-License-Identifier: GPL-2.0-only
#include "scenario.h"

#include <fstream>

#include <gtest/gtest.h>

#include "matrix_file.h"

using namespace mrcsim;

namespace
{

constexpr const char *small = R"([fabric]
planes = 2
generate = { endpoints = 8, t0-down = 4, t0-up = 4 }
[[traffic]]
kind = "permutation"
)";

/** "LINE: TEXT" of the first complaint, or nothing. */
std::string refusal(const std::string &text, const std::vector<Override> &overrides = {})
{
    const ScenarioResult result = read_scenario(text, ".", overrides);

    EXPECT_NE(result.scenario.has_value(), !result.complaints.empty());
    if (result.complaints.empty())
        return "";
    return std::to_string(result.complaints[0].line) + ": " + result.complaints[0].text;
}

std::string refusal_with(const std::string &more)
{
    return refusal(small + more);
}

TEST(Scenario, HasDefaults)
{
    const ScenarioResult result = read_scenario(small, ".", {});

    ASSERT_TRUE(result.scenario);
    EXPECT_EQ(result.scenario->link.mbps, 100'000u);
    EXPECT_EQ(result.scenario->link.delay, 500'000u);
    EXPECT_EQ(result.scenario->queue.mark_from, 200'000u);
    EXPECT_EQ(result.scenario->transport.mpr, 1024u);
    EXPECT_EQ(*result.scenario->run.from, result.scenario->run.end / 3);
    EXPECT_TRUE(result.scenario->transport.nscc);
    EXPECT_FALSE(result.scenario->transport.ecn_absent);
}

TEST(Scenario, IsReadInItsUnits)
{
    const ScenarioResult result = read_scenario(std::string(small) + R"([link]
gbps = 400
delay-ns = 1.5
[queue]
ecn = [0.1, 0.5]
trim = 0
[[fault]]
at-us = 10.5
until-us = 20
count = 3
state = "silent"
[expect]
goodput-min = 0.5
timeouts = 0
goodput-max = { max = 0.9, min = 0.1 }
)",
                                                ".", {});

    ASSERT_TRUE(result.scenario) << result.complaints[0].text;
    EXPECT_EQ(result.scenario->link.mbps, 400'000u);
    EXPECT_EQ(result.scenario->link.delay, 1500u);
    EXPECT_EQ(result.scenario->queue.mark_all, 500'000u);
    EXPECT_EQ(result.scenario->queue.trim, 0u);
    EXPECT_EQ(result.scenario->faults.at(0).at, 10'500'000u);
    EXPECT_TRUE(result.scenario->faults[0].dead);
    EXPECT_FALSE(result.scenario->faults[0].carrier);
    ASSERT_EQ(result.scenario->expect.size(), 4u);
}

TEST(Scenario, WhatIsWrongIsSaidWithLineAndKey)
{
    EXPECT_EQ(refusal(small), "");
    EXPECT_EQ(refusal_with("[link]\ngbps = \"fast\"\n"),
              "7: link: gbps: must be a number, not a string");
    EXPECT_EQ(refusal_with("[link]\nspeed = 1\n"), "7: link: unknown key 'speed'");
    EXPECT_EQ(refusal_with("[link]\ngbps = 0\n"), "7: link: gbps: must be 0.001 to 3200, not 0");
    EXPECT_EQ(refusal_with("[link]\ndelay-ns = nan\n"),
              "7: link: delay-ns: must be 1 to 1000000000, not nan");
    EXPECT_EQ(refusal_with("[run]\nseed = 1.5\n"),
              "7: run: seed: must be a whole number, not a number");
    EXPECT_EQ(refusal_with("[queue]\necn = [0.8, 0.2]\n"),
              "7: queue: ecn: the first must not be above the second");
    EXPECT_EQ(refusal_with("[queue]\necn = [0.8]\n"), "7: queue: ecn: must have two numbers");
    EXPECT_EQ(refusal_with("[transport]\ncc = \"dcqcn\"\n"),
              "7: transport: cc: must be one of none, uet-1.0-nscc, not 'dcqcn'");
    EXPECT_EQ(refusal_with("[transport]\nmpr = 1000\n"),
              "7: transport: mpr: must be a multiple of 128");
    EXPECT_EQ(refusal_with("[transport]\nevs = { per-destination = 3 }\n"),
              "7: transport.evs: per-destination: each plane must have the same number of EVs, and "
              "of spares");
    EXPECT_EQ(refusal_with("[transport]\nevs = { per-destination = 240 }\n"),
              "7: transport.evs: spares: the EVs in rotation and the spares are more than 256");
    EXPECT_EQ(refusal_with("[expect]\nhappiness = 1\n"),
              "7: expect: happiness: there is no such figure");
    EXPECT_EQ(refusal_with("[[fault]]\nlink = [0, 0]\nstate = \"down\"\n"),
              "7: fault: link: must be [PLANE, RACK, T1]");
    EXPECT_EQ(refusal_with("[[fault]]\nat-us = 1\n"),
              "6: fault: state: this fault changes nothing: give state, loss or slow");
    EXPECT_EQ(refusal_with("[[traffic]]\nkind = \"incast\"\nsenders = 8\n"),
              "8: traffic: senders: needs 9 hosts, but there are 8");
    EXPECT_EQ(refusal_with("[[traffic]]\nkind = \"matrix\"\nflows = [[1, 1]]\n"),
              "8: traffic: flows: must be lists of two different hosts, 0 to 7");
    EXPECT_EQ(refusal_with("x = \n").substr(0, 3), "6: ");
    EXPECT_EQ(refusal("[fabric]\n"), "1: traffic: is missing");
}

TEST(Scenario, TheCommandLineChangesIt)
{
    const ScenarioResult result = read_scenario(small, ".",
                                                {{"run.seed", "9"},
                                                 {"transport.cc", "none"},
                                                 {"transport.ecn", "absent"},
                                                 {"traffic.0.qps", "3"}});

    ASSERT_TRUE(result.scenario);
    EXPECT_EQ(result.scenario->run.seed, 9u);
    EXPECT_FALSE(result.scenario->transport.nscc);
    EXPECT_TRUE(result.scenario->transport.ecn_absent);
    EXPECT_EQ(result.scenario->traffic[0].qps, 3u);
    EXPECT_EQ(refusal(small, {{"run.sed", "9"}}), "0: run: unknown key 'sed'");
    EXPECT_EQ(refusal(small, {{"traffic.7.qps", "9"}}),
              "0: --set traffic.7.qps: there is no such key");
    EXPECT_EQ(refusal(small, {{"traffic.x", "9"}}), "0: --set traffic.x: there is no such key");
}

TEST(MatrixFile, HasAFlowALine)
{
    const MatrixResult result =
        read_matrix("Nodes 4\nConnections 2\n# two\n0->1 id 1 start 7 size 100\n3->2 size 5\n", 4);

    ASSERT_EQ(result.flows.size(), 2u);
    EXPECT_TRUE(result.complaints.empty());
    EXPECT_EQ(result.flows[0].start, 7u);
    EXPECT_EQ(result.flows[1].source, 3u);
    EXPECT_EQ(result.flows[1].bytes, 5u);
}

TEST(MatrixFile, WhatIsWrongIsSaidWithItsLine)
{
    const auto wrong = [](const std::string &line) {
        const MatrixResult result = read_matrix("\n" + line + "\n", 4);
        return result.complaints.empty()
                   ? ""
                   : std::to_string(result.complaints[0].line) + ": " + result.complaints[0].text;
    };

    EXPECT_EQ(wrong("0->4 size 1"), "2: hosts are 0 to 3");
    EXPECT_EQ(wrong("1->1 size 1"), "2: a host sends to itself");
    EXPECT_EQ(wrong("0->1 size x"), "2: size must be a whole number, not 'x'");
    EXPECT_EQ(wrong("0->1 speed 1"), "2: unknown word 'speed'");
    EXPECT_EQ(wrong("0->1"), "2: size is missing, or 0");
    EXPECT_EQ(wrong("0->1 size"), "2: size has no value");
    EXPECT_EQ(wrong("hello"), "2: must be 'A->B start T size S', 'Nodes N' or 'Connections N'");
    EXPECT_EQ(wrong(""), "0: has no connection");
}

} // namespace
