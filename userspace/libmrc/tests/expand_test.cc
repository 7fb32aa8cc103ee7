// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Conversion of a controller's EVs to EVs on the wire. */
#include "ev/expand.h"

#include <algorithm>
#include <random>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace mrc::test
{
namespace
{

EvBits bits(const std::string &hex)
{
    EvBits found{};

    for (size_t i = 0; i < hex.size() / 2; i++)
        found[i] = static_cast<uint8_t>(std::stoul(hex.substr(2 * i, 2), nullptr, 16));
    return found;
}

std::string hex(const EvBits &bits)
{
    static constexpr char digits[] = "0123456789abcdef";
    std::string text;

    for (const uint8_t byte : bits) {
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    while (text.ends_with("00"))
        text.resize(text.size() - 2);
    return text;
}

mrc_ctl_ev_field all_of(uint32_t width)
{
    return {width, 0, 0, 0, width == 32 ? 0xffffffff : (1u << width) - 1};
}

mrc_ctl_ev_field fixed(uint32_t width, uint32_t value)
{
    return {width, value, 0, 0, 0};
}

EvFields fields(std::initializer_list<EvFields> lists)
{
    EvFields all;

    for (const EvFields &list : lists)
        all.insert(all.end(), list.begin(), list.end());
    return all;
}

struct Vector {
    const char *name;
    EvFormatWidths format;
    EvFields fields;
    std::vector<std::pair<std::string, std::string>> evs; ///< EV of the controller, EV on the wire
};

/** The results of the API's own example of expansion. */
const std::vector<Vector> &vectors()
{
    static const std::vector<Vector> all{
        {"explicit STEV",
         {16, 16},
         {all_of(16), all_of(16)},
         {{"f3b04256", "f3b04256"}, {"a6fca7ae", "a6fca7ae"}, {"03514976", "03514976"}}},
        {"one field", {32}, {all_of(32)}, {{"67fb6a4e", "67fb6a4e"}, {"335de425", "335de425"}}},
        {"four bits of each",
         {16, 16},
         {{16, 0x100, 1, 15, 0xf}, {16, 0x200, 1, 15, 0xf}},
         {{"a4", "010a0204"}, {"7f", "0107020f"}}},
        {"a mask with holes",
         {16, 16},
         {{16, 0x1000, 1, 255, 0xf0f}, {16, 0x2000, 1, 255, 0xf0f}},
         {{"3312", "13032102"}, {"e33e", "1e03230e"}, {"b5b5", "1b052b05"}}},
        {"explicit SRv6",
         {32, 16, 16, 16, 16},
         fields({{fixed(32, 0xcafecafe)}, EvFields(4, all_of(16))}),
         {{"43ba48d6a43de086", "cafecafe43ba48d6a43de086"},
          {"4ede65a95725e8a4", "cafecafe4ede65a95725e8a4"}}},
        {"fewer fields than the format has",
         {32, 16, 16, 16, 16},
         {fixed(32, 0xdeaddead), all_of(16), all_of(16)},
         {{"e298f115", "deaddeade298f115"}, {"e13f3177", "deaddeade13f3177"}}},
        {"fields that are narrower",
         {32, 16, 16, 16, 16},
         fields({{fixed(32, 0x42424242)}, EvFields(4, {4, 0, 1, 15, 15})}),
         {{"78ba", "4242424200070008000b000a"}, {"76dc", "4242424200070006000d000c"}}},
        {"values that are given in part",
         {32, 16, 16, 16, 16},
         {fixed(32, 0x13131313),
          {16, 0x100, 1, 15, 15},
          {16, 0x200, 1, 15, 15},
          {16, 0x300, 1, 15, 15},
          {16, 0x400, 1, 15, 15}},
         {{"9b79", "131313130109020b03070409"}, {"26c7", "1313131301020206030c0407"}}},
        {"a segment",
         {32, 16, 16, 16, 16, 16, 16, 32, 16, 16},
         fields({{fixed(32, 0xcafecafe)},
                 EvFields(6, all_of(16)),
                 {fixed(32, 0xdecafbad), all_of(16), all_of(16)}}),
         {{"b8a7310e14c80962ae4b9dd6587a4c16", "cafecafeb8a7310e14c80962ae4b9dd6decafbad587a4c16"},
          {"c496626fa3b0d56027fa9733c0ca89da",
           "cafecafec496626fa3b0d56027fa9733decafbadc0ca89da"}}},
    };
    return all;
}

TEST(Expand, AsTheApiSays)
{
    for (const Vector &vector : vectors()) {
        ASSERT_TRUE(fields_fit(vector.fields, vector.format)) << vector.name;
        for (const auto &[ev, wire] : vector.evs) {
            const auto got = expand(bits(ev), vector.fields, vector.format);
            ASSERT_TRUE(got) << vector.name << ": " << ev;
            EXPECT_EQ(hex(*got), wire) << vector.name << ": " << ev;
        }
    }
}

TEST(Expand, WithoutFieldsAnEvIsWhatItIs)
{
    EXPECT_EQ(hex(expand(bits("a6fca7ae"), {}, {16, 16}).value_or(EvBits())), "a6fca7ae");
    EXPECT_FALSE(expand(bits("a6fca7ae01"), {}, {16, 16})) << "a bit behind the format";
    EXPECT_TRUE(expand(bits("a6fca7fe"), {}, {31}));
    EXPECT_FALSE(expand(bits("a6fca7ff"), {}, {31}));
}

TEST(Expand, BitsThatNoFieldTakes)
{
    const EvFields four{{16, 0x100, 1, 15, 15}, {16, 0x200, 1, 15, 15}};

    EXPECT_TRUE(expand(bits("ff"), four, {16, 16}));
    EXPECT_FALSE(expand(bits("ff80"), four, {16, 16}));
    EXPECT_FALSE(expand(bits("ff" + std::string(60, '0') + "01"), four, {16, 16}));
}

TEST(Expand, MaskedBitsAreTheEvsNotTheFields)
{
    EXPECT_EQ(hex(expand(bits("00"), {{8, 0xff, 0, 0, 0xf}}, {8}).value_or(EvBits())), "f0");
}

TEST(Fields, ThatDoNotFit)
{
    const EvFormatWidths format{16, 8};

    EXPECT_TRUE(fields_fit({}, format));
    EXPECT_TRUE(fields_fit({all_of(16), all_of(8)}, format));
    EXPECT_FALSE(fields_fit({all_of(16), all_of(8), all_of(1)}, format)) << "more than it has";
    EXPECT_FALSE(fields_fit({all_of(16), all_of(9)}, format)) << "wider";
    EXPECT_FALSE(fields_fit({{0, 0, 0, 0, 0}}, format)) << "no bits";
    EXPECT_FALSE(fields_fit({{33, 0, 0, 0, 0}}, {64})) << "more than a number has";
    EXPECT_TRUE(fields_fit({all_of(32)}, {64}));
    EXPECT_FALSE(fields_fit({fixed(8, 256)}, format)) << "a value that is too large";
    EXPECT_FALSE(fields_fit({{8, 0, 0, 0, 0x100}}, format)) << "a mask outside";
    EXPECT_FALSE(fields_fit({{8, 0, 0, 16, 0x0f}}, format)) << "more values than the mask has";
    EXPECT_TRUE(fields_fit({{8, 0, 0, 15, 0x0f}}, format));
    EXPECT_FALSE(fields_fit({{8, 0, 3, 2, 0x0f}}, format)) << "no value";
    EXPECT_TRUE(fields_fit({{8, 0, 3, 2, 0}}, format)) << "there is nothing to draw";
}

TEST(Fields, ThatDoNotFitExpandToNothing)
{
    EXPECT_FALSE(expand({}, {all_of(16), all_of(16)}, {16}));
    EXPECT_FALSE(expand({}, {all_of(16)}, {8}));
}

TEST(Fields, OfAFileMaySayAnything)
{
    EXPECT_FALSE(fields_sound(EvFields(9, all_of(32)))) << "more bits than an EV";
    EXPECT_TRUE(fields_sound(EvFields(8, all_of(32))));
    EXPECT_FALSE(fields_sound({{8, 0, 1, 0, 15}}));
}

/** The value of each field in a generated EV. */
std::vector<uint64_t> drawn(const EvBits &ev, const EvFields &fields)
{
    std::vector<uint64_t> values;
    size_t at = 0;

    for (const mrc_ctl_ev_field &field : fields) {
        uint64_t value = 0;
        for (int i = 0; i < __builtin_popcount(field.mask); i++, at++)
            value = value << 1 | (ev[at / 8] >> (7 - at % 8) & 1);
        values.push_back(value);
    }
    return values;
}

TEST(Generate, DrawsWithinTheLimitsAndNothingTwice)
{
    const EvFields wide{{8, 0, 0, 179, 0xff}, fixed(16, 7), {4, 0, 1, 15, 15}, {4, 0, 2, 2, 15}};
    const auto evs = generate(wide, 256, 1);
    std::set<uint64_t> first;

    ASSERT_EQ(evs.size(), 256u);
    EXPECT_EQ(std::set<EvBits>(evs.begin(), evs.end()).size(), 256u);
    for (const EvBits &ev : evs) {
        const auto values = drawn(ev, wide);
        first.insert(values[0]);
        EXPECT_LE(values[0], 179u);
        EXPECT_GE(values[2], 1u);
        EXPECT_EQ(values[3], 2u);
        EXPECT_TRUE(expand(ev, wide, {8, 16, 4, 4})) << "nothing behind them";
    }
    EXPECT_GT(first.size(), 100u) << "from all over";
    EXPECT_EQ(evs, generate(wide, 256, 1)) << "the same again";
    EXPECT_NE(evs, generate(wide, 256, 2)) << "others for another profile";
}

TEST(Generate, AllThereAre)
{
    const EvFields few{{4, 0, 0, 0, 15}, {4, 0, 3, 5, 15}};

    EXPECT_EQ(generate(few, 48, 1).size(), 48u);
    EXPECT_EQ(generate(few, 49, 1).size(), 48u);
    EXPECT_EQ(generate({fixed(8, 3)}, 2, 1), std::vector<EvBits>(1));
    const auto some = generate(few, 20, 1);
    std::set<uint64_t> first;
    for (const EvBits &ev : some)
        first.insert(drawn(ev, few)[0]);
    EXPECT_GT(first.size(), 5u) << "not the first ones in a row";
}

TEST(Generate, ManyValues)
{
    EXPECT_EQ(generate(EvFields(8, all_of(32)), 256, 1).size(), 256u)
        << "more than a number can count";
}

/** With random fields: fields that do not fit are refused, others give EVs of the format. */
TEST(Expand, OfRandomFields)
{
    const auto seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
    size_t fitting = 0;

    for (int round = 0; round < 20000; round++) {
        EvFormatWidths format;
        EvFields some;
        size_t bits_left = 256;
        while (bits_left && below(8)) {
            format.push_back(static_cast<uint8_t>(1 + below(std::min<uint32_t>(40, bits_left))));
            bits_left -= format.back();
            const uint32_t width =
                below(12) ? 1 + below(std::min<uint32_t>(32, format.back())) : below(70);
            const auto number = [&] { return static_cast<uint32_t>(random()); };
            const uint32_t mask = number() & (width < 32 ? (1u << width) - 1 : 0xffffffff);
            some.push_back({width, below(16) ? 0 : number(), 0, below(8) ? 0 : number(), mask});
        }
        if (!fields_fit(some, format)) {
            EXPECT_FALSE(expand({}, some, format));
            continue;
        }
        fitting++;
        for (const EvBits &ev : generate(some, 4, round)) {
            const auto wire = expand(ev, some, format);
            ASSERT_TRUE(wire);
            EXPECT_TRUE(expand(*wire, {}, format)) << "no bit behind the format";
        }
    }
    EXPECT_GT(fitting, 2000u);
}

} // namespace

} // namespace mrc::test
