// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * Conversion between EVs of mrc_ctl.h and EVs of the kernel.
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

/** @param wire the EV's bits in a packet @return the path of the packet */
mrcnl::EvPath path_of(mrc_ctl_ev_fmt_mode mode, const EvBits &wire);

/** The reverse of path_of(). @return all zero if the path cannot be expressed as bits */
EvBits wire_of(mrc_ctl_ev_fmt_mode mode, const mrcnl::EvPath &path);

EvBits bits_of(const mrc_ctl_ev &ev);
mrc_ctl_ev ev_of(const EvBits &bits, uint8_t port);

/**
 * Compare the kernel's EVs with the old ones.
 *
 * @param evs the new EVs, as many as old ones, in the same order
 * @return for each EV: whether it has replaced its old one in the kernel
 */
std::vector<bool> replaced_of(const std::vector<mrcnl::EvSpec> &evs,
                              const std::vector<mrcnl::EvSpec> &old,
                              const std::vector<mrcnl::EvSpec> &kernel);

/**
 * Find the index of each EV in the kernel's list. Whether an EV is denied makes no difference.
 *
 * @return nothing if the kernel's EVs are not the same
 */
std::optional<std::vector<uint16_t>> places_of(const std::vector<mrcnl::EvSpec> &evs,
                                               const std::vector<mrcnl::EvSpec> &kernel);

} // namespace mrc
