// SPDX-License-Identifier: GPL-2.0-only

#include <gtest/gtest.h>

#include "pace.h"

namespace mrcd::test::pace_test
{
namespace
{

TEST(Pace, EventsBringItNearerOnly)
{
    Pace pace;

    pace.passed(1000, 50, 10000);
    EXPECT_EQ(pace.next(), 11000u);
    for (uint64_t now = 2000; now < 2020; now++)
        pace.hasten(now, 20);
    EXPECT_EQ(pace.next(), 2020u) << "not put off by those that follow";
}

TEST(Pace, PassesAreApart)
{
    Pace pace;

    pace.passed(1000, 50, 10000);
    pace.hasten(1001, 20);
    EXPECT_EQ(pace.next(), 1050u);
    pace.passed(1050, 50, 0);
    EXPECT_EQ(pace.next(), 1100u);
    pace.passed(1100, 400, 400);
    pace.hasten(1101, 20);
    EXPECT_EQ(pace.next(), 1500u) << "backed off";
}

/** Another program undoes steps all the time, and then a link breaks. */
TEST(Pace, NewsDoNotWaitForWhatKeepsFailing)
{
    Pace pace;

    pace.passed(1000, 10000, 10000);
    pace.hasten(2000, 20);
    EXPECT_EQ(pace.next(), 11000u) << "what happens does not help";
    pace.hurry(2000, 50);
    EXPECT_EQ(pace.next(), 2000u);
    pace.passed(2010, 10000, 10000);
    pace.hurry(2020, 50);
    EXPECT_EQ(pace.next(), 2060u) << "they are apart still";
    pace.passed(3000, 10, 10000);
    pace.hurry(3001, 50);
    EXPECT_EQ(pace.next(), 3010u) << "no later than what is no news";
}

} // namespace
} // namespace mrcd::test::pace_test
