// SPDX-License-Identifier: GPL-2.0-only
/* Shared receive queues: who gets which receive, what waits, and what the program is told. */
#include <cerrno>
#include <chrono>
#include <cstring>
#include <set>
#include <thread>
#include <utility>

#include "fixture.h"
#include "mapping.h"
#include "qp_attr.h"

namespace verbs
{

/** Several pairs of QPs; those of b share an SRQ. */
class Srqs : public Pair
{
protected:
    struct Ends {
        Qp a, b;
    };

    /** Pair i is the one that a and b are about. */
    void use(size_t i)
    {
        if (used < pairs.size()) {
            std::swap(a->qp, pairs[used].a);
            std::swap(b->qp, pairs[used].b);
        }
        std::swap(a->qp, pairs[i].a);
        std::swap(b->qp, pairs[i].b);
        used = i;
    }

    /** @param wimm how many messages that take receives may be in flight; 0: the default */
    void make_pairs(size_t n, Shape shape = {}, size_t bytes = 1 << 20, uint16_t wimm = 0)
    {
        pairs.clear();
        used = SIZE_MAX;
        if (!shape.srq_wr) {
            shape.srq_wr = 64;
        }
        ASSERT_NO_FATAL_FAILURE(make(shape, bytes));
        for (size_t i = 0; i < n; i++) {
            a->make_qp();
            b->make_qp();
            for (const Side *side : {a.get(), b.get()}) {
                mrc_abi_qp_attr attr{};

                attr.mask = wimm ? MRC_QP_ATTR_WIMM_RX | MRC_QP_ATTR_WIMM_TX : 0;
                attr.wimm_rx = attr.wimm_tx = wimm;
                ASSERT_EQ(mrc_qp_attr_set(side->qp.get(), &attr), 0);
            }
            ASSERT_NO_FATAL_FAILURE(a->connect(*b));
            ASSERT_NO_FATAL_FAILURE(b->connect(*a));
            pairs.push_back({std::move(a->qp), std::move(b->qp)});
        }
        use(0);
    }

    void TearDown() override { pairs.clear(); }

    /** All of these completions are of successful receives. */
    static void expect_received(const std::vector<ibv_wc> &done, size_t n)
    {
        ASSERT_EQ(done.size(), n);
        for (const ibv_wc &wc : done) {
            ASSERT_EQ(wc.status, IBV_WC_SUCCESS);
        }
    }

    [[nodiscard]] ibv_srq_attr query() const
    {
        ibv_srq_attr attr{};

        EXPECT_EQ(ibv_query_srq(b->srq.get(), &attr), 0);
        return attr;
    }

    [[nodiscard]] int set_limit(uint32_t limit) const
    {
        ibv_srq_attr attr{};

        attr.srq_limit = limit;
        return ibv_modify_srq(b->srq.get(), &attr, IBV_SRQ_LIMIT);
    }

    /** Several flows with too few receives; see make_pairs(). */
    void run_short(uint16_t wimm);

    std::vector<Ends> pairs;
    size_t used = SIZE_MAX;
};

TEST_F(Srqs, WhatTheProgramIsTold)
{
    ibv_device_attr device{};
    ibv_qp_attr attr{};
    ibv_qp_init_attr init{};

    ASSERT_NO_FATAL_FAILURE(make_pairs(1, {.recv_wr = 1u << 20, .recv_sge = 3, .srq_wr = 100}));
    ASSERT_EQ(ibv_query_device(b->context.get(), &device), 0);
    EXPECT_GT(device.max_srq, 0);
    EXPECT_GE(device.max_srq_wr, 4096);
    EXPECT_EQ(device.max_srq_sge, 16);
    EXPECT_EQ(query().max_wr, 128u);
    EXPECT_EQ(query().max_sge, 3u);
    EXPECT_EQ(query().srq_limit, 0u);
    ASSERT_EQ(ibv_query_qp(b->qp.get(), &attr, IBV_QP_CAP, &init), 0);
    EXPECT_EQ(init.srq, b->srq.get());
    EXPECT_EQ(attr.cap.max_recv_wr, 0u);
    EXPECT_EQ(attr.cap.max_recv_sge, 0u);
}

TEST_F(Srqs, WhatIsRefused)
{
    ibv_srq_init_attr init{};
    ibv_srq_attr attr{};
    ibv_recv_wr wr{}, *bad = nullptr;

    ASSERT_NO_FATAL_FAILURE(make_pairs(1));
    EXPECT_EQ(ibv_post_recv(b->qp.get(), &wr, &bad), EINVAL) << "its receives are the SRQ's";
    EXPECT_EQ(bad, &wr);
    EXPECT_EQ(set_limit(65), EINVAL);
    attr.max_wr = 128;
    EXPECT_EQ(ibv_modify_srq(b->srq.get(), &attr, IBV_SRQ_MAX_WR), EOPNOTSUPP);
    EXPECT_EQ(post_receive(*b, 1, std::vector<ibv_sge>(2)), EINVAL) << "one element at most";
    EXPECT_EQ(ibv_destroy_srq(b->srq.get()), EBUSY);
    for (const auto &[wrs, sges] : {std::pair{0u, 1u}, {1u << 20, 1u}, {1u, 17u}}) {
        init.attr.max_wr = wrs;
        init.attr.max_sge = sges;
        EXPECT_EQ(ibv_create_srq(b->pd.get(), &init), nullptr);
        EXPECT_EQ(errno, EINVAL);
    }
    EXPECT_EQ(post_receives(*b, 64), 0);
    EXPECT_EQ(post_receives(*b, 1), ENOMEM);
}

/* SENDs of many packets, of many QPs at once: each message has a receive of its own. */
TEST_F(Srqs, ManyQpsShareReceives)
{
    constexpr size_t qps = 6, each = 8, n = qps * each, stride = 20000;
    std::vector<size_t> next(qps);
    std::set<uint64_t> taken;

    ASSERT_NO_FATAL_FAILURE(make_pairs(qps, {}, n * stride));
    for (uint64_t i = 0; i < n; i++) {
        ASSERT_EQ(post_receive(*b, i, i * stride, stride), 0);
    }
    for (size_t i = 0; i < n; i++) {
        use(i % qps);
        ASSERT_EQ(post(*a, *b,
                       {.id = i,
                        .from = i * 7,
                        .length = static_cast<uint32_t>(100 + i * 391),
                        .imm = true,
                        .imm_data = static_cast<uint32_t>(i),
                        .send = true}),
                  0);
    }
    const auto done = wait_completions(b->recv_cq.get(), n);
    ASSERT_NO_FATAL_FAILURE(expect_received(done, n));
    for (const ibv_wc &wc : done) {
        const size_t i = wc.imm_data, qp = i % qps;

        EXPECT_EQ(i / qps, next[qp]++) << "the order of a QP is kept";
        EXPECT_TRUE(taken.insert(wc.wr_id).second);
        EXPECT_EQ(wc.byte_len, 100 + i * 391);
        EXPECT_EQ(std::memcmp(a->data() + i * 7, b->data() + wc.wr_id * stride, wc.byte_len), 0);
    }
    EXPECT_EQ(wait_completions(a->send_cq.get(), n).size(), n);
    EXPECT_EQ(taken.size(), n);
}

void Srqs::run_short(uint16_t wimm)
{
    constexpr size_t qps = 4, each = 60, n = qps * each;
    constexpr uint32_t length = 9000;
    size_t posted = 0, sent = 0, received = 0, done = 0;
    std::vector<size_t> next(qps);

    ASSERT_NO_FATAL_FAILURE(make_pairs(qps, {.timeout = 14}, 1 << 20, wimm));
    while (received < n || done < n) {
        ibv_wc wc{};

        while (posted < n && posted - received < 3) {
            ASSERT_EQ(post_receive(*b, posted++, 0, length), 0);
        }
        while (sent < n && sent - done < 32) {
            const bool send = sent / qps % 3 != 0;

            use(sent % qps);
            ASSERT_EQ(post(*a, *b,
                           {.to = send ? 0u : 10000u,
                            .length = length,
                            .imm = true,
                            .imm_data = static_cast<uint32_t>(sent),
                            .send = send}),
                      0);
            sent++;
        }
        if (ibv_poll_cq(b->recv_cq.get(), 1, &wc) == 1) {
            ASSERT_EQ(wc.status, IBV_WC_SUCCESS);
            ASSERT_EQ(wc.imm_data / qps, next[wc.imm_data % qps]++);
            received++;
        }
        if (ibv_poll_cq(a->send_cq.get(), 1, &wc) == 1) {
            ASSERT_EQ(wc.status, IBV_WC_SUCCESS);
            done++;
        }
    }
    EXPECT_TRUE(a->no_event());
    EXPECT_TRUE(b->no_event());
}

/* Receives run out in the middle of the flows of several QPs, again and again: WriteImms and SENDs.
 */
TEST_F(Srqs, ReceivesAreShortAllTheTime)
{
    run_short(0);
}

/* The same when each QP may hold three receives at most, and one. */
TEST_F(Srqs, ReceivesAndNumbersAreShort)
{
    run_short(2);
    run_short(1);
}

/* Nobody is forgotten: QPs that wait are served as receives come, one by one. */
TEST_F(Srqs, EachWaitingQpIsServed)
{
    constexpr size_t qps = 5;
    std::set<uint32_t> served;

    for (const bool send : {false, true}) {
        ASSERT_NO_FATAL_FAILURE(make_pairs(qps, {.timeout = 14}));
        served.clear();
        for (size_t i = 0; i < qps; i++) {
            use(i);
            ASSERT_EQ(post(*a, *b, {.length = 5000, .imm = true, .send = send}), 0);
        }
        EXPECT_TRUE(stays_empty(b->recv_cq.get()));
        for (size_t i = 0; i < qps; i++) {
            ASSERT_EQ(post_receive(*b, i, 0, 5000), 0);
            const auto done = wait_completions(b->recv_cq.get(), 1);
            ASSERT_NO_FATAL_FAILURE(expect_received(done, 1));
            EXPECT_TRUE(served.insert(done[0].qp_num).second);
        }
        EXPECT_EQ(wait_completions(a->send_cq.get(), qps).size(), qps);
    }
}

/*
 * A peer is told of three receives, for six SENDs. Writes are between the first one and the others,
 * so another QP mostly takes two of the receives meanwhile. The program posts more long after the
 * peer's timeouts. A receive that another QP has taken must be waited for as one that was never
 * there.
 */
TEST_F(Srqs, ReceivesThatAnotherQpTookAreAwaited)
{
    constexpr size_t sends = 6, writes = 16, first = 3, others = 2, rest = sends + others - first;
    ibv_recv_wr wrs[first] = {}, *bad = nullptr;

    ASSERT_NO_FATAL_FAILURE(make_pairs(2, {.timeout = 10, .retries = 0}));
    ASSERT_EQ(post(*a, *b, {.send = true}), 0);
    for (size_t i = 0; i < writes; i++) {
        ASSERT_EQ(post(*a, *b, {.length = 1 << 20}), 0);
    }
    for (size_t i = 1; i < sends; i++) {
        ASSERT_EQ(post(*a, *b, {.send = true}), 0);
    }
    EXPECT_TRUE(stays_empty(b->recv_cq.get()));
    wrs[0].next = &wrs[1];
    wrs[1].next = &wrs[2];
    ASSERT_EQ(ibv_post_srq_recv(b->srq.get(), wrs, &bad), 0);
    use(1);
    for (size_t i = 0; i < others; i++) {
        ASSERT_EQ(post(*a, *b, {.send = true}), 0);
    }
    ASSERT_NO_FATAL_FAILURE(expect_received(wait_completions(b->recv_cq.get(), first), first));
    std::this_thread::sleep_for(std::chrono::seconds(1));
    ASSERT_EQ(post_receives(*b, rest), 0);
    ASSERT_NO_FATAL_FAILURE(expect_received(wait_completions(b->recv_cq.get(), rest), rest));
    EXPECT_TRUE(a->no_event());
}

/*
 * A WriteImm waits. The next receive is posted, and a SEND of the same QP takes it before the
 * doorbell comes: then the doorbell lets the WriteImm have it.
 */
TEST_F(Srqs, ASendIsFasterThanTheDoorbell)
{
    ibv_recv_wr *bad = nullptr;
    const auto set_flags = [](uint32_t flags) {
        for (const Mapping &mapping : ring_mappings()) {
            mapping.ring->flags = flags;
        }
    };

    ASSERT_NO_FATAL_FAILURE(make_pairs(1, {.timeout = 14}));
    ASSERT_EQ(post(*a, *b, {.id = 1, .imm = true}), 0);
    EXPECT_TRUE(stays_empty(b->recv_cq.get()));
    set_flags(0);
    ASSERT_EQ(post_receive(*b, 1, 0, 100), 0);
    ASSERT_EQ(post(*a, *b, {.id = 2, .imm = true, .send = true}), 0);
    EXPECT_TRUE(stays_empty(b->recv_cq.get()));
    set_flags(MRC_RING_DOORBELL);
    ASSERT_EQ(ibv_post_srq_recv(b->srq.get(), nullptr, &bad), 0);
    ASSERT_NO_FATAL_FAILURE(expect_received(wait_completions(b->recv_cq.get(), 1), 1));
    ASSERT_EQ(post_receive(*b, 2, 0, 100), 0);
    ASSERT_NO_FATAL_FAILURE(expect_received(wait_completions(b->recv_cq.get(), 1), 1));
}

TEST_F(Srqs, TheLimitIsToldOnce)
{
    ASSERT_NO_FATAL_FAILURE(make_pairs(1));
    ASSERT_EQ(post_receives(*b, 10), 0);
    ASSERT_EQ(set_limit(8), 0);
    EXPECT_EQ(query().srq_limit, 8u);
    for (size_t i = 0; i < 2; i++) {
        ASSERT_EQ(post(*a, *b, {.imm = true}), 0);
        ASSERT_EQ(wait_completions(b->recv_cq.get(), 1).size(), 1u);
    }
    EXPECT_TRUE(b->no_event()) << "eight are left";
    for (size_t i = 0; i < 3; i++) {
        ASSERT_EQ(post(*a, *b, {.imm = true}), 0);
        ASSERT_EQ(wait_completions(b->recv_cq.get(), 1).size(), 1u);
    }
    EXPECT_EQ(b->wait_event(), IBV_EVENT_SRQ_LIMIT_REACHED);
    EXPECT_TRUE(b->no_event());
    EXPECT_EQ(query().srq_limit, 0u);
}

/* Memory of a receive is looked up in the domain of the SRQ, not of the QP. */
TEST_F(Srqs, OfAnotherProtectionDomain)
{
    ASSERT_NO_FATAL_FAILURE(make_pairs(1));
    Pd other(must(ibv_alloc_pd(b->context.get()), "PD"));
    pairs.clear();
    b->qp.reset();
    std::swap(other, b->pd);
    b->make_qp();
    std::swap(other, b->pd);
    a->make_qp();
    ASSERT_NO_FATAL_FAILURE(a->connect(*b));
    ASSERT_NO_FATAL_FAILURE(b->connect(*a));
    ASSERT_EQ(post_receive(*b, 1, 0, 5000), 0);
    ASSERT_EQ(post(*a, *b, {.length = 5000, .send = true}), 0);
    ASSERT_NO_FATAL_FAILURE(expect_received(wait_completions(b->recv_cq.get(), 1), 1));
    EXPECT_EQ(std::memcmp(a->data(), b->data(), 5000), 0);
    b->qp.reset();
}

/* An error takes the receives that the QP holds, and no others; the other QP goes on. */
TEST_F(Srqs, AQpInErrorLeavesTheOthers)
{
    ASSERT_NO_FATAL_FAILURE(make_pairs(2));
    ASSERT_EQ(post_receive(*b, 1, 0, 100), 0);
    ASSERT_EQ(post_receive(*b, 2, 0, 5000), 0);
    ASSERT_EQ(post(*a, *b, {.length = 5000, .send = true}), 0);
    const auto received = wait_completions(b->recv_cq.get(), 1);
    ASSERT_EQ(received.size(), 1u);
    EXPECT_EQ(received[0].wr_id, 1u);
    EXPECT_EQ(received[0].status, IBV_WC_LOC_LEN_ERR);
    std::set<int> events = {b->wait_event(), b->wait_event()};
    EXPECT_EQ(events, (std::set<int>{IBV_EVENT_QP_LAST_WQE_REACHED, IBV_EVENT_QP_REQ_ERR}));
    EXPECT_TRUE(stays_empty(b->recv_cq.get()));
    use(1);
    ASSERT_EQ(post(*a, *b, {.length = 5000, .send = true}), 0);
    const auto next = wait_completions(b->recv_cq.get(), 1);
    ASSERT_NO_FATAL_FAILURE(expect_received(next, 1));
    EXPECT_EQ(next[0].wr_id, 2u);
    ASSERT_EQ(b->to_state(IBV_QPS_ERR), 0);
    EXPECT_EQ(b->wait_event(), IBV_EVENT_QP_LAST_WQE_REACHED);
    ASSERT_EQ(b->to_state(IBV_QPS_ERR), 0);
    EXPECT_TRUE(b->no_event()) << "it is told once";
}

/* A QP that waits for a receive is destroyed or reset; the receive goes to another one. */
TEST_F(Srqs, AWaitingQpGoes)
{
    for (const bool reset : {false, true}) {
        ASSERT_NO_FATAL_FAILURE(make_pairs(2, {.timeout = 14}));
        ASSERT_EQ(post(*a, *b, {.length = 5000, .send = true}), 0);
        EXPECT_TRUE(stays_empty(b->recv_cq.get()));
        if (reset) {
            ASSERT_EQ(b->to_state(IBV_QPS_RESET), 0);
        } else {
            b->qp.reset();
        }
        use(1);
        ASSERT_EQ(post(*a, *b, {.length = 5000, .imm = true}), 0);
        EXPECT_TRUE(stays_empty(b->recv_cq.get()));
        ASSERT_EQ(post_receive(*b, 1, 0, 5000), 0);
        ASSERT_NO_FATAL_FAILURE(expect_received(wait_completions(b->recv_cq.get(), 1), 1));
    }
}

/* QPs of a pair are reset and connected again, and the receives of the SRQ are still there. */
TEST_F(Srqs, AfterAReset)
{
    ASSERT_NO_FATAL_FAILURE(make_pairs(1));
    ASSERT_EQ(post_receives(*b, 10), 0);
    for (size_t i = 0; i < 3; i++) {
        ASSERT_EQ(post(*a, *b, {.imm = true, .send = true}), 0);
        ASSERT_NO_FATAL_FAILURE(expect_received(wait_completions(b->recv_cq.get(), 1), 1));
        ASSERT_EQ(wait_completions(a->send_cq.get(), 1).size(), 1u);
        ASSERT_EQ(a->to_state(IBV_QPS_RESET), 0);
        ASSERT_EQ(b->to_state(IBV_QPS_RESET), 0);
        ASSERT_NO_FATAL_FAILURE(a->connect(*b));
        ASSERT_NO_FATAL_FAILURE(b->connect(*a));
    }
    EXPECT_TRUE(b->no_event());
    ASSERT_EQ(b->to_state(IBV_QPS_ERR), 0);
    EXPECT_EQ(b->wait_event(), IBV_EVENT_QP_LAST_WQE_REACHED);
    for (size_t i = 0; i < 3; i++) {
        ASSERT_EQ(b->to_state(IBV_QPS_RESET), 0);
        ASSERT_NO_FATAL_FAILURE(b->to_init());
        ASSERT_EQ(b->to_state(IBV_QPS_ERR), 0);
    }
    EXPECT_TRUE(b->no_event()) << "it was not connected since";
}

/* QPs are destroyed while the peers send, and the SRQ lives on. */
TEST_F(Srqs, QpsGoUnderTraffic)
{
    constexpr size_t qps = 6;

    ASSERT_NO_FATAL_FAILURE(make_pairs(qps, {.timeout = 14}));
    for (size_t i = 0; i < qps; i++) {
        for (size_t j = 0; j < 6; j++) {
            use(i);
            ASSERT_EQ(post(*a, *b, {.length = 60000, .send = true}), 0);
        }
        ASSERT_EQ(post_receive(*b, 2 * i, 0, 60000), 0);
        ASSERT_EQ(post_receive(*b, 2 * i + 1, 0, 60000), 0);
        if (i % 2) {
            b->qp.reset();
        }
    }
    pairs.clear();
    b->qp.reset();
    a->qp.reset();
    ASSERT_NO_FATAL_FAILURE(b->srq.reset());
}

/* What the program writes over a receive is checked when a SEND takes the receive. */
TEST_F(Srqs, TheProgramScribblesOverReceives)
{
    ASSERT_NO_FATAL_FAILURE(make_connected({.srq_wr = 64}));
    ASSERT_EQ(post_receive(*b, 1, 0, 100), 0);
    for (const Mapping &mapping : ring_mappings()) {
        auto *wr = reinterpret_cast<mrc_recv_wr *>(mapping.ring->entries);

        if (mapping.ring->producer == 1 && wr->wr_id == 1 && wr->num_sge == 1) {
            wr->num_sge = 0xffffffff;
        }
    }
    ASSERT_EQ(post(*a, *b, {.id = 1, .length = 8, .send = true}), 0);
    const auto sent = wait_completions(a->send_cq.get(), 1);
    ASSERT_EQ(sent.size(), 1u);
    EXPECT_EQ(sent[0].status, IBV_WC_REM_OP_ERR);
    EXPECT_EQ(b->state(), IBV_QPS_ERR);
}

/* An index that cannot be ends the QPs that look at it, and nothing else. */
TEST_F(Srqs, TheProgramScribbles)
{
    ASSERT_NO_FATAL_FAILURE(make_connected({.srq_wr = 64}));
    /* Both sides map two CQs, then the SRQ. */
    const std::vector<Mapping> rings = ring_mappings();
    ASSERT_EQ(rings.size(), 8u);
    for (const size_t i : {4, 5}) {
        rings[i].ring->producer = 100000;
    }
    ASSERT_EQ(post(*a, *b, {.imm = true}), 0);
    const auto sent = wait_completions(a->send_cq.get(), 1);
    ASSERT_EQ(sent.size(), 1u);
    EXPECT_NE(sent[0].status, IBV_WC_SUCCESS);
    EXPECT_EQ(b->state(), IBV_QPS_ERR);
    EXPECT_EQ(b->wait_event(), IBV_EVENT_SRQ_ERR);
    ASSERT_NO_FATAL_FAILURE(make_connected({.srq_wr = 64}));
    ASSERT_NO_FATAL_FAILURE(fence());
}

} // namespace verbs
