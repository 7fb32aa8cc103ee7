// SPDX-License-Identifier: GPL-2.0-only
#include "file/topology.h"

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

bool passes(const Path &path, const Denials &denied)
{
    if (denied.t0.contains(path.from) || denied.t0.contains(path.to))
        return true;
    return path.t1 &&
           (denied.t1.contains(*path.t1) || denied.trunks.contains({path.from, *path.t1}) ||
            denied.trunks.contains({path.to, *path.t1}));
}

std::vector<Path> Topology::paths(uint8_t plane, uint32_t rack) const
{
    const uint32_t from = t0_at(plane, own_rack_);
    const uint32_t to = t0_at(plane, rack);
    std::vector<Path> found;

    if (rack == own_rack_)
        found.push_back({from, std::nullopt, to});
    else
        for (const uint32_t t1 : t1_[plane - 1])
            if (!fabric_.missing.contains({from, t1}) && !fabric_.missing.contains({to, t1}))
                found.push_back({from, t1, to});
    for (Path &path : found)
        path.denied = passes(path, fabric_.denied);
    return found;
}

} // namespace mrcd
