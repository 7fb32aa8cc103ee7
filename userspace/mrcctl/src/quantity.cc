// SPDX-License-Identifier: GPL-2.0-only
#include "quantity.h"

namespace mrcctl
{

std::string quantity_text(uint64_t value, std::span<const QuantityUnit> units)
{
    const uint64_t smallest = value * units[0].per;
    size_t best = 0;

    for (size_t i = 1; i < units.size(); i++)
        if (smallest && smallest % units[i].size == 0)
            best = i;
    return std::to_string(smallest / units[best].size) + std::string(units[best].name);
}

std::string fraction_text(uint64_t value)
{
    // The leading 1 keeps the zeros.
    std::string text = "." + std::to_string(millionths + value % millionths).substr(1);

    text.erase(text.find_last_not_of('0') + 1);
    if (text == ".")
        text.clear();
    return std::to_string(value / millionths) + text;
}

} // namespace mrcctl
