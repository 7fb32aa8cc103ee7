// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "srh.h"

#include <random>

#include <gtest/gtest.h>

namespace mrcnl::srh_test
{
namespace
{

EvSegments make_path(size_t count, bool reduced = false)
{
    EvSegments path{std::vector<Address>(count), reduced};

    for (size_t i = 0; i < count; i++) {
        path.segments[i].bytes[0] = 0xfc;
        path.segments[i].bytes[15] = static_cast<uint8_t>(i + 1);
    }
    return path;
}

// The bytes that "ip route ... encap seg6 mode encap segs fc00::1,fc00::2" puts into the attribute.
TEST(Segments, HaveTheFormOfTheKernel)
{
    const auto data = encode_segments(make_path(2));
    const std::array<uint8_t, 4 + 8> head = {1, 0, 0, 0, 0, 4, 4, 1, 1, 0, 0, 0};

    ASSERT_EQ(data.size(), 4u + 8 + 2 * 16);
    for (size_t i = 0; i < head.size(); i++)
        EXPECT_EQ(static_cast<uint8_t>(data[i]), head[i]) << i;
    EXPECT_EQ(static_cast<uint8_t>(data[12 + 15]), 2);
    EXPECT_EQ(static_cast<uint8_t>(data[12 + 16 + 15]), 1);
}

TEST(Segments, ComeBack)
{
    for (size_t count = 1; count <= max_segments; count++)
        for (const bool reduced : {false, true})
            EXPECT_EQ(decode_segments(encode_segments(make_path(count, reduced))),
                      make_path(count, reduced));
}

TEST(Segments, CutShortAreRefused)
{
    const auto data = encode_segments(make_path(3));

    for (size_t size = 0; size < data.size(); size++)
        EXPECT_FALSE(decode_segments(std::span(data).first(size))) << size;
}

TEST(Segments, ContradictionsAreRefused)
{
    auto data = encode_segments(make_path(3));

    data[4 + 1] = std::byte{5}; // header length of two and a half segments
    EXPECT_FALSE(decode_segments(data));
    data = encode_segments(make_path(3));
    data[4 + 2] = std::byte{3}; // another routing type
    EXPECT_FALSE(decode_segments(data));
    data = encode_segments(make_path(3));
    data[4 + 4] = std::byte{255}; // first segment far behind the end
    EXPECT_FALSE(decode_segments(data));
}

TEST(Segments, NoiseIsHarmless)
{
    std::mt19937 random(1);

    for (int round = 0; round < 20000; round++) {
        auto data = encode_segments(make_path(1 + random() % 8));

        for (int i = 0; i < 4; i++)
            data[random() % data.size()] = static_cast<std::byte>(random());
        data.resize(random() % (data.size() + 1));
        const auto path = decode_segments(data);
        if (path) {
            EXPECT_LE(path->segments.size() * 16 + 12, data.size());
        }
    }
}

} // namespace
} // namespace mrcnl::srh_test
