// SPDX-License-Identifier: GPL-2.0-only
//
// Tests that a gate lets a burst pass at once, and a fixed number a second in the long run.

#include "engine/core.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace
{

constexpr std::uint64_t kSec = 1'000'000'000;

int passes(mrc_gate &gate, std::uint64_t now, std::uint32_t rate)
{
    int n = 0;
    while (mrc_gate_pass(&gate, now, rate))
        ++n;
    return n;
}

TEST(Gate, ABurstAtOnceAndNoMore)
{
    mrc_gate gate{};
    EXPECT_EQ(passes(gate, 5 * kSec, 100), 64);
    EXPECT_EQ(passes(gate, 5 * kSec, 100), 0);
    EXPECT_EQ(passes(gate, 5 * kSec + kSec / 100 - 1, 100), 0);
    EXPECT_EQ(passes(gate, 5 * kSec + kSec / 100, 100), 1);
}

TEST(Gate, WhoWaitedLongHasNoMoreThanABurst)
{
    mrc_gate gate{};
    passes(gate, 1, 10000);
    EXPECT_EQ(passes(gate, 100 * kSec, 10000), 64);
}

TEST(Gate, TheRateInTheLongRun)
{
    for (const std::uint32_t rate : {1u, 100u, 10000u, 1000000u}) {
        mrc_gate gate{};
        int n = 0;
        for (int step = 0; step <= 1000; ++step)
            n += passes(gate, kSec + step * kSec / 10, rate);
        const int most =
            static_cast<int>(std::min<std::uint64_t>(100ull * rate, 1000ull * 64)) + 64;
        EXPECT_LE(n, most) << rate;
        EXPECT_GE(n, most - 64) << rate;
    }
}

TEST(Gate, TheRoomIsWhatPasses)
{
    for (const std::uint32_t rate : {100u, 10000u}) {
        mrc_gate gate{};
        for (int step = 0; step < 1000; ++step) {
            const std::uint64_t now = kSec + step * (kSec / rate) / 3;
            mrc_gate copy = gate;
            ASSERT_EQ(mrc_gate_room(&gate, now, rate),
                      static_cast<unsigned>(passes(copy, now, rate)));
            for (int n = step % 7; n; --n)
                mrc_gate_pass(&gate, now, rate);
        }
    }
}

} // namespace
