// SPDX-License-Identifier: GPL-2.0-only
/* Immediates that find no receive, and more immediates than the receiver takes. */
#include <arpa/inet.h>
#include <chrono>
#include <fstream>
#include <thread>

#include "qp_attr.h"
#include "verbs/fixture.h"

namespace verbs
{

class Immediates : public Pair
{
protected:
    static void limit(Side &side, uint16_t wimm_rx, uint16_t wimm_tx);
    void post_immediates(uint32_t n);
    /** A counter of side a's device. */
    [[nodiscard]] static uint64_t counter(const char *name);
};

void Immediates::limit(Side &side, uint16_t wimm_rx, uint16_t wimm_tx)
{
    mrc_abi_qp_attr attr{};

    attr.mask = MRC_QP_ATTR_WIMM_RX | MRC_QP_ATTR_WIMM_TX;
    attr.wimm_rx = wimm_rx;
    attr.wimm_tx = wimm_tx;
    ASSERT_EQ(mrc_qp_attr_set(side.qp.get(), &attr), 0);
}

void Immediates::post_immediates(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        ASSERT_EQ(post(*a, *b, {.id = i, .length = 8, .imm = true, .imm_data = htonl(i)}), 0);
    }
}

uint64_t Immediates::counter(const char *name)
{
    std::ifstream file("/sys/class/infiniband/" + config.device[0] + "/ports/1/hw_counters/" +
                       name);
    uint64_t value = 0;

    file >> value;
    return value;
}

TEST_F(Immediates, WithoutReceive)
{
    ASSERT_NO_FATAL_FAILURE(make_connected({.rnr_retries = 3}));
    ASSERT_EQ(post_receives(*b, 2), 0);
    ASSERT_NO_FATAL_FAILURE(post_immediates(4));
    const ibv_wc_status wanted[] = {IBV_WC_SUCCESS, IBV_WC_SUCCESS, IBV_WC_RNR_RETRY_EXC_ERR,
                                    IBV_WC_WR_FLUSH_ERR};
    const auto sent = wait_completions(a->send_cq.get(), 4);
    ASSERT_EQ(sent.size(), 4u);
    for (size_t i = 0; i < 4; i++) {
        EXPECT_EQ(sent[i].status, wanted[i]) << ibv_wc_status_str(sent[i].status);
    }
    EXPECT_TRUE(a->no_event());
    EXPECT_EQ(b->state(), IBV_QPS_RTS);
    const auto received = wait_completions(b->recv_cq.get(), 2);
    ASSERT_EQ(received.size(), 2u);
    EXPECT_EQ(ntohl(received[1].imm_data), 1u);
    EXPECT_TRUE(stays_empty(b->recv_cq.get()));
}

/* The first immediate begins to wait; then all of them find their receives. */
TEST_F(Immediates, BeforeReceives)
{
    constexpr uint32_t count = 3;

    ASSERT_NO_FATAL_FAILURE(make_connected());
    ASSERT_NO_FATAL_FAILURE(post_immediates(count));
    EXPECT_TRUE(stays_empty(a->send_cq.get()));
    EXPECT_EQ(b->state(), IBV_QPS_RTS);
    ibv_recv_wr wr[count]{}, *bad = nullptr;
    for (uint32_t i = 0; i + 1 < count; i++) {
        wr[i].next = &wr[i + 1];
    }
    ASSERT_EQ(ibv_post_recv(b->qp.get(), wr, &bad), 0);
    EXPECT_EQ(wait_completions(b->recv_cq.get(), count).size(), count);
    EXPECT_EQ(wait_completions(a->send_cq.get(), count).size(), count);
}

/* Many more immediates than are allowed in flight; none is too many for the receiver. */
TEST_F(Immediates, MoreThanTheLimit)
{
    constexpr uint32_t count = 400;

    make({.send_wr = 512, .recv_wr = 512, .cqe = 1024});
    ASSERT_NO_FATAL_FAILURE(limit(*a, 4, 4));
    ASSERT_NO_FATAL_FAILURE(limit(*b, 4, 4));
    ASSERT_NO_FATAL_FAILURE(a->connect(*b));
    ASSERT_NO_FATAL_FAILURE(b->connect(*a));
    ASSERT_EQ(post_receives(*b, count), 0);
    ASSERT_NO_FATAL_FAILURE(post_immediates(count));
    const auto received = wait_completions(b->recv_cq.get(), count);
    ASSERT_EQ(received.size(), count);
    for (uint32_t i = 0; i < count; i++) {
        EXPECT_EQ(received[i].status, IBV_WC_SUCCESS);
        EXPECT_EQ(ntohl(received[i].imm_data), i);
    }
    const auto sent = wait_completions(a->send_cq.get(), count);
    ASSERT_EQ(sent.size(), count);
    EXPECT_EQ(sent.back().status, IBV_WC_SUCCESS);
}

/* The network is cut while this runs: nothing is answered, so only as many as are allowed leave. */
TEST_F(Immediates, HeldBackAtTheLimit)
{
    constexpr uint16_t most = 5;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);

    make({.timeout = 12, .retries = 7});
    ASSERT_NO_FATAL_FAILURE(limit(*a, most, most));
    ASSERT_NO_FATAL_FAILURE(a->connect(*b));
    ASSERT_NO_FATAL_FAILURE(b->connect(*a));
    /* Nothing is answered, so there are probes beside the data. */
    const auto data = [] {
        return counter("tx_packets") - counter("probe_sent") - counter("endpoint_requests_sent");
    };
    const uint64_t packets = data();
    const uint64_t again = counter("retransmitted_packets");
    ASSERT_NO_FATAL_FAILURE(post_immediates(4 * most));
    while (counter("retransmitted_packets") < again + most &&
           std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    const auto sent = wait_completions(a->send_cq.get(), 4 * most);
    ASSERT_EQ(sent.size(), 4u * most);
    EXPECT_EQ(sent[0].status, IBV_WC_RETRY_EXC_ERR);
    std::this_thread::sleep_for(std::chrono::milliseconds(20)); /* sysfs may be this old */
    EXPECT_GE(counter("retransmitted_packets"), again + most);
    EXPECT_EQ(data() - packets, most + counter("retransmitted_packets") - again);
}

} // namespace verbs
