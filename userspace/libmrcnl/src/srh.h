// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * Segment lists in the form of the kernel's seg6 attribute.
 */
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "mrcnl/types.h"

namespace mrcnl
{

/** @param path 1..max_segments segments */
std::vector<std::byte> encode_segments(const EvSegments &path);

/** @return nothing when the bytes contradict each other */
std::optional<EvSegments> decode_segments(std::span<const std::byte> data);

} // namespace mrcnl
