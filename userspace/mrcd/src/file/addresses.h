// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * What can be told from an address or a prefix alone.
 */
#pragma once

#include "mrcnl/types.h"

namespace mrcd
{

/** May hosts have it, wherever they are? Addresses of one link, of groups, of IPv4 are none. */
bool global_unicast(const mrcnl::Address &address);

/** Does the address lie in the prefix? */
bool contains(const mrcnl::Prefix &prefix, const mrcnl::Address &address);

/** Has the prefix bits behind its length? */
bool has_host_bits(const mrcnl::Prefix &prefix);

} // namespace mrcd
