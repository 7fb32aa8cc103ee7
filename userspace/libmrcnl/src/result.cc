// SPDX-License-Identifier: GPL-2.0-only
#include "mrcnl/result.h"

#include <cstring>

namespace mrcnl
{

std::string Error::message() const
{
    std::string line = text.empty() ? strerror(code) : text;

    if (line.starts_with("mrc: "))
        line.erase(0, 5);
    if (!attribute.empty())
        line += " (" + attribute + ")";
    return line;
}

} // namespace mrcnl
