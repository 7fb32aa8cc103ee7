// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * Which numbers a generic netlink family has at this moment.
 */
#pragma once

#include <map>
#include <string>

#include "mrcnl/result.h"

struct nl_sock;

namespace mrcnl
{

/** As the kernel has registered it. */
struct Family {
    int id = 0;
    std::map<std::string, int> groups; ///< multicast groups by their names
};

/**
 * Looks a family up among all that there are. A look-up by name would have the kernel load the
 * module of a family that it does not have: who asks would undo an rmmod.
 *
 * @param sock connected to generic netlink; not one that is in use
 * @return ENOENT: the kernel does not have the family
 */
Result<Family> find_family(nl_sock *sock, const std::string &name);

} // namespace mrcnl
