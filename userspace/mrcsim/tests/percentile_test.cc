// SPDX-License-Identifier: GPL-2.0-only
#include "percentile.h"

#include <gtest/gtest.h>

using namespace mrcsim;

TEST(Percentile, IsTheNearestRank)
{
    const std::vector<double> values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

    EXPECT_EQ(percentile(values, 0), 1);
    EXPECT_EQ(percentile(values, 10), 1);
    EXPECT_EQ(percentile(values, 11), 2);
    EXPECT_EQ(percentile(values, 50), 5);
    EXPECT_EQ(percentile(values, 99), 10);
    EXPECT_EQ(percentile(values, 100), 10);
    EXPECT_EQ(percentile({}, 50), 0);
}

TEST(Percentile, OfBinsCountsWhatIsInThem)
{
    const std::vector<uint64_t> bins = {98, 0, 1, 1};

    EXPECT_EQ(percentile_bin(bins, 50), 0u);
    EXPECT_EQ(percentile_bin(bins, 98), 0u);
    EXPECT_EQ(percentile_bin(bins, 99), 2u);
    EXPECT_EQ(percentile_bin(bins, 100), 3u);
    EXPECT_EQ(percentile_bin(std::vector<uint64_t>(3), 99), 0u);
}

TEST(Jain, IsOneOfEqualsAndAnNthOfOneThatHasAll)
{
    EXPECT_DOUBLE_EQ(jain({0.1, 0.1, 0.1}), 1);
    EXPECT_DOUBLE_EQ(jain({0, 0, 0, 1}), 0.25);
    EXPECT_DOUBLE_EQ(jain({0, 0}), 1);
    EXPECT_DOUBLE_EQ(mean({1, 2, 6}), 3);
}
