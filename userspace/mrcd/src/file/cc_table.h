// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Reads the table [cc] of the file.
 */
#pragma once

#include "file/fabric.h"

#include "toml_table.h"

namespace mrcd
{

using mrctoml::TomlTable;

/** Reads the algorithm and its settings, in the ranges of the kernel. */
Cc read_cc(TomlTable table);

} // namespace mrcd
