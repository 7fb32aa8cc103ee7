// SPDX-License-Identifier: GPL-2.0-only
#include "sim.h"

#include "bytes.h"
#include "path_end.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <map>
#include <optional>
#include <queue>
#include <random>
#include <stdexcept>

namespace
{

constexpr std::uint64_t kBaseDelayNs = 20000;
constexpr std::uint64_t kEventsMax = 2000000;
constexpr std::uint64_t kPatience = 3600ull * 1000000000;
constexpr std::uint32_t kRequesterQpn = 0x11;
constexpr std::uint32_t kResponderQpn = 0x22;
constexpr int kReq = 0;  ///< the requester's end
constexpr int kResp = 1; ///< the responder's
constexpr std::uint32_t kRequests = 64;
constexpr unsigned kBurst = 4; ///< packets that one skb carries

using Psn = std::uint32_t;

struct Message {
    std::uint32_t packets = 1;
    std::uint32_t len = 0;
    std::uint32_t slot = 0;
    bool imm = false;
    Psn first = 0;
    Psn last = 0;
    std::uint16_t rqmsn = 0;
};

struct Event {
    enum Kind {
        Data,
        CtlToRequester,
        CtlToResponder,
        Copied,
        Timer,
        SackTimer,
        EvProbeTimer,
        EvProbe,
        EvProbeAnswer,
        PlanesDown,
        PlanesUp
    };
    std::uint64_t time;
    std::uint64_t order;
    Kind kind;
    Bytes packet;
    bool ce = false;
    std::uint32_t ev = 0;
    int to = 0; ///< end, of what concerns EV probes

    bool operator<(const Event &other) const
    {
        return std::tie(time, order) > std::tie(other.time, other.order);
    }
};

void check(bool ok, const char *what)
{
    if (!ok)
        throw std::runtime_error(what);
}

/// The byte at @p offset of message @p index.
std::uint8_t pattern(std::size_t index, std::uint32_t offset)
{
    return static_cast<std::uint8_t>((index * 2654435761u + offset * 40503u) >> 7);
}

class Sim
{
public:
    explicit Sim(const SimConfig &config)
        : c(config), rng(config.seed), now(config.start),
          memory(config.slots * slotSize()), end{{pathsOf(config, kReq), sender(kReq)},
                                                 {pathsOf(config, kResp), sender(kResp)}},
          pathFree{std::vector<std::uint64_t>(evs.size()), std::vector<std::uint64_t>(evs.size())},
          txRing(config.windowUnits * MRC_MPR_UNIT),
          rxMem(mrc_rx_window_mem(config.windowUnits * MRC_MPR_UNIT, config.immMax) / sizeof(long) +
                1)
    {
        makeMessages();
        const std::uint32_t size = c.windowUnits * MRC_MPR_UNIT;
        const mrc_tx_cfg cfg = {
            .size = size, .retries = {.timeout_ns = c.timeoutNs, .linear = 3, .exp = MRC_EXP_MAX}};
        mrc_req_start(&req, txRing.data(), &cfg, c.psn, c.cwnd);
        tx.evidence.seq = c.seq;
        requests.resize(kRequests);
        sendq.slots = requests.data();
        sendq.stride = sizeof(mrc_msg);
        sendq.depth = kRequests;
        mrc_sendq_start(&sendq, c.mtu, static_cast<u16>(c.immMax));
        const mrc_resp_cfg limits = {.size = size,
                                     .imm_max = c.immMax,
                                     .mtu = c.mtu,
                                     .sack_bytes = c.sackPackets * MRC_SACK_BYTES_MIN};
        mrc_resp_start(&resp, rxMem.data(), &limits, c.psn);
        for (PathEnd &e : end)
            mrc_paths_ports(&e.paths, allPorts(), allPorts(), now);
        evStates.assign(evs.size(), MRC_EV_GOOD);
    }

    SimReport run()
    {
        try {
            loop();
        } catch (const std::exception &e) {
            report.error = e.what();
        }
        report.evsBad = set.bad;
        return report;
    }

private:
    SimConfig c;
    SimReport report;
    std::mt19937_64 rng;
    std::uint64_t now;
    std::uint64_t eventOrder = 0;
    std::priority_queue<Event> events;
    std::vector<Message> messages;
    Bytes memory;
    bool planesDown = false;

    // both ends
    PathEnd end[2];
    std::optional<std::uint64_t> evProbeTimerAt[2];

    // network
    std::vector<mrc_ev_entry> &evs = end[kReq].evs;
    std::vector<std::uint64_t> pathFree[2];           ///< per end that sends, and EV
    std::map<std::uint32_t, std::uint64_t> arrivedOn; ///< data packets per EV, at the responder

    // requester
    mrc_req req{};
    mrc_tx_window &tx = req.tx;
    mrc_sendq &sendq = req.sendq; ///< its indices are those of messages
    std::vector<mrc_tx_rec> txRing;
    mrc_paths &paths = end[kReq].paths;
    mrc_ev_set &set = paths.set;
    std::vector<mrc_msg> requests;
    std::optional<std::uint64_t> timerAt;
    std::map<std::uint16_t, std::uint64_t> probeSentAt;
    std::map<std::uint32_t, std::uint64_t> ackedOn; ///< packets per EV, as the window counts them
    std::map<Psn, std::vector<std::uint64_t>> sentAt;
    std::vector<Psn> unsent;   ///< of the batch
    std::vector<int> evStates; ///< after the event before

    // responder
    mrc_resp resp;
    std::vector<unsigned long> rxMem;
    std::optional<std::uint64_t> sackTimerAt;
    std::size_t delivered = 0;
    std::set<Psn> refusedPsns;      ///< each copy of them
    std::optional<Psn> refusedDone; ///< the oldest of them
    bool responderEnded = false;    ///< by a NAK
    bool requesterEnded = false;    ///< by that NAK

    static PathEndConfig pathsOf(const SimConfig &c, int which)
    {
        PathEndConfig paths{.minActive = c.minActive,
                            .active = c.active,
                            .random = static_cast<u32>(c.seed + static_cast<u32>(which))};
        for (int i = 0; i < c.planes * c.evsPerPlane; ++i)
            paths.ports.push_back(1 + i / c.evsPerPlane);
        return paths;
    }

    PathEnd::Send sender(int from)
    {
        return [this, from](u16 ev, std::uint16_t id) { sendEvProbe(from, ev, id); };
    }

    u32 random() { return static_cast<u32>(rng()); }

    u32 allPorts() const { return (1u << c.planes) - 1; }

    std::uint32_t slotSize() const { return c.mtu * c.maxPackets; }

    bool chance(double p) { return p > 0 && std::uniform_real_distribution<>(0, 1)(rng) < p; }

    std::uint64_t upTo(std::uint64_t n) { return n ? rng() % (n + 1) : 0; }

    void push(std::uint64_t time, Event::Kind kind, Bytes packet = {}, bool ce = false,
              std::uint32_t ev = 0, int to = 0)
    {
        events.push(Event{time, eventOrder++, kind, std::move(packet), ce, ev, to});
    }

    void makeMessages()
    {
        Psn psn = c.psn;
        std::uint16_t rqmsn = 0;
        for (int i = 0; i < c.messages; ++i) {
            Message m;
            m.packets = chance(0.4) ? 1 : 1 + static_cast<std::uint32_t>(upTo(c.maxPackets - 1));
            m.len = m.packets * c.mtu - static_cast<std::uint32_t>(upTo(c.mtu - 1));
            if (m.packets == 1 && chance(0.1))
                m.len = 0;
            m.imm = c.immMax && chance(0.5);
            m.rqmsn = m.imm ? rqmsn++ : 0;
            m.slot = static_cast<std::uint32_t>(i % c.slots);
            m.first = psn;
            m.last = mrc_psn_add(psn, static_cast<s32>(m.packets) - 1);
            for (; psn != mrc_psn_add(m.last, 1); psn = mrc_psn_add(psn, 1))
                if (chance(c.refused))
                    refuse(psn);
            messages.push_back(m);
            report.packets += m.packets;
        }
    }

    void refuse(Psn psn)
    {
        refusedPsns.insert(psn);
        if (!refusedDone)
            refusedDone = psn;
    }

    void loop()
    {
        if (c.outageAt) {
            push(c.start + c.outageAt, Event::PlanesDown);
            push(c.start + c.outageEnds, Event::PlanesUp);
        }
        pump();
        std::uint64_t handled = 0;
        while (!events.empty() && !requesterEnded) {
            const Event e = events.top();
            events.pop();
            now = e.time;
            handle(e);
            checkEvStates();
            check(++handled < kEventsMax && now - c.start < kPatience, "no progress");
        }
        check(requesterEnded == refusedDone.has_value(), "NAK lost or invented");
        if (requesterEnded)
            return;
        check(completed() == messages.size(), "stalled: nothing left to happen");
        check(mrc_tx_idle(&tx) && tx.una == tx.nxt, "counters at the end");
        checkFinalMemory();
    }

    void handle(const Event &e)
    {
        switch (e.kind) {
        case Event::Data:
            dataArrived(e);
            break;
        case Event::Copied:
            copied(e);
            break;
        case Event::CtlToRequester:
            controlArrived(e.packet);
            break;
        case Event::CtlToResponder:
            probeArrived(e);
            break;
        case Event::Timer:
            timerFired();
            break;
        case Event::SackTimer:
            sackTimerFired();
            break;
        case Event::EvProbeTimer:
            evProbeTimerFired(e.to);
            break;
        case Event::EvProbe:
            evProbeArrived(e);
            break;
        case Event::EvProbeAnswer:
            evProbeAnswered(e);
            break;
        case Event::PlanesDown:
            planesChanged(true);
            break;
        case Event::PlanesUp:
            planesChanged(false);
            break;
        }
    }

    // ---- network

    bool planeDead(int port) const { return planesDown && port <= c.outagePlanes; }

    bool inHole(u16 ev) const
    {
        const std::uint64_t since = now - c.start;
        if (ev >= c.holeEvs || since < c.holeAt)
            return false;
        const std::uint64_t into = since - c.holeAt;
        return (c.holePeriod ? into % c.holePeriod : into) < c.holeNs;
    }

    bool lostOn(u16 ev)
    {
        return chance(c.loss) || (ev == 0 && chance(c.evLoss)) || planeDead(evs[ev].port) ||
               inHole(ev);
    }

    /// Holes are in the way of data only.
    bool controlLostOn(int from, u16 ev)
    {
        return chance(c.ctlLoss) || planeDead(evs[ev].port) || (from == kReq && inHole(ev));
    }

    std::uint64_t arrivalOn(int from, u16 ev)
    {
        std::uint64_t at = now + kBaseDelayNs +
                           static_cast<std::uint64_t>(evs[ev].port) * c.skewNs + ev * 300 +
                           upTo(c.fifo ? 2000 : 60000);
        std::uint64_t &free = pathFree[from][ev];
        const bool late = c.queueNs && from == kReq && rng() % 2;
        if (c.fifo)
            at = std::max(at, free + 1);
        free = at;
        return late ? at + c.queueNs : at;
    }

    void toResponder(u16 ev, const Bytes &packet)
    {
        const bool lost = lostOn(ev);
        const bool ce = chance(c.ce);
        const std::uint64_t at = arrivalOn(kReq, ev);
        if (lost)
            ++report.dropped;
        else
            push(at, Event::Data, packet, ce, ev);
        if (chance(c.dup))
            push(at + 1 + upTo(2000000), Event::Data, packet, ce, ev);
    }

    /// One answer: its packets share an skb, a path and a fate.
    void control(Event::Kind kind, const mrc_answers &a)
    {
        if (!a.count)
            return;
        const int from = kind == Event::CtlToRequester ? kResp : kReq;
        const u16 ev = end[from].answerEv(now);
        if (ev == MRC_EV_NONE)
            return;
        if (!controlLostOn(from, ev)) {
            const std::uint64_t at = arrivalOn(from, ev);
            for (unsigned i = 0; i < a.count; ++i)
                push(at, kind, encode(a.hdr[i]), chance(c.ce));
        }
        end[from].answered(random(), now);
        armEvProbes(from);
    }

    static Bytes encode(const mrc_hdr &hdr)
    {
        Bytes packet(MRC_HDR_MAX);
        packet.resize(mrc_hdr_encode(packet.data(), &hdr));
        return packet;
    }

    static mrc_hdr decode(const Bytes &packet)
    {
        mrc_hdr hdr;
        check(mrc_hdr_decode(packet.data(), packet.size(), &hdr) == MRC_DECODE_OK, "decode");
        return hdr;
    }

    mrc_hdr header(u8 opcode, std::uint32_t qpn, Psn psn)
    {
        mrc_hdr hdr{};
        hdr.bth.opcode = opcode;
        hdr.bth.pkey = MRC_PKEY_DEFAULT;
        hdr.bth.qpn = qpn;
        hdr.bth.psn = psn;
        return hdr;
    }

    // ---- EV probes, of both ends

    void armEvProbes(int which)
    {
        std::uint64_t at = end[which].timerAt();
        if (at == U64_MAX || (completed() == messages.size() && now >= c.start + c.evProbeUntil))
            return;
        at = std::max(at, now);
        if (evProbeTimerAt[which] && *evProbeTimerAt[which] <= at)
            return;
        evProbeTimerAt[which] = at;
        push(at, Event::EvProbeTimer, {}, false, 0, which);
    }

    void evProbeTimerFired(int which)
    {
        if (!evProbeTimerAt[which] || *evProbeTimerAt[which] > now)
            return;
        evProbeTimerAt[which].reset();
        end[which].timer([this] { return random(); }, now);
        armEvProbes(which);
    }

    bool evProbeLostOn(int from, u16 ev)
    {
        return from == kReq ? lostOn(ev) : controlLostOn(from, ev);
    }

    void sendEvProbe(int from, u16 ev, std::uint16_t id)
    {
        mrc_hdr hdr = header(MRC_OP_EP_REQ, MRC_QPN_ENDPOINT, id);
        hdr.ep.op = MRC_EP_EV_PROBE;
        report.evProbes += from == kReq;
        if (!evProbeLostOn(from, ev))
            push(arrivalOn(from, ev), Event::EvProbe, encode(hdr), false, ev, 1 - from);
    }

    void evProbeArrived(const Event &e)
    {
        const mrc_hdr request = decode(e.packet);
        check(request.ep.op == MRC_EP_EV_PROBE, "endpoint operation");
        const Bytes answer = encode(header(MRC_OP_EP_RSP, MRC_QPN_ENDPOINT, request.bth.psn));
        for (u16 ev : end[e.to].probeAnswerEvs(evs[e.ev].port, e.ev, now))
            if (!controlLostOn(e.to, ev))
                push(arrivalOn(e.to, ev), Event::EvProbeAnswer, answer, false, ev, 1 - e.to);
        end[e.to].answered(random(), now);
        armEvProbes(e.to);
    }

    void evProbeAnswered(const Event &e)
    {
        end[e.to].probeAnswered(static_cast<std::uint16_t>(decode(e.packet).bth.psn), now);
        if (e.to == kReq)
            pump();
        else
            armEvProbes(kResp);
    }

    // ---- requester

    std::size_t completed() const { return sendq.una; }

    /// As many as have a region of remote memory each, and a slot.
    void post()
    {
        while (sendq.tail < messages.size() &&
               sendq.tail - sendq.una < static_cast<std::uint32_t>(c.slots)) {
            const Message &m = messages[sendq.tail];
            mrc_msg *request = mrc_sendq_slot(&sendq);
            if (!request)
                break;
            *request = {};
            request->raddr = m.slot * slotSize();
            request->len = m.len;
            request->imm = htonl(sendq.tail);
            request->has_imm = m.imm;
            mrc_sendq_queue(&sendq);
            check(request->packets == m.packets, "packets of a message");
        }
    }

    void pump()
    {
        mrc_batch batch;
        post();
        mrc_req_sync_evs(&req, &paths, 1);
        while (mrc_req_plan(&req, now, MRC_BATCH_MAX, &batch)) {
            const unsigned stride = mrc_req_stride(&batch, kBurst, set.good, set.bad);
            std::array<u16, MRC_BATCH_MAX> ev{};
            mrc_paths_draw(&paths, batch.any, batch.count, now, ev.data(), stride);
            for (unsigned i = 0; i < stride; ++i)
                checkDrawn(ev[i], batch.any);
            mrc_req_deal(&req, &batch, ev.data(), stride, now);
            leave(batch);
            takeBackUnsent();
        }
        arm();
    }

    void checkDrawn(u16 ev, bool any) const
    {
        if (ev == MRC_EV_NONE || any || mrc_ev_searching(&set))
            return;
        check(evs[ev].state != MRC_EV_ASSUMED_BAD || !set.good, "data on a bad EV");
        check(!mrc_ev_is_spare(&set, ev), "data on a spare");
    }

    /// EV by EV, as its packets share skbs.
    void leave(const mrc_batch &batch)
    {
        for (unsigned e = 0; e < batch.stride; ++e)
            for (unsigned i = e; i < batch.count; i += batch.stride)
                transmit(batch.plan[i], batch.rtx, batch.ask && i == batch.count - 1);
    }

    void transmit(const mrc_plan &plan, bool rtx, bool ask)
    {
        const std::size_t index = plan.msg;
        const Psn psn = plan.psn;
        const Message &m = messages[index];
        const mrc_msg *request = mrc_sendq_at(&sendq, plan.msg);
        check(mrc_psn_diff(psn, m.first) >= 0 && mrc_psn_diff(psn, m.last) <= 0,
              "packet of another message");
        mrc_chunk chunk;
        mrc_hdr hdr;
        mrc_sendq_chunk(&sendq, request, psn, &chunk);
        mrc_sendq_header(request, &chunk, psn, &hdr);
        check(hdr.write.msn == static_cast<std::uint16_t>(index), "MSN");
        check(hdr.write.rqmsn == m.rqmsn, "RQMSN");
        hdr.bth.pkey = MRC_PKEY_DEFAULT;
        hdr.bth.qpn = kResponderQpn;
        hdr.bth.rtx = rtx;
        hdr.bth.ackreq = ask;
        hdr.bth.ts = rng() % 2;

        Bytes packet = encode(hdr);
        for (std::uint32_t i = 0; i < chunk.len; ++i)
            packet.push_back(pattern(index, chunk.offset + i));

        ++report.sent;
        report.resent += rtx;
        sentAt[psn].push_back(now);
        if (chance(c.unsent))
            unsent.push_back(psn);
        else if (plan.ev != MRC_EV_NONE)
            toResponder(plan.ev, packet);
        if (chance(c.forged))
            forgeSack();
    }

    /// It has not left this host, which is no loss.
    void takeBackUnsent()
    {
        for (Psn psn : unsent)
            check(mrc_req_unsent(&req, psn, now), "QP ended by its own host");
        report.unsent += unsent.size();
        unsent.clear();
    }

    void forgeSack()
    {
        mrc_sack s{};
        const auto ahead = static_cast<s32>(upTo(0x7ffff0));
        s.cack_psn = mrc_psn_add(tx.nxt, -static_cast<s32>(1 + upTo(100)));
        switch (rng() % 3) {
        case 0:
            s.cack_psn = mrc_psn_add(tx.nxt, ahead);
            break;
        case 1:
            s.ack_offset = static_cast<s16>(mrc_psn_diff(tx.nxt, s.cack_psn));
            break;
        default:
            s.sack_offset = static_cast<s16>(mrc_psn_diff(tx.nxt, s.cack_psn) - 10);
            s.bitmap = rng() | 1ull << (10 + rng() % 54);
            break;
        }
        mrc_hdr hdr = header(MRC_OP_SACK, kRequesterQpn, 0);
        hdr.sack = s;
        hdr.bth.rtx = rng() % 2;
        const mrc_req before = req;
        mrc_tx_result res;
        check(mrc_req_sack(&req, &hdr, now, &res) == -EINVAL, "forged SACK taken");
        check(std::memcmp(&before, &req, sizeof(req)) == 0, "forged SACK changed the requester");
    }

    void arm()
    {
        const std::uint64_t at = mrc_req_timer_at(&req, now);
        if (at && (!timerAt || *timerAt > at)) {
            timerAt = std::max(at, now);
            push(*timerAt, Event::Timer);
        }
        armEvProbes(kReq);
    }

    void timerFired()
    {
        if (!timerAt || *timerAt > now)
            return;
        timerAt.reset();
        mrc_tx_result res;
        const mrc_req_due due = mrc_req_timer(&req, now, &res);
        check(due != MRC_REQ_FAILED, "retries for ever expired");
        report.timeouts += res.lost;
        if (due == MRC_REQ_PROBE)
            sendProbe();
        learn(res);
        if (due == MRC_REQ_NOTHING)
            arm();
        else
            pump();
    }

    void sendProbe()
    {
        ++report.probes;
        probeSentAt[tx.probe_id] = now;
        mrc_answers a = none();
        mrc_answers_probe(&a, tx.probe_id);
        control(Event::CtlToResponder, a);
    }

    /// Only answered probes, or a loss that was none, bring an EV back, but where the floor, or a
    /// search, takes one of which data has told.
    void checkEvStates()
    {
        for (u16 ev = 0; ev < evs.size(); ++ev) {
            const bool was = evStates[ev] == MRC_EV_ASSUMED_BAD;
            const bool is = evs[ev].state == MRC_EV_ASSUMED_BAD;
            evStates[ev] = evs[ev].state;
            if (!was && is) {
                ++report.evsLost;
                report.lostEvs.insert(ev);
            } else if (was && !is && evs[ev].why == MRC_EV_WHY_PROBES_ANSWERED) {
                ++report.evsReturned;
            } else if (was && !is && evs[ev].why == MRC_EV_WHY_LATE) {
                ++report.evsCleared;
            } else if (was && !is) {
                check(evs[ev].why == MRC_EV_WHY_HEARD || evs[ev].state == MRC_EV_HELD,
                      "EV back without probes");
                ++report.evsHeard;
            }
        }
    }

    void planesChanged(bool down)
    {
        planesDown = down;
        if (c.carrier) {
            const u32 dead = down ? (1u << c.outagePlanes) - 1 : 0;
            mrc_tx_result res;
            for (PathEnd &e : end)
                mrc_paths_ports(&e.paths, allPorts() & ~dead, allPorts(), now);
            check(mrc_req_heed_ports(&req, &paths, 1, &res), "ports unheeded");
        }
        pump();
        armEvProbes(kResp);
    }

    void learn(mrc_tx_result &res)
    {
        report.spurious += res.spurious;
        std::uint32_t acked = 0;
        for (mrc_news news; mrc_req_news(&req, &res, now, &news);) {
            for (unsigned i = 0; i < news.count; ++i)
                acked += countAcked(news.ev[i]);
            mrc_paths_learn(&paths, &news, now);
        }
        check(acked <= res.acked, "counted for two EVs");
        report.evAcked += acked;
    }

    std::uint32_t countAcked(const mrc_news_ev &e)
    {
        if (!(e.what & MRC_NEWS_ACKED))
            return 0;
        check(e.acked, "acknowledged EVs");
        ackedOn[e.ev] += e.acked;
        check(ackedOn[e.ev] <= arrivedOn[e.ev], "counted for another EV");
        return e.acked;
    }

    void controlArrived(const Bytes &packet)
    {
        const mrc_hdr hdr = decode(packet);
        if (hdr.bth.opcode == MRC_OP_SACK)
            sackArrived(hdr);
        else if (hdr.bth.opcode == MRC_OP_NACK)
            nackArrived(hdr);
        else
            ackArrived(hdr);
        check(tx.inflight + tx.lost <= static_cast<u32>(mrc_psn_diff(tx.nxt, tx.una)), "counters");
        pump();
    }

    void sackArrived(const mrc_hdr &hdr)
    {
        mrc_tx_result res;
        check(mrc_req_sack(&req, &hdr, now, &res) == 0, "true SACK refused");
        if (res.rtt_ns)
            checkSample(hdr, res);
        if (hdr.sack.probe)
            report.probeLost += res.lost;
        learn(res);
    }

    void checkSample(const mrc_hdr &hdr, const mrc_tx_result &res)
    {
        const std::uint64_t rtt = now - (hdr.sack.probe ? probeOf(hdr) : transmissionOf(hdr));
        check(res.rtt_ns < rtt + 2 * MRC_TX_TICK_NS && rtt < res.rtt_ns + 2 * MRC_TX_TICK_NS,
              "wrong RTT");
    }

    /// When the probe was sent that this SACK answers.
    std::uint64_t probeOf(const mrc_hdr &hdr) const
    {
        return probeSentAt.at(static_cast<std::uint16_t>(hdr.sack.ack_offset));
    }

    /// When the one transmission was sent that may have caused this SACK.
    std::uint64_t transmissionOf(const mrc_hdr &hdr) const
    {
        const auto &times = sentAt.at(mrc_psn_add(hdr.sack.cack_psn, hdr.sack.ack_offset));
        check(times.size() <= 2, "sample of a packet sent three times");
        check(times.size() == (hdr.bth.rtx ? 2u : 1u), "sample of another transmission");
        return times.back();
    }

    void nackArrived(const mrc_hdr &hdr)
    {
        mrc_tx_result res;
        const int err = mrc_req_nack(&req, &hdr, now, &res);
        check(err == 0 || err == -EALREADY, "true NACK refused");
        check(err || res.lost == 1, "NACK without effect");
        check(err || !res.expired, "refused too often");
        if (!err || res.spurious)
            learn(res);
    }

    void ackArrived(const mrc_hdr &hdr)
    {
        mrc_tx_result res;
        Psn psn = 0;
        check(mrc_req_ack(&req, &hdr, now, &psn, &res) == 0, "true ACK refused");
        learn(res);
        while (mrc_sendq_done(&sendq, psn)) {
            check(completed() < delivered, "completed before it was executed");
            mrc_sendq_end(&sendq);
            report.elapsedNs = now - c.start;
        }
        mrc_req_settle(&req, now);
        check(completed() >= hdr.ack.msn, "ACK counts other messages than its PSN");
        if (hdr.ack.syndrome != MRC_ACK_OK)
            nakArrived(hdr);
    }

    /// All before it was executed, and the request that it names is the one that is refused.
    void nakArrived(const mrc_hdr &hdr)
    {
        check(refusedDone && hdr.bth.psn == *refusedDone, "NAK of another packet");
        check(hdr.ack.syndrome == MRC_NAK_ACCESS && hdr.ack.msn == completed(), "NAK");
        const Message &m = messages[completed()];
        check(mrc_psn_diff(*refusedDone, m.first) >= 0 && mrc_psn_diff(*refusedDone, m.last) <= 0,
              "another request fails");
        check(completed() == delivered, "what is refused was executed");
        ++report.naks;
        requesterEnded = true;
    }

    // ---- responder: an skb holds one packet

    static mrc_answers none()
    {
        mrc_answers a;
        mrc_answers_init(&a);
        return a;
    }

    void dataArrived(const Event &e)
    {
        const mrc_hdr hdr = decode(e.packet);
        ++arrivedOn[e.ev];
        if (responderEnded)
            return sayLastWords(hdr, e.ev);
        if (chance(c.trimmed))
            return sendNack(MRC_NACK_TRIMMED, hdr.bth.psn, static_cast<u16>(e.ev));
        if (chance(c.nack) || busy())
            return sendNack(MRC_NACK_NO_RESOURCE, hdr.bth.psn, static_cast<u16>(e.ev));
        const mrc_rx_arrival a = arrival(e, hdr);
        switch (mrc_resp_claim(&resp, &a)) {
        case MRC_RX_OOR:
            check(false, "PSN beyond the window");
            break;
        case MRC_RX_DUP:
            ++report.dups;
            answer();
            break;
        case MRC_RX_NEW:
            push(now + (chance(c.slowCopy) ? upTo(100000) : upTo(c.copyNs)), Event::Copied,
                 e.packet, e.ce, e.ev);
            break;
        }
    }

    bool busy() const { return c.busyPeriod && (now - c.start) % c.busyPeriod < c.busyNs; }

    void sendNack(u8 reason, Psn psn, u16 ev)
    {
        const mrc_nack nack = {
            .reason = reason, .entropy = PathEnd::bitsOf(ev), .psn = psn, .tx_timestamp = 0};
        mrc_answers a = none();
        mrc_answers_nack(&a, &nack);
        ++report.nacks;
        control(Event::CtlToRequester, a);
    }

    void sayLastWords(const mrc_hdr &asked, std::uint32_t ev)
    {
        mrc_last_words words;
        mrc_answers a = none();
        mrc_resp_last_words(&resp, &words);
        mrc_last_words_say(&words, &asked, ev, &a);
        control(Event::CtlToRequester, a);
    }

    static mrc_rx_arrival arrival(const Event &e, const mrc_hdr &hdr)
    {
        mrc_rx_arrival a;
        mrc_resp_arrival(&hdr, static_cast<std::uint32_t>(e.packet.size() - hdr.len),
                         PathEnd::bitsOf(static_cast<u16>(e.ev)), e.ce, &a);
        return a;
    }

    void copied(const Event &e)
    {
        const mrc_hdr hdr = decode(e.packet);
        const mrc_rx_arrival a = arrival(e, hdr);
        if (responderEnded)
            return;
        check(mrc_resp_fits(&resp, &a), "length");
        const bool refused = refusedPsns.count(a.psn);
        if (!refused)
            place(e, hdr);
        mrc_resp_commit(&resp, &a, refused ? MRC_NAK_ACCESS : 0);
        deliver();
        answer();
    }

    void place(const Event &e, const mrc_hdr &hdr)
    {
        check(mrc_psn_diff(hdr.bth.psn, resp.rx.done_psn) > 0, "completed memory overwritten");
        std::copy(e.packet.begin() + hdr.len, e.packet.end(),
                  memory.begin() + static_cast<std::ptrdiff_t>(hdr.write.va));
    }

    void deliver()
    {
        mrc_rx_done d;
        while (mrc_resp_next_done(&resp, &d)) {
            check(delivered < messages.size(), "more messages than were sent");
            const Message &m = messages[delivered];
            check(d.psn == m.last && d.msn == delivered + 1, "message order");
            check(d.has_imm == m.imm, "immediate lost or invented");
            check(!m.imm ||
                      (d.imm == htonl(static_cast<std::uint32_t>(delivered)) && d.len == m.len),
                  "order of immediates");
            check(d.packets == m.packets, "packets of a message");
            checkSlot(m, delivered);
            ++delivered;
        }
    }

    void answer()
    {
        mrc_answers a = none();
        responderEnded = mrc_resp_answer(&resp, now, &a) != 0;
        check(!resp.rx.sack_due, "SACK still due");
        sendAnswer(a);
    }

    void sendAnswer(mrc_answers &a)
    {
        for (unsigned i = 0; i < a.count; ++i) {
            if (a.hdr[i].bth.opcode != MRC_OP_SACK)
                continue;
            mrc_sack &sack = a.hdr[i].sack;
            sack.ooo_count = c.counts ? sack.ooo_count : 0;
            report.marked += sack.m == MRC_SACK_SKIP_ONCE;
            ++report.sacks;
        }
        control(Event::CtlToRequester, a);
        armSackTimer();
    }

    void armSackTimer()
    {
        const std::uint64_t at = mrc_resp_timer_at(&resp);
        if (!at || sackTimerAt)
            return;
        sackTimerAt = std::max(at, now);
        push(*sackTimerAt, Event::SackTimer);
    }

    void sackTimerFired()
    {
        mrc_answers a = none();
        sackTimerAt.reset();
        mrc_resp_timer(&resp, now, &a);
        sendAnswer(a);
    }

    void probeArrived(const Event &e)
    {
        const mrc_hdr probe = decode(e.packet);
        if (responderEnded)
            return sayLastWords(probe, e.ev);
        mrc_answers a = none();
        mrc_resp_probe(&resp, &probe.probe, e.ev, e.ce, &a);
        for (unsigned i = 0; i < a.count; ++i)
            check(a.hdr[i].bth.opcode == MRC_OP_ACK ||
                      static_cast<u16>(a.hdr[i].sack.ack_offset) == probe.probe.id,
                  "probe id");
        control(Event::CtlToRequester, a);
    }

    void checkSlot(const Message &m, std::size_t index) const
    {
        for (std::uint32_t i = 0; i < m.len; ++i)
            check(memory[m.slot * slotSize() + i] == pattern(index, i), "memory contents");
    }

    void checkFinalMemory() const
    {
        const std::size_t first = messages.size() - std::min<std::size_t>(c.slots, messages.size());
        for (std::size_t i = first; i < messages.size(); ++i)
            checkSlot(messages[i], i);
    }
};

} // namespace

SimReport simulate(const SimConfig &config)
{
    return Sim(config).run();
}
