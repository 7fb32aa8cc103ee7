// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Read-only access to the parts of this host that decide whether a device can work. An interface,
 * so that its users can be tested without a kernel.
 */
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "host/module.h"
#include "mrcnl/result.h"
#include "mrcnl/types.h"

namespace mrcd
{

/** A netdev at this moment. */
struct NetdevView {
    uint32_t index = 0;
    bool up = false;      ///< set up by the administrator
    bool carrier = false; ///< it can send
    uint32_t mtu = 0;
    bool operator==(const NetdevView &) const = default;
};

/** The route to an address. */
struct RouteView {
    bool exists = false;
    std::optional<mrcnl::Address> gateway;
    bool operator==(const RouteView &) const = default;
};

/** This host. Requests may wait for a program that is configuring netdevs. */
class HostView
{
public:
    virtual ~HostView() = default;

    /** All netdevs, by all of their names. */
    virtual mrcnl::Result<std::map<std::string, NetdevView>> netdevs() = 0;

    /** The route to an address by the netdev of this index. */
    virtual mrcnl::Result<RouteView> route(const mrcnl::Address &to, uint32_t index) = 0;

    /** A number below /proc/sys, as in "net/ipv6/conf/all/seg6_enabled"; nothing: there is none. */
    virtual std::optional<long> sysctl(const std::string &name) = 0;

    virtual ModuleState module() = 0;
};

/** Makes a HostView of the real host. */
mrcnl::Result<std::unique_ptr<HostView>> open_host_view();

} // namespace mrcd
