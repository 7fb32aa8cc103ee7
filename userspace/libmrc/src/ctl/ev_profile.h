// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * EV profiles. The kernel has those that are ONLINE, and is right about them; what it does not
 * keep, and all that is OFFLINE, is in files.
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

/** An entry of the list of a profile. */
struct EvSlot {
    mrc_ctl_ev ev{};
    bool denied = false;
};

bool is_populated(const mrc_ctl_ev &ev);

/** Value and port. */
bool same_ev(const mrc_ctl_ev &a, const mrc_ctl_ev &b);

struct EvProfile {
    mrc_ctl_profile_state state = MRC_CTL_PROFILE_INIT;
    mrc_ctl_ev_mode mode{};
    uint64_t format = 0; ///< EV format profile
    uint32_t count = 0;  ///< but for AUTO the size of evs, or those of GEN are not made yet
    std::optional<uint32_t> min_active;
    std::optional<int> event_mask;
    EvFields fields;
    std::vector<EvSlot> evs;
    /** Made by other means: EVs are as on the wire, and what carries them is this. */
    std::optional<mrc_ctl_ev_fmt_mode> foreign;
    /**
     * While one that is ONLINE is being changed: what it was. Whoever looks meanwhile, or when that
     * was ended in between, finds each EV as it was or as it is to be.
     */
    struct Before {
        EvFields fields;
        std::vector<EvSlot> evs;
    };
    std::optional<Before> before;

    /** @name What this API has no words for, as others have set it */
    /** @{ */
    uint16_t active = 0; ///< EVs of a peer in rotation at a time; 0: all
    std::string alias;
    /** @} */

    /** @name What the kernel has of one that is ONLINE */
    /** @{ */
    uint32_t version = 0;
    std::vector<mrcnl::EvSpec> kernel_evs;
    std::vector<uint16_t> places; ///< where there each of evs is
    /** @} */
};

/** @return 0; EPERM; EBADMSG: its file is none that save() wrote; EIO */
int load(Controller &controller, uint64_t id, EvProfile &profile);

int save(const Controller &controller, uint64_t id, const EvProfile &profile);

/** It is in INIT then, unless the kernel has it. */
int forget_ev_profile(const Controller &controller, uint64_t id);

/** Those that a file has. */
std::vector<uint64_t> stored_ev_profile_ids(const Controller &controller);

/** What a file says of the event mask of a profile; 0: nothing. */
int event_mask_of(const Controller &controller, uint64_t id);

/** Those that the kernel or a file has, in order. @return 0 or an errno value */
int ev_profile_ids(Controller &controller, std::vector<uint64_t> &ids);

/**
 * EVs of a GEN profile, if they have not been made yet. Others stay as they are.
 *
 * @return 0; E2BIG: the fields have not as many values; EINVAL: there is no port, or format
 */
int make_evs(Controller &controller, uint64_t id, EvProfile &profile);

/**
 * What the format of a profile says.
 *
 * @return 0; EINVAL: it is not ONLINE
 */
int format_of(const Controller &controller, const EvProfile &profile, FormatProfile &format);

} // namespace mrc
