// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * The kernel as its users see it: typed requests. An interface, so that what
 * is built on it can be tested without a kernel.
 */
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mrcnl/result.h"
#include "mrcnl/types.h"

namespace mrcnl
{

/** A subscription to events. */
class EventStream
{
public:
    virtual ~EventStream() = default;

    /** Descriptor to poll for reading. */
    [[nodiscard]] virtual int fd() const = 0;

    /**
     * Hand all events that wait to @p each. Does not block.
     *
     * Lost events are told by an Overrun behind the others: whoever then reads anew what there
     * is knows all that has happened before.
     */
    virtual Result<void> receive(const std::function<void(const Event &)> &each) = 0;
};

/**
 * Requests to the module, in the network namespace the implementation was made in.
 *
 * A device that is left out means all of them. Changes need
 * CAP_NET_ADMIN in the namespace (EPERM).
 */
class Kernel
{
public:
    using OptionalDevice = std::optional<DeviceId>;
    /** @param request its index */
    using EachProbe = std::function<void(size_t request, const Result<Probe> &probe)>;

    virtual ~Kernel() = default;

    virtual Result<Info> info() = 0;

    /**
     * Whose planes, profiles and routes are made and changed from now on. What is deleted, or an EV
     * denied, is left alone (ESTALE) where it is neither the owner's nor the kernel's or nobody's.
     *
     * @param owner empty: what is made is nobody's, and all may be changed and keeps its owner. A
     *        module that knows no owners (MRC_NL_CAPABILITY_OWNER) is told nothing.
     * @param claim what is another's is not changed, either; else it becomes the owner's
     */
    virtual void act_as(Owner owner, bool claim) = 0;

    virtual Result<std::vector<Device>> devices() = 0;
    virtual Result<Device> device(const DeviceId &device) = 0;
    virtual Result<void> set_device(const DeviceId &device, const DeviceSettings &change) = 0;

    virtual Result<std::vector<Plane>> planes(const OptionalDevice &device) = 0;
    /** Without @p port the lowest free one is taken; the answer says which. */
    virtual Result<Plane> add_plane(const DeviceId &device, std::optional<uint8_t> port,
                                    uint32_t ifindex) = 0;
    /** @param up empty: as it is; to take the plane over */
    virtual Result<void> set_plane(const DeviceId &device, uint8_t port,
                                   std::optional<bool> up) = 0;
    virtual Result<void> delete_plane(const DeviceId &device, uint8_t port) = 0;

    virtual Result<std::vector<EvProfile>> ev_profiles(const OptionalDevice &device) = 0;
    virtual Result<EvProfile> ev_profile(const DeviceId &device, uint64_t id) = 0;
    /** @param replace the id must exist, otherwise it must not */
    virtual Result<void> put_ev_profile(const DeviceId &device, const EvProfileSpec &spec,
                                        bool replace) = 0;
    virtual Result<void> delete_ev_profile(const DeviceId &device, uint64_t id) = 0;

    virtual Result<std::vector<Ev>> evs(const OptionalDevice &device,
                                        std::optional<uint64_t> ev_profile) = 0;
    virtual Result<void> deny_ev(const DeviceId &device, const EvPlace &place, bool deny) = 0;
    /**
     * Add an EV to an explicit profile, the last one of its port. What is known of the others
     * stays.
     *
     * @param version of the profile, as in EvPlace
     */
    virtual Result<void> add_ev(const DeviceId &device, uint64_t ev_profile, const EvSpec &ev,
                                std::optional<uint32_t> version) = 0;
    /** The index may be another afterwards, where the port is. */
    virtual Result<void> replace_ev(const DeviceId &device, const EvPlace &place,
                                    const EvSpec &ev) = 0;
    /** EINVAL: it is the last one, or min-active and active want as many as there are. */
    virtual Result<void> delete_ev(const DeviceId &device, const EvPlace &place) = 0;

    virtual Result<std::vector<CcProfile>> cc_profiles(const OptionalDevice &device) = 0;
    virtual Result<CcProfile> cc_profile(const DeviceId &device, uint64_t id) = 0;
    /** @param replace the id must exist, otherwise it must not */
    virtual Result<void> put_cc_profile(const DeviceId &device, const CcProfile &profile,
                                        bool replace) = 0;
    virtual Result<void> delete_cc_profile(const DeviceId &device, uint64_t id) = 0;

    virtual Result<std::vector<Route>> routes(const OptionalDevice &device) = 0;
    virtual Result<RouteMatch> match_route(const DeviceId &device, const Address &gid) = 0;
    /** @param replace a route of this prefix may exist */
    virtual Result<void> put_route(const DeviceId &device, const Route &route, bool replace) = 0;
    virtual Result<void> delete_route(const DeviceId &device, const Prefix &prefix) = 0;

    virtual Result<std::vector<Peer>> peers(const OptionalDevice &device,
                                            std::optional<Address> remote_gid) = 0;
    virtual Result<std::vector<PeerEv>> peer_evs(const OptionalDevice &device,
                                                 std::optional<Address> remote_gid) = 0;

    /**
     * Probe the EVs to a remote GID, and wait for the answers. Needs CAP_NET_ADMIN.
     *
     * ENOENT: no route and no peer in use that would name a profile, no such profile or EV.
     * ENETUNREACH: there is no EV to probe. EBUSY: the device has as many requests as may be.
     * ENOBUFS, ETIMEDOUT: they were sent, but it is not known what became of them. No answer is no
     * error.
     */
    virtual Result<Probe> probe(const DeviceId &device, const ProbeRequest &request) = 0;
    /**
     * Send probes a way that is no EV of a peer, and wait for the answers. Needs CAP_NET_ADMIN.
     *
     * EOPNOTSUPP: the module is older, see MRC_NL_CAPABILITY_RAW_PROBE and _RAW_STATUS. ENOENT: no
     * such plane. EMSGSIZE: no packet on this plane has the size that is asked for. E2BIG: too
     * many. Further as probe(). That one was not sent, or not answered, is no error.
     */
    virtual Result<Probe> probe_raw(const DeviceId &device, const RawProbeRequest &request) = 0;
    /**
     * Several of them, many under way at a time.
     *
     * @param each told what became of each request, as soon as that is known
     * @return why it is not known what becomes of those that were not told
     */
    virtual Result<void> probe_raw_each(const DeviceId &device,
                                        const std::vector<RawProbeRequest> &requests,
                                        const EachProbe &each) = 0;

    virtual Result<std::vector<Qp>> qps(const OptionalDevice &device) = 0;
    virtual Result<Qp> qp(const DeviceId &device, uint32_t qpn) = 0;

    /**
     * Subscribe to events from now on.
     *
     * @param config also to those of what is configured, which may be as many as there are routes;
     *        modules without MRC_NL_CAPABILITY_CONFIG_EVENTS have none
     */
    virtual Result<std::unique_ptr<EventStream>> events(bool config) = 0;
};

} // namespace mrcnl
