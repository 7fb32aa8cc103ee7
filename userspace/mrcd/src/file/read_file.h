// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Reads files.
 */
#pragma once

#include <string>

#include "mrcnl/result.h"

namespace mrcd
{

/** @return the whole text, or an errno: EISDIR, and EFBIG for more than any fabric takes */
mrcnl::Result<std::string> read_file(const std::string &name);

} // namespace mrcd
