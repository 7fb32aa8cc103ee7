// SPDX-License-Identifier: GPL-2.0-only
/* Requests that must fail, and how. */
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <utility>

#include "fixture.h"

namespace verbs
{

class Requests : public Pair
{
protected:
    /**
     * A good request, a bad one, a good one: the first completes, the bad one fails, the last is
     * flushed.
     */
    void expect_failure(const Write &bad, ibv_wc_status status);
};

void Requests::expect_failure(const Write &bad, ibv_wc_status status)
{
    Write good{.id = 1, .length = 30000};
    Write wrong = bad;

    wrong.id = 2;
    wrong.signaled = false; /* a failure is reported anyway */
    ASSERT_EQ(post(*a, *b, good), 0);
    ASSERT_EQ(post(*a, *b, wrong), 0);
    good.id = 3;
    post(*a, *b, good);
    const auto sent = wait_completions(a->send_cq.get(), 3);
    ASSERT_EQ(sent.size(), 3u);
    for (size_t i = 0; i < 3; i++) {
        EXPECT_EQ(sent[i].wr_id, i + 1);
    }
    EXPECT_EQ(sent[0].status, IBV_WC_SUCCESS);
    EXPECT_EQ(sent[1].status, status) << ibv_wc_status_str(sent[1].status);
    EXPECT_EQ(sent[2].status, IBV_WC_WR_FLUSH_ERR);
    EXPECT_EQ(a->state(), IBV_QPS_ERR);
}

TEST_F(Requests, WrongLocalKey)
{
    ASSERT_NO_FATAL_FAILURE(make_connected());
    expect_failure({.length = 100, .lkey = a->mr->lkey ^ 0x55}, IBV_WC_LOC_PROT_ERR);
    EXPECT_EQ(b->state(), IBV_QPS_RTS);
}

TEST_F(Requests, LocalRangeExceeded)
{
    ASSERT_NO_FATAL_FAILURE(make_connected());
    expect_failure({.from = a->size() - 100, .length = 101}, IBV_WC_LOC_PROT_ERR);
}

TEST_F(Requests, LocalKeyOfAnotherDomain)
{
    std::vector<uint8_t> other(4096);

    ASSERT_NO_FATAL_FAILURE(make_connected());
    const Pd pd(ibv_alloc_pd(a->context.get()));
    const Mr mr(ibv_reg_mr(pd.get(), other.data(), other.size(), IBV_ACCESS_LOCAL_WRITE));
    ASSERT_NE(mr.get(), nullptr);
    expect_failure({.length = 100, .lkey = mr->lkey}, IBV_WC_LOC_PROT_ERR);
}

TEST_F(Requests, LocalKeyThatIsGone)
{
    std::vector<uint8_t> other(4096);

    ASSERT_NO_FATAL_FAILURE(make_connected());
    Mr mr(ibv_reg_mr(a->pd.get(), other.data(), other.size(), IBV_ACCESS_LOCAL_WRITE));
    const uint32_t lkey = mr->lkey;
    mr.reset();
    expect_failure({.length = 100, .lkey = lkey}, IBV_WC_LOC_PROT_ERR);
}

TEST_F(Requests, MoreReceiveElementsThanTheQpHas)
{
    ibv_recv_wr wr[3]{}, *bad = nullptr;
    ibv_sge sges[2];

    ASSERT_NO_FATAL_FAILURE(make_connected());
    for (ibv_sge &sge : sges) {
        sge = {.addr = b->address(), .length = 8, .lkey = b->mr->lkey};
    }
    for (unsigned int i = 0; i < 3; i++) {
        wr[i].wr_id = i + 1;
        wr[i].next = i < 2 ? &wr[i + 1] : nullptr;
        wr[i].sg_list = sges;
        wr[i].num_sge = 1;
    }
    for (const int n : {2, -1}) {
        wr[1].num_sge = n;
        EXPECT_EQ(ibv_post_recv(b->qp.get(), wr, &bad), EINVAL) << n;
        EXPECT_EQ(bad, &wr[1]) << n;
    }
    /* The first request was posted, twice, and no other. */
    for (int i = 0; i < 2; i++) {
        ASSERT_EQ(post(*a, *b, {.length = 8, .imm = true}), 0);
        const auto got = wait_completions(b->recv_cq.get(), 1);
        ASSERT_EQ(got.size(), 1u);
        EXPECT_EQ(got[0].status, IBV_WC_SUCCESS);
        EXPECT_EQ(got[0].wr_id, 1u);
    }
    ASSERT_EQ(wait_completions(a->send_cq.get(), 2).size(), 2u);
    ASSERT_EQ(post(*a, *b, {.length = 8, .imm = true}), 0);
    EXPECT_TRUE(stays_empty(b->recv_cq.get())) << "no receive was left";
}

TEST_F(Requests, TooLong)
{
    ibv_send_wr wr{}, *bad = nullptr;
    ibv_sge sges[2];

    ASSERT_NO_FATAL_FAILURE(make_connected());
    for (ibv_sge &sge : sges) {
        sge = {.addr = a->address(), .length = 0x80000000, .lkey = a->mr->lkey};
    }
    wr.wr_id = 5;
    wr.sg_list = sges;
    wr.num_sge = 2;
    wr.opcode = IBV_WR_RDMA_WRITE;
    ASSERT_EQ(ibv_post_send(a->qp.get(), &wr, &bad), 0);
    const auto sent = wait_completions(a->send_cq.get(), 1);
    ASSERT_EQ(sent.size(), 1u);
    EXPECT_TRUE(sent[0].status == IBV_WC_LOC_LEN_ERR || sent[0].status == IBV_WC_LOC_PROT_ERR);
}

TEST_F(Requests, LongerThanAnyMessage)
{
    ASSERT_NO_FATAL_FAILURE(make_connected());
    expect_failure({.length = 0x80000001}, IBV_WC_LOC_LEN_ERR);
    EXPECT_EQ(b->state(), IBV_QPS_RTS);
}

TEST_F(Requests, WrongRemoteKey)
{
    ASSERT_NO_FATAL_FAILURE(make_connected());
    ASSERT_EQ(post_receives(*b, 2), 0);
    const std::vector<uint8_t> before(b->data() + 30000, b->data() + b->size());
    expect_failure({.to = 40000, .length = 100, .rkey = b->mr->rkey ^ 0x55}, IBV_WC_REM_ACCESS_ERR);
    EXPECT_EQ(b->wait_event(), IBV_EVENT_QP_ACCESS_ERR);
    EXPECT_EQ(b->state(), IBV_QPS_ERR);
    const auto flushed = wait_completions(b->recv_cq.get(), 2);
    ASSERT_EQ(flushed.size(), 2u);
    EXPECT_EQ(flushed[0].status, IBV_WC_WR_FLUSH_ERR);
    EXPECT_EQ(std::memcmp(b->data() + 30000, before.data(), before.size()), 0);
}

TEST_F(Requests, RemoteRangeExceeded)
{
    ASSERT_NO_FATAL_FAILURE(make_connected());
    expect_failure({.to = b->size() - 4000, .length = 4001}, IBV_WC_REM_ACCESS_ERR);
    EXPECT_EQ(b->wait_event(), IBV_EVENT_QP_ACCESS_ERR);
}

TEST_F(Requests, RegionWithoutRemoteWrite)
{
    std::vector<uint8_t> other(4096);

    ASSERT_NO_FATAL_FAILURE(make_connected());
    const Mr mr(ibv_reg_mr(b->pd.get(), other.data(), other.size(), IBV_ACCESS_LOCAL_WRITE));
    expect_failure({.length = 100, .rkey = mr->rkey}, IBV_WC_REM_ACCESS_ERR);
}

TEST_F(Requests, QpWithoutRemoteWrite)
{
    ASSERT_NO_FATAL_FAILURE(make_connected({.qp_access = IBV_ACCESS_LOCAL_WRITE}));
    ASSERT_EQ(post(*a, *b, {.id = 1, .length = 100}), 0);
    const auto sent = wait_completions(a->send_cq.get(), 1);
    ASSERT_EQ(sent.size(), 1u);
    EXPECT_EQ(sent[0].status, IBV_WC_REM_ACCESS_ERR);
}

/* A peer without a receive is waited for, as often as the program says. The other end lives on. */
TEST_F(Requests, ImmediateWithoutReceive)
{
    for (const uint8_t retries : {0, 3}) {
        ASSERT_NO_FATAL_FAILURE(make_connected({.rnr_retries = retries}));
        expect_failure({.length = 100, .imm = true}, IBV_WC_RNR_RETRY_EXC_ERR);
        EXPECT_TRUE(a->no_event()) << "its completion says it all";
        EXPECT_EQ(b->state(), IBV_QPS_RTS);
    }
}

/*
 * Waits for ever. The data is there before; requests behind it wait, too, and then all end in
 * order.
 */
TEST_F(Requests, ImmediatesWaitForReceives)
{
    constexpr unsigned int n = 6;

    ASSERT_NO_FATAL_FAILURE(make_connected());
    for (uint64_t i = 0; i < 2 * n; i++) {
        ASSERT_EQ(post(*a, *b, {.id = i, .to = 100 * i, .length = 100, .imm = i % 2 == 0}), 0);
    }
    for (uint64_t i = 0; i < n; i++) {
        EXPECT_TRUE(stays_empty(a->send_cq.get()));
        EXPECT_TRUE(stays_empty(b->recv_cq.get()));
        ASSERT_EQ(post_receives(*b, 1, i), 0);
        const auto received = wait_completions(b->recv_cq.get(), 1);
        const auto sent = wait_completions(a->send_cq.get(), 2);
        ASSERT_EQ(received.size(), 1u);
        ASSERT_EQ(sent.size(), 2u);
        EXPECT_EQ(received[0].status, IBV_WC_SUCCESS);
        EXPECT_EQ(received[0].wr_id, i);
        for (const uint64_t j : {0, 1}) {
            EXPECT_EQ(sent[j].status, IBV_WC_SUCCESS);
            EXPECT_EQ(sent[j].wr_id, 2 * i + j);
        }
    }
    EXPECT_TRUE(a->no_event());
    EXPECT_TRUE(b->no_event());
    ASSERT_NO_FATAL_FAILURE(fence());
}

/* A requester that waits is told when the other end goes. */
TEST_F(Requests, ImmediateWithoutReceiveOfAQpThatEnds)
{
    ASSERT_NO_FATAL_FAILURE(make_connected());
    ASSERT_EQ(post(*a, *b, {.id = 1, .length = 100, .imm = true}), 0);
    EXPECT_TRUE(stays_empty(a->send_cq.get()));
    ASSERT_EQ(b->to_state(IBV_QPS_ERR), 0);
    const auto sent = wait_completions(a->send_cq.get(), 1);
    ASSERT_EQ(sent.size(), 1u);
    EXPECT_EQ(sent[0].status, IBV_WC_REM_OP_ERR);
    EXPECT_TRUE(stays_empty(b->recv_cq.get()));
}

TEST_F(Requests, WhatMrcDoesNotDo)
{
    const ibv_wr_opcode opcodes[] = {IBV_WR_LOCAL_INV, IBV_WR_BIND_MW, IBV_WR_SEND_WITH_INV};
    ibv_send_wr wr{}, *bad = nullptr;

    ASSERT_NO_FATAL_FAILURE(make_connected());
    for (const ibv_wr_opcode opcode : opcodes) {
        wr.opcode = opcode;
        bad = nullptr;
        EXPECT_EQ(ibv_post_send(a->qp.get(), &wr, &bad), EOPNOTSUPP) << opcode;
        EXPECT_EQ(bad, &wr);
    }
    wr.opcode = static_cast<ibv_wr_opcode>(77);
    EXPECT_EQ(ibv_post_send(a->qp.get(), &wr, &bad), EINVAL);
    EXPECT_EQ(ibv_alloc_mw(a->pd.get(), IBV_MW_TYPE_1), nullptr);
    EXPECT_EQ(errno, EOPNOTSUPP);
    ASSERT_NO_FATAL_FAILURE(fence());
}

TEST_F(Requests, RingsFillUp)
{
    make({.send_wr = 16, .recv_wr = 16});
    ASSERT_NO_FATAL_FAILURE(a->connect(*b));
    EXPECT_EQ(post_receives(*a, 16), 0);
    EXPECT_EQ(post_receives(*a, 1), ENOMEM);
}

/*
 * An entry is free when it was polled, not when the kernel has read the request: else a program
 * could overrun its own CQ.
 */
TEST_F(Requests, EntriesAreFreeWhenTheirCompletionWasPolled)
{
    constexpr unsigned int depth = 16;
    constexpr unsigned int every = 4;

    ASSERT_NO_FATAL_FAILURE(make_connected({.send_wr = depth, .recv_wr = depth}));
    ASSERT_EQ(post_receives(*b, depth), 0);
    for (uint64_t i = 0; i < depth; i++) {
        const bool signaled = i % every == every - 1;

        ASSERT_EQ(post(*a, *b, {.id = i, .length = 8, .signaled = signaled, .imm = true}), 0);
    }
    EXPECT_EQ(post(*a, *b, {.length = 8}), ENOMEM);
    /* Each completion also frees the unsignalled requests before it. */
    for (unsigned int i = 0; i < depth / every; i++) {
        ASSERT_EQ(wait_completions(a->send_cq.get(), 1).size(), 1u);
        for (unsigned int j = 0; j < every; j++) {
            EXPECT_EQ(post(*a, *b, {.length = 8, .signaled = j == every - 1}), 0);
        }
        EXPECT_EQ(post(*a, *b, {.length = 8}), ENOMEM);
    }
    /* All receives are used, as the completions of the sends show. */
    EXPECT_EQ(post_receives(*b, 1), ENOMEM);
    ASSERT_EQ(wait_completions(b->recv_cq.get(), 3).size(), 3u);
    EXPECT_EQ(post_receives(*b, 3), 0);
    EXPECT_EQ(post_receives(*b, 1), ENOMEM);
}

TEST_F(Requests, FlushedEntriesAreFreeWhenPolled)
{
    constexpr unsigned int depth = 16;

    ASSERT_NO_FATAL_FAILURE(make_connected({.send_wr = depth, .recv_wr = depth}));
    ASSERT_EQ(a->to_state(IBV_QPS_ERR), 0);
    for (unsigned int i = 0; i < depth; i++) {
        ASSERT_EQ(post(*a, *b, {.length = 8, .signaled = false}), 0);
    }
    EXPECT_EQ(post(*a, *b, {}), ENOMEM);
    ASSERT_EQ(wait_completions(a->send_cq.get(), 5).size(), 5u);
    for (unsigned int i = 0; i < 5; i++) {
        EXPECT_EQ(post(*a, *b, {}), 0);
    }
    EXPECT_EQ(post(*a, *b, {}), ENOMEM);
}

/* Completions from before the reset free nothing of what came after it. */
TEST_F(Requests, ResetFreesAllEntries)
{
    constexpr unsigned int depth = 16;

    ASSERT_NO_FATAL_FAILURE(make_connected({.send_wr = depth, .recv_wr = depth}));
    for (int round = 0; round < 3; round++) {
        ASSERT_EQ(post_receives(*b, depth), 0);
        for (uint64_t i = 0; i < depth; i++) {
            ASSERT_EQ(post(*a, *b, {.id = i, .length = 8, .imm = true}), 0);
        }
        EXPECT_EQ(post(*a, *b, {}), ENOMEM);
        ASSERT_EQ(wait_completions(b->recv_cq.get(), 7).size(), 7u);
        ASSERT_EQ(a->to_state(IBV_QPS_RESET), 0);
        ASSERT_EQ(b->to_state(IBV_QPS_RESET), 0);
        ASSERT_NO_FATAL_FAILURE(a->connect(*b));
        ASSERT_NO_FATAL_FAILURE(b->connect(*a));
        ASSERT_EQ(post_receives(*b, depth), 0);
        EXPECT_EQ(post_receives(*b, 1), ENOMEM);
        ibv_wc wc[depth];
        ibv_poll_cq(a->send_cq.get(), depth, wc);
        ibv_poll_cq(b->recv_cq.get(), depth, wc);
        EXPECT_EQ(post_receives(*b, 1), ENOMEM);
        ASSERT_EQ(a->to_state(IBV_QPS_RESET), 0);
        ASSERT_EQ(b->to_state(IBV_QPS_RESET), 0);
        ASSERT_NO_FATAL_FAILURE(a->connect(*b));
        ASSERT_NO_FATAL_FAILURE(b->connect(*a));
    }
    ASSERT_NO_FATAL_FAILURE(fence());
}

/* Completions of another QP on the same queue stay, in their order. */
TEST_F(Requests, CompletionsGoWithTheirQp)
{
    constexpr uint64_t n = 20;
    constexpr size_t polled = 3;

    for (const bool destroyed : {true, false}) {
        ASSERT_NO_FATAL_FAILURE(make_connected());
        ASSERT_EQ(a->to_state(IBV_QPS_ERR), 0);
        Qp other = std::move(a->qp);
        a->make_qp();
        ASSERT_NO_FATAL_FAILURE(a->connect(*b));
        ASSERT_EQ(a->to_state(IBV_QPS_ERR), 0);
        for (uint64_t i = 0; i < n; i++) {
            ASSERT_EQ(post(*a, *b, {.id = i}), 0);
            std::swap(a->qp, other);
            ASSERT_EQ(post(*a, *b, {.id = i}), 0);
            ASSERT_EQ(post_receives(*a, 1), 0);
            std::swap(a->qp, other);
        }
        ASSERT_EQ(wait_completions(a->send_cq.get(), polled).size(), polled);
        if (destroyed) {
            other.reset();
        } else {
            std::swap(a->qp, other);
            ASSERT_EQ(a->to_state(IBV_QPS_RESET), 0);
            std::swap(a->qp, other);
        }
        const size_t left = n - (polled + 1) / 2;
        const auto flushed = wait_completions(a->send_cq.get(), left);
        ASSERT_EQ(flushed.size(), left);
        for (size_t i = 0; i < left; i++) {
            EXPECT_EQ(flushed[i].qp_num, a->qp->qp_num);
            EXPECT_EQ(flushed[i].wr_id, n - left + i);
        }
        EXPECT_TRUE(stays_empty(a->send_cq.get()));
        EXPECT_TRUE(stays_empty(a->recv_cq.get()));
    }
}

TEST_F(Requests, CompletionQueueOverrun)
{
    ASSERT_NO_FATAL_FAILURE(make_connected({.send_wr = 64, .cqe = 4}));
    for (uint64_t i = 0; i < 12; i++) {
        post(*a, *b, {.id = i, .length = 8});
    }
    EXPECT_EQ(a->wait_event(), IBV_EVENT_CQ_ERR);
    EXPECT_EQ(a->wait_event(), IBV_EVENT_QP_FATAL);
    EXPECT_EQ(a->state(), IBV_QPS_ERR);
    /* Completions that were reported before are still there. */
    const auto sent = wait_completions(a->send_cq.get(), 4);
    ASSERT_EQ(sent.size(), 4u);
    EXPECT_EQ(sent[3].wr_id, 3u);
    EXPECT_EQ(sent[3].status, IBV_WC_SUCCESS);
}

/* Both queues are the same CQ: it fails twice for the QP, which is told once. */
TEST_F(Requests, OverrunOfOneQueueForBothEnds)
{
    ibv_qp_init_attr init{};

    make({.cqe = 4});
    init.send_cq = init.recv_cq = a->send_cq.get();
    init.cap = {.max_send_wr = 64,
                .max_recv_wr = 64,
                .max_send_sge = 1,
                .max_recv_sge = 1,
                .max_inline_data = 0};
    init.qp_type = IBV_QPT_RC;
    a->qp.reset(ibv_create_qp(a->pd.get(), &init));
    ASSERT_NE(a->qp.get(), nullptr);
    ASSERT_NO_FATAL_FAILURE(a->connect(*b));
    ASSERT_NO_FATAL_FAILURE(b->connect(*a));
    for (uint64_t i = 0; i < 12; i++) {
        post(*a, *b, {.id = i, .length = 8});
    }
    EXPECT_EQ(a->wait_event(), IBV_EVENT_CQ_ERR);
    EXPECT_EQ(a->wait_event(), IBV_EVENT_QP_FATAL);
    EXPECT_TRUE(a->no_event());
}

/* An error of a QP does not reach the QP that it has become by a reset. */
TEST_F(Requests, OverrunLeavesAResetQpAlone)
{
    ASSERT_NO_FATAL_FAILURE(make_connected({.cqe = 4}));
    const Qp other = std::move(a->qp);
    a->make_qp();
    ASSERT_NO_FATAL_FAILURE(a->connect(*b));
    ASSERT_EQ(b->to_state(IBV_QPS_RESET), 0);
    ASSERT_NO_FATAL_FAILURE(b->connect(*a));
    ibv_qp_attr attr{};
    attr.qp_state = IBV_QPS_RESET;
    ASSERT_EQ(ibv_modify_qp(other.get(), &attr, IBV_QP_STATE), 0);
    for (uint64_t i = 0; i < 12; i++) {
        post(*a, *b, {.id = i, .length = 8});
    }
    EXPECT_EQ(a->wait_event(), IBV_EVENT_CQ_ERR);
    EXPECT_EQ(a->wait_event(), IBV_EVENT_QP_FATAL);
    ibv_qp_init_attr init{};
    ASSERT_EQ(ibv_query_qp(other.get(), &attr, IBV_QP_STATE, &init), 0);
    EXPECT_EQ(attr.qp_state, IBV_QPS_RESET);
    /* This QP could not complete anything any more. */
    attr.qp_state = IBV_QPS_INIT;
    attr.port_num = 1;
    EXPECT_EQ(ibv_modify_qp(other.get(), &attr,
                            IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS),
              EINVAL);
    init = {};
    init.send_cq = a->send_cq.get();
    init.recv_cq = a->recv_cq.get();
    init.qp_type = IBV_QPT_RC;
    EXPECT_EQ(ibv_create_qp(a->pd.get(), &init), nullptr);
    EXPECT_EQ(errno, EINVAL);
}

} // namespace verbs
