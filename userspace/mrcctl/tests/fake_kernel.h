// SPDX-License-Identifier: GPL-2.0-only
/** @file A kernel with the objects that a test gives it. It records changes. */
#pragma once

#include <algorithm>
#include <cerrno>
#include <deque>
#include <iterator>
#include <sstream>

#include <linux/mrc.h>

#include "mrcnl/kernel.h"

#include "command.h"

namespace mrcctl::test
{

using namespace mrcnl;

struct FakeKernel : Kernel {
    Info info_value{"0.1.0",
                    "crc32_le",
                    true,
                    32,
                    256,
                    16,
                    MRC_NL_CAPABILITY_OWNER | MRC_NL_CAPABILITY_CONFIG_EVENTS |
                        MRC_NL_CAPABILITY_EDIT_EVS | MRC_NL_CAPABILITY_ALIAS |
                        MRC_NL_CAPABILITY_NSCC};
    Owner acting;
    std::vector<Device> device_list;
    std::vector<Plane> plane_list;
    std::vector<EvProfile> ev_profile_list;
    std::vector<Ev> ev_list;
    std::vector<CcProfile> cc_profile_list;
    std::vector<Route> route_list;
    std::vector<Peer> peer_list;
    std::vector<PeerEv> peer_ev_list;
    Probe probe_answer;
    Probe raw_probe_answer;
    std::vector<Qp> qp_list;

    std::vector<std::string> changes; ///< one line each
    EvProfileSpec last_spec;
    std::optional<Error> refuse;     ///< refuses each change
    std::optional<Error> dump_error; ///< fails each dump of planes

    /** Events that wait, grouped by the calls that return them. */
    std::deque<std::vector<Event>> events_waiting;

    /** A subscription, which must not outlive the kernel. */
    struct FakeStream : EventStream {
        explicit FakeStream(FakeKernel &kernel) : kernel(kernel) {}
        int fd() const override { return -1; }
        Result<void> receive(const std::function<void(const Event &)> &each) override
        {
            for (const Event &event : kernel.events_waiting.front())
                each(event);
            kernel.events_waiting.pop_front();
            return {};
        }

        FakeKernel &kernel;
    };

    /** Records a change. */
    template <typename... Words>
    Result<void> note(const Words &...words)
    {
        std::ostringstream line;

        ((line << words << ' '), ...);
        changes.push_back(line.str().substr(0, line.str().size() - 1));
        return refuse ? Result<void>(*refuse) : Result<void>();
    }

    /** Records a change of an object that has an owner. */
    template <typename... Words>
    Result<void> note_by(const Words &...words)
    {
        return acting ? note(words..., "by", owner_name(*acting)) : note(words...);
    }

    template <typename T>
    static Result<std::vector<T>> of(const std::vector<T> &list, const OptionalDevice &device)
    {
        std::vector<T> found;

        std::copy_if(list.begin(), list.end(), std::back_inserter(found),
                     [&](const T &object) { return !device || device->is(object.device); });
        return found;
    }

    template <typename T, typename Match>
    static Result<T> one(const std::vector<T> &list, const char *what, Match match)
    {
        const auto found = std::find_if(list.begin(), list.end(), match);

        if (found == list.end())
            return Error{ENOENT, std::string("mrc: no such ") + what, {}};
        return *found;
    }

    Result<Info> info() override { return info_value; }
    void act_as(Owner owner, bool) override { acting = owner; }
    Result<std::vector<Device>> devices() override { return device_list; }
    Result<Device> device(const DeviceId &id) override
    {
        return one(device_list, "device", [&](const auto &d) { return id.is(d.device); });
    }
    static void show(std::ostream &line, const Address &value) { line << value.text(); }
    template <typename T>
    static void show(std::ostream &line, T value)
    {
        line << +value;
    }
    template <typename Settings>
    static std::string shown(const Settings &s)
    {
        std::ostringstream line;

        for_each_setting<Settings>([&](const Setting &setting, auto member) {
            if (s.*member)
                show(line << ' ' << setting.name << ' ', *(s.*member));
        });
        return line.str();
    }
    Result<void> set_device(const DeviceId &id, const DeviceSettings &s) override
    {
        return note("device", id.text() + shown(s));
    }
    Result<std::vector<Plane>> planes(const OptionalDevice &device) override
    {
        if (dump_error)
            return *dump_error;
        return of(plane_list, device);
    }
    Result<Plane> add_plane(const DeviceId &device, std::optional<uint8_t> port,
                            uint32_t ifindex) override
    {
        const auto noted =
            note_by("plane-add", device.text(), port ? std::to_string(*port) : "any", ifindex);

        if (!noted)
            return noted.error();
        return Plane{};
    }
    Result<void> set_plane(const DeviceId &device, uint8_t port, std::optional<bool> up) override
    {
        return note_by("plane-set", device.text(), +port, !up ? "as it is" : *up ? "up" : "down");
    }
    Result<void> delete_plane(const DeviceId &device, uint8_t port) override
    {
        return note_by("plane-del", device.text(), +port);
    }
    Result<std::vector<EvProfile>> ev_profiles(const OptionalDevice &device) override
    {
        return of(ev_profile_list, device);
    }
    Result<EvProfile> ev_profile(const DeviceId &device, uint64_t id) override
    {
        return one(ev_profile_list, "EV profile",
                   [&](const auto &p) { return device.is(p.device) && p.id == id; });
    }
    Result<void> put_ev_profile(const DeviceId &device, const EvProfileSpec &spec,
                                bool replace) override
    {
        last_spec = spec;
        return note_by(replace ? "ev-profile-set" : "ev-profile-add", device.text(), spec.id);
    }
    Result<void> delete_ev_profile(const DeviceId &device, uint64_t id) override
    {
        return note_by("ev-profile-del", device.text(), id);
    }
    Result<std::vector<Ev>> evs(const OptionalDevice &device, std::optional<uint64_t> id) override
    {
        auto found = of(ev_list, device);

        std::erase_if(*found, [&](const Ev &ev) { return id && ev.ev_profile != *id; });
        return found;
    }
    static std::string at(uint64_t id, std::optional<uint16_t> index,
                          std::optional<uint32_t> version)
    {
        return std::to_string(id) + (index ? " " + std::to_string(*index) : "") +
               (version ? " version " + std::to_string(*version) : "");
    }
    static std::string at(const EvPlace &place)
    {
        return at(place.ev_profile, place.index, place.version);
    }
    Result<void> deny_ev(const DeviceId &device, const EvPlace &place, bool deny) override
    {
        return note_by("ev", device.text(), at(place), deny ? "deny" : "allow");
    }
    Result<void> add_ev(const DeviceId &device, uint64_t id, const EvSpec &ev,
                        std::optional<uint32_t> version) override
    {
        last_spec.evs = {ev};
        return note_by("ev-add", device.text(), at(id, {}, version));
    }
    Result<void> replace_ev(const DeviceId &device, const EvPlace &place, const EvSpec &ev) override
    {
        last_spec.evs = {ev};
        return note_by("ev-replace", device.text(), at(place));
    }
    Result<void> delete_ev(const DeviceId &device, const EvPlace &place) override
    {
        return note_by("ev-del", device.text(), at(place));
    }
    Result<std::vector<CcProfile>> cc_profiles(const OptionalDevice &device) override
    {
        return of(cc_profile_list, device);
    }
    Result<CcProfile> cc_profile(const DeviceId &device, uint64_t id) override
    {
        return one(cc_profile_list, "CC profile",
                   [&](const auto &p) { return device.is(p.device) && p.id == id; });
    }
    Result<void> put_cc_profile(const DeviceId &device, const CcProfile &profile,
                                bool replace) override
    {
        return note_by(
            replace ? "cc-profile-set" : "cc-profile-add", device.text(), profile.id,
            profile.algorithm + (profile.window ? " " + std::to_string(*profile.window) : "") +
                shown(profile.settings) + (profile.alias.empty() ? "" : " alias " + profile.alias));
    }
    Result<void> delete_cc_profile(const DeviceId &device, uint64_t id) override
    {
        return note_by("cc-profile-del", device.text(), id);
    }
    Result<std::vector<Route>> routes(const OptionalDevice &device) override
    {
        return of(route_list, device);
    }
    Result<RouteMatch> match_route(const DeviceId &device, const Address &gid) override
    {
        for (const Route &route : route_list)
            if (route.prefix.address == gid)
                return RouteMatch{route.device,     gid,        route.prefix, route.ev_profile,
                                  route.cc_profile, route.usid, route.owner};
        return RouteMatch{{1, device.name()}, gid, std::nullopt, 0, 0, 0};
    }
    Result<void> put_route(const DeviceId &device, const Route &route, bool replace) override
    {
        return note_by(replace ? "route-replace" : "route-add", device.text(), route.prefix.text(),
                       route.ev_profile, route.cc_profile, route.usid);
    }
    Result<void> delete_route(const DeviceId &device, const Prefix &prefix) override
    {
        return note_by("route-del", device.text(), prefix.text());
    }
    Result<std::vector<Peer>> peers(const OptionalDevice &device,
                                    std::optional<Address> remote) override
    {
        auto found = of(peer_list, device);

        std::erase_if(*found, [&](const Peer &p) { return remote && p.key.remote_gid != *remote; });
        return found;
    }
    Result<std::vector<PeerEv>> peer_evs(const OptionalDevice &device,
                                         std::optional<Address> remote) override
    {
        auto found = of(peer_ev_list, device);

        std::erase_if(*found,
                      [&](const PeerEv &p) { return remote && p.key.remote_gid != *remote; });
        return found;
    }
    Result<Probe> probe(const DeviceId &device, const ProbeRequest &request) override
    {
        std::string line = device.text() + " " + request.remote_gid.text();

        if (request.local_gid)
            line += " local " + request.local_gid->text();
        if (request.ev_profile)
            line += " ev-profile " + std::to_string(*request.ev_profile);
        for (const uint16_t ev : request.evs)
            line += " ev " + std::to_string(ev);
        if (request.timeout)
            line += " timeout " + std::to_string(*request.timeout);
        const auto noted = note("probe", line);
        return noted ? Result<Probe>(probe_answer) : Result<Probe>(noted.error());
    }
    Result<void> probe_raw_each(const DeviceId &device,
                                const std::vector<RawProbeRequest> &requests,
                                const EachProbe &each) override
    {
        for (size_t i = 0; i < requests.size(); i++)
            each(i, probe_raw(device, requests[i]));
        return {};
    }
    Result<Probe> probe_raw(const DeviceId &device, const RawProbeRequest &request) override
    {
        std::string line = device.text();

        for (const Address &gid : request.to)
            line += " to " + gid.text();
        line += " port " + std::to_string(request.ev.port) + " " + to_string(request.format);
        if (request.local_gid)
            line += " local " + request.local_gid->text();
        if (request.count)
            line += " count " + std::to_string(*request.count);
        if (request.dscp)
            line += " dscp " + std::to_string(*request.dscp);
        if (request.size)
            line += " size " + std::to_string(*request.size);
        if (request.limit)
            line += " limit " + std::to_string(*request.limit);
        last_spec.evs = {request.ev};
        const auto noted = note("probe raw", line);
        return noted ? Result<Probe>(raw_probe_answer) : Result<Probe>(noted.error());
    }
    Result<std::vector<Qp>> qps(const OptionalDevice &device) override
    {
        return of(qp_list, device);
    }
    Result<Qp> qp(const DeviceId &device, uint32_t qpn) override
    {
        return one(qp_list, "QP",
                   [&](const auto &q) { return device.is(q.device) && q.qpn == qpn; });
    }
    Result<std::unique_ptr<EventStream>> events(bool) override
    {
        return std::unique_ptr<EventStream>(std::make_unique<FakeStream>(*this));
    }
};

/** Runs command lines against a FakeKernel. */
class Runner
{
public:
    explicit Runner(PrintOptions options = {})
        : context(out, options, [this] {
              return Result<std::unique_ptr<Kernel>>(std::unique_ptr<Kernel>(std::move(owned_)));
          })
    {
        context.now = [] { return 100'000'000'000; };
        context.daemon = [](const std::string &, const std::string &) {
            return Result<std::string>(Error{ECONNREFUSED, "no mrcd", {}});
        };
        context.warn = [this](const std::string &text) { warnings.push_back(text); };
        context.readable = [this](int) { return !kernel.events_waiting.empty(); };
    }

    /** Runs words separated by blanks. @return what was printed */
    std::string operator()(const std::string &line)
    {
        std::istringstream in(line);

        out.str({});
        run_words(context, {std::istream_iterator<std::string>(in), {}});
        return out.str();
    }

    /** @return the message of the error in which the words end */
    template <typename E>
    std::string error(const std::string &line)
    {
        try {
            (*this)(line);
        } catch (const E &e) {
            return e.what();
        }
        return "no such error";
    }

    std::string usage(const std::string &line) { return error<UsageError>(line); }

private:
    std::unique_ptr<FakeKernel> owned_ = std::make_unique<FakeKernel>();

public:
    FakeKernel &kernel = *owned_;
    std::ostringstream out;
    std::vector<std::string> warnings;
    Context context;
};

} // namespace mrcctl::test
