// SPDX-License-Identifier: GPL-2.0-only
//
// Tests a QP that is answered, beside QPs of the same user that nothing answers: they are connected
// to QP numbers that do not exist, or the other end is not ready. All share one window under NSCC,
// 100 Gb/s and 20 us. No packet of the healthy QP is ever lost, so it must get what it gets alone.
#include "engine/core.h"

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <memory>
#include <queue>
#include <vector>

namespace
{

constexpr u32 kMtu = 4096;
constexpr u32 kMessage = 65536;
constexpr u32 kWindowPsns = 1024;
constexpr u32 kDepth = 128;
constexpr u64 kSec = 1000000000;
constexpr u64 kDelay = 10000;
constexpr u64 kPacket = 330; // ns on the wire
constexpr u64 kStart = kSec;

/// Events, in the order of their times.
class Clock
{
public:
    u64 now = kStart;

    void at(u64 when, std::function<void()> what)
    {
        todo_.push({std::max(when, now), order_++, std::move(what)});
    }
    void run(u64 end)
    {
        while (!todo_.empty() && todo_.top().when <= end) {
            const Item next = todo_.top();
            todo_.pop();
            now = next.when;
            next.what();
        }
        now = end;
    }

private:
    struct Item {
        u64 when;
        u64 order;
        std::function<void()> what;
        bool operator<(const Item &other) const
        {
            return when != other.when ? when > other.when : order > other.order;
        }
    };
    std::priority_queue<Item> todo_;
    u64 order_ = 0;
};

struct Host;

/// A requester; if @p answered is false, nothing that it sends arrives anywhere.
struct Sender : mrc_shared_place {
    Host &host;
    bool answered;
    bool failed = false;
    u64 done = 0; ///< completed messages
    u64 timerAt = 0;
    std::vector<u64> mem;
    std::vector<mrc_msg> slots;
    mrc_req req{};

    Sender(Host &h, bool isAnswered, unsigned timeout);
    void step();
    bool plan(mrc_batch &b);
    void leave(const mrc_batch &b);
    void packet(const mrc_plan &p, bool rtx, bool ask);
    void arm();
    void timer();
    void learn(mrc_tx_result &res);
    void answer(const mrc_hdr &hdr);
    void go();
};

struct Host {
    Clock clock;
    mrc_shared window{};
    u64 wire = 0;
    std::vector<std::unique_ptr<Sender>> senders;
    std::vector<u64> mem;
    mrc_resp resp{};

    Host();
    Sender &add(bool answered, unsigned timeout)
    {
        senders.push_back(std::make_unique<Sender>(*this, answered, timeout));
        return *senders.back();
    }
    /// As in transport/peer/congestion.c: QPs that wait get their turns.
    void serve()
    {
        const mrc_shared_place *last = nullptr;
        for (mrc_shared_place *p; (p = mrc_shared_next(&window)) && p != last; last = p)
            static_cast<Sender *>(p)->go();
    }
    void arrived(Sender &from, const mrc_hdr &hdr, u32 payload);
    void say(Sender &to, const mrc_answers &a)
    {
        for (unsigned i = 0; i < a.count; ++i)
            clock.at(clock.now + kDelay, [&to, hdr = a.hdr[i]] { to.answer(hdr); });
    }
    void respTimer(Sender &to);
};

Host::Host() : mem(mrc_rx_window_mem(kWindowPsns, 16) / sizeof(u64) + 1)
{
    mrc_cc_params p{};
    p.rate = 12500000000ull;
    p.mtu = 4224;
    p.algorithm = MRC_CC_NSCC;
    p.gamma = MRC_CC_GAMMA_DEFAULT;
    p.max_md_jump = MRC_CC_MD_JUMP_DEFAULT;
    p.qa_gate = MRC_CC_QA_GATE_DEFAULT;
    mrc_shared_init(&window, &p, &mrc_timing_software, false, clock.now);
    mrc_cc_capacity(&window.cc, 4, 4);

    mrc_resp_cfg rc{};
    rc.size = kWindowPsns;
    rc.imm_max = 16;
    rc.mtu = kMtu;
    rc.sack_bytes = 262144;
    mrc_resp_start(&resp, mem.data(), &rc, 0);
}

void Host::arrived(Sender &from, const mrc_hdr &hdr, u32 payload)
{
    mrc_answers a;
    mrc_rx_arrival arrival;
    mrc_rx_done done;

    mrc_answers_init(&a);
    if (hdr.bth.opcode == MRC_OP_PROBE) {
        mrc_resp_probe(&resp, &hdr.probe, 1, false, &a);
        return say(from, a);
    }
    mrc_resp_arrival(&hdr, payload, 1, false, &arrival);
    if (mrc_resp_claim(&resp, &arrival) == MRC_RX_NEW)
        mrc_resp_commit(&resp, &arrival, 0);
    while (mrc_resp_next_done(&resp, &done))
        ;
    mrc_resp_answer(&resp, clock.now, &a);
    say(from, a);
    respTimer(from);
}

void Host::respTimer(Sender &to)
{
    const u64 at = mrc_resp_timer_at(&resp);
    if (at)
        clock.at(at, [this, &to] {
            mrc_answers a;
            mrc_answers_init(&a);
            mrc_resp_timer(&resp, clock.now, &a);
            say(to, a);
        });
}

Sender::Sender(Host &h, bool isAnswered, unsigned timeout)
    : mrc_shared_place{}, host(h), answered(isAnswered),
      mem(mrc_req_mem(kWindowPsns) / sizeof(u64)), slots(kDepth)
{
    mrc_tx_cfg cfg{};
    cfg.size = kWindowPsns;
    cfg.retries.timeout_ns = 1024ull << timeout;
    cfg.retries.linear = 7;
    cfg.retries.exp = 3;
    req.sendq.slots = slots.data();
    req.sendq.stride = sizeof(slots[0]);
    req.sendq.depth = kDepth;
    mrc_sendq_start(&req.sendq, kMtu, 16);
    mrc_req_start(&req, mem.data(), &cfg, 0);
    req.evs_gen = 1;
}

bool Sender::plan(mrc_batch &b)
{
    mrc_cc_grant g;
    bool more = false;

    if (!mrc_req_wants(&req, host.clock.now)) {
        mrc_shared_step_aside(&host.window, this);
        return false;
    }
    if (mrc_shared_begin(&host.window, this, &g)) {
        more = mrc_req_plan(&req, host.clock.now, MRC_BATCH_MAX, &g, &b);
        mrc_shared_end(&host.window, this, more ? b.count : 0, more ? b.bytes : 0,
                       mrc_req_wants(&req, host.clock.now), host.clock.now);
    }
    return more;
}

void Sender::go()
{
    static const u16 ev[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    mrc_batch b;

    while (mrc_msg *m = failed ? nullptr : mrc_sendq_slot(&req.sendq)) {
        *m = {};
        m->len = kMessage;
        mrc_sendq_queue(&req.sendq);
    }
    for (unsigned budget = 16; budget && !failed && plan(b); --budget) {
        mrc_req_deal(&req, &b, ev, mrc_req_stride(&b, 8, 8, 0), host.clock.now);
        leave(b);
    }
    arm();
}

void Sender::step()
{
    go();
    host.serve();
}

void Sender::leave(const mrc_batch &b)
{
    for (unsigned e = 0; e < b.stride; ++e)
        for (unsigned i = e; i < b.count; i += b.stride)
            packet(b.plan[i], b.rtx, b.ask && i == b.count - 1);
}

void Sender::packet(const mrc_plan &p, bool rtx, bool ask)
{
    mrc_msg *m = mrc_sendq_at(&req.sendq, p.msg);
    mrc_chunk c;
    mrc_hdr hdr{};

    mrc_sendq_chunk(&req.sendq, m, p.psn, &c);
    mrc_sendq_header(m, &c, p.psn, &hdr);
    hdr.bth.rtx = rtx;
    hdr.bth.ackreq = ask;
    host.wire = std::max(host.wire, host.clock.now) + kPacket;
    if (answered)
        host.clock.at(host.wire + kDelay,
                      [this, hdr, len = c.len] { host.arrived(*this, hdr, len); });
}

void Sender::arm()
{
    const u64 silent = mrc_shared_timer_at(&host.window, this);
    u64 at = mrc_req_timer_at(&req, host.clock.now);

    at = at && silent ? std::min(at, silent) : at + silent;
    if (!at || failed || (timerAt && timerAt <= at))
        return;
    timerAt = at;
    host.clock.at(at, [this, at] {
        if (timerAt == at)
            timer();
    });
}

void Sender::timer()
{
    mrc_tx_result res;
    const u64 now = host.clock.now;

    timerAt = 0;
    mrc_shared_timer(&host.window, this, now);
    const mrc_req_due due = mrc_req_timer(&req, now, &res);
    learn(res);
    if (due == MRC_REQ_PROBE && answered) {
        mrc_answers a;
        mrc_answers_init(&a);
        mrc_answers_probe(&a, req.tx.probe_id);
        host.clock.at(now + kDelay, [this, hdr = a.hdr[0]] { host.arrived(*this, hdr, 0); });
    }
    failed |= due == MRC_REQ_FAILED;
    if (failed)
        mrc_shared_leave(&host.window, this, now);
    step();
}

void Sender::learn(mrc_tx_result &res)
{
    mrc_cc_news n;
    mrc_news news;

    mrc_req_cc_news(&req, &res, host.clock.now, &n);
    mrc_shared_learn(&host.window, this, &n, host.clock.now);
    while (mrc_req_news(&req, &res, host.clock.now, &news))
        ;
}

void Sender::answer(const mrc_hdr &hdr)
{
    mrc_tx_result res;
    u32 psn = 0;
    const u64 now = host.clock.now;

    if (hdr.bth.opcode == MRC_OP_SACK) {
        ASSERT_EQ(mrc_req_sack(&req, &hdr, now, &res), 0);
    } else {
        ASSERT_EQ(mrc_req_ack(&req, &hdr, now, &psn, &res), 0);
        for (; mrc_sendq_done(&req.sendq, psn); ++done)
            mrc_sendq_end(&req.sendq);
        mrc_req_settle(&req, now);
    }
    learn(res);
    step();
}

/// The healthy QP's goodput beside @p silent others, in Gb/s, over @p time; these begin before it,
/// or later.
double beside(unsigned silent, unsigned timeout, u64 time, bool later)
{
    Host host;
    Sender &healthy = host.add(true, timeout);
    const u64 warm = 20000000;

    if (later)
        healthy.step();
    host.clock.run(kStart + (later ? warm : 0));
    for (unsigned i = 0; i < silent; ++i)
        host.add(false, timeout).step();
    if (!later)
        healthy.step();
    host.clock.run(host.clock.now + (later ? 0 : warm));
    const u64 before = healthy.done;
    host.clock.run(host.clock.now + time);
    return static_cast<double>((healthy.done - before) * kMessage * 8) / static_cast<double>(time);
}

constexpr u64 kTime = 50000000;

double alone()
{
    static const double gbps = beside(0, 14, kTime, false);
    return gbps;
}

class SharedSim : public ::testing::TestWithParam<std::tuple<unsigned, unsigned>>
{
};

// 0.9, because the retransmissions of a thousand silent QPs at each timeout of 17 ms take 4 % of
// the link.
TEST_P(SharedSim, SilentQpsCostTheirNeighbourNothing)
{
    const auto [silent, timeout] = GetParam();

    EXPECT_GT(alone(), 95);
    EXPECT_GT(beside(silent, timeout, kTime, false), 0.9 * alone());
}

INSTANTIATE_TEST_SUITE_P(All, SharedSim,
                         ::testing::Combine(::testing::Values(1u, 60u, 1000u),
                                            ::testing::Values(14u, 20u)));

TEST(SharedSimLater, ThoseThatBeginLaterDoNotEither)
{
    EXPECT_GT(beside(60, 14, kTime, true), 0.9 * alone());
}

} // namespace
