// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * Enumerators of programs, which may be any number.
 */
#pragma once

#include <cstring>
#include <initializer_list>

namespace mrc
{

/** Only what is one of an enumeration's may be read as such. */
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
