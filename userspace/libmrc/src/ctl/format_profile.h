// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * EV format profiles. The kernel does not know them. They say how EV profiles are made.
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
    EvFormatWidths widths; ///< widths of its fields; empty: not given yet
};

/** Check that a program's number is one of the modes. */
bool is_mode(const mrc_ctl_ev_fmt_mode &mode);

/** @return bits of an EV on the wire, at most */
size_t width_of(mrc_ctl_ev_fmt_mode mode);

/** Read a profile. One that was never set up is in INIT. @return 0, EBADMSG, EPERM or EIO */
int load(const Controller &controller, uint64_t id, FormatProfile &format);

} // namespace mrc
