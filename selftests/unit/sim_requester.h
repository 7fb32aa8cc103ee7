// SPDX-License-Identifier: GPL-2.0-only
//
// The requesting end of a simulated QP. It checks what the engine reports.
#pragma once

#include "cc_window.h"
#include "sim_host.h"
#include "sim_work.h"

class SimResponder;

class SimRequester : public engine::Requester<SimRequester>
{
public:
    SimRequester(SimWorld &world, SimFabric &fabric, SimHost &host, SimWork &work);

    void connect(SimResponder &responder) { peer = &responder; }

    /// Sends all that may be sent.
    void pump();

    /// Ports have changed, here or at the peer: packets in flight on ports that are down are sent
    /// again at once.
    void heedPorts();

    /// Handles an answer.
    void arrived(const SimPacket &packet);

    /// Whether a NAK has ended the QP.
    bool hasEnded() const { return ended; }

    /// Is called after the last event.
    void checkEnd() const;

private:
    friend engine::Requester<SimRequester>;
    using Steps = engine::Requester<SimRequester>;

    SimWorld &world;
    const SimConfig &c;
    SimFabric &fabric;
    SimHost &host;
    SimWork &work;
    SimResponder *peer = nullptr;

    mrc_tx_window &tx = req_.tx;
    mrc_sendq &sendq = req_.sendq; ///< its indices are those of the messages
    mrc_shared window{};
    engine::RequesterMemory memory;
    SimTimer timer;
    std::map<u16, u64> probeSentAt;
    std::map<u16, u64> ackedOn; ///< acknowledged packets per EV, as the window counts them
    std::map<u32, std::vector<u64>> sentAt;
    u32 newsAcked = 0; ///< packets that the current news count
    bool ended = false;

    std::size_t completed() const { return sendq.una; }
    uint64_t now() const { return world.now(); }
    unsigned burst() const { return 4; }
    bool full();

    /// A silent QP keeps its part of the window, which no other QP wants.
    static void heed(mrc_cc_news &news) { news.silent = false; }

    void post();
    void arm();
    void timerFired();
    void sendProbe(const mrc_answers &probe);

    unsigned draw(const mrc_batch &batch, u16 *ev);
    void checkDrawn(u16 ev, bool any) const;
    bool transmit(const mrc_plan &plan, mrc_hdr &hdr, const mrc_chunk &chunk);
    Bytes packetOf(const mrc_plan &plan, mrc_hdr &hdr, const mrc_chunk &chunk);
    bool take_back(u32 psn);
    void forgeSack();

    int sack(const mrc_hdr &hdr, mrc_tx_result &res);
    int nack(const mrc_hdr &hdr, mrc_tx_result &res);
    int ack(const mrc_hdr &hdr, mrc_tx_result &res);
    void end_request();
    void nakArrived(const mrc_hdr &hdr);
    bool inFlightOnDeadPort() const;
    void learn_of_evs(mrc_tx_result &res);
    void learn_news(const mrc_news &news);
    u32 countAcked(const mrc_news_ev &e);
    void checkSample(const mrc_hdr &hdr, const mrc_tx_result &res) const;
    u64 transmissionOf(const mrc_hdr &hdr) const;
};
