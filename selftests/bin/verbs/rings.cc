// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that overwrites the rings it shares with the kernel harms its own QP and nothing else.
 */
#include "fixture.h"
#include "mapping.h"

namespace verbs
{

/**
 * The first pair is the victim of its own program, the second one stands by. A context maps its
 * rings in the order of creation: two CQs, SQ, RQ.
 */
class Rings : public Pair
{
protected:
    void SetUp() override
    {
        ASSERT_NO_FATAL_FAILURE(make_connected());
        rings = ring_mappings();
        /*
         * Both sides map at the same offsets. The effect of the overwriting tells which of two is
         * a's.
         */
        ASSERT_EQ(rings.size(), 8u);
    }
    /** All rings of a kind, a's and b's. */
    [[nodiscard]] std::vector<mrc_ring *> kind(size_t n) const
    {
        return {rings[2 * n].ring, rings[2 * n + 1].ring};
    }
    /** Both QPs are dead, and a new pair works. */
    void expect_contained()
    {
        EXPECT_EQ(a->wait_event(), IBV_EVENT_QP_FATAL);
        EXPECT_EQ(a->state(), IBV_QPS_ERR);
        ASSERT_NO_FATAL_FAILURE(make_connected());
        ASSERT_NO_FATAL_FAILURE(fence());
    }

    static constexpr size_t send_cq = 0, recv_cq = 1, sq = 2, rq = 3;
    std::vector<Mapping> rings;
};

TEST_F(Rings, SendProducerBeyondTheRing)
{
    for (mrc_ring *ring : kind(sq)) {
        ring->producer += 100000;
    }
    EXPECT_EQ(doorbell(a->qp.get()), 0);
    expect_contained();
}

TEST_F(Rings, SendProducerGoesBack)
{
    ASSERT_NO_FATAL_FAILURE(fence());
    for (mrc_ring *ring : kind(sq)) {
        ring->producer -= 1;
    }
    EXPECT_EQ(doorbell(a->qp.get()), 0);
    expect_contained();
}

TEST_F(Rings, UnknownOpcode)
{
    for (mrc_ring *ring : kind(sq)) {
        reinterpret_cast<mrc_send_wr *>(ring->entries)->opcode = 99;
        ring->producer = 1;
    }
    EXPECT_EQ(doorbell(a->qp.get()), 0);
    expect_contained();
}

TEST_F(Rings, TooManyElements)
{
    for (mrc_ring *ring : kind(sq)) {
        reinterpret_cast<mrc_send_wr *>(ring->entries)->num_sge = 0xffffffff;
        ring->producer = 1;
    }
    EXPECT_EQ(doorbell(a->qp.get()), 0);
    expect_contained();
}

TEST_F(Rings, InlineBeyondTheEntry)
{
    for (mrc_ring *ring : kind(sq)) {
        auto *wr = reinterpret_cast<mrc_send_wr *>(ring->entries);

        wr->flags = MRC_WR_INLINE;
        wr->inline_len = 0x7fffffff;
        ring->producer = 1;
    }
    EXPECT_EQ(doorbell(a->qp.get()), 0);
    expect_contained();
}

TEST_F(Rings, ConsumerIndicesAreNotTrusted)
{
    for (mrc_ring *ring : kind(sq)) {
        ring->consumer = 0x12345678;
    }
    for (mrc_ring *ring : kind(rq)) {
        ring->consumer = 0x12345678;
        ring->flags = ~0u;
    }
    EXPECT_EQ(doorbell(a->qp.get()), 0);
    EXPECT_EQ(a->state(), IBV_QPS_RTS);
}

TEST_F(Rings, ReceiveProducerBeyondTheRing)
{
    for (mrc_ring *ring : kind(rq)) {
        ring->producer = 100000;
    }
    ASSERT_EQ(post(*a, *b, {.id = 1, .imm = true}), 0);
    const auto sent = wait_completions(a->send_cq.get(), 1);
    ASSERT_EQ(sent.size(), 1u);
    EXPECT_NE(sent[0].status, IBV_WC_SUCCESS);
    EXPECT_EQ(b->state(), IBV_QPS_ERR);
    ASSERT_NO_FATAL_FAILURE(make_connected());
    ASSERT_NO_FATAL_FAILURE(fence());
}

/* The QP of the ring ends, and its peer learns why. */
TEST_F(Rings, TooManyElementsOfAReceive)
{
    ASSERT_EQ(post_receive(*b, 1, 0, 100), 0);
    for (mrc_ring *ring : kind(rq)) {
        reinterpret_cast<mrc_recv_wr *>(ring->entries)->num_sge = 0xffffffff;
    }
    ASSERT_EQ(post(*a, *b, {.id = 1, .length = 8, .send = true}), 0);
    const auto sent = wait_completions(a->send_cq.get(), 1);
    ASSERT_EQ(sent.size(), 1u);
    EXPECT_EQ(sent[0].status, IBV_WC_REM_OP_ERR);
    EXPECT_EQ(b->state(), IBV_QPS_ERR);
    ASSERT_NO_FATAL_FAILURE(make_connected());
    ASSERT_NO_FATAL_FAILURE(fence());
}

TEST_F(Rings, CompletionConsumerBeyondTheRing)
{
    for (mrc_ring *ring : kind(send_cq)) {
        ring->consumer = 100000;
    }
    ASSERT_EQ(post(*a, *b, {.id = 1, .length = 8}), 0);
    EXPECT_EQ(a->wait_event(), IBV_EVENT_CQ_ERR);
    expect_contained();
}

} // namespace verbs
