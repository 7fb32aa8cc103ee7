// SPDX-License-Identifier: GPL-2.0-only
//
// Runs the fuzzer's body for a bounded time: with random input of a plausible shape, once from a
// fixed seed and once from a drawn seed (MRC_FUZZ_SEED=N repeats it), and with the inputs that
// libFuzzer found worth keeping (selftests/fuzz/corpus).
#include "engine/core.h"
#include "fuzz_body.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <vector>

namespace
{

constexpr int kRuns = 1000; // of each seed
constexpr u8 kOpcodes[] = {0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xcb, 0xd1, 0xd8, 0xd9, 0xdc, 0xdd, 0xde};

/// A packet with a header near the windows' PSNs and one or two changed bytes.
void addPacket(std::vector<std::uint8_t> &out, std::mt19937 &rng)
{
    mrc_hdr hdr{};
    hdr.bth.opcode = kOpcodes[rng() % std::size(kOpcodes)];
    hdr.bth.psn = mrc_psn_add(0xffffd0, static_cast<s32>(rng() % 300) - 10);
    hdr.bth.ackreq = rng() % 2;
    hdr.bth.rtx = rng() % 2;
    if (hdr.bth.opcode == MRC_OP_SACK) {
        hdr.sack.cack_psn = hdr.bth.psn;
        hdr.sack.ack_offset = static_cast<s16>(rng() % 40);
        hdr.sack.sack_offset = static_cast<s16>(rng() % 20);
        hdr.sack.bitmap = static_cast<u64>(rng()) << 32 | rng();
        hdr.sack.bitmap >>= rng() % 64;
        hdr.sack.probe = rng() % 3 == 0;
        hdr.sack.ooo_count = rng() % 64;
    } else if (hdr.bth.opcode == MRC_OP_NACK) {
        hdr.nack.psn = hdr.bth.psn;
    }
    u8 buf[MRC_HDR_MAX];
    const unsigned len = mrc_hdr_encode(buf, &hdr);
    if (rng() % 4 == 0)
        buf[rng() % len] = static_cast<u8>(rng());
    out.push_back(static_cast<u8>(0x80 | len));
    out.push_back(static_cast<u8>(rng()));
    out.insert(out.end(), buf, buf + len - (rng() % 50 ? 0 : rng() % len));
}

void runPlausible(std::uint32_t seed)
{
    std::mt19937 rng(seed);
    for (int run = 0; run < kRuns; ++run) {
        std::vector<std::uint8_t> input;
        for (int i = 0; i < 200; ++i) {
            if (rng() % 2) {
                addPacket(input, rng);
            } else {
                input.push_back(static_cast<u8>(rng() & 0x7f));
                input.push_back(static_cast<u8>(rng()));
            }
        }
        fuzzCore(input.data(), input.size());
    }
}

void runNoise(std::uint32_t seed)
{
    std::mt19937 rng(seed);
    for (int run = 0; run < kRuns; ++run) {
        std::vector<std::uint8_t> input(rng() % 2000);
        for (auto &byte : input)
            byte = static_cast<u8>(rng());
        fuzzCore(input.data(), input.size());
    }
}

/// Printed at once, because a failure aborts.
std::uint32_t drawnSeed()
{
    const char *given = std::getenv("MRC_FUZZ_SEED");
    const auto seed = given ? static_cast<std::uint32_t>(std::strtoul(given, nullptr, 0))
                            : std::random_device()();
    std::cout << "MRC_FUZZ_SEED=" << seed << std::endl;
    return seed;
}

} // namespace

TEST(Fuzz, PlausibleInput)
{
    runPlausible(1);
}

TEST(Fuzz, PlausibleInputDrawn)
{
    runPlausible(drawnSeed());
}

TEST(Fuzz, Noise)
{
    runNoise(2);
}

TEST(Fuzz, NoiseDrawn)
{
    runNoise(drawnSeed());
}

TEST(Fuzz, Corpus)
{
    int inputs = 0;
    for (const auto &entry : std::filesystem::directory_iterator(MRC_CORPUS)) {
        std::ifstream file(entry.path(), std::ios::binary);
        const std::vector<std::uint8_t> input{std::istreambuf_iterator<char>(file), {}};
        std::cout << entry.path().filename().string() << std::endl;
        fuzzCore(input.data(), input.size());
        ++inputs;
    }
    EXPECT_GE(inputs, 10);
}
