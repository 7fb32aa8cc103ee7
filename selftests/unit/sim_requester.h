// SPDX-License-Identifier: GPL-2.0-only
//
// The requesting end of a simulated QP. It uses the engine as transport/qp/requester.c and send.c
// do, and checks what the engine reports.
#ifndef MRC_UNIT_SIM_REQUESTER_H
#define MRC_UNIT_SIM_REQUESTER_H

#include "cc_window.h"
#include "sim_host.h"
#include "sim_work.h"

class SimResponder;

class SimRequester
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
    SimWorld &world;
    const SimConfig &c;
    SimFabric &fabric;
    SimHost &host;
    SimWork &work;
    SimResponder *peer = nullptr;

    mrc_req req{};
    mrc_tx_window &tx = req.tx;
    mrc_sendq &sendq = req.sendq; ///< its indices are those of the messages
    mrc_paths &paths = host.end.paths;
    CcWindow window;
    std::vector<u64> mem;
    std::vector<mrc_msg> requests;
    SimTimer timer;
    std::map<u16, u64> probeSentAt;
    std::map<u16, u64> ackedOn; ///< acknowledged packets per EV, as the window counts them
    std::map<u32, std::vector<u64>> sentAt;
    std::vector<u32> unsent; ///< PSNs of the batch that did not leave
    bool ended = false;

    std::size_t completed() const { return sendq.una; }

    void post();
    void arm();
    void timerFired();
    void sendProbe();

    void checkDrawn(u16 ev, bool any) const;
    void leave(const mrc_batch &batch);
    void transmit(const mrc_plan &plan, bool rtx, bool ask);
    Bytes packetOf(const mrc_plan &plan, bool rtx, bool ask);
    void takeBackUnsent();
    void forgeSack();

    void heedSilence();
    void sackArrived(const mrc_hdr &hdr);
    void nackArrived(const mrc_hdr &hdr);
    void ackArrived(const mrc_hdr &hdr);
    void nakArrived(const mrc_hdr &hdr);
    bool inFlightOnDeadPort() const;
    void learn(mrc_tx_result &res);
    void learnOfEvs(mrc_tx_result &res);
    u32 countAcked(const mrc_news_ev &e);
    void checkSample(const mrc_hdr &hdr, const mrc_tx_result &res) const;
    u64 transmissionOf(const mrc_hdr &hdr) const;
};

#endif
