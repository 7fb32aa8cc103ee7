// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * The kernel module as typed requests. An interface, so that its users can be tested without a
 * kernel.
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
     * Calls @p each for all events that have arrived. Does not block.
     *
     * If events were lost, an Overrun follows the others. A caller that then reads all objects anew
     * is up to date.
     */
    virtual Result<void> receive(const std::function<void(const Event &)> &each) = 0;
};

/**
 * Requests to the module, in the network namespace in which this object was created.
 *
 * A device that is left out means all devices. Changes need CAP_NET_ADMIN in the namespace (EPERM).
 */
class Kernel
{
public:
    using OptionalDevice = std::optional<DeviceId>;
    /** @param request index of the request */
    using EachProbe = std::function<void(size_t request, const Result<Probe> &probe)>;

    virtual ~Kernel() = default;

    virtual Result<Info> info() = 0;

    /**
     * Set the owner of all planes, profiles and routes that are made or changed from now on.
     * Deleting an object, or denying an EV of a profile, fails (ESTALE) unless the object belongs
     * to this owner, to the kernel or to nobody.
     *
     * @param owner empty: new objects belong to nobody; all objects may be changed, and keep their
     *        owner. A module that knows no owners (MRC_NL_CAPABILITY_OWNER) is sent none.
     * @param claim true: changing an object of another owner fails, too. False: the change makes
     *        the object @p owner's
     */
    virtual void act_as(Owner owner, bool claim) = 0;

    virtual Result<std::vector<Device>> devices() = 0;
    virtual Result<Device> device(const DeviceId &device) = 0;
    virtual Result<void> set_device(const DeviceId &device, const DeviceSettings &change) = 0;

    virtual Result<std::vector<Plane>> planes(const OptionalDevice &device) = 0;
    /** @param port empty: the lowest free one, which the answer names */
    virtual Result<Plane> add_plane(const DeviceId &device, std::optional<uint8_t> port,
                                    uint32_t ifindex) = 0;
    /** @param up empty: the state stays, and only the owner changes */
    virtual Result<void> set_plane(const DeviceId &device, uint8_t port,
                                   std::optional<bool> up) = 0;
    virtual Result<void> delete_plane(const DeviceId &device, uint8_t port) = 0;

    virtual Result<std::vector<EvProfile>> ev_profiles(const OptionalDevice &device) = 0;
    virtual Result<EvProfile> ev_profile(const DeviceId &device, uint64_t id) = 0;
    /** @param replace true: the id must exist. False: it must not exist */
    virtual Result<void> put_ev_profile(const DeviceId &device, const EvProfileSpec &spec,
                                        bool replace) = 0;
    virtual Result<void> delete_ev_profile(const DeviceId &device, uint64_t id) = 0;

    virtual Result<std::vector<Ev>> evs(const OptionalDevice &device,
                                        std::optional<uint64_t> ev_profile) = 0;
    virtual Result<void> deny_ev(const DeviceId &device, const EvPlace &place, bool deny) = 0;
    /**
     * Add an EV to an explicit profile, as the last one of its port. The other EVs keep their
     * state.
     *
     * @param version of the profile, as in EvPlace
     */
    virtual Result<void> add_ev(const DeviceId &device, uint64_t ev_profile, const EvSpec &ev,
                                std::optional<uint32_t> version) = 0;
    /** If @p ev has another port, the index of the EV may change. */
    virtual Result<void> replace_ev(const DeviceId &device, const EvPlace &place,
                                    const EvSpec &ev) = 0;
    /** EINVAL: the EV is the last one, or min-active or active need all EVs that there are. */
    virtual Result<void> delete_ev(const DeviceId &device, const EvPlace &place) = 0;

    virtual Result<std::vector<CcProfile>> cc_profiles(const OptionalDevice &device) = 0;
    virtual Result<CcProfile> cc_profile(const DeviceId &device, uint64_t id) = 0;
    /** @param replace true: the id must exist. False: it must not exist */
    virtual Result<void> put_cc_profile(const DeviceId &device, const CcProfile &profile,
                                        bool replace) = 0;
    virtual Result<void> delete_cc_profile(const DeviceId &device, uint64_t id) = 0;

    virtual Result<std::vector<Route>> routes(const OptionalDevice &device) = 0;
    virtual Result<RouteMatch> match_route(const DeviceId &device, const Address &gid) = 0;
    /** @param replace true: a route of this prefix may exist */
    virtual Result<void> put_route(const DeviceId &device, const Route &route, bool replace) = 0;
    virtual Result<void> delete_route(const DeviceId &device, const Prefix &prefix) = 0;

    virtual Result<std::vector<Peer>> peers(const OptionalDevice &device,
                                            std::optional<Address> remote_gid) = 0;
    virtual Result<std::vector<PeerEv>> peer_evs(const OptionalDevice &device,
                                                 std::optional<Address> remote_gid) = 0;

    /**
     * Probe the EVs to a remote GID, and wait for the answers. Needs CAP_NET_ADMIN.
     *
     * ENOENT: neither a route nor a peer in use names a profile, or there is no such profile or EV.
     * ENETUNREACH: there is no EV to probe. EBUSY: the device has the most requests that it can
     * have. ENOBUFS, ETIMEDOUT: the probes were sent, but their results are not known. A probe
     * without an answer is no error.
     */
    virtual Result<Probe> probe(const DeviceId &device, const ProbeRequest &request) = 0;
    /**
     * Send probes along a path that need not be an EV of any peer, and wait for the answers. Needs
     * CAP_NET_ADMIN.
     *
     * EOPNOTSUPP: the module is older, see MRC_NL_CAPABILITY_RAW_PROBE and _RAW_STATUS. ENOENT: no
     * such plane. EMSGSIZE: packets on this plane cannot have the requested size. E2BIG: too many
     * probes. Other errors are those of probe(). A probe that was not sent, or not answered, is no
     * error.
     */
    virtual Result<Probe> probe_raw(const DeviceId &device, const RawProbeRequest &request) = 0;
    /**
     * Runs many raw probe requests, several at a time.
     *
     * @param each called with the result of each request, as soon as it is known
     * @return why the results for which @p each was not called are not known
     */
    virtual Result<void> probe_raw_each(const DeviceId &device,
                                        const std::vector<RawProbeRequest> &requests,
                                        const EachProbe &each) = 0;

    virtual Result<std::vector<Qp>> qps(const OptionalDevice &device) = 0;
    virtual Result<Qp> qp(const DeviceId &device, uint32_t qpn) = 0;

    /**
     * Subscribe to events from now on.
     *
     * @param config true: also to events of configured objects, which may be as many as there are
     *        routes. Modules without MRC_NL_CAPABILITY_CONFIG_EVENTS have no such events
     */
    virtual Result<std::unique_ptr<EventStream>> events(bool config) = 0;
};

} // namespace mrcnl
