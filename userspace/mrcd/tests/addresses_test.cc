// SPDX-License-Identifier: GPL-2.0-only

#include <gtest/gtest.h>

#include "file/addresses.h"

namespace mrcd::test::addresses_test
{
namespace
{

TEST(Addresses, WhatHostsMayHaveAnywhere)
{
    for (const char *text : {"2001:db8::1", "fd00:6d72:63::1", "fcbb:bb00::", "64:ff9b::1"})
        EXPECT_TRUE(global_unicast(*mrcnl::Address::parse(text))) << text;
    for (const char *text :
         {"::", "::1", "::ffff:10.0.0.1", "::10.0.0.1", "fe80::1", "febf::1", "ff02::1"})
        EXPECT_FALSE(global_unicast(*mrcnl::Address::parse(text))) << text;
}

TEST(Addresses, Prefixes)
{
    const auto lies = [](const char *address, const char *prefix) {
        return contains(*mrcnl::Prefix::parse(prefix), *mrcnl::Address::parse(address));
    };

    EXPECT_TRUE(lies("fcbb:bb00:1::", "fcbb:bb00::/32"));
    EXPECT_FALSE(lies("fcbb:bb01::", "fcbb:bb00::/32"));
    EXPECT_TRUE(lies("fcbb:bb01::", "fcbb:bb00::/31"));
    EXPECT_TRUE(lies("1::", "::/0"));
    EXPECT_FALSE(lies("1::1", "1::/128"));
    EXPECT_FALSE(has_host_bits(*mrcnl::Prefix::parse("fd00:8000::/17")));
    EXPECT_TRUE(has_host_bits(*mrcnl::Prefix::parse("fd00:8000::/16")));
}

} // namespace
} // namespace mrcd::test::addresses_test
