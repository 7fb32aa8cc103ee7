// SPDX-License-Identifier: GPL-2.0-only
#include "read_sim_end.h"

#include "sim_fabric.h"

#include <arpa/inet.h>

namespace
{

constexpr u32 kGoodKey = 0x600d;

/// EV bits of packets on a path.
u32 bitsOf(u16 ev)
{
    return ev + 1u;
}

mrc_answers none()
{
    mrc_answers a;
    mrc_answers_init(&a);
    return a;
}

mrc_rx_arrival arrival(const ReadPacket &packet, const mrc_hdr &hdr)
{
    mrc_rx_arrival a;
    mrc_resp_arrival(&hdr, static_cast<u32>(packet.bytes.size() - hdr.len), bitsOf(packet.ev),
                     false, &a);
    return a;
}

} // namespace

ReadEnd::ReadEnd(ReadWorld &world, ReadNet &net, int which, ReadWork &mine, ReadWork &theirs)
    : Steps(paths, window), world(world), c(world.c), net(net), which(which), mine(mine),
      theirs(theirs), timer(world.clock, [this] { timerFired(); }),
      windowMemory(mrc_rx_window_mem(c.takenUnits * MRC_MPR_UNIT, c.immMax) / sizeof(u64) + 1),
      sackTimer(world.clock, [this] { sackTimerFired(); }), received(c.immMax + c.receives),
      posted(c.receives)
{
    startRequester();
    startResponder();
    if (c.end[which].closesNs)
        world.clock.at(world.now() + c.end[which].closesNs, [this] { ended = true; });
}

void ReadEnd::startRequester()
{
    const mrc_cc_params params = fixedWindow(c.cwnd, c.mtu);
    engine::start(
        req_,
        {.window = {.size = c.windowUnits * MRC_MPR_UNIT,
                    .retries = {.timeout_ns = c.timeoutNs, .linear = 3, .exp = MRC_EXP_MAX},
                    .receive_ns = UINT64_MAX},
         .requests = c.depth,
         .responses = MRC_READS_MAX,
         .mtu = c.mtu,
         .imm_max = static_cast<u16>(c.immMax),
         .psn = c.end[which].psn},
        memory);
    req_.next_msn = c.end[which].msn;
    req_.sendq.reads_max = static_cast<u16>(c.end[which].readsMax);
    mrc_shared_init(&window, &params, &mrc_timing_software, true, world.now());
}

void ReadEnd::startResponder()
{
    const mrc_resp_cfg limits = {.size = c.takenUnits * MRC_MPR_UNIT,
                                 .imm_max = c.immMax,
                                 .mtu = c.mtu,
                                 .sack_bytes = MRC_SACK_BYTES_DEFAULT};
    mrc_resp_start(&resp, windowMemory.data(), &limits, c.end[!which].psn);
    for (Bytes &receive : received)
        receive.resize(c.maxPackets * c.mtu);
}

// ---- what goes out

void ReadEnd::post()
{
    while (world.now() >= restsUntil && mine.hasMore() && mrc_sendq_slot(&req_.sendq)) {
        const u32 index = req_.sendq.tail;
        const ReadRequest &r = mine.post();
        queue({.raddr = r.op == MRC_MSG_SEND ? 0 : r.at,
               .value = r.value,
               .compare = r.compare,
               .rkey = r.bad ? kReadBadKey : kGoodKey,
               .len = r.len,
               .rdeth = c.end[!which].psn,
               .imm = htonl(index),
               .op = r.op,
               .has_imm = r.imm,
               .invalidates = r.invalidates,
               .fence = r.fence});
        if (!world.chance(c.rest))
            continue;
        restsUntil = world.now() + world.upTo(c.restNs);
        world.clock.at(restsUntil, [this] { pump(); });
    }
}

mrc_msg ReadEnd::responseTo(const mrc_fetch &fetch) const
{
    simCheck(fetch.first_psn == c.end[which].psn, "the first PSN that the peer expects");
    return {
        .value = fetch.value,
        .len = fetch.len,
        .rdeth = fetch.msn,
        .op = static_cast<u8>(fetch.opcode == MRC_OP_READ ? MRC_MSG_READ_RSP : MRC_MSG_ATOMIC_RSP)};
}

void ReadEnd::queueResponses()
{
    mrc_msg *slot = nullptr;
    while (const mrc_fetch *fetch = mrc_fetches_oldest(&resp.fetches)) {
        if (!(slot = mrc_sendq_slot(&req_.rspq)))
            return void(++world.report.held);
        *slot = responseTo(*fetch);
        readAt.at(req_.rspq.tail % MRC_READS_MAX) = fetch->va;
        mrc_sendq_queue(&req_.rspq);
        mrc_fetches_pop(&resp.fetches);
    }
}

void ReadEnd::pump()
{
    mrc_batch batch;
    if (ended)
        return;
    do {
        post();
        queueResponses();
    } while (send(MRC_BATCH_MAX, batch));
    arm();
}

/// Responses to READs and atomics that go out now are expected from now on.
void ReadEnd::leave(const mrc_batch &batch)
{
    for (unsigned i = 0; !batch.rtx && i < batch.count; ++i)
        if (!batch.plan[i].response)
            expect(batch.plan[i]);
    if (!batch.rtx)
        checkTurns(batch);
    Steps::leave(batch);
}

/// What is begun late in a batch could have been begun early, so no two of the other kind come
/// before it.
void ReadEnd::checkTurns(const mrc_batch &batch) const
{
    unsigned run = 0;
    bool last = false;
    for (unsigned i = 0; i < batch.count; ++i) {
        const mrc_plan &p = batch.plan[i];
        if (p.psn != mrc_sendq_at(p.response ? &req_.rspq : &req_.sendq, p.msg)->psn)
            continue;
        simCheck(p.response == last || run < 2, "requests and responses take no turns");
        run = p.response == last ? run + 1 : 1;
        last = p.response;
    }
}

void ReadEnd::expect(const mrc_plan &packet)
{
    const mrc_msg *m = mrc_sendq_at(&req_.sendq, packet.msg);
    simCheck(!req_.wait.since && !req_.stops, "a new request, although one waits for a receive");
    if (packet.psn == m->psn)
        begins(*m);
    if (!mrc_msg_fetches(m))
        return;
    const mrc_read read = {
        .index = packet.msg, .len = m->len, .msn = m->msn, .atomic = m->op != MRC_MSG_READ};
    mrc_reads_add(&resp.reads, &read, c.mtu);
}

void ReadEnd::begins(const mrc_msg &request)
{
    simCheck(!request.fence || !underWay, "begun in spite of a fence");
    underWay += mrc_msg_fetches(&request);
    simCheck(underWay <= c.end[which].readsMax, "too many READs under way");
    world.report.underWay = std::max<u64>(world.report.underWay, underWay);
}

unsigned ReadEnd::draw(const mrc_batch &batch, u16 *ev)
{
    const unsigned stride = mrc_req_stride(&batch, burst(), static_cast<unsigned>(c.paths), 0);
    for (unsigned i = 0; i < stride; ++i)
        ev[i] = net.anyPath();
    return stride;
}

const std::uint8_t *ReadEnd::payloadOf(const mrc_plan &plan) const
{
    if (!plan.response)
        return mine.request(plan.msg).data.data();
    return theirs.at(readAt.at(plan.msg % MRC_READS_MAX));
}

bool ReadEnd::transmit(const mrc_plan &plan, mrc_hdr &hdr, const mrc_chunk &chunk)
{
    hdr.bth.ts = world.rng() % 2;
    Bytes packet = simEncode(hdr);
    const std::uint8_t *from = payloadOf(plan) + chunk.offset;
    packet.insert(packet.end(), from, from + chunk.len);
    ++world.report.packets;
    world.report.resent += hdr.bth.rtx;
    world.report.responses += plan.response;
    if (world.chance(c.unsent))
        return false;
    net.send(plan.ev, packet);
    return true;
}

bool ReadEnd::take_back(u32 psn)
{
    simCheck(Steps::take_back(psn), "QP ended by its own host");
    return true;
}

void ReadEnd::arm()
{
    const u64 at = timer_at();
    if (at)
        timer.arm(at);
}

void ReadEnd::timerFired()
{
    mrc_tx_result res;
    mrc_answers probe;
    if (ended)
        return;
    const mrc_req_due due = expire(res, probe);
    simCheck(due != MRC_REQ_FAILED, "retries for ever expired");
    world.report.timeouts += res.lost;
    world.report.probes += probe.count;
    say(probe);
    learn(res);
    if (due == MRC_REQ_NOTHING)
        arm();
    else
        pump();
}

// ---- answers

void ReadEnd::answerArrived(const mrc_hdr &hdr)
{
    responsesEnded = false;
    const mrc_req_verdict verdict = answered(hdr);
    if (verdict == MRC_REQ_NO_ACCESS)
        return refused();
    if (verdict == MRC_REQ_UNEXPECTED || verdict == MRC_REQ_UNWANTED)
        return toldThatPeerClosed();
    simCheck(verdict == MRC_REQ_GOES_ON || peerHasClosed(), "a true answer is refused");
    simCheck(window.cc.inflight == req_.tx.inflight_bytes, "congestion control counts otherwise");
    checkRest();
    flush(responsesEnded, true);
}

/// If responses were all that was open, no ACK is waited for any more.
int ReadEnd::sack(const mrc_hdr &hdr, mrc_tx_result &res)
{
    const int err = Steps::sack(hdr, res);
    if (err)
        return err;
    endResponses();
    mrc_req_settle(&req_, now());
    return 0;
}

/// First takes responses that have come: a NAK says that they have, and must not fail their
/// requests. Responses end before requests do, because the wait for an ACK depends on both.
int ReadEnd::ack(const mrc_hdr &hdr, mrc_tx_result &res)
{
    u32 psn = 0;
    takeResponses();
    const int err = mrc_req_ack(&req_, &hdr, now(), &psn, &res);
    if (err)
        return err;
    learn(res);
    endResponses();
    complete(psn);
    return 0;
}

void ReadEnd::endResponses()
{
    u32 count = 0;
    for (; mrc_req_response_done(&req_); ++count)
        mrc_sendq_end(&req_.rspq);
    simCheck(count <= resp.answering, "more responses than READs and atomics were executed");
    responsesEnded |= count && mrc_resp_answered(&resp, count);
}

/// Nobody waits for anything when nothing is open.
void ReadEnd::checkRest() const
{
    const bool open = req_.sendq.una != req_.sendq.tail || req_.rspq.una != req_.rspq.tail;
    simCheck(open || !req_.ack_wait, "an ACK is asked for, but nothing is open");
}

void ReadEnd::complete(u32 psn)
{
    while (mrc_sendq_done(&req_.sendq, psn))
        end_request();
    mrc_req_settle(&req_, now());
    arm();
}

void ReadEnd::end_request()
{
    const u32 index = req_.sendq.una;
    underWay -= mine.request(index).fetches();
    mine.complete(index);
    Steps::end_request();
    for (; owed && !mine.reads(); --owed)
        repost();
    world.report.elapsedNs = world.elapsed();
}

/// A NAK: the oldest request that is left has failed.
void ReadEnd::refused()
{
    simCheck(mine.open(), "a NAK without a request");
    simCheck(mine.request(req_.sendq.una).bad, "another request fails");
    ++world.report.naks;
    ended = true;
}

void ReadEnd::toldThatPeerClosed()
{
    simCheck(peerHasClosed(), "unexpected event");
    ++world.report.ends;
    ended = true;
}

bool ReadEnd::peerHasClosed() const
{
    const u64 at = c.end[!which].closesNs;
    return at && world.elapsed() >= at;
}

// ---- packets

void ReadEnd::arrived(const ReadPacket &packet)
{
    const mrc_hdr hdr = simDecode(packet.bytes);
    if (ended)
        return sayLastWords(packet, hdr);
    switch (hdr.bth.opcode) {
    case MRC_OP_SACK:
    case MRC_OP_NACK:
    case MRC_OP_ACK:
        return answerArrived(hdr);
    case MRC_OP_PROBE:
        return probeArrived(packet, hdr);
    default:
        return messageArrived(packet, hdr);
    }
}

void ReadEnd::messageArrived(const ReadPacket &packet, const mrc_hdr &hdr)
{
    const mrc_rx_arrival a = arrival(packet, hdr);
    Target target;
    if (packet.trimmed)
        return trimmed(packet, hdr);
    if (world.chance(c.nack))
        return sendNack(hdr.bth.psn, packet.ev);
    simCheck(mrc_resp_fits(&resp, &a), "length");
    const mrc_rx_verdict verdict = mrc_resp_claim(&resp, &a);
    world.report.dups += verdict == MRC_RX_DUP;
    if (verdict == MRC_RX_NEW && find(a, target))
        world.clock.at(world.now() + world.upTo(c.copyNs),
                       [this, packet, target] { copied(packet, target); });
    else
        answerSoon();
}

void ReadEnd::trimmed(const ReadPacket &packet, const mrc_hdr &hdr)
{
    mrc_answers a = none();
    mrc_resp_posted(&resp, static_cast<u32>(posted - taken));
    mrc_resp_trimmed(&resp, &hdr.bth, bitsOf(packet.ev), false, nullptr, world.now(), &a);
    say(a);
}

/// @return false: the packet has no receive, and counts as never seen
bool ReadEnd::find(const mrc_rx_arrival &a, Target &target)
{
    if (a.opflags & MRC_OPF_SEND)
        return findReceive(a, target);
    if (!(a.opflags & MRC_OPF_RESPONSE))
        return true;
    const mrc_read *read = mrc_reads_find(&resp.reads, &a, c.mtu);
    simCheck(read, "a response that nobody waits for");
    target.read = read->index;
    return true;
}

bool ReadEnd::findReceive(const mrc_rx_arrival &a, Target &target)
{
    const int skip = mrc_resp_receive(&resp, &a);
    simCheck(skip >= 0, "a SEND that contradicts others");
    target.receive = static_cast<u32>(taken) + static_cast<u32>(skip);
    simCheck(static_cast<u16>(target.receive) == a.rqmsn, "the receive of a SEND");
    if (target.receive < posted)
        return true;
    mrc_resp_starve(&resp, &a);
    ++world.report.starved;
    return false;
}

void ReadEnd::copied(const ReadPacket &packet, const Target &target)
{
    const mrc_hdr hdr = simDecode(packet.bytes);
    const mrc_rx_arrival a = arrival(packet, hdr);
    if (ended)
        return;
    mrc_resp_commit(&resp, &a, place(packet, hdr, target));
    if (a.opflags & MRC_OPF_RESPONSE && a.opflags & MRC_OPF_LAST)
        responseEnds.insert(a.psn);
    answerSoon();
}

/// @return 0 or an AETH syndrome
u8 ReadEnd::place(const ReadPacket &packet, const mrc_hdr &hdr, const Target &target)
{
    const unsigned flags = mrc_opcode_flags(hdr.bth.opcode);
    const std::uint8_t *from = packet.bytes.data() + hdr.len;
    const std::size_t len = packet.bytes.size() - hdr.len;
    const auto offset = static_cast<u32>(hdr.write.va);

    if (hdr.bth.opcode == MRC_OP_ATOMIC_RSP)
        mine.place(target.read, 0, reinterpret_cast<const std::uint8_t *>(&hdr.write.value),
                   MRC_ATOMIC_BYTES);
    else if (flags & MRC_OPF_RESPONSE)
        mine.place(target.read, offset, from, len);
    else if (flags & MRC_OPF_SEND)
        std::copy(from, from + len, received[target.receive % received.size()].begin() + offset);
    else if (len && hdr.write.rkey == kReadBadKey)
        return MRC_NAK_ACCESS;
    else if (len)
        std::copy(from, from + len, theirs.at(hdr.write.va));
    return 0;
}

// ---- messages

void ReadEnd::deliver(const mrc_rx_done &done)
{
    if (mrc_fetch *fetch = mrc_resp_fetch(&resp, &done))
        return execute(done, *fetch);
    if (!done.takes)
        notCounted -= mrc_resp_response(&resp);
    if (responseEnds.erase(done.psn))
        ++notCounted;
    else if (!done.takes)
        theirs.wrote(done, nullptr);
    else if (take(done))
        theirs.wrote(done, done.send ? received[(taken - 1) % received.size()].data() : nullptr);
}

void ReadEnd::execute(const mrc_rx_done &done, mrc_fetch &fetch)
{
    simCheck(resp.fetches.count <= c.end[!which].readsMax, "too many READs of the peer");
    if (fetch.rkey == kReadBadKey)
        return mrc_resp_refuse_done(&resp, &done, MRC_NAK_ACCESS);
    theirs.execute(fetch);
    mrc_resp_executed(&resp);
    if (world.rng() % 4 == 0)
        theirs.addThere();
}

/// @return whether the message has a receive
bool ReadEnd::take(const mrc_rx_done &done)
{
    if (taken == posted) {
        world.report.waits += mrc_resp_wait(&resp, &done);
        return false;
    }
    ++taken;
    repost();
    return true;
}

void ReadEnd::repost()
{
    world.clock.at(world.now() + world.upTo(c.repostNs), [this] { receivePosted(); });
}

void ReadEnd::receivePosted()
{
    if (c.end[which].readsFirst && mine.reads())
        return void(++owed);
    ++posted;
    flush(!ended && mrc_resp_resume(&resp), false);
}

void ReadEnd::answerSoon()
{
    if (answersSoon)
        return;
    answersSoon = true;
    world.clock.at(world.now() + world.upTo(c.answerNs), [this] {
        answersSoon = false;
        flush(!ended, false);
    });
}

/// What follows after packets that came together.
void ReadEnd::flush(bool answers, bool sends)
{
    if (answers && answer()) {
        responsesCame();
        sends = true;
    }
    if (sends)
        pump();
}

/// @return whether responses have come, or are due
bool ReadEnd::answer()
{
    mrc_answers a = none();
    for (mrc_rx_done done; mrc_resp_next_done(&resp, &done);)
        deliver(done);
    mrc_resp_posted(&resp, static_cast<u32>(posted - taken));
    ended = mrc_resp_answer(&resp, world.now(), &a) != 0;
    world.report.nakWaits += resp.nak_syndrome && resp.answering;
    armSack();
    say(a);
    return !ended && (resp.reads.arrivals || resp.fetches.executed);
}

void ReadEnd::responsesCame()
{
    if (takeResponses())
        complete(req_.acked_psn);
}

/// @return whether there was any
bool ReadEnd::takeResponses()
{
    bool any = false;
    for (u32 index; mrc_reads_take(&resp.reads, &index); any = true) {
        mine.answered(index);
        mrc_req_answered(&req_, index);
    }
    return any;
}

void ReadEnd::probeArrived(const ReadPacket &packet, const mrc_hdr &hdr)
{
    mrc_answers a = none();
    mrc_resp_posted(&resp, static_cast<u32>(posted - taken));
    mrc_resp_probe(&resp, &hdr.probe, bitsOf(packet.ev), false, &a);
    say(a);
}

void ReadEnd::sendNack(u32 psn, u16 ev)
{
    const mrc_nack nack = {
        .reason = MRC_NACK_NO_RESOURCE, .entropy = bitsOf(ev), .psn = psn, .tx_timestamp = 0};
    mrc_answers a = none();
    mrc_answers_nack(&a, &nack);
    say(a);
}

void ReadEnd::sayLastWords(const ReadPacket &packet, const mrc_hdr &asked)
{
    mrc_last_words words;
    mrc_answers a = none();
    mrc_resp_last_words(&resp, &words);
    mrc_last_words_say(&words, &asked, bitsOf(packet.ev), &a);
    say(a);
}

void ReadEnd::say(const mrc_answers &a)
{
    std::vector<Bytes> packets;
    for (unsigned i = 0; i < a.count; ++i)
        packets.push_back(simEncode(a.hdr[i]));
    if (a.count)
        net.sendControl(packets);
}

void ReadEnd::armSack()
{
    const u64 at = mrc_resp_timer_at(&resp);
    if (at)
        sackTimer.arm(at);
}

void ReadEnd::sackTimerFired()
{
    mrc_answers a = none();
    if (ended)
        return;
    mrc_resp_timer(&resp, world.now(), &a);
    armSack();
    say(a);
}

void ReadEnd::checkEnd() const
{
    mine.checkEnd();
    simCheck(mrc_tx_idle(&req_.tx) && req_.tx.una == req_.tx.nxt, "packets in flight at the end");
    simCheck(!window.cc.inflight, "bytes in flight at the end");
    simCheck(req_.sendq.una == req_.sendq.tail && !req_.sendq.reads, "open requests at the end");
    simCheck(req_.rspq.una == req_.rspq.tail && !resp.answering, "open responses at the end");
    simCheck(!resp.reads.count && !resp.reads.arrivals, "READs that still wait");
    if (!peerHasClosed())
        checkArrivals();
}

/// All that the other end has sent is complete.
void ReadEnd::checkArrivals() const
{
    simCheck(!resp.fetches.count && !resp.fetches.executed, "READs of the peer that wait");
    simCheck(!resp.responses && !notCounted && responseEnds.empty(),
             "responses that were not counted");
}
