// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Good and bad requests to a kernel, with the answer to each and what each changed.
 *
 * The module and the model that replaces it in mrcd's unit tests get the same requests: both must
 * answer as selftests/contract/answers says.
 */
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "mrcnl/kernel.h"

namespace contract
{

/** What is asked: one device that nothing was done to yet, on a host with these netdevs. */
struct Host {
    std::string device = "mrc0";
    /**
     * The index of a netdev: eth1 to eth3 are fit for planes and up, "tiny" has an MTU of 1000,
     * "lo" is no Ethernet.
     */
    std::function<uint32_t(const std::string &)> ifindex;
};

/** A UDP port that something else on the host has. */
constexpr uint16_t taken_port = 9999;

/** One topic each; a topic leaves the device as it was. */
const std::vector<std::string> &topics();

/**
 * Ask all of a topic.
 *
 * @return a line "REQUEST -> ANSWER" for each, behind it lines "    - WAS" and "    + IS" for what
 *         it changed in what the kernel lists
 */
std::vector<std::string> ask(mrcnl::Kernel &kernel, const Host &host, const std::string &topic);

} // namespace contract
