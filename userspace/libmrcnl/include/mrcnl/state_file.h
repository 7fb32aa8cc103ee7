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

/** Bytes that such a file has at most. */
constexpr size_t state_file_most = 1 << 20;

/**
 * Writes it whole or not at all: nobody ever reads a half of it.
 *
 * @return what came in the way; the old one, if there was one, is still there then
 */
Result<void> write_state_file(const std::string &name, const std::string &text);

/**
 * Reads what write_state_file() wrote.
 *
 * @return ENOENT: there is none. EPERM: it is no plain file of ours or of root's. EFBIG
 */
Result<std::string> read_state_file(const std::string &name);

} // namespace mrcnl
