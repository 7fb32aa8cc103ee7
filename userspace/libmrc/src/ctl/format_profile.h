// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * EV format profiles. The kernel knows none: they say what EV profiles are made of.
 */
#pragma once

#include <optional>

#include "ctl/controller.h"
#include "ev/expand.h"

namespace mrc
{

constexpr std::initializer_list<mrc_ctl_ev_fmt_mode> format_modes = {
    MRC_CTL_EV_FMT_MODE_STEV, MRC_CTL_EV_FMT_MODE_SRV6, MRC_CTL_EV_FMT_MODE_UDP};

struct FormatProfile {
    mrc_ctl_profile_state state = MRC_CTL_PROFILE_INIT;
    mrc_ctl_ev_fmt_mode mode{};
    EvFormatWidths widths; ///< of its fields; none: they have not been given
};

/** Is that one of the modes, and no other number? */
bool is_mode(const mrc_ctl_ev_fmt_mode &mode);

/** Bits of an EV on the wire, at most. */
size_t width_of(mrc_ctl_ev_fmt_mode mode);

/** @return 0, EBADMSG or EIO; one that was never set up is in INIT */
int load(const Controller &controller, uint64_t id, FormatProfile &format);

} // namespace mrc
