// SPDX-License-Identifier: GPL-2.0-only
#include "bytes.h"
#include "engine/core.h"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <memory>
#include <set>

namespace
{

struct WriteRow {
    std::uint8_t opcode;
    unsigned flags;
    std::size_t len;
};

const WriteRow kSends[] = {
    {0xc0, MRC_OPF_REQUEST | MRC_OPF_SEND | MRC_OPF_FIRST, 24},
    {0xc1, MRC_OPF_REQUEST | MRC_OPF_SEND, 24},
    {0xc2, MRC_OPF_REQUEST | MRC_OPF_SEND | MRC_OPF_LAST | MRC_OPF_TAKES, 24},
    {0xc3, MRC_OPF_REQUEST | MRC_OPF_SEND | MRC_OPF_LAST | MRC_OPF_TAKES | MRC_OPF_IMM, 28},
    {0xc4, MRC_OPF_REQUEST | MRC_OPF_SEND | MRC_OPF_FIRST | MRC_OPF_LAST | MRC_OPF_TAKES, 24},
    {0xc5,
     MRC_OPF_REQUEST | MRC_OPF_SEND | MRC_OPF_FIRST | MRC_OPF_LAST | MRC_OPF_TAKES | MRC_OPF_IMM,
     28},
    {0xd6,
     MRC_OPF_REQUEST | MRC_OPF_SEND | MRC_OPF_LAST | MRC_OPF_TAKES | MRC_OPF_IMM | MRC_OPF_INV, 28},
    {0xd7,
     MRC_OPF_REQUEST | MRC_OPF_SEND | MRC_OPF_FIRST | MRC_OPF_LAST | MRC_OPF_TAKES | MRC_OPF_IMM |
         MRC_OPF_INV,
     28},
};

const WriteRow kWrites[] = {
    {0xc6, MRC_OPF_REQUEST | MRC_OPF_FIRST, 32},
    {0xc7, MRC_OPF_REQUEST, 32},
    {0xc8, MRC_OPF_REQUEST | MRC_OPF_LAST, 32},
    {0xc9, MRC_OPF_REQUEST | MRC_OPF_LAST | MRC_OPF_TAKES | MRC_OPF_IMM, 36},
    {0xca, MRC_OPF_REQUEST | MRC_OPF_FIRST | MRC_OPF_LAST, 32},
    {0xcb, MRC_OPF_REQUEST | MRC_OPF_FIRST | MRC_OPF_LAST | MRC_OPF_TAKES | MRC_OPF_IMM, 36},
};

constexpr unsigned kOnly = MRC_OPF_REQUEST | MRC_OPF_FIRST | MRC_OPF_LAST;

const WriteRow kReads[] = {
    {0xcc, kOnly | MRC_OPF_FETCH, 36},
    {0xcd, MRC_OPF_REQUEST | MRC_OPF_RESPONSE | MRC_OPF_FIRST, 28},
    {0xce, MRC_OPF_REQUEST | MRC_OPF_RESPONSE, 28},
    {0xcf, MRC_OPF_REQUEST | MRC_OPF_RESPONSE | MRC_OPF_LAST, 28},
    {0xd0, kOnly | MRC_OPF_RESPONSE, 28},
    {0xd2, kOnly | MRC_OPF_RESPONSE | MRC_OPF_ATOMIC, 28},
    {0xd3, kOnly | MRC_OPF_FETCH | MRC_OPF_ATOMIC, 48},
    {0xd4, kOnly | MRC_OPF_FETCH | MRC_OPF_ATOMIC, 48},
};

const WriteRow kDatagrams[] = {
    {0x64, MRC_OPF_UD | MRC_OPF_FIRST | MRC_OPF_LAST, 20},
    {0x65, MRC_OPF_UD | MRC_OPF_FIRST | MRC_OPF_LAST | MRC_OPF_IMM, 24},
};

struct ControlRow {
    std::uint8_t opcode;
    std::size_t len;
};

const ControlRow kControls[] = {{0xd1, 16}, {0xd8, 28}, {0xd9, 48},
                                {0xdc, 48}, {0xdd, 32}, {0xde, 28}};

Bytes encode(const mrc_hdr &hdr)
{
    Bytes out(MRC_HDR_MAX + 8, 0xee);
    const unsigned len = mrc_hdr_encode(out.data(), &hdr);
    for (std::size_t i = len; i < out.size(); ++i)
        EXPECT_EQ(out[i], 0xee) << "written beyond the header";
    out.resize(len);
    return out;
}

mrc_hdr decode(const Bytes &packet)
{
    mrc_hdr hdr{};
    EXPECT_EQ(mrc_hdr_decode(packet.data(), packet.size(), &hdr), MRC_DECODE_OK);
    EXPECT_EQ(hdr.len, packet.size());
    return hdr;
}

/// Decodes a copy that ends where the packet ends, so that reads beyond it are caught.
mrc_decode_err decodeExact(const Bytes &packet, std::size_t len, mrc_hdr *hdr)
{
    std::unique_ptr<std::uint8_t[]> copy(new std::uint8_t[len]);
    std::copy_n(packet.begin(), len, copy.get());
    return mrc_hdr_decode(copy.get(), len, hdr);
}

mrc_hdr header(std::uint8_t opcode, std::uint32_t qpn, std::uint32_t psn)
{
    mrc_hdr hdr{};
    hdr.bth.opcode = opcode;
    hdr.bth.pkey = 0xffff;
    hdr.bth.qpn = qpn;
    hdr.bth.psn = psn;
    return hdr;
}

const Bytes kSack = hex("dc 00 ffff 00 0a0b0c 20 010203" // BTH, rtx
                        "00 22 fff0 c0de1234 0000 0000"  // m = 1, pr = 1, offset -16
                        "00 010203 00 08 0021 8123456789abcde0"
                        "beef 1234 85 a1b2c3");
const Bytes kNack = hex("dd 00 ffff 00 0a0b0c 00 fffffe"
                        "0000 0b 00 c0de1234 0000 0000 00 fffffe 20 00 beef");
const Bytes kAck = hex("d1 00 ffff 00 0a0b0c 00 00ffff 1f 00a0b0");
const Bytes kProbe = hex("de 00 ffff 00 0a0b0c 00 000000"
                         "0000 00 00 4711 0000 0000 0000 beef 0001");
const Bytes kEpReq = hex("d8 00 ffff 00 000002 00 001234"
                         "0001 00 00 80000005 00000000 beef 0001");
const Bytes kEpRsp = hex("d9 00 ffff 00 000002 00 001234"
                         "0004 0000 00000000 00000000 00000000 00000000 00000000 00000000"
                         "beef 0000 00000000");

Bytes sampleOf(std::uint8_t opcode)
{
    for (const Bytes &packet : {kSack, kNack, kAck, kProbe, kEpReq, kEpRsp})
        if (packet[0] == opcode)
            return packet;
    return {};
}

} // namespace

TEST(Wire, OpcodeTable)
{
    std::set<int> known;
    for (const WriteRow &row : kWrites) {
        known.insert(row.opcode);
        EXPECT_EQ(mrc_opcode_flags(row.opcode), row.flags);
        EXPECT_EQ(mrc_opcode_hdr_len(row.opcode), row.len);
    }
    for (const WriteRow &row : kSends) {
        known.insert(row.opcode);
        EXPECT_EQ(mrc_opcode_flags(row.opcode), row.flags);
        EXPECT_EQ(mrc_opcode_hdr_len(row.opcode), row.len);
    }
    for (const WriteRow &row : kReads) {
        known.insert(row.opcode);
        EXPECT_EQ(mrc_opcode_flags(row.opcode), row.flags);
        EXPECT_EQ(mrc_opcode_hdr_len(row.opcode), row.len);
    }
    for (const WriteRow &row : kDatagrams) {
        known.insert(row.opcode);
        EXPECT_EQ(mrc_opcode_flags(row.opcode), row.flags);
        EXPECT_EQ(mrc_opcode_hdr_len(row.opcode), row.len);
    }
    for (const ControlRow &row : kControls) {
        known.insert(row.opcode);
        EXPECT_EQ(mrc_opcode_flags(row.opcode), unsigned{MRC_OPF_CONTROL});
        EXPECT_EQ(mrc_opcode_hdr_len(row.opcode), row.len);
    }
    for (int op = 0; op < 256; ++op) {
        if (known.count(op))
            continue;
        EXPECT_EQ(mrc_opcode_flags(static_cast<u8>(op)), 0u) << op;
        EXPECT_EQ(mrc_opcode_hdr_len(static_cast<u8>(op)), 0u) << op;
    }
}

TEST(Wire, WriteOpcodeByPlaceInMessage)
{
    EXPECT_EQ(mrc_write_opcode(true, false, false), 0xc6);
    EXPECT_EQ(mrc_write_opcode(true, false, true), 0xc6);
    EXPECT_EQ(mrc_write_opcode(false, false, false), 0xc7);
    EXPECT_EQ(mrc_write_opcode(false, false, true), 0xc7);
    EXPECT_EQ(mrc_write_opcode(false, true, false), 0xc8);
    EXPECT_EQ(mrc_write_opcode(false, true, true), 0xc9);
    EXPECT_EQ(mrc_write_opcode(true, true, false), 0xca);
    EXPECT_EQ(mrc_write_opcode(true, true, true), 0xcb);
}

TEST(Wire, SendOpcodeByPlaceInMessage)
{
    EXPECT_EQ(mrc_send_opcode(true, false, true), 0xc0);
    EXPECT_EQ(mrc_send_opcode(false, false, false), 0xc1);
    EXPECT_EQ(mrc_send_opcode(false, true, false), 0xc2);
    EXPECT_EQ(mrc_send_opcode(false, true, true), 0xc3);
    EXPECT_EQ(mrc_send_opcode(true, true, false), 0xc4);
    EXPECT_EQ(mrc_send_opcode(true, true, true), 0xc5);
    EXPECT_EQ(mrc_send_inv_opcode(true, false), 0xc0);
    EXPECT_EQ(mrc_send_inv_opcode(false, false), 0xc1);
    EXPECT_EQ(mrc_send_inv_opcode(false, true), 0xd6);
    EXPECT_EQ(mrc_send_inv_opcode(true, true), 0xd7);
}

TEST(Wire, EverySendOpcodeWithAndWithoutTimestamp)
{
    for (const WriteRow &row : kSends) {
        for (bool ts : {false, true}) {
            Bytes wire = hex("00 90 8001 00 00abcd 20 ffffff 1234 8000");
            wire[0] = row.opcode;
            if (ts) {
                wire[8] |= 0x10;
                const Bytes tseth = hex("0042 0001");
                wire.insert(wire.end(), tseth.begin(), tseth.end());
            }
            const Bytes pleth = hex("80000001 ffffffff");
            wire.insert(wire.end(), pleth.begin(), pleth.end());
            if (row.flags & MRC_OPF_IMM)
                wire.insert(wire.end(), {1, 2, 3, 4});

            const mrc_hdr got = decode(wire);
            EXPECT_TRUE(got.bth.solicited);
            EXPECT_EQ(got.bth.pad, 1);
            EXPECT_TRUE(got.bth.rtx);
            EXPECT_EQ(got.write.rqmsn, 0x1234);
            EXPECT_EQ(got.write.msn, 0x8000);
            EXPECT_EQ(got.write.tx_timestamp, ts ? 0x42 : 0);
            EXPECT_EQ(got.write.va, 0x80000001u);
            EXPECT_EQ(got.write.rkey, 0u);
            EXPECT_EQ(got.write.dmalen, 0xffffffffu);
            EXPECT_EQ(got.write.imm, row.flags & MRC_OPF_IMM ? htonl(0x01020304) : 0);
            EXPECT_EQ(encode(got), wire) << "opcode " << int{row.opcode};
            mrc_hdr hdr;
            for (std::size_t len = 0; len < wire.size(); ++len)
                EXPECT_EQ(decodeExact(wire, len, &hdr), MRC_DECODE_SHORT);
        }
    }
}

/* Each of these: with every byte where it belongs, with and without timestamp, and cut short. */
TEST(Wire, EveryOpcodeOfReadsAndAtomics)
{
    const struct {
        u8 opcode;
        const char *rest;
        mrc_write write;
    } rows[] = {
        {0xcc,
         "1122334455667788 99aabbcc 00012345 00fedcba",
         {.va = 0x1122334455667788, .rkey = 0x99aabbcc, .dmalen = 0x12345, .rdeth = 0xfedcba}},
        {0xcd, "fedc0000 80000001 ffffffff", {.va = 0x80000001, .dmalen = ~0u, .rdeth = 0xfedc}},
        {0xce, "fedc0000 80000001 ffffffff", {.va = 0x80000001, .dmalen = ~0u, .rdeth = 0xfedc}},
        {0xcf, "fedc0000 80000001 ffffffff", {.va = 0x80000001, .dmalen = ~0u, .rdeth = 0xfedc}},
        {0xd0, "fedc0000 80000001 ffffffff", {.va = 0x80000001, .dmalen = ~0u, .rdeth = 0xfedc}},
        {0xd2,
         "fedc0000 1122334455667788",
         {.dmalen = 8, .rdeth = 0xfedc, .value = 0x1122334455667788}},
        {0xd3,
         "1122334455667788 99aabbcc 0102030405060708 f1f2f3f4f5f6f7f8 00fedcba",
         {.va = 0x1122334455667788,
          .rkey = 0x99aabbcc,
          .dmalen = 8,
          .rdeth = 0xfedcba,
          .value = 0x0102030405060708,
          .compare = 0xf1f2f3f4f5f6f7f8}},
    };
    for (const auto &row : rows) {
        for (bool ts : {false, true}) {
            Bytes wire = hex("00 00 ffff 00 00abcd 20 ffffff 0000 8000");
            wire[0] = row.opcode;
            if (ts) {
                wire[8] |= 0x10;
                const Bytes tseth = hex("0042 0001");
                wire.insert(wire.end(), tseth.begin(), tseth.end());
            }
            const Bytes rest = hex(row.rest);
            wire.insert(wire.end(), rest.begin(), rest.end());
            const mrc_hdr got = decode(wire);
            EXPECT_EQ(got.write.msn, 0x8000);
            EXPECT_EQ(got.write.va, row.write.va);
            EXPECT_EQ(got.write.rkey, row.write.rkey);
            EXPECT_EQ(got.write.dmalen, row.write.dmalen);
            EXPECT_EQ(got.write.rdeth, row.write.rdeth);
            EXPECT_EQ(got.write.value, row.write.value);
            EXPECT_EQ(got.write.compare, row.write.compare);
            EXPECT_EQ(encode(got), wire) << "opcode " << int{row.opcode};
            mrc_hdr hdr;
            for (std::size_t len = 0; len < wire.size(); ++len)
                EXPECT_EQ(decodeExact(wire, len, &hdr), MRC_DECODE_SHORT);
        }
    }
}

/* IBTA, end-to-end flow control: 31 codes, each with a number of receives. */
TEST(Wire, Datagrams)
{
    Bytes packet = {0x64, 0xb0, 0xff, 0xff, 0,    0x00, 0x00, 0x01, 0,    0x12,
                    0x34, 0x56, 0x80, 0x01, 0x00, 0x00, 0,    0xab, 0xcd, 0xef};

    for (const bool imm : {false, true}) {
        if (imm) {
            packet[0] = 0x65;
            packet.insert(packet.end(), {0xde, 0xad, 0xbe, 0xef});
        }
        const mrc_hdr hdr = decode(packet);
        EXPECT_EQ(hdr.bth.qpn, 1u);
        EXPECT_EQ(hdr.bth.psn, 0x123456u);
        EXPECT_EQ(hdr.bth.pad, 3);
        EXPECT_TRUE(hdr.bth.solicited);
        EXPECT_EQ(hdr.ud.qkey, 0x80010000u);
        EXPECT_EQ(hdr.ud.src_qpn, 0xabcdefu);
        EXPECT_EQ(hdr.ud.imm, imm ? htobe32(0xdeadbeef) : 0u);
        EXPECT_EQ(encode(hdr), packet);
    }
    /* The byte before the source QP is reserved. */
    packet[16] = 0x77;
    EXPECT_EQ(decode(packet).ud.src_qpn, 0xabcdefu);
}

TEST(Wire, DatagramsBetweenIpv4Gids)
{
    Bytes packet = {0x65, 0, 0xff, 0xff, 0, 0, 0, 1, 0, 0, 0, 5, 0x80, 1, 0, 0, 4, 0, 1, 0x23};
    mrc_hdr hdr{};

    packet.insert(packet.end(), {10, 0, 0, 1, 10, 0, 0, 2, 0xde, 0xad, 0xbe, 0xef});
    hdr = decode(packet);
    EXPECT_TRUE(hdr.ud.ip4);
    EXPECT_EQ(hdr.ud.saddr4, htobe32(0x0a000001));
    EXPECT_EQ(hdr.ud.daddr4, htobe32(0x0a000002));
    EXPECT_EQ(hdr.ud.imm, htobe32(0xdeadbeef));
    EXPECT_EQ(encode(hdr), packet);
    for (std::size_t len = 0; len < packet.size(); ++len)
        EXPECT_EQ(decodeExact(packet, len, &hdr), MRC_DECODE_SHORT);
}

TEST(Wire, CreditsOfAnAck)
{
    const u32 numbers[] = {0,    1,    2,    3,    4,    6,     8,     12,    16,   24,   32,
                           48,   64,   96,   128,  192,  256,   384,   512,   768,  1024, 1536,
                           2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768};
    for (u8 code = 0; code < 31; ++code) {
        EXPECT_EQ(mrc_credits_decode(code), numbers[code]);
        EXPECT_EQ(mrc_credits_encode(numbers[code]), code);
        if (code) {
            EXPECT_EQ(mrc_credits_encode(numbers[code] - 1), code - 1) << "rounded down";
        }
    }
    EXPECT_EQ(mrc_credits_encode(~0u), 30);
    EXPECT_EQ(mrc_credits_decode(MRC_ACK_OK), MRC_CREDITS_NONE);
    EXPECT_EQ(mrc_credits_decode(MRC_NAK_INVALID), MRC_CREDITS_NONE);
}

TEST(Wire, WriteOnlyWithImmediateAndTimestamp)
{
    const Bytes wire = hex("cb 30 ffff 00 123456 b0 00fffe"
                           "0102 0304"
                           "abcd 0001"
                           "1122334455667788 99aabbcc 00000005"
                           "deadbeef");
    mrc_hdr hdr = header(0xcb, 0x123456, 0x00fffe);
    hdr.bth.pad = 3;
    hdr.bth.ackreq = hdr.bth.rtx = hdr.bth.ts = true;
    hdr.write = {.rqmsn = 0x0102,
                 .msn = 0x0304,
                 .tx_timestamp = 0xabcd,
                 .va = 0x1122334455667788,
                 .rkey = 0x99aabbcc,
                 .dmalen = 5,
                 .imm = htonl(0xdeadbeef)};
    EXPECT_EQ(encode(hdr), wire);

    const mrc_hdr got = decode(wire);
    EXPECT_EQ(got.bth.opcode, 0xcb);
    EXPECT_EQ(got.bth.pad, 3);
    EXPECT_TRUE(got.bth.ackreq);
    EXPECT_TRUE(got.bth.rtx);
    EXPECT_TRUE(got.bth.ts);
    EXPECT_EQ(got.bth.pkey, 0xffff);
    EXPECT_EQ(got.bth.qpn, 0x123456u);
    EXPECT_EQ(got.bth.psn, 0x00fffeu);
    EXPECT_EQ(got.write.rqmsn, 0x0102);
    EXPECT_EQ(got.write.msn, 0x0304);
    EXPECT_EQ(got.write.tx_timestamp, 0xabcd);
    EXPECT_EQ(got.write.va, 0x1122334455667788u);
    EXPECT_EQ(got.write.rkey, 0x99aabbccu);
    EXPECT_EQ(got.write.dmalen, 5u);
    EXPECT_EQ(got.write.imm, htonl(0xdeadbeef));
}

TEST(Wire, EveryWriteOpcodeWithAndWithoutTimestamp)
{
    for (const WriteRow &row : kWrites) {
        for (bool ts : {false, true}) {
            Bytes wire = hex("00 10 8001 00 00abcd 80 ffffff 0000 8000");
            wire[0] = row.opcode;
            if (ts) {
                wire[8] |= 0x10;
                const Bytes tseth = hex("0042 0001");
                wire.insert(wire.end(), tseth.begin(), tseth.end());
            }
            const Bytes reth = hex("ffffffffffffffff 00000001 80000000");
            wire.insert(wire.end(), reth.begin(), reth.end());
            if (row.flags & MRC_OPF_IMM)
                wire.insert(wire.end(), {1, 2, 3, 4});

            const mrc_hdr got = decode(wire);
            EXPECT_EQ(got.bth.pad, 1);
            EXPECT_EQ(got.bth.pkey, 0x8001);
            EXPECT_EQ(got.bth.psn, 0xffffffu);
            EXPECT_EQ(got.bth.ts, ts);
            EXPECT_EQ(got.write.msn, 0x8000);
            EXPECT_EQ(got.write.tx_timestamp, ts ? 0x42 : 0);
            EXPECT_EQ(got.write.va, ~std::uint64_t{0});
            EXPECT_EQ(got.write.dmalen, 0x80000000u);
            EXPECT_EQ(got.write.imm, row.flags & MRC_OPF_IMM ? htonl(0x01020304) : 0);
            EXPECT_EQ(encode(got), wire) << "opcode " << int{row.opcode};
        }
    }
}

TEST(Wire, Sack)
{
    mrc_hdr hdr = header(MRC_OP_SACK, 0x0a0b0c, 0x010203);
    hdr.bth.rtx = true;
    hdr.sack = {.m = MRC_SACK_SKIP_ONCE,
                .probe = true,
                .ack_offset = -16,
                .entropy = 0xc0de1234,
                .cack_psn = 0x010203,
                .mpr = 8,
                .sack_offset = 33,
                .bitmap = 0x8123456789abcde0,
                .tx_timestamp = 0xbeef,
                .ooo_count = 0x1234,
                .restore_cwnd = true,
                .cwnd_pen = 5,
                .rcvd_bytes = 0xa1b2c3};
    EXPECT_EQ(encode(hdr), kSack);

    const mrc_hdr got = decode(kSack);
    EXPECT_TRUE(got.bth.rtx);
    EXPECT_FALSE(got.bth.ackreq);
    EXPECT_EQ(got.bth.psn, 0x010203u);
    EXPECT_EQ(got.sack.m, MRC_SACK_SKIP_ONCE);
    EXPECT_TRUE(got.sack.probe);
    EXPECT_EQ(got.sack.ack_offset, -16);
    EXPECT_EQ(got.sack.entropy, 0xc0de1234u);
    EXPECT_EQ(got.sack.cack_psn, 0x010203u);
    EXPECT_EQ(got.sack.mpr, 8);
    EXPECT_EQ(got.sack.sack_offset, 33);
    EXPECT_EQ(got.sack.bitmap, 0x8123456789abcde0u);
    EXPECT_EQ(got.sack.tx_timestamp, 0xbeef);
    EXPECT_EQ(got.sack.ooo_count, 0x1234);
    EXPECT_TRUE(got.sack.restore_cwnd);
    EXPECT_EQ(got.sack.cwnd_pen, 5);
    EXPECT_EQ(got.sack.rcvd_bytes, 0xa1b2c3u);
}

TEST(Wire, Nack)
{
    mrc_hdr hdr = header(MRC_OP_NACK, 0x0a0b0c, 0xfffffe);
    hdr.nack = {.reason = MRC_NACK_PSN_OOR_WINDOW,
                .entropy = 0xc0de1234,
                .psn = 0xfffffe,
                .tx_timestamp = 0xbeef};
    EXPECT_EQ(encode(hdr), kNack);

    const mrc_hdr got = decode(kNack);
    EXPECT_EQ(got.nack.reason, MRC_NACK_PSN_OOR_WINDOW);
    EXPECT_EQ(got.nack.entropy, 0xc0de1234u);
    EXPECT_EQ(got.nack.psn, 0xfffffeu);
    EXPECT_EQ(got.nack.tx_timestamp, 0xbeef);
}

TEST(Wire, Ack)
{
    mrc_hdr hdr = header(MRC_OP_ACK, 0x0a0b0c, 0x00ffff);
    hdr.ack = {.syndrome = MRC_ACK_OK, .msn = 0x00a0b0};
    EXPECT_EQ(encode(hdr), kAck);

    const mrc_hdr got = decode(kAck);
    EXPECT_EQ(got.ack.syndrome, MRC_ACK_OK);
    EXPECT_EQ(got.ack.msn, 0x00a0b0u);
    EXPECT_EQ(got.bth.psn, 0x00ffffu);
}

/* The low bits are a credit, a time or a reason. */
TEST(Wire, TypesOfAckSyndromes)
{
    for (unsigned s = 0x00; s < 0x20; ++s) {
        EXPECT_TRUE(mrc_syndrome_is_ack(static_cast<u8>(s))) << s;
        EXPECT_FALSE(mrc_syndrome_is_nak(static_cast<u8>(s))) << s;
    }
    for (unsigned s = 0x20; s < 0x60; ++s) { // RNR NAK, reserved
        EXPECT_FALSE(mrc_syndrome_is_ack(static_cast<u8>(s))) << s;
        EXPECT_FALSE(mrc_syndrome_is_nak(static_cast<u8>(s))) << s;
    }
    for (unsigned s = 0x60; s < 0x80; ++s) {
        EXPECT_FALSE(mrc_syndrome_is_ack(static_cast<u8>(s))) << s;
        EXPECT_TRUE(mrc_syndrome_is_nak(static_cast<u8>(s))) << s;
    }
    EXPECT_TRUE(mrc_syndrome_is_ack(MRC_ACK_OK));
    EXPECT_TRUE(mrc_syndrome_is_nak(MRC_NAK_INVALID));
}

TEST(Wire, Probe)
{
    mrc_hdr hdr = header(MRC_OP_PROBE, 0x0a0b0c, 0);
    hdr.probe = {.id = 0x4711, .tx_timestamp = 0xbeef};
    EXPECT_EQ(encode(hdr), kProbe);

    const mrc_hdr got = decode(kProbe);
    EXPECT_EQ(got.probe.id, 0x4711);
    EXPECT_EQ(got.probe.tx_timestamp, 0xbeef);
}

TEST(Wire, EndpointRequest)
{
    mrc_hdr hdr = header(MRC_OP_EP_REQ, MRC_QPN_ENDPOINT, 0x1234);
    hdr.ep = {.op = MRC_EP_EV_PROBE, .port_mask = 0x80000005, .tx_timestamp = 0xbeef};
    EXPECT_EQ(encode(hdr), kEpReq);

    const mrc_hdr got = decode(kEpReq);
    EXPECT_EQ(got.ep.op, MRC_EP_EV_PROBE);
    EXPECT_EQ(got.ep.port_mask, 0x80000005u);
    EXPECT_EQ(got.ep.tx_timestamp, 0xbeef);
    EXPECT_FALSE(got.ep.tsr);
    EXPECT_EQ(got.bth.psn, 0x1234u);
}

TEST(Wire, EndpointRequestWithATimestampInTheSendersUnit)
{
    mrc_hdr hdr = decode(kEpReq);
    hdr.ep.tsr = true;
    Bytes packet = kEpReq;
    packet[12 + 14] = 0x80;
    EXPECT_EQ(encode(hdr), packet);
    EXPECT_TRUE(decode(packet).ep.tsr);
    packet[12 + 14] = 0x7f; // reserved
    EXPECT_FALSE(decode(packet).ep.tsr);
}

TEST(Wire, EndpointResponseWhoseOpIsIgnored)
{
    mrc_hdr hdr = header(MRC_OP_EP_RSP, MRC_QPN_ENDPOINT, 0x1234);
    hdr.ep = {.op = MRC_EP_EV_PROBE, .port_mask = 0xffffffff, .tx_timestamp = 0xbeef};
    EXPECT_EQ(encode(hdr), kEpRsp);

    for (std::uint8_t byte1 : {0x00, 0x04, 0x08, 0x10, 0x20, 0xff}) {
        Bytes other = kEpRsp;
        other[13] = byte1;
        const mrc_hdr got = decode(other);
        EXPECT_EQ(got.ep.op, 0);
        EXPECT_EQ(got.ep.tx_timestamp, 0xbeef);
    }
}

TEST(Wire, EveryTruncationIsRefusedWithoutReadingOnOrWriting)
{
    std::vector<Bytes> packets = {kSack, kNack, kAck, kProbe, kEpReq, kEpRsp};
    for (const WriteRow &row : kDatagrams) {
        packets.emplace_back(row.len, 0);
        packets.back()[0] = row.opcode;
    }
    for (const WriteRow &row : kWrites) {
        Bytes plain(row.len, 0);
        plain[0] = row.opcode;
        packets.push_back(plain);
        plain[8] = 0x10;
        plain.resize(row.len + 4);
        packets.push_back(plain);
    }
    for (const Bytes &packet : packets) {
        mrc_hdr hdr;
        mrc_hdr untouched;
        std::memset(&hdr, 0xa5, sizeof(hdr));
        std::memset(&untouched, 0xa5, sizeof(untouched));
        for (std::size_t len = 0; len < packet.size(); ++len) {
            EXPECT_EQ(decodeExact(packet, len, &hdr), MRC_DECODE_SHORT);
            EXPECT_EQ(std::memcmp(&hdr, &untouched, sizeof(hdr)), 0);
        }
        EXPECT_EQ(decodeExact(packet, packet.size(), &hdr), MRC_DECODE_OK);
        EXPECT_EQ(hdr.len, packet.size());

        Bytes longer = packet;
        longer.resize(packet.size() + 100, 0x77);
        EXPECT_EQ(decodeExact(longer, longer.size(), &hdr), MRC_DECODE_OK);
        EXPECT_EQ(hdr.len, packet.size());
    }
}

TEST(Wire, UnknownOpcodesAreRefused)
{
    Bytes packet(100, 0);
    for (int op = 0; op < 256; ++op) {
        mrc_hdr hdr{};
        packet[0] = static_cast<std::uint8_t>(op);
        hdr.bth.opcode = packet[0];
        if (mrc_opcode_flags(packet[0]))
            continue;
        EXPECT_EQ(mrc_hdr_decode(packet.data(), packet.size(), &hdr), MRC_DECODE_OPCODE) << op;
        EXPECT_TRUE(encode(hdr).empty()) << op;
    }
}

TEST(Wire, TransportVersionOtherThanZeroIsRefused)
{
    for (int tver = 1; tver < 16; ++tver) {
        mrc_hdr hdr;
        Bytes packet = kSack;
        packet[1] |= static_cast<std::uint8_t>(tver);
        EXPECT_EQ(mrc_hdr_decode(packet.data(), packet.size(), &hdr), MRC_DECODE_VERSION);
    }
}

TEST(Wire, ForbiddenFieldValuesAreRefused)
{
    struct {
        std::uint8_t opcode;
        std::size_t at;
        std::uint8_t value;
        const char *what;
    } cases[] = {
        {MRC_OP_SACK, 12, 0x10, "SETH type"},    {MRC_OP_SACK, 13, 0x60, "m = 3"},
        {MRC_OP_NACK, 28, 0x00, "NACK cc_type"}, {MRC_OP_EP_REQ, 13, 0x02, "op = 2"},
        {MRC_OP_EP_REQ, 13, 0x03, "op = 3"},
    };
    for (const auto &c : cases) {
        mrc_hdr hdr;
        mrc_hdr untouched;
        std::memset(&hdr, 0xa5, sizeof(hdr));
        std::memset(&untouched, 0xa5, sizeof(untouched));
        Bytes packet = sampleOf(c.opcode);
        packet[c.at] = c.value;
        EXPECT_EQ(mrc_hdr_decode(packet.data(), packet.size(), &hdr), MRC_DECODE_FIELD) << c.what;
        EXPECT_EQ(std::memcmp(&hdr, &untouched, sizeof(hdr)), 0) << c.what;
    }
}

TEST(Wire, SackOfAnotherCongestionControlTellsWhatHasArrived)
{
    const mrc_sack whole = decode(kSack).sack;
    for (std::uint8_t type : {1, 2, 5, 15}) {
        Bytes packet = kSack;
        packet[28] = static_cast<std::uint8_t>(type << 4);
        const mrc_sack got = decode(packet).sack;
        EXPECT_EQ(got.cack_psn, whole.cack_psn);
        EXPECT_EQ(got.sack_offset, whole.sack_offset);
        EXPECT_EQ(got.bitmap, whole.bitmap);
        EXPECT_EQ(got.m, whole.m);
        EXPECT_EQ(got.tx_timestamp, 0);
        EXPECT_EQ(got.ooo_count, 0);
        EXPECT_EQ(got.cwnd_pen, 0);
        EXPECT_EQ(got.rcvd_bytes, 0u);
    }
}

TEST(Wire, ReservedBitsAreIgnored)
{
    Bytes sack = kSack;
    sack[1] |= 0xc0;                       // SE, M
    sack[4] = 0xff;                        // variant reserved
    sack[8] |= 0x4f;                       // R, invariant reserved
    sack[12] |= 0x0f;                      // nxt
    sack[13] |= 0x9d;                      // nxt, reserved
    sack[20] = sack[21] = sack[22] = 0xff; // PDC ids
    sack[23] = sack[24] = 0xff;
    sack[28] |= 0x0f; // cc_flags
    sack[42] |= 0x80; // CC_STATE r
    EXPECT_EQ(encode(decode(sack)), kSack);
}

TEST(Wire, TimestampFlagMeansNothingOnControlPackets)
{
    Bytes sack = kSack;
    sack[8] |= 0x10;
    EXPECT_FALSE(decode(sack).bth.ts);

    mrc_hdr hdr = decode(kSack);
    hdr.bth.ts = true;
    EXPECT_EQ(encode(hdr), kSack);
}

TEST(Wire, ValuesTooWideForTheirFieldDoNotSpill)
{
    mrc_hdr hdr = decode(kSack);
    hdr.bth.qpn |= 0xff000000;
    hdr.bth.psn |= 0xff000000;
    hdr.sack.cack_psn |= 0xff000000;
    hdr.sack.ooo_count |= 0x8000;
    hdr.sack.cwnd_pen |= 0x80;
    hdr.sack.rcvd_bytes |= 0xff000000;
    EXPECT_EQ(encode(hdr), kSack);
}

TEST(Wire, EvHalves)
{
    EXPECT_EQ(mrc_ev_pack(0xabcd, 0xf1234), 0xabcd1234u);
    EXPECT_EQ(mrc_ev_sport(0xabcd1234), 0xabcd);
    EXPECT_EQ(mrc_ev_flow_label(0xabcd1234), 0x1234u);
}

TEST(Wire, RcvdBytesRoundUpAndWrap)
{
    EXPECT_EQ(mrc_rcvd_bytes_units(0), 0u);
    EXPECT_EQ(mrc_rcvd_bytes_units(1), 1u);
    EXPECT_EQ(mrc_rcvd_bytes_units(256), 1u);
    EXPECT_EQ(mrc_rcvd_bytes_units(257), 2u);
    EXPECT_EQ(mrc_rcvd_bytes_units(0x100000000), 0u);
    EXPECT_EQ(mrc_rcvd_bytes_units(0xffffff00), 0xffffffu);
}

/* ---- packets that a switch has trimmed ---- */

TEST(WireHead, IsThereWhenTheBthIs)
{
    for (const WriteRow &row : kWrites) {
        mrc_hdr hdr{};
        hdr.bth.opcode = row.opcode;
        hdr.bth.pkey = 0x8001;
        hdr.bth.qpn = 0xabcdef;
        hdr.bth.psn = 0x123456;
        hdr.bth.ackreq = true;
        hdr.bth.rtx = true;
        Bytes packet = encode(hdr);
        packet.resize(130);
        for (std::size_t len = 0; len <= packet.size(); ++len) {
            const std::unique_ptr<std::uint8_t[]> exact(new std::uint8_t[len]);
            std::copy_n(packet.begin(), len, exact.get());
            mrc_bth bth{};
            if (len < MRC_BTH_LEN) {
                EXPECT_EQ(mrc_bth_decode(exact.get(), len, &bth), MRC_DECODE_SHORT);
                continue;
            }
            ASSERT_EQ(mrc_bth_decode(exact.get(), len, &bth), MRC_DECODE_OK);
            EXPECT_EQ(bth.opcode, row.opcode);
            EXPECT_EQ(bth.pkey, 0x8001);
            EXPECT_EQ(bth.qpn, 0xabcdefu);
            EXPECT_EQ(bth.psn, 0x123456u);
            EXPECT_TRUE(bth.ackreq);
            EXPECT_TRUE(bth.rtx);
        }
    }
}

TEST(WireHead, IsThatOfAWrite)
{
    mrc_bth bth{};
    for (const ControlRow &row : kControls) {
        mrc_hdr hdr{};
        hdr.bth.opcode = row.opcode;
        const Bytes packet = encode(hdr);
        EXPECT_EQ(mrc_bth_decode(packet.data(), packet.size(), &bth), MRC_DECODE_OPCODE);
    }
    Bytes packet(MRC_BTH_LEN);
    EXPECT_EQ(mrc_bth_decode(packet.data(), packet.size(), &bth), MRC_DECODE_OPCODE);
    packet[0] = MRC_OP_WRITE_ONLY;
    packet[1] = 1;
    EXPECT_EQ(mrc_bth_decode(packet.data(), packet.size(), &bth), MRC_DECODE_VERSION);
}
