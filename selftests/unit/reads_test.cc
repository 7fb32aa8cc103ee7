// SPDX-License-Identifier: GPL-2.0-only
#include "engine/core.h"

#include <gtest/gtest.h>

#include <vector>

namespace
{

constexpr u32 kMtu = 1024;

/// A READ of @p len bytes with the message number @p msn.
void add(mrc_reads &s, u16 msn, u32 len, bool atomic = false)
{
    const mrc_read read = {.index = msn + 100u, .len = len, .msn = msn, .atomic = atomic};
    mrc_reads_add(&s, &read, kMtu);
}

struct Packet {
    mrc_write head{};
    mrc_rx_arrival a{};

    Packet(u16 msn, u32 psn, u32 offset, u32 len, bool atomic = false)
    {
        head.rdeth = msn;
        a.psn = psn;
        a.offset = offset;
        a.dmalen = len;
        a.opflags = MRC_OPF_REQUEST | MRC_OPF_RESPONSE | (atomic ? MRC_OPF_ATOMIC : 0u);
        a.head = &head;
    }

    bool fits(mrc_reads &s) { return mrc_reads_find(&s, &a, kMtu); }

    /// @return whether the response has arrived with it
    bool place(mrc_reads &s) { return fits(s) && mrc_reads_placed(&s, &a); }
};

/// Requests whose response has arrived.
std::vector<u32> taken(mrc_reads &s)
{
    std::vector<u32> all;
    u32 index;
    while (mrc_reads_take(&s, &index))
        all.push_back(index);
    return all;
}

} // namespace

TEST(Reads, AResponseInAnyOrder)
{
    mrc_reads s{};
    add(s, 5, 2 * kMtu + 1);
    add(s, 6, 0);
    for (const u32 i : {2, 0, 1}) {
        EXPECT_EQ(taken(s), std::vector<u32>{});
        const u32 psn = mrc_psn_add(0xffffff, static_cast<s32>(i));
        EXPECT_EQ(Packet(5, psn, i * kMtu, 2 * kMtu + 1).place(s), i == 1);
    }
    EXPECT_EQ(taken(s), std::vector<u32>{105});
    EXPECT_TRUE(Packet(6, 3, 0, 0).place(s));
    EXPECT_EQ(taken(s), std::vector<u32>{106});
    EXPECT_EQ(s.count, 0u);
    EXPECT_FALSE(Packet(5, 0, kMtu, 2 * kMtu + 1).fits(s)) << "nobody waits for it any more";
}

/* Otherwise something could be written to the memory of a READ that is complete. */
TEST(Reads, PacketsThatDisagree)
{
    mrc_reads s{};
    add(s, 5, 4 * kMtu);
    EXPECT_TRUE(Packet(5, 10, kMtu, 4 * kMtu).fits(s));
    EXPECT_FALSE(Packet(5, 10, 2 * kMtu, 4 * kMtu).fits(s)) << "another first PSN";
    EXPECT_FALSE(Packet(5, 11, 2 * kMtu, 5 * kMtu).fits(s)) << "another length";
    EXPECT_FALSE(Packet(4, 11, 2 * kMtu, 4 * kMtu).fits(s)) << "another READ";
    EXPECT_FALSE(Packet(5, 9, 0, 8, true).fits(s)) << "the response to an atomic";
    EXPECT_TRUE(Packet(5, 11, 2 * kMtu, 4 * kMtu).fits(s));
}

TEST(Reads, AsManyAsMayBeUnderWay)
{
    mrc_reads s{};
    for (u16 msn = 0; msn < MRC_READS_MAX; ++msn)
        add(s, msn, 8, msn % 2);
    for (u16 round = 0; round < 3; ++round) {
        for (u16 i = 0; i < MRC_READS_MAX; ++i) {
            const u16 msn = static_cast<u16>(round * MRC_READS_MAX + i);
            ASSERT_TRUE(Packet(msn, 1000u + msn, 0, 8, msn % 2).place(s));
            EXPECT_EQ(taken(s), std::vector<u32>{msn + 100u});
            add(s, static_cast<u16>(msn + MRC_READS_MAX), 8, msn % 2);
        }
    }
}
