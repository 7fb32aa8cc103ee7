// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Requests to the kernel by netlink, with its own words when it refuses.
 */
#pragma once

#include <functional>

#include "host/owned.h"
#include "mrcnl/result.h"

namespace mrcd
{

/** A socket of a netlink protocol whose kernel side gives reasons, or the reason why not. */
mrcnl::Result<Owned<nl_sock>> connect_netlink(int protocol);

/** Sends a request and waits until the kernel has done it. */
mrcnl::Result<void> request(nl_sock *sock, nl_msg *msg);

/**
 * Sends a request and takes its answers.
 *
 * @param each told of each; it keeps nothing of it
 * @return EINTR: what was to be listed changed meanwhile
 */
mrcnl::Result<void> ask(nl_sock *sock, nl_msg *msg, const std::function<void(nl_msg *)> &each);

} // namespace mrcd
