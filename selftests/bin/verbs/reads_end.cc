// SPDX-License-Identifier: GPL-2.0-only
/* READs that must fail, and how; and READs whose QP or memory goes while they are under way. */
#include "reads.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <string>
#include <thread>

namespace verbs
{

/** READs that fail: what is before them succeeds, what is behind them is flushed. */
class ReadsFailing : public Reads
{
protected:
    static constexpr uint32_t length = 250001;
    /** READs before the bad request; their responses take a while. */
    static constexpr uint64_t before = 4;

    void expect_failure(const Write &bad, ibv_wc_status status)
    {
        blank();
        for (uint64_t id = 0; id < before; id++) {
            ASSERT_EQ(post(*a, *b, {.id = id, .op = read, .to = id * length, .length = length}), 0);
        }
        Write wrong = bad;
        wrong.id = before;
        wrong.signaled = false; /* a failure is reported anyway */
        ASSERT_EQ(post(*a, *b, wrong), 0);
        /* The QP may be in error by now. What the READs read is left alone. */
        ASSERT_EQ(post(*a, *b, {.id = before + 1, .op = read, .length = 9}), 0);
        ASSERT_EQ(post(*a, *b, {.id = before + 2, .to = length, .length = 9}), 0);
        const auto done = wait_completions(a->send_cq.get(), before + 3);
        ASSERT_EQ(done.size(), before + 3);
        for (uint64_t id = 0; id < before; id++) {
            expect_done(done[id], id, length);
            EXPECT_TRUE(same(id * length, 0, length)) << id;
        }
        EXPECT_EQ(done[before].status, status) << ibv_wc_status_str(done[before].status);
        for (uint64_t id = before; id < before + 3; id++) {
            EXPECT_EQ(done[id].wr_id, id);
        }
        EXPECT_EQ(done[before + 1].status, IBV_WC_WR_FLUSH_ERR);
        EXPECT_EQ(done[before + 2].status, IBV_WC_WR_FLUSH_ERR);
        EXPECT_EQ(a->state(), IBV_QPS_ERR);
        EXPECT_TRUE(a->no_event()) << "its completion says it all";
    }

    /** The same for a request that b refuses. */
    void expect_refusal(const Write &bad)
    {
        ASSERT_NO_FATAL_FAILURE(expect_failure(bad, IBV_WC_REM_ACCESS_ERR));
        EXPECT_EQ(b->wait_event(), IBV_EVENT_QP_ACCESS_ERR);
        EXPECT_EQ(b->state(), IBV_QPS_ERR);
    }

    /** The same for a request that never leaves a. */
    void expect_own_fault(const Write &bad, ibv_wc_status status)
    {
        ASSERT_NO_FATAL_FAILURE(expect_failure(bad, status));
        EXPECT_TRUE(b->no_event());
        EXPECT_EQ(b->state(), IBV_QPS_RTS);
    }

    void connect() { ASSERT_NO_FATAL_FAILURE(make_connected(readable, before * length)); }
};

TEST_F(ReadsFailing, WrongRemoteKey)
{
    for (const uint32_t size : {1u, 50000u}) {
        ASSERT_NO_FATAL_FAILURE(connect());
        expect_refusal({.op = read, .length = size, .rkey = b->mr->rkey ^ 0x55});
    }
}

TEST_F(ReadsFailing, RemoteRangeExceeded)
{
    ASSERT_NO_FATAL_FAILURE(connect());
    expect_refusal({.op = read, .from = b->size() - 5000, .length = 5001});
    ASSERT_NO_FATAL_FAILURE(connect());
    expect_refusal({.op = read, .from = b->size(), .length = 1});
}

TEST_F(ReadsFailing, RegionWithoutRemoteRead)
{
    ASSERT_NO_FATAL_FAILURE(connect());
    const Mr mr(
        ibv_reg_mr(b->pd.get(), b->data(), b->size(), all_access & ~IBV_ACCESS_REMOTE_READ));
    ASSERT_NE(mr.get(), nullptr);
    expect_refusal({.op = read, .length = 100, .rkey = mr->rkey});
}

TEST_F(ReadsFailing, RegionOfAnotherDomain)
{
    ASSERT_NO_FATAL_FAILURE(connect());
    const Pd pd(ibv_alloc_pd(b->context.get()));
    const Mr mr(ibv_reg_mr(pd.get(), b->data(), b->size(), all_access));
    ASSERT_NE(mr.get(), nullptr);
    expect_refusal({.op = read, .length = 100, .rkey = mr->rkey});
}

/* Also one of no bytes, whose key does not count. */
TEST_F(ReadsFailing, QpWithoutRemoteRead)
{
    Shape shape = readable;

    shape.qp_access = all_access & ~IBV_ACCESS_REMOTE_READ;
    for (const uint32_t size : {100, 0}) {
        ASSERT_NO_FATAL_FAILURE(make_connected(shape));
        ASSERT_EQ(post(*a, *b, {.id = 1, .length = 60000}), 0);
        ASSERT_EQ(post(*a, *b, {.id = 2, .op = read, .length = size}), 0);
        ASSERT_EQ(post(*a, *b, {.id = 3, .length = 100}), 0);
        const auto done = wait_completions(a->send_cq.get(), 3);
        ASSERT_EQ(done.size(), 3u);
        EXPECT_EQ(done[0].status, IBV_WC_SUCCESS);
        EXPECT_EQ(done[1].status, IBV_WC_REM_ACCESS_ERR) << ibv_wc_status_str(done[1].status);
        EXPECT_EQ(done[1].wr_id, 2u);
        EXPECT_EQ(done[2].status, IBV_WC_WR_FLUSH_ERR);
        EXPECT_EQ(b->wait_event(), IBV_EVENT_QP_ACCESS_ERR);
    }
}

/* The right is taken away from a QP that works. */
TEST_F(ReadsFailing, QpThatMayNotBeReadAnyMore)
{
    ibv_qp_attr attr{};

    ASSERT_NO_FATAL_FAILURE(connect());
    ASSERT_NO_FATAL_FAILURE(expect_good(1, 2, 10000));
    attr.qp_access_flags = IBV_ACCESS_REMOTE_WRITE;
    ASSERT_EQ(ibv_modify_qp(b->qp.get(), &attr, IBV_QP_ACCESS_FLAGS), 0);
    ASSERT_EQ(post(*a, *b, {.op = read, .length = 100}), 0);
    const auto done = wait_completions(a->send_cq.get(), 1);
    ASSERT_EQ(done.size(), 1u);
    EXPECT_EQ(done[0].status, IBV_WC_REM_ACCESS_ERR);
}

/* A QP that has sent nothing but responses. */
TEST_F(ReadsFailing, PeerInRtr)
{
    ASSERT_NO_FATAL_FAILURE(make_half(before * length));
    expect_refusal({.op = read, .length = 100, .rkey = b->mr->rkey ^ 0x55});
}

TEST_F(ReadsFailing, SinkThatMayNotBeWritten)
{
    ASSERT_NO_FATAL_FAILURE(connect());
    const Mr mr(ibv_reg_mr(a->pd.get(), a->data(), a->size(), IBV_ACCESS_REMOTE_READ));
    ASSERT_NE(mr.get(), nullptr);
    expect_own_fault({.op = read, .length = 100, .lkey = mr->lkey}, IBV_WC_LOC_PROT_ERR);
}

TEST_F(ReadsFailing, SinkThatIsNoRegion)
{
    ASSERT_NO_FATAL_FAILURE(connect());
    expect_own_fault({.op = read, .length = 100, .lkey = a->mr->lkey ^ 0x55}, IBV_WC_LOC_PROT_ERR);
    /* One byte beyond the region. */
    ASSERT_NO_FATAL_FAILURE(connect());
    expect_own_fault({.op = read, .to = a->size() - 99, .length = 100}, IBV_WC_LOC_PROT_ERR);
}

TEST_F(ReadsFailing, LongerThanAnyMessage)
{
    ASSERT_NO_FATAL_FAILURE(connect());
    expect_own_fault({.op = read, .length = 0x80000001}, IBV_WC_LOC_LEN_ERR);
}

/* A QP that may have no READs under way. */
TEST_F(ReadsFailing, NoneMayBeUnderWay)
{
    Shape shape = readable;

    shape.reads = 0;
    for (const ibv_wr_opcode op :
         {IBV_WR_RDMA_READ, IBV_WR_ATOMIC_CMP_AND_SWP, IBV_WR_ATOMIC_FETCH_AND_ADD}) {
        ASSERT_NO_FATAL_FAILURE(make_connected(shape));
        ASSERT_EQ(post(*a, *b, {.id = 1, .length = 60000}), 0);
        ASSERT_EQ(post(*a, *b, {.id = 2, .op = op, .length = 8}), 0);
        ASSERT_EQ(post(*a, *b, {.id = 3, .length = 100}), 0);
        const auto done = wait_completions(a->send_cq.get(), 3);
        ASSERT_EQ(done.size(), 3u);
        EXPECT_EQ(done[0].status, IBV_WC_SUCCESS);
        EXPECT_EQ(done[1].status, IBV_WC_LOC_QP_OP_ERR) << ibv_wc_status_str(done[1].status);
        EXPECT_EQ(done[1].wr_id, 2u);
        EXPECT_EQ(done[2].status, IBV_WC_WR_FLUSH_ERR);
        EXPECT_EQ(b->state(), IBV_QPS_RTS);
    }
}

/* ---- in the middle ------------------------------------------------------------- */

/**
 * Ends READs when the first one has arrived and many are under way, many times. A slow program may
 * be late, so each end then asks for something that must fail.
 */
class ReadsEnding : public Reads
{
protected:
    using Act = std::function<void()>;

    static constexpr int rounds = 6;
    static constexpr uint64_t n = 64;
    static constexpr uint32_t length = 4 << 20;

    /** Posts READs, and waits until the first is complete. @param sends else the peer is in RTR */
    void begin(bool sends = true)
    {
        ASSERT_NO_FATAL_FAILURE(sends ? make_connected(readable, length) : make_half(length));
        lkey_ = a->mr->lkey;
        rkey_ = b->mr->rkey;
        back_ = a->mr->rkey;
        for (uint64_t id = 0; id < n; id++) {
            ASSERT_EQ(post_read(id), 0);
        }
        const auto done = wait_completions(a->send_cq.get(), 1);
        ASSERT_EQ(done.size(), 1u);
        expect_done(done[0], 0, length);
    }

    /**
     * The completions of all other READs: some may succeed, one has one of these statuses, the last
     * ones are flushed.
     */
    void expect_end(std::initializer_list<ibv_wc_status> statuses)
    {
        ASSERT_EQ(post_read(n), 0);
        const auto done = wait_completions(a->send_cq.get(), n);
        bool good = true;

        ASSERT_EQ(done.size(), n);
        for (uint64_t i = 0; i < n; i++) {
            EXPECT_EQ(done[i].wr_id, i + 1);
            if (!good) {
                EXPECT_EQ(done[i].status, IBV_WC_WR_FLUSH_ERR);
            } else if (done[i].status != IBV_WC_SUCCESS) {
                EXPECT_EQ(std::count(statuses.begin(), statuses.end(), done[i].status), 1)
                    << ibv_wc_status_str(done[i].status);
                good = false;
            }
        }
        EXPECT_FALSE(good);
        EXPECT_EQ(a->state(), IBV_QPS_ERR);
    }

    /** The reader or its memory goes: nothing arrives any more, and b learns of it. */
    void reader_goes(const Act &act)
    {
        for (int round = 0; round < rounds; round++) {
            ASSERT_NO_FATAL_FAILURE(begin());
            act();
            expect_untouched(*a);
            ASSERT_EQ(post(*b, *a, {.length = 100, .rkey = back_}), 0);
            const auto done = wait_completions(b->send_cq.get(), 1);
            ASSERT_EQ(done.size(), 1u);
            EXPECT_NE(done[0].status, IBV_WC_SUCCESS);
            if (done[0].status == IBV_WC_WR_FLUSH_ERR) {
                EXPECT_NE(b->wait_event(), -1) << "it failed with its responses";
            }
            EXPECT_EQ(b->state(), IBV_QPS_ERR);
        }
    }

    /** The peer or its memory goes: all READs end, and nothing arrives any more. */
    void peer_goes(const Act &act, std::initializer_list<ibv_wc_status> statuses)
    {
        for (int round = 0; round < rounds; round++) {
            ASSERT_NO_FATAL_FAILURE(begin());
            act();
            ASSERT_NO_FATAL_FAILURE(expect_end(statuses));
            expect_untouched(*a);
        }
    }

private:
    int post_read(uint64_t id)
    {
        return post(*a, *b, {.id = id, .op = read, .length = length, .lkey = lkey_, .rkey = rkey_});
    }

    /* The keys stay when the regions go. */
    uint32_t lkey_ = 0;
    uint32_t rkey_ = 0;
    uint32_t back_ = 0;
};

TEST_F(ReadsEnding, ReaderIsDestroyed)
{
    reader_goes([&] { a->qp.reset(); });
}

TEST_F(ReadsEnding, ReaderIsReset)
{
    reader_goes([&] { ASSERT_EQ(a->to_state(IBV_QPS_RESET), 0); });
}

/* The memory belongs to the program again once it has polled the completions. */
TEST_F(ReadsEnding, ReaderGoesToError)
{
    reader_goes([&] {
        ASSERT_EQ(a->to_state(IBV_QPS_ERR), 0);
        ASSERT_NO_FATAL_FAILURE(expect_end({IBV_WC_WR_FLUSH_ERR}));
    });
}

TEST_F(ReadsEnding, SinkIsDeregistered)
{
    reader_goes([&] { a->mr.reset(); });
    ASSERT_NO_FATAL_FAILURE(begin());
    a->mr.reset();
    expect_end({IBV_WC_LOC_PROT_ERR});
}

TEST_F(ReadsEnding, PeerIsDestroyed)
{
    peer_goes([&] { b->qp.reset(); }, {IBV_WC_REM_OP_ERR});
}

TEST_F(ReadsEnding, PeerIsReset)
{
    peer_goes([&] { ASSERT_EQ(b->to_state(IBV_QPS_RESET), 0); }, {IBV_WC_REM_OP_ERR});
}

TEST_F(ReadsEnding, PeerGoesToError)
{
    peer_goes([&] { ASSERT_EQ(b->to_state(IBV_QPS_ERR), 0); }, {IBV_WC_REM_OP_ERR});
}

TEST_F(ReadsEnding, PeerInRtrIsDestroyed)
{
    ASSERT_NO_FATAL_FAILURE(begin(false));
    b->qp.reset();
    ASSERT_NO_FATAL_FAILURE(expect_end({IBV_WC_REM_OP_ERR}));
    expect_untouched(*a);
}

/* It may begin to answer just now. */
TEST_F(ReadsEnding, PeerInRtrGoesAtOnce)
{
    const Act acts[] = {[&] { b->qp.reset(); }, [&] { b->to_state(IBV_QPS_RESET); },
                        [&] { b->to_state(IBV_QPS_ERR); }, [&] { b->mr.reset(); }};

    for (int round = 0; round < 40; round++) {
        ASSERT_NO_FATAL_FAILURE(make_half(1 << 18));
        ASSERT_EQ(post(*a, *b, {.op = read, .length = 1 << 18}), 0);
        acts[round % 4]();
        ASSERT_EQ(wait_completions(a->send_cq.get(), 1).size(), 1u);
        expect_untouched(*a);
    }
}

/* It is missing in the middle of a response, or when the next READ begins. */
TEST_F(ReadsEnding, SourceIsDeregistered)
{
    for (int round = 0; round < rounds; round++) {
        ASSERT_NO_FATAL_FAILURE(begin());
        b->mr.reset();
        ASSERT_NO_FATAL_FAILURE(expect_end({IBV_WC_REM_OP_ERR, IBV_WC_REM_ACCESS_ERR}));
        expect_untouched(*a);
        EXPECT_EQ(b->wait_event(), IBV_EVENT_QP_ACCESS_ERR);
        EXPECT_EQ(b->state(), IBV_QPS_ERR);
    }
}

/** SACKs and ACKs of a are lost on the way to b. For two devices in two namespaces. */
class ReadsUnheard : public Reads
{
protected:
    void hear(bool on)
    {
        const std::string nft = "ip netns exec " + config.netns[0] + " nft ";
        const std::string drop =
            "'add table ip6 unheard; add chain ip6 unheard out { type filter hook output priority "
            "0; }; "
            "add rule ip6 unheard out udp dport 4791 @th,64,8 { 0xd1, 0xdc } drop'";

        ASSERT_EQ(std::system((nft + (on ? "delete table ip6 unheard" : drop)).c_str()), 0);
    }

    void TearDown() override
    {
        if (!heard_) {
            hear(true);
        }
    }

    bool heard_ = true;
};

/* The reader has its response and says so, and the region goes before b learns of it by a SACK. */
TEST_F(ReadsUnheard, RegionGoesBeforeTheSacksOfItsResponse)
{
    constexpr uint32_t length = 20000;
    Shape shape = readable;

    shape.timeout = 14;
    ASSERT_NO_FATAL_FAILURE(make_connected(shape, 1 << 16));
    expect_good(1, 2, length);
    ASSERT_NO_FATAL_FAILURE(hear(false));
    heard_ = false;
    expect_good(3, 4, length);
    b->mr.reset();
    std::this_thread::sleep_for(std::chrono::milliseconds(250)); /* b sends it again, three times */
    ASSERT_NO_FATAL_FAILURE(hear(true));
    heard_ = true;
    EXPECT_TRUE(b->no_event());
    EXPECT_EQ(b->state(), IBV_QPS_RTS);
    ASSERT_EQ(post(*a, *b, {.op = read, .length = 0, .rkey = 1}), 0);
    const auto done = wait_completions(a->send_cq.get(), 1);
    ASSERT_EQ(done.size(), 1u);
    expect_done(done[0], 0, 0);
}

/* Responses of the connection before are not those of the new one. */
TEST_F(ReadsEnding, BothEndsConnectAnew)
{
    for (int round = 0; round < rounds; round++) {
        ASSERT_NO_FATAL_FAILURE(begin());
        for (Side *side : {a.get(), b.get()}) {
            ASSERT_EQ(side->to_state(IBV_QPS_RESET), 0);
            side->psn = (side->psn + 0x400000) & 0xffffff;
        }
        b->fill(99);
        ASSERT_NO_FATAL_FAILURE(a->connect(*b));
        ASSERT_NO_FATAL_FAILURE(b->connect(*a));
        ASSERT_NO_FATAL_FAILURE(expect_good(7, 3, length - 7));
        ASSERT_NO_FATAL_FAILURE(expect_good(3, 7, length - 7));
    }
}

/* All in the middle of one response. */
TEST_F(ReadsEnding, OneLargeRead)
{
    constexpr uint32_t large = 64 << 20;
    const Act acts[] = {[&] { a->qp.reset(); }, [&] { a->mr.reset(); }, [&] { b->qp.reset(); },
                        [&] { b->mr.reset(); }};

    for (const Act &act : acts) {
        ASSERT_NO_FATAL_FAILURE(make_connected(readable, large));
        const volatile uint8_t *arrives = a->data() + length;
        a->data()[length] = static_cast<uint8_t>(~b->data()[length]);
        ASSERT_EQ(post(*a, *b, {.op = read, .length = large}), 0);
        while (*arrives != b->data()[length]) {
            std::this_thread::yield();
        }
        act();
        if (a->qp && a->mr) {
            ASSERT_EQ(wait_completions(a->send_cq.get(), 1).size(), 1u);
        }
        expect_untouched(*a);
    }
}

} // namespace verbs
