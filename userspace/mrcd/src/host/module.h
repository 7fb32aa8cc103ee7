// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The module, as sysfs shows it.
 */
#pragma once

#include <string>

namespace mrcd
{

struct ModuleState {
    bool live = false;   ///< loaded, and neither on its way in nor out
    std::string version; ///< of its source; empty: it is not there, or does not say
    bool operator==(const ModuleState &) const = default;
};

/** @param folder of the module */
ModuleState module_state(const std::string &folder = "/sys/module/mrc");

} // namespace mrcd
