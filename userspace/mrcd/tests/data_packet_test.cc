// SPDX-License-Identifier: GPL-2.0-only
//
// How long data is, against the headers that the module writes.

#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstring>

#include <gtest/gtest.h>
#include <linux/types.h>
#include <netinet/ip6.h>
#include <netinet/udp.h>

extern "C" {
#include "core/wire/wire.h"
}
#include "watch/data_packet.h"

namespace mrcd::test::data_packet_test
{
namespace
{

TEST(DataPacket, HasTheHeadersOfTheModule)
{
    EXPECT_EQ(data_overhead,
              2 * sizeof(ip6_hdr) + sizeof(udphdr) + MRC_WRITE_HDR_MAX + MRC_ICRC_LEN);
}

TEST(DataPacket, IsAsLongAsThereIsRoom)
{
    EXPECT_EQ(data_packet_bytes(9000), 4228);
    EXPECT_EQ(data_packet_bytes(4228), 4228);
    EXPECT_EQ(data_packet_bytes(4227), 2180);
    EXPECT_EQ(data_packet_bytes(1500), 1156);
    EXPECT_EQ(data_packet_bytes(1280), 1156);
    EXPECT_EQ(data_packet_bytes(388), 388);
    EXPECT_EQ(data_packet_bytes(387), 0);
    EXPECT_EQ(data_packet_bytes(0), 0);
    EXPECT_EQ(data_packet_bytes(UINT32_MAX), 4228);
}

} // namespace
} // namespace mrcd::test::data_packet_test
