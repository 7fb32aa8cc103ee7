// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * A host with a NIC: its QPs, its peers, and the arbiter that lets destinations, and the QPs to one
 * destination, send by turns. The engine decides about packets; the steps are those of the module.
 */
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cell.h"
#include "line.h"
#include "peer.h"
#include "prober.h"
#include "requester.h"
#include "responder.h"

namespace mrcsim
{

/** A host. */
class Endpoint
{
public:
    Endpoint(Cell &cell, uint32_t host);
    Endpoint(const Endpoint &) = delete;
    Endpoint &operator=(const Endpoint &) = delete;

    Requester &add_requester(uint32_t flow);
    Responder &add_responder(uint32_t flow);

    /** Events. @{ */
    void receive(const Packet &packet);
    void packet_left();
    void carrier(uint32_t plane, bool up);
    void happen(What what, uint32_t source);
    /** @} */

    [[nodiscard]] uint32_t host() const { return host_; }
    Cell &cell() { return cell_; }
    [[nodiscard]] const Network &network() const { return network_; }
    [[nodiscard]] const std::vector<std::unique_ptr<Peer>> &peers() const { return peers_; }
    Prober &prober() { return prober_; }

    /** Schedules an event of this host at the engine's time @p at, ns. */
    void schedule_ns(uint64_t at, What what, uint32_t source);

    /** Sends control packets of a QP on one EV, and probes the way back if @p answer. */
    void reply(Peer &peer, uint32_t flow, const mrc_answers &answers, bool answer);

    /** Sends one packet without payload. */
    void say(Peer &peer, u16 ev, const mrc_hdr &hdr, Traffic traffic, uint32_t flow);

    /** Sends a data packet. False: this host has no room for the packet. */
    bool send_data(Peer &peer, u16 ev, uint32_t flow, const mrc_hdr &hdr, uint32_t payload,
                   bool again);

    /** Is called when a QP may have something to send, or may send more than before. */
    void poke(Requester &requester);

    /** The set of ports that are up has changed, here or at the peer. */
    void heed_ports(Peer &peer);

private:
    Peer &peer(uint32_t remote);
    Peer *find_peer(uint32_t remote);
    void serve();
    void serve_peer(Peer &peer);
    PacketId make_packet(const Peer &peer, u16 ev, const mrc_hdr &hdr, Traffic traffic,
                         uint32_t flow, uint32_t payload);

    Cell &cell_;
    Network &network_;
    uint32_t host_;
    uint32_t queued_ = 0; ///< packets with payload in ports of this host
    uint32_t ports_up_;   ///< bit per port
    bool serving_ = false;
    std::vector<std::unique_ptr<Peer>> peers_; ///< in ascending order of hosts
    std::vector<std::unique_ptr<Requester>> requesters_;
    std::vector<std::unique_ptr<Responder>> responders_;
    Line<Peer> ready_;
    Prober prober_;
};

} // namespace mrcsim
