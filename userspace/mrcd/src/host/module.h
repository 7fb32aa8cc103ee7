// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The module: as sysfs shows it, and the way to it.
 */
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "mrcnl/kernel.h"

namespace mrcd
{

/** Opens the way to the module. @return ENOENT: it is not loaded */
using OpenKernel = std::function<mrcnl::Result<std::shared_ptr<mrcnl::Kernel>>()>;

struct ModuleState {
    bool live = false;   ///< loaded, and neither on its way in nor out
    std::string version; ///< of its source; empty: it is not there, or does not say
    bool operator==(const ModuleState &) const = default;
};

/** @param folder of the module */
ModuleState module_state(const std::string &folder = "/sys/module/mrc");

} // namespace mrcd
