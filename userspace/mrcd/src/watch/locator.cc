// SPDX-License-Identifier: GPL-2.0-only
#include "watch/locator.h"

namespace mrcd
{

using Kind = Element::Kind;

const char *name_of(Cause cause)
{
    static constexpr const char *names[] = {"silence", "no-carrier", "loss", "mtu"};

    return names[static_cast<size_t>(cause)];
}

Finding locate_in_plane(const Fabric &fabric, uint8_t plane, const PlaneEvidence &evidence)
{
    const uint32_t t0 = own_t0(fabric, plane);

    if (!evidence.carrier)
        return {{Kind::host_link, plane, t0, 0}, "no carrier", Cause::no_carrier};
    if (evidence.lossy)
        return {
            {Kind::host_link, plane, t0, 0}, "half of the probes do not come back", Cause::loss};
    if (evidence.neighbor)
        return {{Kind::t0, plane, t0, 0}, "it answers, but no probe comes back over it"};
    return {{Kind::host_link, plane, t0, 0}, "carrier, but nothing comes back"};
}

Finding locate_at_t1(const Fabric &fabric, uint8_t plane, uint32_t t1, Verdict past)
{
    const uint32_t t0 = own_t0(fabric, plane);

    switch (past) {
    case Verdict::dead:
        return {{Kind::t1, plane, 0, t1},
                "no probe comes back over it, not even around the link to it"};
    case Verdict::alive:
        return {{Kind::trunk, plane, t0, t1},
                "no probe comes back over the link, but probes around it do"};
    default:
        return {{Kind::trunk, plane, t0, t1},
                "no probe comes back over the link; no path around it, so it may also be the T1"};
    }
}

Finding locate_hole(const Fabric &fabric, uint8_t plane, std::optional<uint32_t> t1,
                    uint16_t passes, uint16_t loses)
{
    const uint32_t t0 = own_t0(fabric, plane);

    return {t1 ? Element{Kind::trunk, plane, t0, *t1} : Element{Kind::host_link, plane, t0, 0},
            "passes " + std::to_string(passes) + " bytes, loses " + std::to_string(loses),
            Cause::mtu};
}

} // namespace mrcd
