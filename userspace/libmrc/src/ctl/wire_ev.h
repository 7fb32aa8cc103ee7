// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * EVs of mrc_ctl.h, and those that the kernel has.
 */
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <mrc_ctl.h>

#include "ev/expand.h"
#include "mrcnl/types.h"

namespace mrc
{

mrcnl::EvFormat kernel_format(mrc_ctl_ev_fmt_mode mode);
mrc_ctl_ev_fmt_mode format_mode(mrcnl::EvFormat format);

/** @param wire bits of a packet @return which way it goes */
mrcnl::EvPath path_of(mrc_ctl_ev_fmt_mode mode, const EvBits &wire);

/** The reverse; a path that has no such form is all zero. */
EvBits wire_of(mrc_ctl_ev_fmt_mode mode, const mrcnl::EvPath &path);

EvBits bits_of(const mrc_ctl_ev &ev);
mrc_ctl_ev ev_of(const EvBits &bits, uint8_t port);

/**
 * Of each one: has it taken the place of an old one there?
 *
 * @param evs one behind the other, as many as old ones
 */
std::vector<bool> replaced_of(const std::vector<mrcnl::EvSpec> &evs,
                              const std::vector<mrcnl::EvSpec> &old,
                              const std::vector<mrcnl::EvSpec> &kernel);

/**
 * Which of the kernel's each one is. Denied or not is no difference.
 *
 * @return nothing: they are not the same EVs
 */
std::optional<std::vector<uint16_t>> places_of(const std::vector<mrcnl::EvSpec> &evs,
                                               const std::vector<mrcnl::EvSpec> &kernel);

} // namespace mrc
