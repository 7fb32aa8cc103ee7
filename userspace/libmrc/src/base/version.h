// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * Shared by the functions that return versions.
 */
#pragma once

#include <cstdint>

namespace mrc
{

/** Store a version. @param where may be null */
inline void tell(uint32_t *where, uint32_t version)
{
    if (where)
        *where = version;
}

} // namespace mrc
