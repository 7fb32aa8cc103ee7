// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * A kernel that keeps objects by the module's rules, refuses what it refuses, and fails when
 * the test says so.
 */
#pragma once

#include <algorithm>
#include <cerrno>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <sys/eventfd.h>
#include <unistd.h>

#include "system.h"

namespace mrcd::test
{

using namespace mrcnl;

/** Events that never come. */
class NoEvents : public EventStream
{
public:
    NoEvents() : fd_(eventfd(0, EFD_CLOEXEC)) {}
    ~NoEvents() override { close(fd_); }
    NoEvents(const NoEvents &) = delete;
    NoEvents &operator=(const NoEvents &) = delete;

    int fd() const override { return fd_; }
    Result<void> receive(const std::function<void(const Event &)> &) override { return {}; }

private:
    int fd_;
};

/** One device, "mrc0". */
class ModelKernel : public Kernel
{
public:
    struct StoredProfile {
        EvProfileSpec spec;
        int version = 0; ///< grows when its EVs are made anew, which forgets what is known of them
    };

    std::map<uint8_t, uint32_t> plane_ifindex;
    std::map<uint64_t, StoredProfile> profiles;
    std::map<uint64_t, CcProfile> cc;
    std::map<Prefix, Route> route_map;
    DeviceSettings settings;
    std::function<bool()> fails = [] { return false; }; ///< asked before each change
    std::set<uint64_t> peer_profiles;                   ///< that peers in use have
    std::vector<Peer> more_peers;
    std::vector<PeerEv> peer_ev_list;
    std::vector<Qp> qp_list;
    std::vector<Counter> counters;
    PlaneStats stats; ///< of each plane
    int peer_dumps = 0;
    bool peers_change = false; ///< all the time, so that they cannot be listed
    bool loaded = true;
    bool exists = false;
    uint32_t anchor = 9;
    int changes = 0;
    std::map<uint32_t, std::string> netdevs{{1, "eth1"}, {2, "eth2"}, {3, "eth3"},
                                            {4, "eth4"}, {8, "mrc8"}, {9, "mrc"}};

    Result<Info> info() override { return Info{"0.1.0", "none", true, 32, 256, 16}; }
    Result<std::vector<mrcnl::Device>> devices() override
    {
        return std::vector<mrcnl::Device>{one_device()};
    }
    Result<mrcnl::Device> device(const std::string &) override
    {
        if (!loaded)
            return Error{ENOENT, "", ""};
        if (!exists)
            return Error{ENODEV, "no such device", ""};
        return one_device();
    }
    Result<void> set_device(const std::string &, const DeviceSettings &change) override
    {
        return change_if(true, 0, [&] { settings.tunnel_source = change.tunnel_source; });
    }

    Result<std::vector<Plane>> planes(const OptionalName &) override
    {
        std::vector<Plane> found;

        for (const auto &[port, ifindex] : plane_ifindex)
            found.push_back({ref(), port, ifindex, netdevs[ifindex], true, true, stats});
        return found;
    }
    Result<Plane> add_plane(const std::string &, std::optional<uint8_t> port,
                            uint32_t ifindex) override
    {
        const bool taken = plane_ifindex.contains(*port) ||
                           std::any_of(plane_ifindex.begin(), plane_ifindex.end(),
                                       [&](const auto &plane) { return plane.second == ifindex; });
        const auto done = change_if(!taken, EEXIST, [&] { plane_ifindex[*port] = ifindex; });
        if (!done)
            return done.error();
        return Plane{ref(), *port, ifindex, netdevs[ifindex], true, true, {}};
    }
    Result<void> set_plane(const std::string &, uint8_t, bool) override { return {}; }
    Result<void> delete_plane(const std::string &, uint8_t port) override
    {
        return change_if(plane_ifindex.contains(port), ENOENT, [&] { plane_ifindex.erase(port); });
    }

    Result<std::vector<EvProfile>> ev_profiles(const OptionalName &) override
    {
        std::vector<EvProfile> found{
            {ref(), 0, EvFormat::stev, EvMode::automatic, 0, 128, 1, 0, 0}};

        for (const auto &[id, stored] : profiles)
            found.push_back({ref(), id, stored.spec.format, stored.spec.mode,
                             stored.spec.min_active.value_or(0),
                             static_cast<uint16_t>(stored.spec.evs.size()), 1, 0,
                             stored.spec.active.value_or(0)});
        return found;
    }
    Result<EvProfile> ev_profile(const std::string &, uint64_t) override
    {
        return Error{ENOENT, "", ""};
    }
    Result<void> put_ev_profile(const std::string &, const EvProfileSpec &spec,
                                bool replace) override
    {
        if (spec.evs.empty() || spec.evs.size() > 256 ||
            spec.min_active.value_or(0) > spec.evs.size() ||
            spec.active.value_or(0) > spec.evs.size())
            return Error{EINVAL, "", ""};
        return change_if(profiles.contains(spec.id) == replace, replace ? ENOENT : EEXIST, [&] {
            auto &[stored, version] = profiles[spec.id];
            stored = spec;
            std::stable_sort(stored.evs.begin(), stored.evs.end(),
                             [](const EvSpec &a, const EvSpec &b) { return a.port < b.port; });
            version++;
        });
    }
    Result<void> delete_ev_profile(const std::string &, uint64_t id) override
    {
        if (!profiles.contains(id))
            return Error{ENOENT, "no such EV profile", ""};
        return change_if(!named(&Route::ev_profile, id), EBUSY, [&] { profiles.erase(id); });
    }

    Result<std::vector<Ev>> evs(const OptionalName &, std::optional<uint64_t>) override
    {
        std::vector<Ev> found;

        for (const auto &[id, stored] : profiles)
            for (size_t i = 0; i < stored.spec.evs.size(); i++)
                found.push_back({ref(), id, static_cast<uint16_t>(i), stored.spec.evs[i]});
        return found;
    }
    Result<void> deny_ev(const std::string &, uint64_t profile, uint16_t index, bool deny) override
    {
        return change_if(profiles.contains(profile) && index < profiles[profile].spec.evs.size(),
                         ENOENT, [&] { profiles[profile].spec.evs[index].denied = deny; });
    }

    Result<std::vector<CcProfile>> cc_profiles(const OptionalName &) override
    {
        std::vector<CcProfile> found{{ref(), 0, "none", 1 << 20}};

        for (const auto &[id, profile] : cc)
            found.push_back(profile);
        return found;
    }
    Result<CcProfile> cc_profile(const std::string &, uint64_t) override
    {
        return Error{ENOENT, "", ""};
    }
    Result<void> put_cc_profile(const std::string &, const CcProfile &profile,
                                bool replace) override
    {
        return change_if(cc.contains(profile.id) == replace, replace ? ENOENT : EEXIST,
                         [&] { cc[profile.id] = profile; });
    }
    Result<void> delete_cc_profile(const std::string &, uint64_t id) override
    {
        return change_if(cc.contains(id) && !named(&Route::cc_profile, id), EBUSY,
                         [&] { cc.erase(id); });
    }

    Result<std::vector<Route>> routes(const OptionalName &) override
    {
        std::vector<Route> found;

        for (const auto &[prefix, route] : route_map)
            found.push_back(route);
        return found;
    }
    Result<RouteMatch> match_route(const std::string &, const Address &) override
    {
        return Error{ENOENT, "", ""};
    }
    Result<void> put_route(const std::string &, const Route &route, bool replace) override
    {
        if (!profiles.contains(route.ev_profile) ||
            (route.cc_profile && !cc.contains(route.cc_profile)))
            return Error{ENOENT, "no such profile", ""};
        const auto &evs = profiles[route.ev_profile].spec.evs;
        if (!route.usid && std::any_of(evs.begin(), evs.end(), [](const EvSpec &ev) {
                return std::holds_alternative<EvVia>(ev.path);
            }))
            return Error{EINVAL, "usid is missing", ""};
        return change_if(replace || !route_map.contains(route.prefix), EEXIST,
                         [&] { route_map[route.prefix] = route; });
    }
    Result<void> delete_route(const std::string &, const Prefix &prefix) override
    {
        return change_if(route_map.contains(prefix), ENOENT, [&] { route_map.erase(prefix); });
    }

    Result<std::vector<Peer>> peers(const OptionalName &, std::optional<Address>) override
    {
        std::vector<Peer> found = more_peers;

        peer_dumps++;
        if (peers_change)
            return Error{EAGAIN, "what is to be listed changes all the time", ""};
        for (const uint64_t id : peer_profiles) {
            found.emplace_back();
            found.back().key.ev_profile = id;
        }
        return found;
    }
    Result<std::vector<PeerEv>> peer_evs(const OptionalName &,
                                         std::optional<Address> remote_gid) override
    {
        std::vector<PeerEv> found;

        std::copy_if(
            peer_ev_list.begin(), peer_ev_list.end(), std::back_inserter(found),
            [&](const PeerEv &ev) { return !remote_gid || ev.key.remote_gid == *remote_gid; });
        return found;
    }
    Result<Probe> probe(const std::string &, const ProbeRequest &) override
    {
        return Error{ENOENT, "", ""};
    }
    Result<std::vector<Qp>> qps(const OptionalName &) override { return qp_list; }
    Result<Qp> qp(const std::string &, uint32_t) override { return Error{ENOENT, "", ""}; }
    Result<std::unique_ptr<EventStream>> events() override
    {
        return std::unique_ptr<EventStream>(std::make_unique<NoEvents>());
    }

private:
    static DeviceRef ref() { return {1, "mrc0"}; }

    mrcnl::Device one_device() const
    {
        mrcnl::Device device;

        device.device = ref();
        device.ifindex = anchor;
        device.ifname = netdevs.at(anchor);
        device.settings = settings;
        device.counters = counters;
        return device;
    }

    bool named(uint64_t Route::*profile, uint64_t id) const
    {
        for (const auto &[prefix, route] : route_map)
            if (route.*profile == id)
                return true;
        return false;
    }

    Result<void> change_if(bool allowed, int otherwise, const std::function<void()> &change)
    {
        if (!loaded)
            return Error{ENOENT, "", ""};
        if (!exists)
            return Error{ENODEV, "no such device", ""};
        if (!allowed)
            return Error{otherwise, "refused by the model", ""};
        if (fails())
            return Error{ENOMEM, "", ""};
        change();
        changes++;
        return {};
    }
};

/** The netdevs of the model, and its device. */
class ModelSystem : public System
{
public:
    explicit ModelSystem(ModelKernel &kernel) : kernel_(kernel) {}

    std::map<std::string, uint32_t> netdevs{{"mrc", 9},  {"mrc8", 8}, {"eth1", 1},
                                            {"eth2", 2}, {"eth3", 3}, {"eth4", 4}};
    std::map<Address, uint8_t> held; ///< by the anchor
    bool anchor_is_plane = false;    ///< it is no dummy

    uint32_t netdev(const std::string &name) override
    {
        return netdevs.contains(name) ? netdevs.at(name) : 0;
    }
    Result<std::map<Address, uint8_t>> addresses(const std::string &) override { return held; }
    Result<void> add_address(const std::string &, const Prefix &address) override
    {
        return change_if(!held.contains(address.address), EEXIST,
                         [&] { held[address.address] = address.length; });
    }
    Result<void> delete_address(const std::string &, const Prefix &address) override
    {
        return change_if(held.contains(address.address), EADDRNOTAVAIL,
                         [&] { held.erase(address.address); });
    }
    Result<void> add_device(const std::string &, const std::string &anchor) override
    {
        return change_if(kernel_.loaded && !kernel_.exists, EEXIST, [&] {
            kernel_.exists = true;
            kernel_.anchor = netdevs.at(anchor);
            if (anchor_is_plane)
                kernel_.plane_ifindex[1] = kernel_.anchor;
        });
    }
    int fd() const override { return -1; }
    void drain() override {}

private:
    Result<void> change_if(bool allowed, int otherwise, const std::function<void()> &change)
    {
        if (!allowed)
            return Error{otherwise, "refused by the model", ""};
        if (kernel_.fails())
            return Error{ENOMEM, "", ""};
        change();
        kernel_.changes++;
        return {};
    }

    ModelKernel &kernel_;
};

/** Both. */
struct Model {
    ModelKernel kernel;
    ModelSystem system{kernel};
    Target target{kernel, system};
};

} // namespace mrcd::test
