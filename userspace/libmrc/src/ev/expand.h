// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * EVs as a controller has them, and as they are on the wire. Pure functions.
 */
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <mrc_ctl.h>

namespace mrc
{

/** Bits of an EV, the highest of byte 0 first. */
using EvBits = std::array<uint8_t, MRC_CTL_EV_MAX_BYTES>;

constexpr size_t ev_bits_most = MRC_CTL_EV_MAX_BYTES * size_t{8};

/** Width of each field of a format, in bits. */
using EvFormatWidths = std::vector<uint8_t>;
using EvFields = std::vector<mrc_ctl_ev_field>;

/** Bits of all fields together. */
size_t total_width(const EvFormatWidths &format);

/** Do these fields make an EV at all? */
bool fields_sound(const EvFields &fields);

/** Do these fields fit into the format? */
bool fields_fit(const EvFields &fields, const EvFormatWidths &format);

/**
 * What an EV is on the wire: fields one behind the other, what is not of a mask from init_val.
 *
 * @param fields none: the EV is what it is on the wire
 * @return nothing: the fields do not fit; it has bits behind those that the fields or the format
 * take
 */
std::optional<EvBits> expand(const EvBits &ev, const EvFields &fields,
                             const EvFormatWidths &format);

/**
 * Values for generated EVs, all different, and the same each time.
 *
 * @param fields that are sound
 * @param seed another one gives other values
 * @return fewer than count: there are no more
 */
std::vector<EvBits> generate(const EvFields &fields, size_t count, uint64_t seed);

} // namespace mrc
