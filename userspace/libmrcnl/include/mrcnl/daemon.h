// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * The client of mrcd.
 */
#pragma once

#include <string>
#include <vector>

#include "mrcnl/result.h"

namespace mrcnl
{

/**
 * Sends a request to the mrcd that looks after a device, and waits for the answer.
 *
 * @param device of this network namespace
 * @param request "status", "health", "names", "denials" or "reload"
 * @return the answer, empty when mrcd has ended. ECONNREFUSED: no mrcd looks after the device
 */
Result<std::string> ask_daemon(const std::string &device, const std::string &request);

/**
 * The devices that an mrcd of this network namespace looks after, in the order of their names.
 * Somebody else may have taken such a name: ask_daemon() finds out.
 *
 * @param table where the kernel lists the sockets
 */
std::vector<std::string> watched_devices(const std::string &table = "/proc/net/unix");

} // namespace mrcnl
