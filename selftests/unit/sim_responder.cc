// SPDX-License-Identifier: GPL-2.0-only
#include "sim_responder.h"

#include "sim_requester.h"

#include <arpa/inet.h>

namespace
{

constexpr u64 kSlowCopyNs = 100000;

mrc_answers none()
{
    mrc_answers a;
    mrc_answers_init(&a);
    return a;
}

mrc_rx_arrival arrival(const SimPacket &packet, const mrc_hdr &hdr)
{
    mrc_rx_arrival a;
    mrc_resp_arrival(&hdr, static_cast<u32>(packet.bytes.size() - hdr.len),
                     PathEnd::bitsOf(packet.ev), packet.ce, &a);
    return a;
}

} // namespace

SimResponder::SimResponder(SimWorld &world, SimHost &host, SimWork &work, u64 late)
    : world(world), c(world.c), host(host), work(work), late(late),
      mem(mrc_rx_window_mem(c.windowUnits * MRC_MPR_UNIT, c.immMax) / sizeof(long) + 1),
      memory(static_cast<std::size_t>(c.slots) * simSlotSize(c)),
      sackTimer(world.clock, [this] { sackTimerFired(); }), posted(c.receives)
{
    const mrc_resp_cfg limits = {.size = c.windowUnits * MRC_MPR_UNIT,
                                 .imm_max = c.immMax,
                                 .mtu = c.mtu,
                                 .sack_bytes = c.sackPackets * MRC_SACK_BYTES_MIN};
    mrc_resp_start(&resp, mem.data(), &limits, c.psn);
}

// ---- packets

void SimResponder::dataArrived(const SimPacket &packet)
{
    if (world.elapsed() < late)
        return;
    const mrc_hdr hdr = simDecode(packet.bytes);
    ++work.arrivedOn[packet.ev];
    if (ended)
        return sayLastWords(hdr, packet);
    if (packet.trimmed)
        return trimmed(packet, hdr);
    if (world.chance(c.nack) || busy())
        return sendNack(MRC_NACK_NO_RESOURCE, hdr.bth.psn, packet.ev);
    const mrc_rx_arrival a = arrival(packet, hdr);
    switch (mrc_resp_claim(&resp, &a)) {
    case MRC_RX_OOR:
        // Only packets that were in flight when a message began to wait may be.
        simCheck(resp.wait == MRC_RESP_WAITS, "PSN beyond the window");
        answer();
        break;
    case MRC_RX_DUP:
        ++world.report.dups;
        answer();
        break;
    case MRC_RX_NEW:
        if (!hasPlace(a)) {
            answer();
            break;
        }
        world.clock.at(world.now() + world.upTo(world.chance(c.slowCopy) ? kSlowCopyNs : c.copyNs),
                       [this, packet] { copied(packet); });
        break;
    }
}

void SimResponder::trimmed(const SimPacket &packet, const mrc_hdr &hdr)
{
    mrc_answers a = none();
    mrc_resp_trimmed(&resp, &hdr.bth, PathEnd::bitsOf(packet.ev), false, nullptr, world.now(), &a);
    send(a);
}

bool SimResponder::busy() const
{
    return c.busyPeriod && world.elapsed() % c.busyPeriod < c.busyNs;
}

void SimResponder::copied(const SimPacket &packet)
{
    const mrc_hdr hdr = simDecode(packet.bytes);
    const mrc_rx_arrival a = arrival(packet, hdr);
    if (ended)
        return;
    simCheck(mrc_resp_fits(&resp, &a), "length");
    const bool refused = work.refused.count(a.psn);
    if (!refused)
        place(packet, hdr);
    mrc_resp_commit(&resp, &a, refused ? MRC_NAK_ACCESS : 0);
    deliver();
    answer();
}

/// A SEND needs a receive that is posted.
bool SimResponder::hasPlace(const mrc_rx_arrival &a)
{
    if (!(a.opflags & MRC_OPF_SEND))
        return true;
    simCheck(static_cast<int>(taken) + mrc_resp_receive(&resp, &a) == a.rqmsn,
             "the receive of a SEND");
    if (a.rqmsn < posted)
        return true;
    mrc_resp_starve(&resp, &a);
    ++world.report.starved;
    return false;
}

/// Receives are posted in the order of the messages that take them, each a region of its own.
std::size_t SimResponder::placeOf(const mrc_hdr &hdr) const
{
    if (!(mrc_opcode_flags(hdr.bth.opcode) & MRC_OPF_SEND))
        return hdr.write.va;
    const SimMessage &m = work.messages[work.takers.at(hdr.write.rqmsn)];
    return m.slot * simSlotSize(c) + hdr.write.va;
}

void SimResponder::place(const SimPacket &packet, const mrc_hdr &hdr)
{
    simCheck(mrc_psn_diff(hdr.bth.psn, resp.rx.done_psn) > 0, "completed memory overwritten");
    std::copy(packet.bytes.begin() + hdr.len, packet.bytes.end(),
              memory.begin() + static_cast<std::ptrdiff_t>(placeOf(hdr)));
}

// ---- messages

void SimResponder::deliver()
{
    mrc_rx_done done;
    while (mrc_resp_next_done(&resp, &done)) {
        if (!hasReceive(done))
            continue;
        simCheck(work.executed < work.messages.size(), "more messages than were sent");
        checkDone(done, work.messages[work.executed]);
        checkSlot(work.executed);
        ++work.executed;
        if (done.takes)
            take();
    }
}

/// A message has taken a receive. The program posts another one.
void SimResponder::take()
{
    simCheck(taken < posted || c.sends == 0, "a receive that was never posted");
    ++taken;
    world.clock.at(world.now() + world.upTo(c.repostNs), [this] { repost(); });
}

void SimResponder::repost()
{
    ++posted;
    if (ended || c.sends == 0 || !mrc_resp_resume(&resp))
        return;
    deliver();
    answer();
}

/// A program that posts a receive only after it is told that one is missing, and with a delay.
bool SimResponder::hasReceive(const mrc_rx_done &done)
{
    if (c.sends > 0 && done.takes && taken == posted) {
        mrc_resp_wait(&resp, &done);
        ++world.report.waits;
        return false;
    }
    if (c.lateReceive == 0 || c.sends > 0 || !done.has_imm || work.executed < receives ||
        !world.chance(c.lateReceive))
        return true;
    simCheck(mrc_resp_wait(&resp, &done), "a message waits twice");
    ++world.report.waits;
    world.clock.at(world.now() + world.upTo(c.lateReceiveNs), [this] { receivePosted(); });
    return false;
}

void SimResponder::receivePosted()
{
    receives = work.executed + 1;
    simCheck(mrc_resp_resume(&resp), "the message that waits");
    deliver();
    answer();
}

void SimResponder::checkDone(const mrc_rx_done &done, const SimMessage &m) const
{
    simCheck(done.psn == m.last && done.msn == work.executed + 1, "message order");
    simCheck(done.has_imm == m.imm && done.send == m.send, "immediate lost or invented");
    simCheck(!m.imm || done.imm == htonl(static_cast<u32>(work.executed)), "order of immediates");
    simCheck(!m.takes() || done.len == m.len, "length of a message");
    simCheck(done.packets == m.packets, "packets of a message");
}

void SimResponder::checkSlot(std::size_t index) const
{
    const SimMessage &m = work.messages[index];
    for (u32 i = 0; i < m.len; ++i)
        simCheck(memory[m.slot * simSlotSize(c) + i] == SimWork::byteAt(index, i),
                 "memory contents");
}

void SimResponder::checkEnd() const
{
    const std::size_t count = work.messages.size();
    for (std::size_t i = count - std::min<std::size_t>(c.slots, count); i < count; ++i)
        checkSlot(i);
}

// ---- answers

void SimResponder::answer()
{
    mrc_answers a = none();
    mrc_resp_posted(&resp, static_cast<u32>(posted - taken));
    ended = mrc_resp_answer(&resp, world.now(), &a) != 0;
    simCheck(!resp.rx.sack_due, "SACK still due");
    send(a);
}

void SimResponder::send(mrc_answers &a)
{
    for (unsigned i = 0; i < a.count; ++i) {
        if (a.hdr[i].bth.opcode != MRC_OP_SACK)
            continue;
        mrc_sack &sack = a.hdr[i].sack;
        simCheck(sack.probe ||
                     mrc_psn_diff(mrc_psn_add(sack.cack_psn, sack.ack_offset), c.psn) >= 0,
                 "a trigger that was never sent");
        sack.ooo_count = c.counts ? sack.ooo_count : 0;
        world.report.marked += sack.m == MRC_SACK_SKIP_ONCE;
        ++world.report.sacks;
    }
    say(a);
    const u64 at = mrc_resp_timer_at(&resp);
    if (at)
        sackTimer.arm(at);
}

void SimResponder::say(const mrc_answers &a)
{
    for (unsigned i = 0; i < a.count; ++i)
        world.report.nacks += a.hdr[i].bth.opcode == MRC_OP_NACK;
    host.send(a, [this](const SimPacket &p) { peer->arrived(p); });
}

void SimResponder::sackTimerFired()
{
    mrc_answers a = none();
    mrc_resp_timer(&resp, world.now(), &a);
    send(a);
}

void SimResponder::sendNack(u8 reason, u32 psn, u16 ev)
{
    const mrc_nack nack = {
        .reason = reason, .entropy = PathEnd::bitsOf(ev), .psn = psn, .tx_timestamp = 0};
    mrc_answers a = none();
    mrc_answers_nack(&a, &nack);
    say(a);
}

void SimResponder::sayLastWords(const mrc_hdr &asked, const SimPacket &packet)
{
    mrc_last_words words;
    mrc_answers a = none();
    mrc_resp_last_words(&resp, &words);
    mrc_last_words_say(&words, &asked, PathEnd::bitsOf(packet.ev), &a);
    say(a);
}

void SimResponder::probeArrived(const SimPacket &packet)
{
    if (world.elapsed() < late)
        return;
    const mrc_hdr probe = simDecode(packet.bytes);
    if (ended)
        return sayLastWords(probe, packet);
    mrc_answers a = none();
    mrc_resp_posted(&resp, static_cast<u32>(posted - taken));
    mrc_resp_probe(&resp, &probe.probe, PathEnd::bitsOf(packet.ev), packet.ce, &a);
    for (unsigned i = 0; i < a.count; ++i)
        simCheck(a.hdr[i].bth.opcode != MRC_OP_SACK ||
                     static_cast<u16>(a.hdr[i].sack.ack_offset) == probe.probe.id,
                 "probe id");
    say(a);
}
