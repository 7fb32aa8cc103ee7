// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * What became of the file when it was read last.
 */
#pragma once

#include <cstdint>
#include <string>

namespace mrcd
{

/** All times are of the wall clock, in ns since 1970. */
struct FileState {
    std::string name;
    std::string hash;      ///< of the text that is followed; see hash_of_text()
    uint64_t taken_ns = 0; ///< when that was read last
    std::string problem;   ///< why the last one was refused; empty: it was taken
    uint64_t refused_ns = 0;
    bool changed = false; ///< the file is another one now than what was read last
};

/** 16 digits that tell two files apart, the same on all hosts. No secret, and no signature. */
std::string hash_of_text(const std::string &text);

} // namespace mrcd
