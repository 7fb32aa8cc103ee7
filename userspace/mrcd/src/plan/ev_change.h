// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * A short description of EVs that were denied or allowed.
 */
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "host/log.h"

namespace mrcd
{

/** Indices of EVs by profile. */
using EvList = std::map<uint64_t, std::vector<uint16_t>>;

struct EvChange {
    EvList denied;
    EvList allowed;
    [[nodiscard]] bool empty() const { return denied.empty() && allowed.empty(); }
};

/** "2 EVs of 1 profile denied, 1 EV of 1 profile allowed" */
std::string to_string(const EvChange &change);

/** Adds the fields EVS_DENIED and EVS_ALLOWED, if there are such EVs: "258:0,3 259:1". */
void add_fields(Log::Fields &fields, const EvChange &change);

} // namespace mrcd
