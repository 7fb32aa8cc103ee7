// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Properties of an address or a prefix.
 */
#pragma once

#include "mrcnl/types.h"

namespace mrcd
{

/**
 * Can it be the address of a host, on whatever link? False for link-local, multicast and IPv4
 * addresses, and for the unspecified and the loopback address.
 */
bool global_unicast(const mrcnl::Address &address);

/** Does the address lie in the prefix? */
bool contains(const mrcnl::Prefix &prefix, const mrcnl::Address &address);

/** Does the prefix have bits set behind its length? */
bool has_host_bits(const mrcnl::Prefix &prefix);

} // namespace mrcd
