// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * What the kernel shows of the objects that a device needs.
 */
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "file/fabric.h"
#include "host/host_view.h"
#include "mrcnl/kernel.h"
#include "report/evs_out.h"

namespace mrcd
{

/** What was seen of a plane of the file. */
struct PlaneView {
    std::optional<NetdevView> netdev;      ///< empty: the netdev does not exist
    std::optional<bool> routed;            ///< to its T0; empty: could not be asked
    std::optional<mrcnl::Address> gateway; ///< of that route, or of the last one if it is gone
    std::optional<mrcnl::Plane> in_module; ///< the plane of this netdev
};

/** All that one look at the host has seen. */
struct Observation {
    uint64_t taken_ns = 0; ///< when it was complete, of CLOCK_MONOTONIC
    mrcnl::Error error;    ///< why the rest is missing; code 0: nothing is missing
    ModuleState module;
    mrcnl::Error module_error; ///< why the loaded module does not describe the device
    bool device = false;
    std::optional<NetdevView> anchor;
    std::vector<PlaneView> planes;       ///< 1, 2, ...
    size_t peers = 0;                    ///< number of peers
    std::vector<EvsOut> evs_out;         ///< planes that are out towards peers
    std::map<std::string, long> sysctls; ///< those that exist
};

/** "net/ipv6/conf/IFNAME/NAME" */
std::string ipv6_sysctl(const std::string &ifname, const std::string &name);

/**
 * Looks at everything once.
 *
 * @param kernel null: the module is not loaded, or cannot be asked
 * @param fabric says what to look at
 * @param before the last look at the same; null: there was none
 */
Observation observe(HostView &host, mrcnl::Kernel *kernel, const Fabric &fabric,
                    const Observation *before = nullptr);

} // namespace mrcd
