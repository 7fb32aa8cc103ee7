// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Asks the kernel about netdevs and next hops.
 */
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "mrcnl/types.h"

struct nl_sock;

namespace mrcd
{

/**
 * Asks over netlink. An ioctl would make the kernel load a module for each name that it does not
 * know.
 */
class NetdevFinder
{
public:
    /**
     * Finds a netdev. May wait for a program that is configuring netdevs.
     *
     * @param name any of its names
     * @return its index; 0: there is none. If the kernel does not answer, the last answer
     */
    uint32_t find(const std::string &name);

    /**
     * Finds the gateway to an address by a netdev. Never waits for other programs.
     *
     * @return nothing: there is no route, or it has no gateway
     */
    std::optional<mrcnl::Address> next_hop(const mrcnl::Address &to, uint32_t index);

private:
    bool open();

    struct Close {
        void operator()(nl_sock *sock) const;
    };
    std::unique_ptr<nl_sock, Close> sock_;
    std::map<std::string, uint32_t> known_;
};

} // namespace mrcd
