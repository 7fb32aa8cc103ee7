// SPDX-License-Identifier: GPL-2.0-only
#include "plan/denied_ways.h"

#include <algorithm>
#include <vector>

namespace mrcd
{

namespace
{

constexpr size_t block_bytes = 4;

/** The uSIDs behind the block, up to the first zero. */
std::vector<uint16_t> usids_of(const mrcnl::Address &via)
{
    std::vector<uint16_t> usids;

    for (size_t at = block_bytes; at + 1 < via.bytes.size(); at += 2) {
        const auto usid = static_cast<uint16_t>(via.bytes[at] << 8 | via.bytes[at + 1]);
        if (!usid)
            break;
        usids.push_back(usid);
    }
    return usids;
}

template <typename Nodes>
std::optional<uint32_t> find(const Nodes &nodes, uint8_t port, uint16_t usid)
{
    const auto at = nodes.find({port, usid});

    return at == nodes.end() ? std::nullopt : std::optional(at->second);
}

} // namespace

DeniedWays::DeniedWays(const Fabric &fabric) : block_(fabric.block), denied_(fabric.denied)
{
    for (uint32_t i = 0; i < fabric.t0.size(); i++)
        t0_[{fabric.t0[i].plane, fabric.t0[i].usid}] = i;
    for (uint32_t i = 0; i < fabric.t1.size(); i++)
        t1_[{fabric.t1[i].plane, fabric.t1[i].usid}] = i;
}

std::optional<bool> DeniedWays::denies(uint8_t port, const mrcnl::Address &via) const
{
    const std::vector<uint16_t> usids = usids_of(via);
    bool all_known = true;
    bool denied = false;

    if (!std::equal(block_.bytes.begin(), block_.bytes.begin() + block_bytes, via.bytes.begin()) ||
        (usids.size() != 1 && usids.size() != 3))
        return std::nullopt;
    const auto t1 = usids.size() == 3 ? find(t1_, port, usids[1]) : std::nullopt;
    for (size_t i = 0; i < usids.size(); i += 2) {
        const auto t0 = find(t0_, port, usids[i]);
        all_known &= t0.has_value();
        denied |= t0 && (denied_.t0.contains(*t0) || (t1 && denied_.trunks.contains({*t0, *t1})));
    }
    denied |= t1 && denied_.t1.contains(*t1);
    all_known &= t1 || usids.size() == 1;
    return denied || all_known ? std::optional(denied) : std::nullopt;
}

} // namespace mrcd
