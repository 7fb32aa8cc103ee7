// SPDX-License-Identifier: GPL-2.0-only
#include "bytes.h"
#include "engine/core.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

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

/// @cuts: where one piece ends and the next begins, ascending.
std::uint32_t crcFolded(std::uint32_t state, const std::uint8_t *p, std::size_t len,
                        const std::vector<std::size_t> &cuts = {})
{
    mrc_crc_fold f;
    std::size_t at = 0;
    mrc_crc_fold_begin(&f, state, len);
    for (const std::size_t cut : cuts) {
        mrc_crc_fold_add(&f, p + at, cut - at);
        at = cut;
    }
    mrc_crc_fold_add(&f, p + at, len - at);
    EXPECT_EQ(f.left, 0u);
    const unsigned int rest = mrc_crc_fold_end(&f);
    EXPECT_EQ(rest, MRC_CRC_FOLD_LEN + len % 8) << "all that can be folded is";
    return crcBits(0, f.keep, rest);
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

/* The pieces of an skb: headers, a program's pages at any alignment, pad. */
TEST(CrcFold, WhateverItIsCutInto)
{
    std::mt19937 random(11);
    Bytes message(300);
    for (auto &byte : message)
        byte = static_cast<std::uint8_t>(random());
    for (std::size_t len = MRC_CRC_FOLD_LEN; len <= message.size(); len += len < 130 ? 1 : 17) {
        const auto state = static_cast<std::uint32_t>(random());
        const std::uint32_t whole = crcBits(state, message.data(), len);
        for (std::size_t cut = 0; cut <= len; ++cut)
            EXPECT_EQ(crcFolded(state, message.data(), len, {cut}), whole) << len << ' ' << cut;
        for (std::size_t step : {1, 3, 7, 8, 9, 60}) {
            std::vector<std::size_t> cuts;
            for (std::size_t at = step; at < len; at += step)
                cuts.push_back(at);
            EXPECT_EQ(crcFolded(state, message.data(), len, cuts), whole) << len << '/' << step;
        }
    }
}

} // namespace
