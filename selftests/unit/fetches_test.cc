// SPDX-License-Identifier: GPL-2.0-only
#include "engine/core.h"

#include <gtest/gtest.h>

namespace
{

int add(mrc_fetches &s, u32 psn)
{
    const mrc_write head = {.msn = static_cast<u16>(psn), .va = psn, .dmalen = 8, .rdeth = 7};
    return mrc_fetches_add(&s, psn, MRC_OP_READ, &head);
}

} // namespace

TEST(Fetches, AreExecutedInTheOrderOfPsns)
{
    mrc_fetches s{};
    for (const u32 psn : {3u, 0u, 0xfffffeu, 1u})
        ASSERT_EQ(add(s, psn), 0);
    EXPECT_EQ(mrc_fetches_due(&s, 0), nullptr) << "an older one comes first";
    EXPECT_EQ(mrc_fetches_oldest(&s), nullptr) << "none was executed";
    for (const u32 psn : {0xfffffeu, 0u, 1u, 3u}) {
        mrc_fetch *fetch = mrc_fetches_due(&s, psn);
        ASSERT_NE(fetch, nullptr) << psn;
        EXPECT_EQ(fetch->va, psn);
        EXPECT_EQ(fetch->first_psn, 7u);
        fetch->value = psn + 1;
        mrc_fetches_executed(&s);
    }
    for (const u32 psn : {0xfffffeu, 0u, 1u, 3u}) {
        ASSERT_NE(mrc_fetches_oldest(&s), nullptr);
        EXPECT_EQ(mrc_fetches_oldest(&s)->value, psn + 1);
        mrc_fetches_pop(&s);
    }
    EXPECT_EQ(s.count, 0u);
}

/* Those that were executed keep their place, whatever arrives. */
TEST(Fetches, ManyRoundsThroughTheRing)
{
    mrc_fetches s{};
    u32 oldest = 0, executed = 0, arrived = 0;
    for (unsigned step = 0; step < 1000; ++step) {
        while (arrived - oldest < MRC_READS_MAX - step % 3)
            ASSERT_EQ(add(s, arrived++), 0);
        while (executed < arrived - step % 2) {
            ASSERT_NE(mrc_fetches_due(&s, executed), nullptr);
            mrc_fetches_executed(&s);
            ++executed;
        }
        for (unsigned n = 0; n < step % 5 && oldest < executed; ++n) {
            ASSERT_EQ(mrc_fetches_oldest(&s)->psn, oldest);
            mrc_fetches_pop(&s);
            ++oldest;
        }
    }
}

TEST(Fetches, OneTooMany)
{
    mrc_fetches s{};
    for (u32 psn = 0; psn < MRC_READS_MAX; ++psn)
        ASSERT_EQ(add(s, psn), 0);
    EXPECT_EQ(add(s, 99), -ENOSPC);
    EXPECT_EQ(s.count, MRC_READS_MAX);
}
