// SPDX-License-Identifier: GPL-2.0-only
//
// Tests the peer's window: what is known of it, and both ends of a QP whose settings differ.

#include "engine/core.h"

#include <array>
#include <gtest/gtest.h>
#include <queue>
#include <vector>

namespace
{

constexpr std::uint64_t kUs = 1000;
constexpr std::uint64_t kSec = 1'000'000'000;

mrc_reach fresh(std::uint32_t most = 1024)
{
    mrc_reach r;
    mrc_reach_init(&r, most);
    return r;
}

TEST(Reach, ItIsOursUntilThePeerSaysLess)
{
    mrc_reach r = fresh();
    mrc_reach_sack(&r, 0, 200, kSec);
    EXPECT_EQ(r.now, 1024u);
    mrc_reach_sack(&r, 4, 0, kSec);
    EXPECT_EQ(r.now, 512u);
    mrc_reach_sack(&r, 255, 0, kSec);
    EXPECT_EQ(r.now, 1024u) << "never more than ours";
    mrc_reach_sack(&r, 1, 0, kSec);
    EXPECT_EQ(r.now, 128u);
}

TEST(Reach, ARefusalBoundsIt)
{
    mrc_reach r = fresh();
    EXPECT_TRUE(mrc_reach_exceeded(&r, 513, kSec));
    EXPECT_EQ(r.now, 512u);
    EXPECT_TRUE(mrc_reach_exceeded(&r, 700, kSec)) << "of the same flight";
    EXPECT_EQ(r.now, 512u);
    r = fresh();
    EXPECT_TRUE(mrc_reach_exceeded(&r, 700, kSec));
    EXPECT_EQ(r.now, 640u) << "it was no smaller, as far as this one says";
    EXPECT_TRUE(mrc_reach_exceeded(&r, 513, kSec));
    EXPECT_EQ(r.now, 512u);
    r = fresh();
    EXPECT_FALSE(mrc_reach_exceeded(&r, 5, kSec)) << "there is no window that small";
    EXPECT_EQ(r.now, 128u);
}

/* A NACK that SACKs have overtaken names a packet that is now close. */
TEST(Reach, WhatThePeerHasTakenIsWithin)
{
    mrc_reach r = fresh();
    mrc_reach_sack(&r, 0, 500, kSec);
    EXPECT_FALSE(mrc_reach_exceeded(&r, 300, kSec));
    EXPECT_EQ(r.now, 1024u);
    EXPECT_TRUE(mrc_reach_exceeded(&r, 513, kSec));
    EXPECT_EQ(r.now, 512u);
    mrc_reach_sack(&r, 0, 600, kSec);
    EXPECT_EQ(r.now, 640u);
}

TEST(Reach, WhatItHasToldHoldsAgainstARefusal)
{
    mrc_reach r = fresh();
    mrc_reach_sack(&r, 4, 0, kSec);
    EXPECT_TRUE(mrc_reach_exceeded(&r, 513, kSec)) << "in flight before it was told";
    EXPECT_FALSE(mrc_reach_exceeded(&r, 200, kSec));
    EXPECT_EQ(r.now, 512u);
}

TEST(Reach, ABoundByRefusalsIsTriedAgainLaterAndLater)
{
    mrc_reach r = fresh();
    std::uint64_t now = kSec;
    for (const std::uint64_t hold : {1, 2, 4, 8, 16, 32, 64, 64}) {
        EXPECT_TRUE(mrc_reach_exceeded(&r, 513, now));
        now += hold * kSec;
        mrc_reach_sack(&r, 0, 0, now - 1);
        EXPECT_EQ(r.now, 512u);
        mrc_reach_sack(&r, 0, 0, now);
        EXPECT_EQ(r.now, 640u);
    }
    for (int n = 0; n < 9; ++n)
        mrc_reach_sack(&r, 0, 0, now += 64 * kSec);
    EXPECT_EQ(r.now, 1024u);
}

/** Both ends of a QP, and a wire of 100 Gb/s and 10 us each way that drops every @p lossEvery th.
 */
struct Pair {
    static constexpr u16 kEvs = 8;
    struct Packet {
        std::uint64_t at;
        mrc_hdr hdr;
        std::uint32_t payload;
        u16 ev;
    };

    mrc_req req{};
    mrc_resp resp{};
    std::array<mrc_msg, 128> slots{};
    std::vector<u64> txMem, rxMem;
    mrc_paths paths{};
    std::array<mrc_paths_ev, kEvs> pathEv{};
    std::array<mrc_ev_entry, kEvs> entry{};
    std::queue<Packet> there, back;
    bool tells; ///< the peer's SACKs have its MPR
    unsigned lossEvery;
    std::uint64_t now = kSec, wire = 0;
    unsigned sent = 0, lost = 0, beyond = 0, nacks = 0, again = 0, messages = 0, blamed = 0;

    Pair(unsigned txMpr, unsigned rxMpr, bool tells, unsigned lossEvery)
        : txMem(mrc_req_mem(txMpr * MRC_MPR_UNIT) / sizeof(u64) + 1),
          rxMem(mrc_rx_window_mem(rxMpr * MRC_MPR_UNIT, 16) / sizeof(u64) + 1), tells(tells),
          lossEvery(lossEvery)
    {
        const mrc_tx_cfg tx = {.size = txMpr * MRC_MPR_UNIT,
                               .retries = {.timeout_ns = 16'777'216, .linear = 7, .exp = 3}};
        const mrc_resp_cfg rx = {
            .size = rxMpr * MRC_MPR_UNIT, .imm_max = 16, .mtu = 4096, .sack_bytes = 262144};
        req.sendq.slots = slots.data();
        req.sendq.stride = sizeof(mrc_msg);
        req.sendq.depth = static_cast<u32>(slots.size());
        mrc_req_start(&req, txMem.data(), &tx, 1000);
        mrc_sendq_start(&req.sendq, 4096, 16);
        mrc_resp_start(&resp, rxMem.data(), &rx, 1000);
        for (u16 i = 0; i < kEvs; ++i) {
            pathEv[i].bits = i + 1u;
            pathEv[i].index = i;
            entry[i].port = static_cast<u8>(1 + i / 2);
        }
        EXPECT_EQ(mrc_paths_init(&paths, pathEv.data(), entry.data(), kEvs, kEvs / 4, 0, 7), 0);
        mrc_req_sync_evs(&req, &paths, 1);
    }

    void send(Packet p)
    {
        wire = std::max(wire, now) + 330;
        p.at = wire + 10 * kUs;
        there.push(p);
    }

    void go()
    {
        const mrc_cc_grant grant = {.cwnd = 64 << 20,
                                    .room = 64 << 20,
                                    .room_lost = 64 << 20,
                                    .least = 1,
                                    .ask_after = 32 << 20};
        mrc_batch b;
        for (;;) {
            while (mrc_msg *m = mrc_sendq_slot(&req.sendq)) {
                m->len = 65536;
                mrc_sendq_queue(&req.sendq);
            }
            if (!mrc_req_plan(&req, now, MRC_BATCH_MAX, &grant, &b))
                return;
            std::array<u16, MRC_BATCH_MAX> ev{};
            const unsigned stride = mrc_req_stride(&b, 8, paths.set.good, paths.set.bad);
            mrc_paths_draw(&paths, b.any, b.count, now, ev.data(), stride);
            mrc_req_deal(&req, &b, ev.data(), stride, now);
            again += b.rtx ? b.count : 0;
            for (unsigned e = 0; e < b.stride; ++e)
                for (unsigned i = e; i < b.count; i += b.stride)
                    leave(b, i);
        }
    }

    void leave(const mrc_batch &b, unsigned i)
    {
        const mrc_msg *m = mrc_sendq_at(&req.sendq, b.plan[i].msg);
        Packet p{};
        mrc_chunk c;
        mrc_sendq_chunk(&req.sendq, m, b.plan[i].psn, &c);
        mrc_sendq_header(m, &c, b.plan[i].psn, &p.hdr);
        p.hdr.bth.rtx = b.rtx;
        p.hdr.bth.ackreq = b.ask && i == b.count - 1;
        p.payload = c.len;
        p.ev = b.plan[i].ev;
        send(p);
    }

    void answer(const mrc_answers &a)
    {
        for (unsigned i = 0; i < a.count; ++i) {
            Packet p{.at = now + 10 * kUs, .hdr = a.hdr[i], .payload = 0, .ev = 0};
            nacks += p.hdr.bth.opcode == MRC_OP_NACK;
            if (p.hdr.bth.opcode == MRC_OP_SACK && !tells)
                p.hdr.sack.mpr = 0;
            back.push(p);
        }
    }

    void arrive(const Packet &p)
    {
        mrc_answers a{};
        if (p.hdr.bth.opcode == MRC_OP_PROBE) {
            mrc_resp_probe(&resp, &p.hdr.probe, p.ev + 1u, false, &a);
            return answer(a);
        }
        if (++sent % lossEvery == 0) {
            ++lost;
            return;
        }
        mrc_rx_arrival arrival;
        mrc_resp_arrival(&p.hdr, p.payload, p.ev + 1u, false, &arrival);
        const mrc_rx_verdict verdict = mrc_resp_claim(&resp, &arrival);
        beyond += verdict == MRC_RX_OOR;
        if (verdict == MRC_RX_NEW)
            mrc_resp_commit(&resp, &arrival, 0);
        for (mrc_rx_done done; mrc_resp_next_done(&resp, &done);)
            ++messages;
        EXPECT_EQ(mrc_resp_answer(&resp, now, &a), 0);
        answer(a);
    }

    void learn(mrc_tx_result &res)
    {
        mrc_news n;
        while (mrc_req_news(&req, &res, now, &n)) {
            for (unsigned i = 0; i < n.count; ++i)
                blamed += (n.ev[i].what & MRC_NEWS_LOST) != 0;
            mrc_paths_learn(&paths, &n, now);
        }
    }

    void digest(const mrc_hdr &hdr)
    {
        mrc_tx_result res;
        int err = 0;
        u32 psn = 0;
        mrc_tx_result_init(&res);
        if (hdr.bth.opcode == MRC_OP_SACK) {
            err = mrc_req_sack(&req, &hdr, now, &res);
        } else if (hdr.bth.opcode == MRC_OP_NACK) {
            err = mrc_req_nack(&req, &hdr, now, &res);
        } else if (!mrc_req_ack(&req, &hdr, now, &psn, &res)) {
            while (mrc_sendq_done(&req.sendq, psn))
                mrc_sendq_end(&req.sendq);
            mrc_req_settle(&req, now);
        }
        EXPECT_FALSE(res.expired);
        if (!err || res.spurious)
            learn(res);
        go();
    }

    void timer()
    {
        mrc_tx_result res;
        const mrc_req_due due = mrc_req_timer(&req, now, &res);
        EXPECT_NE(due, MRC_REQ_FAILED);
        learn(res);
        if (due == MRC_REQ_PROBE) {
            Packet p{};
            p.hdr.bth.opcode = MRC_OP_PROBE;
            p.hdr.probe.id = req.tx.probe_id;
            send(p);
        }
        go();
    }

    void run(std::uint64_t ns)
    {
        const std::uint64_t end = now + ns;
        go();
        while (now < end && !testing::Test::HasFailure()) {
            const std::uint64_t a = there.empty() ? U64_MAX : there.front().at;
            const std::uint64_t b = back.empty() ? U64_MAX : back.front().at;
            const std::uint64_t c = mrc_req_timer_at(&req, now) ?: U64_MAX;
            const std::uint64_t d = mrc_resp_timer_at(&resp) ?: U64_MAX;
            now = std::max(now, std::min({a, b, c, d}));
            if (a <= now) {
                const Packet p = there.front();
                there.pop();
                arrive(p);
            } else if (b <= now) {
                const mrc_hdr hdr = back.front().hdr;
                back.pop();
                digest(hdr);
            } else if (c <= now) {
                timer();
            } else {
                mrc_answers answers{};
                mrc_resp_timer(&resp, now, &answers);
                answer(answers);
            }
        }
    }

    /** Part of the line rate over 20 ms. A message has 16 packets. */
    double goodput() const { return messages * 16 * 330.0 / 20e6; }
};

/*
 * Two losses. Without this 4,485 packets were dropped beyond the window, and 6 of 8 EVs were
 * blamed.
 */
TEST(Reach, AWindowThatThePeerTellsIsNotExceeded)
{
    for (const unsigned lossEvery : {30000u, 3000u}) {
        Pair pair(8, 4, true, lossEvery);
        pair.run(20'000 * kUs);
        EXPECT_EQ(pair.beyond, 0u);
        EXPECT_EQ(pair.again, pair.lost);
        EXPECT_LE(pair.blamed, pair.lost);
        EXPECT_GT(pair.goodput(), 0.97);
    }
}

/*
 * If the peer says nothing, the first loss reveals its window: what was in flight beyond it is put
 * back.
 */
TEST(Reach, AWindowThatThePeerDoesNotTellIsExceededOnce)
{
    for (const unsigned lossEvery : {30000u, 3000u}) {
        Pair pair(8, 4, false, lossEvery);
        pair.run(20'000 * kUs);
        EXPECT_EQ(pair.req.reach.now, 512u);
        EXPECT_GT(pair.beyond, 0u);
        EXPECT_LE(pair.beyond, 512u);
        EXPECT_LE(pair.blamed, pair.lost) << "not for what was dropped beyond the window";
        EXPECT_LE(pair.again, pair.lost + 2 * 512u);
        EXPECT_GT(pair.goodput(), 0.95);
    }
}

/* The other way round nothing changes. */
TEST(Reach, ALargerWindowIsNotUsed)
{
    Pair pair(4, 8, true, 3000);
    pair.run(20'000 * kUs);
    EXPECT_EQ(pair.req.tx.size, 512u);
    EXPECT_EQ(pair.beyond, 0u);
    EXPECT_EQ(pair.again, pair.lost);
}

} // namespace
