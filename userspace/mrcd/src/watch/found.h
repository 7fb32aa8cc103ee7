// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The elements that a running mrcd has found broken and denies, for another mrcd process that only
 * makes a plan.
 */
#pragma once

#include <optional>
#include <string>

#include "file/fabric.h"

namespace mrcd
{

struct Found {
    bool known = false; ///< mrcd has had enough time: all other elements are fine
    Denials denied;
    bool operator==(const Found &) const = default;
};

/** One JSON object with the keys known, and t0, t1 and link with names. */
std::string to_json(const Found &found, const Fabric &fabric);

/**
 * Reads those elements that exist in @p fabric, which may be from another file. @return nothing:
 * the text makes no sense
 */
std::optional<Found> read_found(const std::string &json, const Fabric &fabric);

} // namespace mrcd
