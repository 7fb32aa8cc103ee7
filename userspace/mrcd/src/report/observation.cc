// SPDX-License-Identifier: GPL-2.0-only
#include "report/observation.h"

#include <algorithm>
#include <cerrno>

#include "plan/planner.h"
#include "watch/probe_loop.h"

namespace mrcd
{

namespace
{

class Look
{
public:
    Look(HostView &host, const Fabric &fabric, const Observation *before)
        : host_(host), fabric_(fabric), before_(before)
    {
    }

    mrcnl::Result<void> look_at_host();
    mrcnl::Result<void> look_at_module(mrcnl::Kernel &kernel);
    Observation &seen() { return seen_; }

private:
    mrcnl::Result<PlaneView> plane(uint8_t number,
                                   const std::map<std::string, NetdevView> &netdevs);
    void read_sysctls();
    void look_at_peers(const std::vector<mrcnl::Peer> &peers);

    HostView &host_;
    const Fabric &fabric_;
    const Observation *before_;
    Observation seen_;
};

std::optional<NetdevView> find(const std::map<std::string, NetdevView> &netdevs,
                               const std::string &name)
{
    const auto at = netdevs.find(name);

    return at == netdevs.end() ? std::nullopt : std::optional(at->second);
}

mrcnl::Result<PlaneView> Look::plane(uint8_t number,
                                     const std::map<std::string, NetdevView> &netdevs)
{
    const T0 &t0 = fabric_.t0[own_t0(fabric_, number)];
    PlaneView view{find(netdevs, fabric_.local.planes[number - 1u]), {}, {}, {}};

    if (before_ && number <= before_->planes.size())
        view.gateway = before_->planes[number - 1u].gateway;

    if (!view.netdev || !view.netdev->up)
        return view;
    const auto route = host_.route(carrier(fabric_.block, {t0.usid}), view.netdev->index);
    if (!route)
        return route.error();
    view.routed = route->exists;
    if (route->gateway)
        view.gateway = route->gateway;
    return view;
}

void Look::read_sysctls()
{
    std::vector<std::string> ifnames = fabric_.local.planes;

    ifnames.push_back("all");
    ifnames.push_back(fabric_.local.anchor);
    for (const std::string &ifname : ifnames)
        for (const char *name : {"disable_ipv6", "seg6_enabled"})
            if (const auto value = host_.sysctl(ipv6_sysctl(ifname, name)))
                seen_.sysctls[ipv6_sysctl(ifname, name)] = *value;
}

mrcnl::Result<void> Look::look_at_host()
{
    const auto netdevs = host_.netdevs();

    if (!netdevs)
        return netdevs.error();
    seen_.module = host_.module();
    seen_.anchor = find(*netdevs, fabric_.local.anchor);
    for (uint8_t number = 1; number <= fabric_.planes; number++) {
        auto view = plane(number, *netdevs);
        if (!view)
            return view.error();
        seen_.planes.push_back(std::move(*view));
    }
    read_sysctls();
    return {};
}

void Look::look_at_peers(const std::vector<mrcnl::Peer> &peers)
{
    static const std::vector<EvsOut> none;
    std::map<uint8_t, uint8_t> plane_of;

    for (uint8_t number = 1; number <= seen_.planes.size(); number++)
        if (const auto &plane = seen_.planes[number - 1u].in_module)
            plane_of[plane->port] = number;
    seen_.peers = peers.size();
    seen_.evs_out = find_evs_out(peers, plane_of, before_ ? before_->evs_out : none);
}

mrcnl::Result<void> Look::look_at_module(mrcnl::Kernel &kernel)
{
    const std::string &name = fabric_.local.device;
    const auto device = kernel.device(name);

    if (!device && device.error().code == ENODEV)
        return {};
    const auto planes =
        device ? kernel.planes(name) : mrcnl::Result<std::vector<mrcnl::Plane>>(device.error());
    if (!planes)
        return planes.error();
    seen_.device = true;
    for (const mrcnl::Plane &plane : *planes)
        for (PlaneView &view : seen_.planes)
            if (view.netdev && view.netdev->index == plane.ifindex)
                view.in_module = plane;
    // Peers may come and go all the time, so that they cannot be listed. Then the last list holds
    // until the next look.
    if (const auto peers = kernel.peers(name, std::nullopt)) {
        look_at_peers(*peers);
    } else if (before_) {
        seen_.peers = before_->peers;
        seen_.evs_out = before_->evs_out;
    }
    return {};
}

} // namespace

std::string ipv6_sysctl(const std::string &ifname, const std::string &name)
{
    return "net/ipv6/conf/" + ifname + "/" + name;
}

Observation observe(HostView &host, mrcnl::Kernel *kernel, const Fabric &fabric,
                    const Observation *before)
{
    Look look(host, fabric, before);
    Observation &seen = look.seen();
    const auto looked = look.look_at_host();

    if (!looked)
        seen.error = looked.error();
    if (looked && kernel)
        if (const auto asked = look.look_at_module(*kernel); !asked)
            seen.module_error = asked.error();
    return std::move(seen);
}

} // namespace mrcd
