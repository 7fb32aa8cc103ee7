// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * A complaint about a file, without the reader that makes it.
 */
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mrctoml
{

/** What is wrong with a file, and where. */
struct Complaint {
    uint32_t line = 0; ///< from 1; 0: the file as a whole
    std::string text;
    bool operator==(const Complaint &) const = default;
};

using Complaints = std::vector<Complaint>;

} // namespace mrctoml
