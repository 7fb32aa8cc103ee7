// SPDX-License-Identifier: GPL-2.0-only
#include "engine/core.h"

#include <gtest/gtest.h>

TEST(Psn, AddWrapsAt24Bits)
{
    EXPECT_EQ(mrc_psn_add(0xffffff, 1), 0u);
    EXPECT_EQ(mrc_psn_add(0, -1), 0xffffffu);
    EXPECT_EQ(mrc_psn_add(0xfffff0, 0x20), 0x10u);
    EXPECT_EQ(mrc_psn_add(0x10, -0x20), 0xfffff0u);
}

TEST(Psn, DiffIsSignedAcrossTheWrap)
{
    EXPECT_EQ(mrc_psn_diff(5, 3), 2);
    EXPECT_EQ(mrc_psn_diff(3, 5), -2);
    EXPECT_EQ(mrc_psn_diff(0, 0xffffff), 1);
    EXPECT_EQ(mrc_psn_diff(0xffffff, 0), -1);
    EXPECT_EQ(mrc_psn_diff(0x7fffff, 0), 0x7fffff);
    EXPECT_EQ(mrc_psn_diff(0x800000, 0), -0x800000);
}

TEST(Psn, DiffIgnoresBitsAboveThe24th)
{
    EXPECT_EQ(mrc_psn_diff(0xff000005, 0x03), 2);
}
