// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The writing end of a QP. It uses the engine as the module's requester and send do.
 */
#pragma once

#include <cstdint>
#include <vector>

#include "engine.h"
#include "packet.h"
#include "peer.h"

namespace mrcsim
{

class Endpoint;
class Requester;

/** What the requester of a QP has counted. */
struct RequesterCounts {
    uint64_t sent = 0;     ///< packets, first transmissions
    uint64_t again = 0;    ///< retransmissions
    uint64_t inferred = 0; ///< packets held to be lost because of SACKs
    uint64_t ports = 0;    ///< packets held to be lost because of ports
    uint64_t timeouts = 0; ///< packets held to be lost by timeout
    uint64_t trims = 0;    ///< NACKs of trimmed packets
    uint64_t spurious = 0; ///< packets held to be lost that had arrived
    uint64_t probes = 0;   ///< Reliability Probes
    uint64_t unsent = 0;   ///< packets that this host had no room for
};

/** The requester's place among the QPs that share a window. */
struct RequesterPlace : mrc_shared_place {
    explicit RequesterPlace(Requester &whose) : mrc_shared_place{}, requester(whose) {}
    Requester &requester;
};

/** A requester. */
class Requester
{
public:
    Requester(Endpoint &endpoint, Peer &peer, uint32_t flow);
    Requester(const Requester &) = delete;
    Requester &operator=(const Requester &) = delete;

    Peer &peer() { return peer_; }

    void start();
    /** A request is due. */
    void post_paced();
    /** Whether it would send if it had room. */
    [[nodiscard]] bool wants() const;
    mrc_shared_place &place() { return place_; }
    /** Sends a batch of at most @p max packets, if it has its turn and room. */
    void send(uint32_t max);
    void answered(const Packet &packet);
    void timer();
    void heed_ports();

    [[nodiscard]] const RequesterCounts &counts() const { return counts_; }
    /** When everything was acknowledged; never: not yet. */
    [[nodiscard]] Time completed() const { return completed_; }
    /** Whether it has given up. */
    [[nodiscard]] bool failed() const { return failed_; }
    /** A digest of its state; equal in equal runs. */
    [[nodiscard]] uint64_t digest() const;

private:
    [[nodiscard]] uint64_t now() const;
    void post();
    bool post_one();
    bool plan(uint32_t max, mrc_batch &batch);
    void arm();
    void leave(const mrc_batch &batch);
    bool transmit(const mrc_plan &plan, bool again, bool ask);
    void take_back(u32 psn);
    void learn(mrc_tx_result &result);
    void learn_of_window(const mrc_tx_result &result);
    void learn_of_evs(mrc_tx_result &result);
    void heed_silence();
    void sack(const mrc_hdr &hdr, mrc_tx_result &result);
    bool nack(const mrc_hdr &hdr, mrc_tx_result &result);
    void ack(const mrc_hdr &hdr, mrc_tx_result &result);
    void end_requests(u32 psn);
    void check_ports();

    Endpoint &endpoint_;
    Peer &peer_;
    uint32_t flow_;
    RequesterPlace place_;
    mrc_req req_{};
    std::vector<uint64_t> memory_;
    std::vector<mrc_msg> requests_;
    uint64_t left_ = 0; ///< bytes that are not posted yet
    bool endless_ = false;
    uint32_t due_ = 0; ///< requests that are due, but have no room
    bool started_ = false;
    bool failed_ = false;
    uint64_t timer_at_ = 0; ///< engine's ns; 0: none is set
    Time completed_ = never;
    RequesterCounts counts_;
};

} // namespace mrcsim
