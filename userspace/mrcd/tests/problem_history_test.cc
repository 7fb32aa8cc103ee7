// SPDX-License-Identifier: GPL-2.0-only
//
// Since when something is wrong, and what is logged of it.

#include "report/problem_history.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "daemon_rig.h"
#include "host/state_file.h"

namespace mrcd::test::problem_history_test
{
namespace
{

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

constexpr uint64_t second = 1'000'000'000;

std::vector<Problem> problems()
{
    return {{ProblemKind::plane, 1, "plane 1 is set down", "by hand", "mend it"},
            {ProblemKind::fault, 2, "p1t1s1 is broken", "silence", "", 7 * second}};
}

class ProblemHistoryTest : public ::testing::Test
{
protected:
    ProblemHistoryTest() { fs::remove(file); }
    ~ProblemHistoryTest() override { fs::remove(file); }

    const std::string file = fs::path(testing::TempDir()) / "mrcd_problems.json";
    LogLines log;
};

TEST_F(ProblemHistoryTest, KnowsSinceWhen)
{
    ProblemHistory history("", "a-boot", log);
    auto now = problems();

    history.update(now, 100 * second);
    EXPECT_EQ(now[0].since_ns, 100 * second);
    EXPECT_EQ(now[1].since_ns, 7 * second) << "who found it knows";
    EXPECT_EQ(log.take(), Lines{"plane 1 is set down: by hand"}) << "the other one was told of";
    now = problems();
    history.update(now, 200 * second);
    EXPECT_EQ(now[0].since_ns, 100 * second);
    EXPECT_TRUE(log.take().empty());
    now.erase(now.begin());
    history.update(now, 300 * second);
    EXPECT_EQ(log.take(), Lines{"plane 1 is set down: over"});
    now = problems();
    history.update(now, 400 * second);
    EXPECT_EQ(now[0].since_ns, 400 * second) << "it is another time";
}

TEST_F(ProblemHistoryTest, SurvivesARestart)
{
    ProblemHistory history(file, "a-boot", log);
    auto now = problems();
    const auto since = [&](const std::string &boot, uint64_t now_ns) {
        ProblemHistory next(file, boot, log);
        auto same = problems();
        next.recall(now_ns);
        next.update(same, now_ns);
        return same[0].since_ns;
    };

    history.update(now, 100 * second);
    const std::string text = *mrcnl::read_state_file(file);
    EXPECT_EQ(since("a-boot", 200 * second), 100 * second);
    for (const auto &[boot, now_ns] :
         {std::pair{"another-boot", 200 * second}, std::pair{"", 200 * second},
          std::pair{"a-boot", 50 * second}, std::pair{"a-boot", 701 * second}}) {
        ASSERT_TRUE(mrcnl::write_state_file(file, text));
        EXPECT_EQ(since(boot, now_ns), now_ns) << boot;
    }
    for (size_t length = 0; length + 2 < text.size(); length++) {
        ASSERT_TRUE(mrcnl::write_state_file(file, text.substr(0, length)));
        EXPECT_EQ(since("a-boot", 200 * second), 200 * second) << length;
    }
    ASSERT_TRUE(mrcnl::write_state_file(file, with(text, "100000000000}", "999000000000}")));
    EXPECT_LE(since("a-boot", 200 * second), 200 * second) << "not in the future";
}

TEST_F(ProblemHistoryTest, WhatDoesNotChangeDoesNotGrowOld)
{
    ProblemHistory history(file, "a-boot", log);
    ProblemHistory next(file, "a-boot", log);

    for (const uint64_t now_ns : {100 * second, 700 * second}) {
        auto now = problems();
        history.update(now, now_ns);
    }
    auto same = problems();
    next.recall(1200 * second);
    next.update(same, 1200 * second);
    EXPECT_EQ(same[0].since_ns, 100 * second);
}

} // namespace
} // namespace mrcd::test::problem_history_test
