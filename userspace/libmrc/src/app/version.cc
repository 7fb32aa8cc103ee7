// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <mrc.h>

#include "base/edge.h"

namespace
{

void put(uint32_t *where, uint32_t version)
{
    if (where)
        *where = version;
}

} // namespace

MRC_EXPORT void mrc_query_version(uint32_t *current_version, uint32_t *last_supported_version,
                                  uint32_t *vendor_version, uint32_t *last_supported_vendor_version)
{
    put(current_version, MRC_API_CURRENT_VERSION);
    put(last_supported_version, MRC_API_LAST_SUPPORTED_VERSION);
    put(vendor_version, MRC_VENDOR_API_CURRENT_VERSION);
    put(last_supported_vendor_version, MRC_VENDOR_API_LAST_SUPPORTED_VERSION);
}
