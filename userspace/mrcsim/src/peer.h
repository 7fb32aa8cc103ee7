// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * What a host knows of another host: the paths to it, and the window that all QPs to it share.
 */
#pragma once

#include <cstdint>
#include <vector>

#include "engine/core.h"
#include "line.h"
#include "network.h"
#include "stats.h"

namespace mrcsim
{

class Requester;

/** Another host. */
class Peer : public InLine<Peer>
{
public:
    Peer(const Network &network, uint32_t host, uint32_t remote);
    Peer(const Peer &) = delete;
    Peer &operator=(const Peer &) = delete;

    [[nodiscard]] uint32_t remote() const { return remote_; }
    /** The T1 that an EV passes. */
    [[nodiscard]] uint16_t spine(uint16_t ev) const { return spines_[ev]; }
    [[nodiscard]] uint8_t plane(uint16_t ev) const
    {
        return static_cast<uint8_t>(paths.set.ev[ev].port - 1);
    }

    mrc_paths paths{};
    mrc_probing probing{};
    mrc_pending_peer asked{};
    mrc_shared shared{}; ///< the window of all QPs to it, and their turns
    std::vector<Requester *> requesters;
    mrc_turn turn{};         ///< turn to be probed
    uint64_t due_at = ~0ull; ///< engine's ns at which the prober must look at it; ~0: need not

    /** Counts EVs whose states have changed. */
    void count_changes(Sample &sample);

private:
    void choose_ways(const Network &network, uint32_t host);

    uint32_t remote_;
    std::vector<mrc_ev_entry> entries_;
    std::vector<mrc_paths_ev> evs_;
    std::vector<uint16_t> spines_;
};

} // namespace mrcsim
