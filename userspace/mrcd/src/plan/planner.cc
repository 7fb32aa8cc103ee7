// SPDX-License-Identifier: GPL-2.0-only
#include "plan/planner.h"

#include <algorithm>
#include <numeric>

namespace mrcd
{

namespace
{

constexpr size_t sid_block_bytes = 4;
constexpr int json_bits = 53;

/** FNV-1a: the same on all hosts and in all versions, unlike std::hash. */
uint64_t hash(std::string_view text)
{
    uint64_t value = 0xcbf29ce484222325;

    for (const char c : text)
        value = (value ^ static_cast<uint8_t>(c)) * 0x100000001b3;
    return value;
}

/**
 * The last part of MurmurHash3: it moves the hashes of names that differ in their last letter only
 * far apart.
 */
uint64_t mix(uint64_t value)
{
    value = (value ^ value >> 33) * 0xff51afd7ed558ccd;
    value = (value ^ value >> 33) * 0xc4ceb9fe1a85ec53;
    return value ^ value >> 33;
}

class Planner
{
public:
    explicit Planner(const Fabric &fabric)
        : fabric_(fabric), host_(fabric.hosts[fabric.local.host]), topology_(fabric),
          ids_(profile_ids(fabric.racks))
    {
    }

    uint64_t profile_id(uint32_t rack) const { return ids_[rack]; }
    mrcnl::EvProfileSpec profile(uint32_t rack) const;
    std::vector<PlannedEv> evs(uint32_t rack) const;

private:
    std::vector<Path> drawn(uint8_t plane, uint32_t rack) const;
    uint64_t rank(const Path &path) const;
    mrcnl::Address via(const Path &path) const;
    uint16_t min_active(size_t evs) const;
    uint16_t active(size_t evs) const;

    const Fabric &fabric_;
    const Host &host_;
    Topology topology_;
    std::vector<uint64_t> ids_; ///< by rack
};

/** The rank of a path in rendezvous hashing: it depends only on the names on the path. */
uint64_t Planner::rank(const Path &path) const
{
    std::string names = host_.name + '\0' + fabric_.t0[path.to].name;

    if (path.t1)
        names += '\0' + fabric_.t1[*path.t1].name;
    return mix(hash(names));
}

/** The paths of a plane to a rack that get EVs. */
std::vector<Path> Planner::drawn(uint8_t plane, uint32_t rack) const
{
    const size_t most = std::max(fabric_.evs.per_destination / fabric_.planes, 1);
    std::vector<std::pair<uint64_t, size_t>> ranked;
    const std::vector<Path> all = topology_.paths(plane, rack);
    std::vector<Path> taken;

    for (size_t i = 0; i < all.size(); i++)
        ranked.emplace_back(rank(all[i]), i);
    std::sort(ranked.begin(), ranked.end());
    ranked.resize(std::min(ranked.size(), most));
    for (const auto &[value, i] : ranked)
        taken.push_back(all[i]);
    return taken;
}

/** The carrier of a path that ends at the last switch. The uSID of the route to a host leads on. */
mrcnl::Address Planner::via(const Path &path) const
{
    const uint16_t from = fabric_.t0[path.from].usid;

    if (!path.t1)
        return carrier(fabric_.block, {from});
    return carrier(fabric_.block, {from, fabric_.t1[*path.t1].usid, fabric_.t0[path.to].usid});
}

/**
 * How many EVs must stay active: fewer than all, so that a dead one can be left out, unless the
 * file asks for all.
 */
uint16_t Planner::min_active(size_t evs) const
{
    const Evs &wanted = fabric_.evs;

    if (!wanted.min_active)
        return static_cast<uint16_t>(evs / 4);
    if (*wanted.min_active == wanted.per_destination)
        return static_cast<uint16_t>(evs);
    return static_cast<uint16_t>(
        std::min(*wanted.min_active * evs / wanted.per_destination, evs - 1));
}

/** How many EVs are in rotation. Rounded up, so that a profile of few EVs uses at least one. */
uint16_t Planner::active(size_t evs) const
{
    const size_t whole = fabric_.evs.per_destination;

    return static_cast<uint16_t>((fabric_.evs.active * evs + whole - 1) / whole);
}

std::vector<PlannedEv> Planner::evs(uint32_t rack) const
{
    std::vector<PlannedEv> found;

    for (uint8_t plane = 1; plane <= fabric_.planes; plane++)
        for (const Path &path : drawn(plane, rack))
            found.push_back({profile_id(rack), static_cast<uint16_t>(found.size()), plane, path});
    return found;
}

mrcnl::EvProfileSpec Planner::profile(uint32_t rack) const
{
    mrcnl::EvProfileSpec spec;

    spec.id = profile_id(rack);
    for (const PlannedEv &ev : evs(rack))
        spec.evs.push_back({ev.port, mrcnl::EvVia{via(ev.path)}, ev.path.denied});
    spec.min_active = min_active(spec.evs.size());
    spec.active = active(spec.evs.size());
    return spec;
}

} // namespace

mrcnl::Address carrier(const mrcnl::Address &block, std::initializer_list<uint16_t> usids)
{
    mrcnl::Address address = block;
    size_t at = sid_block_bytes;

    for (const uint16_t usid : usids) {
        address.bytes[at++] = static_cast<uint8_t>(usid >> 8);
        address.bytes[at++] = static_cast<uint8_t>(usid & 0xff);
    }
    return address;
}

uint64_t hash_of_name(std::string_view name)
{
    return hash(name) >> (64 - json_bits);
}

std::vector<uint64_t> profile_ids(const std::vector<std::string> &racks,
                                  uint64_t (*hash)(std::string_view))
{
    std::vector<size_t> order(racks.size());
    std::vector<uint64_t> ids(racks.size());
    std::set<uint64_t> taken{0};

    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return racks[a] < racks[b]; });
    for (const size_t rack : order) {
        ids[rack] = hash(racks[rack]);
        while (!taken.insert(ids[rack]).second)
            ids[rack]++;
    }
    return ids;
}

/**
 * The planned profile. Values that the file does not set are the kernel's defaults, so that the
 * plan can be compared with the kernel.
 */
mrcnl::CcProfile cc_profile(const Cc &cc)
{
    mrcnl::CcProfile profile{{}, cc_profile_id, cc.algorithm, cc.window};

    if (cc.algorithm == "none")
        return profile;
    profile.settings = mrcnl::default_settings<mrcnl::CcSettings>();
    mrcnl::for_each_setting<mrcnl::CcSettings>([&](const mrcnl::Setting &, auto member) {
        if (cc.settings.*member)
            profile.settings.*member = cc.settings.*member;
    });
    return profile;
}

Plan make_plan(const Fabric &fabric)
{
    const Planner planner(fabric);
    const Host &self = fabric.hosts[fabric.local.host];
    Plan plan;

    plan.device = fabric.local.device;
    plan.anchor = fabric.local.anchor;
    plan.gid = self.gid;
    if (fabric.gids)
        plan.gid_length = fabric.gids->length;
    plan.sid = carrier(fabric.block, {self.usid});
    plan.planes = fabric.local.planes;
    plan.denied = DeniedWays(fabric);
    plan.cc_profiles[cc_profile_id] = cc_profile(fabric.cc);
    for (const Host &host : fabric.hosts) {
        const uint64_t id = planner.profile_id(host.rack);
        if (&host == &self)
            continue;
        if (!plan.ev_profiles.contains(id))
            plan.ev_profiles[id] = planner.profile(host.rack);
        plan.routes[{host.gid, 128}] = {id, cc_profile_id, host.usid};
        plan.others.insert({host.gid, carrier(fabric.block, {host.usid})});
    }
    return plan;
}

std::vector<PlannedEv> planned_evs(const Fabric &fabric)
{
    const Planner planner(fabric);
    std::map<uint64_t, uint32_t> racks; ///< racks with other hosts, by their profiles
    std::vector<PlannedEv> found;

    for (uint32_t host = 0; host < fabric.hosts.size(); host++)
        if (host != fabric.local.host)
            racks[planner.profile_id(fabric.hosts[host].rack)] = fabric.hosts[host].rack;
    for (const auto &[id, rack] : racks) {
        const auto evs = planner.evs(rack);
        found.insert(found.end(), evs.begin(), evs.end());
    }
    return found;
}

} // namespace mrcd
