// SPDX-License-Identifier: GPL-2.0-only
#include "engine/core.h"

#include <gtest/gtest.h>

#include <vector>

namespace
{

constexpr std::uint32_t kMtu = 4096;
constexpr std::uint32_t kWrap = MRC_PSN_MASK + 1;

struct Queue {
    /// Requests are the first member of what slots hold.
    struct Slot {
        mrc_msg msg;
        int more;
    };
    std::vector<Slot> slots;
    mrc_sendq q{};
    std::uint32_t psn;
    u16 msn = MRC_MSN_FIRST;

    explicit Queue(std::uint32_t depth = 4, u16 imm_max = 2, std::uint32_t first = 0)
        : slots(depth), psn(first)
    {
        q.slots = slots.data();
        q.stride = sizeof(Slot);
        q.depth = depth;
        mrc_sendq_start(&q, kMtu, imm_max);
    }

    /// @return null: no room
    mrc_msg *add(std::uint32_t len, bool imm = false)
    {
        mrc_msg *m = mrc_sendq_slot(&q);
        if (!m)
            return nullptr;
        *m = {};
        m->raddr = 0x10000;
        m->rkey = 7;
        m->len = len;
        m->has_imm = imm;
        mrc_sendq_queue(&q);
        return m;
    }

    /// Index of the request of the next packet; -1: none.
    int next()
    {
        std::uint32_t index;
        if (!mrc_sendq_next(&q, psn, &msn, &index))
            return -1;
        psn = mrc_psn_add(psn, 1);
        return static_cast<int>(index);
    }

    void sendAll()
    {
        while (next() >= 0)
            ;
    }

    /// How many requests an ACK of @p psn completes.
    int acked(std::uint32_t psn)
    {
        int n = 0;
        for (; mrc_sendq_done(&q, psn); ++n)
            mrc_sendq_end(&q);
        return n;
    }
};

mrc_hdr header(const Queue &queue, const mrc_msg *m, std::uint32_t psn)
{
    mrc_chunk c;
    mrc_hdr hdr;
    memset(&hdr, 0xa5, sizeof(hdr)); // nothing of it may be left
    mrc_sendq_chunk(&queue.q, m, psn, &c);
    mrc_sendq_header(m, &c, psn, &hdr);
    EXPECT_FALSE(hdr.bth.ackreq || hdr.bth.rtx || hdr.bth.ts);
    EXPECT_EQ(hdr.bth.pkey, 0u);
    EXPECT_EQ(hdr.bth.qpn, 0u);
    EXPECT_EQ(hdr.len, 0u);
    EXPECT_EQ(hdr.write.tx_timestamp, 0u);
    return hdr;
}

} // namespace

TEST(Sendq, NumbersAndCountsPackets)
{
    Queue queue;
    const mrc_msg *none = queue.add(0);
    const mrc_msg *one = queue.add(kMtu, true);
    const mrc_msg *two = queue.add(kMtu + 1);
    const mrc_msg *imm = queue.add(1, true);

    EXPECT_EQ(none->packets, 1u) << "a write of nothing is a packet";
    EXPECT_EQ(one->packets, 1u);
    EXPECT_EQ(two->packets, 2u);
    EXPECT_EQ(one->rqmsn, 0u);
    EXPECT_EQ(imm->rqmsn, 1u) << "those without are not counted";
    EXPECT_EQ(queue.add(1), nullptr) << "four slots";
}

TEST(Sendq, SendsHaveTheirPlaceAndNumberInEachPacket)
{
    Queue queue;
    queue.add(8, true);
    mrc_msg *m = mrc_sendq_slot(&queue.q);
    *m = {};
    m->len = 2 * kMtu + 1;
    m->op = MRC_MSG_SEND;
    m->solicited = true;
    mrc_sendq_queue(&queue.q);
    const u8 opcodes[] = {MRC_OP_SEND_FIRST, MRC_OP_SEND_MIDDLE, MRC_OP_SEND_LAST};
    u32 index;
    ASSERT_TRUE(mrc_sendq_next(&queue.q, 0, &queue.msn, &index));
    for (u32 psn = 1; psn <= 3; ++psn) {
        const u32 bytes = mrc_sendq_next_bytes(&queue.q);
        ASSERT_TRUE(mrc_sendq_next(&queue.q, psn, &queue.msn, &index));
        mrc_chunk c;
        mrc_hdr hdr;
        mrc_sendq_chunk(&queue.q, m, psn, &c);
        mrc_sendq_header(m, &c, psn, &hdr);
        EXPECT_EQ(hdr.bth.opcode, opcodes[psn - 1]);
        EXPECT_EQ(hdr.bth.solicited, psn == 3);
        EXPECT_EQ(hdr.write.va, (psn - 1) * kMtu);
        EXPECT_EQ(hdr.write.dmalen, 2 * kMtu + 1);
        EXPECT_EQ(hdr.write.rqmsn, 1u);
        hdr.len = mrc_opcode_hdr_len(hdr.bth.opcode);
        EXPECT_EQ(mrc_nominal_len(&hdr, c.len), bytes);
    }
}

TEST(Sendq, SendsWaitBeyondTheLimit)
{
    Queue queue(8, 8);
    for (const bool send : {true, false, true, true}) {
        mrc_msg *m = mrc_sendq_slot(&queue.q);
        *m = {};
        m->len = 1;
        m->op = send ? MRC_MSG_SEND : MRC_MSG_WRITE;
        mrc_sendq_queue(&queue.q);
    }
    queue.q.limited = true;
    queue.q.limit = 1;
    u32 index, psn = 99;
    EXPECT_TRUE(mrc_sendq_next(&queue.q, 0, &queue.msn, &index));
    EXPECT_TRUE(mrc_sendq_next(&queue.q, 1, &queue.msn, &index)) << "a write";
    EXPECT_FALSE(mrc_sendq_ready(&queue.q));
    EXPECT_FALSE(mrc_sendq_next(&queue.q, 2, &queue.msn, &index));
    EXPECT_FALSE(mrc_sendq_first_waiting(&queue.q, &psn)) << "none that was begun";
    queue.q.limit = 2;
    EXPECT_TRUE(mrc_sendq_next(&queue.q, 2, &queue.msn, &index));
    queue.q.limit = 0;
    EXPECT_TRUE(mrc_sendq_first_waiting(&queue.q, &psn));
    EXPECT_EQ(psn, 0u);
    EXPECT_EQ(mrc_sendq_after(&queue.q, 1), 2u);
    EXPECT_EQ(mrc_sendq_first_psn(&queue.q, 2, 3), 2u);
    EXPECT_EQ(mrc_sendq_first_psn(&queue.q, 3, 3), 3u);
}

TEST(Sendq, PacketsInOrderOfRequests)
{
    Queue queue;
    queue.add(2 * kMtu);
    queue.add(1);
    EXPECT_EQ(queue.next(), 0);
    EXPECT_TRUE(mrc_sendq_unanswered(&queue.q) == false) << "not all of it has been sent";
    EXPECT_EQ(queue.next(), 0);
    EXPECT_TRUE(mrc_sendq_unanswered(&queue.q));
    EXPECT_EQ(queue.next(), 1);
    EXPECT_EQ(queue.next(), -1);
    EXPECT_FALSE(mrc_sendq_has_new(&queue.q));
    EXPECT_EQ(mrc_sendq_at(&queue.q, 1)->psn, 2u);
}

TEST(Sendq, NoMoreImmediatesThanThePeerTakes)
{
    Queue queue(8, 1);
    queue.add(2 * kMtu, true);
    queue.add(1, true);
    queue.add(1);
    EXPECT_EQ(queue.next(), 0);
    EXPECT_EQ(queue.next(), 0) << "one that was begun goes on";
    EXPECT_EQ(queue.next(), -1);
    EXPECT_TRUE(mrc_sendq_has_new(&queue.q));
    EXPECT_EQ(queue.acked(1), 1);
    EXPECT_EQ(queue.next(), 1);
    EXPECT_EQ(queue.next(), 2);
}

TEST(Sendq, RequestsEndInOrder)
{
    Queue queue;
    queue.add(2 * kMtu);
    queue.add(1);
    queue.add(1);
    queue.sendAll();
    EXPECT_EQ(queue.acked(0), 0) << "its first packet";
    EXPECT_EQ(queue.acked(2), 2);
    EXPECT_FALSE(mrc_sendq_outstanding(&queue.q, 1));
    EXPECT_TRUE(mrc_sendq_outstanding(&queue.q, 2));
    EXPECT_EQ(queue.acked(2), 0) << "said again";
    EXPECT_EQ(queue.acked(3), 1);
    EXPECT_EQ(queue.acked(3), 0) << "there is none";
    EXPECT_NE(queue.add(1), nullptr);
}

TEST(Sendq, AcrossTheEndOfPsns)
{
    Queue queue(4, 2, kWrap - 1);
    const mrc_msg *m = queue.add(3 * kMtu);
    queue.sendAll();
    EXPECT_EQ(queue.psn, 2u);
    EXPECT_EQ(header(queue, m, 0).write.va, 0x10000u + kMtu);
    EXPECT_TRUE(mrc_sendq_names(&queue.q, kWrap - 1, queue.psn));
    EXPECT_TRUE(mrc_sendq_names(&queue.q, 1, queue.psn));
    EXPECT_FALSE(mrc_sendq_names(&queue.q, 2, queue.psn)) << "never sent";
    EXPECT_FALSE(mrc_sendq_names(&queue.q, kWrap - 2, queue.psn)) << "before it";
    EXPECT_EQ(queue.acked(0), 0);
    EXPECT_EQ(queue.acked(1), 1);
    EXPECT_FALSE(mrc_sendq_names(&queue.q, 1, queue.psn)) << "complete";
}

TEST(Sendq, FindsTheRequestOfAPacket)
{
    Queue queue(8, 2, kWrap - 4);
    for (unsigned packets : {2, 1, 4, 3, 1})
        queue.add(packets * kMtu);
    for (int i = 0; i < 8; ++i)
        ASSERT_GE(queue.next(), 0);
    const auto find = [&](std::uint32_t psn) {
        return mrc_sendq_find(&queue.q, psn & (kWrap - 1));
    };
    const std::uint32_t want[] = {0, 0, 1, 2, 2, 2, 2, 3};
    for (unsigned i = 0; i < 8; ++i)
        EXPECT_EQ(find(kWrap - 4 + i), want[i]) << i << ": the last has begun, one has not";
    EXPECT_EQ(queue.acked(kWrap - 2), 2);
    for (unsigned i = 3; i < 8; ++i)
        EXPECT_EQ(find(kWrap - 4 + i), want[i]) << i << ": some are complete";
    ASSERT_GE(queue.next(), 0);
    ASSERT_GE(queue.next(), 0);
    EXPECT_EQ(find(kWrap + 4), 3u);
    EXPECT_EQ(find(kWrap + 5), 3u) << "all but one have been sent";
    queue.sendAll();
    EXPECT_EQ(find(kWrap + 6), 4u) << "all have been sent";
}

TEST(Sendq, OneThatIsNotBegunEndsToo)
{
    Queue queue(4, 1);
    queue.add(1, true);
    queue.add(1, true);
    queue.sendAll();
    mrc_sendq_end(&queue.q);
    mrc_sendq_end(&queue.q);
    EXPECT_EQ(queue.q.imm_inflight, 0u) << "the second one was none";
    EXPECT_EQ(queue.q.una, queue.q.tail);
    EXPECT_FALSE(mrc_sendq_has_new(&queue.q));
    EXPECT_FALSE(mrc_sendq_names(&queue.q, 0, queue.psn));
}

TEST(Sendq, Headers)
{
    Queue queue;
    mrc_msg *m = queue.add(2 * kMtu + 5, true);
    m->imm = 0x1234;
    queue.sendAll();
    const mrc_hdr first = header(queue, m, 0);
    const mrc_hdr middle = header(queue, m, 1);
    const mrc_hdr last = header(queue, m, 2);

    EXPECT_EQ(first.bth.opcode, MRC_OP_WRITE_FIRST);
    EXPECT_EQ(middle.bth.opcode, MRC_OP_WRITE_MIDDLE);
    EXPECT_EQ(last.bth.opcode, MRC_OP_WRITE_LAST_IMM);
    EXPECT_EQ(first.bth.pad, 0u);
    EXPECT_EQ(last.bth.pad, 3u) << "5 bytes";
    EXPECT_EQ(last.bth.psn, 2u);
    EXPECT_EQ(last.write.va, 0x10000u + 2 * kMtu);
    EXPECT_EQ(last.write.dmalen, 2 * kMtu + 5);
    EXPECT_EQ(last.write.imm, 0x1234u);

    const mrc_msg *nothing = queue.add(0);
    queue.sendAll();
    EXPECT_EQ(header(queue, nothing, 3).bth.opcode, MRC_OP_WRITE_ONLY);
}

namespace
{

/// Requests without a place of their own in memory.
mrc_msg *addOp(Queue &queue, u8 op, u32 len, bool fence = false)
{
    mrc_msg *m = queue.add(len);
    --queue.q.tail;
    m->op = op;
    m->fence = fence;
    m->raddr = op >= MRC_MSG_READ_RSP ? 0 : 0x10000;
    m->rdeth = 0xabcdef;
    m->value = 77;
    m->compare = 88;
    mrc_sendq_queue(&queue.q);
    return m;
}

} // namespace

TEST(Sendq, NumbersGoToMessagesThatAreBegun)
{
    Queue queue;
    const mrc_msg *first = queue.add(2 * kMtu);
    const mrc_msg *second = queue.add(1);
    queue.msn = 0xffff;
    queue.sendAll();
    EXPECT_EQ(first->msn, 0xffffu);
    EXPECT_EQ(second->msn, 0u);
    EXPECT_EQ(queue.msn, 1u);
}

/* A READ of any length is one packet; its response carries the payload. */
TEST(Sendq, ReadsAndTheirResponses)
{
    Queue queue(8, 8);
    const struct {
        u8 op;
        u32 len;
        std::vector<u8> opcodes;
    } rows[] = {
        {MRC_MSG_READ, 3 * kMtu, {MRC_OP_READ}},
        {MRC_MSG_READ, 0, {MRC_OP_READ}},
        {MRC_MSG_CMP_SWAP, 8, {MRC_OP_CMP_SWAP}},
        {MRC_MSG_FETCH_ADD, 8, {MRC_OP_FETCH_ADD}},
        {MRC_MSG_READ_RSP,
         2 * kMtu + 1,
         {MRC_OP_READ_RSP_FIRST, MRC_OP_READ_RSP_MIDDLE, MRC_OP_READ_RSP_LAST}},
        {MRC_MSG_READ_RSP, 0, {MRC_OP_READ_RSP_ONLY}},
        {MRC_MSG_ATOMIC_RSP, 8, {MRC_OP_ATOMIC_RSP}},
    };
    for (const auto &row : rows) {
        const mrc_msg *m = addOp(queue, row.op, row.len);
        ASSERT_EQ(m->packets, row.opcodes.size());
        u32 offset = 0;
        for (const u8 opcode : row.opcodes) {
            const u32 bytes = mrc_sendq_next_bytes(&queue.q), psn = queue.psn;
            ASSERT_GE(queue.next(), 0);
            mrc_chunk c;
            mrc_hdr hdr;
            mrc_sendq_chunk(&queue.q, m, psn, &c);
            mrc_sendq_header(m, &c, psn, &hdr);
            EXPECT_EQ(hdr.bth.opcode, opcode);
            EXPECT_EQ(hdr.write.dmalen, row.len);
            EXPECT_EQ(hdr.write.rdeth, 0xabcdefu);
            EXPECT_EQ(hdr.write.va, (row.op >= MRC_MSG_READ_RSP ? 0 : 0x10000) + offset);
            EXPECT_EQ(hdr.write.value, 77u);
            EXPECT_EQ(hdr.write.compare, 88u);
            hdr.len = mrc_opcode_hdr_len(opcode);
            EXPECT_EQ(mrc_nominal_len(&hdr, c.len), bytes);
            EXPECT_LE(bytes, mrc_sendq_bytes_max(kMtu));
            offset += c.len;
        }
        EXPECT_EQ(offset, row.op == MRC_MSG_READ_RSP ? row.len : 0);
    }
}

TEST(Sendq, AReadAlsoNeedsItsResponse)
{
    Queue queue(8, 8);
    mrc_msg *read = addOp(queue, MRC_MSG_READ, 5 * kMtu);
    queue.add(1);
    queue.sendAll();
    EXPECT_EQ(mrc_sendq_done(&queue.q, 1), nullptr);
    EXPECT_EQ(mrc_sendq_after(&queue.q, 1), 2u) << "both were executed";
    read->answered = true;
    EXPECT_EQ(mrc_sendq_done(&queue.q, mrc_psn_add(0, -1)), nullptr) << "not acknowledged";
    EXPECT_EQ(mrc_sendq_done(&queue.q, 0), read);
    mrc_sendq_end(&queue.q);
    EXPECT_NE(mrc_sendq_done(&queue.q, 1), nullptr);
}

TEST(Sendq, SoManyReadsAreUnderWay)
{
    Queue queue(8, 8);
    queue.q.reads_max = 2;
    mrc_msg *first = addOp(queue, MRC_MSG_READ, 1);
    addOp(queue, MRC_MSG_FETCH_ADD, 8);
    addOp(queue, MRC_MSG_READ, 1);
    queue.add(1);
    queue.sendAll();
    EXPECT_EQ(queue.q.cur, 2u) << "nothing overtakes the third one";
    EXPECT_FALSE(mrc_sendq_ready(&queue.q));
    first->answered = true;
    ASSERT_EQ(mrc_sendq_done(&queue.q, 1), first);
    mrc_sendq_end(&queue.q);
    queue.sendAll();
    EXPECT_EQ(queue.q.cur, 4u);
    while (queue.q.una != queue.q.tail)
        mrc_sendq_end(&queue.q);
    EXPECT_EQ(queue.q.reads, 0u);
}

TEST(Sendq, AFenceWaitsForReads)
{
    Queue queue(8, 8);
    mrc_msg *read = addOp(queue, MRC_MSG_READ, 1);
    addOp(queue, MRC_MSG_WRITE, 2 * kMtu, true);
    queue.sendAll();
    EXPECT_EQ(queue.q.cur, 1u);
    read->answered = true;
    ASSERT_EQ(mrc_sendq_done(&queue.q, 0), read);
    mrc_sendq_end(&queue.q);
    queue.sendAll();
    EXPECT_EQ(queue.q.cur, 2u);
}
