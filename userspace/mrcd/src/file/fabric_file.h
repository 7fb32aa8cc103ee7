// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The file that describes the fabric, see mrcd.toml(5).
 */
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "file/fabric.h"

namespace mrcd
{

/** What is wrong with a file, and where. */
struct Complaint {
    uint32_t line = 0; ///< from 1; 0: the file as a whole
    std::string text;
    bool operator==(const Complaint &) const = default;
};

/** Sorted by line, at least one. */
using Complaints = std::vector<Complaint>;

/**
 * @param text TOML
 * @param host_name for a file that does not say which host this is
 * @return the fabric, or all that is wrong with it
 */
std::variant<Fabric, Complaints> read_fabric(std::string_view text, const std::string &host_name);

/** "FILE:LINE: TEXT" */
std::string to_string(const std::string &file, const Complaint &complaint);

} // namespace mrcd
