// SPDX-License-Identifier: GPL-2.0-only
#include "cc_sim.h"

#include "sim_clock.h"

#include <algorithm>
#include <deque>
#include <numeric>
#include <random>

namespace
{

/* The clock counts picoseconds here: packets take no whole number of nanoseconds. */
constexpr u64 kPs = 1000;

struct Packet {
    unsigned flow;
    unsigned plane;
    u64 sentNs;
    u64 trims;
    u64 timeouts;
    bool ask = false;
    bool marked = false;
    bool over = false;   ///< its sender knows what happened to it
    bool forged = false; ///< it has not been trimmed, but its sender believes so
    bool twice = false;  ///< sent again though it had not been lost
};

/// A packet that must be sent again.
struct Again {
    u64 trims;
    u64 timeouts;
    bool twice;
};

struct Sack {
    std::size_t packets;
    u32 trigger;
    bool timed; ///< timed by the packet that caused it
};

struct Flow {
    CcSimFlow config;
    mrc_cc cc;
    u64 wanted = 0; ///< packets
    std::deque<Again> again;
    std::vector<std::deque<u32>> out; ///< per plane: packets, in their order
    std::vector<unsigned> skip;       ///< per plane: turns
    unsigned turn = 0;
    std::deque<u32> arrived; ///< arrived packets that are not reported to the sender yet
    std::size_t unsaid = 0;  ///< packets of these that no SACK has reported
    std::deque<Sack> sacks;  ///< SACKs on their way
    bool saying = false;     ///< a SACK will be sent when no packet has come for a while
    u64 lastNs = 0;          ///< when the last packet arrived
};

struct Port {
    std::deque<u32> packets;
    u64 bytes = 0;
    u64 changed = 0;
    bool busy = false;
};

struct Host {
    std::vector<unsigned> flows;
    std::size_t turn = 0;
    bool busy = false;
    std::vector<u64> last;   ///< per plane: when the last packet reaches the switch
    std::vector<Port> ports; ///< per plane: the switch's port towards this host
};

class Net
{
public:
    explicit Net(const CcSimConfig &config)
        : c(config), clock(0), rng(config.seed), bdp(config.rate * config.baseNs / 1'000'000'000),
          portPs(config.packet * 1'000'000'000'000 / config.rate),
          hostPs(config.hostRate ? config.packet * 1'000'000'000'000 / config.hostRate : portPs),
          wayPs((config.baseNs * kPs - portPs - hostPs) / 4), room(roomOf(config, bdp)),
          slices(config.runNs / config.baseNs + 1)
    {
        for (std::vector<u64> *perSlice :
             {&r.sent, &r.trimmed, &r.dropped, &r.adapted, &r.queued, &r.longestRttNs})
            perSlice->resize(slices);
        r.arrived.assign(c.flows.size(), std::vector<u64>(slices));
        flows.resize(c.flows.size());
        for (unsigned i = 0; i < flows.size(); ++i)
            addFlow(i);
        live.assign(c.planes, true);
        up.assign(c.planes, true);
        if (c.cutNs < c.runNs)
            cutPlane();
    }

    CcSimReport run()
    {
        clock.run(c.runNs * kPs);
        for (u64 &queued : r.queued)
            queued /= c.baseNs * kPs;
        for (const Flow &f : flows) {
            r.cc.push_back(f.cc);
            if (!f.config.burst && f.config.stopNs > c.runNs)
                r.longestGapNs = std::max(r.longestGapNs, nowNs() - f.lastNs);
        }
        return std::move(r);
    }

private:
    const CcSimConfig &c;
    SimClock clock;
    std::mt19937_64 rng;
    const u64 bdp; ///< BDP of a plane
    const u64 portPs;
    const u64 hostPs;
    const u64 wayPs; ///< a quarter of all ways
    const u64 room;  ///< bytes that a queue holds
    const std::size_t slices;
    std::vector<Packet> packets;
    std::vector<Flow> flows;
    std::vector<Host> hosts;
    std::vector<bool> live; ///< planes that work
    std::vector<bool> up;   ///< planes that senders hold to be up
    CcSimReport r;

    static u64 roomOf(const CcSimConfig &config, u64 bdp)
    {
        if (config.queueBytes)
            return config.queueBytes;
        return config.trim ? bdp : 5 * bdp;
    }

    u64 nowNs() const { return clock.now / kPs; }
    std::size_t slice() const { return std::min<std::size_t>(nowNs() / c.baseNs, slices - 1); }
    u64 below(u64 n) { return n ? rng() % n : 0; }

    /* ---- set up ---- */

    Host &host(unsigned i)
    {
        while (hosts.size() <= i) {
            hosts.emplace_back();
            hosts.back().last.resize(c.planes);
            hosts.back().ports.resize(c.planes);
        }
        return hosts[i];
    }

    void addFlow(unsigned i)
    {
        Flow &f = flows[i];
        f.config = c.flows[i];
        f.out.resize(c.planes);
        f.skip.resize(c.planes);
        f.turn = static_cast<unsigned>(below(c.planes));
        host(f.config.from).flows.push_back(i);
        host(f.config.to);
        mrc_cc_init(&f.cc, &c.params, c.timing, 0);
        mrc_cc_capacity(&f.cc, c.planes, c.planes);
        clock.at(f.config.startNs * kPs + below(c.jitterNs * kPs), [this, i] { want(i); });
        for (u64 early : f.config.earlyNs)
            clock.at(early * kPs, [this, i] { wantOne(i); });
        clock.at(c.rtoNs * kPs, [this, i] { timeout(i); });
        if (f.config.stopNs < c.runNs)
            clock.at(f.config.stopNs * kPs, [this, i] { flows[i].wanted = 0; });
    }

    void wantOne(unsigned i)
    {
        ++flows[i].wanted;
        pump(flows[i].config.from);
    }

    void want(unsigned i)
    {
        Flow &f = flows[i];
        if (nowNs() >= f.config.stopNs)
            return;
        f.wanted = f.config.burst ? f.wanted + f.config.burst : ~0ull >> 1;
        if (f.config.burst)
            clock.at(clock.now + f.config.everyNs * kPs, [this, i] { want(i); });
        pump(f.config.from);
    }

    void cutPlane()
    {
        clock.at(c.cutNs * kPs, [this] { live[0] = false; });
        clock.at((c.cutNs + c.detectNs) * kPs, [this] { tellOfPlane(false); });
        if (c.backNs >= c.runNs)
            return;
        clock.at(c.backNs * kPs, [this] { live[0] = true; });
        clock.at((c.backNs + c.detectNs) * kPs, [this] { tellOfPlane(true); });
    }

    void tellOfPlane(bool is)
    {
        up[0] = is;
        for (unsigned i = 0; i < flows.size(); ++i) {
            Flow &f = flows[i];
            mrc_cc_capacity(&f.cc, is ? c.planes : c.planes - 1, c.planes);
            note(f);
            if (is)
                continue;
            while (!f.out[0].empty()) {
                lose(f.out[0].front(), MRC_CC_PORT);
                f.out[0].pop_front();
            }
            pump(f.config.from);
        }
    }

    /* ---- sender ---- */

    void note(const Flow &f)
    {
        r.lowestCwnd = std::min(r.lowestCwnd, f.cc.cwnd);
        r.highestCwnd = std::max(r.highestCwnd, f.cc.cwnd);
        r.outOfBounds += f.cc.cwnd < c.packet || f.cc.cwnd > f.cc.max_cwnd;
        r.hash = (r.hash ^ f.cc.cwnd) * 0x100000001b3;
    }

    void learn(Flow &f, const mrc_cc_news &news)
    {
        const u64 adapted = f.cc.count[MRC_CC_QUICK_ADAPTS];
        mrc_cc_learn(&f.cc, &news, nowNs());
        r.adapted[slice()] += f.cc.count[MRC_CC_QUICK_ADAPTS] - adapted;
        note(f);
    }

    bool ready(const Flow &f) const
    {
        return (f.wanted || !f.again.empty()) && mrc_cc_room(&f.cc) >= c.packet;
    }

    /// The NIC is free: the next flow that may send sends a packet.
    void pump(unsigned i)
    {
        Host &h = hosts[i];
        for (std::size_t n = 0; !h.busy && n < h.flows.size(); ++n) {
            const unsigned flow = h.flows[h.turn++ % h.flows.size()];
            if (!ready(flows[flow]))
                continue;
            send(h, flow);
            h.busy = true;
            clock.at(clock.now + hostPs / c.planes, [this, i] {
                hosts[i].busy = false;
                pump(i);
            });
        }
    }

    unsigned nextPlane(Flow &f)
    {
        for (;;) {
            const unsigned plane = f.turn++ % c.planes;
            if (up[plane] && !f.skip[plane])
                return plane;
            f.skip[plane] -= f.skip[plane] > 0;
        }
    }

    Packet nextPacket(unsigned flow)
    {
        Flow &f = flows[flow];
        Packet p{flow, nextPlane(f), nowNs(), 0, 0};
        if (f.again.empty()) {
            --f.wanted;
            return p;
        }
        p.trims = f.again.front().trims;
        p.timeouts = f.again.front().timeouts;
        p.twice = f.again.front().twice;
        f.again.pop_front();
        return p;
    }

    void send(Host &h, unsigned flow)
    {
        Flow &f = flows[flow];
        const u32 id = static_cast<u32>(packets.size());
        packets.push_back(nextPacket(flow));
        Packet &p = packets.back();
        mrc_cc_sent(&f.cc, c.packet, nowNs());
        p.ask = mrc_cc_room(&f.cc) < c.packet || f.cc.cwnd < 2 * c.sackBytes ||
                (!f.wanted && f.again.empty());
        f.out[p.plane].push_back(id);
        ++r.sent[slice()];
        u64 &last = h.last[p.plane];
        last = std::max(last, clock.now + hostPs + wayPs + below(c.jitterNs * kPs));
        clock.at(last, [this, id] { enqueue(id); });
    }

    void lose(u32 id, mrc_cc_cause cause, bool timed = false)
    {
        Packet &p = packets[id];
        Flow &f = flows[p.flow];
        if (p.over)
            return;
        p.over = true;
        f.again.push_back(
            {p.trims + (cause == MRC_CC_TRIMMED), p.timeouts + timed, p.forged || p.twice});
        r.trimsOfOne = std::max(r.trimsOfOne, static_cast<unsigned>(f.again.back().trims));
        r.timeoutsOfOne = std::max(r.timeoutsOfOne, static_cast<unsigned>(f.again.back().timeouts));
        learn(f, {.lost = c.packet, .cause = static_cast<u8>(cause)});
    }

    /// Packets that were sent on a plane before one that arrived, and were not trimmed, are lost.
    void loseBefore(Flow &f, unsigned plane, u32 id)
    {
        std::deque<u32> &out = f.out[plane];
        for (; !out.empty() && out.front() <= id; out.pop_front())
            lose(out.front(), MRC_CC_LOST);
    }

    void sacked(unsigned i)
    {
        Flow &f = flows[i];
        const Sack s = f.sacks.front();
        f.sacks.pop_front();
        std::vector<u32> newest(c.planes);
        std::vector<bool> any(c.planes);
        mrc_cc_news n{};
        for (std::size_t k = 0; k < s.packets; ++k) {
            Packet &p = packets[f.arrived.front()];
            n.landed += p.over ? 0 : c.packet;
            n.acked += p.twice ? 0 : c.packet;
            p.over = true;
            newest[p.plane] = f.arrived.front();
            any[p.plane] = true;
            f.arrived.pop_front();
        }
        const Packet &trigger = packets[s.trigger];
        n.rtt_ns = s.timed ? nowNs() - trigger.sentNs : 0;
        n.marked = trigger.marked;
        r.longestRttNs[slice()] = std::max(r.longestRttNs[slice()], n.rtt_ns);
        n.waiting = f.wanted || !f.again.empty();
        f.skip[trigger.plane] += trigger.marked && c.planes > 1;
        learn(f, n);
        for (unsigned plane = 0; plane < c.planes; ++plane)
            if (any[plane])
                loseBefore(f, plane, newest[plane]);
        pump(f.config.from);
    }

    void timeout(unsigned i)
    {
        Flow &f = flows[i];
        for (std::deque<u32> &out : f.out) {
            for (; !out.empty(); out.pop_front()) {
                const Packet &p = packets[out.front()];
                if (!p.over && p.sentNs + c.rtoNs > nowNs())
                    break;
                lose(out.front(), MRC_CC_LOST, true);
            }
        }
        pump(f.config.from);
        clock.at(clock.now + c.rtoNs * kPs / 4, [this, i] { timeout(i); });
    }

    /* ---- switch ---- */

    Port &port(const Packet &p) { return hosts[flows[p.flow].config.to].ports[p.plane]; }

    void resize(Port &q, u64 bytes)
    {
        if (&q == &hosts[0].ports[0])
            r.queued[slice()] += q.bytes * (clock.now - q.changed);
        q.changed = clock.now;
        q.bytes = bytes;
        r.longestQueue = std::max(r.longestQueue, bytes);
    }

    void enqueue(u32 id)
    {
        Packet &p = packets[id];
        Port &q = port(p);
        if (!live[p.plane] || below(1'000'000) < c.lossPpm)
            return;
        /* A forged head of a packet that has already arrived makes nobody send it again. */
        if (!p.twice && c.forgedPpm && below(1'000'000) < c.forgedPpm) {
            p.forged = true;
            clock.at(clock.now + 3 * wayPs, [this, id] { trimmed(id); });
        }
        if (q.bytes + c.packet > room) {
            ++(c.trim ? r.trimmed : r.dropped)[slice()];
            if (c.trim)
                clock.at(clock.now + 3 * wayPs, [this, id] { trimmed(id); });
            return;
        }
        q.packets.push_back(id);
        resize(q, q.bytes + c.packet);
        if (!q.busy)
            serve(q);
    }

    void trimmed(u32 id)
    {
        lose(id, MRC_CC_TRIMMED);
        pump(flows[packets[id].flow].config.from);
    }

    /// The first packet of the queue leaves. The length of the rest decides whether it gets a mark.
    void serve(Port &q)
    {
        const u32 id = q.packets.front();
        const u64 left = q.bytes - c.packet;
        q.busy = true;
        q.packets.pop_front();
        resize(q, left);
        packets[id].marked = c.ecn && left > bdp / 5 && below(bdp * 3 / 5) < left - bdp / 5;
        clock.at(clock.now + portPs, [this, id] {
            Port &from = port(packets[id]);
            from.busy = false;
            if (live[packets[id].plane])
                clock.at(clock.now + wayPs, [this, id] { receive(id); });
            if (!from.packets.empty())
                serve(from);
        });
    }

    /* ---- receiver ---- */

    void receive(u32 id)
    {
        const Packet &p = packets[id];
        Flow &f = flows[p.flow];
        r.arrived[p.flow][slice()] += p.twice ? 0 : c.packet;
        if (!f.config.burst && nowNs() > f.config.startNs)
            r.longestGapNs =
                std::max(r.longestGapNs, nowNs() - std::max(f.lastNs, f.config.startNs));
        f.lastNs = nowNs();
        f.arrived.push_back(id);
        ++f.unsaid;
        if (p.ask || p.marked || f.unsaid * c.packet >= c.sackBytes)
            say(f, id, true);
        else if (!f.saying)
            sayWhenQuiet(p.flow);
    }

    void say(Flow &f, u32 trigger, bool timed)
    {
        f.sacks.push_back({f.unsaid, trigger, timed});
        f.unsaid = 0;
        const unsigned i = packets[trigger].flow;
        clock.at(clock.now + 2 * wayPs, [this, i] { sacked(i); });
    }

    void sayWhenQuiet(unsigned i)
    {
        flows[i].saying = true;
        clock.at((flows[i].lastNs + c.timing->sack_delay) * kPs, [this, i] {
            Flow &f = flows[i];
            f.saying = false;
            if (!f.unsaid)
                return;
            if (nowNs() - f.lastNs < c.timing->sack_delay)
                return sayWhenQuiet(i);
            say(f, f.arrived.back(), false);
        });
    }
};

} // namespace

u64 CcSimReport::bytes(unsigned flow, std::size_t from, std::size_t to) const
{
    const std::vector<u64> &a = arrived[flow];
    to = std::min(to, a.size());
    return std::accumulate(a.begin() + std::min(from, to), a.begin() + to, u64{0});
}

u64 CcSimReport::count(mrc_cc_count what) const
{
    u64 sum = 0;
    for (const mrc_cc &one : cc)
        sum += one.count[what];
    return sum;
}

CcSimReport simulateCc(const CcSimConfig &config)
{
    return Net(config).run();
}

double fairness(const CcSimReport &r, std::size_t from, std::size_t to)
{
    double sum = 0;
    double squares = 0;
    for (unsigned i = 0; i < r.arrived.size(); ++i) {
        const double bytes = static_cast<double>(r.bytes(i, from, to));
        sum += bytes;
        squares += bytes * bytes;
    }
    return squares > 0 ? sum * sum / (squares * r.arrived.size()) : 0;
}
