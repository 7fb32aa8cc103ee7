// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * Conversion of the configuration of NSCC between mrc_ctl.h, the kernel's settings, and files.
 */
#pragma once

#include <mrc_ctl.h>
#include <nlohmann/json_fwd.hpp>

#include "mrcnl/types.h"

namespace mrc
{

/** The API's name for NSCC. */
constexpr const char *nscc_name = "uet-1.0-nscc";

/**
 * Convert a configuration to the kernel's settings. Settings for which the configuration has no
 * field are not changed.
 *
 * @return false: the kernel's settings cannot express a number
 */
bool to_settings(const mrc_ctl_cc_nscc_cfg &config, mrcnl::CcSettings &settings);

/** @return the configuration of a kernel's profile, including values that the kernel derived */
mrc_ctl_cc_nscc_cfg config_of(const mrcnl::CcProfile &profile);

/** @name Settings in files, where they have their names */
/** @{ */
nlohmann::json json_of(const mrcnl::CcSettings &settings);
void settings_from(const nlohmann::json &json, mrcnl::CcSettings &settings);
/** @} */

} // namespace mrc
