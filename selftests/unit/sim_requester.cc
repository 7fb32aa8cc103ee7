// SPDX-License-Identifier: GPL-2.0-only
#include "sim_requester.h"

#include "sim_responder.h"

#include <arpa/inet.h>
#include <array>

namespace
{

constexpr u32 kRequesterQpn = 0x11;
constexpr u32 kResponderQpn = 0x22;
constexpr u32 kRequests = 64;
constexpr unsigned kBurst = 4; ///< packets that one skb carries

mrc_hdr forgedHeader(const mrc_sack &sack, bool rtx)
{
    mrc_hdr hdr{};
    hdr.bth.opcode = MRC_OP_SACK;
    hdr.bth.pkey = MRC_PKEY_DEFAULT;
    hdr.bth.qpn = kRequesterQpn;
    hdr.bth.rtx = rtx;
    hdr.sack = sack;
    return hdr;
}

/// Settings for a link of 1 Gb/s.
mrc_cc_params windowOf(const SimConfig &c)
{
    mrc_cc_params params = CcWindow::fixed(c.cwnd, c.mtu);
    if (c.nscc) {
        params.algorithm = MRC_CC_NSCC;
        params.rate = 125'000'000;
        params.gamma = MRC_CC_GAMMA_DEFAULT;
        params.max_md_jump = MRC_CC_MD_JUMP_DEFAULT;
        params.qa_gate = MRC_CC_QA_GATE_DEFAULT;
        params.trimming = c.trimmed > 0;
    }
    return params;
}

} // namespace

SimRequester::SimRequester(SimWorld &world, SimFabric &fabric, SimHost &host, SimWork &work)
    : world(world), c(world.c), fabric(fabric), host(host), work(work),
      window(windowOf(c), world.now()),
      mem(mrc_tx_window_mem(c.windowUnits * MRC_MPR_UNIT) / sizeof(u64)), requests(kRequests),
      timer(world.clock, [this] { timerFired(); })
{
    const mrc_tx_cfg cfg = {.size = c.windowUnits * MRC_MPR_UNIT,
                            .retries = {.timeout_ns = c.timeoutNs, .linear = 3, .exp = MRC_EXP_MAX},
                            .receive_ns = UINT64_MAX};
    mrc_req_start(&req, mem.data(), &cfg, c.psn);
    tx.evidence.seq = c.seq;
    sendq.slots = requests.data();
    sendq.stride = sizeof(mrc_msg);
    sendq.depth = kRequests;
    mrc_sendq_start(&sendq, c.mtu, static_cast<u16>(c.immMax));
}

// ---- what goes out

/// Posts as many messages as have a region of remote memory each, and a slot.
void SimRequester::post()
{
    while (sendq.tail < work.messages.size() &&
           sendq.tail - sendq.una < static_cast<u32>(c.slots)) {
        const SimMessage &m = work.messages[sendq.tail];
        mrc_msg *request = mrc_sendq_slot(&sendq);
        if (!request)
            break;
        *request = {};
        request->raddr = m.slot * simSlotSize(c);
        request->len = m.len;
        request->imm = htonl(sendq.tail);
        request->has_imm = m.imm;
        mrc_sendq_queue(&sendq);
        simCheck(request->packets == m.packets, "packets of a message");
    }
}

void SimRequester::pump()
{
    mrc_batch batch;
    if (ended)
        return;
    post();
    mrc_req_sync_evs(&req, &paths, 1);
    while (window.plan(req, world.now(), MRC_BATCH_MAX, batch)) {
        const unsigned stride = mrc_req_stride(&batch, kBurst, paths.set.good, paths.set.bad);
        std::array<u16, MRC_BATCH_MAX> ev{};
        mrc_paths_draw(&paths, batch.any, batch.count, world.now(), ev.data(), stride);
        for (unsigned i = 0; i < stride; ++i)
            checkDrawn(ev[i], batch.any);
        mrc_req_deal(&req, &batch, ev.data(), stride, world.now());
        leave(batch);
        takeBackUnsent();
    }
    arm();
}

void SimRequester::checkDrawn(u16 ev, bool any) const
{
    const mrc_ev_set &set = paths.set;
    if (ev == MRC_EV_NONE || any || mrc_ev_searching(&set))
        return;
    simCheck(set.ev[ev].state != MRC_EV_ASSUMED_BAD || !set.good, "data on a bad EV");
    simCheck(!mrc_ev_is_spare(&set, ev), "data on a spare");
}

/// Sends EV by EV, because packets of one EV share skbs.
void SimRequester::leave(const mrc_batch &batch)
{
    for (unsigned e = 0; e < batch.stride; ++e)
        for (unsigned i = e; i < batch.count; i += batch.stride)
            transmit(batch.plan[i], batch.rtx, batch.ask && i == batch.count - 1);
}

Bytes SimRequester::packetOf(const mrc_plan &plan, bool rtx, bool ask)
{
    const SimMessage &m = work.messages[plan.msg];
    const mrc_msg *request = mrc_sendq_at(&sendq, plan.msg);
    simCheck(m.has(plan.psn), "packet of another message");
    mrc_chunk chunk;
    mrc_hdr hdr;
    mrc_sendq_chunk(&sendq, request, plan.psn, &chunk);
    mrc_sendq_header(request, &chunk, plan.psn, &hdr);
    simCheck(hdr.write.msn == static_cast<u16>(plan.msg), "MSN");
    simCheck(hdr.write.rqmsn == m.rqmsn, "RQMSN");
    hdr.bth.pkey = MRC_PKEY_DEFAULT;
    hdr.bth.qpn = kResponderQpn;
    hdr.bth.rtx = rtx;
    hdr.bth.ackreq = ask;
    hdr.bth.ts = world.rng() % 2;

    Bytes packet = simEncode(hdr);
    for (u32 i = 0; i < chunk.len; ++i)
        packet.push_back(SimWork::byteAt(plan.msg, chunk.offset + i));
    return packet;
}

void SimRequester::transmit(const mrc_plan &plan, bool rtx, bool ask)
{
    const Bytes packet = packetOf(plan, rtx, ask);
    ++world.report.sent;
    world.report.resent += rtx;
    sentAt[plan.psn].push_back(world.now());
    if (world.chance(c.unsent))
        unsent.push_back(plan.psn);
    else if (plan.ev != MRC_EV_NONE)
        fabric.sendData(plan.ev, rtx ? SimTraffic::Again : SimTraffic::Data, packet,
                        [this](const SimPacket &p) { peer->dataArrived(p); });
    if (world.chance(c.forged))
        forgeSack();
}

/// The packet has not left this host, which is no loss.
void SimRequester::takeBackUnsent()
{
    for (u32 psn : unsent) {
        mrc_tx_result res;
        simCheck(mrc_req_unsent(&req, psn, world.now(), &res), "QP ended by its own host");
        window.learn(req, res, world.now());
    }
    world.report.unsent += unsent.size();
    unsent.clear();
}

void SimRequester::forgeSack()
{
    mrc_sack s{};
    const auto ahead = static_cast<s32>(world.upTo(0x7ffff0));
    s.cack_psn = mrc_psn_add(tx.nxt, -static_cast<s32>(1 + world.upTo(100)));
    switch (world.rng() % 3) {
    case 0:
        s.cack_psn = mrc_psn_add(tx.nxt, ahead);
        break;
    case 1:
        s.ack_offset = static_cast<s16>(mrc_psn_diff(tx.nxt, s.cack_psn));
        break;
    default:
        s.sack_offset = static_cast<s16>(mrc_psn_diff(tx.nxt, s.cack_psn) - 10);
        s.bitmap = world.rng() | 1ull << (10 + world.rng() % 54);
        break;
    }
    const mrc_hdr hdr = forgedHeader(s, world.rng() % 2);
    const mrc_req before = req;
    mrc_tx_result res;
    simCheck(mrc_req_sack(&req, &hdr, world.now(), &res) == -EINVAL, "forged SACK taken");
    simCheck(std::memcmp(&before, &req, sizeof(req)) == 0, "forged SACK changed the requester");
}

// ---- time

void SimRequester::arm()
{
    const u64 at = mrc_req_timer_at(&req, world.now());
    if (at)
        timer.arm(at);
    host.arm();
}

void SimRequester::timerFired()
{
    mrc_tx_result res;
    if (ended)
        return;
    heedSilence();
    const mrc_req_due due = mrc_req_timer(&req, world.now(), &res);
    simCheck(due != MRC_REQ_FAILED, "retries for ever expired");
    if (due != MRC_REQ_GONE)
        world.report.timeouts += res.lost;
    if (due == MRC_REQ_PROBE)
        sendProbe();
    learn(res);
    if (due == MRC_REQ_NOTHING)
        arm();
    else
        pump();
}

void SimRequester::sendProbe()
{
    mrc_answers a;
    ++world.report.probes;
    probeSentAt[tx.probe_id] = world.now();
    mrc_answers_init(&a);
    mrc_req_put_probe(&req, &a);
    host.send(a, [this](const SimPacket &p) { peer->probeArrived(p); });
}

// ---- what is learned

void SimRequester::heedPorts()
{
    mrc_tx_result res;
    if (ended)
        return;
    simCheck(mrc_req_heed_ports(&req, &paths, 1, world.now(), &res), "ports unheeded");
    window.learn(req, res, world.now());
    simCheck(!inFlightOnDeadPort(), "in flight on a port that is down");
    pump();
    simCheck(!tx.lost || world.now() < req.pause_until || window.full(), "not sent again at once");
}

bool SimRequester::inFlightOnDeadPort() const
{
    const u32 up = paths.set.local_mask & paths.set.remote_mask;
    const u32 sent = static_cast<u32>(mrc_psn_diff(tx.nxt, tx.una));
    for (u32 i = 0; i < sent; ++i) {
        const mrc_tx_rec &rec = tx.ring[(tx.head + i) % tx.ring_size];
        const u16 ev = mrc_tx_rec_ev(&rec);
        if (!(rec.flags & MRC_TX_DONE) && ev != MRC_EV_NONE && !(up >> (fabric.port(ev) - 1) & 1))
            return true;
    }
    return false;
}

void SimRequester::learn(mrc_tx_result &res)
{
    window.learn(req, res, world.now());
    learnOfEvs(res);
}

void SimRequester::learnOfEvs(mrc_tx_result &res)
{
    world.report.spurious += res.spurious;
    u32 acked = 0;
    bool silent = false;
    for (mrc_news news; mrc_req_news(&req, &res, world.now(), &news);) {
        for (unsigned i = 0; i < news.count; ++i)
            acked += countAcked(news.ev[i]);
        mrc_paths_learn(&paths, &news, world.now());
        for (unsigned i = 0; i < news.count; i++)
            mrc_req_heed_state(&req, &paths, &news.ev[i], &silent);
    }
    simCheck(acked <= res.acked, "counted for two EVs");
    world.report.evAcked += acked;
}

u32 SimRequester::countAcked(const mrc_news_ev &e)
{
    if (!(e.what & MRC_NEWS_ACKED))
        return 0;
    ackedOn[e.ev] += e.acked;
    simCheck(ackedOn[e.ev] <= work.arrivedOn[e.ev], "counted for another EV");
    return e.acked;
}

void SimRequester::arrived(const SimPacket &packet)
{
    if (ended)
        return;
    const mrc_hdr hdr = simDecode(packet.bytes);
    if (hdr.bth.opcode == MRC_OP_SACK)
        sackArrived(hdr);
    else if (hdr.bth.opcode == MRC_OP_NACK)
        nackArrived(hdr);
    else
        ackArrived(hdr);
    simCheck(window.cc.inflight == tx.inflight_bytes, "congestion control counts otherwise");
    simCheck(tx.inflight + tx.lost <= static_cast<u32>(mrc_psn_diff(tx.nxt, tx.una)), "counters");
    pump();
}

void SimRequester::heedSilence()
{
    while (mrc_req_next_silent(&req, &paths) != MRC_EV_NONE)
        ;
}

void SimRequester::sackArrived(const mrc_hdr &hdr)
{
    mrc_tx_result res;
    heedSilence();
    simCheck(mrc_req_sack(&req, &hdr, world.now(), &res) == 0, "true SACK refused");
    if (res.rtt_ns)
        checkSample(hdr, res);
    if (hdr.sack.probe)
        world.report.probeLost += res.lost;
    learn(res);
}

void SimRequester::checkSample(const mrc_hdr &hdr, const mrc_tx_result &res) const
{
    // send time of the probe that this SACK answers, or of the packet that has caused it
    const u64 sent = hdr.sack.probe ? probeSentAt.at(static_cast<u16>(hdr.sack.ack_offset))
                                    : transmissionOf(hdr);
    const u64 rtt = world.now() - sent;
    simCheck(res.rtt_ns < rtt + 2 * MRC_TX_TICK_NS && rtt < res.rtt_ns + 2 * MRC_TX_TICK_NS,
             "wrong RTT");
}

/// The send time of the only transmission that may have caused this SACK.
u64 SimRequester::transmissionOf(const mrc_hdr &hdr) const
{
    const auto &times = sentAt.at(mrc_psn_add(hdr.sack.cack_psn, hdr.sack.ack_offset));
    simCheck(times.size() <= 2, "sample of a packet sent three times");
    simCheck(times.size() == (hdr.bth.rtx ? 2u : 1u), "sample of another transmission");
    return times.back();
}

void SimRequester::nackArrived(const mrc_hdr &hdr)
{
    mrc_tx_result res;
    const int err = mrc_req_nack(&req, &hdr, world.now(), &res);
    simCheck(err == 0 || err == -EALREADY, "true NACK refused");
    simCheck(err || res.lost == 1, "NACK without effect");
    simCheck(err || !res.expired, "refused too often");
    window.learn(req, res, world.now());
    if (!err || res.spurious)
        learnOfEvs(res);
}

void SimRequester::ackArrived(const mrc_hdr &hdr)
{
    mrc_tx_result res;
    u32 psn = 0;
    simCheck(mrc_req_ack(&req, &hdr, world.now(), &psn, &res) == 0, "true ACK refused");
    learn(res);
    while (mrc_sendq_done(&sendq, psn)) {
        simCheck(completed() < work.executed, "completed before it was executed");
        mrc_sendq_end(&sendq);
        --world.open;
        world.report.elapsedNs = world.elapsed();
    }
    mrc_req_settle(&req, world.now());
    simCheck(completed() >= hdr.ack.msn, "ACK counts other messages than its PSN");
    if (hdr.ack.syndrome != MRC_ACK_OK)
        nakArrived(hdr);
}

/// All messages before the named one were executed, and the named one is the refused request.
void SimRequester::nakArrived(const mrc_hdr &hdr)
{
    simCheck(work.firstRefused && hdr.bth.psn == *work.firstRefused, "NAK of another packet");
    simCheck(hdr.ack.syndrome == MRC_NAK_ACCESS && hdr.ack.msn == completed(), "NAK");
    simCheck(work.messages[completed()].has(*work.firstRefused), "another request fails");
    simCheck(completed() == work.executed, "what is refused was executed");
    ++world.report.naks;
    world.open -= work.messages.size() - completed();
    ended = true;
}

void SimRequester::checkEnd() const
{
    simCheck(ended == work.firstRefused.has_value(), "NAK lost or invented");
    if (ended)
        return;
    simCheck(completed() == work.messages.size(), "stalled: nothing left to happen");
    simCheck(mrc_tx_idle(&tx) && tx.una == tx.nxt, "counters at the end");
}
