// SPDX-License-Identifier: GPL-2.0-only
#include "topology.h"

namespace mrcd
{

Topology::Topology(const Fabric &fabric)
    : fabric_(fabric), own_rack_(fabric.hosts[fabric.local.host].rack),
      t0_(fabric.planes * fabric.racks.size()), t1_(fabric.planes)
{
    for (uint32_t i = 0; i < fabric.t0.size(); i++)
        t0_[(fabric.t0[i].plane - 1) * fabric.racks.size() + fabric.t0[i].rack] = i;
    for (uint32_t i = 0; i < fabric.t1.size(); i++)
        t1_[fabric.t1[i].plane - 1].push_back(i);
}

uint32_t Topology::t0_at(uint8_t plane, uint32_t rack) const
{
    return t0_[(plane - 1) * fabric_.racks.size() + rack];
}

bool Topology::denied(uint32_t t0, uint32_t t1) const
{
    return fabric_.denied.t1.contains(t1) || fabric_.denied.trunks.contains({t0, t1});
}

std::vector<Path> Topology::paths(uint8_t plane, uint32_t rack) const
{
    const uint32_t from = t0_at(plane, own_rack_);
    const uint32_t to = t0_at(plane, rack);
    const bool dead = fabric_.denied.t0.contains(from) || fabric_.denied.t0.contains(to);
    std::vector<Path> found;

    if (rack == own_rack_)
        return {{from, std::nullopt, to, dead}};
    for (const uint32_t t1 : t1_[plane - 1])
        if (!fabric_.missing.contains({from, t1}) && !fabric_.missing.contains({to, t1}))
            found.push_back({from, t1, to, dead || denied(from, t1) || denied(to, t1)});
    return found;
}

} // namespace mrcd
