// SPDX-License-Identifier: GPL-2.0-only
/* Compare and swap, fetch and add. */
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "fixture.h"

namespace verbs
{

class Atomics : public Pair
{
protected:
    static constexpr ibv_wr_opcode compare_swap = IBV_WR_ATOMIC_CMP_AND_SWP;
    static constexpr ibv_wr_opcode fetch_add = IBV_WR_ATOMIC_FETCH_AND_ADD;
    static constexpr uint32_t bytes = 8;
    /** Where the word is in b's memory. */
    static constexpr size_t at = 4096;

    static uint64_t get(Side &side, size_t offset)
    {
        uint64_t value = 0;

        std::memcpy(&value, side.data() + offset, bytes);
        return value;
    }

    static void set(Side &side, size_t offset, uint64_t value)
    {
        std::memcpy(side.data() + offset, &value, bytes);
    }

    /** One successful atomic, whose result goes to an offset of a's memory. */
    uint64_t act(Write what, size_t to = 24)
    {
        what.id = 77;
        what.from = at;
        what.to = to;
        what.length = bytes;
        EXPECT_EQ(post(*a, *b, what), 0);
        const auto done = wait_completions(a->send_cq.get(), 1);
        if (done.size() != 1) {
            ADD_FAILURE() << "no completion";
            return 0;
        }
        EXPECT_EQ(done[0].status, IBV_WC_SUCCESS) << ibv_wc_status_str(done[0].status);
        EXPECT_EQ(done[0].opcode, what.op == fetch_add ? IBV_WC_FETCH_ADD : IBV_WC_COMP_SWAP);
        EXPECT_EQ(done[0].wr_id, 77u);
        EXPECT_EQ(done[0].byte_len, bytes);
        return get(*a, to);
    }

    /**
     * A READ and a good atomic, a bad one, a good one: the first ones complete, the bad one fails,
     * the last is flushed, and has changed nothing.
     */
    void expect_failure(const Write &bad, ibv_wc_status status)
    {
        Write wrong = bad;

        wrong.id = 2;
        wrong.op = bad.op == compare_swap ? compare_swap : fetch_add;
        wrong.length = bytes;
        wrong.signaled = false; /* a failure is reported anyway */
        set(*b, at, 5);
        ASSERT_EQ(post(*a, *b, {.id = 0, .op = IBV_WR_RDMA_READ, .to = 9000, .length = 50000}), 0);
        ASSERT_EQ(post(*a, *b, add(1, 1)), 0);
        ASSERT_EQ(post(*a, *b, wrong), 0);
        ASSERT_EQ(post(*a, *b, add(3, 1)), 0);
        const auto done = wait_completions(a->send_cq.get(), 4);
        ASSERT_EQ(done.size(), 4u);
        for (uint64_t id = 0; id < 4; id++) {
            EXPECT_EQ(done[id].wr_id, id);
        }
        EXPECT_EQ(done[0].status, IBV_WC_SUCCESS);
        EXPECT_EQ(done[1].status, IBV_WC_SUCCESS);
        EXPECT_EQ(done[2].status, status) << ibv_wc_status_str(done[2].status);
        EXPECT_EQ(done[3].status, IBV_WC_WR_FLUSH_ERR);
        EXPECT_EQ(a->state(), IBV_QPS_ERR);
        EXPECT_EQ(get(*b, at), 6u);
    }

    /** The same for an atomic that b refuses, with an event. */
    void expect_refusal(const Write &bad, ibv_wc_status status, ibv_event_type event)
    {
        ASSERT_NO_FATAL_FAILURE(expect_failure(bad, status));
        EXPECT_EQ(b->wait_event(), event);
        EXPECT_EQ(b->state(), IBV_QPS_ERR);
    }

    static Write add(uint64_t id, uint64_t value)
    {
        return {.id = id, .op = fetch_add, .from = at, .length = bytes, .compare_add = value};
    }
};

TEST_F(Atomics, CompareAndSwap)
{
    constexpr uint64_t old = 0x0123456789abcdef, other = 0xfedcba9876543210;

    ASSERT_NO_FATAL_FAILURE(make_connected(readable));
    std::vector<uint8_t> expected(b->data(), b->data() + b->size());
    set(*b, at, old);
    EXPECT_EQ(act({.op = compare_swap, .compare_add = old, .swap = other}), old);
    EXPECT_EQ(get(*b, at), other);
    /* What does not fit in one half does not fit. */
    for (const uint64_t wrong : {old, other ^ 1, other ^ uint64_t{1} << 63, uint64_t{0}}) {
        EXPECT_EQ(act({.op = compare_swap, .compare_add = wrong, .swap = 1}), other);
        EXPECT_EQ(get(*b, at), other);
    }
    EXPECT_EQ(act({.op = compare_swap, .compare_add = other, .swap = other}), other);
    EXPECT_EQ(act({.op = compare_swap, .compare_add = other}), other);
    EXPECT_EQ(get(*b, at), 0u);
    std::memset(expected.data() + at, 0, bytes);
    EXPECT_EQ(std::memcmp(b->data(), expected.data(), expected.size()), 0) << "beside the word";
}

/* Carries from each half, and numbers that wrap. */
TEST_F(Atomics, FetchAndAdd)
{
    constexpr uint64_t sums[][2] = {
        {0, 0},     {0, 1},         {0xffffffff, 1},          {0x1ffffffff, 0xffffffff00000001},
        {~0ull, 1}, {~0ull, ~0ull}, {1ull << 63, 1ull << 63}, {0x7fffffffffffffff, 2}};

    ASSERT_NO_FATAL_FAILURE(make_connected(readable));
    std::vector<uint8_t> expected(b->data(), b->data() + b->size());
    for (const auto &[before, plus] : sums) {
        set(*b, at, before);
        EXPECT_EQ(act({.op = fetch_add, .compare_add = plus}), before);
        EXPECT_EQ(get(*b, at), before + plus);
    }
    std::memcpy(expected.data() + at, b->data() + at, bytes);
    EXPECT_EQ(std::memcmp(b->data(), expected.data(), expected.size()), 0) << "beside the word";
}

/* It needs no alignment, and may lie in two pages. */
TEST_F(Atomics, ResultsGoAnywhere)
{
    ASSERT_NO_FATAL_FAILURE(make_connected(readable));
    set(*b, at, 0);
    const size_t end_of_page = 8192 - a->address() % 4096;
    for (const size_t to :
         {size_t{0}, size_t{1}, end_of_page - 3, end_of_page - 8, a->size() - bytes}) {
        std::vector<uint8_t> expected(a->data(), a->data() + a->size());
        const uint64_t before = get(*b, at);

        EXPECT_EQ(act({.op = fetch_add, .compare_add = 0x0101010101010101 + to}, to), before);
        std::memcpy(expected.data() + to, &before, bytes);
        EXPECT_EQ(std::memcmp(a->data(), expected.data(), expected.size()), 0) << to;
    }
}

/*
 * Each sees what was done before it, by requests of any kind. A READ may also see what is done
 * after it: the next write has a fence.
 */
TEST_F(Atomics, KeepTheirOrderAmongOtherRequests)
{
    constexpr uint64_t n = 12;
    constexpr ibv_wc_opcode opcodes[] = {IBV_WC_RDMA_WRITE, IBV_WC_FETCH_ADD, IBV_WC_COMP_SWAP,
                                         IBV_WC_RDMA_READ};

    ASSERT_NO_FATAL_FAILURE(make_connected(readable));
    for (uint64_t i = 0; i < n; i++) {
        const size_t to = 1000 + 24 * i;
        Write plus = add(0, 1000), swap = add(0, 1000 + i);

        set(*a, 8 * i, i);
        plus.to = to;
        swap.op = compare_swap;
        swap.to = to + 8;
        swap.swap = ~i;
        ASSERT_EQ(post_all(*a, *b,
                           {{.from = 8 * i, .to = at, .length = bytes, .fence = true},
                            plus,
                            swap,
                            {.op = IBV_WR_RDMA_READ, .from = at, .to = to + 16, .length = bytes}},
                           4 * i),
                  0);
    }
    const auto done = wait_completions(a->send_cq.get(), 4 * n);
    ASSERT_EQ(done.size(), 4 * n);
    for (uint64_t i = 0; i < 4 * n; i++) {
        EXPECT_EQ(done[i].status, IBV_WC_SUCCESS);
        EXPECT_EQ(done[i].wr_id, i);
        EXPECT_EQ(done[i].opcode, opcodes[i % 4]);
    }
    for (uint64_t i = 0; i < n; i++) {
        EXPECT_EQ(get(*a, 1000 + 24 * i), i);
        EXPECT_EQ(get(*a, 1008 + 24 * i), i + 1000);
        EXPECT_EQ(get(*a, 1016 + 24 * i), ~i);
    }
}

/* What an atomic has brought can be sent by the next request. */
TEST_F(Atomics, AFenceWaitsForTheResult)
{
    ASSERT_NO_FATAL_FAILURE(make_connected(readable));
    set(*b, at, 0);
    for (uint64_t i = 0; i < 200; i++) {
        ASSERT_EQ(post(*a, *b, add(1, 3)), 0);
        ASSERT_EQ(post(*a, *b, {.id = 2, .to = 80, .length = bytes, .fence = true}), 0);
        const auto done = wait_completions(a->send_cq.get(), 2);
        ASSERT_EQ(done.size(), 2u);
        EXPECT_EQ(done[1].wr_id, 2u);
        ASSERT_EQ(get(*b, 80), 3 * i);
    }
}

/* ---- many at once ------------------------------------------------------------- */

namespace
{

/** An end that adds 1 to a word again and again, as fast as it can, and keeps what it gets. */
class Counter
{
public:
    static constexpr uint64_t n = 1000;

    Counter(Side &here, Side &there, size_t word, uint32_t rkey = 0)
        : here_(here), there_(there), word_(word), rkey_(rkey)
    {
    }

    void step()
    {
        ibv_wc wc{};

        for (; posted_ < n && posted_ < values_.size() + slots; posted_++) {
            ASSERT_EQ(post(here_, there_,
                           {.id = posted_,
                            .op = IBV_WR_ATOMIC_FETCH_AND_ADD,
                            .from = word_,
                            .to = slot(posted_),
                            .length = 8,
                            .compare_add = 1,
                            .rkey = rkey_}),
                      0);
        }
        while (ibv_poll_cq(here_.send_cq.get(), 1, &wc) == 1) {
            uint64_t value = 0;

            ASSERT_EQ(wc.status, IBV_WC_SUCCESS) << ibv_wc_status_str(wc.status);
            ASSERT_EQ(wc.wr_id, values_.size());
            std::memcpy(&value, here_.data() + slot(wc.wr_id), 8);
            values_.push_back(value);
        }
    }

    [[nodiscard]] bool done() const { return values_.size() == n; }
    [[nodiscard]] const std::vector<uint64_t> &values() const { return values_; }

private:
    static constexpr uint64_t slots = 32;
    static size_t slot(uint64_t i) { return 8 * (i % slots); }

    Side &here_;
    Side &there_;
    size_t word_;
    uint32_t rkey_;
    uint64_t posted_ = 0;
    std::vector<uint64_t> values_;
};

/** Runs two of them at once. */
void count(Counter *first, Counter *second)
{
    while (!first->done() || !second->done()) {
        ASSERT_NO_FATAL_FAILURE(first->step());
        ASSERT_NO_FATAL_FAILURE(second->step());
    }
}

/** Whether these are 0, 1, 2, ... in any order. */
bool all_different(std::vector<uint64_t> values)
{
    std::sort(values.begin(), values.end());
    for (size_t i = 0; i < values.size(); i++) {
        if (values[i] != i) {
            return false;
        }
    }
    return true;
}

} // namespace

/* Two QPs of b's device, each with a peer of its own, have one word. */
TEST_F(Atomics, OfTwoPairsOnOneWord)
{
    ASSERT_NO_FATAL_FAILURE(make_connected(readable));
    Side c(0, readable, 4096), d(1, readable, 4096);
    const Mr shared(ibv_reg_mr(d.pd.get(), b->data(), b->size(), all_access));
    ASSERT_NE(shared.get(), nullptr);
    ASSERT_NO_FATAL_FAILURE(c.connect(d));
    ASSERT_NO_FATAL_FAILURE(d.connect(c));
    set(*b, at, 0);
    Counter first(*a, *b, at), second(c, *b, at, shared->rkey);
    ASSERT_NO_FATAL_FAILURE(count(&first, &second));
    EXPECT_EQ(get(*b, at), 2 * Counter::n);
    EXPECT_TRUE(std::is_sorted(first.values().begin(), first.values().end()));
    EXPECT_TRUE(std::is_sorted(second.values().begin(), second.values().end()));
    std::vector<uint64_t> all = first.values();
    all.insert(all.end(), second.values().begin(), second.values().end());
    EXPECT_TRUE(all_different(all));
}

TEST_F(Atomics, OfBothEndsAtOnce)
{
    for (const uint8_t reads : {1, 4, 16}) {
        Shape shape = readable;

        shape.reads = reads;
        ASSERT_NO_FATAL_FAILURE(make_connected(shape));
        set(*a, at, 0);
        set(*b, at, 0);
        Counter first(*a, *b, at), second(*b, *a, at);
        ASSERT_NO_FATAL_FAILURE(count(&first, &second));
        EXPECT_EQ(get(*a, at), Counter::n);
        EXPECT_EQ(get(*b, at), Counter::n);
        for (const Counter *counter : {&first, &second}) {
            EXPECT_TRUE(all_different(counter->values()));
            EXPECT_TRUE(std::is_sorted(counter->values().begin(), counter->values().end()));
        }
    }
}

/* A server that only answers never goes to RTS. */
TEST_F(Atomics, APeerInRtrAnswers)
{
    make(readable);
    ASSERT_NO_FATAL_FAILURE(b->to_init());
    ASSERT_EQ(with_neighbour([&] { return b->to_rtr(*a); }), 0);
    ASSERT_NO_FATAL_FAILURE(a->connect(*b));
    set(*b, at, 40);
    EXPECT_EQ(act({.op = fetch_add, .compare_add = 2}), 40u);
    EXPECT_EQ(act({.op = compare_swap, .compare_add = 42, .swap = 1}), 42u);
    EXPECT_EQ(b->state(), IBV_QPS_RTR);
    ASSERT_EQ(b->to_rts(), 0);
    EXPECT_EQ(act({.op = fetch_add, .compare_add = 2}), 1u);
}

/* ---- errors ------------------------------------------------------------------- */

TEST_F(Atomics, MisalignedWords)
{
    for (const size_t off : {1, 4, 7}) {
        ASSERT_NO_FATAL_FAILURE(make_connected(readable));
        expect_refusal({.op = off == 4 ? compare_swap : fetch_add, .from = at + off},
                       IBV_WC_REM_INV_REQ_ERR, IBV_EVENT_QP_REQ_ERR);
    }
}

TEST_F(Atomics, WrongRemoteKey)
{
    ASSERT_NO_FATAL_FAILURE(make_connected(readable));
    expect_refusal({.from = at, .rkey = b->mr->rkey ^ 0x55}, IBV_WC_REM_ACCESS_ERR,
                   IBV_EVENT_QP_ACCESS_ERR);
}

TEST_F(Atomics, RemoteRangeExceeded)
{
    ASSERT_NO_FATAL_FAILURE(make_connected(readable));
    expect_refusal({.op = compare_swap, .from = b->size()}, IBV_WC_REM_ACCESS_ERR,
                   IBV_EVENT_QP_ACCESS_ERR);
    /* The region ends in the middle of the word. */
    ASSERT_NO_FATAL_FAILURE(make_connected(readable));
    const Mr mr(ibv_reg_mr(b->pd.get(), b->data(), at + 4, all_access));
    ASSERT_NE(mr.get(), nullptr);
    expect_refusal({.from = at, .rkey = mr->rkey}, IBV_WC_REM_ACCESS_ERR, IBV_EVENT_QP_ACCESS_ERR);
}

/* The right to read and to write is not enough. */
TEST_F(Atomics, RegionWithoutRemoteAtomic)
{
    for (const ibv_wr_opcode op : {compare_swap, fetch_add}) {
        ASSERT_NO_FATAL_FAILURE(make_connected(readable));
        const Mr mr(
            ibv_reg_mr(b->pd.get(), b->data(), b->size(), all_access & ~IBV_ACCESS_REMOTE_ATOMIC));
        ASSERT_NE(mr.get(), nullptr);
        expect_refusal({.op = op, .from = at, .rkey = mr->rkey}, IBV_WC_REM_ACCESS_ERR,
                       IBV_EVENT_QP_ACCESS_ERR);
    }
}

TEST_F(Atomics, QpWithoutRemoteAtomic)
{
    Shape shape = readable;

    shape.qp_access = all_access & ~IBV_ACCESS_REMOTE_ATOMIC;
    ASSERT_NO_FATAL_FAILURE(make_connected(shape));
    set(*b, at, 5);
    ASSERT_EQ(post(*a, *b, {.id = 0, .op = IBV_WR_RDMA_READ, .to = 9000, .length = 50000}), 0);
    ASSERT_EQ(post(*a, *b, add(1, 1)), 0);
    const auto done = wait_completions(a->send_cq.get(), 2);
    ASSERT_EQ(done.size(), 2u);
    EXPECT_EQ(done[0].status, IBV_WC_SUCCESS);
    EXPECT_EQ(done[1].status, IBV_WC_REM_ACCESS_ERR);
    EXPECT_EQ(b->wait_event(), IBV_EVENT_QP_ACCESS_ERR);
    EXPECT_EQ(get(*b, at), 5u);
}

TEST_F(Atomics, ResultsThatMayNotBeWritten)
{
    ASSERT_NO_FATAL_FAILURE(make_connected(readable));
    expect_failure({.from = at, .lkey = a->mr->lkey ^ 0x55}, IBV_WC_LOC_PROT_ERR);
    EXPECT_EQ(b->state(), IBV_QPS_RTS);
    /* One byte beyond the region. */
    ASSERT_NO_FATAL_FAILURE(make_connected(readable));
    expect_failure({.from = at, .to = a->size() - 7}, IBV_WC_LOC_PROT_ERR);
    ASSERT_NO_FATAL_FAILURE(make_connected(readable));
    const Mr mr(ibv_reg_mr(a->pd.get(), a->data(), a->size(), IBV_ACCESS_REMOTE_READ));
    ASSERT_NE(mr.get(), nullptr);
    expect_failure({.op = compare_swap, .from = at, .lkey = mr->lkey}, IBV_WC_LOC_PROT_ERR);
}

/* The result is one element of 8 bytes. */
TEST_F(Atomics, OtherElementsAreRefused)
{
    ibv_sge sges[2];
    ibv_send_wr wr{}, *bad = nullptr;

    ASSERT_NO_FATAL_FAILURE(make_connected(readable));
    set(*b, at, 5);
    for (const ibv_wr_opcode op : {compare_swap, fetch_add}) {
        for (const uint32_t length : {0, 4, 7, 9, 16}) {
            EXPECT_EQ(post(*a, *b, {.op = op, .from = at, .length = length}), EINVAL) << length;
        }
        for (ibv_sge &sge : sges) {
            sge = {.addr = a->address(), .length = 4, .lkey = a->mr->lkey};
        }
        wr.opcode = op;
        wr.sg_list = sges;
        wr.num_sge = 2;
        wr.wr.atomic = {
            .remote_addr = b->address(at), .compare_add = 5, .swap = 6, .rkey = b->mr->rkey};
        EXPECT_EQ(ibv_post_send(a->qp.get(), &wr, &bad), EINVAL);
        EXPECT_EQ(bad, &wr);
        sges[0].length = 8;
        sges[1].length = 0;
        EXPECT_EQ(ibv_post_send(a->qp.get(), &wr, &bad), EINVAL);
        wr.num_sge = -1;
        EXPECT_EQ(ibv_post_send(a->qp.get(), &wr, &bad), EINVAL);
    }
    EXPECT_TRUE(stays_empty(a->send_cq.get())) << "nothing was posted";
    EXPECT_EQ(act({.op = fetch_add, .compare_add = 1}), 5u);
}

TEST_F(Atomics, TakeNoInlineData)
{
    ASSERT_NO_FATAL_FAILURE(make_connected(readable));
    for (const ibv_wr_opcode op : {compare_swap, fetch_add}) {
        EXPECT_EQ(post(*a, *b, {.op = op, .from = at, .length = bytes, .inline_data = true}),
                  EINVAL);
    }
    ASSERT_NO_FATAL_FAILURE(fence());
}

/* ---- the extended calls --------------------------------------------------------- */

TEST_F(Atomics, ByExtendedPosting)
{
    Shape shape = readable;
    ibv_sge sge{};

    shape.wr_ops = IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD;
    ASSERT_NO_FATAL_FAILURE(make_connected(shape));
    set(*b, at, 40);
    ibv_qp_ex *ex = ibv_qp_to_qp_ex(a->qp.get());
    ex->wr_flags = IBV_SEND_SIGNALED;
    ibv_wr_start(ex);
    ex->wr_id = 0;
    ibv_wr_atomic_fetch_add(ex, b->mr->rkey, b->address(at), 2);
    ibv_wr_set_sge(ex, a->mr->lkey, a->address(), bytes);
    ex->wr_id = 1;
    ibv_wr_atomic_cmp_swp(ex, b->mr->rkey, b->address(at), 42, 99);
    sge = {.addr = a->address(8), .length = bytes, .lkey = a->mr->lkey};
    ibv_wr_set_sge_list(ex, 1, &sge);
    ASSERT_EQ(ibv_wr_complete(ex), 0);
    const auto done = wait_completions(a->send_cq.get(), 2);
    ASSERT_EQ(done.size(), 2u);
    EXPECT_EQ(done[0].opcode, IBV_WC_FETCH_ADD);
    EXPECT_EQ(done[1].opcode, IBV_WC_COMP_SWAP);
    for (const uint64_t id : {0, 1}) {
        EXPECT_EQ(done[id].status, IBV_WC_SUCCESS);
        EXPECT_EQ(done[id].wr_id, id);
        EXPECT_EQ(done[id].byte_len, bytes);
        EXPECT_EQ(get(*a, 8 * id), 40 + 2 * id);
    }
    EXPECT_EQ(get(*b, at), 99u);
}

TEST_F(Atomics, ExtendedPostingRefusesOtherElements)
{
    Shape shape = readable;
    ibv_sge sges[2];

    shape.wr_ops = IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD;
    ASSERT_NO_FATAL_FAILURE(make_connected(shape));
    set(*b, at, 5);
    for (ibv_sge &sge : sges) {
        sge = {.addr = a->address(), .length = 4, .lkey = a->mr->lkey};
    }
    ibv_qp_ex *ex = ibv_qp_to_qp_ex(a->qp.get());
    ex->wr_flags = IBV_SEND_SIGNALED;
    for (const uint32_t length : {7, 16}) {
        ibv_wr_start(ex);
        ibv_wr_atomic_fetch_add(ex, b->mr->rkey, b->address(at), 2);
        ibv_wr_set_sge(ex, a->mr->lkey, a->address(), length);
        EXPECT_EQ(ibv_wr_complete(ex), EINVAL) << length;
    }
    ibv_wr_start(ex);
    ibv_wr_atomic_cmp_swp(ex, b->mr->rkey, b->address(at), 5, 6);
    ibv_wr_set_sge_list(ex, 2, sges);
    EXPECT_EQ(ibv_wr_complete(ex), EINVAL);
    ibv_wr_start(ex);
    ibv_wr_atomic_cmp_swp(ex, b->mr->rkey, b->address(at), 5, 6);
    ibv_wr_set_inline_data(ex, a->data(), bytes);
    EXPECT_EQ(ibv_wr_complete(ex), EINVAL);
    EXPECT_TRUE(stays_empty(a->send_cq.get())) << "nothing was posted";
    EXPECT_EQ(act({.op = fetch_add, .compare_add = 1}), 5u);
}

} // namespace verbs
