// SPDX-License-Identifier: GPL-2.0-only
#include "watch/probe_loop.h"

#include <algorithm>

#include "plan/planner.h"

namespace mrcd
{

namespace
{

const Host &self(const Fabric &fabric)
{
    return fabric.hosts[fabric.local.host];
}

bool joined(const Fabric &fabric, uint32_t t0, uint32_t t1)
{
    return fabric.t0[t0].plane == fabric.t1[t1].plane && !fabric.missing.contains({t0, t1});
}

/** The loop by T1 @p by to another rack's T0, on to T1 @p to if there is one, and home. */
ProbeLoop detour(const Fabric &fabric, uint32_t far_t0, uint32_t by, std::optional<uint32_t> to)
{
    const uint8_t plane = fabric.t1[by].plane;
    const uint16_t t0 = fabric.t0[own_t0(fabric, plane)].usid;
    const uint16_t t1 = fabric.t1[by].usid;
    const uint16_t far = fabric.t0[far_t0].usid;
    const mrcnl::Address home = carrier(fabric.block, {t0, self(fabric).usid});

    if (to)
        return {plane, {carrier(fabric.block, {t0, t1, far, fabric.t1[*to].usid, far, t1}), home}};
    return {plane, {carrier(fabric.block, {t0, t1, far, t1}), home}};
}

} // namespace

bool whole_plane(const Element &element)
{
    return element.kind == Element::Kind::host_link || element.kind == Element::Kind::t0;
}

const char *name_of(Element::Kind kind)
{
    static constexpr const char *names[] = {"host-link", "t0", "trunk", "t1"};

    return names[static_cast<size_t>(kind)];
}

std::string to_string(const Fabric &fabric, const Element &element)
{
    switch (element.kind) {
    case Element::Kind::host_link:
        return self(fabric).name + "-" + fabric.t0[element.t0].name;
    case Element::Kind::t0:
        return fabric.t0[element.t0].name;
    case Element::Kind::trunk:
        return fabric.t0[element.t0].name + "-" + fabric.t1[element.t1].name;
    default:
        return fabric.t1[element.t1].name;
    }
}

uint32_t own_t0(const Fabric &fabric, uint8_t plane)
{
    const auto found = std::find_if(fabric.t0.begin(), fabric.t0.end(), [&](const T0 &t0) {
        return t0.plane == plane && t0.rack == self(fabric).rack;
    });

    return static_cast<uint32_t>(found - fabric.t0.begin());
}

std::vector<uint32_t> own_t1s(const Fabric &fabric, uint8_t plane)
{
    const uint32_t t0 = own_t0(fabric, plane);
    std::vector<uint32_t> found;

    for (uint32_t t1 = 0; t1 < fabric.t1.size(); t1++)
        if (joined(fabric, t0, t1))
            found.push_back(t1);
    return found;
}

ProbeLoop uplink_loop(const Fabric &fabric, uint8_t plane)
{
    const uint16_t t0 = fabric.t0[own_t0(fabric, plane)].usid;

    return {plane, {carrier(fabric.block, {t0, self(fabric).usid})}};
}

ProbeLoop trunk_loop(const Fabric &fabric, uint8_t plane, uint32_t t1)
{
    const uint16_t t0 = fabric.t0[own_t0(fabric, plane)].usid;

    return {plane, {carrier(fabric.block, {t0, fabric.t1[t1].usid, t0, self(fabric).usid})}};
}

std::vector<Detour> detours(const Fabric &fabric, uint8_t plane, uint32_t t1,
                            const std::vector<uint32_t> &by, size_t most, uint64_t first)
{
    const uint32_t own = own_t0(fabric, plane);
    const auto all = static_cast<uint32_t>(fabric.t0.size());
    std::vector<Detour> found;

    for (uint32_t n = 0; n < all && found.size() < most; n++) {
        const auto far = static_cast<uint32_t>((first % all + n) % all);
        if (far == own || fabric.denied.t0.contains(far) || !joined(fabric, far, t1))
            continue;
        // Each loop uses another T1: if one is broken in a way that its loop does not show, it
        // spoils only one of them.
        for (size_t i = 0; i < by.size(); i++) {
            const uint32_t other = by[(found.size() + i) % by.size()];
            if (other == t1 || !joined(fabric, far, other))
                continue;
            found.push_back(
                {detour(fabric, far, other, t1), detour(fabric, far, other, std::nullopt), other});
            break;
        }
    }
    return found;
}

} // namespace mrcd
