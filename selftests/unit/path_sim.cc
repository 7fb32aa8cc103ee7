// SPDX-License-Identifier: GPL-2.0-only
#include "path_sim.h"

#include "cc_window.h"
#include "path_end.h"
#include "sim_clock.h"

#include <algorithm>
#include <random>
#include <stdexcept>

namespace
{

constexpr std::uint64_t kUs = 1000;
constexpr std::uint64_t kMs = 1000 * kUs;
constexpr std::uint64_t kStart = 1000 * kMs;
constexpr std::uint64_t kBurstNs = 5 * kMs;
constexpr u32 kWindow = MRC_MPR_UNIT;
constexpr u32 kMtu = 1024;

struct Packet {
    enum Kind { Data, Answer, Probe, EvProbe, EvAnswer } kind;
    u32 psn = 0; ///< Data
    bool rtx = false;
    bool ask = false;
    std::uint16_t id = 0;         ///< Probe, EvProbe, EvAnswer
    u16 stamp = 0;                ///< the same: when the probe left
    u16 cameBy = 0;               ///< EV of the sender
    std::vector<mrc_hdr> answers; ///< Answer
};

/// The CPU that handles all packets, one after another.
class Cpu
{
public:
    explicit Cpu(const PathSimConfig &config) : c(config) {}

    /// When it has finished a packet that comes @p at; 0: the packet is lost.
    std::uint64_t pass(std::uint64_t at)
    {
        if (!c.cpuNs)
            return at;
        const std::uint64_t begin = std::max(at, free);
        if (begin - at > c.backlog * c.cpuNs)
            return 0;
        free = begin + c.cpuNs;
        return free;
    }

private:
    const PathSimConfig &c;
    std::uint64_t free = 0;
};

/// Is there before the requester, which refers to the paths.
struct WithPaths {
    PathEnd end;
};

class End : WithPaths, public engine::Requester<End>
{
public:
    using Steps = engine::Requester<End>;

    End(const PathSimConfig &config, int index, SimClock &clock, Cpu &cpu, std::mt19937_64 &rng,
        PathSimReport &report)
        : WithPaths{{{.ports = config.ports, .mtu = kMtu, .random = static_cast<u32>(rng())},
                     [this](u16 ev, std::uint16_t id) { ask(ev, id); }}},
          Steps(end.paths, window), c(config), me(config.end[index]), index(index), clock(clock),
          cpu(cpu), rng(rng), report(report), pathFree(evs.size()), lostSince(evs.size()),
          rxMem(mrc_rx_window_mem(kWindow, 1) / sizeof(long) + 1),
          timer(clock, [this] { timerFired(); }), probeTimer(clock, [this] { probeEvs(); }),
          sackTimer(clock, [this] { sackTimerFired(); })
    {
        const mrc_cc_params params = fixedWindow(kWindow, kMtu);
        mrc_shared_init(&window, &params, &mrc_timing_software, true, clock.now);
        engine::start(
            req_,
            {.window = {.size = kWindow,
                        .retries = {.timeout_ns = c.timeoutNs, .linear = c.linear, .exp = c.exp}},
             .requests = kWindow,
             .mtu = kMtu},
            memory);
        const mrc_resp_cfg limits = {
            .size = kWindow, .imm_max = 1, .mtu = kMtu, .sack_bytes = 64 * MRC_SACK_BYTES_MIN};
        mrc_resp_start(&resp, rxMem.data(), &limits, 0);
        believe();
    }

    void connect(End &other) { peer = &other; }

    void start()
    {
        if (me.sends)
            sendBurst();
        armProbes();
    }

    /// The last pause lasts until the end.
    void finish()
    {
        if (!me.sends)
            return;
        note();
    }

private:
    friend Steps;

    const PathSimConfig &c;
    const PathSimEnd &me;
    int index;
    SimClock &clock;
    Cpu &cpu;
    std::mt19937_64 &rng;
    PathSimReport &report;
    End *peer = nullptr;

    std::vector<mrc_ev_entry> &evs = end.evs;
    std::vector<std::uint64_t> pathFree;
    std::vector<std::uint64_t> lostSince; ///< per EV: its first loss without blame
    mrc_ev_set &set = end.set;
    mrc_shared window{};
    engine::RequesterMemory memory;
    mrc_resp resp;
    std::vector<unsigned long> rxMem;
    SimTimer timer;
    SimTimer probeTimer;
    SimTimer sackTimer;
    std::uint64_t lastDone = 0;
    std::uint64_t burstAt = 0;

    bool chance(double p) { return std::uniform_real_distribution<>(0, 1)(rng) < p; }

    /// Brings about the believed states: EVs become bad by losses while others are good.
    void believe()
    {
        for (u16 ev = 0; ev < evs.size(); ++ev) {
            if (me.beliefs[ev] != Belief::Bad)
                continue;
            mrc_paths_report(&paths_, MRC_SEEN_LOST, ev, 0, 1);
            if (!c.stale)
                continue;
            evs[ev].flaps = static_cast<u8>(rng() % (MRC_EV_FLAPS_MAX + 1));
            evs[ev].backoff = 10;
            evs[ev].probe_at = kStart + rng() % mrc_timing_software.ev_probe_max;
        }
        for (u16 plane = 0; plane < set.nplanes; ++plane)
            paths_.reverse.plane[plane].lost = static_cast<u8>(rng() % (MRC_REVERSE_LOST_MAX + 1));
    }

    // ---- network

    bool lostOn(u16 ev)
    {
        switch (me.fates[ev]) {
        case Fate::Alive:
            return false;
        case Fate::Loses1:
            return chance(0.01);
        case Fate::Loses20:
            return chance(0.2);
        default:
            return clock.now >= kStart + c.diesNs;
        }
    }

    void transmit(u16 ev, Packet packet)
    {
        if (ev == MRC_EV_NONE)
            return;
        if (lostOn(ev)) {
            if (packet.kind == Packet::Data && !lostSince[ev])
                lostSince[ev] = clock.now;
            return;
        }
        packet.cameBy = ev;
        const std::uint64_t done = cpu.pass(clock.now);
        if (!done)
            return;
        const std::uint64_t at = std::max(done + 20 * kUs + rng() % (2 * kUs), pathFree[ev] + 1);
        pathFree[ev] = at;
        clock.at(at, [this, packet = std::move(packet)] { peer->receive(packet); });
    }

    void receive(const Packet &p)
    {
        switch (p.kind) {
        case Packet::Data:
            dataArrived(p);
            break;
        case Packet::Answer:
            answerArrived(p);
            break;
        case Packet::Probe:
            probeArrived(p);
            break;
        case Packet::EvProbe:
            evProbeArrived(p);
            break;
        case Packet::EvAnswer:
            evProbeAnswered(p);
            break;
        }
    }

    // ---- requester

    uint64_t now() const { return clock.now; }
    unsigned burst() const { return 4; }

    bool transmit(const mrc_plan &plan, const mrc_hdr &hdr, const mrc_chunk &)
    {
        transmit(plan.ev, Packet{.kind = Packet::Data,
                                 .psn = plan.psn,
                                 .rtx = hdr.bth.rtx,
                                 .ask = hdr.bth.ackreq});
        return true;
    }

    void pump()
    {
        mrc_batch batch;
        while (send(MRC_BATCH_MAX, batch))
            ;
        arm();
    }

    /// Bursts come one after another, so that a run has many beginnings and ends of silence.
    void sendBurst()
    {
        for (unsigned i = 1; i <= c.burst; ++i)
            queue({.len = kMtu});
        burstAt = clock.now;
        pump();
    }

    void arm()
    {
        const std::uint64_t at = timer_at();
        if (at)
            timer.arm(at);
    }

    void timerFired()
    {
        mrc_tx_result res;
        mrc_answers probe;
        if (expire(res, probe) == MRC_REQ_FAILED)
            throw std::runtime_error("retries exceeded");
        learn(res);
        if (probe.count)
            sendProbe();
        pump();
    }

    void learn(mrc_tx_result &res)
    {
        Steps::learn(res);
        noteChanges();
        armProbes();
    }

    void noteChanges()
    {
        u8 old = 0;
        for (u16 ev; (ev = mrc_paths_next_change(&paths_, &old)) != MRC_EV_NONE;)
            if (evs[ev].why == MRC_EV_WHY_LOSS)
                noteLeft(ev);
        if (!report.goodNs && allGood() && peer->allGood())
            report.goodNs = clock.now - kStart;
    }

    bool allGood() const
    {
        return std::all_of(evs.begin(), evs.end(), [](const mrc_ev_entry &e) {
            return mrc_ev_lasting(e.state) == MRC_EV_GOOD;
        });
    }

    void noteLeft(u16 ev)
    {
        if (me.fates[ev] != Fate::Dead || !lostSince[ev])
            return;
        ++report.left[index];
        report.leftNs[index] = std::max(report.leftNs[index], clock.now - lostSince[ev]);
        lostSince[ev] = 0;
    }

    void answerArrived(const Packet &p)
    {
        for (const mrc_hdr &hdr : p.answers)
            Steps::answered(hdr);
        pump();
    }

    int ack(const mrc_hdr &hdr, mrc_tx_result &res)
    {
        const u32 done = req_.sendq.una;
        const int err = Steps::ack(hdr, res);
        if (req_.sendq.una == done)
            return err;
        report.done[index] += req_.sendq.una - done;
        note();
        if (req_.sendq.una == req_.sendq.tail)
            clock.at(burstAt + kBurstNs, [this] { sendBurst(); });
        return err;
    }

    void note()
    {
        const std::uint64_t now = clock.now - kStart;
        if (!report.firstNs[index] && report.done[index])
            report.firstNs[index] = now;
        else
            report.pauseNs[index] = std::max(report.pauseNs[index], now - lastDone);
        lastDone = now;
    }

    // ---- responder: transport/qp/responder.c

    void dataArrived(const Packet &p)
    {
        mrc_rx_arrival a{};
        mrc_rx_done done;
        a.psn = p.psn;
        a.payload = kMtu;
        a.opflags = mrc_opcode_flags(MRC_OP_WRITE_ONLY);
        a.dmalen = kMtu;
        a.msn = static_cast<u16>(p.psn);
        a.ackreq = p.ask;
        a.rtx = p.rtx;
        switch (mrc_resp_claim(&resp, &a)) {
        case MRC_RX_OOR:
            throw std::runtime_error("PSN beyond the window");
        case MRC_RX_DUP:
            break;
        case MRC_RX_NEW:
            mrc_resp_commit(&resp, &a, 0);
            break;
        }
        while (mrc_resp_next_done(&resp, &done))
            ;
        mrc_answers answers;
        mrc_answers_init(&answers);
        mrc_resp_answer(&resp, clock.now, &answers);
        sendAnswers(answers);
    }

    void sendAnswers(const mrc_answers &answers)
    {
        const std::uint64_t at = mrc_resp_timer_at(&resp);
        if (answers.count)
            answer(Packet{.kind = Packet::Answer,
                          .answers = {answers.hdr, answers.hdr + answers.count}});
        if (at)
            sackTimer.arm(at);
    }

    void sackTimerFired()
    {
        mrc_answers answers;
        mrc_answers_init(&answers);
        mrc_resp_timer(&resp, clock.now, &answers);
        sendAnswers(answers);
    }

    void probeArrived(const Packet &p)
    {
        mrc_answers answers;
        mrc_probe probe{};
        probe.id = p.id;
        mrc_answers_init(&answers);
        mrc_resp_probe(&resp, &probe, 0, false, &answers);
        sendAnswers(answers);
    }

    void answer(const Packet &packet)
    {
        transmit(end.answerEv(clock.now), packet);
        answered();
    }

    void sendProbe()
    {
        const u16 ev = req_.tx.probe_ev;
        transmit(ev == MRC_EV_NONE ? end.answerEv(clock.now) : ev,
                 Packet{.kind = Packet::Probe, .id = req_.tx.probe_id});
        answered();
    }

    // ---- probes

    void answered()
    {
        end.answered(static_cast<u32>(rng()), clock.now);
        armProbes();
    }

    void ask(u16 ev, std::uint16_t id)
    {
        ++report.probes;
        transmit(ev, Packet{.kind = Packet::EvProbe, .id = id, .stamp = mrc_port_stamp(clock.now)});
    }

    void armProbes()
    {
        const std::uint64_t at = end.timerAt();
        if (at != U64_MAX)
            probeTimer.arm(at);
    }

    void probeEvs()
    {
        end.timer([this] { return static_cast<u32>(rng()); }, clock.now);
        noteChanges();
        armProbes();
    }

    void evProbeArrived(const Packet &p)
    {
        const u8 port = c.mirrored ? evs[p.cameBy].port : 0;
        for (u16 ev : end.probeAnswerEvs(port, p.cameBy, clock.now))
            transmit(ev, Packet{.kind = Packet::EvAnswer, .id = p.id, .stamp = p.stamp});
        answered();
    }

    void evProbeAnswered(const Packet &p)
    {
        end.probeAnswered(p.id, p.stamp, clock.now);
        noteChanges();
        armProbes();
    }
};

} // namespace

PathSimReport simulatePaths(const PathSimConfig &config)
{
    PathSimReport report;
    std::mt19937_64 rng(config.seed);
    SimClock clock(kStart);
    Cpu cpu(config);
    End a(config, 0, clock, cpu, rng, report);
    End b(config, 1, clock, cpu, rng, report);
    a.connect(b);
    b.connect(a);
    try {
        a.start();
        b.start();
        clock.run(kStart + config.runNs);
    } catch (const std::exception &e) {
        report.error = e.what();
    }
    a.finish();
    b.finish();
    return report;
}
