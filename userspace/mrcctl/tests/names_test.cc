// SPDX-License-Identifier: GPL-2.0-only
/* Tests names from an mrcd's answer, which any program may have sent. */
#include "names.h"

#include <sstream>

#include <gtest/gtest.h>

#include "fake_kernel.h"

namespace mrcctl::names_test
{
namespace
{

using namespace mrcnl;
using test::Runner;

constexpr const char sample[] =
    R"({"version":1,"block":"fcbb:bb00::","ev-profile":{"311783503343485":"r2","7":"r1"},)"
    R"("host":{"fd00::2":"h2"},"switch":{"257":"p1t0r1","385":"p1t1s1"}})";

std::string joined(const std::vector<std::string> &names)
{
    std::string text;

    for (const std::string &name : names)
        text += name + " ";
    return text;
}

Address address(const char *text)
{
    return *Address::parse(text);
}

TEST(Names, AreThoseOfTheAnswer)
{
    const auto names = Names::parse(sample);

    ASSERT_TRUE(names);
    EXPECT_EQ(names->ev_profile(311783503343485), "r2");
    EXPECT_EQ(names->ev_profile(8), "");
    EXPECT_TRUE(names->plans(7));
    EXPECT_FALSE(names->plans(8));
    EXPECT_EQ(names->host(address("fd00::2")), "h2");
    EXPECT_EQ(names->host(address("fd00::3")), "");
    EXPECT_EQ(names->ev_profile_of("r1"), 7u);
    EXPECT_FALSE(names->ev_profile_of("r3"));
    EXPECT_EQ(names->gid_of("h2"), address("fd00::2"));
    EXPECT_FALSE(names->gid_of("r1"));
}

TEST(Names, SwitchesInTravelOrderAsFarAsKnown)
{
    const auto names = Names::parse(sample);

    ASSERT_TRUE(names);
    EXPECT_EQ(joined(names->switches(address("fcbb:bb00:101:181:101:f002::"))),
              "p1t0r1 p1t1s1 p1t0r1 ");
    EXPECT_EQ(joined(names->switches(address("fcbb:bb00:181:999:101::"))), "p1t1s1 ");
    EXPECT_EQ(joined(names->switches(address("fcbb:bb01:101::"))), "");
    EXPECT_EQ(joined(names->switches(address("fcbb:bb00:101:101:101:101:101:101"))),
              "p1t0r1 p1t0r1 p1t0r1 p1t0r1 p1t0r1 p1t0r1 ");
}

TEST(Names, OtherAnswersAreNone)
{
    for (const char *answer : {"", "mrcd: no such request", "[]", "7", R"({"version":2})",
                               R"({"version":"1"})", "{}", R"({"version":1)"})
        EXPECT_FALSE(Names::parse(answer)) << answer;
}

TEST(Names, WhatMakesNoSenseIsLeftOut)
{
    const auto names = Names::parse(
        R"({"version":1,"block":7,"ev-profile":{"1":"two words","2":"22","3":7,"x":"r",)"
        R"("4":"","5":"\u001b[31m","6":"r6","99999999999999999999999":"r9"},)"
        R"("host":["h"],"switch":{"65536":"s","-1":"s","257":"s1"}})");

    ASSERT_TRUE(names);
    for (uint64_t id = 1; id <= 5; id++) {
        EXPECT_EQ(names->ev_profile(id), "") << id;
        EXPECT_TRUE(names->plans(id)) << id;
    }
    EXPECT_EQ(names->ev_profile(6), "r6");
    EXPECT_EQ(joined(names->switches(address("0:0:101::"))), "s1 ");
    const auto other = Names::parse(R"({"version":1,"ev-profile":"r1","switch":7})");
    ASSERT_TRUE(other);
    EXPECT_FALSE(other->plans(1));
}

/** A device with an mrcd. */
struct NamesTest : testing::Test {
    Runner run;
    unsigned asked = 0;
    uint64_t time = 0;

    NamesTest()
    {
        run.kernel.device_list.resize(1);
        run.kernel.device_list[0].device = {1, "mrc0"};
        run.context.now = [this] { return time; };
        answer(sample);
    }

    void answer(const std::string &text)
    {
        run.context.daemon = [this, text](const std::string &, const std::string &request) {
            EXPECT_EQ(request, "names");
            asked++;
            return Result<std::string>(text);
        };
    }

    std::string change(const std::string &line)
    {
        run.kernel.changes.clear();
        run.warnings.clear();
        run(line);
        return run.kernel.changes.at(0);
    }
};

TEST_F(NamesTest, StandForNumbersOnTheCommandLine)
{
    EXPECT_EQ(change("ev-profile del mrc0 r2"), "ev-profile-del mrc0 311783503343485");
    EXPECT_EQ(change("route add mrc0 fd00::2 ev-profile r1"),
              "route-add mrc0 fd00::2/128 7 0 0 by admin");
    run.kernel.probe_answer.results = {{0, 1, 1000, 1}};
    EXPECT_EQ(change("probe mrc0 remote h2 ev-profile r1"), "probe mrc0 fd00::2 ev-profile 7");
    EXPECT_EQ(run("peer show remote h2"), "");
    EXPECT_EQ(run("qp show remote h2 ev-profile r2"), "");
    EXPECT_EQ(run.usage("peer show remote h9"),
              "peer show: remote: 'h9' is neither an IPv6 address nor a host that mrcd knows");
    EXPECT_EQ(run.usage("ev show mrc0 ev-profile r9"),
              "ev show: ev-profile: 'r9' is not a number, an alias, or a name that mrcd knows");
}

TEST_F(NamesTest, AreAskedForAgainAfterAWhile)
{
    run.context.names("mrc0");
    time += 9'000'000'000;
    EXPECT_EQ(run.context.names("mrc0").host(address("fd00::2")), "h2");
    EXPECT_EQ(asked, 1u);
    time += 2'000'000'000;
    answer(R"({"version":1,"host":{"fd00::2":"other"}})");
    EXPECT_EQ(run.context.names("mrc0").host(address("fd00::2")), "other");
    EXPECT_EQ(asked, 2u);
}

TEST_F(NamesTest, NobodyIsAskedWhereNumbersAreWanted)
{
    Runner numeric({.numeric = true});
    bool asked = false;

    numeric.context.daemon = [&](const std::string &, const std::string &) {
        asked = true;
        return Result<std::string>(std::string(sample));
    };
    EXPECT_EQ(numeric.context.names("mrc0").host(address("fd00::2")), "");
    EXPECT_FALSE(asked);
}

TEST_F(NamesTest, WhoDeniesIsToldWhatMrcdMakesOfIt)
{
    change("ev deny mrc0 ev-profile 7 index 3");
    EXPECT_EQ(joined(run.warnings),
              "mrcd looks after mrc0 and will allow this EV again, unless mrcd itself denies "
              "the EV; to keep a path out of use, name its switch or link in mrcd's file, under "
              "[deny] ");
    change("ev allow mrc0 ev-profile r1 index 3");
    EXPECT_EQ(joined(run.warnings), "mrcd looks after mrc0 and will deny this EV again, if "
                                    "mrcd's file or its probes say so ");
    change("ev deny mrc0 ev-profile 8 index 3");
    EXPECT_EQ(joined(run.warnings), "mrcd looks after mrc0 and does not plan this EV profile: "
                                    "the EV stays denied ");
    change("plane set mrc0 port 1 down");
    EXPECT_EQ(joined(run.warnings), "mrcd looks after mrc0 and leaves the plane down until "
                                    "you set it up ");
    change("plane set mrc0 port 1 up");
    EXPECT_EQ(joined(run.warnings), "");
}

TEST_F(NamesTest, WhoChangesAListIsToldThatMrcdMakesItAnew)
{
    for (const char *how :
         {"add mrc0 ev-profile %s port 2 sid fc00::1", "del mrc0 ev-profile %s index 3",
          "replace mrc0 ev-profile %s index 3 port 2 sid fc00::1"}) {
        std::string line = std::string("ev ") + how;
        const size_t at = line.find("%s");

        change(line.replace(at, 2, "r1"));
        EXPECT_EQ(joined(run.warnings), "mrcd looks after mrc0 and will replace this EV profile, "
                                        "if mrcd's plan has it ")
            << line;
        change(line.replace(at, 2, "8"));
        EXPECT_EQ(joined(run.warnings), "") << line;
    }
}

TEST_F(NamesTest, AnMrcdWithoutNamesUndoesAllTheSame)
{
    answer("mrcd: no such request");
    change("ev deny mrc0 ev-profile 7 index 3");
    EXPECT_EQ(run.warnings.size(), 1u);
}

TEST_F(NamesTest, WithoutMrcdNobodyIsWarned)
{
    Runner alone;

    alone("ev deny mrc0 ev-profile 7 index 3");
    alone("plane set mrc0 port 1 down");
    EXPECT_TRUE(alone.warnings.empty());
    alone.kernel.refuse = Error{EPERM, "", {}};
    run.kernel.refuse = Error{EPERM, "", {}};
    EXPECT_THROW(run("ev deny mrc0 ev-profile 7 index 3"), Failure);
    EXPECT_THROW(run("plane set mrc0 port 1 down"), Failure);
    EXPECT_TRUE(run.warnings.empty());
}

} // namespace
} // namespace mrcctl::names_test
