// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The state of the kernel module in sysfs, and the function type that connects to the module.
 */
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "mrcnl/kernel.h"

namespace mrcd
{

/** Connects to the module over netlink. @return ENOENT: it is not loaded */
using OpenKernel = std::function<mrcnl::Result<std::shared_ptr<mrcnl::Kernel>>()>;

struct ModuleState {
    bool live = false;   ///< loaded, and neither being loaded nor being removed
    std::string version; ///< of its source; empty: not loaded, or not in sysfs
    bool operator==(const ModuleState &) const = default;
};

/** @param folder of the module in sysfs */
ModuleState module_state(const std::string &folder = "/sys/module/mrc");

} // namespace mrcd
