// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * Asks a running mrcd.
 */
#pragma once

#include <string>
#include <vector>

#include "mrcnl/result.h"

namespace mrcnl
{

/**
 * Sends a request to the mrcd that manages a device, and waits for the answer.
 *
 * @param device of this network namespace
 * @param request "status", "health", "names", "denials" or "reload"
 * @return the answer, empty when mrcd has ended. ECONNREFUSED: no mrcd manages the device
 */
Result<std::string> ask_daemon(const std::string &device, const std::string &request);

/**
 * The devices that have an mrcd in this network namespace, sorted by name. Another program may hold
 * a socket of such a name: ask_daemon() finds out.
 *
 * @param table where the kernel lists the sockets
 */
std::vector<std::string> watched_devices(const std::string &table = "/proc/net/unix");

} // namespace mrcnl
