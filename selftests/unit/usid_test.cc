// SPDX-License-Identifier: GPL-2.0-only
//
// Tests that a host's uSID completes the carriers that lead to its switch.

#include "engine/core.h"

#include <array>
#include <cstring>
#include <string>

#include <arpa/inet.h>
#include <gtest/gtest.h>

namespace
{

/// The carrier with a uSID appended, or "full", after a check that nothing changed.
std::string append(const char *text, std::uint16_t usid)
{
    std::array<std::uint8_t, MRC_USID_CARRIER_LEN> carrier{};
    EXPECT_EQ(inet_pton(AF_INET6, text, carrier.data()), 1) << text;
    const auto before = carrier;
    if (!mrc_usid_append(carrier.data(), usid)) {
        EXPECT_EQ(carrier, before);
        return "full";
    }
    std::array<char, INET6_ADDRSTRLEN> found{};
    inet_ntop(AF_INET6, carrier.data(), found.data(), found.size());
    return found.data();
}

TEST(Usid, IsAppendedToTheLastOne)
{
    EXPECT_EQ(append("fcbb:bb00:101:181:102::", 0xf002), "fcbb:bb00:101:181:102:f002::");
    EXPECT_EQ(append("fcbb:bb00:101::", 0xf001), "fcbb:bb00:101:f001::");
    EXPECT_EQ(append("fcbb:bb00::", 1), "fcbb:bb00:1::");
    EXPECT_EQ(append("fcbb:bb00:1:2:3:4:5:0", 6), "fcbb:bb00:1:2:3:4:5:6");
}

TEST(Usid, UsidsMayEndInAZeroByte)
{
    EXPECT_EQ(append("fcbb:bb00:100:200::", 0x300), "fcbb:bb00:100:200:300::");
    EXPECT_EQ(append("fcbb:bb00:1:2::", 0xff), "fcbb:bb00:1:2:ff::");
}

TEST(Usid, BlockMayBeZeros)
{
    EXPECT_EQ(append("::", 7), "0:0:7::");
}

TEST(Usid, FullOrBrokenCarriersAreLeftAsTheyAre)
{
    EXPECT_EQ(append("fcbb:bb00:1:2:3:4:5:6", 7), "full");
    EXPECT_EQ(append("fcbb:bb00:1:0:3::", 7), "full") << "zero ends a carrier";
    EXPECT_EQ(append("fcbb:bb00:1::", 0), "full") << "0 is no uSID";
}

} // namespace
