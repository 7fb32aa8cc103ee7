// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * How a host learns the paths to its peers, by EV probes, and the state of ports, by port status
 * packets in both directions. The steps are those of the module's prober, ask and endpoint.
 */
#pragma once

#include <array>
#include <cstdint>

#include "engine/core.h"
#include "packet.h"
#include "peer.h"

namespace mrcsim
{

class Endpoint;

/** A host's prober. */
class Prober
{
public:
    explicit Prober(Endpoint &endpoint);

    /** Is called when EVs of a peer may have changed: EVs that are bad now get probed. */
    void evs_changed(Peer &peer);

    /** Is called when an answer was sent to a peer: probes the way back if it is time. */
    void reverse(Peer &peer);

    /** Tells a peer that the set of this host's ports that are up has changed. */
    void tell(Peer &peer, uint32_t mask);

    /** Handles a request from a peer, or the answer to a request of this host. */
    void request(Peer &peer, const Packet &packet);
    void response(Peer &peer, const Packet &packet);

    /** Is called when the timer expires. */
    void timer();

private:
    /** A request that waits for its answer; its slot number is that in the engine's table. */
    struct Asked {
        Peer *peer = nullptr;
        uint64_t sent_at = 0;
        uint32_t mask = 0;
        u16 ev = 0;
        u8 op = 0;
    };

    [[nodiscard]] uint64_t now() const;
    void arm(Peer &peer);
    void set_timer();
    bool ask(Peer &peer, u16 ev, mrc_ep_op op, mrc_pending_kind kind, uint32_t mask);
    void probe(Peer &peer, u16 ev, mrc_pending_kind kind);
    void lose();
    void late(Peer &peer, const mrc_ep &ep);
    bool look(Peer &peer);
    void take_ports(Peer &peer);
    void run_turns();
    bool serve(Peer &peer, bool &more);
    Peer &peer_of(const mrc_turn *turn);

    Endpoint &endpoint_;
    mrc_pending pending_{};
    std::array<Asked, MRC_PENDING_MAX> asked_{};
    mrc_turns turns_{};
    uint64_t ran_at_ = 0;
    uint64_t timer_at_ = ~0ull; ///< engine's ns
    uint64_t draws_ = 0;
};

} // namespace mrcsim
