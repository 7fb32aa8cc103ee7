// SPDX-License-Identifier: GPL-2.0-only
#include "engine/core.h"

#include <gtest/gtest.h>

namespace
{

mrc_answers none()
{
    mrc_answers a;
    memset(&a, 0xaa, sizeof(a)); // nothing of it may be relied on
    mrc_answers_init(&a);
    return a;
}

} // namespace

TEST(Answers, AreInTheOrderInWhichTheyWereAdded)
{
    const mrc_sack sack = {.cack_psn = 0x123456};
    const mrc_nack nack = {.reason = MRC_NACK_NO_RESOURCE, .entropy = 7, .psn = 0x123458};
    mrc_answers a = none();
    mrc_answers_sack(&a, &sack, true);
    mrc_answers_nack(&a, &nack);
    mrc_answers_ack(&a, 0x123450, MRC_NAK_ACCESS, 0xabcdef);
    ASSERT_EQ(a.count, 3u);
    EXPECT_EQ(a.hdr[0].bth.opcode, MRC_OP_SACK);
    EXPECT_EQ(a.hdr[1].bth.opcode, MRC_OP_NACK);
    EXPECT_EQ(a.hdr[2].bth.opcode, MRC_OP_ACK);
}

TEST(Answers, HaveNothingOfWhatWasThereBefore)
{
    const mrc_sack sack = {.cack_psn = 1};
    const mrc_nack nack = {.psn = 2};
    mrc_answers a = none();
    mrc_answers_sack(&a, &sack, false);
    mrc_answers_nack(&a, &nack);
    mrc_answers_ack(&a, 3, MRC_ACK_OK, 0);
    mrc_answers_probe(&a, 4);
    for (unsigned i = 0; i < a.count; ++i) {
        const mrc_bth &bth = a.hdr[i].bth;
        EXPECT_FALSE(bth.ackreq || bth.rtx || bth.ts) << i;
        EXPECT_EQ(bth.pad | bth.pkey | bth.qpn | a.hdr[i].len, 0u) << i;
    }
    EXPECT_EQ(a.hdr[3].probe.tx_timestamp, 0u);
}

TEST(Answers, NameTheirPsnInTheBth)
{
    const mrc_sack sack = {.cack_psn = 0x123456, .sack_offset = 1, .bitmap = 5};
    const mrc_nack nack = {.reason = MRC_NACK_NO_RESOURCE, .entropy = 7, .psn = 0x123458};
    mrc_answers a = none();
    mrc_answers_sack(&a, &sack, true);
    mrc_answers_nack(&a, &nack);
    mrc_answers_ack(&a, 0x1ffffff, MRC_ACK_OK, 9);
    EXPECT_EQ(a.hdr[0].bth.psn, 0x123456u);
    EXPECT_TRUE(a.hdr[0].bth.rtx);
    EXPECT_EQ(memcmp(&a.hdr[0].sack, &sack, sizeof(sack)), 0);
    EXPECT_EQ(a.hdr[1].bth.psn, 0x123458u);
    EXPECT_FALSE(a.hdr[1].bth.rtx);
    EXPECT_EQ(memcmp(&a.hdr[1].nack, &nack, sizeof(nack)), 0);
    EXPECT_EQ(a.hdr[2].bth.psn, 0xffffffu) << "24 bits";
    EXPECT_EQ(a.hdr[2].ack.syndrome, MRC_ACK_OK);
    EXPECT_EQ(a.hdr[2].ack.msn, 9u);
}

/* A packet that is longer than the one before it needs an skb of its own. */
TEST(Answers, OfALivingQpBecomeShorter)
{
    EXPECT_LT(MRC_NACK_LEN, MRC_SACK_LEN);
    EXPECT_LT(MRC_ACK_LEN, MRC_NACK_LEN);
}

TEST(Answers, ThereIsRoomForSixAtMost)
{
    mrc_answers a = none();
    for (unsigned n = 0; n < 6; ++n) {
        EXPECT_EQ(mrc_answers_room(&a), 6 - n);
        mrc_answers_ack(&a, n, MRC_ACK_OK, n);
    }
    EXPECT_EQ(mrc_answers_room(&a), 0u);
}

TEST(Answers, AProbeIsWithDataThatItMustNotOvertake)
{
    const mrc_sack sack{};
    const mrc_nack nack{};
    mrc_answers a = none();
    mrc_answers_probe(&a, 0x1234);
    EXPECT_EQ(a.hdr[0].bth.opcode, MRC_OP_PROBE);
    EXPECT_EQ(a.hdr[0].bth.psn, 0u) << "takes no PSN";
    EXPECT_EQ(a.hdr[0].probe.id, 0x1234);
    EXPECT_EQ(mrc_answers_traffic(&a.hdr[0]), MRC_TRAFFIC_DATA);
    mrc_answers_sack(&a, &sack, false);
    mrc_answers_nack(&a, &nack);
    mrc_answers_ack(&a, 0, MRC_NAK_INVALID, 0);
    for (unsigned i = 1; i < a.count; ++i)
        EXPECT_EQ(mrc_answers_traffic(&a.hdr[i]), MRC_TRAFFIC_CONTROL);
}
