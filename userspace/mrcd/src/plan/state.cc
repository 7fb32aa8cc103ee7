// SPDX-License-Identifier: GPL-2.0-only
#include "plan/state.h"

#include <cerrno>

namespace mrcd
{

namespace
{

using mrcnl::Result;

/** Calls @p each for each object of a dump, or returns the dump's error. */
template <typename T, typename Each>
Result<void> for_each(const Result<std::vector<T>> &dump, Each each)
{
    if (!dump)
        return dump.error();
    for (const T &object : *dump)
        each(object);
    return {};
}

/**
 * The owner of an object. If the module knows no owners, mrcd manages all objects, as it always
 * did.
 */
uint8_t owner_of(const mrcnl::Owner &told)
{
    return told.value_or(MRC_NL_OWNER_MRCD);
}

mrcnl::EvProfileSpec spec_of(const mrcnl::EvProfile &profile)
{
    mrcnl::EvProfileSpec spec;

    spec.id = profile.id;
    spec.format = profile.format;
    spec.mode = profile.mode;
    spec.min_active = profile.min_active;
    spec.active = profile.active;
    spec.alias = profile.alias;
    if (profile.mode == mrcnl::EvMode::automatic)
        spec.count = profile.count;
    return spec;
}

Result<void> read_ev_profiles(mrcnl::Kernel &kernel, const std::string &device, State &state)
{
    const auto profiles = for_each(kernel.ev_profiles(device), [&](const auto &profile) {
        if (profile.id)
            state.ev_profiles[profile.id] = {spec_of(profile), owner_of(profile.owner)};
    });
    if (!profiles)
        return profiles.error();
    return for_each(kernel.evs(device, std::nullopt), [&](const mrcnl::Ev &ev) {
        const auto profile = state.ev_profiles.find(ev.ev_profile);
        if (profile == state.ev_profiles.end())
            return;
        auto &evs = profile->second.is.evs;
        if (evs.size() <= ev.index)
            evs.resize(ev.index + 1u);
        evs[ev.index] = ev.spec;
        state.ev_versions[ev.ev_profile] = ev.version;
    });
}

Result<void> read_others(mrcnl::Kernel &kernel, const std::string &device, State &state)
{
    auto done = for_each(kernel.planes(device), [&](const mrcnl::Plane &plane) {
        state.planes[plane.port] = {plane.ifindex, plane.ifname};
        state.plane_owners[plane.port] = owner_of(plane.owner);
    });
    if (done)
        done = for_each(kernel.cc_profiles(device), [&](const mrcnl::CcProfile &profile) {
            if (profile.id)
                state.cc_profiles[profile.id] = {profile, owner_of(profile.owner)};
        });
    if (done)
        done = for_each(kernel.routes(device), [&](const mrcnl::Route &route) {
            state.routes[route.prefix] = {{route.ev_profile, route.cc_profile, route.usid},
                                          owner_of(route.owner)};
        });
    if (done)
        done = for_each(kernel.peers(device, std::nullopt), [&](const mrcnl::Peer &peer) {
            state.used_ev_profiles.insert(peer.key.ev_profile);
        });
    return done;
}

} // namespace

Result<State> read_state(System &system, const Plan &plan)
{
    State state;
    auto addresses = system.addresses(plan.anchor);

    if (!addresses)
        return addresses.error();
    state.addresses = std::move(*addresses);
    return state;
}

Result<State> read_state(const Target &target, const Plan &plan)
{
    auto bare = read_state(target.system, plan);
    if (!bare)
        return bare.error();
    State &state = *bare;
    const auto known = target.kernel.device(plan.device);
    if (!known && known.error().code == ENODEV)
        return bare;
    if (!known)
        return known.error();
    state.device = true;
    state.anchor = {known->ifindex, known->ifname};
    state.tunnel_source = known->settings.tunnel_source.value_or(mrcnl::Address{});
    state.dscp_data = known->settings.dscp_data.value_or(0);
    auto done = read_others(target.kernel, plan.device, state);
    if (done)
        done = read_ev_profiles(target.kernel, plan.device, state);
    if (!done)
        return done.error();
    return bare;
}

} // namespace mrcd
