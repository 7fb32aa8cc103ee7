// SPDX-License-Identifier: GPL-2.0-only
//
// The answering end of a simulated QP. It uses the engine as transport/qp/responder.c does, and
// checks what it executes. An skb holds one packet.
#pragma once

#include "sim_host.h"
#include "sim_work.h"

class SimRequester;

class SimResponder
{
public:
    /// @p late: packets before this time, in ns after the start, are ignored
    SimResponder(SimWorld &world, SimHost &host, SimWork &work, u64 late);

    void connect(SimRequester &requester) { peer = &requester; }

    void dataArrived(const SimPacket &packet);
    void probeArrived(const SimPacket &packet);

    /// Is called after the last event: all messages must have been executed.
    void checkEnd() const;

private:
    SimWorld &world;
    const SimConfig &c;
    SimHost &host;
    SimWork &work;
    u64 late;
    SimRequester *peer = nullptr;

    mrc_resp resp;
    std::vector<unsigned long> mem; ///< memory of the receive window
    Bytes memory;                   ///< the memory that is written to
    SimTimer sackTimer;
    bool ended = false;       ///< a NAK has ended the QP
    std::size_t receives = 0; ///< messages executed that asked for a receive, and had one posted
    std::size_t posted;       ///< receives for SENDs that were posted so far
    std::size_t taken = 0;    ///< those that messages have taken

    void trimmed(const SimPacket &packet, const mrc_hdr &hdr);
    bool busy() const;
    void copied(const SimPacket &packet);
    bool hasPlace(const mrc_rx_arrival &a);
    void place(const SimPacket &packet, const mrc_hdr &hdr);
    std::size_t placeOf(const mrc_hdr &hdr) const;
    void deliver();
    bool hasReceive(const mrc_rx_done &done);
    void receivePosted();
    void take();
    void repost();
    void checkDone(const mrc_rx_done &done, const SimMessage &m) const;
    void checkSlot(std::size_t index) const;

    void answer();
    void send(mrc_answers &a);
    void say(const mrc_answers &a);
    void sendNack(u8 reason, u32 psn, u16 ev);
    void sayLastWords(const mrc_hdr &asked, const SimPacket &packet);
    void sackTimerFired();
};
