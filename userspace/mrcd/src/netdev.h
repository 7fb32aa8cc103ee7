// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Looks netdevs up by name.
 */
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

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
    NetdevFinder();
    ~NetdevFinder();
    NetdevFinder(const NetdevFinder &) = delete;
    NetdevFinder &operator=(const NetdevFinder &) = delete;

    /** @param name any that it has */
    std::optional<NetdevState> find(const std::string &name);

private:
    nl_sock *sock_;
};

} // namespace mrcd
