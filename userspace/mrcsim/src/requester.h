// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The writing end of a QP.
 */
#pragma once

#include <cstdint>

#include "engine/requester.h"
#include "packet.h"
#include "peer.h"

namespace mrcsim
{

class Endpoint;

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

/** A requester. */
class Requester : public engine::Requester<Requester>
{
public:
    Requester(Endpoint &endpoint, Peer &peer, uint32_t flow);

    Peer &peer() { return peer_; }

    void start();
    /** A request is due. */
    void post_paced();
    /** Whether it would send if it had room. */
    [[nodiscard]] bool wants() const;
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
    friend engine::Requester<Requester>;
    using Steps = engine::Requester<Requester>;

    [[nodiscard]] uint64_t now() const;
    [[nodiscard]] unsigned burst() const;
    bool transmit(const mrc_plan &packet, mrc_hdr &hdr, const mrc_chunk &chunk);
    void post();
    bool post_one();
    void arm();

    /** Steps that also count, or end the QP. @{ */
    bool take_back(u32 psn);
    int sack(const mrc_hdr &hdr, mrc_tx_result &result);
    int nack(const mrc_hdr &hdr, mrc_tx_result &result);
    int ack(const mrc_hdr &hdr, mrc_tx_result &result);
    void learn_of_evs(mrc_tx_result &result);
    void lost_ports(const mrc_tx_result &result) { counts_.ports += result.lost; }
    /** @} */

    Endpoint &endpoint_;
    Peer &peer_;
    uint32_t flow_;
    engine::RequesterMemory memory_;
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
