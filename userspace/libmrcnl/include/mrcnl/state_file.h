// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * A small file that a process leaves to its successor.
 */
#pragma once

#include <cstddef>
#include <string>

#include "mrcnl/result.h"

namespace mrcnl
{

/** The largest size of a state file, in bytes. */
constexpr size_t state_file_most = 1 << 20;

/**
 * Writes the file as a whole or not at all: nobody ever reads half of it.
 *
 * @return the error if the file was not written; an old file then stays as it was
 */
Result<void> write_state_file(const std::string &name, const std::string &text);

/**
 * Reads a file that write_state_file() wrote.
 *
 * @return ENOENT: there is no file. EPERM: it is not a plain file that belongs to us or to root.
 *         EFBIG: it is larger than state_file_most
 */
Result<std::string> read_state_file(const std::string &name);

} // namespace mrcnl
