// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Where mrcd leaves small files to its successor.
 */
#pragma once

#include <string>

#include "mrcnl/state_file.h"

namespace mrcd
{

/**
 * Where what a device's mrcd leaves is: below $RUNTIME_DIRECTORY, or /run/mrc, which is made.
 *
 * @param what it is, "found"
 */
std::string state_file(const std::string &what, const std::string &device);

/** The id of this boot; empty: it is not known. */
std::string boot_id();

} // namespace mrcd
