// SPDX-License-Identifier: GPL-2.0-only
/* Bytes arrive where they were sent, completions say so. */
#include <atomic>
#include <chrono>
#include <cstring>
#include <fstream>
#include <poll.h>
#include <sched.h>
#include <string>
#include <sys/prctl.h>
#include <thread>
#include <unistd.h>

#include "fixture.h"

namespace verbs
{

using Data = Pair;

TEST_F(Data, WritesOfManySizes)
{
    const uint32_t sizes[] = {1, 3, 64, 255, 256, 1023, 1024, 4095, 4096, 4097, 65537, 1 << 20};
    constexpr size_t bytes = 2 << 20;

    ASSERT_NO_FATAL_FAILURE(make_connected({}, bytes));
    for (const uint32_t size : sizes) {
        const size_t from = size % 61;
        const size_t to = size % 4099;
        const std::vector<uint8_t> before(b->data(), b->data() + bytes);

        ASSERT_EQ(post(*a, *b, {.from = from, .to = to, .length = size, .signaled = false}), 0);
        ASSERT_NO_FATAL_FAILURE(fence());
        EXPECT_EQ(std::memcmp(b->data() + to, a->data() + from, size), 0) << size;
        EXPECT_EQ(std::memcmp(b->data(), before.data(), to), 0) << size;
        EXPECT_EQ(std::memcmp(b->data() + to + size, before.data() + to + size, bytes - to - size),
                  0)
            << size;
    }
}

TEST_F(Data, BothDirectionsAtOnce)
{
    constexpr uint32_t half = 1 << 18;

    ASSERT_NO_FATAL_FAILURE(make_connected({}, 2 * half));
    for (uint64_t i = 0; i < 8; i++) {
        ASSERT_EQ(post(*a, *b, {.id = i, .to = half, .length = half}), 0);
        ASSERT_EQ(post(*b, *a, {.id = i, .to = half, .length = half}), 0);
    }
    const auto sent_a = wait_completions(a->send_cq.get(), 8);
    const auto sent_b = wait_completions(b->send_cq.get(), 8);
    ASSERT_EQ(sent_a.size(), 8u);
    ASSERT_EQ(sent_b.size(), 8u);
    for (uint64_t i = 0; i < 8; i++) {
        EXPECT_EQ(sent_a[i].wr_id, i);
        EXPECT_EQ(sent_b[i].status, IBV_WC_SUCCESS);
    }
    EXPECT_EQ(std::memcmp(b->data() + half, a->data(), half), 0);
    EXPECT_EQ(std::memcmp(a->data() + half, b->data(), half), 0);
}

TEST_F(Data, GatherList)
{
    constexpr int pieces = 16;
    constexpr uint32_t stride = 3001;
    ibv_sge sges[pieces];
    ibv_send_wr wr{}, *bad = nullptr;
    std::vector<uint8_t> expected;

    ASSERT_NO_FATAL_FAILURE(make_connected());
    for (int i = 0; i < pieces; i++) {
        const uint32_t length = i == 5 ? 0 : 100 + 37 * i;

        sges[i] = {.addr = a->address(i * stride), .length = length, .lkey = a->mr->lkey};
        expected.insert(expected.end(), a->data() + i * stride, a->data() + i * stride + length);
    }
    wr.sg_list = sges;
    wr.num_sge = pieces;
    wr.opcode = IBV_WR_RDMA_WRITE;
    wr.wr.rdma.remote_addr = b->address(7);
    wr.wr.rdma.rkey = b->mr->rkey;
    ASSERT_EQ(ibv_post_send(a->qp.get(), &wr, &bad), 0);
    ASSERT_NO_FATAL_FAILURE(fence());
    EXPECT_EQ(std::memcmp(b->data() + 7, expected.data(), expected.size()), 0);
    wr.num_sge = pieces + 1;
    EXPECT_EQ(ibv_post_send(a->qp.get(), &wr, &bad), EINVAL);
    EXPECT_EQ(bad, &wr);
}

TEST_F(Data, InlineTakesTheBytesAtPost)
{
    const std::vector<uint8_t> zeros(256);

    ASSERT_NO_FATAL_FAILURE(make_connected());
    const std::vector<uint8_t> sent(a->data(), a->data() + 200);
    ASSERT_EQ(post(*a, *b, {.to = 9, .length = 200, .inline_data = true}), 0);
    std::memset(a->data(), 0, 200);
    ASSERT_EQ(wait_completions(a->send_cq.get(), 1).size(), 1u);
    EXPECT_EQ(std::memcmp(b->data() + 9, sent.data(), sent.size()), 0);
    EXPECT_EQ(post(*a, *b, {.length = 4096, .inline_data = true}), EINVAL);
}

TEST_F(Data, ImmediatesArriveInOrderWithTheirLength)
{
    constexpr unsigned int n = 60;

    ASSERT_NO_FATAL_FAILURE(make_connected({}, 1 << 20));
    ASSERT_EQ(post_receives(*b, n, 1000), 0);
    for (unsigned int i = 0; i < n; i++) {
        const uint32_t length = i % 3 ? 20000 - 300 * i : 0;

        ASSERT_EQ(post(*a, *b,
                       {.id = i,
                        .length = length,
                        .signaled = i == n - 1,
                        .imm = true,
                        .imm_data = 0xabc00000 + i}),
                  0);
    }
    const auto received = wait_completions(b->recv_cq.get(), n);
    ASSERT_EQ(received.size(), n);
    for (unsigned int i = 0; i < n; i++) {
        EXPECT_EQ(received[i].status, IBV_WC_SUCCESS);
        EXPECT_EQ(received[i].opcode, IBV_WC_RECV_RDMA_WITH_IMM);
        EXPECT_EQ(received[i].wc_flags & IBV_WC_WITH_IMM, IBV_WC_WITH_IMM);
        EXPECT_EQ(received[i].imm_data, 0xabc00000 + i);
        EXPECT_EQ(received[i].byte_len, i % 3 ? 20000 - 300 * i : 0);
        EXPECT_EQ(received[i].wr_id, 1000 + i);
        EXPECT_EQ(received[i].qp_num, b->qp->qp_num);
    }
    const auto sent = wait_completions(a->send_cq.get(), 1);
    ASSERT_EQ(sent.size(), 1u);
    EXPECT_EQ(sent[0].wr_id, n - 1);
    EXPECT_EQ(sent[0].opcode, IBV_WC_RDMA_WRITE);
}

TEST_F(Data, OnlySignalledRequestsComplete)
{
    ASSERT_NO_FATAL_FAILURE(make_connected());
    for (uint64_t i = 0; i < 9; i++) {
        ASSERT_EQ(post(*a, *b, {.id = i, .length = 100, .signaled = i % 3 == 2}), 0);
    }
    const auto sent = wait_completions(a->send_cq.get(), 3);
    ASSERT_EQ(sent.size(), 3u);
    EXPECT_EQ(sent[0].wr_id, 2u);
    EXPECT_EQ(sent[1].wr_id, 5u);
    EXPECT_EQ(sent[2].wr_id, 8u);
    EXPECT_TRUE(stays_empty(a->send_cq.get()));
}

TEST_F(Data, SignalAllSignalsAll)
{
    ASSERT_NO_FATAL_FAILURE(make_connected({.signal_all = true}));
    for (uint64_t i = 0; i < 5; i++) {
        ASSERT_EQ(post(*a, *b, {.id = i, .length = 100, .signaled = false}), 0);
    }
    EXPECT_EQ(wait_completions(a->send_cq.get(), 5).size(), 5u);
}

TEST_F(Data, ListIsPostedInOneCall)
{
    ibv_send_wr wr[3] = {}, *bad = nullptr;
    ibv_sge sge{};

    ASSERT_NO_FATAL_FAILURE(make_connected());
    sge = {.addr = a->address(), .length = 5000, .lkey = a->mr->lkey};
    for (int i = 0; i < 3; i++) {
        wr[i].wr_id = i;
        wr[i].next = i < 2 ? &wr[i + 1] : nullptr;
        wr[i].sg_list = &sge;
        wr[i].num_sge = 1;
        wr[i].opcode = IBV_WR_RDMA_WRITE;
        wr[i].send_flags = IBV_SEND_SIGNALED;
        wr[i].wr.rdma.remote_addr = b->address(5000 * i);
        wr[i].wr.rdma.rkey = b->mr->rkey;
    }
    ASSERT_EQ(ibv_post_send(a->qp.get(), wr, &bad), 0);
    ASSERT_EQ(wait_completions(a->send_cq.get(), 3).size(), 3u);
    for (int i = 0; i < 3; i++) {
        EXPECT_EQ(std::memcmp(b->data() + 5000 * i, a->data(), 5000), 0);
    }
    /* The good request before the bad one is sent. */
    wr[1].opcode = IBV_WR_LOCAL_INV;
    EXPECT_EQ(ibv_post_send(a->qp.get(), wr, &bad), EOPNOTSUPP);
    EXPECT_EQ(bad, &wr[1]);
    EXPECT_EQ(wait_completions(a->send_cq.get(), 1).size(), 1u);
    EXPECT_TRUE(stays_empty(a->send_cq.get()));
}

TEST_F(Data, ExtendedPosting)
{
    ibv_data_buf parts[2];
    ibv_sge sges[2];

    ASSERT_NO_FATAL_FAILURE(
        make_connected({.wr_ops = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM}));
    ASSERT_EQ(post_receives(*b, 1, 77), 0);
    ibv_qp_ex *ex = ibv_qp_to_qp_ex(a->qp.get());
    ASSERT_NE(ex, nullptr);
    ibv_wr_start(ex);
    ex->wr_id = 1;
    ex->wr_flags = 0;
    ibv_wr_rdma_write(ex, b->mr->rkey, b->address());
    ibv_wr_set_sge(ex, a->mr->lkey, a->address(), 3000);
    ex->wr_id = 2;
    ibv_wr_rdma_write(ex, b->mr->rkey, b->address(3000));
    parts[0] = {.addr = a->data() + 3000, .length = 50};
    parts[1] = {.addr = a->data() + 3050, .length = 100};
    ibv_wr_set_inline_data_list(ex, 2, parts);
    ex->wr_id = 3;
    ex->wr_flags = IBV_SEND_SIGNALED;
    ibv_wr_rdma_write_imm(ex, b->mr->rkey, b->address(3150), 42);
    sges[0] = {.addr = a->address(3150), .length = 4000, .lkey = a->mr->lkey};
    sges[1] = {.addr = a->address(7150), .length = 850, .lkey = a->mr->lkey};
    ibv_wr_set_sge_list(ex, 2, sges);
    ASSERT_EQ(ibv_wr_complete(ex), 0);
    const auto sent = wait_completions(a->send_cq.get(), 1);
    const auto received = wait_completions(b->recv_cq.get(), 1);
    ASSERT_EQ(sent.size(), 1u);
    ASSERT_EQ(received.size(), 1u);
    EXPECT_EQ(sent[0].wr_id, 3u);
    EXPECT_EQ(received[0].imm_data, 42u);
    EXPECT_EQ(received[0].byte_len, 4850u);
    EXPECT_EQ(std::memcmp(b->data(), a->data(), 8000), 0);
}

TEST_F(Data, ExtendedPostingNeedsTheRightState)
{
    make({.wr_ops = IBV_QP_EX_WITH_RDMA_WRITE});
    ASSERT_NO_FATAL_FAILURE(a->to_init());
    ASSERT_EQ(a->to_rtr(*b), 0);
    ibv_qp_ex *ex = ibv_qp_to_qp_ex(a->qp.get());
    ibv_wr_start(ex);
    ex->wr_id = 1;
    ex->wr_flags = IBV_SEND_SIGNALED;
    ibv_wr_rdma_write(ex, b->mr->rkey, b->address());
    ibv_wr_set_sge(ex, a->mr->lkey, a->address(), 10);
    EXPECT_EQ(ibv_wr_complete(ex), EINVAL);
    /* Nothing of it is kept for later. */
    ASSERT_EQ(a->to_rts(), 0);
    ASSERT_NO_FATAL_FAILURE(b->connect(*a));
    ASSERT_NO_FATAL_FAILURE(fence());
    EXPECT_TRUE(stays_empty(a->send_cq.get()));
}

TEST_F(Data, ExtendedPostingIsAllOrNothing)
{
    ASSERT_NO_FATAL_FAILURE(make_connected({.wr_ops = IBV_QP_EX_WITH_RDMA_WRITE}));
    ibv_qp_ex *ex = ibv_qp_to_qp_ex(a->qp.get());
    ibv_wr_start(ex);
    ex->wr_id = 1;
    ex->wr_flags = IBV_SEND_SIGNALED;
    ibv_wr_rdma_write(ex, b->mr->rkey, b->address());
    ibv_wr_set_sge(ex, a->mr->lkey, a->address(), 10);
    ibv_wr_rdma_write(ex, b->mr->rkey, b->address());
    ibv_wr_set_inline_data(ex, a->data(), 4096);
    EXPECT_EQ(ibv_wr_complete(ex), EINVAL);
    ibv_wr_start(ex);
    ibv_wr_rdma_write(ex, b->mr->rkey, b->address());
    ibv_wr_set_sge(ex, a->mr->lkey, a->address(), 10);
    ibv_wr_abort(ex);
    EXPECT_TRUE(stays_empty(a->send_cq.get()));
    ASSERT_NO_FATAL_FAILURE(fence());
}

/* ibv_start_poll() and its kin read the same completions as ibv_poll_cq(). */
TEST_F(Data, ExtendedPolling)
{
    ibv_poll_cq_attr poll{};
    ibv_wc wc{};

    ASSERT_NO_FATAL_FAILURE(make_connected({.poll_ex = true}));
    auto *cq = reinterpret_cast<ibv_cq_ex *>(b->recv_cq.get());
    EXPECT_EQ(ibv_start_poll(cq, &poll), ENOENT);
    for (uint32_t id = 0; id < 5; id++) {
        ASSERT_EQ(post_receive(*b, id, 0, 100), 0);
        ASSERT_EQ(
            post(*a, *b,
                 {.id = id, .length = 10 + id, .imm = id != 2, .imm_data = id, .send = id < 4}),
            0);
    }
    ASSERT_EQ(wait_completions(a->send_cq.get(), 5).size(), 5u);
    poll.comp_mask = 1;
    EXPECT_EQ(ibv_start_poll(cq, &poll), EINVAL);
    poll.comp_mask = 0;
    for (uint32_t id = 0; id < 4; id++) {
        ASSERT_EQ(id == 0 ? ibv_start_poll(cq, &poll) : ibv_next_poll(cq), 0);
        EXPECT_EQ(cq->wr_id, id);
        EXPECT_EQ(cq->status, IBV_WC_SUCCESS);
        EXPECT_EQ(ibv_wc_read_opcode(cq), IBV_WC_RECV);
        EXPECT_EQ(ibv_wc_read_byte_len(cq), 10 + id);
        EXPECT_EQ(ibv_wc_read_qp_num(cq), b->qp->qp_num);
        EXPECT_EQ(ibv_wc_read_wc_flags(cq), id == 2 ? 0u : unsigned{IBV_WC_WITH_IMM});
        if (id != 2) {
            EXPECT_EQ(ibv_wc_read_imm_data(cq), id);
        }
        EXPECT_EQ(ibv_wc_read_vendor_err(cq), 0u);
    }
    ibv_end_poll(cq);
    ASSERT_EQ(ibv_poll_cq(b->recv_cq.get(), 1, &wc), 1) << "the other calls go on from there";
    EXPECT_EQ(wc.wr_id, 4u);
    EXPECT_EQ(wc.opcode, IBV_WC_RECV_RDMA_WITH_IMM);
    EXPECT_EQ(ibv_start_poll(cq, &poll), ENOENT);
    /* All entries are free again: as many receives as at first. */
    ASSERT_EQ(post_receives(*b, 64), 0);
    EXPECT_EQ(post_receives(*b, 1), ENOMEM);
}

TEST_F(Data, ExtendedQueuesThatMrcDoesNotHave)
{
    ibv_cq_init_attr_ex init{};

    make();
    init.cqe = 16;
    init.wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP;
    EXPECT_EQ(ibv_create_cq_ex(a->context.get(), &init), nullptr);
    EXPECT_EQ(errno, EOPNOTSUPP);
    init.wc_flags = 0;
    init.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS;
    init.flags = IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN;
    EXPECT_EQ(ibv_create_cq_ex(a->context.get(), &init), nullptr);
    EXPECT_EQ(errno, EOPNOTSUPP);
    init.flags = IBV_CREATE_CQ_ATTR_SINGLE_THREADED;
    ibv_cq_ex *cq = ibv_create_cq_ex(a->context.get(), &init);
    ASSERT_NE(cq, nullptr);
    EXPECT_EQ(ibv_destroy_cq(ibv_cq_ex_to_cq(cq)), 0);
}

TEST_F(Data, ChannelWakesUp)
{
    ibv_cq *cq = nullptr;
    void *context = nullptr;

    ASSERT_NO_FATAL_FAILURE(make_connected());
    for (const int solicited : {0, 1}) {
        ASSERT_EQ(ibv_req_notify_cq(b->recv_cq.get(), solicited), 0);
        ASSERT_EQ(post_receives(*b, 2), 0);
        ASSERT_EQ(post(*a, *b, {.signaled = false, .imm = true}), 0);
        ASSERT_EQ(ibv_get_cq_event(b->channel.get(), &cq, &context), 0);
        EXPECT_EQ(cq, b->recv_cq.get());
        ibv_ack_cq_events(cq, 1);
        EXPECT_EQ(wait_completions(cq, 1).size(), 1u);
        /* The CQ is no longer armed: a completion, but no second event. */
        ASSERT_EQ(post(*a, *b, {.signaled = false, .imm = true}), 0);
        EXPECT_EQ(wait_completions(cq, 1).size(), 1u);
        pollfd fd{.fd = b->channel->fd, .events = POLLIN, .revents = 0};
        EXPECT_EQ(::poll(&fd, 1, 50), 0);
    }
}

namespace
{

/** This thread, and those that it starts, run on CPU 0 as long as this object lives. */
class OnCpuZero
{
public:
    OnCpuZero()
    {
        cpu_set_t zero;

        sched_getaffinity(0, sizeof(before_), &before_);
        CPU_ZERO(&zero);
        CPU_SET(0, &zero);
        sched_setaffinity(0, sizeof(zero), &zero);
    }
    ~OnCpuZero() { sched_setaffinity(0, sizeof(before_), &before_); }
    OnCpuZero(const OnCpuZero &) = delete;
    OnCpuZero &operator=(const OnCpuZero &) = delete;

private:
    cpu_set_t before_{};
};

/** A thread that waits for one completion, under a name by which verbs.sh finds it. */
class Waiter
{
public:
    Waiter(const std::string &name, ibv_comp_channel *channel)
        : thread_([this, name, channel] { wait(name, channel); })
    {
    }
    ~Waiter() { thread_.join(); }
    Waiter(const Waiter &) = delete;
    Waiter &operator=(const Waiter &) = delete;

    [[nodiscard]] bool asleep() const
    {
        const pid_t tid = tid_;
        std::ifstream stat("/proc/self/task/" + std::to_string(tid) + "/stat");
        std::string number, name, state;

        return tid && stat >> number >> name >> state && state == "S";
    }

private:
    void wait(const std::string &name, ibv_comp_channel *channel)
    {
        ibv_cq *cq = nullptr;
        void *context = nullptr;

        prctl(PR_SET_NAME, name.c_str());
        tid_ = gettid();
        if (!ibv_get_cq_event(channel, &cq, &context)) {
            ibv_ack_cq_events(cq, 1);
        }
    }

    std::atomic<pid_t> tid_ = 0;
    std::thread thread_;
};

} // namespace

/* Completions come about on CPU 0. verbs.sh checks on which CPU the waiting threads are woken. */
TEST_F(Data, VectorsWakeUp)
{
    const OnCpuZero pinned;
    int vectors = 1;

    for (int vector = 0; vector < vectors; vector++) {
        ASSERT_NO_FATAL_FAILURE(make_connected({.recv_vector = vector}));
        vectors = b->context->num_comp_vectors;
        ASSERT_EQ(ibv_req_notify_cq(b->recv_cq.get(), 0), 0);
        ASSERT_EQ(post_receives(*b, 1), 0);
        const Waiter waiter("vector-" + std::to_string(vector), b->channel.get());
        while (!waiter.asleep()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        ASSERT_EQ(post(*a, *b, {.signaled = false, .imm = true}), 0);
    }
    EXPECT_EQ(ibv_create_cq(b->context.get(), 1, nullptr, b->channel.get(), vectors), nullptr);
    EXPECT_EQ(errno, EINVAL);
}

TEST_F(Data, DeepQueue)
{
    constexpr uint32_t depth = 16384;

    ASSERT_NO_FATAL_FAILURE(make_connected(
        {.send_wr = depth, .recv_wr = depth, .send_sge = 1, .inline_data = 0, .cqe = depth}));
    for (uint32_t i = 0; i < depth; i++) {
        ASSERT_EQ(post(*a, *b, {.id = i, .length = 8, .signaled = i % 64 == 63}), 0);
    }
    const auto sent = wait_completions(a->send_cq.get(), depth / 64);
    ASSERT_EQ(sent.size(), depth / 64);
    EXPECT_EQ(sent.back().wr_id, depth - 1);
}

} // namespace verbs
