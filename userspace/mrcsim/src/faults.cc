// SPDX-License-Identifier: GPL-2.0-only
#include "faults.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "random.h"

namespace mrcsim
{

namespace
{

/** The two directions of a link. */
using LinkPorts = std::pair<uint32_t, uint32_t>;

LinkPorts host_link(const Fabric &fabric, uint32_t plane, uint32_t host)
{
    return {fabric.host_port(host, plane),
            fabric.t0_down_port(plane, fabric.rack_of(host), fabric.slot_of(host))};
}

LinkPorts spine_link(const Fabric &fabric, uint32_t plane, uint32_t rack, uint32_t spine)
{
    return {fabric.t0_up_port(plane, rack, spine), fabric.t1_port(plane, spine, rack)};
}

uint64_t links_of(const Fabric &fabric, Tier tier)
{
    const FabricShape &shape = fabric.shape();
    const uint64_t per_plane =
        tier == Tier::host_up ? shape.endpoints : uint64_t{fabric.racks()} * shape.t0_up;

    return shape.planes * per_plane;
}

LinkPorts link_of(const Fabric &fabric, Tier tier, uint64_t index)
{
    const FabricShape &shape = fabric.shape();
    const auto plane = static_cast<uint32_t>(index % shape.planes);
    const auto at = static_cast<uint32_t>(index / shape.planes);

    if (tier == Tier::host_up)
        return host_link(fabric, plane, at);
    return spine_link(fabric, plane, at / shape.t0_up, at % shape.t0_up);
}

/** Draws as many different links as the fault counts. */
std::vector<LinkPorts> draw(const Fabric &fabric, const FaultSettings &fault)
{
    std::vector<uint64_t> index(links_of(fabric, fault.tier));
    std::vector<LinkPorts> drawn;

    std::iota(index.begin(), index.end(), 0);
    for (uint32_t i = 0; i < fault.count && i < index.size(); i++) {
        const auto left = static_cast<uint32_t>(index.size() - i);
        std::swap(index[i], index[i + random_below(fault.seed, entity(Draw::fault, 0), i, left)]);
        drawn.push_back(link_of(fabric, fault.tier, index[i]));
    }
    return drawn;
}

std::vector<LinkPorts> links(const Fabric &fabric, const FaultSettings &fault)
{
    if (fault.named.empty())
        return draw(fabric, fault);
    if (fault.tier == Tier::host_up)
        return {host_link(fabric, fault.named[0], fault.named[1])};
    return {spine_link(fabric, fault.named[0], fault.named[1], fault.named[2])};
}

void add_link(const Scenario &scenario, const FaultSettings &fault, const LinkPorts &link,
              Time later, std::vector<FaultStep> &steps)
{
    const LinkState well = {.byte_time = byte_time_of(scenario.link.mbps)};
    LinkState ill = {.byte_time = well.byte_time * millionth / fault.speed,
                     .loss = fault.loss,
                     .dead = fault.dead};

    for (const uint32_t port : {link.first, link.second}) {
        steps.push_back({fault.at + later, port, ill, fault.dead && fault.carrier});
        if (fault.until)
            steps.push_back({*fault.until + later, port, well, fault.dead && fault.carrier});
    }
}

} // namespace

std::vector<FaultStep> make_faults(const Scenario &scenario, const Fabric &fabric)
{
    std::vector<FaultStep> steps;

    for (const FaultSettings &fault : scenario.faults) {
        Time later = 0;
        for (const LinkPorts &link : links(fabric, fault)) {
            add_link(scenario, fault, link, later, steps);
            later += fault.spacing;
        }
    }
    std::stable_sort(steps.begin(), steps.end(),
                     [](const FaultStep &a, const FaultStep &b) { return a.at < b.at; });
    return steps;
}

} // namespace mrcsim
