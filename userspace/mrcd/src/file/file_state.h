// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The result of the last attempt to read the file.
 */
#pragma once

#include <cstdint>
#include <string>

namespace mrcd
{

/** All times are ns since 1970, of the wall clock. */
struct FileState {
    std::string name;
    std::string hash;      ///< of the text in use; see hash_of_text()
    uint64_t taken_ns = 0; ///< when the text in use was last read
    std::string problem;   ///< why the file was refused last time; empty: it was accepted
    uint64_t refused_ns = 0;
    bool changed = false; ///< the file has changed since it was last read
};

/**
 * A hash of 16 digits that tells two files apart, and is the same on all hosts. It is no
 * cryptographic hash, and proves nothing.
 */
std::string hash_of_text(const std::string &text);

} // namespace mrcd
