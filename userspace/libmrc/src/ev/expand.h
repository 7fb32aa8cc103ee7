// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * Conversion of a controller's EVs to EVs on the wire. Pure functions.
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

/** Bits of an EV. The first bit is the highest of byte 0. */
using EvBits = std::array<uint8_t, MRC_CTL_EV_MAX_BYTES>;

constexpr size_t ev_bits_most = MRC_CTL_EV_MAX_BYTES * size_t{8};

/** Width of each field of a format, in bits. */
using EvFormatWidths = std::vector<uint8_t>;
using EvFields = std::vector<mrc_ctl_ev_field>;

/** @return bits of all fields together */
size_t total_width(const EvFormatWidths &format);

/** Check that fields can make EVs, in whatever format. */
bool fields_sound(const EvFields &fields);

/** Check that fields fit into a format. */
bool fields_fit(const EvFields &fields, const EvFormatWidths &format);

/**
 * Convert an EV to its bits on the wire: the fields, one after the other. Bits of a field's mask
 * come from the EV, the others from init_val.
 *
 * @param fields if empty, the EV is already as on the wire
 * @return nothing if the fields do not fit, or the EV has bits set beyond those that the fields or
 * the format take
 */
std::optional<EvBits> expand(const EvBits &ev, const EvFields &fields,
                             const EvFormatWidths &format);

/**
 * Make values for generated EVs. All values differ. The same arguments always give the same values.
 *
 * @param fields fields that are sound
 * @param seed another seed gives other values
 * @return the values, fewer than count if there are no more
 */
std::vector<EvBits> generate(const EvFields &fields, size_t count, uint64_t seed);

} // namespace mrc
