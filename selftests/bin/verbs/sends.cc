// SPDX-License-Identifier: GPL-2.0-only
/* SEND and receive: data, order, receives that come late, and receives that are wrong. */
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <poll.h>

#include "fixture.h"

namespace verbs
{

class Sends : public Pair
{
protected:
    static constexpr uint64_t all_ops =
        IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM | IBV_QP_EX_WITH_RDMA_WRITE;

    /** One SEND of a, and the receive of b that takes it, end with these. */
    void expect_end(uint32_t length, ibv_wc_status sender, ibv_wc_status receiver)
    {
        ASSERT_EQ(post(*a, *b, {.id = 1, .length = length, .send = true}), 0);
        const auto sent = wait_completions(a->send_cq.get(), 1);
        const auto received = wait_completions(b->recv_cq.get(), 1);
        ASSERT_EQ(sent.size(), 1u);
        ASSERT_EQ(received.size(), 1u);
        EXPECT_EQ(sent[0].status, sender);
        EXPECT_EQ(received[0].status, receiver);
        EXPECT_EQ(a->state(), IBV_QPS_ERR);
        EXPECT_EQ(b->wait_event(), IBV_EVENT_QP_REQ_ERR);
        EXPECT_EQ(b->state(), IBV_QPS_ERR);
    }

    /** A good receive and a good SEND, checked. */
    void expect_good(uint64_t id, uint32_t length, bool imm = false, bool inline_data = false)
    {
        std::fill(b->data(), b->data() + length + 1, uint8_t{0xee});
        ASSERT_EQ(post_receive(*b, id, 0, length + 1), 0);
        ASSERT_EQ(post(*a, *b,
                       {.id = id,
                        .length = length,
                        .imm = imm,
                        .imm_data = 0x12345678,
                        .inline_data = inline_data,
                        .send = true}),
                  0);
        const auto sent = wait_completions(a->send_cq.get(), 1);
        const auto received = wait_completions(b->recv_cq.get(), 1);
        ASSERT_EQ(sent.size(), 1u);
        ASSERT_EQ(received.size(), 1u);
        EXPECT_EQ(sent[0].status, IBV_WC_SUCCESS);
        EXPECT_EQ(sent[0].opcode, IBV_WC_SEND);
        EXPECT_EQ(received[0].status, IBV_WC_SUCCESS);
        EXPECT_EQ(received[0].opcode, IBV_WC_RECV);
        EXPECT_EQ(received[0].wr_id, id);
        EXPECT_EQ(received[0].byte_len, length);
        EXPECT_EQ(received[0].wc_flags, imm ? unsigned{IBV_WC_WITH_IMM} : 0u);
        if (imm) {
            EXPECT_EQ(received[0].imm_data, 0x12345678u);
        }
        EXPECT_EQ(std::memcmp(a->data(), b->data(), length), 0) << length;
        EXPECT_EQ(b->data()[length], 0xee) << length;
    }
};

TEST_F(Sends, OfManySizes)
{
    uint64_t id = 0;

    ASSERT_NO_FATAL_FAILURE(make_connected({}, 300000));
    for (const uint32_t length : {0, 1, 3, 4, 255, 1024, 4095, 4096, 4097, 8192, 65537, 299999}) {
        for (const bool imm : {false, true}) {
            ASSERT_NO_FATAL_FAILURE(expect_good(++id, length, imm));
        }
    }
    for (const uint32_t length : {0, 1, 200, 256}) {
        ASSERT_NO_FATAL_FAILURE(expect_good(++id, length, true, true));
    }
}

/* From three parts of memory into four, one of which is empty, with packets across the parts. */
TEST_F(Sends, GatherAndScatter)
{
    constexpr uint32_t lengths[] = {5000, 0, 1, 9999};
    constexpr uint32_t total = 15000;
    std::vector<ibv_sge> from, to;
    ibv_send_wr wr{}, *bad = nullptr;
    size_t at = 20000;

    ASSERT_NO_FATAL_FAILURE(make_connected({.recv_sge = 4, .mtu = IBV_MTU_1024}));
    for (const uint32_t length : lengths) {
        at -= length + 3;
        to.push_back({.addr = b->address(at), .length = length, .lkey = b->mr->lkey});
    }
    for (const size_t part : {0, 5000, 10000}) {
        from.push_back({.addr = a->address(10000 - part), .length = 5000, .lkey = a->mr->lkey});
    }
    ASSERT_EQ(post_receive(*b, 1, to), 0);
    wr.opcode = IBV_WR_SEND;
    wr.sg_list = from.data();
    wr.num_sge = 3;
    wr.send_flags = IBV_SEND_SIGNALED;
    ASSERT_EQ(ibv_post_send(a->qp.get(), &wr, &bad), 0);
    ASSERT_EQ(wait_completions(a->send_cq.get(), 1).size(), 1u);
    const auto received = wait_completions(b->recv_cq.get(), 1);
    ASSERT_EQ(received.size(), 1u);
    ASSERT_EQ(received[0].byte_len, total);
    for (uint32_t i = 0, part = 0, offset = 0; i < total; i++, offset++) {
        while (offset == to[part].length) {
            part++;
            offset = 0;
        }
        const auto *got = reinterpret_cast<const uint8_t *>(to[part].addr) + offset;
        ASSERT_EQ(*got, a->data()[10000 - i / 5000 * 5000 + i % 5000]) << i;
    }
}

/* Many at once, of different lengths, between writes of each kind. */
TEST_F(Sends, KeepTheirOrderAmongWrites)
{
    constexpr uint64_t n = 48;

    ASSERT_NO_FATAL_FAILURE(make_connected({.send_wr = 256}, 1 << 20));
    for (uint64_t i = 0; i < n; i++) {
        ASSERT_EQ(post_receive(*b, i, i * 20000, 20000), 0);
    }
    for (uint64_t i = 0; i < n; i++) {
        const auto length = static_cast<uint32_t>(1 + i * 397);

        ASSERT_EQ(post(*a, *b, {.to = n * 20000, .length = 9000}), 0);
        ASSERT_EQ(post(*a, *b,
                       {.from = i,
                        .to = i * 20000,
                        .length = length,
                        .imm = true,
                        .imm_data = static_cast<uint32_t>(i),
                        .send = i % 3 != 0}),
                  0);
    }
    const auto received = wait_completions(b->recv_cq.get(), n);
    ASSERT_EQ(received.size(), n);
    for (uint64_t i = 0; i < n; i++) {
        EXPECT_EQ(received[i].status, IBV_WC_SUCCESS);
        EXPECT_EQ(received[i].wr_id, i);
        EXPECT_EQ(received[i].imm_data, i);
        EXPECT_EQ(received[i].opcode, i % 3 ? IBV_WC_RECV : IBV_WC_RECV_RDMA_WITH_IMM);
        EXPECT_EQ(std::memcmp(a->data() + i, b->data() + i * 20000, 1 + i * 397), 0) << i;
    }
    ASSERT_EQ(wait_completions(a->send_cq.get(), 2 * n).size(), 2 * n);
}

TEST_F(Sends, ByExtendedPosting)
{
    ibv_sge parts[2];

    ASSERT_NO_FATAL_FAILURE(make_connected({.wr_ops = all_ops}));
    ASSERT_EQ(post_receive(*b, 1, 0, 100), 0);
    ASSERT_EQ(post_receive(*b, 2, 100, 9000), 0);
    ibv_qp_ex *ex = ibv_qp_to_qp_ex(a->qp.get());
    ibv_wr_start(ex);
    ex->wr_id = 1;
    ex->wr_flags = IBV_SEND_SIGNALED;
    ibv_wr_send(ex);
    ibv_wr_set_inline_data(ex, a->data(), 100);
    ex->wr_id = 2;
    ibv_wr_send_imm(ex, 42);
    parts[0] = {.addr = a->address(100), .length = 4000, .lkey = a->mr->lkey};
    parts[1] = {.addr = a->address(4100), .length = 5000, .lkey = a->mr->lkey};
    ibv_wr_set_sge_list(ex, 2, parts);
    ASSERT_EQ(ibv_wr_complete(ex), 0);
    ASSERT_EQ(wait_completions(a->send_cq.get(), 2).size(), 2u);
    const auto received = wait_completions(b->recv_cq.get(), 2);
    ASSERT_EQ(received.size(), 2u);
    EXPECT_EQ(received[0].wc_flags, 0u);
    EXPECT_EQ(received[1].imm_data, 42u);
    EXPECT_EQ(std::memcmp(a->data(), b->data(), 9100), 0);
}

/* A program that waits for solicited completions sleeps until one comes. */
TEST_F(Sends, OnlySolicitedOnesWake)
{
    pollfd fd{.fd = -1, .events = POLLIN, .revents = 0};
    ibv_cq *cq = nullptr;
    void *context = nullptr;

    ASSERT_NO_FATAL_FAILURE(make_connected());
    fd.fd = b->channel->fd;
    ASSERT_EQ(post_receive(*b, 1, 0, 100), 0);
    ASSERT_EQ(post_receive(*b, 2, 100, 100), 0);
    ASSERT_EQ(ibv_req_notify_cq(b->recv_cq.get(), 1), 0);
    ASSERT_EQ(post(*a, *b, {.length = 100, .send = true}), 0);
    EXPECT_EQ(wait_completions(b->recv_cq.get(), 1).size(), 1u);
    EXPECT_EQ(::poll(&fd, 1, 100), 0);
    ASSERT_EQ(post(*a, *b, {.length = 100, .send = true, .solicited = true}), 0);
    ASSERT_EQ(ibv_get_cq_event(b->channel.get(), &cq, &context), 0);
    ibv_ack_cq_events(cq, 1);
    EXPECT_EQ(wait_completions(b->recv_cq.get(), 1).size(), 1u);
}

/* All SENDs wait for their receives, and for no others. */
TEST_F(Sends, WaitForReceives)
{
    constexpr uint64_t n = 12;
    constexpr uint32_t length = 5000;

    ASSERT_NO_FATAL_FAILURE(make_connected({.timeout = 14}, n * length));
    for (uint64_t i = 0; i < n; i++) {
        ASSERT_EQ(
            post(*a, *b,
                 {.id = i, .from = i * length, .length = length, .imm = true, .send = i != 5}),
            0);
    }
    for (uint64_t i = 0; i < n; i++) {
        if (i % 4 == 0) {
            EXPECT_TRUE(stays_empty(b->recv_cq.get()));
        }
        ASSERT_EQ(post_receive(*b, i, i * length, length), 0);
        const auto received = wait_completions(b->recv_cq.get(), 1);
        const auto sent = wait_completions(a->send_cq.get(), 1);
        ASSERT_EQ(received.size(), 1u);
        ASSERT_EQ(sent.size(), 1u);
        EXPECT_EQ(received[0].status, IBV_WC_SUCCESS);
        EXPECT_EQ(received[0].wr_id, i);
        EXPECT_EQ(sent[0].status, IBV_WC_SUCCESS);
        EXPECT_EQ(sent[0].wr_id, i);
    }
    EXPECT_EQ(std::memcmp(a->data() + 6 * length, b->data() + 6 * length, 6 * length), 0);
    EXPECT_TRUE(a->no_event());
    EXPECT_TRUE(b->no_event());
    ASSERT_NO_FATAL_FAILURE(fence());
}

/* A peer without a receive is waited for, as often as the program says. The other end lives on. */
TEST_F(Sends, WaitNoLongerThanTheProgramSays)
{
    for (const uint8_t retries : {0, 3}) {
        ASSERT_NO_FATAL_FAILURE(make_connected({.rnr_retries = retries}));
        ASSERT_EQ(post(*a, *b, {.id = 1, .length = 100, .send = true}), 0);
        ASSERT_EQ(post(*a, *b, {.id = 2, .length = 100}), 0);
        const auto sent = wait_completions(a->send_cq.get(), 2);
        ASSERT_EQ(sent.size(), 2u);
        EXPECT_EQ(sent[0].status, IBV_WC_RNR_RETRY_EXC_ERR);
        EXPECT_EQ(sent[1].status, IBV_WC_WR_FLUSH_ERR);
        EXPECT_TRUE(a->no_event()) << "its completion says it all";
        EXPECT_EQ(b->state(), IBV_QPS_RTS);
    }
}

/* Receives that were posted run out in the middle of a flow, again and again. */
TEST_F(Sends, ReceivesAreShortAllTheTime)
{
    constexpr uint64_t n = 300;
    constexpr uint32_t length = 2000;
    uint64_t posted = 0, sent = 0, received = 0, done = 0;

    ASSERT_NO_FATAL_FAILURE(make_connected({.send_wr = 64, .timeout = 14}));
    while (received < n || done < n) {
        ibv_wc wc{};

        while (posted < n && posted - received < 2) {
            ASSERT_EQ(post_receive(*b, posted++, 0, length), 0);
        }
        while (sent < n && sent - done < 32) {
            ASSERT_EQ(post(*a, *b, {.id = sent++, .length = length, .send = true}), 0);
        }
        if (ibv_poll_cq(b->recv_cq.get(), 1, &wc) == 1) {
            ASSERT_EQ(wc.status, IBV_WC_SUCCESS);
            ASSERT_EQ(wc.wr_id, received++);
        }
        if (ibv_poll_cq(a->send_cq.get(), 1, &wc) == 1) {
            ASSERT_EQ(wc.status, IBV_WC_SUCCESS);
            ASSERT_EQ(wc.wr_id, done++);
        }
    }
    EXPECT_TRUE(a->no_event());
}

TEST_F(Sends, LongerThanTheReceive)
{
    for (const uint32_t length : {101, 20000}) {
        ASSERT_NO_FATAL_FAILURE(make_connected());
        b->data()[0] = static_cast<uint8_t>(~a->data()[0]);
        ASSERT_EQ(post_receive(*b, 1, 0, 100), 0);
        expect_end(length, IBV_WC_REM_INV_REQ_ERR, IBV_WC_LOC_LEN_ERR);
        EXPECT_NE(b->data()[0], a->data()[0]) << "nothing is written";
    }
    ASSERT_NO_FATAL_FAILURE(make_connected());
    ASSERT_EQ(post_receives(*b, 1), 0);
    expect_end(1, IBV_WC_REM_INV_REQ_ERR, IBV_WC_LOC_LEN_ERR);
}

TEST_F(Sends, IntoMemoryThatIsNoRegion)
{
    ASSERT_NO_FATAL_FAILURE(make_connected());
    ASSERT_EQ(post_receive(*b, 1, {{.addr = b->address(), .length = 100, .lkey = 0x12345678}}), 0);
    expect_end(100, IBV_WC_REM_OP_ERR, IBV_WC_LOC_PROT_ERR);
    /* One byte beyond the region. */
    ASSERT_NO_FATAL_FAILURE(make_connected());
    ASSERT_EQ(post_receive(*b, 1, b->size() - 99, 100), 0);
    expect_end(100, IBV_WC_REM_OP_ERR, IBV_WC_LOC_PROT_ERR);
}

TEST_F(Sends, IntoMemoryThatMayNotBeWritten)
{
    ASSERT_NO_FATAL_FAILURE(make_connected());
    const Mr mr(ibv_reg_mr(b->pd.get(), b->data(), 4096, IBV_ACCESS_REMOTE_READ));
    ASSERT_NE(mr.get(), nullptr);
    ASSERT_EQ(post_receive(*b, 1, {{.addr = b->address(), .length = 100, .lkey = mr->lkey}}), 0);
    expect_end(100, IBV_WC_REM_OP_ERR, IBV_WC_LOC_PROT_ERR);
}

/* A receive needs no right of the peer: neither the QP nor the region allows remote writes. */
TEST_F(Sends, NeedNoRemoteAccess)
{
    ASSERT_NO_FATAL_FAILURE(
        make_connected({.qp_access = IBV_ACCESS_LOCAL_WRITE, .mr_access = IBV_ACCESS_LOCAL_WRITE}));
    ASSERT_NO_FATAL_FAILURE(expect_good(1, 5000));
}

/* The receive of the failed SEND is the first one, the others are flushed. */
TEST_F(Sends, AnErrorFlushesTheOtherReceives)
{
    ASSERT_NO_FATAL_FAILURE(make_connected());
    ASSERT_EQ(post_receive(*b, 1, 0, 100), 0);
    ASSERT_EQ(post_receive(*b, 2, 0, 10), 0);
    ASSERT_EQ(post_receive(*b, 3, 0, 100), 0);
    for (uint64_t id = 1; id <= 3; id++) {
        ASSERT_EQ(post(*a, *b, {.id = id, .length = 100, .send = true}), 0);
    }
    const auto received = wait_completions(b->recv_cq.get(), 3);
    ASSERT_EQ(received.size(), 3u);
    EXPECT_EQ(received[0].status, IBV_WC_SUCCESS);
    EXPECT_EQ(received[1].status, IBV_WC_LOC_LEN_ERR);
    EXPECT_EQ(received[1].wr_id, 2u);
    EXPECT_EQ(received[2].status, IBV_WC_WR_FLUSH_ERR);
    const auto sent = wait_completions(a->send_cq.get(), 3);
    ASSERT_EQ(sent.size(), 3u);
    EXPECT_EQ(sent[0].status, IBV_WC_SUCCESS);
    EXPECT_EQ(sent[1].status, IBV_WC_REM_INV_REQ_ERR);
    EXPECT_EQ(sent[2].status, IBV_WC_WR_FLUSH_ERR);
}

/* A QP that was reset begins anew, also with the numbers of SENDs. */
TEST_F(Sends, AfterAReset)
{
    ASSERT_NO_FATAL_FAILURE(make_connected());
    for (uint64_t id = 1; id <= 3; id++) {
        ASSERT_NO_FATAL_FAILURE(expect_good(id, 5000));
    }
    ASSERT_EQ(a->to_state(IBV_QPS_RESET), 0);
    ASSERT_EQ(b->to_state(IBV_QPS_RESET), 0);
    ASSERT_NO_FATAL_FAILURE(a->connect(*b));
    ASSERT_NO_FATAL_FAILURE(b->connect(*a));
    ASSERT_NO_FATAL_FAILURE(expect_good(9, 5000));
}

} // namespace verbs
