// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * A small file that a process leaves to its successor.
 */
#pragma once

#include <string>

#include "mrcnl/result.h"

namespace mrcd
{

/** Bytes that such a file has at most. */
constexpr size_t state_file_most = 1 << 20;

/**
 * Where what a device's mrcd leaves is: below $RUNTIME_DIRECTORY, or /run/mrc, which is made.
 *
 * @param what it is, "found"
 */
std::string state_file(const std::string &what, const std::string &device);

/** The id of this boot; empty: it is not known. */
std::string boot_id();

/**
 * Writes it whole or not at all: nobody ever reads a half of it.
 *
 * @return what came in the way; the old one, if there was one, is still there then
 */
mrcnl::Result<void> write_state_file(const std::string &name, const std::string &text);

/**
 * Reads what write_state_file() wrote.
 *
 * @return ENOENT: there is none. EPERM: it is no plain file of ours or of root's. EFBIG
 */
mrcnl::Result<std::string> read_state_file(const std::string &name);

} // namespace mrcd
