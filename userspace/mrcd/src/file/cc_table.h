// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Table [cc] of the file.
 */
#pragma once

#include "file/fabric.h"
#include "file/toml_table.h"

namespace mrcd
{

/** An algorithm and what is set of it, in the ranges of the kernel. */
Cc read_cc(TomlTable table);

} // namespace mrcd
