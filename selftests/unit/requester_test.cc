// SPDX-License-Identifier: GPL-2.0-only
#include "core.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace
{

constexpr std::uint32_t kMtu = 4096;
constexpr std::uint32_t kWindow = 256; ///< packets, of the congestion window
constexpr std::uint64_t kUs = 1000;

struct Requester {
    std::vector<mrc_msg> slots;
    std::vector<mrc_tx_rec> ring;
    mrc_req r{};
    mrc_batch b{};
    std::uint64_t now = 1000 * kUs;

    explicit Requester(std::uint32_t cwnd = kWindow, std::uint32_t mpr = 8, u16 imm_max = 2)
        : slots(128), ring(mpr * MRC_MPR_UNIT)
    {
        const mrc_tx_cfg cfg = {.size = static_cast<u32>(ring.size()),
                                .timeout_ns = 100'000 * kUs,
                                .linear = 3,
                                .exp = 3};
        r.sendq.slots = slots.data();
        r.sendq.stride = sizeof(mrc_msg);
        r.sendq.depth = static_cast<u32>(slots.size());
        mrc_sendq_start(&r.sendq, kMtu, imm_max);
        mrc_req_start(&r, ring.data(), &cfg, 0, cwnd);
    }

    void post(std::uint32_t packets, bool imm = false)
    {
        mrc_msg *m = mrc_sendq_slot(&r.sendq);
        ASSERT_NE(m, nullptr);
        *m = {};
        m->len = packets * kMtu;
        m->has_imm = imm;
        mrc_sendq_queue(&r.sendq);
    }

    /// One batch, dealt to EVs 0, 1, ... @return its packets
    unsigned step(unsigned stride = 4)
    {
        if (!mrc_req_plan(&r, &b))
            return 0;
        std::vector<u16> ev(stride);
        std::iota(ev.begin(), ev.end(), u16{0});
        mrc_req_deal(&r, &b, ev.data(), std::min(stride, b.count), now);
        return b.count;
    }

    /// All that may go. @return packets
    unsigned run()
    {
        unsigned all = 0;
        for (unsigned n; (n = step());)
            all += n;
        return all;
    }

    /// All up to @p psn has arrived and was executed.
    void acked(std::uint32_t psn)
    {
        mrc_tx_result res;
        ASSERT_EQ(mrc_tx_ack(&r.tx, psn, now, &res), 0);
        while (mrc_sendq_done(&r.sendq, psn))
            mrc_sendq_end(&r.sendq);
    }

    /// The first @p n packets in flight are refused by NACKs.
    void lose(std::uint32_t n)
    {
        mrc_tx_result res;
        for (std::uint32_t psn = r.tx.una; n; --n, psn = mrc_psn_add(psn, 1))
            ASSERT_EQ(mrc_tx_nack(&r.tx, psn, now, &res), 0);
    }
};

} // namespace

TEST(Requester, NoMoreThanTheWindow)
{
    Requester q;
    q.post(1000);
    EXPECT_EQ(q.run(), kWindow);
    EXPECT_EQ(q.r.tx.inflight, kWindow);
    Requester small(10);
    small.post(1000);
    EXPECT_EQ(small.run(), 10u);
    Requester peer(1000, 1);
    peer.post(1000);
    EXPECT_EQ(peer.run(), MRC_MPR_UNIT) << "the peer's window is smaller";
}

TEST(Requester, RefillsByTheEighth)
{
    Requester q;
    q.post(1000);
    q.run();
    q.acked(kWindow / 8 - 2);
    EXPECT_EQ(q.step(), 0u) << "an skb for each packet would cost more";
    q.acked(kWindow / 8 - 1);
    EXPECT_EQ(q.step(), kWindow / 8);
}

TEST(Requester, LostOnesFirstAndAlone)
{
    Requester q;
    q.post(100);
    EXPECT_EQ(q.step(), MRC_BATCH_MAX);
    q.lose(3);
    EXPECT_EQ(q.step(), 3u);
    EXPECT_TRUE(q.b.rtx);
    EXPECT_EQ(q.b.plan[2].psn, 2u);
    EXPECT_EQ(q.b.plan[2].was, 2u) << "the EV that it was sent on before";
    EXPECT_EQ(q.step(), 100 - MRC_BATCH_MAX);
    EXPECT_FALSE(q.b.rtx);
    EXPECT_EQ(q.b.plan[0].was, MRC_EV_NONE);
}

/* However many steps: the window is what the network bears. */
TEST(Requester, LostOnesHaveOnePacketMoreThanTheWindow)
{
    Requester q;
    q.post(1000);
    q.run();
    q.lose(40);
    q.r.cwnd = kWindow - 40;
    EXPECT_EQ(q.run(), 1u) << "the hole may be what keeps the window full";
    EXPECT_EQ(q.r.tx.inflight, q.r.cwnd + 1);
    EXPECT_EQ(q.r.tx.lost, 39u);
    q.r.cwnd = kWindow - 10;
    EXPECT_EQ(q.run(), 30u);
}

TEST(Requester, NewPacketsWaitForLostOnes)
{
    Requester q;
    q.post(1000);
    q.run();
    q.lose(40);
    q.r.cwnd = 10;
    EXPECT_EQ(q.step(), 0u);
}

TEST(Requester, EvsForABatch)
{
    mrc_batch b{};
    b.count = 64;
    EXPECT_EQ(mrc_req_stride(&b, 16, 100, 0), 4u);
    EXPECT_EQ(mrc_req_stride(&b, 16, 3, 5), 3u) << "no more than there are";
    EXPECT_EQ(mrc_req_stride(&b, 64, 100, 0), 2u) << "one may be the one that fails";
    EXPECT_EQ(mrc_req_stride(&b, 16, 0, 5), 1u);
    b.any = true;
    EXPECT_EQ(mrc_req_stride(&b, 16, 0, 5), 4u) << "bad ones, too";
    b.count = 1;
    EXPECT_EQ(mrc_req_stride(&b, 16, 100, 0), 1u);
}

/* Packets of one EV leave one after the other; which one was the last is what rule (a) asks. */
TEST(Requester, DealsLikeCards)
{
    Requester q;
    q.post(8);
    ASSERT_TRUE(mrc_req_plan(&q.r, &q.b));
    const u16 ev[] = {7, 5};
    mrc_req_deal(&q.r, &q.b, ev, 2, q.now);
    for (unsigned i = 0; i < 8; ++i) {
        EXPECT_EQ(q.b.plan[i].psn, i);
        EXPECT_EQ(q.b.plan[i].ev, ev[i % 2]);
        EXPECT_EQ(q.b.plan[i].msg, 0u);
    }
    EXPECT_LT(q.ring[6].seq, q.ring[1].seq) << "all of EV 7 leave before those of EV 5";
    EXPECT_LT(q.ring[4].seq, q.ring[6].seq);
}

TEST(Requester, TheLastBeforeAPauseAsks)
{
    Requester q;
    q.post(MRC_BATCH_MAX + 1);
    q.step();
    EXPECT_FALSE(q.b.ask) << "more follows";
    q.step();
    EXPECT_TRUE(q.b.ask) << "the end of the requests";
}

TEST(Requester, AFullWindowAsksOnceInHalf)
{
    Requester q;
    q.post(100'000);
    unsigned asked = 0;
    for (std::uint32_t acked = 0; acked < 10 * kWindow; acked += kWindow / 8) {
        while (q.step())
            asked += q.b.ask;
        q.acked(acked + kWindow / 8 - 1);
    }
    EXPECT_GE(asked, 10u);
    EXPECT_LE(asked, 21u);
}

/* Whatever the peer's threshold is, and though its window is small beside ours. */
TEST(Requester, AFullWindowOfThePeerAsks)
{
    Requester q(4096, 1);
    q.post(1000);
    while (q.step() && q.r.tx.inflight < MRC_MPR_UNIT)
        ;
    EXPECT_TRUE(q.b.ask);
}

TEST(Requester, AnImmediateThatHasToWaitIsAPause)
{
    Requester q(kWindow, 8, 1);
    q.post(2, true);
    q.post(1, true);
    EXPECT_EQ(q.step(), 2u);
    EXPECT_TRUE(q.b.ask);
}
