// SPDX-License-Identifier: GPL-2.0-only
#include "engine/core.h"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <array>
#include <optional>
#include <vector>

namespace
{

constexpr u32 kMtu = 1024;
constexpr u32 kSize = 512;
constexpr u32 kImmMax = 3;
constexpr u32 kFirst = 0xfffff0; ///< the PSN wraps soon
constexpr std::uint64_t kUs = 1000;

/// A responder, and packets numbered from its first PSN.
struct Responder {
    std::vector<unsigned long> mem;
    mrc_resp q;
    mrc_answers a;
    std::uint64_t now = 1000 * kUs;

    explicit Responder(u32 sack_bytes = MRC_SACK_BYTES_MAX, u32 size = kSize, u32 mtu = kMtu)
        : mem(mrc_rx_window_mem(size, kImmMax) / sizeof(long) + 1)
    {
        const mrc_resp_cfg cfg = {
            .size = size, .imm_max = kImmMax, .mtu = mtu, .sack_bytes = sack_bytes};
        memset(&q, 0xaa, sizeof(q));
        mrc_resp_start(&q, mem.data(), &cfg, kFirst);
    }

    static u32 psn(u32 nth) { return mrc_psn_add(kFirst, static_cast<s32>(nth)); }

    /// A full packet at @p nth that belongs to a message of @p packets packets.
    static mrc_rx_arrival packet(u32 nth, u8 opcode = MRC_OP_WRITE_ONLY, u32 packets = 1)
    {
        mrc_hdr hdr{};
        mrc_rx_arrival arrival;
        hdr.bth.opcode = opcode;
        hdr.bth.psn = psn(nth);
        hdr.len = mrc_opcode_hdr_len(opcode);
        hdr.write.dmalen = packets * kMtu;
        hdr.write.imm = htonl(nth);
        hdr.write.msn = hdr.write.rqmsn = static_cast<u16>(nth);
        mrc_resp_arrival(&hdr, kMtu, 0xe0000000 + nth, false, &arrival);
        return arrival;
    }

    void arrive(const mrc_rx_arrival &arrival, u8 syndrome = 0)
    {
        ASSERT_EQ(mrc_resp_claim(&q, &arrival), MRC_RX_NEW);
        if (arrival.opflags & MRC_OPF_SEND && mrc_resp_receive(&q, &arrival) < 0)
            syndrome = MRC_NAK_INVALID;
        mrc_resp_commit(&q, &arrival, syndrome);
    }

    void arrive(u32 nth, u8 opcode = MRC_OP_WRITE_ONLY) { arrive(packet(nth, opcode)); }

    /// A packet of another message than the one that belongs there.
    void arrive_of(u16 msn, u32 nth, u8 opcode)
    {
        mrc_rx_arrival arrival = packet(nth, opcode);
        arrival.msn = msn;
        arrive(arrival);
    }

    /// Messages that are handed to the program.
    std::vector<mrc_rx_done> done()
    {
        std::vector<mrc_rx_done> all;
        mrc_rx_done d;
        while (mrc_resp_next_done(&q, &d))
            all.push_back(d);
        return all;
    }

    u8 answer()
    {
        done();
        mrc_answers_init(&a);
        return mrc_resp_answer(&q, now, &a);
    }

    /// The answer is one ACK or NAK, and no SACK.
    void expectAckAlone(u32 nth, u8 syndrome, u32 msn) const
    {
        ASSERT_EQ(a.count, 1u);
        expectAck(nth, syndrome, msn);
    }

    /// The last answer is an ACK or NAK.
    void expectAck(u32 nth, u8 syndrome, u32 msn) const
    {
        ASSERT_NE(a.count, 0u);
        const mrc_hdr &hdr = a.hdr[a.count - 1];
        EXPECT_EQ(hdr.bth.opcode, MRC_OP_ACK);
        EXPECT_EQ(hdr.bth.psn, psn(nth));
        EXPECT_EQ(hdr.ack.syndrome, syndrome);
        EXPECT_EQ(hdr.ack.msn, msn);
    }

    unsigned sacks() const
    {
        unsigned n = 0;
        while (n < a.count && a.hdr[n].bth.opcode == MRC_OP_SACK)
            ++n;
        return n;
    }
};

mrc_rx_arrival sized(u8 opcode, u32 payload, u32 dmalen)
{
    mrc_rx_arrival a{};
    a.opflags = mrc_opcode_flags(opcode);
    a.payload = payload;
    a.dmalen = dmalen;
    return a;
}

} // namespace

TEST(Responder, ArrivalSaysWhatThePacketSays)
{
    mrc_hdr hdr{};
    mrc_rx_arrival a;
    hdr.bth = {.opcode = MRC_OP_WRITE_LAST_IMM, .pad = 3, .ackreq = true, .psn = 77};
    hdr.len = 36;
    hdr.write = {
        .rqmsn = 0xabcd, .msn = 0x1234, .tx_timestamp = 5, .dmalen = 3000, .imm = htonl(9)};
    mrc_resp_arrival(&hdr, 953, 0xc0de, true, &a);
    EXPECT_EQ(a.psn, 77u);
    EXPECT_EQ(a.opflags, MRC_OPF_REQUEST | MRC_OPF_LAST | MRC_OPF_TAKES | MRC_OPF_IMM);
    EXPECT_EQ(a.payload, 953u);
    EXPECT_EQ(a.nominal, 40u + 8 + 36 + 953 + 3 + 4) << "IPv6, UDP, headers, pad and ICRC, too";
    EXPECT_EQ(a.imm, htonl(9));
    EXPECT_EQ(a.dmalen, 3000u);
    EXPECT_EQ(a.msn, 0x1234);
    EXPECT_EQ(a.rqmsn, 0xabcd);
    EXPECT_EQ(a.ev, 0xc0deu);
    EXPECT_EQ(a.tx_timestamp, 5u);
    EXPECT_TRUE(a.ackreq);
    EXPECT_TRUE(a.ce);
    EXPECT_FALSE(a.rtx);
    hdr.bth = {.opcode = MRC_OP_WRITE_FIRST, .rtx = true};
    mrc_resp_arrival(&hdr, 1024, 0, false, &a);
    EXPECT_TRUE(a.rtx);
    EXPECT_FALSE(a.ackreq);
    EXPECT_FALSE(a.ce);
}

TEST(Responder, LengthRules)
{
    const Responder r;
    const auto fits = [&](u8 opcode, u32 payload, u32 dmalen) {
        const mrc_rx_arrival a = sized(opcode, payload, dmalen);
        return mrc_resp_fits(&r.q, &a);
    };
    for (u8 opcode : {MRC_OP_WRITE_FIRST, MRC_OP_WRITE_MIDDLE}) {
        EXPECT_TRUE(fits(opcode, kMtu, 2 * kMtu));
        EXPECT_FALSE(fits(opcode, kMtu - 4, 2 * kMtu)) << "full, but for the last one";
        EXPECT_FALSE(fits(opcode, kMtu + 4, 4 * kMtu));
        EXPECT_FALSE(fits(opcode, kMtu, kMtu - 1)) << "longer than its message";
    }
    for (u8 opcode : {MRC_OP_WRITE_LAST, MRC_OP_WRITE_LAST_IMM}) {
        EXPECT_TRUE(fits(opcode, 1, kMtu + 1));
        EXPECT_TRUE(fits(opcode, kMtu, MRC_MSG_MAX));
        EXPECT_FALSE(fits(opcode, 0, kMtu + 1)) << "there was no need for it";
        EXPECT_FALSE(fits(opcode, kMtu + 1, 4 * kMtu));
        EXPECT_FALSE(fits(opcode, 5, 4));
        EXPECT_FALSE(fits(opcode, 1, MRC_MSG_MAX + 1));
    }
    for (u8 opcode : {MRC_OP_WRITE_ONLY, MRC_OP_WRITE_ONLY_IMM}) {
        EXPECT_TRUE(fits(opcode, 0, 0));
        EXPECT_TRUE(fits(opcode, kMtu, kMtu));
        EXPECT_FALSE(fits(opcode, kMtu - 1, kMtu)) << "it is the whole message";
        EXPECT_FALSE(fits(opcode, kMtu + 1, kMtu + 1));
    }
}

TEST(Responder, WhatIsCompleteIsAcknowledgedOnce)
{
    Responder r;
    r.arrive(0);
    r.arrive(1);
    EXPECT_EQ(r.answer(), 0);
    r.expectAck(1, MRC_ACK_OK, 2);
    r.answer();
    EXPECT_EQ(r.a.count, 0u) << "there is nothing new";
    r.arrive(2, MRC_OP_WRITE_FIRST);
    r.answer();
    EXPECT_EQ(r.a.count, 0u) << "a part of a message is none";
}

TEST(Responder, ASackRidesWithAnAck)
{
    Responder r;
    r.arrive(0, MRC_OP_WRITE_FIRST);
    r.arrive(3);
    r.answer();
    EXPECT_EQ(r.a.count, 0u) << "no SACK is due";
    r.arrive_of(0, 1, MRC_OP_WRITE_LAST);
    r.answer();
    ASSERT_EQ(r.a.count, 2u);
    EXPECT_EQ(r.a.hdr[0].bth.opcode, MRC_OP_SACK);
    EXPECT_EQ(r.a.hdr[0].sack.cack_psn, r.psn(1));
    EXPECT_EQ(r.a.hdr[0].sack.mpr, kSize / MRC_MPR_UNIT) << "the sender learns our window";
    EXPECT_EQ(r.a.hdr[0].sack.bitmap, 2u);
    r.expectAck(1, MRC_ACK_OK, 1);
}

TEST(Responder, NoSackRidesWithAnAckWhenAllHasBeenTold)
{
    Responder r;
    r.arrive(100); // there would be old news to tell again
    mrc_rx_arrival a = r.packet(0);
    a.ackreq = true;
    r.arrive(a);
    mrc_answers_init(&r.a);
    mrc_resp_answer(&r.q, r.now, &r.a); // before the message is handed out
    EXPECT_NE(r.sacks(), 0u);
    EXPECT_FALSE(mrc_rx_sack_news(&r.q.rx));
    r.answer();
    r.expectAckAlone(0, MRC_ACK_OK, 1);
}

TEST(Responder, ASackThatIsDueNeedsNoAck)
{
    Responder r;
    mrc_rx_arrival a = r.packet(1);
    a.ackreq = true;
    r.arrive(a);
    r.answer();
    ASSERT_EQ(r.a.count, 1u);
    EXPECT_EQ(r.a.hdr[0].bth.opcode, MRC_OP_SACK);
}

TEST(Responder, TheSackSaysWhatItsTriggerWas)
{
    Responder r;
    mrc_rx_arrival a = r.packet(0, MRC_OP_WRITE_FIRST);
    a.rtx = true;
    r.arrive(a);
    r.answer();
    ASSERT_EQ(r.a.count, 1u);
    EXPECT_TRUE(r.a.hdr[0].bth.rtx);
    EXPECT_EQ(r.a.hdr[0].bth.psn, r.psn(0)) << "the cumulative PSN";
    EXPECT_EQ(r.a.hdr[0].sack.entropy, 0xe0000000u);
}

TEST(Responder, ADuplicateGetsSackAndAckAgain)
{
    Responder r;
    r.arrive(0);
    r.arrive(1);
    r.answer();
    const mrc_rx_arrival again = r.packet(0);
    EXPECT_EQ(mrc_resp_claim(&r.q, &again), MRC_RX_DUP);
    r.answer();
    EXPECT_EQ(r.sacks(), 1u);
    EXPECT_EQ(r.a.hdr[0].sack.entropy, 0xe0000000u) << "its trigger";
    r.expectAck(1, MRC_ACK_OK, 2);
    r.answer();
    EXPECT_EQ(r.a.count, 0u) << "once";
}

TEST(Responder, NominalBytesAreCountedOnce)
{
    Responder r;
    mrc_rx_arrival a = r.packet(0);
    a.ackreq = true;
    EXPECT_EQ(a.nominal, 40u + 8 + 32 + kMtu + 4);
    r.arrive(a);
    EXPECT_EQ(mrc_resp_claim(&r.q, &a), MRC_RX_DUP);
    r.arrive(r.packet(2), MRC_NAK_ACCESS);
    r.answer();
    EXPECT_EQ(r.a.hdr[0].sack.rcvd_bytes, mrc_rcvd_bytes_units(a.nominal));
}

TEST(Responder, ASmallWindowIsNotWaitedFor)
{
    const auto packets = [](Responder &&r, u32 mtu) {
        mrc_rx_arrival a = r.packet(0, MRC_OP_WRITE_FIRST);
        r.q.rx.asks = true;
        for (u32 nth = 0; nth < r.q.rx.size; ++nth) {
            a = r.packet(nth, MRC_OP_WRITE_FIRST);
            a.payload = mtu;
            a.msn = 0;
            r.arrive(a);
            if (mrc_rx_sack_due(&r.q.rx))
                return nth + 1;
        }
        return 0u;
    };
    EXPECT_EQ(packets(Responder(64 * kMtu), kMtu), 64u) << "what it is told";
    EXPECT_EQ(packets(Responder(MRC_SACK_BYTES_MAX), kMtu), kSize / 4);
    EXPECT_EQ(packets(Responder(MRC_SACK_BYTES_MAX, 128), kMtu), 32u);
    EXPECT_EQ(packets(Responder(MRC_SACK_BYTES_MAX, 128, 4096), 4096), 32u);
    EXPECT_EQ(packets(Responder(MRC_SACK_BYTES_MAX, 128, 256), 256), 32u) << "each counts 1024";
}

TEST(Responder, OutsideTheWindowIsRefused)
{
    for (const u32 ahead : {kSize, kSize + 1, 1u << 22, (1u << 23) - 2}) {
        Responder r;
        mrc_rx_arrival a = r.packet(ahead);
        a.tx_timestamp = 77;
        EXPECT_EQ(mrc_resp_claim(&r.q, &a), MRC_RX_OOR);
        EXPECT_EQ(r.answer(), 0);
        ASSERT_EQ(r.a.count, 1u);
        EXPECT_EQ(r.a.hdr[0].bth.opcode, MRC_OP_NACK);
        EXPECT_EQ(r.a.hdr[0].nack.reason, MRC_NACK_PSN_OOR_WINDOW);
        EXPECT_EQ(r.a.hdr[0].nack.psn, a.psn);
        EXPECT_EQ(r.a.hdr[0].nack.entropy, a.ev);
        EXPECT_EQ(r.a.hdr[0].nack.tx_timestamp, 77);
        r.answer();
        EXPECT_EQ(r.a.count, 0u) << "once";
    }
}

TEST(Responder, TheEndOfTheWindowIsInside)
{
    Responder r;
    r.arrive(kSize - 1);
    r.answer();
    EXPECT_EQ(r.a.count, 0u);
}

TEST(Responder, PacketsTogetherGetOneNack)
{
    Responder r;
    mrc_rx_arrival a;
    for (u32 nth = 0; nth < 9; ++nth) {
        a = r.packet(kSize + nth);
        mrc_resp_claim(&r.q, &a);
    }
    r.answer();
    ASSERT_EQ(r.a.count, 1u);
    EXPECT_EQ(r.a.hdr[0].nack.psn, a.psn) << "of the newest";
}

TEST(Responder, NacksAreBounded)
{
    Responder r;
    const mrc_rx_arrival a = r.packet(kSize);
    const auto nacks = [&](unsigned packets) {
        unsigned n = 0;
        for (; packets; --packets) {
            mrc_resp_claim(&r.q, &a);
            r.answer();
            n += r.a.count;
        }
        return n;
    };
    EXPECT_EQ(nacks(1000), MRC_GATE_BURST);
    r.now += 5000 * kUs;
    EXPECT_EQ(nacks(1000), 5u) << "one each millisecond";
}

TEST(Responder, ANackStandsBetweenSacksAndTheAck)
{
    Responder r;
    for (u32 nth = 1; nth < kSize; nth += 2)
        r.arrive(nth);
    r.arrive(0);
    const mrc_rx_arrival a = r.packet(2 * kSize);
    mrc_resp_claim(&r.q, &a);
    r.answer();
    EXPECT_EQ(r.a.count, MRC_ANSWERS_MAX);
    EXPECT_EQ(r.sacks(), MRC_ANSWERS_MAX - 2);
    EXPECT_EQ(r.a.hdr[MRC_ANSWERS_MAX - 2].bth.opcode, MRC_OP_NACK);
    r.expectAck(1, MRC_ACK_OK, 2);
}

/* Every second packet of the window: more news than the SACKs of one answer can hold. */
TEST(Responder, FourSacksOfNewsAndTheAckAtMost)
{
    Responder r;
    for (u32 nth = 1; nth < kSize; nth += 2)
        r.arrive(nth);
    mrc_rx_arrival a = r.packet(0);
    a.ackreq = true;
    r.arrive(a);
    r.answer();
    EXPECT_EQ(r.a.count, MRC_ANSWERS_MAX);
    EXPECT_EQ(r.sacks(), MRC_ANSWERS_MAX - 1) << "four of news, and one of what was told before";
    r.expectAck(1, MRC_ACK_OK, 2);
    s16 before = 0;
    for (unsigned i = 0; i < 4; ++i) {
        EXPECT_GT(r.a.hdr[i].sack.sack_offset, before) << "the walk goes on";
        before = r.a.hdr[i].sack.sack_offset;
    }
    EXPECT_EQ(r.a.hdr[4].sack.sack_offset, 1) << "not of news";
    EXPECT_TRUE(mrc_rx_sack_news(&r.q.rx)) << "the rest with the next answer";
}

TEST(Responder, TwoSacksOfOldNewsFillAnAnswer)
{
    Responder r;
    for (u32 nth = 1; nth < kSize; nth += 2)
        r.arrive(nth);
    while (mrc_rx_sack_news(&r.q.rx)) {
        r.q.rx.sack_due = true;
        r.answer();
    }
    mrc_rx_arrival a = r.packet(300);
    a.ackreq = true;
    r.arrive(a);
    r.answer();
    EXPECT_EQ(r.a.count, 3u) << "one of news and two again";
    EXPECT_NE(r.a.hdr[1].sack.sack_offset, r.a.hdr[2].sack.sack_offset);
}

TEST(Responder, ARefusedPacketHasNotArrived)
{
    Responder r;
    mrc_rx_arrival a = r.packet(1);
    r.arrive(a, MRC_NAK_ACCESS);
    EXPECT_EQ(mrc_resp_claim(&r.q, &a), MRC_RX_NEW) << "another copy may be right";
    mrc_resp_commit(&r.q, &a, MRC_NAK_ACCESS);
    EXPECT_EQ(r.answer(), 0);
    EXPECT_EQ(r.a.count, 0u);
}

TEST(Responder, TheNakGoesOutWhenAllBeforeHasArrived)
{
    Responder r;
    r.arrive(r.packet(2), MRC_NAK_ACCESS);
    r.arrive(0);
    EXPECT_EQ(r.answer(), 0);
    r.expectAck(0, MRC_ACK_OK, 1);
    r.arrive(1);
    EXPECT_EQ(r.answer(), MRC_NAK_ACCESS);
    r.expectAck(2, MRC_NAK_ACCESS, 2);
}

TEST(Responder, TheOldestRefusedPacketCounts)
{
    for (const bool older_first : {false, true}) {
        Responder r;
        r.arrive(r.packet(older_first ? 1 : 4), older_first ? MRC_NAK_ACCESS : MRC_NAK_INVALID);
        r.arrive(r.packet(older_first ? 4 : 1), older_first ? MRC_NAK_INVALID : MRC_NAK_ACCESS);
        r.arrive(0);
        EXPECT_EQ(r.answer(), MRC_NAK_ACCESS);
        r.expectAck(1, MRC_NAK_ACCESS, 1);
    }
}

TEST(Responder, AnotherCopyCanBeRight)
{
    Responder r;
    r.arrive(r.packet(1), MRC_NAK_ACCESS);
    r.arrive(1);
    r.arrive(0);
    EXPECT_EQ(r.answer(), 0);
    r.expectAck(1, MRC_ACK_OK, 2);
}

TEST(Responder, MoreImmediatesThanAgreedAreRefused)
{
    Responder r;
    for (u32 nth = 1; nth <= kImmMax + 1; ++nth)
        r.arrive(nth, MRC_OP_WRITE_ONLY_IMM);
    r.arrive(0);
    EXPECT_EQ(r.done().size(), 1 + kImmMax);
    EXPECT_EQ(r.answer(), MRC_NAK_INVALID);
    r.expectAck(kImmMax + 1, MRC_NAK_INVALID, kImmMax + 1);
}

TEST(Responder, AnImmediateWhoseLengthIsAnotherIsRefused)
{
    for (const u32 len : {2 * kMtu - 1, 2 * kMtu + 1, 3 * kMtu}) {
        Responder r;
        r.arrive(0);
        r.arrive(r.packet(1, MRC_OP_WRITE_FIRST, 2));
        mrc_rx_arrival last = r.packet(2, MRC_OP_WRITE_LAST_IMM);
        last.dmalen = len;
        last.msn = 1;
        r.arrive(last);
        EXPECT_EQ(r.done().size(), 1u) << len;
        EXPECT_EQ(r.answer(), MRC_NAK_INVALID);
        r.expectAck(2, MRC_NAK_INVALID, 1);
        EXPECT_EQ(r.done().size(), 0u);
    }
}

/* The first packet of one message and the last packet of another, in either order. */
TEST(Responder, PartsOfTwoMessagesAreNone)
{
    for (const bool last_first : {false, true}) {
        Responder r;
        r.arrive(0);
        if (last_first)
            r.arrive_of(2, 2, MRC_OP_WRITE_LAST);
        r.arrive_of(1, 1, MRC_OP_WRITE_FIRST);
        if (!last_first)
            r.arrive_of(2, 2, MRC_OP_WRITE_LAST);
        EXPECT_EQ(r.done().size(), 1u) << last_first;
        EXPECT_EQ(r.answer(), MRC_NAK_INVALID);
        r.expectAck(2, MRC_NAK_INVALID, 1);
    }
}

TEST(Responder, PartsOfTwoMessagesAreNoneInSeveralAnswers)
{
    Responder r;
    r.arrive_of(0, 0, MRC_OP_WRITE_FIRST);
    r.answer();
    r.arrive_of(1, 1, MRC_OP_WRITE_MIDDLE);
    EXPECT_EQ(r.answer(), 0) << "it may not have an end";
    r.arrive_of(0, 2, MRC_OP_WRITE_LAST);
    EXPECT_EQ(r.answer(), MRC_NAK_INVALID);
    r.expectAck(2, MRC_NAK_INVALID, 0);
}

TEST(Responder, AMessageThatIsNotTheNextOneIsRefused)
{
    Responder r;
    r.arrive(0);
    r.arrive_of(2, 1, MRC_OP_WRITE_ONLY); // there is no room for message 1
    EXPECT_EQ(r.answer(), MRC_NAK_INVALID);
    r.expectAck(1, MRC_NAK_INVALID, 1);
    Responder again;
    again.arrive(0);
    again.arrive_of(0, 1, MRC_OP_WRITE_ONLY);
    EXPECT_EQ(again.answer(), MRC_NAK_INVALID);
    Responder early;
    early.arrive(0);
    early.arrive_of(2, 2, MRC_OP_WRITE_ONLY);
    early.arrive_of(1, 1, MRC_OP_WRITE_FIRST); // and no end of it
    EXPECT_EQ(early.answer(), MRC_NAK_INVALID);
    early.expectAck(2, MRC_NAK_INVALID, 1);
}

/*
 * Message numbers of neighbours differ in their lowest bit; other messages are too far away to be
 * there.
 */
TEST(Responder, AnOddMessageWithTheEndOfAnotherOddOneIsNone)
{
    Responder r;
    r.arrive(0);
    r.arrive_of(1, 1, MRC_OP_WRITE_FIRST);
    r.arrive_of(3, 2, MRC_OP_WRITE_LAST);
    EXPECT_EQ(r.done().size(), 1u);
    EXPECT_EQ(r.answer(), MRC_NAK_INVALID);
    r.expectAck(2, MRC_NAK_INVALID, 1);
    Responder old;
    old.arrive(0);
    old.arrive(1);
    old.answer();
    old.arrive_of(0, 2, MRC_OP_WRITE_ONLY);
    EXPECT_EQ(old.answer(), MRC_NAK_INVALID);
}

TEST(Responder, ManyMessagesOfSeveralPackets)
{
    Responder r;
    for (u32 nth = 0; nth < 3 * kSize; ++nth) {
        const u8 opcode[] = {MRC_OP_WRITE_FIRST, MRC_OP_WRITE_MIDDLE, MRC_OP_WRITE_LAST};
        r.arrive_of(static_cast<u16>(nth / 3), nth, opcode[nth % 3]);
        ASSERT_EQ(r.answer(), 0) << nth;
    }
    r.expectAck(3 * kSize - 1, MRC_ACK_OK, kSize);
}

TEST(Responder, NumbersStartWhereThePeerStartsAndWrap)
{
    Responder r;
    for (u32 nth = 0; nth < 6; ++nth) {
        mrc_rx_arrival a =
            r.packet(nth ^ 1, nth % 2 == 0 ? MRC_OP_WRITE_ONLY_IMM : MRC_OP_WRITE_ONLY);
        a.msn = static_cast<u16>(0xfffd + (nth ^ 1));
        a.rqmsn = static_cast<u16>(0xfffe + nth / 2);
        r.arrive(a);
        EXPECT_EQ(r.answer(), 0) << nth;
    }
    r.expectAck(5, MRC_ACK_OK, 6);
}

TEST(Responder, AnImmediateThatIsNotTheNextOneIsRefused)
{
    for (const u16 rqmsn : {5, 7, 0}) {
        Responder r;
        mrc_rx_arrival a = r.packet(0, MRC_OP_WRITE_ONLY_IMM);
        a.rqmsn = 5;
        r.arrive(a);
        a = r.packet(1, MRC_OP_WRITE_ONLY_IMM);
        a.rqmsn = rqmsn;
        r.arrive(a);
        EXPECT_EQ(r.answer(), MRC_NAK_INVALID) << rqmsn;
        r.expectAck(1, MRC_NAK_INVALID, 1);
    }
}

TEST(Responder, AWriteHasNoWriteImmNumber)
{
    Responder r;
    for (u32 nth = 0; nth < 3; ++nth) {
        mrc_rx_arrival a = r.packet(nth);
        a.rqmsn = static_cast<u16>(1000 * nth);
        r.arrive(a);
    }
    EXPECT_EQ(r.answer(), 0);
}

TEST(Responder, AnImmediateWithoutAReceiveIsRefused)
{
    Responder r;
    r.arrive(0);
    r.arrive(1, MRC_OP_WRITE_ONLY_IMM);
    r.arrive(2);
    mrc_rx_done d;
    ASSERT_TRUE(mrc_resp_next_done(&r.q, &d));
    ASSERT_TRUE(mrc_resp_next_done(&r.q, &d));
    ASSERT_TRUE(d.has_imm);
    mrc_resp_refuse_done(&r.q, &d, MRC_NAK_INVALID);
    EXPECT_FALSE(mrc_resp_next_done(&r.q, &d)) << "nothing behind it is executed";
    EXPECT_EQ(r.answer(), MRC_NAK_INVALID);
    r.expectAck(1, MRC_NAK_INVALID, 1);
}

TEST(Responder, ARefusedMessageIsOlderThanARefusedPacket)
{
    Responder r;
    r.arrive(r.packet(1), MRC_NAK_ACCESS);
    r.arrive(0, MRC_OP_WRITE_ONLY_IMM);
    mrc_rx_done d;
    ASSERT_TRUE(mrc_resp_next_done(&r.q, &d));
    mrc_resp_refuse_done(&r.q, &d, MRC_NAK_INVALID);
    EXPECT_EQ(r.answer(), MRC_NAK_INVALID);
    r.expectAck(0, MRC_NAK_INVALID, 0);
}

TEST(Responder, NothingIsTakenAfterANak)
{
    Responder r;
    r.arrive(r.packet(0), MRC_NAK_ACCESS);
    r.arrive(5);
    mrc_rx_arrival a = r.packet(1);
    ASSERT_EQ(mrc_resp_claim(&r.q, &a), MRC_RX_NEW);
    EXPECT_EQ(r.answer(), MRC_NAK_ACCESS);
    mrc_resp_commit(&r.q, &a, 0); // its payload was being placed
    a = r.packet(0);
    EXPECT_EQ(mrc_resp_claim(&r.q, &a), MRC_RX_OOR);
    EXPECT_EQ(r.answer(), 0);
    EXPECT_EQ(r.a.count, 0u);
    EXPECT_EQ(mrc_resp_timer_at(&r.q), 0u);
    const mrc_probe probe{};
    mrc_resp_probe(&r.q, &probe, 0, false, &r.a);
    EXPECT_EQ(r.a.count, 0u) << "last words are another's";
}

TEST(Responder, AProbeGetsTheWholeWindowAndTheAck)
{
    Responder r;
    r.arrive(0);
    r.arrive(2);
    r.answer();
    const mrc_probe probe = {.id = 0xbeef, .tx_timestamp = 3};
    mrc_answers_init(&r.a);
    mrc_resp_probe(&r.q, &probe, 0xc0de, true, &r.a);
    ASSERT_EQ(r.a.count, 2u);
    const mrc_sack &sack = r.a.hdr[0].sack;
    EXPECT_TRUE(sack.probe);
    EXPECT_EQ(static_cast<u16>(sack.ack_offset), 0xbeef);
    EXPECT_EQ(sack.entropy, 0xc0deu);
    EXPECT_EQ(sack.m, MRC_SACK_SKIP_ONCE);
    EXPECT_EQ(sack.bitmap, 2u);
    EXPECT_FALSE(r.a.hdr[0].bth.rtx);
    r.expectAck(0, MRC_ACK_OK, 1);
    for (u32 nth = 4; nth < kSize; nth += 2)
        r.arrive(nth);
    mrc_answers_init(&r.a);
    mrc_resp_probe(&r.q, &probe, 0, false, &r.a);
    EXPECT_EQ(r.sacks(), MRC_ANSWERS_MAX - 1);
    r.expectAck(0, MRC_ACK_OK, 1);
}

TEST(Responder, WhatNoSackHasToldIsToldInTime)
{
    Responder r;
    EXPECT_EQ(mrc_resp_timer_at(&r.q), 0u) << "nothing has come";
    r.arrive(0, MRC_OP_WRITE_FIRST);
    r.answer();
    EXPECT_EQ(r.a.count, 0u);
    EXPECT_EQ(mrc_resp_timer_at(&r.q), r.now + mrc_timing_software.sack_delay);
    mrc_resp_timer(&r.q, r.now + mrc_timing_software.sack_delay - 1, &r.a);
    EXPECT_EQ(r.a.count, 0u) << "too early";
    mrc_resp_timer(&r.q, r.now + mrc_timing_software.sack_delay, &r.a);
    ASSERT_EQ(r.a.count, 1u);
    EXPECT_EQ(r.a.hdr[0].bth.opcode, MRC_OP_SACK);
    EXPECT_EQ(mrc_resp_timer_at(&r.q), 0u) << "all has been told";
}

// The trigger that it names: an RTT must not be measured by a packet that has waited here.
TEST(Responder, TheTimersSackNamesAPacketThatHasArrived)
{
    Responder r;
    // The latest packet, the first beyond a hole; then the packet that is a window behind.
    for (u32 i = 0; i < 3 * kSize; ++i) {
        const u32 nth = i < 2 ? i ^ 1 : i;
        const u32 named = i < kSize ? nth : i - kSize;
        r.arrive_of(0, nth, nth ? MRC_OP_WRITE_MIDDLE : MRC_OP_WRITE_FIRST);
        r.answer();
        mrc_answers_init(&r.a);
        mrc_resp_timer(&r.q, r.now + mrc_timing_software.sack_delay, &r.a);
        ASSERT_EQ(r.a.count, 1u);
        const mrc_hdr &hdr = r.a.hdr[0];
        EXPECT_EQ(mrc_psn_add(hdr.sack.cack_psn, hdr.sack.ack_offset), r.psn(named)) << i;
        EXPECT_EQ(hdr.bth.rtx, i >= kSize) << i;
    }

    mrc_rx_arrival a = r.packet(3 * kSize, MRC_OP_WRITE_MIDDLE);
    a.msn = 0;
    a.ackreq = true;
    r.arrive(a);
    r.answer();
    ASSERT_EQ(r.a.count, 1u);
    EXPECT_EQ(r.a.hdr[0].sack.ack_offset, 0) << "the next packet is a trigger again";
    EXPECT_FALSE(r.a.hdr[0].bth.rtx);
}

TEST(Responder, TheTimersSackGivesNoRttOnceThereIsAnOldPacket)
{
    Responder r;
    std::vector<u64> mem(mrc_tx_window_mem(kSize) / sizeof(u64) + 1);
    const mrc_tx_cfg cfg = {.size = kSize, .retries = {.timeout_ns = 1000 * kUs, .linear = 7}};
    mrc_tx_window tx;
    mrc_tx_window_init(&tx, mem.data(), &cfg, kFirst);
    for (u32 nth = 0; nth < 3 * kSize; ++nth) {
        mrc_tx_result res;
        mrc_tx_send(&tx, kMtu, 0, r.now);
        r.arrive_of(0, nth, nth ? MRC_OP_WRITE_MIDDLE : MRC_OP_WRITE_FIRST);
        r.answer();
        r.now += mrc_timing_software.sack_delay;
        mrc_answers_init(&r.a);
        mrc_resp_timer(&r.q, r.now, &r.a);
        ASSERT_EQ(r.a.count, 1u);
        ASSERT_EQ(mrc_tx_sack(&tx, &r.a.hdr[0].sack, r.a.hdr[0].bth.rtx, r.now, &res), 0);
        EXPECT_EQ(res.acked, 1u);
        EXPECT_EQ(res.rtt_ns != 0, nth < kSize) << nth;
        EXPECT_EQ(res.ev == MRC_EV_NONE, nth >= kSize) << nth;
    }
}

TEST(Responder, WhatASackIsDueByStaysItsTrigger)
{
    for (const bool ce : {false, true}) {
        Responder r;
        mrc_rx_arrival a = r.packet(0, MRC_OP_WRITE_FIRST);
        a.ce = ce;
        a.rtx = !ce;
        r.arrive(a);
        const mrc_bth trimmed = {.ackreq = true, .psn = r.psn(1)};
        mrc_answers_init(&r.a);
        ASSERT_TRUE(mrc_resp_trimmed(&r.q, &trimmed, 0, false, nullptr, r.now, &r.a));
        ASSERT_EQ(r.a.count, 2u);
        EXPECT_EQ(r.a.hdr[1].sack.ack_offset, 0) << ce;
        EXPECT_EQ(r.a.hdr[1].bth.rtx, !ce);
    }
}

TEST(Responder, TheSackThatATrimmedPacketAsksForNamesNoPacketBeforeIt)
{
    Responder r;
    r.arrive(0, MRC_OP_WRITE_FIRST);
    r.answer();
    const mrc_bth trimmed = {.ackreq = true, .psn = r.psn(1)};
    mrc_answers_init(&r.a);
    ASSERT_TRUE(mrc_resp_trimmed(&r.q, &trimmed, 0, false, nullptr, r.now, &r.a));
    ASSERT_EQ(r.a.count, 2u) << "the NACK, and a SACK";
    const mrc_hdr &sack = r.a.hdr[1];
    ASSERT_EQ(sack.bth.opcode, MRC_OP_SACK);
    EXPECT_EQ(sack.sack.ack_offset, 0) << "the first one, which has arrived";
    EXPECT_FALSE(sack.bth.rtx);
}

TEST(Responder, WhileDataFlowsTheTimerWaits)
{
    Responder r;
    r.arrive(0, MRC_OP_WRITE_FIRST);
    r.answer();
    r.now += mrc_timing_software.sack_delay / 2;
    r.arrive_of(0, 1, MRC_OP_WRITE_MIDDLE);
    r.answer();
    EXPECT_EQ(mrc_resp_timer_at(&r.q), r.now + mrc_timing_software.sack_delay);
}

TEST(Responder, LastWordsRepeatTheNakOnlyWhenThereWasOne)
{
    Responder r;
    mrc_last_words w;
    r.arrive(0);
    r.arrive(r.packet(2), MRC_NAK_ACCESS);
    r.answer();
    mrc_resp_last_words(&r.q, &w);
    EXPECT_EQ(w.done_psn, r.psn(0));
    EXPECT_EQ(w.size, kSize);
    EXPECT_EQ(w.msn, 1u);
    EXPECT_EQ(w.nak_syndrome, 0) << "its turn has not come";
    r.arrive(1);
    r.answer();
    mrc_resp_last_words(&r.q, &w);
    EXPECT_EQ(w.nak_syndrome, MRC_NAK_ACCESS);
    EXPECT_EQ(w.nak_psn, r.psn(2));
    EXPECT_EQ(w.msn, 2u);
}

/* ---- trimmed packets ---- */

namespace
{

mrc_bth headOf(u32 nth, bool ackreq = false)
{
    mrc_bth bth{};
    bth.opcode = MRC_OP_WRITE_ONLY;
    bth.psn = Responder::psn(nth);
    bth.ackreq = ackreq;
    return bth;
}

constexpr u32 kEv = 0xe0000abc;

} // namespace

TEST(ResponderTrim, TheSenderIsTold)
{
    for (const bool lasthop : {false, true}) {
        Responder r;
        r.arrive(0);
        mrc_answers_init(&r.a);
        const mrc_bth head = headOf(2);
        EXPECT_TRUE(mrc_resp_trimmed(&r.q, &head, kEv, lasthop, nullptr, r.now, &r.a));
        ASSERT_EQ(r.a.count, 1u);
        const mrc_hdr &hdr = r.a.hdr[0];
        EXPECT_EQ(hdr.bth.opcode, MRC_OP_NACK);
        EXPECT_EQ(hdr.nack.reason, lasthop ? MRC_NACK_TRIMMED_LASTHOP : MRC_NACK_TRIMMED);
        EXPECT_EQ(hdr.nack.psn, Responder::psn(2));
        EXPECT_EQ(hdr.nack.entropy, kEv);
    }
}

/* It is as if the head had never come: the whole packet is taken later. */
TEST(ResponderTrim, NothingCountsAsReceived)
{
    Responder r;
    const u64 bytes = r.q.rx.bytes;
    mrc_answers_init(&r.a);
    const mrc_bth head = headOf(0);
    EXPECT_TRUE(mrc_resp_trimmed(&r.q, &head, kEv, false, nullptr, r.now, &r.a));
    EXPECT_EQ(r.q.rx.bytes, bytes);
    EXPECT_FALSE(mrc_rx_sack_news(&r.q.rx));
    EXPECT_TRUE(r.done().empty());
    r.arrive(0);
    EXPECT_EQ(r.done().size(), 1u);
}

TEST(ResponderTrim, WhatAsksForASackGetsOne)
{
    for (const bool asks : {false, true}) {
        Responder r;
        r.arrive(0);
        r.arrive(1);
        mrc_answers_init(&r.a);
        const mrc_bth head = headOf(2, asks);
        EXPECT_TRUE(mrc_resp_trimmed(&r.q, &head, kEv, false, nullptr, r.now, &r.a));
        ASSERT_EQ(r.a.count, asks ? 2u : 1u);
        if (asks) {
            EXPECT_EQ(r.a.hdr[1].bth.opcode, MRC_OP_SACK);
            EXPECT_EQ(r.a.hdr[1].sack.cack_psn, Responder::psn(1));
        }
    }
}

/* Its SACK or ACK was lost: a NACK would make the sender send it once more. */
TEST(ResponderTrim, ADuplicateIsAcknowledged)
{
    Responder r;
    r.arrive(0);
    r.answer();
    mrc_answers_init(&r.a);
    const mrc_bth head = headOf(0);
    EXPECT_TRUE(mrc_resp_trimmed(&r.q, &head, kEv, false, nullptr, r.now, &r.a));
    ASSERT_EQ(r.a.count, 2u);
    EXPECT_EQ(r.a.hdr[0].bth.opcode, MRC_OP_SACK);
    EXPECT_EQ(r.a.hdr[0].sack.entropy, kEv);
    EXPECT_EQ(r.a.hdr[1].bth.opcode, MRC_OP_ACK);
}

TEST(ResponderTrim, WhatIsBeyondTheWindowIsIgnored)
{
    Responder r;
    mrc_answers_init(&r.a);
    const mrc_bth head = headOf(kSize);
    EXPECT_FALSE(mrc_resp_trimmed(&r.q, &head, kEv, false, nullptr, r.now, &r.a));
    EXPECT_EQ(r.a.count, 0u);
}

/* A forger of heads gets only this many answers. */
TEST(ResponderTrim, AnswersAreBounded)
{
    Responder r;
    unsigned told = 0;
    for (unsigned i = 0; i < 10000; ++i) {
        const mrc_bth head = headOf(i % kSize);
        mrc_answers_init(&r.a);
        told += mrc_resp_trimmed(&r.q, &head, kEv, false, nullptr, r.now, &r.a);
    }
    EXPECT_EQ(told, MRC_GATE_BURST);
    r.now += 1000 * kUs;
    const mrc_bth head = headOf(1);
    EXPECT_TRUE(mrc_resp_trimmed(&r.q, &head, kEv, false, nullptr, r.now, &r.a));
}

/* Many QPs of a host send no more answers than the host can bear, and one QP not all of these. */
TEST(ResponderTrim, AnswersOfAllQpsAreBounded)
{
    std::array<Responder, 4> qps;
    mrc_gate all{};
    const auto answers = [&](Responder &r, unsigned n, std::uint64_t now) {
        unsigned told = 0;
        for (unsigned i = 0; i < n; ++i) {
            const mrc_bth head = headOf(i % kSize);
            mrc_answers_init(&r.a);
            told += mrc_resp_trimmed(&r.q, &head, kEv, false, &all, now, &r.a);
        }
        return told;
    };
    EXPECT_EQ(answers(qps[0], 1000, kUs), MRC_GATE_BURST);
    EXPECT_EQ(answers(qps[1], 1000, kUs), 0u);
    unsigned one = 0;
    unsigned rest = 0;
    for (unsigned ms = 10; ms < 11; ++ms)
        for (unsigned us = 0; us < 1000; ++us) {
            const std::uint64_t now = (1000ull * ms + us) * kUs;
            one += answers(qps[0], 10, now);
            for (unsigned i = 1; i < qps.size(); ++i)
                rest += answers(qps[i], 10, now);
        }
    EXPECT_NEAR(one + rest, 1000 * MRC_RESP_TRIM_RATE_ALL / 1e6, MRC_GATE_BURST);
    EXPECT_LE(one, 1000 * MRC_RESP_TRIM_RATE / 1e6 + MRC_GATE_BURST);
    EXPECT_GT(rest, 900u);
}

TEST(ResponderTrim, NothingIsSaidAfterANak)
{
    Responder r;
    const mrc_rx_arrival a = Responder::packet(0);
    r.arrive(a, MRC_NAK_ACCESS);
    ASSERT_NE(r.answer(), 0);
    mrc_answers_init(&r.a);
    const mrc_bth head = headOf(1);
    EXPECT_FALSE(mrc_resp_trimmed(&r.q, &head, kEv, false, nullptr, r.now, &r.a));
    EXPECT_EQ(r.a.count, 0u);
}

/* ---- no receive ---- */

namespace
{

/// A responder whose program has no receives.
struct Without : Responder {
    unsigned waits = 0; ///< times that a message began to wait
    unsigned receives = 0;
    unsigned executed = 0;

    u8 answer()
    {
        mrc_rx_done d;
        while (mrc_resp_next_done(&q, &d)) {
            if (d.has_imm && !receives) {
                waits += mrc_resp_wait(&q, &d);
                continue;
            }
            receives -= d.has_imm;
            ++executed;
        }
        mrc_answers_init(&a);
        return mrc_resp_answer(&q, now, &a);
    }

    void probe()
    {
        const mrc_probe p{};
        mrc_answers_init(&a);
        mrc_resp_probe(&q, &p, 0, false, &a);
    }

    /// Expects SACKs, the ACK of complete messages, and the report that a message waits.
    void expectWaits(u32 nth, u32 done, u32 msn)
    {
        ASSERT_GE(a.count, 1u);
        const mrc_hdr nack = a.hdr[--a.count];
        EXPECT_EQ(nack.bth.opcode, MRC_OP_NACK);
        EXPECT_EQ(nack.nack.reason, MRC_NACK_NO_RESOURCE);
        EXPECT_EQ(nack.nack.psn, psn(nth));
        expectAck(done, MRC_ACK_OK, msn);
    }
};

} // namespace

TEST(Responder, AnImmediateWaitsForAReceive)
{
    Without r;
    r.arrive(0);
    r.arrive(1, MRC_OP_WRITE_ONLY_IMM);
    r.arrive(2);
    EXPECT_EQ(r.answer(), 0);
    EXPECT_EQ(r.waits, 1u);
    EXPECT_EQ(r.executed, 1u);
    EXPECT_EQ(r.sacks(), 1u) << "the peer must know that it has arrived";
    EXPECT_EQ(r.a.hdr[0].sack.cack_psn, r.psn(2));
    r.expectWaits(1, 0, 1);
    // This is reported once, and not with each packet.
    r.arrive(3);
    r.answer();
    for (unsigned i = 0; i < r.a.count; ++i)
        EXPECT_EQ(r.a.hdr[i].bth.opcode, MRC_OP_SACK);
    // It is reported again to a peer that asks: by a probe, or with a packet that has arrived.
    r.probe();
    r.expectWaits(1, 0, 1);
    const mrc_rx_arrival again = r.packet(1, MRC_OP_WRITE_ONLY_IMM);
    EXPECT_EQ(mrc_resp_claim(&r.q, &again), MRC_RX_DUP);
    EXPECT_EQ(r.answer(), 0);
    r.expectWaits(1, 0, 1);
    // Resumed without a receive: it waits on, and that is no news.
    EXPECT_TRUE(mrc_resp_resume(&r.q));
    EXPECT_EQ(r.answer(), 0);
    EXPECT_EQ(r.a.count, 0u);
    EXPECT_EQ(r.waits, 1u);
    // Resumed with a receive: all that waited ends.
    r.receives = 1;
    EXPECT_TRUE(mrc_resp_resume(&r.q));
    EXPECT_EQ(r.answer(), 0);
    EXPECT_EQ(r.executed, 4u);
    r.expectAckAlone(3, MRC_ACK_OK, 4);
    EXPECT_FALSE(mrc_resp_resume(&r.q));
    r.probe();
    r.expectAck(3, MRC_ACK_OK, 4);
}

TEST(Responder, EachImmediateWaitsForItsOwnReceive)
{
    Without r;
    for (u32 i = 0; i < kImmMax; ++i)
        r.arrive(i, MRC_OP_WRITE_ONLY_IMM);
    r.answer();
    ASSERT_EQ(r.a.count, 2u) << "a SACK, and that the first one waits";
    EXPECT_EQ(r.a.hdr[1].nack.psn, r.psn(0));
    r.receives = 1;
    mrc_resp_resume(&r.q);
    r.answer();
    EXPECT_EQ(r.executed, 1u);
    EXPECT_EQ(r.waits, 2u) << "the next one is told of by itself";
    r.expectWaits(1, 0, 1);
}

/* A NAK acknowledges everything before the packet that it names. */
TEST(Responder, ARefusalWaitsBehindAMessageThatWaits)
{
    Without r;
    r.arrive(0, MRC_OP_WRITE_ONLY_IMM);
    r.arrive(r.packet(1), MRC_NAK_ACCESS);
    EXPECT_EQ(r.answer(), 0);
    r.probe();
    r.expectWaits(0, ~0u, 0);
    r.receives = 1;
    mrc_resp_resume(&r.q);
    EXPECT_EQ(r.answer(), MRC_NAK_ACCESS);
    r.expectAck(1, MRC_NAK_ACCESS, 1);
}

/* The window starts at the waiting message, so what is taken behind it is bounded. */
TEST(Responder, TheWindowStandsWhileAMessageWaits)
{
    Without r;
    r.arrive(0, MRC_OP_WRITE_ONLY_IMM);
    r.answer();
    for (u32 i = 1; i <= kSize; ++i) {
        r.arrive(i);
        r.answer();
    }
    const mrc_rx_arrival beyond = r.packet(kSize + 1);
    EXPECT_EQ(mrc_resp_claim(&r.q, &beyond), MRC_RX_OOR);
    r.receives = 1;
    mrc_resp_resume(&r.q);
    r.answer();
    EXPECT_EQ(r.executed, kSize + 1);
    EXPECT_EQ(mrc_resp_claim(&r.q, &beyond), MRC_RX_NEW);
}

/* The QP ends while a message waits: that message was not executed. */
TEST(Responder, LastWordsOfAQpWhoseMessageWaits)
{
    Without r;
    mrc_last_words w;
    r.arrive(0);
    r.arrive(1, MRC_OP_WRITE_ONLY_IMM);
    r.answer();
    mrc_resp_last_words(&r.q, &w);
    EXPECT_EQ(w.done_psn, r.psn(0));
    EXPECT_EQ(w.msn, 1u);
    EXPECT_EQ(w.nak_syndrome, 0);
}

namespace
{

/// A full packet at @p nth of a SEND of @p packets packets, the one with number @p rqmsn.
mrc_rx_arrival sendPacket(u32 nth, u8 opcode, u16 rqmsn, u32 packets = 1, u32 place = 0)
{
    mrc_rx_arrival a = Responder::packet(nth, opcode, packets);
    a.rqmsn = rqmsn;
    a.offset = place * kMtu;
    return a;
}

} // namespace

TEST(ResponderSend, PacketsLieWhereTheirPlaceCanBe)
{
    Responder r;
    struct Case {
        u8 opcode;
        u32 offset, payload, dmalen;
        bool fits;
    };
    const Case cases[] = {
        {MRC_OP_SEND_FIRST, 0, kMtu, 3 * kMtu, true},
        {MRC_OP_SEND_FIRST, kMtu, kMtu, 3 * kMtu, false},
        {MRC_OP_SEND_FIRST, 0, kMtu, kMtu, false},
        {MRC_OP_SEND_MIDDLE, kMtu, kMtu, 3 * kMtu, true},
        {MRC_OP_SEND_MIDDLE, kMtu + 1, kMtu, 3 * kMtu, false},
        {MRC_OP_SEND_MIDDLE, 2 * kMtu, kMtu, 3 * kMtu, false},
        {MRC_OP_SEND_MIDDLE, ~0u - kMtu + 1, kMtu, 3 * kMtu, false},
        {MRC_OP_SEND_LAST, 2 * kMtu, kMtu, 3 * kMtu, true},
        {MRC_OP_SEND_LAST, 2 * kMtu, 5, 2 * kMtu + 5, true},
        {MRC_OP_SEND_LAST, kMtu, 5, 2 * kMtu + 5, false},
        {MRC_OP_SEND_ONLY, 0, 0, 0, true},
        {MRC_OP_SEND_ONLY, 0, kMtu, kMtu, true},
        {MRC_OP_SEND_ONLY_IMM, 1, kMtu - 1, kMtu, false},
        {MRC_OP_SEND_LAST_INV, 2 * kMtu, 5, 2 * kMtu + 5, true},
        {MRC_OP_SEND_ONLY_INV, 0, kMtu, kMtu, true},
    };
    for (const Case &c : cases) {
        mrc_rx_arrival a = sized(c.opcode, c.payload, c.dmalen);
        a.offset = c.offset;
        EXPECT_EQ(mrc_resp_fits(&r.q, &a), c.fits) << int{c.opcode} << " at " << c.offset;
    }
}

TEST(ResponderSend, EachPacketNamesItsReceive)
{
    Responder r;
    const mrc_rx_arrival early = sendPacket(3, MRC_OP_SEND_ONLY, 2);
    EXPECT_EQ(mrc_resp_receive(&r.q, &early), 2) << "numbers begin with 0";
    mrc_rx_arrival a = sendPacket(0, MRC_OP_SEND_FIRST, 0, 2, 0);
    a.msn = 0;
    r.arrive(a);
    a = sendPacket(1, MRC_OP_SEND_LAST, 0, 2, 1);
    a.msn = 0;
    r.arrive(a);
    const auto done = r.done();
    ASSERT_EQ(done.size(), 1u);
    EXPECT_TRUE(done[0].takes && done[0].send);
    EXPECT_FALSE(done[0].has_imm);
    EXPECT_EQ(done[0].len, 2 * kMtu);
    EXPECT_EQ(mrc_resp_receive(&r.q, &early), 1) << "one was taken";
}

/* A WriteImm that waits has its number already, but not its receive. */
TEST(ResponderSend, BehindAWriteImmThatWaits)
{
    Responder r;
    mrc_rx_arrival imm = r.packet(0, MRC_OP_WRITE_ONLY_IMM);
    r.arrive(imm);
    mrc_rx_done d;
    ASSERT_TRUE(mrc_resp_next_done(&r.q, &d));
    ASSERT_TRUE(mrc_resp_wait(&r.q, &d));
    const mrc_rx_arrival a = sendPacket(1, MRC_OP_SEND_ONLY, 1);
    EXPECT_EQ(mrc_resp_receive(&r.q, &a), 1);
    ASSERT_TRUE(mrc_resp_resume(&r.q));
    EXPECT_EQ(mrc_resp_receive(&r.q, &a), 1);
    ASSERT_TRUE(mrc_resp_next_done(&r.q, &d));
    EXPECT_EQ(mrc_resp_receive(&r.q, &a), 0);
}

TEST(ResponderSend, WithoutAReceiveItIsRefusedAndTheOtherEndLearnsOfTheNextReceive)
{
    Responder r;
    for (const u32 nth : {2u, 1u}) {
        const mrc_rx_arrival a = sendPacket(nth, MRC_OP_SEND_ONLY, static_cast<u16>(nth));
        ASSERT_EQ(mrc_resp_claim(&r.q, &a), MRC_RX_NEW);
        mrc_resp_starve(&r.q, &a);
        EXPECT_EQ(mrc_rx_look(&r.q.rx, a.psn), MRC_RX_NEW) << "never seen";
    }
    mrc_resp_posted(&r.q, 1);
    r.arrive(sendPacket(0, MRC_OP_SEND_ONLY, 0));
    ASSERT_EQ(r.done().size(), 1u);
    mrc_resp_posted(&r.q, 0);
    EXPECT_EQ(r.answer(), 0);
    EXPECT_EQ(r.a.hdr[0].bth.opcode, MRC_OP_NACK) << "before SACKs";
    EXPECT_EQ(r.a.hdr[0].nack.reason, MRC_NACK_NO_RESOURCE);
    EXPECT_EQ(r.a.hdr[0].nack.psn, r.psn(1)) << "the oldest";
    r.expectAck(0, mrc_credits_encode(0), 1);
    mrc_resp_posted(&r.q, 3);
    EXPECT_TRUE(mrc_resp_resume(&r.q));
    EXPECT_EQ(r.answer(), 0);
    r.expectAckAlone(0, mrc_credits_encode(3), 1);
    EXPECT_FALSE(mrc_resp_resume(&r.q)) << "told";
}

TEST(ResponderSend, ProbesAreToldTheReceives)
{
    Responder r;
    mrc_resp_posted(&r.q, 7);
    r.arrive(sendPacket(0, MRC_OP_SEND_ONLY, 0));
    mrc_resp_posted(&r.q, 6);
    r.answer();
    r.expectAck(0, mrc_credits_encode(6), 1);
    const mrc_probe probe{};
    mrc_resp_posted(&r.q, 9);
    mrc_answers_init(&r.a);
    mrc_resp_probe(&r.q, &probe, 0, false, &r.a);
    r.expectAck(0, mrc_credits_encode(8), 1);
}

/* Byte for byte as in MRC 1.0, as long as no SEND has come. */
TEST(ResponderSend, WritesAreToldNoReceives)
{
    Responder r;
    mrc_resp_posted(&r.q, 7);
    r.arrive(0, MRC_OP_WRITE_ONLY_IMM);
    r.answer();
    r.expectAck(0, MRC_ACK_OK, 1);
}

TEST(ResponderSend, ItsNumberIsTheNextOne)
{
    for (const u16 rqmsn : {1, 0xffff}) {
        Responder r;
        r.arrive(sendPacket(0, MRC_OP_SEND_ONLY, rqmsn));
        EXPECT_EQ(r.answer(), MRC_NAK_INVALID) << rqmsn;
    }
}

/* Else a packet could be placed when the program has the receive already. */
TEST(ResponderSend, PacketsOfAMessageMustAgree)
{
    Responder r;
    const mrc_rx_arrival good = sendPacket(4, MRC_OP_SEND_FIRST, 1, 3, 0);
    ASSERT_EQ(mrc_resp_receive(&r.q, &good), 1);
    const mrc_rx_arrival next = sendPacket(5, MRC_OP_SEND_MIDDLE, 1, 3, 1);
    EXPECT_EQ(mrc_resp_receive(&r.q, &next), 1);
    const mrc_rx_arrival moved = sendPacket(6, MRC_OP_SEND_MIDDLE, 1, 3, 1);
    EXPECT_EQ(mrc_resp_receive(&r.q, &moved), -EINVAL);
    const mrc_rx_arrival longer = sendPacket(6, MRC_OP_SEND_MIDDLE, 1, 4, 2);
    EXPECT_EQ(mrc_resp_receive(&r.q, &longer), -EINVAL);
    const mrc_rx_arrival tooMany = sendPacket(9, MRC_OP_SEND_ONLY, kImmMax);
    EXPECT_EQ(mrc_resp_receive(&r.q, &tooMany), -EINVAL);
    const mrc_rx_arrival other = sendPacket(0, MRC_OP_SEND_ONLY, 0);
    EXPECT_EQ(mrc_resp_receive(&r.q, &other), 0);
}

TEST(ResponderSend, AWriteImmWhoseReceiveASendNamesIsRefused)
{
    Responder r;
    const mrc_rx_arrival a = sendPacket(1, MRC_OP_SEND_ONLY, 0);
    ASSERT_EQ(mrc_resp_receive(&r.q, &a), 0);
    r.arrive(0, MRC_OP_WRITE_ONLY_IMM);
    EXPECT_EQ(r.answer(), MRC_NAK_INVALID);
}

/* A number comes again after 65536 messages: what was noted of the older one must be forgotten. */
TEST(ResponderSend, NumbersWrap)
{
    Responder r;
    mrc_resp_posted(&r.q, 9);
    for (u32 nth = 0; nth < 200000; ++nth) {
        const bool send = nth % 66000 == 0 || nth > 140000;
        mrc_rx_arrival a = send ? sendPacket(nth, MRC_OP_SEND_ONLY, static_cast<u16>(nth))
                                : r.packet(nth, MRC_OP_WRITE_ONLY_IMM);
        ASSERT_TRUE(!send || mrc_resp_receive(&r.q, &a) == 0) << nth;
        r.arrive(a);
        ASSERT_EQ(r.answer(), 0) << nth;
    }
}

/* All packets from the first to the last one of a SEND are its own: nothing is left unwritten. */
TEST(ResponderSend, AWritePacketInItsMiddleIsRefused)
{
    Responder r;
    for (u32 nth = 0; nth < 3; ++nth) {
        const u8 opcodes[] = {MRC_OP_SEND_FIRST, MRC_OP_WRITE_MIDDLE, MRC_OP_SEND_LAST};
        mrc_rx_arrival a = sendPacket(nth, opcodes[nth], 0, 3, nth);
        a.msn = 0;
        if (nth != 1) {
            ASSERT_EQ(mrc_resp_receive(&r.q, &a), 0);
        }
        r.arrive(a);
    }
    EXPECT_EQ(r.answer(), MRC_NAK_INVALID);
}

/* The NACK may have been lost, and a SACK alone would seem to show that a path has lost the SEND.
 */
TEST(ResponderSend, ProbesAreToldThatAReceiveIsMissing)
{
    Responder r;
    const mrc_rx_arrival a = sendPacket(0, MRC_OP_SEND_ONLY, 0);
    ASSERT_EQ(mrc_resp_claim(&r.q, &a), MRC_RX_NEW);
    mrc_resp_starve(&r.q, &a);
    r.answer();
    const mrc_probe probe{};
    for (const u32 receives : {0, 1}) {
        mrc_resp_posted(&r.q, receives);
        mrc_answers_init(&r.a);
        mrc_resp_probe(&r.q, &probe, 0, false, &r.a);
        EXPECT_EQ(r.a.hdr[0].bth.opcode == MRC_OP_NACK, receives == 0);
        r.expectAck(static_cast<u32>(-1), mrc_credits_encode(receives), 0);
    }
    mrc_resp_posted(&r.q, 1);
    r.arrive(a);
    mrc_resp_posted(&r.q, 0);
    r.answer();
    mrc_answers_init(&r.a);
    mrc_resp_probe(&r.q, &probe, 0, false, &r.a);
    EXPECT_NE(r.a.hdr[0].bth.opcode, MRC_OP_NACK) << "the SEND has arrived";
}

namespace
{

/// A READ or atomic at a place, and what it asks for.
struct Fetch {
    mrc_hdr hdr{};
    mrc_rx_arrival a{};

    explicit Fetch(u32 nth, u8 opcode = MRC_OP_READ)
    {
        hdr.bth.opcode = opcode;
        hdr.bth.psn = Responder::psn(nth);
        hdr.len = mrc_opcode_hdr_len(opcode);
        hdr.write.dmalen = opcode == MRC_OP_READ ? 5 * kMtu : MRC_ATOMIC_BYTES;
        hdr.write.msn = static_cast<u16>(nth);
        hdr.write.va = nth;
        mrc_resp_arrival(&hdr, 0, 0, false, &a);
    }
};

/// Executes what is due. @return addresses
std::vector<u64> execute(Responder &r)
{
    std::vector<u64> all;
    mrc_rx_done done;
    while (mrc_resp_next_done(&r.q, &done)) {
        const mrc_fetch *f = mrc_resp_fetch(&r.q, &done);
        if (!f)
            continue;
        all.push_back(f->va);
        mrc_resp_executed(&r.q);
    }
    return all;
}

} // namespace

TEST(ResponderRead, IsExecutedInOrderAndOnce)
{
    Responder r;
    const Fetch second(2), first(1, MRC_OP_FETCH_ADD);
    r.arrive(second.a);
    r.arrive(first.a);
    EXPECT_EQ(execute(r), std::vector<u64>{});
    EXPECT_EQ(mrc_resp_claim(&r.q, &second.a), MRC_RX_DUP);
    r.arrive(0);
    EXPECT_EQ(execute(r), (std::vector<u64>{1, 2}));
    EXPECT_EQ(mrc_resp_claim(&r.q, &first.a), MRC_RX_DUP);
    EXPECT_EQ(execute(r), std::vector<u64>{});
    EXPECT_EQ(r.q.answering, 2u);
}

TEST(ResponderRead, MoreThanAnyConnectionAllowsIsRefused)
{
    Responder r;
    for (u32 nth = 0; nth <= MRC_READS_MAX; ++nth)
        r.arrive(Fetch(nth).a);
    EXPECT_EQ(execute(r).size(), std::size_t{MRC_READS_MAX});
    mrc_answers_init(&r.a);
    EXPECT_EQ(mrc_resp_answer(&r.q, r.now, &r.a), 0) << "responses come first";
    EXPECT_TRUE(mrc_resp_answered(&r.q, MRC_READS_MAX));
    mrc_answers_init(&r.a);
    EXPECT_EQ(mrc_resp_answer(&r.q, r.now, &r.a), MRC_NAK_INVALID);
    r.expectAck(MRC_READS_MAX, MRC_NAK_INVALID, MRC_READS_MAX);
}

/* Otherwise the QP would end before the data of an earlier READ has arrived. */
TEST(ResponderRead, ANakWaitsForTheResponsesBeforeIt)
{
    Responder r;
    const Fetch read(0);
    r.arrive(read.a);
    r.arrive(Responder::packet(1), MRC_NAK_ACCESS);
    execute(r);
    EXPECT_EQ(r.answer(), 0);
    r.expectAck(0, MRC_ACK_OK, 1);
    EXPECT_FALSE(mrc_resp_answered(&r.q, 0));
    EXPECT_EQ(r.answer(), 0);
    EXPECT_TRUE(mrc_resp_answered(&r.q, 1));
    EXPECT_EQ(r.answer(), MRC_NAK_ACCESS);
}

TEST(ResponderRead, WhatMayNotBeReadIsRefusedInOrder)
{
    Responder r;
    r.arrive(0);
    r.arrive(Fetch(1).a);
    mrc_rx_done done;
    ASSERT_TRUE(mrc_resp_next_done(&r.q, &done));
    EXPECT_EQ(mrc_resp_fetch(&r.q, &done), nullptr);
    ASSERT_TRUE(mrc_resp_next_done(&r.q, &done));
    ASSERT_NE(mrc_resp_fetch(&r.q, &done), nullptr);
    mrc_resp_refuse_done(&r.q, &done, MRC_NAK_ACCESS);
    EXPECT_EQ(r.answer(), MRC_NAK_ACCESS);
    r.expectAck(1, MRC_NAK_ACCESS, 1);
}

TEST(ResponderRead, Lengths)
{
    Responder r;
    Fetch large(0);
    EXPECT_TRUE(mrc_resp_fits(&r.q, &large.a));
    large.a.dmalen = MRC_MSG_MAX + 1;
    EXPECT_FALSE(mrc_resp_fits(&r.q, &large.a));
    for (const u8 opcode : {MRC_OP_READ, MRC_OP_CMP_SWAP, MRC_OP_FETCH_ADD, MRC_OP_ATOMIC_RSP}) {
        Fetch fetch(0, opcode);
        EXPECT_TRUE(mrc_resp_fits(&r.q, &fetch.a));
        fetch.a.payload = 4;
        EXPECT_FALSE(mrc_resp_fits(&r.q, &fetch.a)) << "no payload belongs there";
    }
    mrc_rx_arrival a = sized(MRC_OP_READ_RSP_MIDDLE, kMtu, 3 * kMtu);
    a.offset = kMtu;
    EXPECT_TRUE(mrc_resp_fits(&r.q, &a));
    a.offset = kMtu + 1;
    EXPECT_FALSE(mrc_resp_fits(&r.q, &a));
    a.offset = 2 * kMtu;
    EXPECT_FALSE(mrc_resp_fits(&r.q, &a)) << "the last packet belongs there";
}

/* Else the peer would send the refused packet again and again, and blame its paths. */
TEST(ResponderRead, WhatIsRefusedMeanwhileCountsAsArrived)
{
    Responder r;
    const Fetch read(0);
    r.arrive(read.a);
    execute(r);
    r.arrive(Responder::packet(3), MRC_NAK_ACCESS);
    r.arrive(2);
    r.arrive(1);
    EXPECT_EQ(r.done().size(), 2u) << "what is before it is executed";
    EXPECT_EQ(r.answer(), 0);
    r.expectAck(2, MRC_ACK_OK, 3);
    EXPECT_EQ(r.q.rx.cack, Responder::psn(3));
    const mrc_rx_arrival again = Responder::packet(3);
    EXPECT_EQ(mrc_resp_claim(&r.q, &again), MRC_RX_DUP);
    r.arrive(4);
    EXPECT_EQ(r.done().size(), 0u) << "what is behind it is not";
    EXPECT_EQ(r.done().size(), 0u);
    EXPECT_TRUE(mrc_resp_answered(&r.q, 1));
    EXPECT_EQ(r.answer(), MRC_NAK_ACCESS);
    r.expectAck(3, MRC_NAK_ACCESS, 3);
}

/* The same behind a WriteImm that waits for a receive. */
TEST(ResponderRead, WhatIsRefusedBehindAWaitingMessageCountsAsArrived)
{
    Responder r;
    r.arrive(0, MRC_OP_WRITE_ONLY_IMM);
    mrc_rx_done done;
    ASSERT_TRUE(mrc_resp_next_done(&r.q, &done));
    mrc_resp_wait(&r.q, &done);
    r.arrive(Responder::packet(1), MRC_NAK_ACCESS);
    EXPECT_EQ(r.q.rx.cack, Responder::psn(1));
    EXPECT_EQ(r.answer(), 0);
    ASSERT_TRUE(mrc_resp_resume(&r.q));
    ASSERT_TRUE(mrc_resp_next_done(&r.q, &done));
    EXPECT_EQ(r.answer(), MRC_NAK_ACCESS);
    r.expectAck(1, MRC_NAK_ACCESS, 1);
}

/* Nothing that was refused is executed, in whatever order refusals come and are put right. */
TEST(ResponderRead, WhatIsRefusedMeanwhileIsNotForgotten)
{
    for (const bool before : {true, false}) {
        Responder r;
        const Fetch read(0);
        if (before) {
            r.arrive(Responder::packet(2), MRC_NAK_ACCESS);
        }
        r.arrive(read.a);
        execute(r);
        r.arrive(Responder::packet(3), MRC_NAK_ACCESS);
        if (!before) {
            mrc_resp_answered(&r.q, 1);
            r.arrive(Responder::packet(2), MRC_NAK_ACCESS);
        }
        r.arrive(2);
        r.arrive(1);
        EXPECT_EQ(r.done().size(), 1u) << before << ": what comes before both is executed";
        r.arrive(4);
        EXPECT_EQ(r.done().size(), 0u) << before;
        if (before) {
            EXPECT_EQ(r.answer(), 0);
            mrc_resp_answered(&r.q, 1);
        }
        EXPECT_EQ(r.answer(), MRC_NAK_ACCESS) << before;
    }
}
