// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * Checks of enumerations in a program's structures, which may contain any number.
 */
#pragma once

#include <cstring>
#include <initializer_list>

namespace mrc
{

/** Read an enumeration as a number: reading it as an enumeration is undefined for other numbers. */
template <typename Enum>
int number(const Enum &value)
{
    int read = 0;

    static_assert(sizeof(value) == sizeof(read));
    memcpy(&read, &value, sizeof(read));
    return read;
}

template <typename Enum>
bool one_of(const Enum &value, std::initializer_list<Enum> known)
{
    for (const Enum one : known)
        if (number(value) == one)
            return true;
    return false;
}

} // namespace mrc
