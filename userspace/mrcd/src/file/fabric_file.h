// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The file that describes the fabric, see mrcd.toml(5).
 */
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "complaint.h"
#include "file/fabric.h"

namespace mrcd
{

using mrctoml::Complaint;
using mrctoml::Complaints;

/**
 * @param text TOML
 * @param host_name for a file that does not say which host this is
 * @return the fabric, or all that is wrong with it: at least one complaint, sorted by line
 */
std::variant<Fabric, Complaints> read_fabric(std::string_view text, const std::string &host_name);

/** "FILE:LINE: TEXT" */
std::string to_string(const std::string &file, const Complaint &complaint);

} // namespace mrcd
