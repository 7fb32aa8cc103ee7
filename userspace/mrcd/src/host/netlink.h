// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Sends requests to the kernel over netlink, and reports its error messages.
 */
#pragma once

#include <functional>

#include "host/owned.h"
#include "mrcnl/result.h"

namespace mrcd
{

/** Opens a netlink socket on which the kernel sends error messages. */
mrcnl::Result<Owned<nl_sock>> connect_netlink(int protocol);

/** Sends a request and waits until the kernel has processed it. */
mrcnl::Result<void> request(nl_sock *sock, nl_msg *msg);

/**
 * Sends a request and reads the answers.
 *
 * @param each called for each answer, which it must not keep
 * @return EINTR: the listed objects changed in between
 */
mrcnl::Result<void> ask(nl_sock *sock, nl_msg *msg, const std::function<void(nl_msg *)> &each);

} // namespace mrcd
