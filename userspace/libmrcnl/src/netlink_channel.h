// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * A channel over a libnl socket, which a test may provide.
 */
#pragma once

#include <memory>

#include "mrcnl/channel.h"

struct nl_cb;
struct nl_sock;

namespace mrcnl
{

struct FreeSocket {
    void operator()(nl_sock *sock) const;
};
using Socket = std::unique_ptr<nl_sock, FreeSocket>;

struct FreeCallbacks {
    void operator()(nl_cb *callbacks) const;
};
using Callbacks = std::unique_ptr<nl_cb, FreeCallbacks>;

/**
 * @param sock connected, or with its own functions to send and receive
 * @param family number of the generic netlink family
 */
std::unique_ptr<Channel> make_channel(Socket sock, int family);

} // namespace mrcnl
