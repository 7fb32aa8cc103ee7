// SPDX-License-Identifier: GPL-2.0-only
//
// One end of a simulated QP with READs and atomics: a requester and a responder, which call each
// other as transport/qp/requester.c, responder.c and response.c do. An skb holds one packet.
#pragma once

#include "cc_window.h"
#include "read_sim_work.h"

class ReadEnd : public engine::Requester<ReadEnd>
{
public:
    /// @p mine: the requests of this end. @p theirs: those of the other end
    ReadEnd(ReadWorld &world, ReadNet &net, int which, ReadWork &mine, ReadWork &theirs);

    /// Posts requests, and sends all that may be sent.
    void pump();

    void arrived(const ReadPacket &packet);

    /// Whether the QP is in error.
    bool hasEnded() const { return ended; }

    /// Is called after the last event, if all requests must have completed.
    void checkEnd() const;

private:
    friend engine::Requester<ReadEnd>;
    using Steps = engine::Requester<ReadEnd>;

    /// Where the payload of a packet goes; of a write, its address says it.
    struct Target {
        u32 read = 0;    ///< a request, if the packet is of a response
        u32 receive = 0; ///< its number, if the packet is of a SEND
    };

    ReadWorld &world;
    const ReadSimConfig &c;
    ReadNet &net;
    const int which;
    ReadWork &mine;
    ReadWork &theirs;

    mrc_paths paths{}; ///< none: the EVs of packets are any paths of the network
    mrc_shared window{};
    engine::RequesterMemory memory;
    std::array<u64, MRC_READS_MAX> readAt{}; ///< what a response has read, by its slot
    SimTimer timer;
    u64 restsUntil = 0;
    u32 underWay = 0; ///< READs and atomics that were begun and are not complete
    bool ended = false;
    bool responsesEnded = false; ///< a NAK may have waited for that

    mrc_resp resp{};
    std::vector<u64> windowMemory;
    SimTimer sackTimer;
    std::vector<Bytes> received; ///< receives, used in turn
    u64 taken = 0;               ///< receives
    u64 posted;                  ///< receives
    u64 owed = 0;                ///< receives that are not posted while a READ is open
    std::set<u32> responseEnds;  ///< last PSNs of responses that are not complete in order
    bool answersSoon = false;
    int notCounted = 0; ///< responses that were taken for other messages, or the reverse

    uint64_t now() const { return world.now(); }
    unsigned burst() const { return 4; }
    /// A silent QP keeps its window, which no other QP wants.
    static void heed(mrc_cc_news &news) { news.silent = false; }

    void startRequester();
    void startResponder();

    // ---- what goes out
    void post();
    void queueResponses();
    mrc_msg responseTo(const mrc_fetch &fetch) const;
    void leave(const mrc_batch &batch);
    void checkTurns(const mrc_batch &batch) const;
    void expect(const mrc_plan &packet);
    void begins(const mrc_msg &request);
    unsigned draw(const mrc_batch &batch, u16 *ev);
    bool transmit(const mrc_plan &plan, mrc_hdr &hdr, const mrc_chunk &chunk);
    const std::uint8_t *payloadOf(const mrc_plan &plan) const;
    bool take_back(u32 psn);
    void arm();
    void timerFired();

    // ---- answers
    void answerArrived(const mrc_hdr &hdr);
    int sack(const mrc_hdr &hdr, mrc_tx_result &res);
    int ack(const mrc_hdr &hdr, mrc_tx_result &res);
    void endResponses();
    void complete(u32 psn);
    void end_request();
    void refused();
    void toldThatPeerClosed();
    void checkRest() const;
    void checkArrivals() const;
    bool peerHasClosed() const;

    // ---- the responder
    void messageArrived(const ReadPacket &packet, const mrc_hdr &hdr);
    void trimmed(const ReadPacket &packet, const mrc_hdr &hdr);
    bool find(const mrc_rx_arrival &a, Target &target);
    bool findReceive(const mrc_rx_arrival &a, Target &target);
    void copied(const ReadPacket &packet, const Target &target);
    u8 place(const ReadPacket &packet, const mrc_hdr &hdr, const Target &target);
    void deliver(const mrc_rx_done &done);
    void execute(const mrc_rx_done &done, mrc_fetch &fetch);
    bool take(const mrc_rx_done &done);
    void repost();
    void receivePosted();
    void answerSoon();
    void flush(bool answers, bool sends);
    bool answer();
    void responsesCame();
    bool takeResponses();
    void probeArrived(const ReadPacket &packet, const mrc_hdr &hdr);
    void sendNack(u32 psn, u16 ev);
    void sayLastWords(const ReadPacket &packet, const mrc_hdr &asked);
    void say(const mrc_answers &a);
    void armSack();
    void sackTimerFired();
};
