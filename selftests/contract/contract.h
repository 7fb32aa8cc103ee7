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

/** The host that is asked: one device without any configuration, and these netdevs. */
struct Host {
    std::string device = "mrc0";
    /**
     * The index of a netdev: eth1 to eth3 are fit for planes and up, "tiny" has an MTU of 1000,
     * "lo" is no Ethernet.
     */
    std::function<uint32_t(const std::string &)> ifindex;
};

/** A UDP port that another socket of the host has. */
constexpr uint16_t taken_port = 9999;

/** Names of the topics; each topic leaves the device as it was. */
const std::vector<std::string> &topics();

/**
 * Sends all requests of a topic.
 *
 * @return for each request a line "REQUEST -> ANSWER", behind it lines "    - WAS" and "    + IS"
 *         for what it changed in what the kernel lists
 */
std::vector<std::string> ask(mrcnl::Kernel &kernel, const Host &host, const std::string &topic);

} // namespace contract
