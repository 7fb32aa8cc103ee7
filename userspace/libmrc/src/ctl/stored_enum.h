// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * Enumerations in files, where they may be any number.
 */
#pragma once

#include <initializer_list>

#include <nlohmann/json.hpp>

namespace mrc
{

/** Read an enumeration. @return false: the number is not one of @p known */
template <typename Enum>
bool read_enum(const nlohmann::json &json, std::initializer_list<Enum> known, Enum &value)
{
    const int read = json.get<int>();

    for (const Enum one : known) {
        if (read != one)
            continue;
        value = one;
        return true;
    }
    return false;
}

} // namespace mrc
