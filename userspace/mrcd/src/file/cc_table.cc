// SPDX-License-Identifier: GPL-2.0-only
#include "file/cc_table.h"

#include <type_traits>

#include "mrcnl/quantity.h"

namespace mrcd
{

namespace
{

constexpr int64_t window_min = 8 << 10;
constexpr int64_t window_max = 256 << 20;
constexpr uint32_t window_default = 1 << 20;

/** Reads a setting, in the unit of the kernel. */
std::optional<uint64_t> number(TomlTable &table, const mrcnl::Setting &setting)
{
    if (!setting.words.empty())
        return table.word(setting.name, setting.words);
    switch (setting.unit) {
    case mrcnl::Unit::ns:
        return table.quantity(setting.name, mrcnl::time_units, mrcnl::time_like, setting.min,
                              setting.max);
    case mrcnl::Unit::rate:
        return table.quantity(setting.name, mrcnl::rate_units, mrcnl::rate_like, setting.min,
                              setting.max);
    case mrcnl::Unit::fraction:
        return table.fraction(setting.name, setting.min, setting.max);
    default:
        return table.integer(setting.name, static_cast<int64_t>(setting.min),
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

    cc.algorithm = table.string("algorithm", "nscc");
    if (!cc.algorithm.empty() && cc.algorithm != "none" && cc.algorithm != "nscc")
        table.complain("algorithm", "'" + cc.algorithm + "' is unknown: use \"none\" or \"nscc\"");
    if (const auto window = table.integer("window", window_min, window_max, false))
        cc.window = static_cast<uint32_t>(*window);
    cc.settings = read_settings(table);
    refuse_foreign(table, cc);
    table.finish();
    if (cc.algorithm == "none" && !cc.window)
        cc.window = window_default;
    return cc;
}

} // namespace mrcd
