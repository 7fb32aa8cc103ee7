// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * A kernel that keeps objects by the module's rules, refuses what the module refuses, and fails
 * when the test wants it to. contract_test.cc shows that it answers as the module does.
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

#include <linux/mrc.h>

#include "host/system.h"
#include "refusals.h"

namespace mrcd::test
{

using namespace mrcnl;

/** A stream without events. */
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
        int version = 0; ///< grows when its EVs are made anew, which resets their state
        Owner owner;
    };

    struct Netdev {
        std::string name;
        uint32_t mtu = 9000;
        bool ethernet = true;
    };

    std::map<uint8_t, uint32_t> plane_ifindex;
    std::map<uint8_t, Owner> plane_owner;
    std::set<uint8_t> planes_down; ///< by the administrator
    std::map<uint64_t, StoredProfile> profiles;
    int next_version = 0; ///< version of the next new profile
    std::map<uint64_t, CcProfile> cc;
    std::map<Prefix, Route> route_map;
    DeviceSettings settings = default_settings();
    Owner acting = MRC_NL_OWNER_MRCD;                   ///< owner of the next changes
    bool claims = true;                                 ///< and objects of others are not changed
    std::set<uint16_t> taken_ports;                     ///< UDP ports that other programs use
    std::function<bool()> fails = [] { return false; }; ///< asked before each change
    std::set<uint64_t> peer_profiles;                   ///< EV profiles of peers in use
    std::vector<Peer> more_peers;
    std::vector<PeerEv> peer_ev_list;
    std::vector<Qp> qp_list;
    std::vector<Counter> counters;
    PlaneStats stats; ///< counters of each plane
    int peer_dumps = 0;
    bool peers_change = false; ///< they change all the time, and cannot be listed
    bool loaded = true;
    bool exists = false;
    uint32_t anchor = 9;
    int changes = 0;
    std::map<uint32_t, Netdev> netdevs{
        {1, {"eth1"}}, {2, {"eth2"}}, {3, {"eth3"}},        {4, {"eth4"}},
        {8, {"mrc8"}}, {9, {"mrc"}},  {10, {"tiny", 1000}}, {11, {"lo", 65536, false}}};

    /** The index of a netdev; 0: there is none. */
    uint32_t ifindex(const std::string &name) const
    {
        for (const auto &[index, netdev] : netdevs)
            if (netdev.name == name)
                return index;
        return 0;
    }

    Result<Info> info() override
    {
        return Info{"0.1.0",
                    "none",
                    true,
                    32,
                    256,
                    16,
                    MRC_NL_CAPABILITY_OWNER | MRC_NL_CAPABILITY_CONFIG_EVENTS |
                        MRC_NL_CAPABILITY_KEEP_EVS | MRC_NL_CAPABILITY_EDIT_EVS |
                        MRC_NL_CAPABILITY_ALIAS | MRC_NL_CAPABILITY_PORT_EVS |
                        MRC_NL_CAPABILITY_PROBE_START | MRC_NL_CAPABILITY_RAW_PROBE |
                        MRC_NL_CAPABILITY_NSCC | MRC_NL_CAPABILITY_RAW_STATUS};
    }
    void act_as(Owner owner, bool claim) override
    {
        acting = owner;
        claims = claim;
    }
    Result<std::vector<mrcnl::Device>> devices() override
    {
        return std::vector<mrcnl::Device>{one_device()};
    }
    Result<mrcnl::Device> device(const DeviceId &id) override
    {
        return get<mrcnl::Device>(id, {}, [&] { return one_device(); });
    }
    Result<void> set_device(const DeviceId &id, const DeviceSettings &change) override
    {
        return this->change(
            id, refusals::ranges(change),
            [&] {
                return refusals::first(
                    {refusals::check(change), trims_differ(change), port_free(change)});
            },
            [&] { take(change); });
    }

    Result<std::vector<Plane>> planes(const OptionalDevice &device) override
    {
        return list<Plane>(device, [&](auto &found) {
            for (const auto &[port, ifindex] : plane_ifindex)
                found.push_back(plane(port));
        });
    }
    Result<Plane> add_plane(const DeviceId &device, std::optional<uint8_t> port,
                            uint32_t ifindex) override
    {
        const uint8_t taken = port.value_or(lowest_port());
        const auto done = change(
            device,
            refusals::first({refusals::range(taken, 1, 32, "port"),
                             refusals::range(ifindex, 1, UINT32_MAX, "ifindex")}),
            [&] {
                return refusals::first({netdev_fits(ifindex), port_fits(port)});
            },
            [&] {
                plane_ifindex[taken] = ifindex;
                plane_owner[taken] = owner_of(MRC_NL_OWNER_NONE);
            });
        if (!done)
            return done.error();
        return plane(taken);
    }
    Result<void> set_plane(const DeviceId &device, uint8_t port, std::optional<bool> up) override
    {
        return change(
            device, refusals::range(port, 1, 32, "port"), [&] { return claim_plane(port); },
            [&] {
                plane_owner[port] = owner_of(plane_owner[port].value_or(MRC_NL_OWNER_NONE));
                if (up == true)
                    planes_down.erase(port);
                if (up == false)
                    planes_down.insert(port);
            });
    }
    Result<void> delete_plane(const DeviceId &device, uint8_t port) override
    {
        return change(
            device, refusals::range(port, 1, 32, "port"), [&] { return claim_plane(port, true); },
            [&] {
                plane_ifindex.erase(port);
                plane_owner.erase(port);
                planes_down.erase(port);
            });
    }

    Result<std::vector<EvProfile>> ev_profiles(const OptionalDevice &device) override
    {
        return list<EvProfile>(device, [&](auto &found) {
            found.push_back(profile(0));
            for (const auto &[id, stored] : profiles)
                found.push_back(profile(id));
        });
    }
    Result<EvProfile> ev_profile(const DeviceId &device, uint64_t id) override
    {
        return get<EvProfile>(device, has_profile(id, "id"), [&] { return profile(id); });
    }
    Result<void> put_ev_profile(const DeviceId &device, const EvProfileSpec &spec,
                                bool replace) override
    {
        return change(
            device, refusals::ranges(spec),
            [&] {
                return refusals::first({refusals::check(spec),
                                        may_put("EV profile", profiles.contains(spec.id), replace),
                                        claim(owner(profiles, spec.id))});
            },
            [&] { store(spec, replace); });
    }
    Result<void> delete_ev_profile(const DeviceId &device, uint64_t id) override
    {
        return change(
            device, {},
            [&] {
                return refusals::first(
                    {refuse_if(!id, EPERM,
                               "EV profile 0 is the automatic one and cannot be deleted", "id"),
                     has_profile(id, "id"),
                     refuse_if(named(&Route::ev_profile, id), EBUSY, "a route uses this EV profile",
                               "id"),
                     refuse_if(peer_profiles.contains(id), EBUSY, "QPs use this EV profile", "id"),
                     claim(owner(profiles, id), true)});
            },
            [&] {
                next_version = std::max(next_version, profiles[id].version + 1);
                profiles.erase(id);
            });
    }

    Result<std::vector<Ev>> evs(const OptionalDevice &device, std::optional<uint64_t> id) override
    {
        // Without a named device, some device may have the profile.
        if (id && device && usable(*device) && !has_profile(*id, ""))
            return has_profile(*id, "").error();
        return list<Ev>(device, [&](auto &found) {
            for (const auto &[profile, stored] : profiles)
                for (size_t i = 0; (!id || profile == *id) && i < stored.spec.evs.size(); i++)
                    found.push_back({ref(), profile, static_cast<uint16_t>(i), stored.spec.evs[i],
                                     static_cast<uint32_t>(stored.version)});
        });
    }
    Result<void> deny_ev(const DeviceId &device, const EvPlace &place, bool deny) override
    {
        return change(
            device, refusals::range(place.index, 0, 255, "index"),
            [&] {
                return refusals::first({may_edit(place.ev_profile, place.version), has_ev(place)});
            },
            [&] { profiles[place.ev_profile].spec.evs[place.index].denied = deny; });
    }
    Result<void> add_ev(const DeviceId &device, uint64_t profile, const EvSpec &ev,
                        std::optional<uint32_t> version) override
    {
        return change(
            device, refusals::ranges(ev),
            [&] {
                return refusals::first(
                    {check_ev(profile, ev), may_edit(profile, version), count_fits(profile, 1)});
            },
            [&] {
                EvProfileSpec spec = profiles[profile].spec;

                spec.evs.push_back(ev);
                edit(spec);
            });
    }
    Result<void> replace_ev(const DeviceId &device, const EvPlace &place, const EvSpec &ev) override
    {
        return change(
            device,
            refusals::first({refusals::range(place.index, 0, 255, "index"), refusals::ranges(ev)}),
            [&] {
                return refusals::first({check_ev(place.ev_profile, ev),
                                        may_edit(place.ev_profile, place.version), has_ev(place)});
            },
            [&] {
                EvProfileSpec spec = profiles[place.ev_profile].spec;

                if (spec.evs[place.index].port == ev.port) {
                    spec.evs[place.index] = ev;
                } else {
                    spec.evs.erase(spec.evs.begin() + place.index);
                    spec.evs.push_back(ev);
                }
                edit(spec);
            });
    }
    Result<void> delete_ev(const DeviceId &device, const EvPlace &place) override
    {
        return change(
            device, refusals::range(place.index, 0, 255, "index"),
            [&] {
                return refusals::first({may_edit(place.ev_profile, place.version), has_ev(place),
                                        count_fits(place.ev_profile, -1)});
            },
            [&] {
                EvProfileSpec spec = profiles[place.ev_profile].spec;

                spec.evs.erase(spec.evs.begin() + place.index);
                edit(spec);
            });
    }

    Result<std::vector<CcProfile>> cc_profiles(const OptionalDevice &device) override
    {
        return list<CcProfile>(device, [&](auto &found) {
            found.push_back(cc_default());
            for (const auto &[id, profile] : cc)
                found.push_back(profile);
        });
    }
    Result<CcProfile> cc_profile(const DeviceId &device, uint64_t id) override
    {
        return get<CcProfile>(device, has_cc(id, "id"),
                              [&] { return id ? cc.at(id) : cc_default(); });
    }
    Result<void> put_cc_profile(const DeviceId &device, const CcProfile &profile,
                                bool replace) override
    {
        return change(
            device, refusals::ranges(profile),
            [&] {
                return refusals::first({refusals::check(profile),
                                        may_put("CC profile", cc.contains(profile.id), replace),
                                        claim(owner(cc, profile.id))});
            },
            [&] {
                const uint8_t now = owner(cc, profile.id);

                cc[profile.id] = profile;
                cc[profile.id].owner = owner_of(now);
                if (profile.algorithm == "nscc")
                    cc[profile.id].settings = overlaid(profile.settings);
            });
    }
    Result<void> delete_cc_profile(const DeviceId &device, uint64_t id) override
    {
        return change(
            device, {},
            [&] {
                return refusals::first(
                    {refuse_if(!id, EPERM, "CC profile 0 is built in and cannot be deleted", "id"),
                     has_cc(id, "id"),
                     refuse_if(named(&Route::cc_profile, id), EBUSY, "a route uses this CC profile",
                               "id"),
                     claim(owner(cc, id), true)});
            },
            [&] { cc.erase(id); });
    }

    /** Routes, longest prefix first. */
    Result<std::vector<Route>> routes(const OptionalDevice &device) override
    {
        return list<Route>(device, [&](auto &found) {
            for (const auto &[prefix, route] : route_map)
                found.push_back(route);
            std::stable_sort(found.begin(), found.end(), [](const Route &a, const Route &b) {
                return a.prefix.length > b.prefix.length;
            });
        });
    }
    Result<RouteMatch> match_route(const DeviceId &device, const Address &gid) override
    {
        return get<RouteMatch>(device, {}, [&] {
            RouteMatch match{ref(), gid, {}, 0, 0, 0, {}};
            const auto listed = routes(device);

            for (const Route &route : *listed)
                if (!match.prefix && covers(route.prefix, gid))
                    match = {
                        ref(),      gid,        route.prefix, route.ev_profile, route.cc_profile,
                        route.usid, route.owner};
            return match;
        });
    }
    Result<void> put_route(const DeviceId &device, const Route &route, bool replace) override
    {
        return change(
            device, refusals::range(route.prefix.length, 0, 128, "prefix-len"),
            [&] {
                return refusals::first(
                    {refusals::check(route.prefix), has_cc(route.cc_profile, "cc-profile"),
                     has_profile(route.ev_profile, "ev-profile"), has_usid(route),
                     refuse_if(!replace && route_map.contains(route.prefix), EEXIST,
                               "a route of this prefix exists", "prefix"),
                     claim(owner(route_map, route.prefix))});
            },
            [&] {
                const uint8_t now = owner(route_map, route.prefix);

                route_map[route.prefix] = route;
                route_map[route.prefix].owner = owner_of(now);
            });
    }
    Result<void> delete_route(const DeviceId &device, const Prefix &prefix) override
    {
        return change(
            device, refusals::range(prefix.length, 0, 128, "prefix-len"),
            [&] {
                return refusals::first({refuse_if(!route_map.contains(prefix), ENOENT,
                                                  "no route of this prefix", "prefix"),
                                        claim(owner(route_map, prefix), true)});
            },
            [&] { route_map.erase(prefix); });
    }

    Result<std::vector<Peer>> peers(const OptionalDevice &device, std::optional<Address>) override
    {
        peer_dumps++;
        if (peers_change)
            return Error{EAGAIN, "the objects change too fast to be listed", ""};
        return list<Peer>(device, [&](auto &found) {
            found = more_peers;
            for (const uint64_t id : peer_profiles) {
                found.emplace_back();
                found.back().key.ev_profile = id;
            }
        });
    }
    Result<std::vector<PeerEv>> peer_evs(const OptionalDevice &device,
                                         std::optional<Address> remote_gid) override
    {
        return list<PeerEv>(device, [&](auto &found) {
            std::copy_if(
                peer_ev_list.begin(), peer_ev_list.end(), std::back_inserter(found),
                [&](const PeerEv &ev) { return !remote_gid || ev.key.remote_gid == *remote_gid; });
        });
    }
    /** Fails: this host sends nothing. */
    Result<Probe> probe(const DeviceId &device, const ProbeRequest &request) override
    {
        return get<Probe>(device,
                          refusals::first({refusals::ranges(request), refusals::check(request),
                                           refuse_if(true, EADDRNOTAVAIL,
                                                     "not an address of the device", "local-gid")}),
                          [] { return Probe{}; });
    }
    Result<Probe> probe_raw(const DeviceId &device, const RawProbeRequest &request) override
    {
        return get<Probe>(
            device,
            refusals::first({refusals::ranges(request), refusals::check(request),
                             refuse_if(true, ENOENT, "no plane has this port", "raw-ev")}),
            [] { return Probe{}; });
    }
    Result<void> probe_raw_each(const DeviceId &device,
                                const std::vector<RawProbeRequest> &requests,
                                const EachProbe &each) override
    {
        for (size_t i = 0; i < requests.size(); i++)
            each(i, probe_raw(device, requests[i]));
        return {};
    }
    Result<std::vector<Qp>> qps(const OptionalDevice &device) override
    {
        return list<Qp>(device, [&](auto &found) { found = qp_list; });
    }
    Result<Qp> qp(const DeviceId &device, uint32_t qpn) override
    {
        return get<Qp>(
            device,
            refusals::first({qpn >> 24 ? Error{EINVAL, "reserved bit set", "qpn"} : Result<void>(),
                             refuse_if(true, ENOENT, "no such QP", "qpn")}),
            [] { return Qp{}; });
    }
    Result<std::unique_ptr<EventStream>> events(bool) override
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
        device.ifname = netdevs.at(anchor).name;
        device.settings = settings;
        device.counters = counters;
        for (const auto &[port, ifindex] : plane_ifindex)
            device.ports_up |= planes_down.contains(port) ? 0 : 1u << (port - 1);
        return device;
    }

    /** @name Parts of answers */
    /** @{ */
    Plane plane(uint8_t port)
    {
        const uint32_t ifindex = plane_ifindex.at(port);

        return {ref(), port,  ifindex,          netdevs[ifindex].name, !planes_down.contains(port),
                true,  stats, plane_owner[port]};
    }

    EvProfile profile(uint64_t id) const
    {
        if (!id)
            return {ref(), 0, EvFormat::stev,     EvMode::automatic, 32, 128, 0,
                    0,     0, MRC_NL_OWNER_KERNEL};
        const auto &[spec, version, by] = profiles.at(id);
        const auto denied = std::count_if(spec.evs.begin(), spec.evs.end(),
                                          [](const EvSpec &ev) { return ev.denied; });
        const uint16_t count = refusals::count(spec);

        return {ref(),
                id,
                spec.format,
                spec.mode,
                min_active_of(spec),
                count,
                static_cast<uint32_t>(version),
                static_cast<uint16_t>(denied),
                spec.active.value_or(0),
                by,
                spec.alias};
    }

    /** The given settings, over the defaults of the kernel. */
    static CcSettings overlaid(const CcSettings &set)
    {
        auto all = default_settings<CcSettings>();

        for_each_setting<CcSettings>([&](const Setting &, auto member) {
            if (set.*member)
                all.*member = set.*member;
        });
        return all;
    }

    static CcProfile cc_default()
    {
        CcProfile profile{ref(), 0, "nscc", {}, MRC_NL_OWNER_KERNEL};
        profile.settings = default_settings<CcSettings>();
        return profile;
    }

    static bool covers(const Prefix &prefix, const Address &gid)
    {
        for (size_t bit = 0; bit < prefix.length; bit++)
            if ((prefix.address.bytes[bit / 8] ^ gid.bytes[bit / 8]) & (0x80 >> bit % 8))
                return false;
        return true;
    }
    /** @} */

    /** @name Checks that depend on existing objects */
    /** @{ */
    static Result<void> refuse_if(bool refused, int code, const std::string &text,
                                  const std::string &attribute)
    {
        return refused ? Error{code, "mrc: " + text, attribute} : Result<void>();
    }

    Result<void> usable(const DeviceId &device) const
    {
        if (!loaded)
            return Error{ENOENT, "", ""};
        return refuse_if(!exists || !device.is(ref()), ENODEV, "no such device", "dev-name");
    }

    /** Trimmed packets must have another DSCP than untrimmed ones. */
    Result<void> trims_differ(const DeviceSettings &change) const
    {
        const DeviceSettings now = one_device().settings;
        const uint8_t trimmed = *(change.dscp_trimmed ? change : now).dscp_trimmed;
        const uint8_t last = *(change.dscp_trimmed_lasthop ? change : now).dscp_trimmed_lasthop;
        const std::string others = "with trim, no other packets may have ";

        if (!*(change.trim ? change : now).trim)
            return {};
        if (trimmed == last)
            return refuse_if(true, EINVAL,
                             "with trim, dscp-trimmed and dscp-trimmed-lasthop must differ",
                             "dscp-trimmed-lasthop");
        for (const auto member : {&DeviceSettings::dscp_data, &DeviceSettings::dscp_rtx,
                                  &DeviceSettings::dscp_control}) {
            const uint8_t dscp = *((change.*member ? change : now).*member);
            if (dscp == trimmed)
                return refuse_if(true, EINVAL, others + "dscp-trimmed", "dscp-trimmed");
            if (dscp == last)
                return refuse_if(true, EINVAL, others + "dscp-trimmed-lasthop",
                                 "dscp-trimmed-lasthop");
        }
        return {};
    }

    Result<void> port_free(const DeviceSettings &change) const
    {
        return refuse_if(change.udp_port && taken_ports.contains(*change.udp_port), EADDRINUSE,
                         "the UDP port is taken", "udp-port");
    }

    Result<void> netdev_fits(uint32_t ifindex) const
    {
        const auto netdev = netdevs.find(ifindex);

        if (netdev == netdevs.end())
            return Error{ENODEV, "mrc: no such netdev", "ifindex"};
        if (!netdev->second.ethernet)
            return Error{EINVAL, "A plane needs an Ethernet netdev", "ifindex"};
        if (netdev->second.mtu < 1280)
            return Error{EINVAL, "MTU of the netdev is below 1280", "ifindex"};
        for (const auto &[port, taken] : plane_ifindex)
            if (taken == ifindex)
                return Error{EEXIST, "The netdev is already a plane of this device", "ifindex"};
        return {};
    }

    Result<void> port_fits(std::optional<uint8_t> port) const
    {
        if (port && plane_ifindex.contains(*port))
            return Error{EEXIST, "Port is in use", "port"};
        return {};
    }

    uint8_t lowest_port() const
    {
        uint8_t port = 1;

        while (plane_ifindex.contains(port))
            port++;
        return port;
    }

    Result<void> has_plane(uint8_t port) const
    {
        if (!plane_ifindex.contains(port))
            return Error{ENOENT, "No plane on this port", "port"};
        return {};
    }

    /** @{ Owner of an object in a map; nobody if the map does not have it. */
    template <typename T, typename Key>
    static uint8_t owner(const std::map<Key, T> &map, const Key &key)
    {
        const auto found = map.find(key);

        return (found == map.end() ? Owner() : found->second.owner).value_or(MRC_NL_OWNER_NONE);
    }
    uint8_t owner_of(uint8_t now) const { return acting.value_or(now); }
    /** @} */

    /** @param always refuse even without a claim, as for changes that make nothing the owner's */
    Result<void> claim(uint8_t now, bool always = false) const
    {
        return refuse_if(acting && (claims || always) && now != *acting &&
                             now != MRC_NL_OWNER_NONE && now != MRC_NL_OWNER_KERNEL,
                         ESTALE, "the object belongs to another owner", "owner");
    }

    Result<void> claim_plane(uint8_t port, bool always = false)
    {
        return refusals::first(
            {has_plane(port), claim(plane_owner[port].value_or(MRC_NL_OWNER_NONE), always)});
    }

    Result<void> has_profile(uint64_t id, const std::string &attribute) const
    {
        return refuse_if(id && !profiles.contains(id), ENOENT, "no such EV profile", attribute);
    }

    /** @{ Checks of a change of one EV. */
    size_t listed(uint64_t profile) const
    {
        return profiles.contains(profile) ? profiles.at(profile).spec.evs.size() : 0;
    }

    Result<void> check_ev(uint64_t profile, const EvSpec &ev) const
    {
        const auto at = profiles.find(profile);

        return refusals::first(
            {refuse_if(profile && at == profiles.end(), ENOENT,
                       "no such EV profile with a list of EVs", "ev-profile"),
             refusals::check(ev, at == profiles.end() ? EvFormat::stev : at->second.spec.format)});
    }

    Result<void> may_edit(uint64_t profile, std::optional<uint32_t> version) const
    {
        const auto at = profiles.find(profile);

        return refusals::first(
            {refuse_if(!listed(profile), ENOENT, "no such EV profile with a list of EVs",
                       "ev-profile"),
             claim(owner(profiles, profile), true),
             refuse_if(version && at != profiles.end() &&
                           *version != static_cast<uint32_t>(at->second.version),
                       ESTALE, "the object has another version now", "version")});
    }

    Result<void> has_ev(const EvPlace &place) const
    {
        return refuse_if(place.index >= listed(place.ev_profile), ENOENT,
                         "no EV of that index in the profile", "index");
    }

    Result<void> count_fits(uint64_t profile, int more) const
    {
        if (!listed(profile))
            return {};
        const EvProfileSpec &spec = profiles.at(profile).spec;
        const int count = refusals::count(spec) + more;

        return refusals::first(
            {refuse_if(count < 1 || count > 256, EINVAL, "an EV profile has 1 to 256 EVs",
                       "ev-profile"),
             refuse_if(min_active_of(spec) > count, EINVAL,
                       "min-active would exceed the number of EVs", "ev-profile"),
             refuse_if(spec.active.value_or(0) > count, EINVAL,
                       "active would exceed the number of EVs", "ev-profile")});
    }

    static uint16_t min_active_of(const EvProfileSpec &spec)
    {
        return spec.min_active.value_or(refusals::count(spec) / 4);
    }

    /** Changes the EVs; the limits on their number stay. */
    void edit(EvProfileSpec spec)
    {
        spec.min_active = min_active_of(profiles[spec.id].spec);
        const Owner by = profiles[spec.id].owner;
        store(spec, true);
        profiles[spec.id].owner = by;
    }
    /** @} */

    Result<void> has_cc(uint64_t id, const std::string &attribute) const
    {
        return refuse_if(id && !cc.contains(id), ENOENT, "no such CC profile", attribute);
    }

    static Result<void> may_put(const std::string &noun, bool there, bool replace)
    {
        return refusals::first({refuse_if(!there && replace, ENOENT, "no such " + noun, "id"),
                                refuse_if(there && !replace, EEXIST, noun + " exists", "id")});
    }

    /** If EVs end at a switch, the route must have a uSID. */
    Result<void> has_usid(const Route &route) const
    {
        const auto at = profiles.find(route.ev_profile);
        const bool via =
            at != profiles.end() &&
            std::any_of(at->second.spec.evs.begin(), at->second.spec.evs.end(),
                        [](const EvSpec &ev) { return std::holds_alternative<EvVia>(ev.path); });

        return refuse_if(via && !route.usid, EINVAL,
                         "EVs of this EV profile end at a switch: usid is missing", "ev-profile");
    }
    /** @} */

    bool named(uint64_t Route::*profile, uint64_t id) const
    {
        for (const auto &[prefix, route] : route_map)
            if (route.*profile == id)
                return true;
        return false;
    }

    void take(const DeviceSettings &change)
    {
        for_each_setting([&](const Setting &, auto member) {
            if (change.*member)
                settings.*member = change.*member;
        });
    }

    /** Stores a profile. EVs of a port are kept together, in the order in which they came. */
    void store(const EvProfileSpec &spec, bool replace)
    {
        auto &[stored, version, by] = profiles[spec.id];

        stored = spec;
        std::stable_sort(stored.evs.begin(), stored.evs.end(),
                         [](const EvSpec &a, const EvSpec &b) { return a.port < b.port; });
        version = replace ? version + 1 : next_version;
        by = owner_of(by.value_or(MRC_NL_OWNER_NONE));
    }

    /** The objects of a device, or of all devices if none is named. */
    template <typename T>
    Result<std::vector<T>> list(const OptionalDevice &device,
                                const std::function<void(std::vector<T> &)> &fill) const
    {
        std::vector<T> found;

        if (device)
            if (const auto known = usable(*device); !known)
                return known.error();
        fill(found);
        return found;
    }

    template <typename T>
    Result<T> get(const DeviceId &device, const Result<void> &allowed,
                  const std::function<T()> &answer) const
    {
        const auto known = refusals::first(
            {refusals::name_range(device.name(), 63, "dev-name"), usable(device), allowed});

        if (!known)
            return known.error();
        return answer();
    }

    /**
     * @param in_range result of the checks of ranges, which come before the device is looked for
     * @param allowed checks whether this device accepts the change
     */
    Result<void> change(const DeviceId &device, const Result<void> &in_range,
                        const std::function<Result<void>()> &allowed,
                        const std::function<void()> &make)
    {
        const auto known = refusals::first(
            {refusals::name_range(device.name(), 63, "dev-name"), in_range, usable(device)});

        if (!known)
            return known;
        if (const auto answer = allowed(); !answer)
            return answer;
        if (fails())
            return Error{ENOMEM, "", ""};
        make();
        changes++;
        return {};
    }
};

/** The model's netdevs and device. */
class ModelSystem : public System
{
public:
    explicit ModelSystem(ModelKernel &kernel) : kernel_(kernel) {}

    std::map<std::string, uint32_t> netdevs{{"mrc", 9},  {"mrc8", 8}, {"eth1", 1},
                                            {"eth2", 2}, {"eth3", 3}, {"eth4", 4}};
    std::map<Address, HeldAddress> held; ///< addresses of the anchor
    bool anchor_is_plane = false;        ///< the anchor is a plane's netdev instead of a dummy
    int lock_error = 0;                  ///< error of lock(); 0: it succeeds

    uint32_t netdev(const std::string &name) override
    {
        return netdevs.contains(name) ? netdevs.at(name) : 0;
    }
    Result<std::map<Address, HeldAddress>> addresses(const std::string &) override { return held; }
    Result<void> add_address(const std::string &, const Prefix &address) override
    {
        return change_if(!held.contains(address.address), EEXIST, [&] {
            held[address.address] = {address.length, true};
        });
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
            if (anchor_is_plane) {
                kernel_.plane_ifindex[1] = kernel_.anchor;
                kernel_.plane_owner[1] = MRC_NL_OWNER_KERNEL;
            }
        });
    }
    Result<Descriptor> lock(uint32_t) override
    {
        if (lock_error)
            return Error{lock_error, "of the model", "3.lock"};
        return Descriptor();
    }
    int fd() const override { return -1; }
    bool drain(NetdevTable &) override { return true; }
    Result<NetdevTable> read_netdevs() override { return NetdevTable(); }

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

/** The model kernel and system. */
struct Model {
    ModelKernel kernel;
    ModelSystem system{kernel};
    Target target{kernel, system};
};

} // namespace mrcd::test
