// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * What there is of what a device needs, as far as the kernel tells.
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

/** Of a plane that the file names. */
struct PlaneView {
    std::optional<NetdevView> netdev;      ///< none: there is no such netdev
    std::optional<bool> routed;            ///< to its T0; not asked where it cannot be
    std::optional<mrcnl::Address> gateway; ///< of that route; of the last one, where it is gone
    std::optional<mrcnl::Plane> in_module; ///< of this netdev
};

/** All at one moment. */
struct Observation {
    uint64_t taken_ns = 0; ///< when it was complete, of CLOCK_MONOTONIC
    mrcnl::Error error;    ///< why the rest is missing; code 0: it is not
    ModuleState module;
    mrcnl::Error module_error; ///< why it does not tell of the device, though it is loaded
    bool device = false;
    std::optional<NetdevView> anchor;
    std::vector<PlaneView> planes;       ///< 1, 2, ...
    size_t peers = 0;                    ///< how many there are
    std::vector<EvsOut> evs_out;         ///< towards them
    std::map<std::string, long> sysctls; ///< those that there are
};

/** "net/ipv6/conf/IFNAME/NAME" */
std::string ipv6_sysctl(const std::string &ifname, const std::string &name);

/**
 * Looks at all of it.
 *
 * @param kernel null: the module is away, or cannot be asked
 * @param fabric says what to look at
 * @param before the last look at the same; null: there was none
 */
Observation observe(HostView &host, mrcnl::Kernel *kernel, const Fabric &fabric,
                    const Observation *before = nullptr);

} // namespace mrcd
