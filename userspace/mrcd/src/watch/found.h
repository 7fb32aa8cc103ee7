// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * What a running mrcd has found broken and denies, told to another one that makes a plan.
 */
#pragma once

#include <optional>
#include <string>

#include "file/fabric.h"

namespace mrcd
{

struct Found {
    bool known = false; ///< it has had the time to find what is broken: nothing else is denied
    Denials denied;
    bool operator==(const Found &) const = default;
};

/** One object: known; t0, t1 and link by their names. */
std::string to_json(const Found &found, const Fabric &fabric);

/** What of it @p fabric has, which may be of another file. @return nothing: it makes no sense */
std::optional<Found> read_found(const std::string &json, const Fabric &fabric);

} // namespace mrcd
