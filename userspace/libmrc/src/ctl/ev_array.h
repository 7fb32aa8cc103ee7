// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * The operations of mrc_ctl.h on the EVs of a profile.
 */
#pragma once

#include <set>

#include "ctl/ev_profile.h"

namespace mrc
{

/** Processes the entries of one call, one after the other. */
class EvArray
{
public:
    /** @param format the profile's format if it is ONLINE; none in mode AUTO */
    EvArray(Controller &controller, uint64_t id, EvProfile &profile,
            std::optional<FormatProfile> format)
        : controller_(controller), id_(id), profile_(profile), format_(std::move(format))
    {
    }

    /**
     * REPLACE_EV or MODIFY_EV_STATE: change the EVs here, and in the kernel if the profile is
     * ONLINE.
     *
     * @return 0; or the error of the first entry that failed; the entries before it stay done
     */
    int change(const mrc_ctl_ev_profile_attr &attr);
    /** QUERY_EV_STATE or QUERY_EV_ARRAY. */
    int query(mrc_ctl_ev_profile_attr &attr);

private:
    using Entry = mrc_ctl_ev_op_entry;

    [[nodiscard]] std::vector<size_t> found(const mrc_ctl_ev &ev) const;
    [[nodiscard]] std::optional<mrcnl::EvSpec> spec_of(const EvSlot &slot) const;
    int replace(const Entry &entry);
    int replace_at(size_t slot, const EvSlot &by);
    int replace_in_kernel(size_t slot, const EvSlot &by);
    int set_state(const Entry &entry);
    int query_state(Entry &entry);
    int learn_states();
    [[nodiscard]] mrc_ctl_ev_state state_of(size_t slot) const;

    Controller &controller_;
    uint64_t id_;
    EvProfile &profile_;
    std::optional<FormatProfile> format_;
    std::set<uint16_t> bad_; ///< the kernel's indices of bad EVs
};

/** @return the kernel's EV; nothing if the slot does not fit the format, or has no port */
std::optional<mrcnl::EvSpec> spec_of(const EvSlot &slot, const EvFields &fields,
                                     const FormatProfile &format);

/** Check whether an EV in this state to a peer counts as ASSUMED_BAD. */
bool is_bad(mrcnl::EvState state);

} // namespace mrc
