// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keys, ranges and rights. A refused write ends both QPs, in order: the requests posted before it
 * succeed, the write fails, the requests after it are flushed.
 */
#include <cstring>

#include "verbs/fixture.h"

namespace verbs
{

class Access : public Pair
{
protected:
    static constexpr uint32_t good_length = 30000;
    static constexpr size_t receives = 3;

    /** A good write, the bad one, a good one; they must end as said above. */
    void refused(const Write &bad);
    /** The same if the requester itself finds the mistake. */
    void refused_locally(const Write &bad);
    /** A single write of @length, refused because of what a and b were told of each other. */
    void refused_alone(uint32_t length, ibv_wc_status status, ibv_event_type event);

private:
    void post_three(const Write &bad);
    void expect_ends(ibv_wc_status status);
};

void Access::post_three(const Write &bad)
{
    Write wrong = bad;

    ASSERT_EQ(post_receives(*a, receives), 0);
    ASSERT_EQ(post_receives(*b, receives), 0);
    ASSERT_EQ(post(*a, *b, {.id = 1, .length = good_length}), 0);
    wrong.id = 2;
    wrong.signaled = false; /* a failure is reported anyway */
    ASSERT_EQ(post(*a, *b, wrong), 0);
    ASSERT_EQ(post(*a, *b, {.id = 3, .length = good_length}), 0);
}

void Access::expect_ends(ibv_wc_status status)
{
    const ibv_wc_status wanted[] = {IBV_WC_SUCCESS, status, IBV_WC_WR_FLUSH_ERR};
    const auto sent = wait_completions(a->send_cq.get(), 3);

    ASSERT_EQ(sent.size(), 3u);
    for (size_t i = 0; i < 3; i++) {
        EXPECT_EQ(sent[i].wr_id, i + 1);
        EXPECT_EQ(sent[i].status, wanted[i]) << ibv_wc_status_str(sent[i].status);
    }
    EXPECT_EQ(a->state(), IBV_QPS_ERR);
    const auto flushed = wait_completions(a->recv_cq.get(), receives);
    EXPECT_EQ(flushed.size(), receives);
    EXPECT_EQ(std::memcmp(a->data(), b->data(), good_length), 0);
}

void Access::refused(const Write &bad)
{
    const std::vector<uint8_t> before(b->data() + good_length, b->data() + b->size());

    ASSERT_NO_FATAL_FAILURE(post_three(bad));
    ASSERT_NO_FATAL_FAILURE(expect_ends(IBV_WC_REM_ACCESS_ERR));
    EXPECT_EQ(b->wait_event(), IBV_EVENT_QP_ACCESS_ERR);
    EXPECT_TRUE(a->no_event()) << "its completion says it all";
    EXPECT_EQ(b->state(), IBV_QPS_ERR);
    const auto flushed = wait_completions(b->recv_cq.get(), receives);
    ASSERT_EQ(flushed.size(), receives);
    for (const ibv_wc &wc : flushed) {
        EXPECT_EQ(wc.status, IBV_WC_WR_FLUSH_ERR);
    }
    EXPECT_EQ(std::memcmp(b->data() + good_length, before.data(), before.size()), 0);
}

void Access::refused_locally(const Write &bad)
{
    ASSERT_NO_FATAL_FAILURE(post_three(bad));
    ASSERT_NO_FATAL_FAILURE(expect_ends(IBV_WC_LOC_PROT_ERR));
    /* The other side learns nothing of it. */
    EXPECT_EQ(b->state(), IBV_QPS_RTS);
    EXPECT_TRUE(stays_empty(b->recv_cq.get()));
}

void Access::refused_alone(uint32_t length, ibv_wc_status status, ibv_event_type event)
{
    const std::vector<uint8_t> before(b->data(), b->data() + b->size());

    ASSERT_EQ(post(*a, *b, {.id = 1, .length = length}), 0);
    const auto sent = wait_completions(a->send_cq.get(), 1);
    ASSERT_EQ(sent.size(), 1u);
    EXPECT_EQ(sent[0].status, status) << ibv_wc_status_str(sent[0].status);
    EXPECT_EQ(b->wait_event(), event);
    EXPECT_EQ(std::memcmp(b->data(), before.data(), before.size()), 0);
}

TEST_F(Access, WrongKeyByte)
{
    ASSERT_NO_FATAL_FAILURE(make_connected());
    refused({.to = 40000, .length = 100, .rkey = b->mr->rkey ^ 0x55});
}

TEST_F(Access, WrongKeyIndex)
{
    ASSERT_NO_FATAL_FAILURE(make_connected());
    refused({.to = 40000, .length = 100, .rkey = b->mr->rkey ^ 0x5500});
}

TEST_F(Access, EndExceeded)
{
    ASSERT_NO_FATAL_FAILURE(make_connected());
    refused({.to = b->size() - 4000, .length = 4001});
}

TEST_F(Access, BeforeTheBeginning)
{
    ASSERT_NO_FATAL_FAILURE(make_connected());
    refused({.to = static_cast<size_t>(-1), .length = 1});
}

TEST_F(Access, AddressWraps)
{
    ASSERT_NO_FATAL_FAILURE(make_connected());
    refused({.to = static_cast<size_t>(-8) - b->address(), .length = 4096});
}

/* The packets that are in range may be placed; the one that is not must not be placed. */
TEST_F(Access, LastPacketExceeds)
{
    std::vector<uint8_t> target(3 * 4096);

    ASSERT_NO_FATAL_FAILURE(make_connected());
    const Mr mr(ibv_reg_mr(b->pd.get(), target.data(), 2 * 4096 + 10,
                           IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE));
    ASSERT_NE(mr.get(), nullptr);
    const size_t to = reinterpret_cast<uintptr_t>(target.data()) - b->address();
    refused({.to = to, .length = 2 * 4096 + 11, .rkey = mr->rkey});
    const std::vector<uint8_t> zeroes(4096);
    EXPECT_EQ(std::memcmp(target.data() + 2 * 4096, zeroes.data(), 4096), 0);
}

TEST_F(Access, RegionWithoutRemoteWrite)
{
    std::vector<uint8_t> other(4096);

    ASSERT_NO_FATAL_FAILURE(make_connected());
    const Mr mr(ibv_reg_mr(b->pd.get(), other.data(), other.size(),
                           IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ));
    ASSERT_NE(mr.get(), nullptr);
    const size_t to = reinterpret_cast<uintptr_t>(other.data()) - b->address();
    refused({.to = to, .length = 100, .rkey = mr->rkey});
    EXPECT_EQ(other, std::vector<uint8_t>(4096));
}

TEST_F(Access, KeyOfAnotherDomain)
{
    std::vector<uint8_t> other(4096);

    ASSERT_NO_FATAL_FAILURE(make_connected());
    const Pd pd(ibv_alloc_pd(b->context.get()));
    const Mr mr(ibv_reg_mr(pd.get(), other.data(), other.size(),
                           IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE));
    ASSERT_NE(mr.get(), nullptr);
    const size_t to = reinterpret_cast<uintptr_t>(other.data()) - b->address();
    refused({.to = to, .length = 100, .rkey = mr->rkey});
    EXPECT_EQ(other, std::vector<uint8_t>(4096));
}

TEST_F(Access, KeyThatIsGone)
{
    std::vector<uint8_t> other(4096);

    ASSERT_NO_FATAL_FAILURE(make_connected());
    Mr mr(ibv_reg_mr(b->pd.get(), other.data(), other.size(),
                     IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE));
    ASSERT_NE(mr.get(), nullptr);
    const uint32_t rkey = mr->rkey;
    mr.reset();
    const size_t to = reinterpret_cast<uintptr_t>(other.data()) - b->address();
    refused({.to = to, .length = 100, .rkey = rkey});
    EXPECT_EQ(other, std::vector<uint8_t>(4096));
}

TEST_F(Access, QpWithoutRemoteWrite)
{
    ASSERT_NO_FATAL_FAILURE(make_connected({.qp_access = IBV_ACCESS_LOCAL_WRITE}));
    refused_alone(100, IBV_WC_REM_ACCESS_ERR, IBV_EVENT_QP_ACCESS_ERR);
}

/* The ends were told different path MTUs: a refusal says so, and no path is blamed. */
TEST_F(Access, LargerThanThePathMtu)
{
    make();
    b->shape.mtu = IBV_MTU_1024;
    ASSERT_NO_FATAL_FAILURE(a->connect(*b));
    ASSERT_NO_FATAL_FAILURE(b->connect(*a));
    refused_alone(30000, IBV_WC_REM_INV_REQ_ERR, IBV_EVENT_QP_REQ_ERR);
}

TEST_F(Access, WrongLocalKey)
{
    ASSERT_NO_FATAL_FAILURE(make_connected());
    refused_locally({.length = 100, .lkey = a->mr->lkey ^ 0x55});
}

TEST_F(Access, LocalEndExceeded)
{
    ASSERT_NO_FATAL_FAILURE(make_connected());
    refused_locally({.from = a->size() - 100, .length = 101});
}

/* After ibv_dereg_mr() has returned, no byte of the region changes any more. */
TEST_F(Access, DeregisteredUnderTraffic)
{
    constexpr uint32_t length = 1 << 18;
    constexpr uint64_t count = 60;

    ASSERT_NO_FATAL_FAILURE(make_connected({}, length));
    for (uint64_t i = 0; i < count; i++) {
        ASSERT_EQ(post(*a, *b, {.id = i, .length = length}), 0);
    }
    auto sent = wait_completions(a->send_cq.get(), 2);
    ASSERT_EQ(sent.size(), 2u);
    a->fill(3);
    b->mr.reset();
    const std::vector<uint8_t> then(b->data(), b->data() + b->size());
    const auto rest = wait_completions(a->send_cq.get(), count - 2);
    ASSERT_EQ(rest.size(), count - 2);
    sent.insert(sent.end(), rest.begin(), rest.end());
    EXPECT_EQ(std::memcmp(b->data(), then.data(), then.size()), 0);

    size_t i = 0;
    while (i < count && sent[i].status == IBV_WC_SUCCESS) {
        i++;
    }
    ASSERT_LT(i, count) << "everything was sent before";
    EXPECT_EQ(sent[i].status, IBV_WC_REM_ACCESS_ERR) << ibv_wc_status_str(sent[i].status);
    while (++i < count) {
        EXPECT_EQ(sent[i].status, IBV_WC_WR_FLUSH_ERR);
    }
    EXPECT_EQ(b->wait_event(), IBV_EVENT_QP_ACCESS_ERR);
}

/* The region that is the source of writes goes while its requests are under way. */
TEST_F(Access, SourceDeregisteredUnderTraffic)
{
    constexpr uint32_t length = 1 << 18;
    constexpr uint64_t count = 60;

    ASSERT_NO_FATAL_FAILURE(make_connected({}, length));
    for (uint64_t i = 0; i < count; i++) {
        ASSERT_EQ(post(*a, *b, {.id = i, .length = length}), 0);
    }
    ASSERT_EQ(wait_completions(a->send_cq.get(), 2).size(), 2u);
    a->mr.reset();
    const auto rest = wait_completions(a->send_cq.get(), count - 2);
    ASSERT_EQ(rest.size(), count - 2);
    size_t i = 0;
    while (i < rest.size() && rest[i].status == IBV_WC_SUCCESS) {
        i++;
    }
    ASSERT_LT(i, rest.size()) << "everything was sent before";
    EXPECT_EQ(rest[i].status, IBV_WC_LOC_PROT_ERR) << ibv_wc_status_str(rest[i].status);
    while (++i < rest.size()) {
        EXPECT_EQ(rest[i].status, IBV_WC_WR_FLUSH_ERR);
    }
    EXPECT_EQ(a->state(), IBV_QPS_ERR);
}

} // namespace verbs
