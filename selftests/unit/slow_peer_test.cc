// SPDX-License-Identifier: GPL-2.0-only
//
// Tests a peer that is merely slow: some hundred packets a second, one after another, a SACK for
// each packet that counts nothing beyond the cumulative PSN, round trips of tens to hundreds of
// milliseconds. It loses one packet in a hundred and refuses another one.
#include "cc_window.h"
#include "sim_clock.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <string>
#include <vector>

namespace
{

constexpr u64 kMs = 1'000'000;
constexpr u64 kStart = 1000 * kMs;
constexpr u32 kMtu = 4096;
constexpr u16 kEvs = 8;
constexpr u32 kRequests = 2048; ///< a power of two

struct SlowPeer {
    u64 seed = 1;
    u32 psns = 1024; ///< window of PSNs
    u32 packets = 1536;
    u64 serveNs = 2 * kMs; ///< time that the peer takes for a packet
    u64 wayNs = 10 * kMs;  ///< time there and back
    unsigned room = ~0u;   ///< packets that wait for the peer; more are lost
    bool fromHole = false; ///< its bitmaps begin behind the cumulative PSN, not at the news
    unsigned lostPpm = 10000;
    unsigned refusedPpm = 10000;
};

struct SlowReport {
    u64 endNs = 0; ///< 0: never
    unsigned sent = 0;
    unsigned lost = 0; ///< lost by the network
    unsigned refused = 0;
    unsigned needless = 0; ///< arrived although the peer already had them
    unsigned timeouts = 0;
    unsigned probes = 0;
};

class SlowSim : public engine::Requester<SlowSim>
{
public:
    using Steps = engine::Requester<SlowSim>;

    SlowSim(const SlowPeer &config, const mrc_cc_params &params)
        : Steps(paths, window), c(config), clock(kStart), rng(c.seed), taken(c.packets),
          timer(clock, [this] { timerFired(); })
    {
        mrc_shared_init(&window, &params, &mrc_timing_software, true, kStart);
        engine::start(req_,
                      {.window = {.size = c.psns,
                                  .retries = {.timeout_ns = 1024ull << 14, .linear = 3, .exp = 25}},
                       .requests = kRequests,
                       .mtu = kMtu},
                      memory);
        for (u32 i = 0; i < c.packets; ++i)
            queue({.len = kMtu});
    }

    SlowReport run(u64 ns)
    {
        pump();
        while (!clock.idle() && !r.endNs && clock.now < kStart + ns)
            clock.step();
        return r;
    }

private:
    friend Steps;

    struct Packet {
        u32 psn;
        bool rtx;
        bool probe;
        u16 id;
    };

    const SlowPeer c;
    SimClock clock;
    std::mt19937_64 rng;
    SlowReport r;
    mrc_paths paths{}; ///< none: the EVs of packets are the turns below
    mrc_shared window{};
    engine::RequesterMemory memory;
    std::vector<bool> taken; ///< packets that the peer has
    u32 cumulative = 0;      ///< of these, the unbroken sequence from the first on
    std::deque<Packet> waiting;
    u16 turn = 0;
    SimTimer timer;

    bool chance(unsigned ppm) { return rng() % 1'000'000 < ppm; }

    uint64_t now() const { return clock.now; }
    /// A silent QP keeps its window, which no other QP wants.
    static void heed(mrc_cc_news &news) { news.silent = false; }

    void pump()
    {
        mrc_batch b;
        while (send(MRC_BATCH_MAX, b))
            ;
        const u64 at = timer_at();
        if (at)
            timer.arm(at);
    }

    unsigned draw(const mrc_batch &b, u16 *ev)
    {
        const unsigned stride = mrc_req_stride(&b, 4, kEvs, 0);
        for (unsigned i = 0; i < stride; ++i)
            ev[i] = turn++ % kEvs;
        return stride;
    }

    void leave(const mrc_batch &b)
    {
        for (unsigned i = 0; i < b.count; ++i) {
            ++r.sent;
            if (chance(c.lostPpm))
                ++r.lost;
            else
                travel({b.plan[i].psn, b.rtx, false, 0});
        }
    }

    void travel(const Packet &p)
    {
        clock.at(clock.now + c.wayNs / 2, [this, p] {
            if (waiting.size() >= c.room)
                return void(++r.lost);
            waiting.push_back(p);
            if (waiting.size() == 1)
                serve();
        });
    }

    void serve()
    {
        clock.at(clock.now + c.serveNs, [this] {
            take(waiting.front());
            waiting.pop_front();
            if (!waiting.empty())
                serve();
        });
    }

    void take(const Packet &p)
    {
        if (p.probe)
            return sendSack(p);
        if (!taken[p.psn] && chance(c.refusedPpm)) {
            ++r.refused;
            return refuse(p);
        }
        r.needless += taken[p.psn];
        taken[p.psn] = true;
        while (cumulative < c.packets && taken[cumulative])
            ++cumulative;
        sendSack(p);
        sendAck();
    }

    void answer(const mrc_hdr &hdr)
    {
        clock.at(clock.now + c.wayNs / 2, [this, hdr] { answerArrived(hdr); });
    }

    void sendSack(const Packet &p)
    {
        mrc_hdr hdr{};
        hdr.bth.opcode = MRC_OP_SACK;
        hdr.bth.rtx = p.rtx;
        mrc_sack &s = hdr.sack;
        s.cack_psn = mrc_psn_add(cumulative, -1);
        const u32 near = std::max(cumulative, p.psn > 31 ? p.psn - 31 : 0);
        const u32 base = p.probe || c.fromHole ? cumulative : near;
        s.sack_offset = static_cast<s16>(mrc_psn_diff(base, s.cack_psn));
        s.probe = p.probe;
        s.ack_offset =
            p.probe ? static_cast<s16>(p.id) : static_cast<s16>(mrc_psn_diff(p.psn, s.cack_psn));
        for (u32 i = 0; i < 64 && base + i < c.packets; ++i)
            s.bitmap |= static_cast<u64>(taken[base + i]) << i;
        answer(hdr);
    }

    void refuse(const Packet &p)
    {
        mrc_hdr hdr{};
        hdr.bth.opcode = MRC_OP_NACK;
        hdr.nack.reason = MRC_NACK_NO_RESOURCE;
        hdr.nack.psn = p.psn;
        answer(hdr);
    }

    void sendAck()
    {
        mrc_hdr hdr{};
        if (!cumulative)
            return;
        hdr.bth.opcode = MRC_OP_ACK;
        hdr.bth.psn = cumulative - 1;
        hdr.ack.syndrome = MRC_ACK_OK;
        hdr.ack.msn = cumulative;
        answer(hdr);
    }

    void answerArrived(const mrc_hdr &hdr)
    {
        answered(hdr);
        if (req_.sendq.una == c.packets)
            r.endNs = clock.now - kStart;
        pump();
    }

    void timerFired()
    {
        mrc_tx_result res;
        mrc_answers probe;
        if (expire(res, probe) == MRC_REQ_LOST)
            r.timeouts += res.lost;
        learn(res);
        if (probe.count) {
            ++r.probes;
            travel({0, false, true, req_.tx.probe_id});
        }
        pump();
    }
};

/// The users' defaults.
mrc_cc_params nscc()
{
    mrc_cc_params p = fixedWindow(1, kMtu);
    p.algorithm = MRC_CC_NSCC;
    p.max_cwnd = 0;
    p.rate = 1'250'000'000;
    p.gamma = MRC_CC_GAMMA_DEFAULT;
    p.max_md_jump = MRC_CC_MD_JUMP_DEFAULT;
    p.qa_gate = MRC_CC_QA_GATE_DEFAULT;
    return p;
}

/// The run takes the time that the peer needs for the packets, and little more. Nothing is sent
/// twice without need.
void expectDone(const SlowPeer &c, const mrc_cc_params &params)
{
    const SlowReport r = SlowSim(c, params).run(120'000 * kMs);
    const u64 least = c.packets * c.serveNs;
    EXPECT_GE(r.endNs, least);
    EXPECT_LE(r.endNs, least + least / 10 + 200 * kMs);
    EXPECT_EQ(r.needless, 0u);
    EXPECT_LE(r.timeouts, r.lost) << "they are of what was lost";
    EXPECT_LE(r.sent, c.packets + r.lost + r.refused);
}

} // namespace

/*
 * With a window as large as the peer's, a thousand packets, the peer's queue is that long, too:
 * round trips take a second, and bitmaps that begin at a hole report only the next 64 packets.
 * Before, the rest timed out, and was sent again for nothing.
 */
TEST(SlowPeer, IsDoneInSecondsAndNothingIsSentTwice)
{
    for (const u64 seed : {1u, 2u, 3u, 4u, 5u})
        for (const u32 psns : {128u, 1024u})
            for (const bool fromHole : {false, true})
                for (const u64 serve : {1u, 3u}) {
                    SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(psns) +
                                 " PSNs, " + std::to_string(serve) + " ms" +
                                 (fromHole ? ", bitmaps from the hole on" : ""));
                    SlowPeer c{.seed = seed, .psns = psns, .serveNs = serve * kMs};
                    c.fromHole = fromHole;
                    expectDone(c, fixedWindow(48, kMtu));
                    expectDone(c, nscc());
                }
}

/* No more than a socket's buffer holds. */
TEST(SlowPeer, ItsQueueIsNoLongerThanItsBuffer)
{
    for (const u64 seed : {1u, 2u, 3u, 4u, 5u}) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        SlowPeer c{.seed = seed, .serveNs = 3 * kMs};
        c.fromHole = true;
        c.room = 24;
        expectDone(c, nscc());
    }
}
