// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * EV profiles. For a profile that is ONLINE the kernel's state counts. Files have the attributes
 * that the kernel does not keep, and profiles that are OFFLINE.
 */
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ctl/controller.h"
#include "ctl/format_profile.h"
#include "ev/expand.h"

namespace mrc
{

constexpr std::initializer_list<mrc_ctl_ev_mode> ev_modes = {
    MRC_CTL_EV_MODE_AUTO, MRC_CTL_EV_MODE_EXP, MRC_CTL_EV_MODE_GEN};

/** An entry of a profile's list of EVs. */
struct EvSlot {
    mrc_ctl_ev ev{};
    bool denied = false;
};

bool is_populated(const mrc_ctl_ev &ev);

/** Compare value and port. */
bool same_ev(const mrc_ctl_ev &a, const mrc_ctl_ev &b);

struct EvProfile {
    mrc_ctl_profile_state state = MRC_CTL_PROFILE_INIT;
    mrc_ctl_ev_mode mode{};
    uint64_t format = 0; ///< EV format profile
    uint32_t count = 0;  ///< size of evs, except in AUTO, or in GEN before EVs are made
    std::optional<uint32_t> min_active;
    std::optional<int> event_mask;
    EvFields fields;
    std::vector<EvSlot> evs;
    /** Set if it was made by other means: this mode carries its EVs, which are as on the wire. */
    std::optional<mrc_ctl_ev_fmt_mode> foreign;
    /**
     * The fields and EVs of before, while a profile that is ONLINE is being changed. With them
     * another program can read the profile during the change, or after a change that was
     * interrupted: each EV is either the old one or the new one.
     */
    struct Before {
        EvFields fields;
        std::vector<EvSlot> evs;
    };
    std::optional<Before> before;

    /** @name Attributes that this API does not have, as set by other means */
    /** @{ */
    uint16_t active = 0; ///< EVs of a peer that are in rotation at a time; 0: all
    std::string alias;
    /** @} */

    /** @name The kernel's state, if the profile is ONLINE */
    /** @{ */
    uint32_t version = 0;
    std::vector<mrcnl::EvSpec> kernel_evs;
    std::vector<uint16_t> places; ///< index in kernel_evs of each of evs
    /** @} */
};

/** Read a profile. @return 0; EPERM; EBADMSG: its file was not written by save(); EIO */
int load(Controller &controller, uint64_t id, EvProfile &profile);

int save(const Controller &controller, uint64_t id, const EvProfile &profile);

/** Delete the file. The profile is in INIT then, unless the kernel has it. */
int forget_ev_profile(const Controller &controller, uint64_t id);

/** @return profiles that have a file */
std::vector<uint64_t> stored_ev_profile_ids(const Controller &controller);

/** @return the event mask in the profile's file; 0 if there is none */
int event_mask_of(const Controller &controller, uint64_t id);

/** Find the profiles in the kernel and in files, in order. @return 0 or an errno value */
int ev_profile_ids(Controller &controller, std::vector<uint64_t> &ids);

/**
 * Make the EVs of a GEN profile, if they have not been made yet. Other profiles are not changed.
 *
 * @return 0; E2BIG: the fields have too few values; EINVAL: the device has no port; or an error of
 * the kernel
 */
int make_evs(Controller &controller, uint64_t id, EvProfile &profile);

/**
 * Read the format of a profile.
 *
 * @return 0; EINVAL: the format is not ONLINE; or an error of reading its file
 */
int format_of(const Controller &controller, const EvProfile &profile, FormatProfile &format);

} // namespace mrc
