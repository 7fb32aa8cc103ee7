// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * The configuration of NSCC in mrc_ctl.h, in the kernel's settings, and in files.
 */
#pragma once

#include <mrc_ctl.h>
#include <nlohmann/json_fwd.hpp>

#include "mrcnl/types.h"

namespace mrc
{

/** The name that the API has for it. */
constexpr const char *nscc_name = "uet-1.0-nscc";

/**
 * What the kernel is to be told; what the configuration has no field for stays.
 *
 * @return false: a number is none that the kernel could be told
 */
bool to_settings(const mrc_ctl_cc_nscc_cfg &config, mrcnl::CcSettings &settings);

/** What a profile of the kernel's comes to, with what it takes by itself. */
mrc_ctl_cc_nscc_cfg config_of(const mrcnl::CcProfile &profile);

/** @name Settings by their names, in files */
/** @{ */
nlohmann::json json_of(const mrcnl::CcSettings &settings);
void settings_from(const nlohmann::json &json, mrcnl::CcSettings &settings);
/** @} */

} // namespace mrc
