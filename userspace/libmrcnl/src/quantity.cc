// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "mrcnl/quantity.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace mrcnl
{

std::optional<double> quantity_of(std::string_view text, std::span<const QuantityUnit> units)
{
    const char *last = text.data() + text.size();
    double number = 0;
    const auto [end, err] = std::from_chars(text.data(), last, number, std::chars_format::fixed);
    const std::string_view name(end, last);
    const auto unit =
        std::find_if(units.begin(), units.end(), [&](auto &u) { return u.name == name; });

    if (err == std::errc::invalid_argument || std::isnan(number) || unit == units.end())
        return std::nullopt;
    if (err != std::errc())
        return std::numeric_limits<double>::infinity();
    return std::round(number * static_cast<double>(unit->size) / static_cast<double>(units[0].per));
}

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
    // Adding one million keeps leading zeros.
    std::string text = "." + std::to_string(millionths + value % millionths).substr(1);

    text.erase(text.find_last_not_of('0') + 1);
    if (text == ".")
        text.clear();
    return std::to_string(value / millionths) + text;
}

std::string setting_text(const Setting &setting, uint64_t value)
{
    if (value < setting.words.size())
        return setting.words[value];
    switch (setting.unit) {
    case Unit::ns:
        return quantity_text(value, time_units);
    case Unit::rate:
        return quantity_text(value, rate_units);
    case Unit::fraction:
        return fraction_text(value);
    default:
        return std::to_string(value);
    }
}

} // namespace mrcnl
