// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * What the kernel knows of netdevs and of who is next behind them.
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

/** A netdev at this moment. */
struct NetdevState {
    uint32_t index = 0;
    bool carrier = false;
};

/** By netlink. Ioctls would have the kernel load a module for each name that it does not know. */
class NetdevFinder
{
public:
    /**
     * @param name any that it has
     * @return nothing: there is none; when the kernel does not say, what it said last
     */
    std::optional<NetdevState> find(const std::string &name);

    /**
     * Who is asked to forward to an address by a netdev.
     *
     * @return nothing where there is no route, or no gateway
     */
    std::optional<mrcnl::Address> next_hop(const mrcnl::Address &to, uint32_t index);

private:
    bool open();

    struct Close {
        void operator()(nl_sock *sock) const;
    };
    std::unique_ptr<nl_sock, Close> sock_;
    std::map<std::string, std::optional<NetdevState>> known_;
};

} // namespace mrcd
