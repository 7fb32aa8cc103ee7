// SPDX-License-Identifier: GPL-2.0-only
#include "file/file_state.h"

namespace mrcd
{

std::string hash_of_text(const std::string &text)
{
    static constexpr char digits[] = "0123456789abcdef";
    uint64_t value = 0xcbf29ce484222325; // FNV-1a
    std::string found;

    for (const char c : text)
        value = (value ^ static_cast<uint8_t>(c)) * 0x100000001b3;
    for (int shift = 60; shift >= 0; shift -= 4)
        found += digits[value >> shift & 15];
    return found;
}

} // namespace mrcd
