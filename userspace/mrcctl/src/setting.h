// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Reads and prints settings of any object.
 */
#pragma once

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "mrcnl/types.h"

#include "args.h"
#include "printer.h"

namespace mrcctl
{

void print_number(Printer &p, const mrcnl::Setting &setting, uint64_t value);

/** Takes a number of at most @p most. The kernel checks the exact limits. */
uint64_t take_number(Args &args, const mrcnl::Setting &setting, uint64_t most);

template <typename T>
void print_setting(Printer &p, const mrcnl::Setting &setting, const T &value)
{
    if constexpr (std::is_same_v<T, mrcnl::Address>)
        p.text(setting.name, value.text());
    else if constexpr (std::is_same_v<T, bool>)
        p.on_off(setting.name, value);
    else
        print_number(p, setting, value);
}

/** Prints the settings that are always shown (@p brief), or the others. */
template <typename Settings>
void print_settings(Printer &p, const Settings &s, bool brief)
{
    mrcnl::for_each_setting<Settings>([&](const mrcnl::Setting &setting, auto member) {
        if (setting.brief == brief && s.*member)
            print_setting(p, setting, *(s.*member));
    });
}

template <typename T>
T take_value(Args &args, const mrcnl::Setting &setting)
{
    if constexpr (std::is_same_v<T, mrcnl::Address>)
        return args.take_address(setting.name);
    else if constexpr (std::is_same_v<T, bool>)
        return args.take_on_off(setting.name);
    else
        return static_cast<T>(take_number(args, setting, std::numeric_limits<T>::max()));
}

template <typename Settings>
std::vector<const char *> names_of_settings()
{
    std::vector<const char *> names;

    mrcnl::for_each_setting<Settings>(
        [&](const mrcnl::Setting &setting, auto) { names.push_back(setting.name); });
    return names;
}

/** Takes the value of the setting of this name. @return false: there is no such setting */
template <typename Settings>
bool take_setting(Args &args, const std::string &name, Settings &change)
{
    bool found = false;

    mrcnl::for_each_setting<Settings>([&](const mrcnl::Setting &setting, auto member) {
        using T = typename std::remove_reference_t<decltype(change.*member)>::value_type;

        if (name != setting.name)
            return;
        change.*member = take_value<T>(args, setting);
        found = true;
    });
    return found;
}

} // namespace mrcctl
