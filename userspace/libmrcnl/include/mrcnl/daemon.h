// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The client of mrcd.
 */
#pragma once

#include <string>

#include "mrcnl/result.h"

namespace mrcnl
{

/**
 * Sends a request to the mrcd that looks after a device, and waits for the answer.
 *
 * @param device of this network namespace
 * @param request "status", "health", "denials" or "reload"
 * @return the answer, empty when mrcd has ended. ECONNREFUSED: no mrcd looks after the device
 */
Result<std::string> ask_daemon(const std::string &device, const std::string &request);

} // namespace mrcnl
