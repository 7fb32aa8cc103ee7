// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * How netdevs get from the ports where they are to those where they are to be.
 */
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mrcd
{

struct Netdev {
    uint32_t ifindex = 0; ///< tells netdevs apart: each may have several names
    std::string name;
};

/** By port. */
using Planes = std::map<uint8_t, Netdev>;

struct PlaneMove {
    bool add = false; ///< or remove
    uint8_t port = 0;
    Netdev netdev;
};

/**
 * Moves in the order in which as few planes as possible are away at once: a port that is to get
 * a netdev which no other port waits to give up comes before one that is not, and so two planes
 * are away for a moment at most. Ports whose netdev is right are left alone.
 *
 * @param now what there is; afterwards, what there is then
 * @param wanted ports that are to have a netdev, each another one; others keep theirs unless it
 *        is wanted
 */
std::vector<PlaneMove> plane_moves(Planes &now, const Planes &wanted);

} // namespace mrcd
