// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Moves netdevs from their ports to the ports where they should be.
 */
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mrcd
{

struct Netdev {
    uint32_t ifindex = 0; ///< identifies the netdev, which may have several names
    std::string name;
};

/** The netdev of each port. */
using Planes = std::map<uint8_t, Netdev>;

struct PlaneMove {
    bool add = false; ///< false: remove
    uint8_t port = 0;
    Netdev netdev;
};

/**
 * Works out moves in an order in which at most two planes are away at the same time, and only for a
 * moment. A port comes first if its new netdev is at no port, or at a port that gets no other
 * netdev. Ports that have the right netdev are left alone.
 *
 * @param now the present ports; the call changes it to the ports after the moves
 * @param wanted the netdevs that ports should have, each at one port only. Other ports keep their
 *        netdev unless it is wanted elsewhere
 */
std::vector<PlaneMove> plane_moves(Planes &now, const Planes &wanted);

} // namespace mrcd
