// SPDX-License-Identifier: GPL-2.0-only
/** @file A host with the state that a test gives it. */
#pragma once

#include <map>
#include <set>
#include <string>

#include "host/host_view.h"
#include "model_kernel.h"

namespace mrcd::test
{

class ModelView : public HostView
{
public:
    std::map<std::string, NetdevView> all{{"mrc", {9, true, true, 9000}},
                                          {"eth1", {1, true, true, 9000}},
                                          {"eth2", {2, true, true, 9000}}};
    std::set<uint32_t> no_route; ///< netdevs without a route
    std::map<std::string, long> sysctls;
    ModuleState state{true, "1.0"};
    int error = 0; ///< errno of all requests; 0: none

    ModelView()
    {
        for (const char *ifname : {"all", "mrc", "eth1", "eth2"}) {
            sysctls["net/ipv6/conf/" + std::string(ifname) + "/disable_ipv6"] = 0;
            sysctls["net/ipv6/conf/" + std::string(ifname) + "/seg6_enabled"] = 1;
        }
    }

    Result<std::map<std::string, NetdevView>> netdevs() override
    {
        if (error)
            return Error{error, "", ""};
        return all;
    }
    Result<RouteView> route(const Address &, uint32_t index) override
    {
        if (error)
            return Error{error, "", ""};
        if (no_route.contains(index))
            return RouteView{};
        return RouteView{true, Address::parse("fe80::" + std::to_string(index))};
    }
    std::optional<long> sysctl(const std::string &name) override
    {
        const auto at = sysctls.find(name);
        return at == sysctls.end() ? std::nullopt : std::optional(at->second);
    }
    ModuleState module() override { return state; }
};

} // namespace mrcd::test
