// SPDX-License-Identifier: GPL-2.0-only
#include "bytes.h"
#include "core.h"

#include <gtest/gtest.h>

#include <random>

namespace
{

/// CRC-32 as IEEE 802.3 defines it, a bit at a time, without its final complement.
std::uint32_t crcBits(std::uint32_t state, const std::uint8_t *p, std::size_t len)
{
    for (; len; --len, ++p) {
        state ^= *p;
        for (int bit = 0; bit < 8; ++bit)
            state = state >> 1 ^ (state & 1 ? 0xedb88320u : 0u);
    }
    return state;
}

std::uint32_t crcFolded(std::uint32_t state, const std::uint8_t *p, std::size_t len)
{
    std::uint8_t rest[MRC_CRC_FOLD_LEN];
    const std::size_t at = mrc_crc_fold(state, p, len, rest);
    EXPECT_EQ(at % 8, 0u);
    EXPECT_LE(at + sizeof(rest), len);
    EXPECT_GT(at + sizeof(rest) + 8, len) << "all that can be folded is";
    state = crcBits(0, rest, sizeof(rest));
    return crcBits(state, p + at + sizeof(rest), len - at - sizeof(rest));
}

TEST(CrcFold, KnownAnswer)
{
    const Bytes nines(90, '9');
    EXPECT_EQ(~crcBits(~0u, reinterpret_cast<const std::uint8_t *>("123456789"), 9), 0xcbf43926u);
    EXPECT_EQ(crcFolded(~0u, nines.data(), nines.size()), crcBits(~0u, nines.data(), nines.size()));
}

TEST(CrcFold, EachBitOfALongMessageCounts)
{
    Bytes message(200);
    for (std::size_t bit = 0; bit < message.size() * 8; ++bit) {
        message[bit / 8] = static_cast<std::uint8_t>(1u << bit % 8);
        EXPECT_EQ(crcFolded(0, message.data(), message.size()),
                  crcBits(0, message.data(), message.size()))
            << bit;
        message[bit / 8] = 0;
    }
}

TEST(CrcFold, EveryLengthPlaceAndState)
{
    std::mt19937 random(7);
    Bytes message(4200 + 8);
    for (auto &byte : message)
        byte = static_cast<std::uint8_t>(random());
    for (std::size_t len = MRC_CRC_FOLD_LEN; len <= 4200; len += len < 200 ? 1 : 131) {
        const auto state = static_cast<std::uint32_t>(random());
        const std::uint8_t *p = message.data() + random() % 8;
        EXPECT_EQ(crcFolded(state, p, len), crcBits(state, p, len)) << len;
    }
}

} // namespace
