// SPDX-License-Identifier: GPL-2.0-only
#include "core.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
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
    unsigned max = MRC_BATCH_MAX; ///< packets that may leave at a time

    explicit Requester(std::uint32_t cwnd = kWindow, std::uint32_t mpr = 8, u16 imm_max = 2)
        : slots(128), ring(mpr * MRC_MPR_UNIT)
    {
        const mrc_tx_cfg cfg = {.size = static_cast<u32>(ring.size()),
                                .retries = {.timeout_ns = 100'000 * kUs, .linear = 3, .exp = 3}};
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
        if (!mrc_req_plan(&r, now, max, &b))
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

TEST(Requester, NoMoreThanIsTakenNow)
{
    Requester q;
    q.post(1000);
    q.max = 3;
    EXPECT_EQ(q.step(), 3u);
    EXPECT_FALSE(q.b.ask) << "more may follow at once";
    q.lose(3);
    q.max = 2;
    EXPECT_EQ(q.step(), 2u);
    EXPECT_TRUE(q.b.rtx);
    EXPECT_EQ(q.r.tx.lost, 1u);
    q.max = 1000;
    q.step();
    EXPECT_EQ(q.step(), MRC_BATCH_MAX);
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

TEST(Requester, DealsLikeCards)
{
    Requester q;
    q.post(8);
    ASSERT_TRUE(mrc_req_plan(&q.r, q.now, MRC_BATCH_MAX, &q.b));
    const u16 ev[] = {7, 5};
    mrc_req_deal(&q.r, &q.b, ev, 2, q.now);
    for (unsigned i = 0; i < 8; ++i) {
        EXPECT_EQ(q.b.plan[i].psn, i);
        EXPECT_EQ(q.b.plan[i].ev, ev[i % 2]);
        EXPECT_EQ(q.b.plan[i].msg, 0u);
    }
    for (unsigned i = 2; i < 8; ++i)
        EXPECT_LT(q.ring[i - 2].order, q.ring[i].order) << "of one EV in the order of PSNs";
}

/* Packets leave skb by skb; which one was the last of its EV is what rule (a) asks. */
TEST(Requester, AnEvThatIsDrawnTwiceHasTwoSkbs)
{
    Requester q;
    q.post(9);
    ASSERT_TRUE(mrc_req_plan(&q.r, q.now, MRC_BATCH_MAX, &q.b));
    const u16 ev[] = {7, 5, 7};
    mrc_req_deal(&q.r, &q.b, ev, 3, q.now);
    EXPECT_LT(q.ring[0].order, q.ring[3].order);
    EXPECT_LT(q.ring[3].order, q.ring[6].order);
    EXPECT_LT(q.ring[6].order, q.ring[2].order) << "the first leaves before the second";
    EXPECT_LT(q.ring[2].order, q.ring[8].order);
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

/* ---- answers and time ---- */

namespace
{

constexpr std::uint64_t kTimeout = 100'000 * kUs;

mrc_hdr sackOf(std::uint32_t cack, u8 m = MRC_SACK_NONE)
{
    mrc_hdr hdr{};
    hdr.bth.opcode = MRC_OP_SACK;
    hdr.sack.cack_psn = cack;
    hdr.sack.m = m;
    return hdr;
}

mrc_hdr ackOf(std::uint32_t psn, u8 syndrome = MRC_ACK_OK)
{
    mrc_hdr hdr{};
    hdr.bth.opcode = MRC_OP_ACK;
    hdr.bth.psn = psn;
    hdr.ack.syndrome = syndrome;
    return hdr;
}

mrc_hdr nackOf(std::uint32_t psn, u8 reason)
{
    mrc_hdr hdr{};
    hdr.bth.opcode = MRC_OP_NACK;
    hdr.nack.psn = psn;
    hdr.nack.reason = reason;
    return hdr;
}

/// A request of 8 packets, all sent and SACKed; its ACK is missing.
struct Waiting : Requester {
    mrc_tx_result res{};
    std::uint32_t psn = 0;

    Waiting()
    {
        post(8);
        run();
        now += 50 * kUs;
        const mrc_hdr sack = sackOf(7);
        EXPECT_EQ(mrc_req_sack(&r, &sack, now, &res), 0);
    }

    int ack(const mrc_hdr &hdr)
    {
        const int err = mrc_req_ack(&r, &hdr, now, &psn, &res);
        while (!err && mrc_sendq_done(&r.sendq, psn))
            mrc_sendq_end(&r.sendq);
        mrc_req_settle(&r, now);
        return err;
    }

    /// The timer fires when it is due. @return what for
    mrc_req_due timer()
    {
        now = mrc_req_timer_at(&r, now);
        return mrc_req_timer(&r, now, &res);
    }
};

} // namespace

TEST(RequesterAck, IsWaitedForAsPacketsAre)
{
    Waiting q;
    const std::uint64_t since = q.now;
    EXPECT_EQ(q.r.ack_wait, since);
    EXPECT_EQ(mrc_req_timer_at(&q.r, q.now), since + kTimeout);
    q.now += kUs;
    const mrc_hdr again = sackOf(7);
    EXPECT_EQ(mrc_req_sack(&q.r, &again, q.now, &q.res), 0);
    EXPECT_EQ(q.r.ack_wait, since) << "a SACK is no ACK";

    EXPECT_EQ(q.ack(ackOf(7)), 0);
    EXPECT_EQ(q.r.ack_wait, 0u);
    EXPECT_EQ(mrc_req_timer_at(&q.r, q.now), 0u) << "nothing to wait for";
    EXPECT_FALSE(mrc_sendq_unanswered(&q.r.sendq));
}

TEST(RequesterAck, IsAskedForUntilRetriesAreUsedUp)
{
    Waiting q;
    std::uint64_t before = q.now;
    u16 id = q.r.tx.probe_id;
    for (unsigned n = 0; n < 6; ++n) {
        const std::uint64_t since = q.r.ack_wait;
        ASSERT_EQ(q.timer(), MRC_REQ_PROBE) << n;
        EXPECT_EQ(q.r.tx.probe_id, ++id);
        EXPECT_GE(q.now - before, kTimeout) << n;
        EXPECT_EQ(q.res.silent_since, n ? since : 0) << "only the second was sent in vain";
        EXPECT_EQ(q.res.lost, 0u);
        before = q.now;
    }
    EXPECT_EQ(q.timer(), MRC_REQ_FAILED);
    EXPECT_EQ(q.now - before, kTimeout) << "as long as one at first";
}

TEST(RequesterAck, WaitsTwoRoundTripsAtLeast)
{
    Waiting q;
    q.r.tx.rtt.srtt_ns = 10 * kTimeout;
    EXPECT_EQ(mrc_req_timer_at(&q.r, q.now), q.now + 20 * kTimeout);
}

TEST(RequesterAck, WhatIsSentMeanwhileIsWaitedForFirst)
{
    Waiting q;
    q.timer();
    q.post(1);
    q.run();
    EXPECT_EQ(q.r.ack_wait, 0u);
    EXPECT_NE(mrc_req_timer_at(&q.r, q.now), 0u) << "its own";
}

TEST(RequesterAck, NamesARequestOrNothing)
{
    Waiting q;
    EXPECT_EQ(q.ack(ackOf(8)), -EINVAL) << "never sent";
    EXPECT_EQ(q.ack(ackOf(7, 0x20)), -EINVAL) << "an RNR NAK";
    EXPECT_EQ(q.ack(ackOf(8, MRC_NAK_ACCESS)), -EINVAL);
    EXPECT_NE(q.r.ack_wait, 0u);
    q.post(2);
    q.run();
    EXPECT_EQ(q.ack(ackOf(8, MRC_NAK_ACCESS)), 0);
    EXPECT_EQ(q.psn, 7u) << "all before it was executed";
    EXPECT_EQ(q.r.sendq.una, 1u);
    EXPECT_EQ(q.ack(ackOf(7, MRC_NAK_ACCESS)), -EINVAL) << "of a request that is complete";
}

TEST(RequesterSack, SaysWhatItWasMarkedWith)
{
    Requester q;
    mrc_tx_result res;
    q.post(8);
    q.run();
    mrc_hdr hdr = sackOf(0, MRC_SACK_ALWAYS_SKIP);
    ASSERT_EQ(mrc_req_sack(&q.r, &hdr, q.now, &res), 0);
    EXPECT_EQ(res.mark, MRC_SACK_ALWAYS_SKIP);
    EXPECT_EQ(res.ev, 0u);
    hdr = sackOf(100);
    EXPECT_EQ(mrc_req_sack(&q.r, &hdr, q.now, &res), -EINVAL) << "never sent";
}

/* SACKs take different ways, so one may come when others have told more: its mark is news. */
TEST(RequesterSack, AnOvertakenOneStillNamesItsEv)
{
    Waiting q;
    mrc_hdr hdr = sackOf(3, MRC_SACK_SKIP_ONCE);
    hdr.sack.entropy = 0xabcdef01;
    ASSERT_EQ(mrc_req_sack(&q.r, &hdr, q.now, &q.res), 0);
    EXPECT_EQ(q.res.acked, 0u);
    EXPECT_EQ(q.res.ev, MRC_EV_NONE);
    EXPECT_EQ(q.res.mark, MRC_SACK_SKIP_ONCE);
    EXPECT_EQ(q.res.entropy, 0xabcdef01u);
}

TEST(RequesterNack, ATrimmedPacketWasMarked)
{
    Requester q;
    mrc_tx_result res;
    q.post(8);
    q.run();
    const mrc_hdr trimmed = nackOf(1, MRC_NACK_TRIMMED);
    ASSERT_EQ(mrc_req_nack(&q.r, &trimmed, q.now, &res), 0);
    EXPECT_EQ(res.mark, MRC_SACK_SKIP_ONCE);
    EXPECT_EQ(res.ev, 1u);
    EXPECT_EQ(mrc_req_nack(&q.r, &trimmed, q.now, &res), -EALREADY);
    for (u8 reason : {MRC_NACK_TRIMMED_LASTHOP, MRC_NACK_NO_RESOURCE}) {
        const mrc_hdr other = nackOf(reason, reason);
        ASSERT_EQ(mrc_req_nack(&q.r, &other, q.now, &res), reason < 8 ? 0 : -EINVAL);
        EXPECT_EQ(res.mark, MRC_SACK_NONE) << "no path can help";
    }
}

/* A peer that has no room for what it is sent has none for what is sent again at once. */
TEST(RequesterNack, ThePeerIsGivenPauses)
{
    Waiting q;
    ASSERT_EQ(q.ack(ackOf(7)), 0);
    q.post(8);
    q.run();
    std::uint64_t wait = std::max<std::uint64_t>(q.r.tx.rtt.srtt_ns, mrc_timing_software.pause);
    for (unsigned n = 0; n < 20; ++n) {
        const mrc_hdr refused = nackOf(8, MRC_NACK_NO_RESOURCE);
        const mrc_hdr another = nackOf(9, MRC_NACK_NO_PKT_BUFFER);
        q.now += 50 * kUs;
        ASSERT_EQ(mrc_req_nack(&q.r, &refused, q.now, &q.res), 0);
        ASSERT_EQ(mrc_req_nack(&q.r, &another, q.now, &q.res), 0);
        EXPECT_EQ(q.r.pause_until, q.now + std::min(wait, kTimeout)) << n;
        EXPECT_EQ(q.step(), 0u);
        mrc_req_due due;
        while ((due = q.timer()) == MRC_REQ_PROBE || due == MRC_REQ_LOST)
            ;
        ASSERT_EQ(due, MRC_REQ_GO_ON);
        EXPECT_GE(q.step(), 2u);
        wait *= 2;
        if (q.res.expired)
            break;
    }
    mrc_hdr sack = sackOf(8);
    ASSERT_EQ(mrc_req_sack(&q.r, &sack, q.now, &q.res), 0);
    EXPECT_EQ(q.r.pauses, 0u) << "it has room again";
}

TEST(RequesterNack, ATrimmedPacketGoesOutAgainAtOnce)
{
    Requester q;
    mrc_tx_result res;
    q.post(8);
    q.run();
    for (u8 reason : {MRC_NACK_TRIMMED, MRC_NACK_TRIMMED_LASTHOP}) {
        const mrc_hdr trimmed = nackOf(reason, reason);
        ASSERT_EQ(mrc_req_nack(&q.r, &trimmed, q.now, &res), 0);
        EXPECT_EQ(q.step(), 1u);
    }
}

TEST(RequesterNack, AFatalOneNamesARequest)
{
    Waiting q;
    const mrc_hdr fatal = nackOf(7, MRC_NACK_UNEXP_EVENT);
    EXPECT_NE(mrc_req_nack(&q.r, &fatal, q.now, &q.res), -EINVAL);
    ASSERT_EQ(q.ack(ackOf(7)), 0);
    EXPECT_EQ(mrc_req_nack(&q.r, &fatal, q.now, &q.res), -EINVAL) << "it is complete";
}

TEST(RequesterTimer, ASilentTailIsProbedThenTimesOut)
{
    Waiting q;
    ASSERT_EQ(q.ack(ackOf(7)), 0);
    q.post(1);
    q.run();
    const std::uint64_t sent = q.now;
    ASSERT_EQ(q.timer(), MRC_REQ_PROBE);
    EXPECT_LT(q.now, sent + kTimeout);
    EXPECT_EQ(q.res.silent_since, 0u);
    const std::uint64_t probed = q.now;
    ASSERT_EQ(q.timer(), MRC_REQ_PROBE);
    EXPECT_EQ(q.res.silent_since, probed) << "the first has not been answered";
    mrc_req_due due;
    while ((due = q.timer()) == MRC_REQ_PROBE)
        ;
    EXPECT_EQ(due, MRC_REQ_LOST);
    EXPECT_GE(q.now, sent + kTimeout);
    EXPECT_EQ(q.res.lost, 1u);
    EXPECT_EQ(q.step(), 1u);
    EXPECT_TRUE(q.b.rtx);
}

/* While data flows it mostly finds nothing. */
TEST(RequesterTimer, LooksNoMoreOftenThanItNeeds)
{
    Waiting q;
    ASSERT_EQ(q.ack(ackOf(7)), 0);
    q.post(1);
    q.run();
    const std::uint64_t due = mrc_req_timer_at(&q.r, q.now);
    ASSERT_LT(due, q.now + mrc_timing_software.look);
    q.now = due - 1;
    EXPECT_EQ(mrc_req_timer(&q.r, q.now, &q.res), MRC_REQ_NOTHING);
    EXPECT_EQ(mrc_req_timer_at(&q.r, q.now), q.now + mrc_timing_software.look);
}

/* ---- ports that go ---- */

namespace
{

/// Packets 8 to 11 on EVs 0 to 3, of ports 1, 2, 1, 2; the QP knows its RTT.
struct Ports : Waiting {
    std::array<mrc_ev_entry, 4> evs{};
    mrc_paths paths{};

    Ports()
    {
        EXPECT_EQ(ack(ackOf(7)), 0);
        for (unsigned i = 0; i < evs.size(); ++i)
            evs[i].port = static_cast<u8>(1 + i % 2);
        paths.set.ev = evs.data();
        paths.count = evs.size();
        paths.set.local_mask = paths.set.remote_mask = 3;
        mrc_req_sync_evs(&r, &paths, 1);
        post(4);
        run();
    }

    bool heed() { return mrc_req_heed_ports(&r, &paths, 1, now, &res); }
};

} // namespace

TEST(RequesterPorts, WhatLeftByOneThatWentIsLookedAtAgainInTime)
{
    Ports q;
    EXPECT_FALSE(q.heed());
    q.paths.set.local_mask = 1;
    EXPECT_TRUE(q.heed());
    EXPECT_EQ(q.res.lost, 0u);
    EXPECT_GT(q.r.gone_at, q.now + mrc_rtt_longest(&q.r.tx.rtt));
    EXPECT_LE(q.r.gone_at, q.now + mrc_rtt_longest(&q.r.tx.rtt) + 2 * MRC_TX_TICK_NS);
    EXPECT_LE(mrc_req_timer_at(&q.r, q.now), q.r.gone_at);
    q.now = q.r.gone_at - 1;
    EXPECT_NE(mrc_req_timer(&q.r, q.now, &q.res), MRC_REQ_GONE);
    q.now = q.r.gone_at;
    ASSERT_EQ(mrc_req_timer(&q.r, q.now, &q.res), MRC_REQ_GONE);
    EXPECT_EQ(q.res.lost, 2u);
    EXPECT_EQ(q.r.gone_at, 0u);
    EXPECT_EQ(q.step(), 2u);
    EXPECT_EQ(q.b.plan[0].psn, 9u);
    EXPECT_FALSE(q.heed());
}

/* Back before its time is over, or gone for good: EVs are made anew then. */
TEST(RequesterPorts, WhatLeftByOneThatWentIsRememberedWhateverComes)
{
    Ports q;
    q.paths.set.local_mask = 1;
    EXPECT_TRUE(q.heed());
    q.paths.set.local_mask = 3;
    EXPECT_TRUE(q.heed());
    EXPECT_NE(q.r.gone_at, 0u);
    mrc_req_sync_evs(&q.r, &q.paths, 2);
    EXPECT_NE(q.r.gone_at, 0u);
    q.now = q.r.gone_at;
    ASSERT_EQ(mrc_req_timer(&q.r, q.now, &q.res), MRC_REQ_GONE);
    EXPECT_EQ(q.res.lost, 2u);
}

/* What had arrived there was answered before it went. */
TEST(RequesterPorts, OneThatIsGoneAtThePeerIsNotWaitedFor)
{
    Ports q;
    q.paths.set.remote_mask = 2;
    EXPECT_TRUE(q.heed());
    EXPECT_EQ(q.res.lost, 2u);
    EXPECT_EQ(q.r.gone_at, 0u);
    EXPECT_EQ(q.step(), 2u);
    EXPECT_EQ(q.b.plan[0].psn, 8u);
}

/* Ports that this host does not have, or that are down here anyway. */
TEST(RequesterPorts, WhatThePeerSaysOfOthersIsNoNews)
{
    Ports q;
    q.paths.set.local_mask = 1;
    EXPECT_TRUE(q.heed());
    q.paths.set.remote_mask = 1;
    EXPECT_FALSE(q.heed());
    q.paths.set.remote_mask = 0xff;
    EXPECT_FALSE(q.heed());
}

/* ---- what this host drops ---- */

TEST(RequesterUnsent, BlamesNobodyAndGoesOutAgainAfterAPause)
{
    Waiting q;
    ASSERT_EQ(q.ack(ackOf(7)), 0);
    q.post(4);
    q.run();
    EXPECT_TRUE(mrc_req_unsent(&q.r, 9, q.now));
    EXPECT_TRUE(mrc_req_unsent(&q.r, 9, q.now)) << "known";
    EXPECT_EQ(q.r.tx.lost, 1u);
    EXPECT_EQ(q.step(), 0u) << "a pause";
    ASSERT_EQ(q.timer(), MRC_REQ_GO_ON);
    EXPECT_EQ(q.step(), 1u);
    EXPECT_EQ(q.b.plan[0].psn, 9u);
    EXPECT_EQ(q.b.plan[0].was, MRC_EV_NONE) << "it was not lost on its EV";
    // What was sent later on the same EV, 1, and arrives, is no proof against it.
    mrc_hdr sack = sackOf(8);
    sack.sack.sack_offset = 2;
    sack.sack.bitmap = 3;
    ASSERT_EQ(mrc_req_sack(&q.r, &sack, q.now, &q.res), 0);
    mrc_news news;
    ASSERT_TRUE(mrc_req_news(&q.r, &q.res, q.now, &news));
    for (unsigned i = 0; i < news.count; ++i)
        EXPECT_FALSE(news.ev[i].what & MRC_NEWS_LOST);
}

TEST(Requester, NewsSayOnceWhatARoundTripTook)
{
    Waiting q;
    ASSERT_EQ(q.ack(ackOf(7)), 0);
    q.post(2);
    q.run();
    q.now += 3'000'000;
    mrc_hdr sack = sackOf(8);
    sack.sack.sack_offset = 1;
    sack.sack.bitmap = 1;
    ASSERT_EQ(mrc_req_sack(&q.r, &sack, q.now, &q.res), 0);
    mrc_news news;
    ASSERT_TRUE(mrc_req_news(&q.r, &q.res, q.now, &news));
    EXPECT_GE(news.rtt_ns, 3'000'000u);
    EXPECT_LT(news.rtt_ns, 3'000'000u + 2 * MRC_TX_TICK_NS);
    EXPECT_FALSE(mrc_req_news(&q.r, &q.res, q.now, &news));
    EXPECT_EQ(news.rtt_ns, 0u);
}

TEST(RequesterUnsent, EndsAQpAfterAsLongAsSilence)
{
    Waiting q;
    ASSERT_EQ(q.ack(ackOf(7)), 0);
    q.post(1);
    q.run();
    const std::uint64_t start = q.now;
    unsigned drops = 0;
    while (mrc_req_unsent(&q.r, 8, q.now)) {
        ASSERT_LT(++drops, 1000u);
        mrc_req_due due;
        while ((due = q.timer()) == MRC_REQ_PROBE || due == MRC_REQ_LOST)
            ;
        ASSERT_EQ(due, MRC_REQ_GO_ON);
        ASSERT_EQ(q.step(), 1u);
    }
    EXPECT_GT(q.now - start, 3 * kTimeout) << "three timeouts, and three that double";
}
