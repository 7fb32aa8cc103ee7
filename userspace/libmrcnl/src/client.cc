// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "mrcnl/client.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <deque>
#include <iterator>
#include <map>
#include <type_traits>

#include <linux/mrc.h>
#include <linux/seg6_iptunnel.h>

#include "decode.h"
#include "srh.h"

namespace mrcnl
{

namespace
{

// These attributes have the same numbers in every set.
constexpr int dev_name = MRC_A_DEVICE_DEV_NAME;
constexpr int dev_index = MRC_A_DEVICE_DEV_INDEX;

/** How often a dump is tried, until nothing changes during it. */
constexpr int dump_attempts = 10;

template <typename T>
using Decoder = T (*)(const Reply &);

template <typename T>
std::vector<T> decode_all(const std::vector<Reply> &replies, Decoder<T> decode)
{
    std::vector<T> objects;

    objects.reserve(replies.size());
    for (const Reply &reply : replies)
        objects.push_back(decode(reply));
    return objects;
}

/** Adds a setting by its type; a bool becomes a u8. */
template <typename T>
void put(Request &request, int type, const T &value)
{
    if constexpr (std::is_same_v<T, Address>)
        request.put_address(type, value);
    else if constexpr (std::is_same_v<T, uint64_t>)
        request.put_u64(type, value);
    else if constexpr (std::is_same_v<T, uint32_t>)
        request.put_u32(type, value);
    else if constexpr (std::is_same_v<T, uint16_t>)
        request.put_u16(type, value);
    else
        request.put_u8(type, value);
}

void put_device(Request &request, const DeviceId &device)
{
    if (const auto index = device.index())
        request.put_u32(dev_index, *index);
    else
        request.put_string(dev_name, device.name());
}

template <typename Settings>
void put_settings(Request &request, const Settings &settings)
{
    for_each_setting<Settings>([&](const Setting &setting, auto member) {
        if (settings.*member)
            put(request, setting.attribute, *(settings.*member));
    });
}

void put_path(Request &request, const EvPath &path)
{
    if (const auto *value = std::get_if<EvValue>(&path)) {
        request.put_u32(MRC_A_EV_VALUE, value->value);
    } else if (const auto *sid = std::get_if<EvSid>(&path)) {
        request.put_address(MRC_A_EV_SID, sid->sid);
    } else if (const auto *via = std::get_if<EvVia>(&path)) {
        request.put_address(MRC_A_EV_VIA, via->via);
    } else if (const auto *table = std::get_if<EvTable>(&path)) {
        request.put_u32(MRC_A_EV_TABLE, table->table);
    } else if (const auto *segments = std::get_if<EvSegments>(&path)) {
        const Request::Nest nest(request, MRC_A_EV_ENCAP);

        request.put_bytes(SEG6_IPTUNNEL_SRH, encode_segments(*segments));
    }
}

void put_ev(Request &request, const EvSpec &ev)
{
    request.put_u8(MRC_A_EV_PORT, ev.port);
    put_path(request, ev.path);
    if (ev.denied)
        request.put_u8(MRC_A_EV_DENIED, 1);
}

void put_profile(Request &request, uint64_t ev_profile, std::optional<uint32_t> version)
{
    request.put_u64(MRC_A_EV_EV_PROFILE, ev_profile);
    if (version)
        request.put_u32(MRC_A_EV_VERSION, *version);
}

void put_place(Request &request, const EvPlace &place)
{
    put_profile(request, place.ev_profile, place.version);
    request.put_u16(MRC_A_EV_INDEX, place.index);
}

/** More than the room that the EVs of a request take. */
size_t ev_room(const EvProfileSpec &spec)
{
    size_t room = 4096;

    for (const EvSpec &ev : spec.evs) {
        const auto *segments = std::get_if<EvSegments>(&ev.path);

        room += 64 + (segments ? segments->segments.size() * sizeof(Address) : 0);
    }
    return room;
}

/**
 * Checks segment lists. One with too many segments or none has no form on the wire, so the kernel
 * never sees it.
 *
 * @param where text before the attribute in the error
 */
Result<void> check_segments(const EvSpec &ev, const std::string &where)
{
    const auto *path = std::get_if<EvSegments>(&ev.path);

    if (path && (path->segments.empty() || path->segments.size() > max_segments))
        return Error{EINVAL, "a segment list has 1 to 127 segments", where + "encap"};
    return {};
}

Result<void> check_segments(const EvProfileSpec &spec)
{
    for (size_t i = 0; i < spec.evs.size(); i++)
        if (auto checked = check_segments(spec.evs[i], "ev " + std::to_string(i + 1) + ": ");
            !checked)
            return checked;
    return {};
}

constexpr uint32_t probe_timeout = 100;           // ms, if the request names none
constexpr uint64_t raw_probe_limit = 100'000'000; // ns
constexpr size_t raw_probes_at_once = 32;         // requests; a device allows twice as many
constexpr uint32_t raw_probe_sending = 1000;      // ms in which raw probes are sent
constexpr uint32_t probe_patience = 10'000;       // ms of additional wait, for a busy host

/** The longest time that raw probes take, ms. */
uint32_t raw_probe_time(const RawProbeRequest &request)
{
    return raw_probe_sending +
           static_cast<uint32_t>(request.limit.value_or(raw_probe_limit) / 1'000'000);
}

/** The results of probes, as a stream reports them. */
class ProbeEnds
{
public:
    explicit ProbeEnds(MessageStream &stream) : stream_(stream) {}

    /** @param timeout ms, of the request that may take longest */
    Result<Probe> next(const std::function<bool(const Probe &)> &is_ours, uint32_t timeout);

private:
    MessageStream &stream_;
    std::deque<Reply> messages_; ///< received and not yet looked at
    bool lost_ = false;          ///< later messages were lost
};

Result<Probe> ProbeEnds::next(const std::function<bool(const Probe &)> &is_ours, uint32_t timeout)
{
    const auto end = std::chrono::steady_clock::now() +
                     std::chrono::milliseconds(uint64_t{timeout} + probe_patience);

    for (;;) {
        while (!messages_.empty()) {
            const Reply message = std::move(messages_.front());
            messages_.pop_front();
            if (message.command != MRC_CMD_PROBE_NTF)
                continue;
            Probe probe = decode_probe(message);
            if (is_ours(probe))
                return probe;
        }
        if (lost_)
            return Error{ENOBUFS, "the results were lost: too many probes at a time", {}};
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            end - std::chrono::steady_clock::now());
        if (left.count() <= 0 || !stream_.wait(static_cast<int>(left.count())))
            return Error{ETIMEDOUT, "the kernel does not report the results of the probes", {}};
        auto arrivals = stream_.receive();
        if (!arrivals)
            return arrivals.error();
        lost_ = arrivals->overrun;
        std::move(arrivals->messages.begin(), arrivals->messages.end(),
                  std::back_inserter(messages_));
    }
}

class ClientStream : public EventStream
{
public:
    explicit ClientStream(std::unique_ptr<MessageStream> stream) : stream_(std::move(stream)) {}

    [[nodiscard]] int fd() const override { return stream_->fd(); }

    Result<void> receive(const std::function<void(const Event &)> &each) override
    {
        const auto arrivals = stream_->receive();

        if (!arrivals)
            return arrivals.error();
        for (const Reply &message : arrivals->messages)
            if (const auto event = decode_event(message))
                each(*event);
        if (arrivals->overrun)
            each(Overrun{});
        return {};
    }

private:
    std::unique_ptr<MessageStream> stream_;
};

class Client : public Kernel
{
public:
    explicit Client(std::unique_ptr<Channel> channel) : channel_(std::move(channel)) {}

    Result<Info> info() override;
    void act_as(Owner owner, bool claim) override
    {
        owner_ = owner;
        claim_ = claim;
    }
    Result<std::vector<Device>> devices() override;
    Result<Device> device(const DeviceId &device) override;
    Result<void> set_device(const DeviceId &device, const DeviceSettings &change) override;
    Result<std::vector<Plane>> planes(const OptionalDevice &device) override;
    Result<Plane> add_plane(const DeviceId &device, std::optional<uint8_t> port,
                            uint32_t ifindex) override;
    Result<void> set_plane(const DeviceId &device, uint8_t port, std::optional<bool> up) override;
    Result<void> delete_plane(const DeviceId &device, uint8_t port) override;
    Result<std::vector<EvProfile>> ev_profiles(const OptionalDevice &device) override;
    Result<EvProfile> ev_profile(const DeviceId &device, uint64_t id) override;
    Result<void> put_ev_profile(const DeviceId &device, const EvProfileSpec &spec,
                                bool replace) override;
    Result<void> delete_ev_profile(const DeviceId &device, uint64_t id) override;
    Result<std::vector<Ev>> evs(const OptionalDevice &device,
                                std::optional<uint64_t> ev_profile) override;
    Result<void> deny_ev(const DeviceId &device, const EvPlace &place, bool deny) override;
    Result<void> add_ev(const DeviceId &device, uint64_t ev_profile, const EvSpec &ev,
                        std::optional<uint32_t> version) override;
    Result<void> replace_ev(const DeviceId &device, const EvPlace &place,
                            const EvSpec &ev) override;
    Result<void> delete_ev(const DeviceId &device, const EvPlace &place) override;
    Result<std::vector<CcProfile>> cc_profiles(const OptionalDevice &device) override;
    Result<CcProfile> cc_profile(const DeviceId &device, uint64_t id) override;
    Result<void> put_cc_profile(const DeviceId &device, const CcProfile &profile,
                                bool replace) override;
    Result<void> delete_cc_profile(const DeviceId &device, uint64_t id) override;
    Result<std::vector<Route>> routes(const OptionalDevice &device) override;
    Result<RouteMatch> match_route(const DeviceId &device, const Address &gid) override;
    Result<void> put_route(const DeviceId &device, const Route &route, bool replace) override;
    Result<void> delete_route(const DeviceId &device, const Prefix &prefix) override;
    Result<std::vector<Peer>> peers(const OptionalDevice &device,
                                    std::optional<Address> remote_gid) override;
    Result<std::vector<PeerEv>> peer_evs(const OptionalDevice &device,
                                         std::optional<Address> remote_gid) override;
    Result<Probe> probe(const DeviceId &device, const ProbeRequest &request) override;
    Result<Probe> probe_raw(const DeviceId &device, const RawProbeRequest &request) override;
    Result<void> probe_raw_each(const DeviceId &device,
                                const std::vector<RawProbeRequest> &requests,
                                const EachProbe &each) override;
    Result<std::vector<Qp>> qps(const OptionalDevice &device) override;
    Result<Qp> qp(const DeviceId &device, uint32_t qpn) override;
    Result<std::unique_ptr<EventStream>> events(bool config) override;

private:
    static Request request(uint8_t command, const OptionalDevice &device)
    {
        Request request(command);

        if (device)
            put_device(request, *device);
        return request;
    }

    Result<void> change(const Request &request)
    {
        const auto replies = channel_->transact(request);

        return replies ? Result<void>() : Result<void>(replies.error());
    }

    Result<void> name_owner(Request &request, int type, int claim_type = 0);
    /**
     * Does the module have a capability (MRC_NL_CAPABILITY_*)? Asked once. An error means that it
     * is not known.
     */
    Result<bool> can(uint32_t capability);
    /** Starts probes, and waits for their results. @param timeout ms */
    Result<Probe> start_probes(const std::function<Result<Probe>()> &start, uint32_t timeout);
    static Request probe_request(uint8_t command, const DeviceId &device,
                                 const ProbeRequest &request);
    Result<void> knows(uint32_t capability, const char *what);
    Result<Probe> start_raw_probes(const DeviceId &device, const RawProbeRequest &request);
    static Request raw_probe_request(const DeviceId &device, const RawProbeRequest &request);

    /**
     * Changes something that has an owner. @param type of the owner's attribute @param claim_type
     * of the claim's; 0: there is none
     */
    Result<void> change(Request &request, int type, int claim_type = 0)
    {
        const auto named = name_owner(request, type, claim_type);

        return named ? change(request) : named;
    }

    template <typename T>
    Result<T> get(const Request &request, Decoder<T> decode)
    {
        const auto replies = channel_->transact(request);

        if (!replies)
            return replies.error();
        if (replies->empty())
            return Error{EPROTO, "the kernel gave no answer", {}};
        return decode(replies->front());
    }

    template <typename T>
    Result<std::vector<T>> dump(const Request &request, Decoder<T> decode)
    {
        auto result = channel_->dump(request);

        for (int i = 1; i < dump_attempts && result && result->interrupted; i++)
            result = channel_->dump(request);
        if (!result)
            return result.error();
        if (result->interrupted)
            return Error{EAGAIN, "the objects change too fast to be listed", {}};
        return decode_all(result->replies, decode);
    }

    std::unique_ptr<Channel> channel_;
    Owner owner_;
    bool claim_ = false;
    std::optional<uint32_t> capabilities_; ///< of the module
};

/**
 * Adds the owner to a request. If the module's capabilities are not known, fails, so that nothing
 * is changed.
 */
Result<void> Client::name_owner(Request &request, int type, int claim_type)
{
    if (!owner_)
        return {};
    const auto owners = can(MRC_NL_CAPABILITY_OWNER);
    if (!owners)
        return owners.error();
    if (!*owners)
        return {};
    request.put_u8(type, *owner_);
    if (claim_ && claim_type)
        request.put_flag(claim_type);
    return {};
}

Result<Info> Client::info()
{
    return get(request(MRC_CMD_INFO_GET, {}), decode_info);
}

Result<std::vector<Device>> Client::devices()
{
    return dump(request(MRC_CMD_DEVICE_GET, {}), decode_device);
}

Result<Device> Client::device(const DeviceId &device)
{
    return get(request(MRC_CMD_DEVICE_GET, device), decode_device);
}

Result<void> Client::set_device(const DeviceId &device, const DeviceSettings &change)
{
    Request r = request(MRC_CMD_DEVICE_SET, device);

    put_settings(r, change);
    return this->change(r);
}

Result<std::vector<Plane>> Client::planes(const OptionalDevice &device)
{
    return dump(request(MRC_CMD_PLANE_GET, device), decode_plane);
}

Result<Plane> Client::add_plane(const DeviceId &device, std::optional<uint8_t> port,
                                uint32_t ifindex)
{
    Request r = request(MRC_CMD_PLANE_ADD, device);

    if (port)
        r.put_u8(MRC_A_PLANE_PORT, *port);
    r.put_u32(MRC_A_PLANE_IFINDEX, ifindex);
    if (const auto named = name_owner(r, MRC_A_PLANE_OWNER); !named)
        return named.error();
    return get(r, decode_plane);
}

Result<void> Client::set_plane(const DeviceId &device, uint8_t port, std::optional<bool> up)
{
    Request r = request(MRC_CMD_PLANE_SET, device);

    r.put_u8(MRC_A_PLANE_PORT, port);
    if (up)
        r.put_u8(MRC_A_PLANE_ADMIN_STATE, *up ? MRC_NL_PLANE_STATE_UP : MRC_NL_PLANE_STATE_DOWN);
    return change(r, MRC_A_PLANE_OWNER, MRC_A_PLANE_CLAIM);
}

Result<void> Client::delete_plane(const DeviceId &device, uint8_t port)
{
    return change(request(MRC_CMD_PLANE_DEL, device).put_u8(MRC_A_PLANE_PORT, port),
                  MRC_A_PLANE_OWNER);
}

Result<std::vector<EvProfile>> Client::ev_profiles(const OptionalDevice &device)
{
    return dump(request(MRC_CMD_EV_PROFILE_GET, device), decode_ev_profile);
}

Result<EvProfile> Client::ev_profile(const DeviceId &device, uint64_t id)
{
    return get(request(MRC_CMD_EV_PROFILE_GET, device).put_u64(MRC_A_EV_PROFILE_ID, id),
               decode_ev_profile);
}

Result<void> Client::put_ev_profile(const DeviceId &device, const EvProfileSpec &spec, bool replace)
{
    auto checked = check_segments(spec);
    Request r(replace ? MRC_CMD_EV_PROFILE_SET : MRC_CMD_EV_PROFILE_ADD, ev_room(spec));

    if (!checked)
        return checked;
    put_device(r, device);
    r.put_u64(MRC_A_EV_PROFILE_ID, spec.id);
    r.put_u8(MRC_A_EV_PROFILE_FORMAT, static_cast<uint8_t>(spec.format));
    r.put_u8(MRC_A_EV_PROFILE_MODE, static_cast<uint8_t>(spec.mode));
    if (spec.min_active)
        r.put_u16(MRC_A_EV_PROFILE_MIN_ACTIVE, *spec.min_active);
    if (spec.active)
        r.put_u16(MRC_A_EV_PROFILE_ACTIVE, *spec.active);
    if (spec.count)
        r.put_u16(MRC_A_EV_PROFILE_COUNT, *spec.count);
    for (const EvSpec &ev : spec.evs) {
        const Request::Nest nest(r, MRC_A_EV_PROFILE_EV);

        put_ev(r, ev);
    }
    if (!spec.alias.empty())
        r.put_string(MRC_A_EV_PROFILE_ALIAS, spec.alias);
    return change(r, MRC_A_EV_PROFILE_OWNER, MRC_A_EV_PROFILE_CLAIM);
}

Result<void> Client::delete_ev_profile(const DeviceId &device, uint64_t id)
{
    return change(request(MRC_CMD_EV_PROFILE_DEL, device).put_u64(MRC_A_EV_PROFILE_ID, id),
                  MRC_A_EV_PROFILE_OWNER);
}

Result<std::vector<Ev>> Client::evs(const OptionalDevice &device,
                                    std::optional<uint64_t> ev_profile)
{
    Request r = request(MRC_CMD_EV_GET, device);

    if (ev_profile)
        r.put_u64(MRC_A_EV_EV_PROFILE, *ev_profile);
    return dump(r, decode_ev);
}

Result<void> Client::deny_ev(const DeviceId &device, const EvPlace &place, bool deny)
{
    Request r = request(MRC_CMD_EV_SET, device);

    put_place(r, place);
    r.put_u8(MRC_A_EV_DENIED, deny);
    return change(r, MRC_A_EV_OWNER);
}

Result<void> Client::add_ev(const DeviceId &device, uint64_t ev_profile, const EvSpec &ev,
                            std::optional<uint32_t> version)
{
    auto checked = check_segments(ev, "");
    Request r = request(MRC_CMD_EV_ADD, device);

    if (!checked)
        return checked;
    put_profile(r, ev_profile, version);
    put_ev(r, ev);
    return change(r, MRC_A_EV_OWNER);
}

Result<void> Client::replace_ev(const DeviceId &device, const EvPlace &place, const EvSpec &ev)
{
    auto checked = check_segments(ev, "");
    Request r = request(MRC_CMD_EV_REPLACE, device);

    if (!checked)
        return checked;
    put_place(r, place);
    put_ev(r, ev);
    return change(r, MRC_A_EV_OWNER);
}

Result<void> Client::delete_ev(const DeviceId &device, const EvPlace &place)
{
    Request r = request(MRC_CMD_EV_DEL, device);

    put_place(r, place);
    return change(r, MRC_A_EV_OWNER);
}

Result<std::vector<CcProfile>> Client::cc_profiles(const OptionalDevice &device)
{
    return dump(request(MRC_CMD_CC_PROFILE_GET, device), decode_cc_profile);
}

Result<CcProfile> Client::cc_profile(const DeviceId &device, uint64_t id)
{
    return get(request(MRC_CMD_CC_PROFILE_GET, device).put_u64(MRC_A_CC_PROFILE_ID, id),
               decode_cc_profile);
}

Result<void> Client::put_cc_profile(const DeviceId &device, const CcProfile &profile, bool replace)
{
    Request r = request(replace ? MRC_CMD_CC_PROFILE_SET : MRC_CMD_CC_PROFILE_ADD, device);

    r.put_u64(MRC_A_CC_PROFILE_ID, profile.id);
    r.put_string(MRC_A_CC_PROFILE_ALGORITHM, profile.algorithm);
    if (profile.window)
        r.put_u32(MRC_A_CC_PROFILE_WINDOW, *profile.window);
    put_settings(r, profile.settings);
    if (!profile.alias.empty())
        r.put_string(MRC_A_CC_PROFILE_ALIAS, profile.alias);
    return change(r, MRC_A_CC_PROFILE_OWNER, MRC_A_CC_PROFILE_CLAIM);
}

Result<void> Client::delete_cc_profile(const DeviceId &device, uint64_t id)
{
    return change(request(MRC_CMD_CC_PROFILE_DEL, device).put_u64(MRC_A_CC_PROFILE_ID, id),
                  MRC_A_CC_PROFILE_OWNER);
}

Result<std::vector<Route>> Client::routes(const OptionalDevice &device)
{
    return dump(request(MRC_CMD_ROUTE_GET, device), decode_route);
}

Result<RouteMatch> Client::match_route(const DeviceId &device, const Address &gid)
{
    return get(request(MRC_CMD_ROUTE_GET, device).put_address(MRC_A_ROUTE_GID, gid),
               decode_route_match);
}

Result<void> Client::put_route(const DeviceId &device, const Route &route, bool replace)
{
    Request r = request(replace ? MRC_CMD_ROUTE_REPLACE : MRC_CMD_ROUTE_ADD, device);

    r.put_address(MRC_A_ROUTE_PREFIX, route.prefix.address);
    r.put_u8(MRC_A_ROUTE_PREFIX_LEN, route.prefix.length);
    r.put_u64(MRC_A_ROUTE_EV_PROFILE, route.ev_profile);
    r.put_u64(MRC_A_ROUTE_CC_PROFILE, route.cc_profile);
    if (route.usid)
        r.put_u16(MRC_A_ROUTE_USID, route.usid);
    return change(r, MRC_A_ROUTE_OWNER, MRC_A_ROUTE_CLAIM);
}

Result<void> Client::delete_route(const DeviceId &device, const Prefix &prefix)
{
    return change(request(MRC_CMD_ROUTE_DEL, device)
                      .put_address(MRC_A_ROUTE_PREFIX, prefix.address)
                      .put_u8(MRC_A_ROUTE_PREFIX_LEN, prefix.length),
                  MRC_A_ROUTE_OWNER);
}

Result<std::vector<Peer>> Client::peers(const OptionalDevice &device,
                                        std::optional<Address> remote_gid)
{
    Request r = request(MRC_CMD_PEER_GET, device);

    if (remote_gid)
        r.put_address(MRC_A_PEER_REMOTE_GID, *remote_gid);
    return dump(r, decode_peer);
}

Result<std::vector<PeerEv>> Client::peer_evs(const OptionalDevice &device,
                                             std::optional<Address> remote_gid)
{
    Request r = request(MRC_CMD_PEER_EV_GET, device);

    if (remote_gid)
        r.put_address(MRC_A_PEER_EV_REMOTE_GID, *remote_gid);
    return dump(r, decode_peer_ev);
}

Result<bool> Client::can(uint32_t capability)
{
    if (!capabilities_) {
        const auto module = info();

        if (!module)
            return module.error();
        capabilities_ = module->capabilities;
    }
    return (*capabilities_ & capability) != 0;
}

/** Older modules answer only when the results are known. */
Result<Probe> Client::probe(const DeviceId &device, const ProbeRequest &request)
{
    const auto starts = can(MRC_NL_CAPABILITY_PROBE_START);

    if (!starts)
        return starts.error();
    const Request r = probe_request(*starts ? MRC_CMD_PROBE_START : MRC_CMD_PROBE, device, request);
    if (!*starts)
        return get(r, decode_probe);
    return start_probes([&] { return get(r, decode_probe); },
                        request.timeout.value_or(probe_timeout));
}

Result<Probe> Client::start_probes(const std::function<Result<Probe>()> &start, uint32_t timeout)
{
    static constexpr std::array groups{MRC_MCGRP_PROBES};
    auto stream = channel_->subscribe(groups);

    if (!stream)
        return stream.error();
    const auto started = start();
    if (!started)
        return started;
    return ProbeEnds(**stream).next(
        [&](const Probe &probe) {
            return probe.id == started->id && probe.device.index == started->device.index;
        },
        timeout);
}

Request Client::probe_request(uint8_t command, const DeviceId &device, const ProbeRequest &request)
{
    Request r(command, 4096 + request.evs.size() * 8);

    put_device(r, device);
    r.put_address(MRC_A_PROBE_REMOTE_GID, request.remote_gid);
    if (request.local_gid)
        r.put_address(MRC_A_PROBE_LOCAL_GID, *request.local_gid);
    if (request.ev_profile)
        r.put_u64(MRC_A_PROBE_EV_PROFILE, *request.ev_profile);
    for (const uint16_t ev : request.evs)
        r.put_u16(MRC_A_PROBE_EV, ev);
    if (request.timeout)
        r.put_u32(MRC_A_PROBE_TIMEOUT, *request.timeout);
    return r;
}

/** @return EOPNOTSUPP: the module is older and lacks the capability */
Result<void> Client::knows(uint32_t capability, const char *what)
{
    const auto known = can(capability);

    if (!known)
        return known.error();
    if (!*known)
        return Error{EOPNOTSUPP, std::string("the module is too old for ") + what, {}};
    return {};
}

Request Client::raw_probe_request(const DeviceId &device, const RawProbeRequest &request)
{
    Request r(MRC_CMD_RAW_PROBE_START, 8192 + request.to.size() * 32);

    put_device(r, device);
    r.put_u8(MRC_A_PROBE_FORMAT, static_cast<uint8_t>(request.format));
    {
        const Request::Nest nest(r, MRC_A_PROBE_RAW_EV);

        put_ev(r, request.ev);
    }
    for (const Address &gid : request.to)
        r.put_address(MRC_A_PROBE_TO, gid);
    if (request.local_gid)
        r.put_address(MRC_A_PROBE_LOCAL_GID, *request.local_gid);
    if (request.count)
        r.put_u16(MRC_A_PROBE_COUNT, *request.count);
    if (request.dscp)
        r.put_u8(MRC_A_PROBE_DSCP, *request.dscp);
    if (request.size)
        r.put_u16(MRC_A_PROBE_SIZE, *request.size);
    if (request.limit)
        r.put_u64(MRC_A_PROBE_LIMIT, *request.limit);
    if (request.port_status)
        r.put_u32(MRC_A_PROBE_PORT_STATUS, *request.port_status);
    return r;
}

/** Starts raw probes. The module must support them. */
Result<Probe> Client::start_raw_probes(const DeviceId &device, const RawProbeRequest &request)
{
    if (const auto checked = check_segments(request.ev, ""); !checked)
        return checked.error();
    if (request.port_status)
        if (const auto known = knows(MRC_NL_CAPABILITY_RAW_STATUS, "status requests"); !known)
            return known.error();
    return get(raw_probe_request(device, request), decode_probe);
}

Result<Probe> Client::probe_raw(const DeviceId &device, const RawProbeRequest &request)
{
    if (const auto known = knows(MRC_NL_CAPABILITY_RAW_PROBE, "raw probes"); !known)
        return known.error();
    return start_probes([&] { return start_raw_probes(device, request); }, raw_probe_time(request));
}

/** Runs only some requests at a time: other programs need requests of the device, too. */
Result<void> Client::probe_raw_each(const DeviceId &device,
                                    const std::vector<RawProbeRequest> &requests,
                                    const EachProbe &each)
{
    static constexpr std::array groups{MRC_MCGRP_PROBES};
    const auto key = [](const Probe &probe) { return std::pair(probe.device.index, probe.id); };
    std::map<std::pair<uint32_t, uint32_t>, size_t> under_way; // index of the request
    uint32_t longest = 0;
    size_t next = 0;

    if (const auto known = knows(MRC_NL_CAPABILITY_RAW_PROBE, "raw probes"); !known)
        return known;
    auto stream = channel_->subscribe(groups);
    if (!stream)
        return stream.error();
    ProbeEnds ends(**stream);
    // False: the device has the most requests that it can have.
    const auto start = [&] {
        const auto started = start_raw_probes(device, requests[next]);

        if (!started && started.error().code == EBUSY && !under_way.empty())
            return false;
        if (started)
            under_way[key(*started)] = next;
        else
            each(next, started);
        longest = std::max(longest, raw_probe_time(requests[next++]));
        return true;
    };
    while (next < requests.size() || !under_way.empty()) {
        while (next < requests.size() && under_way.size() < raw_probes_at_once && start()) {
        }
        if (under_way.empty())
            continue;
        const auto end =
            ends.next([&](const Probe &probe) { return under_way.contains(key(probe)); }, longest);
        if (!end)
            return end.error();
        each(under_way.extract(key(*end)).mapped(), end);
    }
    return {};
}

Result<std::vector<Qp>> Client::qps(const OptionalDevice &device)
{
    return dump(request(MRC_CMD_QP_GET, device), decode_qp);
}

Result<Qp> Client::qp(const DeviceId &device, uint32_t qpn)
{
    return get(request(MRC_CMD_QP_GET, device).put_u32(MRC_A_QP_QPN, qpn), decode_qp);
}

Result<std::unique_ptr<EventStream>> Client::events(bool config)
{
    static constexpr std::array groups{MRC_MCGRP_EVENTS, MRC_MCGRP_CONFIG};
    auto stream = channel_->subscribe(std::span(groups).first(config ? 2 : 1));

    if (!stream)
        return stream.error();
    return std::unique_ptr<EventStream>(std::make_unique<ClientStream>(std::move(*stream)));
}

} // namespace

std::unique_ptr<Kernel> make_client(std::unique_ptr<Channel> channel)
{
    return std::make_unique<Client>(std::move(channel));
}

Result<std::unique_ptr<Kernel>> open_kernel()
{
    auto channel = open_channel();

    if (!channel)
        return channel.error();
    return make_client(std::move(*channel));
}

} // namespace mrcnl
