// SPDX-License-Identifier: GPL-2.0-only
#include "cc_window.h"
#include "engine/core.h"

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
    std::vector<u64> mem;
    const mrc_tx_rec *ring;
    std::uint32_t cwnd; ///< packets
    mrc_req r{};
    mrc_batch b{};
    std::uint64_t now = 1000 * kUs;
    unsigned max = MRC_BATCH_MAX; ///< packets that may leave at a time

    explicit Requester(std::uint32_t cwnd = kWindow, std::uint32_t mpr = 8, u16 imm_max = 2,
                       std::uint64_t peerRtt = 0)
        : slots(128), mem(DIV_ROUND_UP(mrc_req_mem(mpr * MRC_MPR_UNIT), sizeof(u64))),
          ring(reinterpret_cast<const mrc_tx_rec *>(mem.data())), cwnd(cwnd)
    {
        const mrc_tx_cfg cfg = {.size = mpr * MRC_MPR_UNIT,
                                .retries = {.timeout_ns = 100'000 * kUs, .linear = 3, .exp = 3},
                                .peer_rtt_ns = peerRtt};
        r.sendq.slots = slots.data();
        r.sendq.stride = sizeof(mrc_msg);
        r.sendq.depth = static_cast<u32>(slots.size());
        mrc_sendq_start(&r.sendq, kMtu, imm_max);
        mrc_req_start(&r, mem.data(), &cfg, 0);
    }

    void post(std::uint32_t packets, bool imm = false, bool send = false)
    {
        mrc_msg *m = mrc_sendq_slot(&r.sendq);
        ASSERT_NE(m, nullptr);
        *m = {};
        m->len = packets * kMtu;
        m->has_imm = imm;
        m->op = send ? MRC_MSG_SEND : MRC_MSG_WRITE;
        mrc_sendq_queue(&r.sendq);
    }

    /// The grant of a window of full-sized packets.
    mrc_cc_grant grant() const
    {
        mrc_cc_grant g;
        mrc_cc cc{};
        cc.p.mtu = windowBytes(kMtu);
        cc.cwnd = cwnd * windowBytes(kMtu);
        cc.inflight = r.tx.inflight_bytes;
        mrc_cc_allow(&cc, &g);
        return g;
    }

    bool plan()
    {
        const mrc_cc_grant g = grant();
        return mrc_req_plan(&r, now, max, &g, &b);
    }

    /// Sends one batch, dealt to EVs 0, 1, ... @return its packets
    unsigned step(unsigned stride = 4)
    {
        if (!plan())
            return 0;
        std::vector<u16> ev(stride);
        std::iota(ev.begin(), ev.end(), u16{0});
        mrc_req_deal(&r, &b, ev.data(), std::min(stride, b.count), now);
        return b.count;
    }

    /// Sends all that may leave. @return packets
    unsigned run()
    {
        unsigned all = 0;
        for (unsigned n; (n = step());)
            all += n;
        return all;
    }

    /// All packets up to @p psn have arrived and were executed.
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
            ASSERT_EQ(mrc_tx_nack(&r.tx, psn, MRC_TX_NO_ROOM, now, &res), 0);
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

/* A window is counted in bytes: more small packets than large ones are in flight. */
TEST(Requester, SmallPacketsTakeLessOfTheWindow)
{
    Requester q(8);
    for (unsigned i = 0; i < 100; ++i) {
        q.post(1);
        mrc_sendq_at(&q.r.sendq, i)->len = 8;
    }
    EXPECT_EQ(q.run(), 100u);
    const u32 each = q.r.tx.inflight_bytes / 100;
    EXPECT_EQ(each % MRC_TX_BYTES_UNIT, 0u);
    EXPECT_EQ(each, 128u) << "8 bytes, 36 of headers and ICRC, and 48";
}

/* A batch counts what its packets count in flight, whether they are first transmissions or not. */
TEST(Requester, ABatchCountsWhatItAddsToTheWindow)
{
    Requester q;
    q.post(3);
    mrc_sendq_at(&q.r.sendq, 0)->len -= 4000;
    ASSERT_EQ(q.step(), 3u);
    EXPECT_EQ(q.b.bytes, q.r.tx.inflight_bytes);
    const u32 all = q.r.tx.inflight_bytes;
    q.lose(3);
    EXPECT_EQ(q.r.tx.inflight_bytes, 0u);
    ASSERT_EQ(q.step(), 3u);
    EXPECT_TRUE(q.b.rtx);
    EXPECT_EQ(q.b.bytes, all);
    EXPECT_EQ(q.r.tx.inflight_bytes, all);
}

/*
 * The last packet may overlap the end of the window if a part of it fits: MRC 1.0, section 8.3.1.
 */
TEST(Requester, APacketGoesIfItHasTheRoomThatItNeeds)
{
    Requester q;
    q.post(1000);
    const u32 all = windowBytes(kMtu);
    for (const u32 room : {1u, all - 1, all, 2 * all - 1}) {
        ::mrc_cc_grant whole = {.cwnd = 1, .room = room, .room_lost = 1, .least = all};
        const bool fits = room >= all;
        ASSERT_EQ(mrc_req_plan(&q.r, q.now, MRC_BATCH_MAX, &whole, &q.b), fits) << room;
        if (!fits)
            continue;
        EXPECT_EQ(q.b.count, 1u) << room;
        const u16 ev = 0;
        mrc_req_deal(&q.r, &q.b, &ev, 1, q.now);
    }
    ::mrc_cc_grant g = {.cwnd = 1, .room = 1, .room_lost = 1, .least = 1};
    ASSERT_TRUE(mrc_req_plan(&q.r, q.now, MRC_BATCH_MAX, &g, &q.b));
    EXPECT_EQ(q.b.count, 1u);
    EXPECT_TRUE(q.b.full);
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

/* In however many steps: the window is what the network can take. */
TEST(Requester, LostOnesHaveOnePacketMoreThanTheWindow)
{
    Requester q;
    q.post(1000);
    q.run();
    q.lose(40);
    q.cwnd = kWindow - 40;
    EXPECT_EQ(q.run(), 1u) << "the hole may be what keeps the window full";
    EXPECT_EQ(q.r.tx.inflight, q.cwnd + 1);
    EXPECT_EQ(q.r.tx.lost, 39u);
    q.cwnd = kWindow - 10;
    EXPECT_EQ(q.run(), 30u);
}

/* A queue that has no room for an skb loses all of its packets, again and again. */
TEST(Requester, WhatWasLostTwiceGoesApart)
{
    Requester q;
    q.post(1000);
    q.run();
    q.lose(4);
    ASSERT_EQ(q.step(), 4u);
    EXPECT_TRUE(q.b.rtx);
    EXPECT_FALSE(q.b.apart);
    q.now += 10000 * kUs;
    q.lose(6);
    ASSERT_EQ(q.step(), 6u);
    EXPECT_TRUE(q.b.apart) << "four of them were lost twice";
    EXPECT_EQ(mrc_req_burst(&q.b, 16), 1u);
    EXPECT_EQ(mrc_req_stride(&q.b, 16, 100, 0), 6u);
    q.acked(mrc_psn_add(q.r.tx.una, 40));
    ASSERT_NE(q.step(), 0u);
    EXPECT_FALSE(q.b.apart);
}

TEST(Requester, NewPacketsWaitForLostOnes)
{
    Requester q;
    q.post(1000);
    q.run();
    q.lose(40);
    q.cwnd = 10;
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
    ASSERT_TRUE(q.plan());
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

/* However many packets a batch has. */
TEST(Requester, NeighboursTakeDifferentEvsWhereBatchesMeet)
{
    Requester q;
    q.post(100);
    q.max = 4;
    const u16 first[] = {7, 5, 9}, second[] = {7, 9, 5};
    ASSERT_TRUE(q.plan());
    mrc_req_deal(&q.r, &q.b, first, 3, q.now);
    EXPECT_EQ(q.b.plan[3].ev, 7);
    ASSERT_TRUE(q.plan());
    mrc_req_deal(&q.r, &q.b, second, 3, q.now);
    const u16 wanted[] = {9, 5, 7, 9};
    for (unsigned i = 0; i < 4; ++i)
        EXPECT_EQ(q.b.plan[i].ev, wanted[i]) << i;
    ASSERT_TRUE(q.plan());
    const u16 only = 9;
    mrc_req_deal(&q.r, &q.b, &only, 1, q.now);
    EXPECT_EQ(q.b.plan[0].ev, 9) << "there is no other";
}

/* Packets leave skb by skb, and rule (a) asks which packet was the last of its EV. */
TEST(Requester, AnEvThatIsDrawnTwiceHasTwoSkbs)
{
    Requester q;
    q.post(9);
    ASSERT_TRUE(q.plan());
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

/* As often as congestion control says: here after each eighth of the window. */
TEST(Requester, AFullWindowAsksAsOftenAsCongestionControlSays)
{
    Requester q;
    q.post(100'000);
    unsigned asked = 0;
    for (std::uint32_t acked = 0; acked < 10 * kWindow; acked += kWindow / 8) {
        for (;;) {
            ::mrc_cc_grant g = q.grant();
            g.ask_after = g.cwnd / 8;
            if (!mrc_req_plan(&q.r, q.now, MRC_BATCH_MAX, &g, &q.b))
                break;
            const u16 ev[] = {0, 1};
            mrc_req_deal(&q.r, &q.b, ev, 2, q.now);
            asked += q.b.ask;
        }
        q.acked(acked + kWindow / 8 - 1);
    }
    EXPECT_GE(asked, 75u);
    EXPECT_LE(asked, 81u);
}

/* Whatever the peer's threshold is, even if its window is much smaller than ours. */
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

/// The longest time from one probe to the next, after this much silence.
std::uint64_t most(std::uint64_t silence)
{
    return std::max<std::uint64_t>(mrc_timing_software.probe_max, silence / 8);
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

    /// The timer fires when it is due. @return what is to be done
    mrc_req_due timer()
    {
        now = mrc_req_timer_at(&r, now);
        return mrc_req_timer(&r, now, &res);
    }
};

} // namespace

TEST(RequesterAck, IsAskedForAfterTwoRoundTrips)
{
    Waiting q;
    const std::uint64_t since = q.now;
    const std::uint64_t due = since + 2 * q.r.tx.rtt.srtt_ns + mrc_timing_software.probe_slack;
    EXPECT_EQ(q.r.ack_wait, since);
    EXPECT_EQ(mrc_req_timer_at(&q.r, q.now), due);
    q.now += kUs;
    const mrc_hdr again = sackOf(7);
    EXPECT_EQ(mrc_req_sack(&q.r, &again, q.now, &q.res), 0);
    EXPECT_EQ(q.r.ack_wait, since) << "a SACK is no ACK";
    EXPECT_EQ(mrc_req_timer_at(&q.r, q.now), due);

    EXPECT_EQ(q.ack(ackOf(7)), 0);
    EXPECT_EQ(q.r.ack_wait, 0u);
    EXPECT_EQ(mrc_req_timer_at(&q.r, q.now), 0u) << "nothing to wait for";
    EXPECT_FALSE(mrc_sendq_unanswered(&q.r.sendq));
}

/* Whatever the timeout is: with exponent 20 it is longer than a second. */
TEST(RequesterAck, ALostOneCostsNoTimeout)
{
    Waiting q;
    q.r.tx.rtt.retries.timeout_ns = 1024ull << 20;
    const std::uint64_t since = q.now;
    ASSERT_EQ(q.timer(), MRC_REQ_PROBE);
    EXPECT_EQ(q.now, since + 2 * q.r.tx.rtt.srtt_ns + mrc_timing_software.probe_slack);
    EXPECT_LT(q.now, since + 1000 * kUs);
    EXPECT_EQ(q.r.tx.probe_ev, MRC_EV_NONE) << "nothing is in flight";
}

TEST(RequesterAck, IsAskedForUntilRetriesAreUsedUp)
{
    Waiting q;
    const std::uint64_t since = q.now;
    std::uint64_t before = 0;
    u16 id = q.r.tx.probe_id;
    mrc_req_due due;
    while ((due = q.timer()) != MRC_REQ_FAILED) {
        EXPECT_EQ(q.res.lost, 0u);
        if (due == MRC_REQ_NOTHING) // a timeout has passed, and there is another
            continue;
        ASSERT_EQ(due, MRC_REQ_PROBE);
        ASSERT_EQ(q.r.tx.probe_id, ++id);
        EXPECT_EQ(q.res.silent_since, before) << "only the second was sent in vain";
        if (before) {
            EXPECT_LE(q.now - before, most(before - since));
        }
        before = q.now;
    }
    EXPECT_EQ(q.now - since, (3 + 2 + 4 + 8 + 1) * kTimeout)
        << "three timeouts, three that double, and one as at first";
}

TEST(RequesterAck, WaitsTwoRoundTripsAtLeast)
{
    Waiting q;
    q.r.tx.rtt.srtt_ns = 10 * kTimeout;
    EXPECT_EQ(mrc_req_timer_at(&q.r, q.now),
              q.now + 20 * kTimeout); // the deadline, and the probe shortly after
    q.r.ack_retries = 6;
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

/*
 * SACKs take different paths, so a SACK may come when others have reported more: its mark is still
 * news.
 */
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

/* A peer that has no room for packets has no room for them if they are sent again at once. */
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

/* Nothing else may come that would show the loss. */
TEST(RequesterTimer, AsksAtOnceWhenToldTo)
{
    Waiting q;
    EXPECT_FALSE(mrc_req_probe_now(&q.r, q.now)) << "nothing is in flight";
    ASSERT_EQ(q.ack(ackOf(7)), 0);
    q.post(1);
    q.run();
    const u16 id = q.r.tx.probe_id;
    ASSERT_TRUE(mrc_req_probe_now(&q.r, q.now));
    mrc_answers a;
    mrc_answers_init(&a);
    mrc_req_put_probe(&q.r, &a);
    ASSERT_EQ(a.count, 1u);
    EXPECT_EQ(q.r.tx.probe_id, static_cast<u16>(id + 1));
    EXPECT_GT(mrc_req_timer_at(&q.r, q.now), q.now) << "the answer is waited for";
}

/* A packet that cannot be sent again may have arrived. */
TEST(RequesterTimer, AsksForAPacketThatHasNotLeftAgain)
{
    Waiting q;
    ASSERT_EQ(q.ack(ackOf(7)), 0);
    q.post(1);
    q.run();
    ASSERT_TRUE(mrc_req_unsent(&q.r, 8, q.now, &q.res));
    ASSERT_EQ(q.r.tx.inflight, 0u);
    ASSERT_TRUE(mrc_req_probe_now(&q.r, q.now));
}

/* A new QP knows only what others have seen of the peer. */
TEST(RequesterTimer, AFirstPacketThatIsLostIsAskedForAfterThePeersRoundTrip)
{
    for (const std::uint64_t rtt : {50 * kUs, 0 * kUs}) {
        Requester q(kWindow, 8, 2, rtt);
        mrc_tx_result res;
        q.r.tx.rtt.retries.timeout_ns = 1024ull << 20;
        q.post(1);
        ASSERT_EQ(q.run(), 1u);
        const std::uint64_t due = q.now + 2 * (rtt ? rtt : mrc_timing_software.first_rtt) +
                                  mrc_timing_software.probe_slack;
        EXPECT_EQ(mrc_req_timer_at(&q.r, q.now), due);
        q.now = due;
        EXPECT_EQ(mrc_req_timer(&q.r, q.now, &res), MRC_REQ_PROBE);
    }
}

/* So the end of an outage is noticed after a small part of its length, whatever the timeout is. */
TEST(RequesterTimer, InAnOutageProbesAreAnEighthOfTheSilenceApartAtMost)
{
    Waiting q;
    ASSERT_EQ(q.ack(ackOf(7)), 0);
    q.r.tx.rtt.retries = {.timeout_ns = 1024ull << 24, .linear = 7, .exp = 0};
    q.post(1);
    q.run();
    const std::uint64_t since = q.now;
    std::uint64_t before = q.now;
    unsigned probes = 0;
    while (q.now < since + 10'000'000 * kUs) {
        ASSERT_EQ(q.timer(), MRC_REQ_PROBE);
        EXPECT_LE(q.now - before, most(before - since));
        before = q.now;
        ++probes;
    }
    EXPECT_LE(probes, 80u) << "and a peer that is gone costs little";
}

TEST(RequesterTimer, AProbeIsSentByTheEvThatItIsMeantFor)
{
    Waiting q;
    ASSERT_EQ(q.ack(ackOf(7)), 0);
    q.r.evs_gen = 77;
    q.post(2);
    q.run();
    for (const u16 ev : {u16{0}, u16{MRC_EV_NONE}, u16{0}}) {
        ASSERT_EQ(q.timer(), MRC_REQ_PROBE);
        mrc_answers a;
        mrc_answers_init(&a);
        mrc_req_put_probe(&q.r, &a);
        ASSERT_EQ(a.count, 1u);
        EXPECT_EQ(a.hdr[0].bth.opcode, MRC_OP_PROBE);
        EXPECT_EQ(a.ev, ev);
        EXPECT_EQ(a.evs_gen, 77u);
    }
}

TEST(Requester, WhatThePathsHoldToBeBadIsHeeded)
{
    Requester q;
    std::array<mrc_ev_entry, 2> evs{};
    mrc_paths paths{};
    paths.set.ev = evs.data();
    paths.count = evs.size();
    evs[0].state = MRC_EV_HELD;
    evs[1].state = MRC_EV_ASSUMED_BAD;
    const auto heed = [&](u16 ev, u8 what) {
        const mrc_news_ev news = {.ev = ev, .what = what};
        bool silent = false;
        return mrc_req_heed_state(&q.r, &paths, &news, &silent) && silent;
    };
    EXPECT_FALSE(heed(0, MRC_NEWS_LATE)) << "it is in use";
    EXPECT_FALSE(heed(1, MRC_NEWS_LOST)) << "nothing is late";
    EXPECT_TRUE(heed(1, MRC_NEWS_LATE));
    EXPECT_FALSE(heed(2, MRC_NEWS_MUTE)) << "there is none";
    EXPECT_TRUE(mrc_evidence_is_silent(&q.r.tx.evidence, 1));
    evs[1].state = MRC_EV_GOOD;
    EXPECT_FALSE(heed(1, MRC_NEWS_MUTE));
    EXPECT_FALSE(mrc_evidence_is_silent(&q.r.tx.evidence, 1));
}

/* While data flows the timer mostly finds nothing to do. */
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

/* The port is back before its time is over, or gone for good: then EVs are made anew. */
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

/* Packets that had arrived there were answered before the port went. */
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

/* ---- reports to congestion control ---- */

namespace
{

/// 8 packets in flight, and more to send.
struct InFlight : Requester {
    mrc_tx_result res{};
    std::uint32_t each = 0; ///< bytes of a packet

    InFlight() : Requester(8)
    {
        post(100);
        run();
        each = r.tx.inflight_bytes / 8;
        now += 50 * kUs;
    }

    mrc_cc_news news() const
    {
        mrc_cc_news n;
        mrc_req_cc_news(&r, &res, now, &n);
        return n;
    }
};

} // namespace

TEST(RequesterCc, IsToldWhatASackSays)
{
    InFlight q;
    mrc_hdr sack = sackOf(3, MRC_SACK_SKIP_ONCE);
    sack.sack.cwnd_pen = 5;
    sack.sack.restore_cwnd = true;
    ASSERT_EQ(mrc_req_sack(&q.r, &sack, q.now, &q.res), 0);
    const mrc_cc_news n = q.news();
    EXPECT_EQ(n.acked, 4 * q.each);
    EXPECT_EQ(n.landed, 4 * q.each);
    EXPECT_EQ(n.lost, 0u);
    EXPECT_NEAR(static_cast<double>(n.rtt_ns), 50.0 * kUs, 2 * MRC_TX_TICK_NS);
    EXPECT_TRUE(n.marked);
    EXPECT_TRUE(n.waiting);
    EXPECT_TRUE(n.restore);
    EXPECT_EQ(n.penalty, 5);
}

/* Probes, and their answers, do not wait behind data. */
TEST(RequesterCc, ProbesMeasureNoDelay)
{
    InFlight q;
    const u16 id = mrc_tx_probe(&q.r.tx, q.now);
    q.now += 20 * kUs;
    mrc_hdr sack = sackOf(3);
    sack.sack.probe = true;
    sack.sack.ack_offset = static_cast<s16>(id);
    ASSERT_EQ(mrc_req_sack(&q.r, &sack, q.now, &q.res), 0);
    EXPECT_NE(q.res.rtt_ns, 0u);
    EXPECT_EQ(q.news().rtt_ns, 0u);
    EXPECT_EQ(q.news().acked, 4 * q.each);
}

TEST(RequesterCc, WhatWasHeldToBeLostIsNotInFlight)
{
    InFlight q;
    ASSERT_EQ(mrc_tx_nack(&q.r.tx, 2, MRC_TX_NO_ROOM, q.now, &q.res), 0);
    mrc_hdr sack = sackOf(3);
    ASSERT_EQ(mrc_req_sack(&q.r, &sack, q.now, &q.res), 0);
    EXPECT_EQ(q.news().acked, 4 * q.each);
    EXPECT_EQ(q.news().landed, 3 * q.each);
}

TEST(RequesterCc, KnowsWhyPacketsAreLost)
{
    const struct {
        u8 reason;
        mrc_cc_cause cause;
    } nacks[] = {{MRC_NACK_TRIMMED, MRC_CC_TRIMMED},
                 {MRC_NACK_TRIMMED_LASTHOP, MRC_CC_TRIMMED},
                 {MRC_NACK_NO_RESOURCE, MRC_CC_REFUSED},
                 {0x3e, MRC_CC_REFUSED}}; // an unknown reason says nothing of the network
    for (const auto &[reason, cause] : nacks) {
        InFlight q;
        const mrc_hdr nack = nackOf(5, reason);
        ASSERT_EQ(mrc_req_nack(&q.r, &nack, q.now, &q.res), 0);
        EXPECT_EQ(q.news().lost, q.each);
        EXPECT_EQ(q.news().cause, cause);
    }
    InFlight timed;
    timed.now += 100'000 * kUs;
    while (mrc_req_timer(&timed.r, timed.now, &timed.res) == MRC_REQ_PROBE)
        ;
    EXPECT_EQ(timed.news().lost, 8 * timed.each);
    EXPECT_EQ(timed.news().cause, MRC_CC_LOST);
    InFlight here;
    EXPECT_TRUE(mrc_req_unsent(&here.r, 5, here.now, &here.res));
    EXPECT_EQ(here.news().lost, here.each);
    EXPECT_EQ(here.news().cause, MRC_CC_REFUSED);
}

/* An implausible answer has no effect at all. */
TEST(Requester, OneVerdictOnEachAnswer)
{
    const struct {
        u8 opcode, says;
        int err;
        bool expired;
        mrc_req_verdict verdict;
    } rows[] = {
        {MRC_OP_NACK, MRC_NACK_UNEXP_EVENT, 0, false, MRC_REQ_UNEXPECTED},
        {MRC_OP_NACK, MRC_NACK_UNEXP_EVENT, -EALREADY, false, MRC_REQ_UNEXPECTED},
        {MRC_OP_NACK, MRC_NACK_UNEXP_EVENT, -EINVAL, false, MRC_REQ_BAD_ANSWER},
        {MRC_OP_NACK, MRC_NACK_NO_RESOURCE, 0, false, MRC_REQ_GOES_ON},
        {MRC_OP_NACK, MRC_NACK_NO_RESOURCE, 0, true, MRC_REQ_REFUSED},
        {MRC_OP_NACK, MRC_NACK_NO_RESOURCE, -EALREADY, false, MRC_REQ_GOES_ON},
        {MRC_OP_NACK, MRC_NACK_TRIMMED, 0, true, MRC_REQ_REFUSED},
        {MRC_OP_ACK, MRC_ACK_OK, 0, false, MRC_REQ_GOES_ON},
        {MRC_OP_ACK, MRC_ACK_OK, -EINVAL, false, MRC_REQ_BAD_ANSWER},
        {MRC_OP_ACK, MRC_NAK_ACCESS, 0, false, MRC_REQ_NO_ACCESS},
        {MRC_OP_ACK, MRC_NAK_INVALID, 0, false, MRC_REQ_INVALID},
        {MRC_OP_ACK, MRC_NAK_INVALID + 2, 0, false, MRC_REQ_PEER_FAILED},
        {MRC_OP_ACK, MRC_NAK_ACCESS, -EINVAL, false, MRC_REQ_BAD_ANSWER},
    };
    for (const auto &row : rows) {
        mrc_hdr hdr{};
        hdr.bth.opcode = row.opcode;
        (row.opcode == MRC_OP_NACK ? hdr.nack.reason : hdr.ack.syndrome) = row.says;
        mrc_tx_result res;
        mrc_tx_result_init(&res);
        res.expired = row.expired;
        EXPECT_EQ(mrc_req_judge(&hdr, row.err, &res), row.verdict)
            << +row.opcode << " " << +row.says;
    }
}

/* However many trims there are: in an incast a packet may be trimmed each time it is sent. */
TEST(RequesterTrim, OnlyTimeEndsAQp)
{
    InFlight q;
    const std::uint64_t start = q.now;
    const mrc_hdr nack = nackOf(3, MRC_NACK_TRIMMED);
    for (unsigned i = 0; i < 1000; ++i) {
        q.now += 20 * kUs;
        ASSERT_EQ(mrc_req_nack(&q.r, &nack, q.now, &q.res), 0) << i;
        ASSERT_FALSE(q.res.expired) << i;
        EXPECT_EQ(q.res.mark, MRC_SACK_SKIP_ONCE);
        ASSERT_EQ(q.step(), 1u) << "again at once";
        EXPECT_EQ(q.b.plan[0].psn, 3u);
    }
    unsigned more = 0;
    while (!mrc_req_nack(&q.r, &nack, q.now, &q.res) && !q.res.expired) {
        ASSERT_LT(++more, 100'000u);
        q.now += 1000 * kUs;
        q.step();
    }
    EXPECT_TRUE(q.res.expired);
    EXPECT_GE(q.now - start, MRC_TX_TRIMS_NS);
}

/* No other path would have been better. */
TEST(RequesterTrim, TheLastHopBlamesNoPath)
{
    InFlight q;
    const mrc_hdr nack = nackOf(3, MRC_NACK_TRIMMED_LASTHOP);
    ASSERT_EQ(mrc_req_nack(&q.r, &nack, q.now, &q.res), 0);
    EXPECT_EQ(q.res.mark, MRC_SACK_NONE);
    mrc_news news;
    while (mrc_req_news(&q.r, &q.res, q.now, &news))
        for (unsigned i = 0; i < news.count; ++i)
            EXPECT_FALSE(news.ev[i].what & (MRC_NEWS_LOST | MRC_NEWS_SILENT));
}

/* ---- what this host drops ---- */

TEST(RequesterUnsent, BlamesNobodyAndGoesOutAgainAfterAPause)
{
    Waiting q;
    ASSERT_EQ(q.ack(ackOf(7)), 0);
    q.post(4);
    q.run();
    EXPECT_TRUE(mrc_req_unsent(&q.r, 9, q.now, &q.res));
    EXPECT_TRUE(mrc_req_unsent(&q.r, 9, q.now, &q.res)) << "known";
    EXPECT_EQ(q.r.tx.lost, 1u);
    EXPECT_EQ(q.step(), 0u) << "a pause";
    ASSERT_EQ(q.timer(), MRC_REQ_GO_ON);
    EXPECT_EQ(q.step(), 1u);
    EXPECT_EQ(q.b.plan[0].psn, 9u);
    EXPECT_EQ(q.b.plan[0].was, MRC_EV_NONE) << "it was not lost on its EV";
    // The arrival of a later packet on the same EV, 1, is no evidence against it.
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
    while (mrc_req_unsent(&q.r, 8, q.now, &q.res)) {
        ASSERT_LT(++drops, 1000u);
        mrc_req_due due;
        while ((due = q.timer()) == MRC_REQ_PROBE || due == MRC_REQ_LOST)
            ;
        ASSERT_EQ(due, MRC_REQ_GO_ON);
        ASSERT_EQ(q.step(), 1u);
    }
    EXPECT_GT(q.now - start, 3 * kTimeout) << "three timeouts, and three that double";
}

/* ---- a peer without a receive ---- */

namespace
{

constexpr std::uint64_t kBear = 5'000 * kUs;

/// A WriteImm of 8 packets that has arrived, and behind it a request that has not been sent.
struct WithoutReceive : Waiting {
    explicit WithoutReceive(std::uint64_t bear = kBear)
    {
        r.wait.bear = bear;
        post(4, true);
        run();
        now += 50 * kUs;
        const mrc_hdr sack = sackOf(11);
        EXPECT_EQ(mrc_req_sack(&r, &sack, now, &res), 0);
        EXPECT_EQ(ack(ackOf(7)), 0);
        post(1);
    }

    mrc_req_verdict nack(std::uint32_t psn, u8 reason = MRC_NACK_NO_RESOURCE)
    {
        const mrc_hdr hdr = nackOf(psn, reason);
        const int err = mrc_req_nack(&r, &hdr, now, &res);
        return mrc_req_judge(&hdr, err, &res);
    }

    /// Runs until the peer is asked; each time it gives the same answer. @return ns since now
    std::uint64_t untilAsked()
    {
        const std::uint64_t start = now;
        while (timer() != MRC_REQ_PROBE)
            ;
        return now - start;
    }
};

} // namespace

TEST(RequesterWait, NothingNewGoesOutUntilTheRequestEnds)
{
    WithoutReceive q;
    EXPECT_EQ(q.nack(11), MRC_REQ_GOES_ON);
    EXPECT_FALSE(mrc_req_wants(&q.r, q.now));
    EXPECT_EQ(q.run(), 0u);
    ASSERT_EQ(q.ack(ackOf(11)), 0);
    EXPECT_TRUE(mrc_req_wants(&q.r, q.now));
    EXPECT_EQ(q.run(), 1u);
    EXPECT_NE(mrc_req_timer_at(&q.r, q.now), 0u);
}

TEST(RequesterWait, IsAskedForAboutAsLongAsItHasBeen)
{
    WithoutReceive q(UINT64_MAX);
    const std::uint64_t start = q.now;
    unsigned asked = 0;
    ASSERT_EQ(q.nack(11), MRC_REQ_GOES_ON);
    for (; q.now < start + 60'000'000 * kUs; ++asked) {
        const std::uint64_t waited = q.now - start;
        const std::uint64_t since = q.untilAsked();
        EXPECT_LE(since, std::min<std::uint64_t>(2 * waited + 1000 * kUs,
                                                 mrc_timing_software.ask_max + 1000 * kUs));
        EXPECT_EQ(q.res.silent_since, 0u) << "the peer speaks";
        q.now += 50 * kUs;
        ASSERT_EQ(q.nack(11), MRC_REQ_GOES_ON) << "for ever";
    }
    EXPECT_LT(asked, 100u) << "a minute";
}

TEST(RequesterWait, IsBorneSoLong)
{
    WithoutReceive q;
    const std::uint64_t start = q.now;
    mrc_req_verdict verdict;
    while ((verdict = q.nack(11)) == MRC_REQ_GOES_ON)
        q.untilAsked();
    EXPECT_EQ(verdict, MRC_REQ_NO_RECEIVE);
    EXPECT_GE(q.now - start, kBear);
    EXPECT_LE(q.now - start, kBear + 1000 * kUs);
}

TEST(RequesterWait, IsNotBorneAtAll)
{
    WithoutReceive q(0);
    EXPECT_EQ(q.nack(11), MRC_REQ_NO_RECEIVE);
}

/* If the peer has died meanwhile, that is ordinary silence. */
TEST(RequesterWait, SilenceIsBorneNoLonger)
{
    WithoutReceive q(UINT64_MAX);
    ASSERT_EQ(q.nack(11), MRC_REQ_GOES_ON);
    mrc_req_due due;
    while ((due = q.timer()) == MRC_REQ_PROBE || due == MRC_REQ_NOTHING)
        ASSERT_LT(q.now, 60'000'000 * kUs);
    EXPECT_EQ(due, MRC_REQ_FAILED);
}

/* A NACK of the same kind that does not mention a receive. */
TEST(RequesterWait, OtherNacksAreNone)
{
    WithoutReceive q(0);
    EXPECT_EQ(q.nack(10), MRC_REQ_GOES_ON) << "not the last packet";
    EXPECT_EQ(q.nack(7), MRC_REQ_GOES_ON) << "complete";
    EXPECT_EQ(q.nack(11, MRC_NACK_NO_BITMAP), MRC_REQ_GOES_ON);
    EXPECT_EQ(q.run(), 1u);
    EXPECT_EQ(q.nack(12), MRC_REQ_GOES_ON) << "it has not arrived: it is refused";
    EXPECT_EQ(q.res.lost, 1u);
}

/* Packets that were already in flight beyond the peer's window wait, and end nothing. */
TEST(RequesterWait, WhatIsBeyondTheWindowGoesOutAgainAfterwards)
{
    Requester q(4096, 1);
    mrc_tx_result res;
    u32 psn;
    q.r.wait.bear = UINT64_MAX;
    q.post(1, true);
    q.post(200);
    q.run();
    ASSERT_EQ(q.r.tx.nxt, 128u);
    q.now += 50 * kUs;
    // Twenty have arrived: the window that this opens reaches beyond the peer's window.
    mrc_hdr hdr = sackOf(19);
    ASSERT_EQ(mrc_req_sack(&q.r, &hdr, q.now, &res), 0);
    q.run();
    ASSERT_EQ(q.r.tx.nxt, 148u);
    hdr = nackOf(0, MRC_NACK_NO_RESOURCE);
    EXPECT_EQ(mrc_req_nack(&q.r, &hdr, q.now, &res), -EALREADY);
    for (u32 beyond = 129; beyond < 148; ++beyond) {
        hdr = nackOf(beyond, MRC_NACK_PSN_OOR_WINDOW);
        ASSERT_EQ(mrc_req_nack(&q.r, &hdr, q.now, &res), 0);
    }
    // All others arrive.
    hdr = sackOf(128);
    ASSERT_EQ(mrc_req_sack(&q.r, &hdr, q.now, &res), 0);
    q.now += 1'000'000 * kUs;
    mrc_req_timer(&q.r, q.now, &res);
    EXPECT_EQ(q.run(), 0u);
    EXPECT_NE(mrc_req_timer_at(&q.r, q.now), 0u) << "or a lost ACK would be waited for in vain";
    ASSERT_EQ((hdr = ackOf(0), mrc_req_ack(&q.r, &hdr, q.now, &psn, &res)), 0);
    EXPECT_TRUE(mrc_req_wants(&q.r, q.now));
    ASSERT_NE(q.step(), 0u);
    EXPECT_TRUE(q.b.rtx);
    EXPECT_EQ(q.b.plan[0].psn, 129u);
}

namespace
{

constexpr std::uint32_t kEach = 4; ///< packets of a SEND

/// Four SENDs in flight, and a write between the second and the third. PSNs 0 to 7 were
/// acknowledged.
struct Sends : Waiting {
    explicit Sends(std::uint64_t bear = UINT64_MAX)
    {
        r.sendq.imm_max = 64;
        r.wait.bear = bear;
        EXPECT_EQ(ack(ackOf(7)), 0);
        for (unsigned i = 0; i < 5; ++i)
            post(kEach, false, i != 2);
        run();
        now += 50 * kUs;
    }

    /// First PSN of a message, the write included.
    static std::uint32_t first(std::uint32_t message) { return 8 + message * kEach; }

    mrc_req_verdict noReceive(std::uint32_t message)
    {
        const mrc_hdr hdr = nackOf(first(message), MRC_NACK_NO_RESOURCE);
        const int err = mrc_req_nack(&r, &hdr, now, &res);
        return mrc_req_judge(&hdr, err, &res);
    }

    /// All before a message was executed, and so many receives are posted.
    mrc_req_verdict credits(std::uint32_t message, std::uint32_t receives)
    {
        const mrc_hdr hdr = ackOf(first(message) - 1, mrc_credits_encode(receives));
        const int err = ack(hdr);
        return mrc_req_judge(&hdr, err, &res);
    }

    /// PSNs that go out now.
    std::vector<std::uint32_t> goOut()
    {
        std::vector<std::uint32_t> psns;
        while (step())
            for (unsigned i = 0; i < b.count; ++i)
                psns.push_back(b.plan[i].psn);
        return psns;
    }

    static std::vector<std::uint32_t> psnsOf(std::initializer_list<std::uint32_t> messages)
    {
        std::vector<std::uint32_t> psns;
        for (const std::uint32_t m : messages)
            for (std::uint32_t i = 0; i < kEach; ++i)
                psns.push_back(first(m) + i);
        return psns;
    }
};

} // namespace

TEST(RequesterSend, WithoutAReceiveAllSendsFromThereOnWait)
{
    Sends q;
    ASSERT_EQ(q.r.tx.inflight, 5 * kEach);
    EXPECT_EQ(q.noReceive(1), MRC_REQ_GOES_ON);
    EXPECT_EQ(q.res.lost, 3 * kEach) << "the first SEND and the write stay in flight";
    EXPECT_EQ(q.r.tx.inflight, 2 * kEach);
    EXPECT_EQ(q.r.pause_until, 0u);
    mrc_news news;
    while (mrc_req_news(&q.r, &q.res, q.now, &news))
        for (unsigned i = 0; i < news.count; ++i)
            EXPECT_EQ(news.ev[i].what & (MRC_NEWS_LOST | MRC_NEWS_SILENT), 0u) << "no EV is blamed";
    EXPECT_EQ(q.goOut(), std::vector<std::uint32_t>{});
    q.post(1);
    EXPECT_EQ(q.goOut(), std::vector<std::uint32_t>{}) << "requests keep their order";
}

TEST(RequesterSend, AsManyGoOnAsThereAreReceives)
{
    Sends q;
    q.noReceive(0);
    EXPECT_EQ(q.credits(0, 0), MRC_REQ_GOES_ON);
    EXPECT_EQ(q.goOut(), std::vector<std::uint32_t>{});
    EXPECT_EQ(q.credits(0, 2), MRC_REQ_GOES_ON);
    EXPECT_EQ(q.goOut(), q.psnsOf({0, 1}));
    EXPECT_EQ(q.credits(3, 1), MRC_REQ_GOES_ON);
    EXPECT_EQ(q.goOut(), q.psnsOf({3}));
    EXPECT_EQ(q.credits(4, 1), MRC_REQ_GOES_ON);
    EXPECT_EQ(q.goOut(), q.psnsOf({4}));
    EXPECT_FALSE(q.r.sendq.limited) << "there are receives for all";
}

TEST(RequesterSend, AnotherNackMayNameAnOlderSend)
{
    Sends q;
    q.noReceive(3);
    EXPECT_EQ(q.res.lost, 2 * kEach);
    q.noReceive(0);
    EXPECT_EQ(q.res.lost, 2 * kEach);
    q.credits(0, 1);
    EXPECT_EQ(q.goOut(), q.psnsOf({0}));
}

/* Answers overtake each other. An older ACK tells of receives that messages have taken since. */
TEST(RequesterSend, OldAcksTellNothing)
{
    Sends q;
    q.noReceive(1);
    q.credits(1, 0);
    q.credits(0, 1);
    EXPECT_EQ(q.goOut(), std::vector<std::uint32_t>{});
    q.credits(1, 1);
    EXPECT_EQ(q.goOut(), q.psnsOf({1}));
    q.credits(1, 0);
    EXPECT_EQ(q.r.sendq.limit, 2u) << "what was told before stays true";
}

/*
 * The peer has told of a receive, and another of its QPs has taken that from an SRQ: again and
 * again, for longer than a packet is sent again.
 */
TEST(RequesterSend, ANackAgainstTheCreditsIsALimitAgain)
{
    Sends q;
    q.noReceive(0);
    for (unsigned round = 0; round < 100; ++round) {
        ASSERT_EQ(q.credits(0, 1), MRC_REQ_GOES_ON) << round;
        ASSERT_EQ(q.goOut(), q.psnsOf({0})) << round;
        q.now += 1'000'000 * kUs;
        ASSERT_EQ(q.noReceive(0), MRC_REQ_GOES_ON) << round;
        ASSERT_EQ(q.r.sendq.limit, 0u) << round;
        EXPECT_TRUE(q.goOut().empty()) << round;
    }
}

/* The ACK that tells of a receive may be lost. */
TEST(RequesterSend, ProbesAskForReceives)
{
    Sends q;
    q.noReceive(0);
    const mrc_hdr sack = sackOf(7);
    ASSERT_EQ(mrc_req_sack(&q.r, &sack, q.now, &q.res), 0);
    q.now += 10'000'000 * kUs; // the write is lost, too
    q.timer();
    const std::uint64_t start = q.now;
    unsigned asked = 0;
    for (; q.now < start + 60'000'000 * kUs; q.now += 50 * kUs)
        if (q.timer() == MRC_REQ_PROBE) {
            ++asked;
            ASSERT_EQ(q.credits(0, 0), MRC_REQ_GOES_ON);
        }
    EXPECT_GT(asked, 59u) << "each second";
    EXPECT_LT(asked, 100u);
    EXPECT_EQ(q.credits(0, 4), MRC_REQ_GOES_ON);
    EXPECT_EQ(q.goOut().size(), 5 * kEach);
}

TEST(RequesterSend, TheWaitIsBorneSoLong)
{
    Sends q(kBear);
    const std::uint64_t start = q.now;
    q.noReceive(0);
    mrc_req_verdict verdict;
    do {
        q.now += 100 * kUs;
        verdict = q.credits(0, 0);
    } while (verdict == MRC_REQ_GOES_ON && q.now < start + 2 * kBear);
    EXPECT_EQ(verdict, MRC_REQ_NO_RECEIVE);
    EXPECT_GE(q.now - start, kBear);
    Sends none(0);
    EXPECT_EQ(none.noReceive(0), MRC_REQ_NO_RECEIVE);
}

/* A receive that comes in time begins the wait anew for the next SEND. */
TEST(RequesterSend, EachSendIsBorneByItself)
{
    Sends q(kBear);
    q.noReceive(0);
    q.now += kBear - 100 * kUs;
    EXPECT_EQ(q.credits(0, 1), MRC_REQ_GOES_ON);
    EXPECT_EQ(q.goOut(), q.psnsOf({0}));
    EXPECT_EQ(q.credits(1, 0), MRC_REQ_GOES_ON);
    q.now += kBear - 100 * kUs;
    EXPECT_EQ(q.credits(1, 0), MRC_REQ_GOES_ON);
    q.now += 200 * kUs;
    EXPECT_EQ(q.credits(1, 0), MRC_REQ_NO_RECEIVE);
}

/* A peer whose ACKs tell no receives: the SEND itself finds out. */
TEST(RequesterSend, WithoutCreditsOneSendTries)
{
    Sends q;
    q.noReceive(0);
    EXPECT_EQ(q.ack(ackOf(7)), 0);
    EXPECT_EQ(q.goOut(), q.psnsOf({0}));
    q.now += 1000 * kUs;
    EXPECT_EQ(q.noReceive(0), MRC_REQ_GOES_ON);
    EXPECT_EQ(q.res.lost, kEach);
    EXPECT_EQ(q.r.pause_until, 0u);
}

/* A SEND that was never begun waits, too, and asks. */
TEST(RequesterSend, TheNextSendWaitsUnsent)
{
    Waiting q;
    ASSERT_EQ(q.ack(ackOf(7)), 0);
    q.post(1, false, true);
    q.post(1, false, true);
    ASSERT_EQ(q.run(), 2u);
    q.now += 50 * kUs;
    const mrc_hdr nack = nackOf(8, MRC_NACK_NO_RESOURCE);
    ASSERT_EQ(mrc_req_nack(&q.r, &nack, q.now, &q.res), 0);
    ASSERT_EQ(q.ack(ackOf(7, mrc_credits_encode(1))), 0);
    ASSERT_EQ(q.run(), 1u);
    q.post(1, false, true);
    q.now += 50 * kUs;
    ASSERT_EQ(q.ack(ackOf(8, mrc_credits_encode(0))), 0);
    EXPECT_EQ(q.run(), 0u);
    EXPECT_NE(mrc_req_timer_at(&q.r, q.now), 0u);
    ASSERT_EQ(q.ack(ackOf(8, mrc_credits_encode(1))), 0);
    EXPECT_EQ(q.run(), 1u);
    q.now += 50 * kUs;
    ASSERT_EQ(q.ack(ackOf(9, mrc_credits_encode(0))), 0);
    EXPECT_TRUE(mrc_sendq_has_new(&q.r.sendq));
    while (q.timer() == MRC_REQ_NOTHING)
        ASSERT_LT(q.now, 60'000'000 * kUs);
    EXPECT_EQ(q.res.lost, 0u) << "a probe";
}

/* A SACK of a later write overtakes the NACK. The EVs of what seemed to be lost are not to blame.
 */
TEST(RequesterSend, ANackThatComesLateExcusesTheEvs)
{
    Sends q;
    mrc_hdr sack = sackOf(7);
    for (unsigned i = 0; i < kEach; ++i)
        sack.sack.bitmap |= 1ull << (q.first(2) + i - 8);
    sack.sack.sack_offset = 1;
    sack.sack.ooo_count = kEach;
    ASSERT_EQ(mrc_req_sack(&q.r, &sack, q.now, &q.res), 0);
    ASSERT_EQ(q.res.lost, 2 * kEach) << "both SENDs before the write seem to be lost";
    mrc_news news;
    while (mrc_req_news(&q.r, &q.res, q.now, &news))
        ;
    EXPECT_EQ(q.noReceive(0), MRC_REQ_GOES_ON);
    EXPECT_EQ(q.goOut(), std::vector<std::uint32_t>{});
    unsigned cleared = 0;
    while (mrc_req_news(&q.r, &q.res, q.now, &news))
        for (unsigned i = 0; i < news.count; ++i)
            cleared += (news.ev[i].what & MRC_NEWS_CLEARED) != 0;
    EXPECT_EQ(cleared, 4u) << "each EV";
}

/* Else each answer to a probe would double the interval to the next probe twice. */
TEST(RequesterSend, ANackThatRepeatsItselfIsNoNews)
{
    Sends q;
    q.noReceive(0);
    const mrc_req_wait before = q.r.wait;
    EXPECT_EQ(q.noReceive(0), MRC_REQ_GOES_ON);
    EXPECT_EQ(q.res.lost, 0u);
    EXPECT_EQ(q.r.wait.rounds, before.rounds);
    EXPECT_EQ(q.r.wait.until, before.until);
}

/* Of a long SEND only what is in the window is put back. */
TEST(RequesterSend, WhatHasArrivedOfASendIsNotPutBack)
{
    Sends q;
    mrc_hdr sack = sackOf(q.first(0) + 1);
    ASSERT_EQ(mrc_req_sack(&q.r, &sack, q.now, &q.res), 0);
    const mrc_hdr nack = nackOf(q.first(0) + 2, MRC_NACK_NO_RESOURCE);
    ASSERT_EQ(mrc_req_nack(&q.r, &nack, q.now, &q.res), 0);
    EXPECT_EQ(q.res.lost, 4 * kEach - 2);
    EXPECT_EQ(q.credits(0, 1), MRC_REQ_GOES_ON);
    EXPECT_EQ(q.goOut(), (std::vector<std::uint32_t>{q.first(0) + 2, q.first(0) + 3}));
}

namespace
{

/// A requester with a queue of responses.
struct Reading : Requester {
    std::vector<mrc_msg> responses = std::vector<mrc_msg>(MRC_READS_MAX);
    mrc_tx_result res{};

    Reading()
    {
        r.rspq.slots = responses.data();
        r.rspq.stride = sizeof(mrc_msg);
        r.rspq.depth = MRC_READS_MAX;
        mrc_sendq_start(&r.rspq, kMtu, 1);
    }

    static void add(mrc_sendq &q, u8 op, std::uint32_t packets)
    {
        mrc_msg *m = mrc_sendq_slot(&q);
        ASSERT_NE(m, nullptr);
        *m = {};
        m->op = op;
        m->len = packets * kMtu;
        mrc_sendq_queue(&q);
    }

    void read(std::uint32_t packets = 1) { add(r.sendq, MRC_MSG_READ, packets); }
    void respond(std::uint32_t packets) { add(r.rspq, MRC_MSG_READ_RSP, packets); }

    mrc_hdr headerOf(const mrc_plan &p)
    {
        const mrc_sendq *q = mrc_req_queue_of(&r, &p);
        const mrc_msg *m = mrc_sendq_at(q, p.msg);
        mrc_chunk c;
        mrc_hdr hdr;
        mrc_sendq_chunk(q, m, p.psn, &c);
        mrc_sendq_header(m, &c, p.psn, &hdr);
        return hdr;
    }

    /// Opcodes of all that goes out now.
    std::vector<u8> goOut()
    {
        std::vector<u8> opcodes;
        while (step())
            for (unsigned i = 0; i < b.count; ++i)
                opcodes.push_back(headerOf(b.plan[i]).bth.opcode);
        return opcodes;
    }

    void executed(std::uint32_t psn)
    {
        const mrc_hdr hdr = ackOf(psn);
        u32 up;
        ASSERT_EQ(mrc_req_ack(&r, &hdr, now, &up, &res), 0);
        complete();
    }

    void complete()
    {
        while (mrc_sendq_done(&r.sendq, r.acked_psn))
            mrc_sendq_end(&r.sendq);
        while (mrc_req_response_done(&r))
            mrc_sendq_end(&r.rspq);
        mrc_req_settle(&r, now);
    }
};

} // namespace

TEST(RequesterRead, RequestsAndResponsesTakeTurns)
{
    Reading q;
    q.post(2);
    q.post(1);
    q.post(1);
    q.respond(2);
    q.respond(1);
    const std::vector<u8> expected = {
        MRC_OP_WRITE_FIRST, MRC_OP_WRITE_LAST,    MRC_OP_READ_RSP_FIRST, MRC_OP_READ_RSP_LAST,
        MRC_OP_WRITE_ONLY,  MRC_OP_READ_RSP_ONLY, MRC_OP_WRITE_ONLY};
    EXPECT_EQ(q.goOut(), expected);
    EXPECT_EQ(q.r.next_msn, 5u) << "each message has a number of its own";
}

/* PSNs of a message are consecutive: nothing comes between its packets, whatever room there is. */
TEST(RequesterRead, AMessageGoesOnBeforeTheNextOne)
{
    for (const bool response : {false, true}) {
        Reading q;
        q.max = 3;
        q.r.rsp_turn = response;
        q.post(5);
        q.respond(5);
        std::vector<u8> first(5, response ? MRC_OP_READ_RSP_MIDDLE : MRC_OP_WRITE_MIDDLE);
        first[0] = response ? MRC_OP_READ_RSP_FIRST : MRC_OP_WRITE_FIRST;
        first[4] = response ? MRC_OP_READ_RSP_LAST : MRC_OP_WRITE_LAST;
        std::vector<u8> all = q.goOut();
        all.resize(5);
        EXPECT_EQ(all, first);
    }
}

TEST(RequesterRead, LostPacketsAreThoseOfTheirOwnQueue)
{
    Reading q;
    q.post(2);
    q.respond(2);
    q.post(1);
    q.run();
    q.lose(5);
    q.now += 1000 * kUs;
    const std::vector<u8> expected = {MRC_OP_WRITE_FIRST, MRC_OP_WRITE_LAST, MRC_OP_READ_RSP_FIRST,
                                      MRC_OP_READ_RSP_LAST, MRC_OP_WRITE_ONLY};
    EXPECT_EQ(q.goOut(), expected);
    q.executed(1);
    q.lose(3);
    q.now += 1000 * kUs;
    EXPECT_EQ(q.goOut(), std::vector<u8>(expected.begin() + 2, expected.end()));
}

TEST(RequesterRead, ResponsesEndWhenTheyHaveArrived)
{
    Reading q;
    q.respond(2);
    q.post(1);
    q.respond(1);
    q.run();
    q.executed(1);
    EXPECT_EQ(q.r.rspq.una, 0u);
    q.executed(2);
    EXPECT_EQ(q.r.rspq.una, 1u);
    q.executed(3);
    EXPECT_EQ(q.r.rspq.una, 2u);
    EXPECT_EQ(q.r.sendq.una, 1u);
}

/* The response comes by itself; that the peer is there must be asked now and then. */
TEST(RequesterRead, WhileOnlyAResponseIsMissingThePeerIsAskedEverMoreRarely)
{
    Reading q;
    q.read(1000);
    q.run();
    q.now += 50 * kUs;
    q.executed(0);
    EXPECT_EQ(q.r.sendq.una, 0u);
    std::uint64_t last = q.now, least = 0;
    for (unsigned round = 0; round < 20; ++round) {
        const std::uint64_t at = mrc_req_timer_at(&q.r, q.now);
        ASSERT_GT(at, q.now);
        q.now = at;
        ASSERT_EQ(mrc_req_timer(&q.r, q.now, &q.res), MRC_REQ_PROBE);
        EXPECT_GE(q.now - last + 1000, least) << "not more often than before";
        least = q.now - last;
        last = q.now;
        q.now += 50 * kUs;
        q.executed(0);
    }
    EXPECT_GE(least, q.r.tx.rtt.timing->ask_max / 2);
    mrc_req_answered(&q.r, 0);
    q.complete();
    EXPECT_EQ(q.r.sendq.una, 1u);
    EXPECT_EQ(mrc_req_timer_at(&q.r, q.now), 0u);
}

/* A peer that is gone is noticed by the retries of the QP, as for any request. */
TEST(RequesterRead, ASilentPeerEndsTheWaitForAResponse)
{
    Reading q;
    q.read();
    q.run();
    q.now += 50 * kUs;
    q.executed(0);
    mrc_req_due due = MRC_REQ_NOTHING;
    for (unsigned i = 0; i < 10'000 && due != MRC_REQ_FAILED; ++i) {
        const std::uint64_t at = mrc_req_timer_at(&q.r, q.now);
        ASSERT_NE(at, 0u);
        q.now = std::max(at, q.now);
        due = mrc_req_timer(&q.r, q.now, &q.res);
    }
    EXPECT_EQ(due, MRC_REQ_FAILED);
}

TEST(RequesterRead, AResponseBeforeTheAckOfItsRequest)
{
    Reading q;
    q.read();
    q.post(1);
    q.run();
    mrc_req_answered(&q.r, 0);
    q.complete();
    EXPECT_EQ(q.r.sendq.una, 0u) << "it was not acknowledged";
    q.executed(1);
    EXPECT_EQ(q.r.sendq.una, 2u);
}

/* The credits of an ACK count from the message that it names, wherever responses stand. */
TEST(RequesterRead, CreditsWithResponsesBetween)
{
    Reading q;
    q.post(1, false, true);
    q.respond(3);
    q.post(1, false, true);
    q.post(1, false, true);
    q.run();
    mrc_hdr nack = nackOf(4, MRC_NACK_NO_RESOURCE);
    ASSERT_EQ(mrc_req_nack(&q.r, &nack, q.now, &q.res), 0);
    EXPECT_TRUE(q.r.sendq.limited);
    const mrc_hdr ack = ackOf(0, mrc_credits_encode(1));
    u32 psn;
    ASSERT_EQ(mrc_req_ack(&q.r, &ack, q.now, &psn, &q.res), 0);
    q.complete();
    EXPECT_EQ(q.goOut(), std::vector<u8>{MRC_OP_SEND_ONLY});
}

/* The peer's QP has ended after it had acknowledged the READ: only a NACK for that says it. */
TEST(RequesterRead, AResponseThatWillNotCome)
{
    Reading q;
    q.read();
    q.run();
    q.executed(0);
    mrc_hdr nack = nackOf(0, MRC_NACK_UNEXP_EVENT);
    const int err = mrc_req_nack(&q.r, &nack, q.now, &q.res);
    EXPECT_EQ(mrc_req_judge(&nack, err, &q.res), MRC_REQ_UNEXPECTED);
}

/* Not the oldest request of the program is at fault, but a response of this QP. */
TEST(RequesterRead, ARefusedResponseIsNoFaultOfARequest)
{
    Reading q;
    q.post(1);
    q.respond(2);
    q.run();
    for (const u8 syndrome : {MRC_NAK_INVALID, MRC_NAK_OPERATION}) {
        const mrc_hdr nak = ackOf(1, syndrome);
        u32 psn;
        const int err = mrc_req_ack(&q.r, &nak, q.now, &psn, &q.res);
        EXPECT_EQ(mrc_req_judge(&nak, err, &q.res), MRC_REQ_UNWANTED);
    }
}

/* A program may post the receive only when it has what it READs. */
TEST(RequesterRead, ResponsesGoOnWhileARequestWaitsForAReceive)
{
    Reading q;
    q.post(1, false, true);
    q.run();
    mrc_hdr nack = nackOf(0, MRC_NACK_NO_RESOURCE);
    ASSERT_EQ(mrc_req_nack(&q.r, &nack, q.now, &q.res), 0);
    q.post(1);
    q.respond(2);
    EXPECT_EQ(q.goOut(), (std::vector<u8>{MRC_OP_READ_RSP_FIRST, MRC_OP_READ_RSP_LAST}));
    nack = nackOf(2, MRC_NACK_TRIMMED);
    ASSERT_EQ(mrc_req_nack(&q.r, &nack, q.now, &q.res), 0);
    EXPECT_EQ(q.goOut(), std::vector<u8>{MRC_OP_READ_RSP_LAST}) << "a lost one goes out again";
    const mrc_hdr ack = ackOf(0xffffff, mrc_credits_encode(1));
    u32 psn;
    ASSERT_EQ(mrc_req_ack(&q.r, &ack, q.now, &psn, &q.res), 0);
    EXPECT_EQ(q.goOut(), (std::vector<u8>{MRC_OP_SEND_ONLY, MRC_OP_WRITE_ONLY}));
}

/* While a WriteImm waits, the peer's window begins there. */
TEST(RequesterRead, ResponsesGoOnAsFarAsTheWindowReaches)
{
    Reading q;
    q.post(1, true);
    q.run();
    mrc_hdr sack = sackOf(0);
    ASSERT_EQ(mrc_req_sack(&q.r, &sack, q.now, &q.res), 0);
    mrc_hdr nack = nackOf(0, MRC_NACK_NO_RESOURCE);
    mrc_req_nack(&q.r, &nack, q.now, &q.res);
    ASSERT_NE(q.r.wait.since, 0u);
    q.cwnd = 1u << 14;
    q.respond(3 * q.r.tx.size);
    const std::size_t gone = q.goOut().size();
    EXPECT_LE(gone, q.r.tx.size);
    EXPECT_GE(gone, q.r.tx.size - MRC_BATCH_MAX);
    sack.sack.cack_psn = static_cast<u32>(gone);
    ASSERT_EQ(mrc_req_sack(&q.r, &sack, q.now, &q.res), 0);
    EXPECT_EQ(q.goOut().size(), 0u) << "the WriteImm still waits";
}

/*
 * A READ that waits for its response stays the oldest request, whatever comes behind it. PSNs are
 * serial numbers, so those of what comes behind it must stay near.
 */
TEST(RequesterRead, NothingIsBegunTooFarBehindARequestThatIsOpen)
{
    for (const bool response : {false, true}) {
        Reading q;
        q.read();
        q.run();
        q.executed(0);
        q.r.tx.una = q.r.tx.nxt = MRC_REQ_SPAN_MAX - 4;
        q.r.acked_psn = q.r.tx.una - 1;
        response ? q.respond(5) : q.post(5);
        EXPECT_FALSE(mrc_req_wants(&q.r, q.now));
        EXPECT_EQ(q.step(), 0u);
        mrc_req_answered(&q.r, 0);
        q.complete();
        EXPECT_EQ(q.run(), 5u);
    }
}

/* ACKs of other requests do not put off the question whether the peer is there. */
TEST(RequesterRead, AnAckThatNobodyAskedForChangesNothing)
{
    Reading q;
    q.read();
    q.run();
    q.now += 50 * kUs;
    q.executed(0);
    const std::uint64_t at = mrc_req_timer_at(&q.r, q.now);
    for (u32 psn = 1; psn < 20; ++psn) {
        q.post(1);
        q.run();
        q.executed(psn);
    }
    EXPECT_EQ(mrc_req_timer_at(&q.r, q.now), at);
}

/* A NAK for the write waits for the response, and so does its ACK: however long that takes. */
TEST(RequesterRead, WhatIsNotExecutedBehindAReadDoesNotEndTheQp)
{
    Reading q;
    q.read(1000);
    q.post(1);
    q.run();
    q.now += 50 * kUs;
    const mrc_hdr sack = sackOf(1);
    ASSERT_EQ(mrc_req_sack(&q.r, &sack, q.now, &q.res), 0);
    q.executed(0);
    for (unsigned round = 0; round < 100; ++round) {
        q.now = std::max<u64>(q.now, mrc_req_timer_at(&q.r, q.now));
        ASSERT_NE(mrc_req_timer(&q.r, q.now, &q.res), MRC_REQ_FAILED) << round;
        q.now += 50 * kUs;
        q.executed(0);
    }
}
