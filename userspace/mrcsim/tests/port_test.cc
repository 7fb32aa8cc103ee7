// SPDX-License-Identifier: GPL-2.0-only
#include "port.h"

#include <gtest/gtest.h>

#include "random.h"

using namespace mrcsim;

namespace
{

constexpr QueueLimits limits = {.mark_from = 2000,
                                .mark_all = 8000,
                                .trim = 10'000,
                                .drop = 20'000,
                                .control_drop = 300,
                                .trimmed_bytes = 100};

class PortTest : public testing::Test
{
protected:
    PacketId packet(uint16_t bytes, Traffic traffic = Traffic::data, bool trimmable = true)
    {
        const PacketId id = pool.take();
        pool[id] = Packet();
        pool[id].bytes = bytes;
        pool[id].payload = trimmable ? bytes - 100u : 0;
        pool[id].traffic = traffic;
        pool[id].trimmable = trimmable;
        return id;
    }

    Admission admit(PacketId id) { return queues.admit(limits, pool, id); }

    PacketPool pool;
    PortQueues queues;
};

TEST_F(PortTest, PacketsOfAClassLeaveAsTheyCame)
{
    const PacketId first = packet(1000);
    const PacketId second = packet(1500);

    EXPECT_EQ(admit(first), Admission::queued);
    EXPECT_EQ(admit(second), Admission::queued);
    EXPECT_EQ(queues.bytes(Traffic::data), 2500u);
    EXPECT_EQ(queues.take(pool), first);
    EXPECT_EQ(queues.take(pool), second);
    EXPECT_TRUE(queues.empty());
    EXPECT_EQ(admit(first), Admission::queued);
    EXPECT_EQ(queues.take(pool), first);
}

TEST_F(PortTest, ControlThenRetransmissionsThenData)
{
    const PacketId data = packet(1000);
    const PacketId again = packet(1000, Traffic::again);
    const PacketId control = packet(100, Traffic::control, false);

    for (const PacketId id : {data, again, control})
        EXPECT_EQ(admit(id), Admission::queued);
    EXPECT_EQ(queues.take(pool), control);
    EXPECT_EQ(queues.take(pool), again);
    EXPECT_EQ(queues.take(pool), data);
}

TEST_F(PortTest, WhatDoesNotFitIsTrimmedAndOvertakes)
{
    const PacketId first = packet(10'000);
    const PacketId second = packet(1000);

    EXPECT_EQ(admit(first), Admission::queued) << "as much as the threshold is no more";
    EXPECT_EQ(admit(second), Admission::trimmed);
    EXPECT_EQ(pool[second].bytes, 100u);
    EXPECT_EQ(pool[second].payload, 0u);
    EXPECT_TRUE(pool[second].trimmed);
    EXPECT_FALSE(pool[second].last_hop);
    EXPECT_EQ(queues.bytes(Traffic::control), 100u);
    EXPECT_EQ(queues.take(pool), second);
}

TEST_F(PortTest, TheLastHopSaysSo)
{
    QueueLimits last = limits;
    const PacketId id = packet(11'000);

    last.last_hop = true;
    EXPECT_EQ(queues.admit(last, pool, id), Admission::trimmed);
    EXPECT_TRUE(pool[id].last_hop);
}

TEST_F(PortTest, WithoutPayloadThereIsRoomUpToTheDropLimit)
{
    EXPECT_EQ(admit(packet(10'000)), Admission::queued);
    EXPECT_EQ(admit(packet(10'000, Traffic::data, false)), Admission::queued);
    EXPECT_EQ(admit(packet(1, Traffic::data, false)), Admission::dropped);
}

TEST_F(PortTest, HeadsOfTrimmedPacketsAreDroppedWhereTheyHaveNoRoom)
{
    EXPECT_EQ(admit(packet(10'000)), Admission::queued);
    for (int i = 0; i < 3; i++)
        EXPECT_EQ(admit(packet(1000)), Admission::trimmed);
    EXPECT_EQ(admit(packet(1000)), Admission::dropped);
}

TEST_F(PortTest, WithoutTrimmingTheDropLimitCounts)
{
    QueueLimits none = limits;

    none.trim = 0;
    EXPECT_EQ(queues.admit(none, pool, packet(20'000)), Admission::queued);
    EXPECT_EQ(queues.admit(none, pool, packet(1000)), Admission::dropped);
}

/** Of 1,000 packets that leave @p behind bytes behind them, how many are marked. */
int marked(uint64_t behind)
{
    int count = 0;

    for (uint32_t i = 0; i < 1000; i++)
        count += is_marked(limits, behind, static_cast<uint32_t>(random(1, 2, i) >> 32));
    return count;
}

TEST(Marks, AreARampOfWhatIsLeftBehind)
{
    EXPECT_EQ(marked(1999), 0);
    EXPECT_EQ(marked(2000), 0);
    EXPECT_NEAR(marked(5000), 500, 50);
    EXPECT_NEAR(marked(6500), 750, 50);
    EXPECT_EQ(marked(8000), 1000);
    EXPECT_FALSE(is_marked(QueueLimits{}, 1'000'000, 0)) << "a port that does not mark";
}

TEST(LinkState, BytesTakeWholePicosecondsAtUsualRates)
{
    for (const auto &[gbps, ps] : {std::pair{100, 80}, {400, 20}, {800, 10}, {25, 320}}) {
        const LinkState link = {.byte_time = byte_time_of(gbps * 1000ull)};
        EXPECT_EQ(link.serialization(4258), 4258ull * ps) << gbps;
    }
}

TEST(WireBytes, AreThoseOfTheBaseFabric)
{
    EXPECT_EQ(wire_bytes(MRC_BTH_LEN + MRC_METH_LEN + MRC_RETH_LEN, 4096, 0), 4258u);
    EXPECT_EQ(wire_bytes(MRC_SACK_LEN, 0, 0), 178u + 0u);
}

} // namespace
