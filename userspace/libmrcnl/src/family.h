// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * Finds the number that a generic netlink family has at this moment.
 */
#pragma once

#include <map>
#include <string>

#include "mrcnl/result.h"

struct nl_sock;

namespace mrcnl
{

/** A generic netlink family as the kernel has registered it. */
struct Family {
    int id = 0;
    std::map<std::string, int> groups; ///< multicast groups by their names
};

/**
 * Finds a family by listing all families. A look-up by name would make the kernel load the module
 * of a missing family, and so undo an rmmod.
 *
 * @param sock connected to generic netlink, and not in use
 * @return ENOENT: the kernel does not have the family
 */
Result<Family> find_family(nl_sock *sock, const std::string &name);

} // namespace mrcnl
