// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * What all cells of a run share: the settings, what follows from them, and the ports and endpoints.
 * Each port and endpoint is used by one cell only.
 */
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/core.h"
#include "fabric.h"
#include "faults.h"
#include "port.h"
#include "scenario.h"
#include "workload.h"

namespace mrcsim
{

class Endpoint;
class Requester;
class Responder;

/** A port in a run. */
struct Port {
    PortQueues queues;
    LinkState link;
    Time busy_until = 0;
    uint32_t node = 0; ///< the node that has the port
    uint32_t peer = 0; ///< the node at the other end of the link
    uint32_t peer_cell = 0;
    uint32_t draws = 0; ///< random numbers that the port has used
    Tier tier = Tier::host_up;
    uint8_t plane = 0;
    bool wakes = false; ///< What::port_free is scheduled
    bool told = false;  ///< What::port_free then tells its host that a packet has left
};

/** What follows from a scenario: bytes, picoseconds, and settings of the engine. */
struct Derived {
    uint64_t base_rtt_ns = 0; ///< of an empty network
    uint64_t plane_bdp = 0;   ///< bytes that a plane holds in a base RTT
    Time lookahead = 0;       ///< a packet takes at least this from cell to cell
    std::array<QueueLimits, tiers> limits;
    mrc_timing timing{};
    mrc_cc_params cc{};
    mrc_retries retries{};
    uint32_t sack_bytes = 0;
    uint32_t rx_batch = 1;
    Time rx_hold = 0; ///< the longest time that arrivals wait for others
    uint32_t burst = 1;
    uint32_t host_queue = 0; ///< packets in a host's ports at which the arbiter, or the host, stops
};

/** A run. */
struct Network {
    Network(const Scenario &what, uint32_t cell_count);
    ~Network();
    Network(const Network &) = delete;
    Network &operator=(const Network &) = delete;

    const Scenario scenario;
    const Fabric fabric;
    const uint32_t cells;
    const Derived derived;
    const std::vector<Flow> flows;
    const std::vector<FaultStep> faults;
    std::vector<Port> ports;
    std::vector<std::unique_ptr<Endpoint>> endpoints; ///< per host
    std::vector<Requester *> requesters;              ///< per flow
    std::vector<Responder *> responders;              ///< per flow

    [[nodiscard]] uint32_t cell_of(uint32_t node) const { return fabric.cell_of(node, cells); }
};

/** What follows from a scenario. */
Derived derive(const Scenario &scenario, const Fabric &fabric);

} // namespace mrcsim
