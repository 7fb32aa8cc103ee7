// SPDX-License-Identifier: GPL-2.0-only
//
// What is said when faults come and go: once each, with what it is about.

#include <gtest/gtest.h>

#include "daemon_rig.h"
#include "watch/decision_log.h"

namespace mrcd::test::decision_log_test
{
namespace
{

using Lines = std::vector<std::string>;
using Fields = std::map<std::string, std::string>;
using Kind = Element::Kind;

/** The log of h1 in small_file, whose file denies the first T1 of plane 2. */
struct Rig {
    LogLines log;
    uint64_t now = 1000;
    DecisionLog decisions{log, [this] { return now; }};
    std::vector<Fault> faults;
    Fabric fabric;

    explicit Rig(const std::string &file = small_file) { look_at(file); }

    void look_at(const std::string &file)
    {
        fabric = fabric_of(file);
        decisions.look_at(fabric);
    }
    void update(bool certain = true)
    {
        decisions.update(faults, certain,
                         [](const Finding &) { return std::string("it answers"); });
    }
    Lines said(bool certain = true)
    {
        update(certain);
        return log.take();
    }
    Fault fault(Kind kind, uint8_t plane, uint32_t t1, bool denied = true) const
    {
        const bool narrow = kind == Kind::t1 || kind == Kind::trunk;
        const uint32_t t0 = kind == Kind::t1 ? 0 : own_t0(fabric, plane);
        return {.finding = {{kind, plane, t0, narrow ? t1 : 0}, "it is dead"}, .denied = denied};
    }
};

/** The EVs of small_file's plan for which a predicate holds, as in "258:0,2 259:1". */
std::string evs(const std::string &file, const std::function<bool(const PlannedEv &)> &wanted)
{
    EvChange change;
    Log::Fields fields;

    for (const PlannedEv &ev : planned_evs(fabric_of(file)))
        if (wanted(ev))
            change.denied[ev.profile].push_back(ev.index);
    add_fields(fields, change);
    return fields.empty() ? "" : fields[0].second;
}

TEST(DecisionLog, SaysEachDecisionOnceWithAllFields)
{
    Rig rig;
    const std::string of_plane_2 =
        evs(small_file, [](const PlannedEv &ev) { return ev.port == 2 && !ev.path.denied; });

    ASSERT_NE(of_plane_2, "");
    rig.faults = {rig.fault(Kind::host_link, 2, 0)};
    EXPECT_EQ(rig.said(), Lines{"h1-p2t0r1 is denied: it is dead (1 EV of 1 profile denied)"})
        << "the file denies the other ones";
    EXPECT_EQ(rig.log.fields, (Fields{{"DEVICE", "mrc0"},
                                      {"ELEMENT", "h1-p2t0r1"},
                                      {"KIND", "host-link"},
                                      {"PLANE", "2"},
                                      {"CAUSE", "silence"},
                                      {"VERDICT", "denied"},
                                      {"EVIDENCE", "it is dead"},
                                      {"EVS_DENIED", of_plane_2}}));
    EXPECT_EQ(rig.said(), Lines());
    rig.faults.clear();
    EXPECT_EQ(rig.said(),
              Lines{"h1-p2t0r1 is allowed again: it answers (1 EV of 1 profile allowed)"});
    EXPECT_EQ(rig.log.fields, (Fields{{"DEVICE", "mrc0"},
                                      {"ELEMENT", "h1-p2t0r1"},
                                      {"KIND", "host-link"},
                                      {"PLANE", "2"},
                                      {"CAUSE", "silence"},
                                      {"VERDICT", "allowed"},
                                      {"EVIDENCE", "it answers"},
                                      {"EVS_ALLOWED", of_plane_2}}));
    EXPECT_EQ(rig.said(), Lines());
    ASSERT_EQ(rig.decisions.decisions().size(), 2u);
    EXPECT_EQ(rig.decisions.decisions()[0].time_ns, 1000u);
}

/** The element was denied before, for another reason. */
TEST(DecisionLog, AnotherCauseIsADecision)
{
    Rig rig;

    rig.faults = {rig.fault(Kind::trunk, 1, 0)};
    rig.faults[0].finding.cause = Cause::mtu;
    rig.faults[0].finding.evidence = "passes 76 bytes, loses 4228";
    ASSERT_EQ(rig.said(), Lines{"p1t0r1-p1t1s1 is denied: passes 76 bytes, loses 4228 "
                                "(1 EV of 1 profile denied)"});
    EXPECT_EQ(rig.log.fields.at("CAUSE"), "mtu");
    rig.faults = {rig.fault(Kind::trunk, 1, 0)};
    EXPECT_EQ(rig.said(), Lines{"p1t0r1-p1t1s1 is denied: it is dead"});
    EXPECT_EQ(rig.log.fields.at("CAUSE"), "silence");
    rig.faults.clear();
    EXPECT_EQ(rig.said(),
              Lines{"p1t0r1-p1t1s1 is allowed again: it answers (1 EV of 1 profile allowed)"});
}

TEST(DecisionLog, WhatTheFloorKeepsChangesNoEv)
{
    Rig rig;

    rig.faults = {rig.fault(Kind::t1, 1, 0, false)};
    EXPECT_EQ(
        rig.said(),
        Lines{"p1t1s1 is not denied, because too few planes or T1s would be left: it is dead"});
    EXPECT_EQ(rig.log.fields.at("VERDICT"), "not-denied");
    EXPECT_FALSE(rig.log.fields.contains("EVS_DENIED"));
    rig.faults[0].denied = true;
    EXPECT_EQ(rig.said(), Lines{"p1t1s1 is denied: it is dead (1 EV of 1 profile denied)"});
    rig.faults[0].denied = false;
    EXPECT_EQ(rig.said(),
              Lines{"p1t1s1 is not denied, because too few planes or T1s would be left: it is dead "
                    "(1 EV of 1 profile allowed)"});
    rig.faults.clear();
    EXPECT_EQ(rig.said(), Lines{"p1t1s1 is no longer a fault: it answers"});
    EXPECT_EQ(rig.log.fields.at("VERDICT"), "over");
}

/** The log must not say that an element is allowed while it is denied. */
TEST(DecisionLog, OneFaultTakesThePlaceOfAnotherOne)
{
    Rig rig;

    rig.faults = {rig.fault(Kind::t1, 1, 0)};
    rig.update();
    rig.log.take();
    rig.faults = {rig.fault(Kind::t0, 1, 0)};
    const Lines said = rig.said();
    ASSERT_EQ(said.size(), 2u);
    EXPECT_TRUE(said[0].starts_with("p1t0r1 is denied: it is dead (")) << said[0];
    EXPECT_EQ(said[1], "p1t1s1 is no longer a fault: p1t0r1 explains it");
    EXPECT_FALSE(rig.log.fields.contains("EVS_ALLOWED"));
    rig.faults.clear();
    EXPECT_EQ(rig.said().size(), 1u);
    EXPECT_TRUE(rig.log.fields.contains("EVS_ALLOWED"));
}

/** The elements have other indices in the new file. */
TEST(DecisionLog, AFileThatIsReadAnewRepeatsNothing)
{
    const std::string more =
        with(with(small_file, "[t1]\n", "[t1]\nnew = { plane = 1, usid = 7 }\n"), "[t0]\n",
             "[t0]\np1t0r3 = { plane = 1, rack = \"r3\", usid = 8 }\n"
             "p2t0r3 = { plane = 2, rack = \"r3\", usid = 9 }\n");
    Rig rig;

    rig.faults = {rig.fault(Kind::t1, 1, 0), rig.fault(Kind::host_link, 2, 0, false)};
    EXPECT_EQ(rig.said().size(), 2u);
    rig.look_at(more);
    rig.faults.clear();
    EXPECT_EQ(rig.said(false), Lines()) << "it may be found again";
    const Fault first = rig.fault(Kind::t1, 1, 1);
    ASSERT_EQ(to_string(rig.fabric, first.finding.element), "p1t1s1");
    rig.faults = {first};
    EXPECT_EQ(rig.said(false), Lines());
    rig.faults.push_back(rig.fault(Kind::t1, 2, 3));
    EXPECT_EQ(rig.said(false).size(), 1u) << "this one is new";
    EXPECT_EQ(rig.said(true), Lines{"h1-p2t0r1 is no longer a fault: it answers"});
    EXPECT_EQ(rig.said(true), Lines());
    rig.faults.clear();
    EXPECT_EQ(rig.said(true).size(), 2u);
}

TEST(DecisionLog, WhatTheFileHasNoMoreIsOver)
{
    Rig rig(with(small_file, "[[\"p1t0r1\", \"p1t1s2\"]]", "[[\"p1t0r1\", \"p1t1s1\"]]"));

    rig.faults = {rig.fault(Kind::trunk, 1, 1)};
    EXPECT_EQ(rig.said().size(), 1u);
    rig.look_at(small_file);
    const Lines said = rig.log.take();
    ASSERT_EQ(said.size(), 1u);
    EXPECT_TRUE(said[0].starts_with("p1t0r1-p1t1s2 is allowed again: the file no longer has it"))
        << said[0];
    rig.faults.clear();
    EXPECT_EQ(rig.said(), Lines());
}

TEST(DecisionLog, KeepsTheLastOnes)
{
    Rig rig;

    for (size_t i = 0; i < DecisionLog::kept; i++) {
        rig.faults = {rig.fault(Kind::t1, 1, 0)};
        rig.update();
        rig.faults.clear();
        rig.now++;
        rig.update();
    }
    EXPECT_EQ(rig.decisions.decisions().size(), DecisionLog::kept);
    EXPECT_EQ(rig.decisions.decisions().back().time_ns, rig.now);
}

TEST(EvChange, InFewWords)
{
    Log::Fields fields;

    EXPECT_EQ(to_string(EvChange{}), "");
    EXPECT_EQ(to_string(EvChange{{{7, {1}}}, {{7, {0, 2}}, {8, {5}}}}),
              "1 EV of 1 profile denied, 3 EVs of 2 profiles allowed");
    add_fields(fields, {{}, {{7, {0, 2}}, {8, {5}}}});
    EXPECT_EQ(fields, (Log::Fields{{"EVS_ALLOWED", "7:0,2 8:5"}}));
}

} // namespace
} // namespace mrcd::test::decision_log_test
