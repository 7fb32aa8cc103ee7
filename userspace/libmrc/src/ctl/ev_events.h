// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * EVs that change, by profile. The kernel tells of each EV to each peer; here one EV is bad as long
 * as it is bad to one peer at least.
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

/** A queue of events. It is filled when somebody polls it. */
class EvEvents
{
public:
    /** @param device name @param capacity events that are kept */
    EvEvents(std::string device, size_t capacity)
        : controller_(std::move(device)), capacity_(capacity)
    {
    }

    /** What happens from now on is told. @return 0 or an errno value */
    int open();
    [[nodiscard]] size_t capacity() const { return capacity_; }
    /** @return how many, or a negative errno value */
    int poll(std::span<mrc_ctl_ev_event> events);

private:
    /** An EV of a profile that is ONLINE. */
    struct Watched {
        mrc_ctl_ev ev{};
        bool denied = false;
        std::set<mrcnl::PeerKey> bad;            ///< to whom
        mrc_ctl_ev_state told = MRC_CTL_EV_GOOD; ///< what the program knows
        [[nodiscard]] mrc_ctl_ev_state state() const;
    };
    /** A profile; EVs as the kernel numbers them. */
    struct Table {
        std::vector<Watched> evs;
        uint64_t read_ns = 0; ///< what happened before is in it
    };
    /** What peers see, all of them. */
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
    std::mutex lock_; ///< guards what follows, and the calls of the controller
    std::unique_ptr<mrcnl::EventStream> stream_;
    std::map<uint64_t, Table> tables_;
    std::set<uint64_t> stale_; ///< profiles to be read anew
    bool all_stale_ = false;
    std::map<uint64_t, int> masks_; ///< of profiles, as they were in this call
    std::deque<mrc_ctl_ev_event> queue_;
    bool lost_ = false; ///< some, since the last one in the queue
    uint64_t looked_ns_ = 0;
};

} // namespace mrc
