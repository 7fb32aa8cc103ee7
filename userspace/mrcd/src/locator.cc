// SPDX-License-Identifier: GPL-2.0-only
#include "locator.h"

#include <algorithm>

namespace mrcd
{

namespace
{

using Kind = Element::Kind;

Finding behind_host(uint8_t plane, uint32_t t0, const PlaneEvidence &evidence)
{
    if (!evidence.carrier)
        return {{Kind::host_link, plane, t0, 0}, "no carrier"};
    if (evidence.neighbor == Verdict::alive)
        return {{Kind::t0, plane, t0, 0}, "answers, but no probe comes back by it"};
    return {{Kind::host_link, plane, t0, 0}, "carrier, but nothing comes back"};
}

Finding behind_t0(uint8_t plane, uint32_t t0, uint32_t t1, Verdict past)
{
    switch (past) {
    case Verdict::dead:
        return {{Kind::t1, plane, 0, t1}, "no probe comes back by it, nor past the link to it"};
    case Verdict::alive:
        return {{Kind::trunk, plane, t0, t1}, "no probe comes back by it, but past it"};
    default:
        return {{Kind::trunk, plane, t0, t1},
                "no probe comes back by it; no way past it would tell it from the T1"};
    }
}

} // namespace

std::vector<Finding> locate(const Fabric &fabric, uint8_t plane, const PlaneEvidence &evidence)
{
    const uint32_t t0 = own_t0(fabric, plane);
    const bool some_alive =
        std::any_of(evidence.trunks.begin(), evidence.trunks.end(),
                    [](const auto &trunk) { return trunk.second.loop == Verdict::alive; });
    std::vector<Finding> found;

    // What comes back from a T1 has passed the host's link and the T0.
    if (!evidence.carrier || (evidence.uplink == Verdict::dead && !some_alive))
        return {behind_host(plane, t0, evidence)};
    for (const auto &[t1, trunk] : evidence.trunks)
        if (trunk.loop == Verdict::dead)
            found.push_back(behind_t0(plane, t0, t1, trunk.past));
    return found;
}

} // namespace mrcd
