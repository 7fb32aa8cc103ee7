// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * Events of EVs that change. The kernel reports each EV to each peer. Here an EV of a profile is
 * bad as long as it is bad to at least one peer.
 */
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "ctl/controller.h"

namespace mrc
{

/** A queue of events. Polling fills it. */
class EvEvents
{
public:
    /** @param device name @param capacity number of events that are kept */
    EvEvents(std::string device, size_t capacity)
        : controller_(std::move(device)), capacity_(capacity)
    {
    }

    /** Begin: report changes from now on. @return 0 or an errno value */
    int open();
    [[nodiscard]] size_t capacity() const { return capacity_; }
    /** @return number of events, or a negative errno value */
    int poll(std::span<mrc_ctl_ev_event> events);

private:
    /** An EV of a profile that is ONLINE. */
    struct Watched {
        mrc_ctl_ev ev{};
        bool denied = false;
        std::set<mrcnl::PeerKey> bad;            ///< peers to which it is bad
        mrc_ctl_ev_state told = MRC_CTL_EV_GOOD; ///< the state that the program knows
        [[nodiscard]] mrc_ctl_ev_state state() const;
    };
    /** A profile; its EVs are in the kernel's order. */
    struct Table {
        std::vector<Watched> evs;
        uint64_t read_ns = 0; ///< the table includes all changes before this time
    };
    /** The EVs of all peers. */
    struct Seen {
        std::vector<mrcnl::PeerEv> evs;
        uint64_t read_ns = 0;
    };

    int see(Seen &seen);
    int read_table(uint64_t id, const Seen &seen, Table &table);
    int renew(uint64_t id, const Seen &seen);
    int renew_stale();
    int find_profiles();
    void look_again();
    [[nodiscard]] bool is_ours(const mrcnl::Event &event) const;
    void on(const mrcnl::Event &event);
    void on_peer_ev(const mrcnl::PeerEvEvent &event);
    void on_ev(const mrcnl::EvEvent &event);
    void on_profile(const mrcnl::ConfigEvent<mrcnl::EvProfile> &event);
    Watched *watched(uint64_t id, uint16_t index, uint64_t time);
    int mask_of(uint64_t id);
    void tell(uint64_t id, Watched &ev);
    void catch_up();
    int drain();

    Controller controller_;
    size_t capacity_;
    std::mutex lock_; ///< guards the members below, and calls of the controller
    std::unique_ptr<mrcnl::EventStream> stream_;
    std::map<uint64_t, Table> tables_;
    std::set<uint64_t> stale_; ///< profiles that must be read again
    bool all_stale_ = false;
    std::map<uint64_t, int> masks_; ///< event masks of profiles, read in this call
    std::deque<mrc_ctl_ev_event> queue_;
    bool lost_ = false; ///< events were lost after the last one in the queue
    uint64_t looked_ns_ = 0;
};

} // namespace mrc
