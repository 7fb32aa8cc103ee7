// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <gtest/gtest.h>

#include <mrc.h>

namespace
{

TEST(Version, IsTold)
{
    uint32_t current = 0;
    uint32_t last = 1;
    uint32_t vendor = 0;
    uint32_t last_vendor = 1;

    mrc_query_version(&current, &last, &vendor, &last_vendor);
    EXPECT_EQ(current, 0x01000001u);
    EXPECT_EQ(last, 0u);
    EXPECT_EQ(vendor, 0x01000000u);
    EXPECT_EQ(last_vendor, 0u);
}

TEST(Version, NobodyNeedAskForAll)
{
    uint32_t current = 0;

    mrc_query_version(nullptr, nullptr, nullptr, nullptr);
    mrc_query_version(&current, nullptr, nullptr, nullptr);
    EXPECT_EQ(current, 0x01000001u);
}

} // namespace
