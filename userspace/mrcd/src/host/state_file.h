// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Places of the small files that mrcd leaves for the next mrcd process.
 */
#pragma once

#include <string>

#include "mrcnl/state_file.h"

namespace mrcd
{

/**
 * The path of a file that the mrcd of a device leaves: below $RUNTIME_DIRECTORY, or else /run/mrc,
 * which is created.
 *
 * @param what content of the file, like "found"
 */
std::string state_file(const std::string &what, const std::string &device);

/** The id of this boot; empty: not known. */
std::string boot_id();

} // namespace mrcd
