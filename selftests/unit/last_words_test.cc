// SPDX-License-Identifier: GPL-2.0-only
//
// Tests what a QP that has ended says to the other end.

#include "engine/core.h"

#include <gtest/gtest.h>

#include <vector>

namespace
{

constexpr u32 done = 0xfffff0; // the PSN wraps soon
constexpr u32 size = 256;
constexpr u32 ev = 0xc1230042;

const mrc_last_words ended = {.done_psn = done, .size = size, .msn = 7};
const mrc_last_words refused = {
    .done_psn = done, .size = size, .msn = 7, .nak_psn = done + 3, .nak_syndrome = MRC_NAK_ACCESS};

mrc_hdr packet(u8 opcode, u32 psn)
{
    mrc_hdr hdr{};
    hdr.bth.opcode = opcode;
    hdr.bth.psn = psn & MRC_PSN_MASK;
    if (opcode == MRC_OP_PROBE)
        hdr.probe.tx_timestamp = 0x1234;
    else if (mrc_opcode_flags(opcode) & MRC_OPF_REQUEST)
        hdr.write.tx_timestamp = 0x5678;
    return hdr;
}

std::vector<mrc_hdr> said(const mrc_last_words &w, const mrc_hdr &asked)
{
    mrc_answers out;
    mrc_answers_init(&out);
    mrc_last_words_say(&w, &asked, ev, &out);
    return {out.hdr, out.hdr + out.count};
}

void expect_ack(const mrc_hdr &hdr, u32 psn, u8 syndrome)
{
    EXPECT_EQ(hdr.bth.opcode, MRC_OP_ACK);
    EXPECT_EQ(hdr.bth.psn, psn & MRC_PSN_MASK);
    EXPECT_EQ(hdr.ack.syndrome, syndrome);
    EXPECT_EQ(hdr.ack.msn, 7u);
}

void expect_unexpected(const mrc_hdr &hdr, u32 psn, u16 timestamp)
{
    EXPECT_EQ(hdr.bth.opcode, MRC_OP_NACK);
    EXPECT_EQ(hdr.bth.psn, psn & MRC_PSN_MASK);
    EXPECT_EQ(hdr.nack.reason, MRC_NACK_UNEXP_EVENT);
    EXPECT_EQ(hdr.nack.psn, psn & MRC_PSN_MASK);
    EXPECT_EQ(hdr.nack.entropy, ev);
    EXPECT_EQ(hdr.nack.tx_timestamp, timestamp);
}

TEST(LastWords, WhatIsNotCompleteIsUnexpectedAndWhatWasIsAcknowledgedBefore)
{
    for (u32 beyond : {1u, 20u, size}) {
        const auto out = said(ended, packet(MRC_OP_WRITE_MIDDLE, done + beyond));
        ASSERT_EQ(out.size(), 2u);
        expect_ack(out[0], done, MRC_ACK_OK);
        expect_unexpected(out[1], done + beyond, 0x5678);
    }
}

TEST(LastWords, ACopyOfWhatWasCompleteIsAcknowledgedAlone)
{
    for (u32 behind : {0u, 1u, size - 1}) {
        const auto out = said(ended, packet(MRC_OP_WRITE_ONLY_IMM, done - behind));
        ASSERT_EQ(out.size(), 1u);
        expect_ack(out[0], done, MRC_ACK_OK);
    }
}

TEST(LastWords, AProbeAsksForTheFirstPacketMissing)
{
    // it names no packet, whatever its PSN
    const auto out = said(ended, packet(MRC_OP_PROBE, done + 0x800000));
    ASSERT_EQ(out.size(), 2u);
    expect_ack(out[0], done, MRC_ACK_OK);
    expect_unexpected(out[1], done + 1, 0x1234);
}

/* The request of a response was acknowledged: the other end has nothing else that an answer names.
 */
TEST(LastWords, AProbeForAResponseIsToldThatItWillNotCome)
{
    mrc_last_words answering = ended;
    answering.answering = true;
    const auto out = said(answering, packet(MRC_OP_PROBE, 0));
    ASSERT_EQ(out.size(), 3u);
    expect_ack(out[0], done, MRC_ACK_OK);
    expect_unexpected(out[1], done, 0x1234);
    expect_unexpected(out[2], done + 1, 0x1234);
}

TEST(LastWords, TheNakIsSaidAgain)
{
    for (const mrc_hdr &asked :
         {packet(MRC_OP_WRITE_ONLY, done - 5), packet(MRC_OP_WRITE_ONLY, done + 3),
          packet(MRC_OP_WRITE_ONLY, done + 9), packet(MRC_OP_PROBE, 0)}) {
        const auto out = said(refused, asked);
        ASSERT_EQ(out.size(), 1u);
        expect_ack(out[0], done + 3, MRC_NAK_ACCESS);
    }
}

TEST(LastWords, AnotherConnectionsPacketsAreNotAnswered)
{
    for (const mrc_last_words &w : {ended, refused})
        for (u32 psn : {done + size + 1, done - size, done + 0x400000, done - 0x400000})
            EXPECT_TRUE(said(w, packet(MRC_OP_WRITE_ONLY, psn)).empty()) << psn;
}

TEST(LastWords, AnswersAreNotAnswered)
{
    for (u8 opcode : {MRC_OP_ACK, MRC_OP_SACK, MRC_OP_NACK, MRC_OP_EP_REQ, MRC_OP_EP_RSP})
        EXPECT_TRUE(said(ended, packet(opcode, done + 1)).empty()) << int{opcode};
}

} // namespace
