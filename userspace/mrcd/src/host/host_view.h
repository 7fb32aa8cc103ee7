// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * What of this host is looked at to tell whether a device can work, and changed by nobody here.
 * An interface, so that who looks can be tested without a kernel.
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
    bool up = false;      ///< by the administrator
    bool carrier = false; ///< it can be sent by
    uint32_t mtu = 0;
    bool operator==(const NetdevView &) const = default;
};

/** How an address is reached by a netdev. */
struct RouteView {
    bool exists = false;
    std::optional<mrcnl::Address> gateway;
    bool operator==(const RouteView &) const = default;
};

/** This host. Requests may wait for whoever configures netdevs at that moment. */
class HostView
{
public:
    virtual ~HostView() = default;

    /** All netdevs, by any of their names. */
    virtual mrcnl::Result<std::map<std::string, NetdevView>> netdevs() = 0;

    /** The route to an address by this netdev. */
    virtual mrcnl::Result<RouteView> route(const mrcnl::Address &to, uint32_t index) = 0;

    /** A number below /proc/sys, "net/ipv6/conf/all/seg6_enabled"; nothing: there is none. */
    virtual std::optional<long> sysctl(const std::string &name) = 0;

    virtual ModuleState module() = 0;
};

/** The real one. */
mrcnl::Result<std::unique_ptr<HostView>> open_host_view();

} // namespace mrcd
