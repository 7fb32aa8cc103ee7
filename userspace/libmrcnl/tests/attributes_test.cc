// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "mrcnl/attributes.h"
#include "mrcnl/message.h"

#include <cstring>
#include <random>

#include <gtest/gtest.h>
#include <linux/mrc.h>
#include <linux/seg6_iptunnel.h>

namespace mrcnl::attributes_test
{
namespace
{

TEST(Request, ReadsAsWritten)
{
    Request request(MRC_CMD_DEVICE_SET);

    request.put_string(MRC_A_DEVICE_DEV_NAME, "mrc0").put_u8(MRC_A_DEVICE_BURST, 3);
    request.put_u16(MRC_A_DEVICE_UDP_PORT, 4791).put_u32(MRC_A_DEVICE_SACK_BYTES, 1u << 31);
    request.put_u64(MRC_A_DEVICE_TIME, UINT64_MAX);
    request.put_address(MRC_A_DEVICE_TUNNEL_SOURCE, *Address::parse("fd00::1"));

    const Attributes a(request.attributes(), MRC_A_DEVICE_MAX);
    EXPECT_EQ(a.string(MRC_A_DEVICE_DEV_NAME), "mrc0");
    EXPECT_EQ(a.u8(MRC_A_DEVICE_BURST), 3);
    EXPECT_EQ(a.u16(MRC_A_DEVICE_UDP_PORT), 4791);
    EXPECT_EQ(a.u32(MRC_A_DEVICE_SACK_BYTES), 1u << 31);
    EXPECT_EQ(a.u64(MRC_A_DEVICE_TIME), UINT64_MAX);
    EXPECT_EQ(a.address(MRC_A_DEVICE_TUNNEL_SOURCE).text(), "fd00::1");
    EXPECT_FALSE(a.has(MRC_A_DEVICE_MPR));
    EXPECT_EQ(a.u8(MRC_A_DEVICE_MPR), 0);
    EXPECT_FALSE(request.overflow());
}

TEST(Request, SaysThatItIsTooSmall)
{
    Request request(MRC_CMD_DEVICE_SET, 64);

    for (int i = 0; i < 20; i++)
        request.put_u64(MRC_A_DEVICE_TIME, 1);
    EXPECT_TRUE(request.overflow());
}

TEST(Request, SaysThatAnAttributeIsTooLarge)
{
    Request request(MRC_CMD_DEVICE_SET, 1 << 20);

    request.put_bytes(MRC_A_DEVICE_TIME, std::vector<std::byte>(65532));
    EXPECT_TRUE(request.overflow());
}

TEST(Request, SaysThatANestIsTooLarge)
{
    Request request(MRC_CMD_EV_PROFILE_ADD, 1 << 20);
    {
        const Request::Nest nest(request, MRC_A_EV_PROFILE_EV);

        request.put_bytes(MRC_A_EV_SID, std::vector<std::byte>(40000));
        request.put_bytes(MRC_A_EV_SID, std::vector<std::byte>(40000));
    }
    EXPECT_TRUE(request.overflow());
}

// The kernel may send shorter or longer attributes than expected, or none at all.
TEST(Attributes, ReadShortOnesAsZero)
{
    Request request(MRC_CMD_QP_GET);

    request.put_u8(MRC_A_QP_SRTT, 9);
    request.put_bytes(MRC_A_QP_REASON, {});
    const Attributes a(request.attributes(), MRC_A_QP_MAX);
    EXPECT_EQ(a.u64(MRC_A_QP_SRTT), 0u);
    EXPECT_EQ(a.u8(MRC_A_QP_SRTT), 9u);
    EXPECT_EQ(a.string(MRC_A_QP_REASON), "");
    EXPECT_TRUE(a.address(MRC_A_QP_SRTT).unspecified());
}

TEST(Attributes, StringsNeedNoEnd)
{
    Request request(MRC_CMD_QP_GET);
    const char text[] = {'a', 'b', 'c'};

    request.put_bytes(MRC_A_QP_REASON, std::as_bytes(std::span(text)));
    EXPECT_EQ(Attributes(request.attributes(), MRC_A_QP_MAX).string(MRC_A_QP_REASON), "abc");
}

TEST(Attributes, UnknownOnesAreLeftOut)
{
    Request request(MRC_CMD_QP_GET);

    request.put_u32(1000, 5).put_u32(MRC_A_QP_QPN, 6);
    EXPECT_EQ(Attributes(request.attributes(), MRC_A_QP_MAX).u32(MRC_A_QP_QPN), 6u);
}

TEST(Attributes, NoiseIsHarmless)
{
    std::mt19937 random(2);

    for (int round = 0; round < 20000; round++) {
        std::vector<std::byte> data(random() % 64);

        for (std::byte &byte : data)
            byte = static_cast<std::byte>(random() % 24);
        const Attributes a(data, MRC_A_QP_MAX);
        for (int type = 0; type <= MRC_A_QP_MAX; type++) {
            EXPECT_LE(a.bytes(type).size(), data.size());
            static_cast<void>(a.u64(type));
            static_cast<void>(a.string(type));
            static_cast<void>(a.all(type));
        }
        attribute_at(MRC_CMD_EV_PROFILE_ADD, data, random() % 70);
    }
}

// Offsets as the kernel reports them: of the attribute's header.
TEST(AttributeAt, NamesTheAttribute)
{
    Request request(MRC_CMD_DEVICE_SET);

    request.put_u8(MRC_A_DEVICE_BURST, 3).put_u8(MRC_A_DEVICE_MPR, 4);
    EXPECT_EQ(attribute_at(MRC_CMD_DEVICE_SET, request.attributes(), 0), "burst");
    EXPECT_EQ(attribute_at(MRC_CMD_DEVICE_SET, request.attributes(), 8), "mpr");
    EXPECT_EQ(attribute_at(MRC_CMD_DEVICE_SET, request.attributes(), 16), "");
    EXPECT_EQ(attribute_at(MRC_CMD_DEVICE_SET, request.attributes(), 1 << 20), "");
}

TEST(AttributeAt, CountsNumbersThatComeSeveralTimes)
{
    Request request(MRC_CMD_PROBE_START);

    request.put_u16(MRC_A_PROBE_EV, 3).put_u16(MRC_A_PROBE_EV, 77);
    EXPECT_EQ(attribute_at(MRC_CMD_PROBE_START, request.attributes(), 8), "ev 2");
}

TEST(AttributeAt, CountsWhatComesSeveralTimes)
{
    Request request(MRC_CMD_EV_PROFILE_ADD);
    size_t second = 0;

    request.put_u64(MRC_A_EV_PROFILE_ID, 1);
    for (int i = 0; i < 2; i++) {
        second = request.attributes().size();
        const Request::Nest nest(request, MRC_A_EV_PROFILE_EV);

        request.put_u8(MRC_A_EV_PORT, 1);
        const Request::Nest encap(request, MRC_A_EV_ENCAP);
        request.put_u32(SEG6_IPTUNNEL_SRH, 0);
    }
    const auto data = request.attributes();
    EXPECT_EQ(attribute_at(MRC_CMD_EV_PROFILE_ADD, data, second), "ev 2");
    EXPECT_EQ(attribute_at(MRC_CMD_EV_PROFILE_ADD, data, second + 4), "ev 2: port");
    EXPECT_EQ(attribute_at(MRC_CMD_EV_PROFILE_ADD, data, second + 12), "ev 2: encap");
    EXPECT_EQ(attribute_at(MRC_CMD_EV_PROFILE_ADD, data, second + 16), "ev 2: encap: srh");
}

} // namespace
} // namespace mrcnl::attributes_test
