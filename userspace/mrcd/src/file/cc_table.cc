// SPDX-License-Identifier: GPL-2.0-only
#include "file/cc_table.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <type_traits>

#include "mrcnl/quantity.h"

namespace mrcd
{

namespace
{

constexpr int64_t window_min = 8 << 10;
constexpr int64_t window_max = 256 << 20;
constexpr uint32_t window_default = 1 << 20;

/**
 * Reads a string that is a number with a unit.
 *
 * @param like examples of such a number, for people
 */
std::optional<uint64_t> quantity(TomlTable &table, const mrcnl::Setting &setting,
                                 std::span<const mrcnl::QuantityUnit> units, const char *like)
{
    const toml::node *node = table.find(setting.name);

    if (!node)
        return std::nullopt;
    const auto text = node->value_exact<std::string>();
    const auto value = text ? mrcnl::quantity_of(*text, units) : std::nullopt;
    if (!text)
        table.complain_kind(setting.name, "a string with a " + std::string(like), *node);
    else if (!value)
        table.complain(setting.name, "'" + *text + "' is not a " + like);
    else if (*value < static_cast<double>(setting.min) || *value > static_cast<double>(setting.max))
        table.complain(setting.name, "must be " + mrcnl::quantity_text(setting.min, units) +
                                         " to " + mrcnl::quantity_text(setting.max, units) +
                                         ", not " + *text);
    else
        return static_cast<uint64_t>(*value);
    return std::nullopt;
}

/** Reads a number with or without a fraction. @return millionths, as the setting's range is */
std::optional<uint64_t> fraction(TomlTable &table, const mrcnl::Setting &setting)
{
    const toml::node *node = table.find(setting.name);

    if (!node)
        return std::nullopt;
    const auto number = node->value<double>();
    const double value = std::round(number.value_or(0) * mrcnl::millionths);
    if (!number || !node->is_number())
        table.complain_kind(setting.name, "a number", *node);
    else if (!(value >= static_cast<double>(setting.min) &&
               value <= static_cast<double>(setting.max)))
        table.complain(setting.name, "must be " + mrcnl::fraction_text(setting.min) + " to " +
                                         mrcnl::fraction_text(setting.max));
    else
        return static_cast<uint64_t>(value);
    return std::nullopt;
}

/** Reads one of some words. @return its index */
std::optional<uint64_t> word(TomlTable &table, const char *key, std::span<const char *const> words)
{
    const std::string text = table.filled(key, "");
    const auto found = std::find(words.begin(), words.end(), text);
    std::string known;

    if (text.empty())
        return std::nullopt;
    if (found != words.end())
        return found - words.begin();
    for (const char *one : words)
        known += (known.empty() ? "\"" : " or \"") + std::string(one) + "\"";
    table.complain(key, "'" + text + "' is unknown: use " + known);
    return std::nullopt;
}

/** Reads a setting, in the unit of the kernel. @return nothing when it is missing or wrong */
std::optional<uint64_t> number(TomlTable &table, const mrcnl::Setting &setting)
{
    if (!setting.words.empty())
        return word(table, setting.name, setting.words);
    switch (setting.unit) {
    case mrcnl::Unit::ns:
        return quantity(table, setting, mrcnl::time_units, mrcnl::time_like);
    case mrcnl::Unit::rate:
        return quantity(table, setting, mrcnl::rate_units, mrcnl::rate_like);
    case mrcnl::Unit::fraction:
        return fraction(table, setting);
    default:
        return table.whole(setting.name, static_cast<int64_t>(setting.min),
                           static_cast<int64_t>(setting.max), false);
    }
}

mrcnl::CcSettings read_settings(TomlTable &table)
{
    mrcnl::CcSettings settings;

    mrcnl::for_each_setting<mrcnl::CcSettings>([&](const mrcnl::Setting &setting, auto member) {
        using T = typename std::remove_reference_t<decltype(settings.*member)>::value_type;

        if constexpr (std::is_same_v<T, bool>)
            settings.*member = table.boolean(setting.name);
        else if (const auto value = number(table, setting))
            settings.*member = static_cast<T>(*value);
    });
    return settings;
}

/**
 * Complains about settings of another algorithm, because somebody who sets them believes that they
 * have an effect.
 */
void refuse_foreign(TomlTable &table, const Cc &cc)
{
    if (cc.algorithm == "nscc" && cc.window)
        table.complain("window",
                       "only algorithm \"none\" takes a window, and it is not the default");
    if (cc.algorithm != "none")
        return;
    mrcnl::for_each_setting<mrcnl::CcSettings>([&](const mrcnl::Setting &setting, auto member) {
        if (cc.settings.*member)
            table.complain(setting.name, "only algorithm \"nscc\" takes this setting");
    });
}

} // namespace

Cc read_cc(TomlTable table)
{
    Cc cc;

    cc.algorithm = table.filled("algorithm", "nscc");
    if (!cc.algorithm.empty() && cc.algorithm != "none" && cc.algorithm != "nscc")
        table.complain("algorithm", "'" + cc.algorithm + "' is unknown: use \"none\" or \"nscc\"");
    table.integer("window", window_min, window_max, cc.window);
    cc.settings = read_settings(table);
    refuse_foreign(table, cc);
    table.finish();
    if (cc.algorithm == "none" && !cc.window)
        cc.window = window_default;
    return cc;
}

} // namespace mrcd
