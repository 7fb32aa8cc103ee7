// SPDX-License-Identifier: GPL-2.0-only
#include "sim_requester.h"

#include "sim_responder.h"

#include <arpa/inet.h>

namespace
{

constexpr u32 kRequesterQpn = 0x11;
constexpr u32 kResponderQpn = 0x22;

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
    mrc_cc_params params = fixedWindow(c.cwnd, c.mtu);
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
    : Steps(host.end.paths, window), world(world), c(world.c), fabric(fabric), host(host),
      work(work), timer(world.clock, [this] { timerFired(); })
{
    const mrc_cc_params params = windowOf(c);
    engine::start(
        req_,
        {.window = {.size = c.windowUnits * MRC_MPR_UNIT,
                    .retries = {.timeout_ns = c.timeoutNs, .linear = 3, .exp = MRC_EXP_MAX},
                    .receive_ns = UINT64_MAX},
         .requests = 64,
         .mtu = c.mtu,
         .imm_max = static_cast<u16>(c.immMax),
         .psn = c.psn},
        memory);
    mrc_shared_init(&window, &params, &mrc_timing_software, true, world.now());
    tx.evidence.seq = c.seq;
}

// ---- what goes out

/// Posts as many messages as have a region of remote memory each, and a slot.
void SimRequester::post()
{
    while (sendq.tail < work.messages.size() &&
           sendq.tail - sendq.una < static_cast<u32>(c.slots)) {
        const SimMessage &m = work.messages[sendq.tail];
        if (!queue({.raddr = m.send ? 0 : m.slot * simSlotSize(c),
                    .len = m.len,
                    .imm = htonl(sendq.tail),
                    .op = static_cast<u8>(m.send ? MRC_MSG_SEND : MRC_MSG_WRITE),
                    .has_imm = m.imm}))
            break;
        simCheck(mrc_sendq_at(&sendq, sendq.tail - 1)->packets == m.packets,
                 "packets of a message");
    }
}

void SimRequester::pump()
{
    mrc_batch batch;
    if (ended)
        return;
    post();
    while (send(MRC_BATCH_MAX, batch))
        ;
    arm();
}

unsigned SimRequester::draw(const mrc_batch &batch, u16 *ev)
{
    const unsigned stride = Steps::draw(batch, ev);
    for (unsigned i = 0; i < stride; ++i)
        checkDrawn(ev[i], batch.any);
    return stride;
}

void SimRequester::checkDrawn(u16 ev, bool any) const
{
    const mrc_ev_set &set = paths_.set;
    if (ev == MRC_EV_NONE || any || mrc_ev_searching(&set))
        return;
    simCheck(set.ev[ev].state != MRC_EV_ASSUMED_BAD || !set.good, "data on a bad EV");
    simCheck(!mrc_ev_is_spare(&set, ev), "data on a spare");
}

Bytes SimRequester::packetOf(const mrc_plan &plan, mrc_hdr &hdr, const mrc_chunk &chunk)
{
    const SimMessage &m = work.messages[plan.msg];
    simCheck(m.has(plan.psn), "packet of another message");
    simCheck(hdr.write.msn == static_cast<u16>(plan.msg), "MSN");
    simCheck(hdr.write.rqmsn == m.rqmsn, "RQMSN");
    hdr.bth.qpn = kResponderQpn;
    hdr.bth.ts = world.rng() % 2;

    Bytes packet = simEncode(hdr);
    for (u32 i = 0; i < chunk.len; ++i)
        packet.push_back(SimWork::byteAt(plan.msg, chunk.offset + i));
    return packet;
}

bool SimRequester::transmit(const mrc_plan &plan, mrc_hdr &hdr, const mrc_chunk &chunk)
{
    const Bytes packet = packetOf(plan, hdr, chunk);
    ++world.report.sent;
    world.report.resent += hdr.bth.rtx;
    sentAt[plan.psn].push_back(world.now());
    const bool leaves = !world.chance(c.unsent);
    if (leaves && plan.ev != MRC_EV_NONE)
        fabric.sendData(plan.ev, hdr.bth.rtx ? SimTraffic::Again : SimTraffic::Data, packet,
                        [this](const SimPacket &p) { peer->dataArrived(p); });
    if (world.chance(c.forged))
        forgeSack();
    return leaves;
}

bool SimRequester::take_back(u32 psn)
{
    simCheck(Steps::take_back(psn), "QP ended by its own host");
    ++world.report.unsent;
    return true;
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
    const mrc_req before = req_;
    mrc_tx_result res;
    simCheck(mrc_req_sack(&req_, &hdr, world.now(), &res) == -EINVAL, "forged SACK taken");
    simCheck(std::memcmp(&before, &req_, sizeof(req_)) == 0, "forged SACK changed the requester");
}

// ---- time

void SimRequester::arm()
{
    const u64 at = timer_at();
    if (at)
        timer.arm(at);
    host.arm();
}

void SimRequester::timerFired()
{
    mrc_tx_result res;
    mrc_answers probe;
    if (ended)
        return;
    const mrc_req_due due = expire(res, probe);
    simCheck(due != MRC_REQ_FAILED, "retries for ever expired");
    if (due != MRC_REQ_GONE)
        world.report.timeouts += res.lost;
    if (due == MRC_REQ_PROBE)
        sendProbe(probe);
    learn(res);
    if (due == MRC_REQ_NOTHING)
        arm();
    else
        pump();
}

void SimRequester::sendProbe(const mrc_answers &probe)
{
    ++world.report.probes;
    probeSentAt[tx.probe_id] = world.now();
    host.send(probe, [this](const SimPacket &p) { peer->probeArrived(p); });
}

// ---- what is learned

void SimRequester::heedPorts()
{
    if (ended)
        return;
    simCheck(check_ports(), "ports unheeded");
    simCheck(!inFlightOnDeadPort(), "in flight on a port that is down");
    pump();
    simCheck(!tx.lost || world.now() < req_.pause_until || req_.stops || full(),
             "not sent again at once");
}

/// Whether not even a retransmission may leave.
bool SimRequester::full()
{
    mrc_cc_grant grant;
    return !mrc_shared_begin(&window, this, &grant) || grant.room_lost < grant.least;
}

bool SimRequester::inFlightOnDeadPort() const
{
    const u32 up = paths_.set.local_mask & paths_.set.remote_mask;
    const u32 sent = static_cast<u32>(mrc_psn_diff(tx.nxt, tx.una));
    for (u32 i = 0; i < sent; ++i) {
        const mrc_tx_rec &rec = tx.ring[(tx.head + i) % tx.ring_size];
        const u16 ev = mrc_tx_rec_ev(&rec);
        if (!(rec.flags & MRC_TX_DONE) && ev != MRC_EV_NONE && !(up >> (fabric.port(ev) - 1) & 1))
            return true;
    }
    return false;
}

void SimRequester::learn_of_evs(mrc_tx_result &res)
{
    world.report.spurious += res.spurious;
    newsAcked = 0;
    Steps::learn_of_evs(res);
    simCheck(newsAcked <= res.acked, "counted for two EVs");
    world.report.evAcked += newsAcked;
}

void SimRequester::learn_news(const mrc_news &news)
{
    for (unsigned i = 0; i < news.count; ++i)
        newsAcked += countAcked(news.ev[i]);
    Steps::learn_news(news);
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
    answered(simDecode(packet.bytes));
    simCheck(window.cc.inflight == tx.inflight_bytes, "congestion control counts otherwise");
    simCheck(tx.inflight + tx.lost <= static_cast<u32>(mrc_psn_diff(tx.nxt, tx.una)), "counters");
    pump();
}

int SimRequester::sack(const mrc_hdr &hdr, mrc_tx_result &res)
{
    simCheck(Steps::sack(hdr, res) == 0, "true SACK refused");
    if (res.rtt_ns)
        checkSample(hdr, res);
    if (hdr.sack.probe)
        world.report.probeLost += res.lost;
    return 0;
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

int SimRequester::nack(const mrc_hdr &hdr, mrc_tx_result &res)
{
    const int err = Steps::nack(hdr, res);
    if (err && !res.lost)
        learn_of_window(res);
    simCheck(err == 0 || err == -EALREADY, "true NACK refused");
    simCheck(err || res.lost >= 1, "NACK without effect");
    simCheck(err || !res.expired, "refused too often");
    return err;
}

int SimRequester::ack(const mrc_hdr &hdr, mrc_tx_result &res)
{
    simCheck(Steps::ack(hdr, res) == 0, "true ACK refused");
    simCheck(completed() >= hdr.ack.msn, "ACK counts other messages than its PSN");
    if (!mrc_syndrome_is_ack(hdr.ack.syndrome))
        nakArrived(hdr);
    return 0;
}

void SimRequester::end_request()
{
    simCheck(completed() < work.executed, "completed before it was executed");
    Steps::end_request();
    --world.open;
    world.report.elapsedNs = world.elapsed();
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
