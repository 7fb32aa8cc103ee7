// SPDX-License-Identifier: GPL-2.0-only
#include "bytes.h"
#include "engine/core.h"

#include <gtest/gtest.h>

namespace
{

constexpr std::size_t kIp6 = 40;
constexpr std::size_t kUdp = 8;
constexpr std::size_t kBth = 12;
constexpr std::size_t kHeaders = kIp6 + kUdp + kBth;

/// CRC-32 as IEEE 802.3 defines it, a bit at a time, without its final complement.
std::uint32_t crcBits(std::uint32_t state, const std::uint8_t *p, std::size_t len)
{
    for (std::size_t i = 0; i < len; ++i) {
        for (int bit = 0; bit < 8; ++bit) {
            const std::uint32_t in = (p[i] >> bit & 1) ^ (state & 1);
            state = state >> 1 ^ (in ? 0xedb88320u : 0u);
        }
    }
    return state;
}

/// ICRC bytes of an IPv6 packet, from the text of the rule: eight bytes of ones
/// for the LRH, then the packet with its variable fields as ones.
Bytes icrcFromRule(Bytes packet)
{
    packet[0] |= 0x0f;
    packet[1] = packet[2] = packet[3] = 0xff;
    packet[7] = 0xff;
    packet[kIp6 + 6] = packet[kIp6 + 7] = 0xff;
    packet[kIp6 + kUdp + 4] = 0xff;
    packet.insert(packet.begin(), 8, 0xff);

    const std::uint32_t crc = ~crcBits(0xffffffffu, packet.data(), packet.size());
    return {static_cast<std::uint8_t>(crc), static_cast<std::uint8_t>(crc >> 8),
            static_cast<std::uint8_t>(crc >> 16), static_cast<std::uint8_t>(crc >> 24)};
}

/// The same by the code under test.
Bytes icrcFromCore(const Bytes &packet, std::uint16_t udpLen)
{
    std::uint8_t pseudo[MRC_ICRC_PSEUDO_LEN];
    mrc_icrc_pseudo(pseudo, packet.data(), packet.data() + kIp6, packet.data() + kIp6 + kUdp,
                    udpLen);

    std::uint32_t crc = crcBits(MRC_ICRC_SEED, pseudo, sizeof(pseudo));
    crc = ~crcBits(crc, packet.data() + kHeaders, packet.size() - kHeaders);
    return {static_cast<std::uint8_t>(crc), static_cast<std::uint8_t>(crc >> 8),
            static_cast<std::uint8_t>(crc >> 16), static_cast<std::uint8_t>(crc >> 24)};
}

/// RDMA WRITE Only with Immediate, RC, 13 bytes, as Linux 6.12 rdma_rxe put it on
/// a veth between IPv6 hosts; seen with tcpdump.
const Bytes kRxePacket = hex("66a00000 003c1140 20010db8 00000000 00000000 00000001"
                             "20010db8 00000000 00000000 00000002 e34112b7 003c0000"
                             "0b30ffff 00abcdef 80fedcba 12345678 9abcdef0 5a5a1234"
                             "0000000d cafef00d 030a1118 1f262d34 3b424950 57000000");
const Bytes kRxeIcrc = hex("bc1ed0ad");
constexpr std::uint16_t kRxeUdpLen = 0x3c;

} // namespace

TEST(Icrc, SeedIsTheStateAfterEightBytesOfOnes)
{
    const Bytes ones(8, 0xff);
    EXPECT_EQ(crcBits(0xffffffffu, ones.data(), ones.size()), MRC_ICRC_SEED);
}

TEST(Icrc, AgreesWithAPacketOfAnotherImplementation)
{
    EXPECT_EQ(icrcFromCore(kRxePacket, kRxeUdpLen), kRxeIcrc);
    EXPECT_EQ(icrcFromRule(kRxePacket), kRxeIcrc);
}

TEST(Icrc, AgreesWithTheRuleForEveryByteOfThePacket)
{
    for (std::size_t i = 0; i < kRxePacket.size(); ++i) {
        Bytes changed = kRxePacket;
        changed[i] ^= 0x5a;
        const bool isLength = i == 4 || i == 5 || i == kIp6 + 4 || i == kIp6 + 5;
        if (isLength)
            continue;
        EXPECT_EQ(icrcFromCore(changed, kRxeUdpLen), icrcFromRule(changed)) << "byte " << i;
    }
}

TEST(Icrc, WhatTheNetworkChangesDoesNotCount)
{
    Bytes changed = kRxePacket;
    changed[0] = 0x6f;
    changed[1] = 0x12;
    changed[2] = 0x34;
    changed[3] = 0x56;
    changed[7] = 1;
    changed[kIp6 + 6] = 0xab;
    changed[kIp6 + 7] = 0xcd;
    changed[kIp6 + kUdp + 4] = 0xc0;
    EXPECT_EQ(icrcFromCore(changed, kRxeUdpLen), kRxeIcrc);
}

TEST(Icrc, LengthIsThatOfThePacketNotOfTheSegmentedWhole)
{
    Bytes whole = kRxePacket;
    whole[4] = whole[kIp6 + 4] = 0x7f;
    EXPECT_EQ(icrcFromCore(whole, kRxeUdpLen), kRxeIcrc);
    EXPECT_NE(icrcFromCore(whole, 0x7f3c), kRxeIcrc);
}
