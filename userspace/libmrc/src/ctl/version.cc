// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <mrc_ctl.h>

#include "base/edge.h"
#include "base/version.h"

MRC_EXPORT void mrc_ctl_query_version(uint32_t *current_version, uint32_t *last_supported_version,
                                      uint32_t *vendor_version,
                                      uint32_t *last_supported_vendor_version)
{
    mrc::tell(current_version, MRC_CTL_API_CURRENT_VERSION);
    mrc::tell(last_supported_version, MRC_CTL_API_LAST_SUPPORTED_VERSION);
    mrc::tell(vendor_version, MRC_CTL_VENDOR_API_CURRENT_VERSION);
    mrc::tell(last_supported_vendor_version, MRC_CTL_VENDOR_API_LAST_SUPPORTED_VERSION);
}
