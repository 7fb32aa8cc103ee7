// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Asks the mrcd of this network namespace.
 */
#pragma once

#include <string>

#include "mrcnl/result.h"

namespace mrcctl
{

/**
 * Sends a request to the mrcd that looks after a device.
 *
 * @return its answer. ECONNREFUSED: no mrcd looks after the device
 */
mrcnl::Result<std::string> ask_daemon(const std::string &device, const std::string &request);

} // namespace mrcctl
