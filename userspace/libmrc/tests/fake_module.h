// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * A module that is none, by the rules of the real one, and what the functions of mrc_ctl.h need
 * beside it.
 */
#pragma once

#include <atomic>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fake_verbs.h"
#include "model_kernel.h"

#include <mrc_ctl.h>

namespace mrc::test
{

/** With probes that are answered as a test wants, and events that it makes. */
class FakeModule : public mrcd::test::ModelKernel
{
public:
    std::vector<mrcnl::RawProbeRequest> probes;            ///< that were asked for
    std::map<size_t, mrcnl::Result<mrcnl::Probe>> answers; ///< by request; none: none comes
    std::vector<size_t> order; ///< of answers; none: that of the requests
    std::deque<mrcnl::Event> pending;
    std::string name = "mrc0";               ///< of the device
    std::function<void()> meanwhile = [] {}; ///< between a change of EVs and its answer
    std::atomic<int> opened = 0;
    int open_error = 0;
    int events_error = 0;  ///< of a stream that is to begin
    int peer_ev_error = 0; ///< of what peers see

    FakeModule();
    ~FakeModule() override;
    FakeModule(const FakeModule &) = delete;
    FakeModule &operator=(const FakeModule &) = delete;

    mrcnl::Result<mrcnl::Device> device(const mrcnl::DeviceId &id) override;
    mrcnl::Result<void> replace_ev(const mrcnl::DeviceId &device, const mrcnl::EvPlace &place,
                                   const mrcnl::EvSpec &ev) override
    {
        const auto done = ModelKernel::replace_ev(device, place, ev);

        meanwhile();
        return done;
    }
    mrcnl::Result<void> put_ev_profile(const mrcnl::DeviceId &device,
                                       const mrcnl::EvProfileSpec &spec, bool replace) override
    {
        const auto done = ModelKernel::put_ev_profile(device, spec, replace);

        meanwhile();
        return done;
    }
    mrcnl::Result<void> probe_raw_each(const mrcnl::DeviceId &device,
                                       const std::vector<mrcnl::RawProbeRequest> &requests,
                                       const EachProbe &each) override;
    mrcnl::Result<std::unique_ptr<mrcnl::EventStream>> events(bool config) override;
    mrcnl::Result<std::vector<mrcnl::PeerEv>> peer_evs(const OptionalDevice &device,
                                                       std::optional<mrcnl::Address> gid) override
    {
        if (peer_ev_error)
            return mrcnl::Error{peer_ev_error, "", ""};
        return ModelKernel::peer_evs(device, gid);
    }

    /** An EV of a profile as a peer sees it; in dumps, and as an event. */
    void peer_sees(uint64_t profile, uint16_t index, mrcnl::EvState state, uint8_t peer = 1);
    /** All that peers see is forgotten. */
    void peers_go();
};

/** ns of CLOCK_MONOTONIC. */
uint64_t now_ns();

/** A context of a program that is a controller, and a folder for what it leaves. */
struct ControllerRig {
    FakeVerbs verbs;
    const std::unique_ptr<FakeModule> its_module;
    FakeModule &module;
    std::filesystem::path folder;
    mrc_context *context = nullptr;

    explicit ControllerRig(std::unique_ptr<FakeModule> = std::make_unique<FakeModule>());
    ~ControllerRig();
    ControllerRig(const ControllerRig &) = delete;
    ControllerRig &operator=(const ControllerRig &) = delete;

    /** Ends, and begins again as another program would. */
    void start_anew();

    /** Files of profiles 1 to @p count, as far as there are none: they are counted, not read. */
    void files(const std::string &kind, uint32_t count) const;
    /** An EV format profile that is ONLINE. */
    void format(uint64_t id, mrc_ctl_ev_fmt_mode mode, const std::vector<uint8_t> &widths) const;
    /** An explicit EV profile that is OFFLINE and has no EVs yet. */
    void offline(uint64_t id, uint64_t format, uint32_t count) const;
    /** Steps. @return 0 or errno */
    [[nodiscard]] int step(uint64_t id, mrc_ctl_profile_state state) const;
    [[nodiscard]] int ev_op(uint64_t id, mrc_ctl_ev_op op,
                            std::vector<mrc_ctl_ev_op_entry> &entries) const;
    [[nodiscard]] int replace(uint64_t id, const mrc_ctl_ev &ev, const mrc_ctl_ev &by,
                              int state = 0, uint32_t flags = 0) const;
    [[nodiscard]] int set_state(uint64_t id, const mrc_ctl_ev &ev, mrc_ctl_ev_state state) const;
    /** All that a query says of a profile; fails the test where it fails. */
    [[nodiscard]] mrc_ctl_ev_profile_attr query(uint64_t id) const;
    [[nodiscard]] std::vector<mrc_ctl_ev_op_entry> evs(uint64_t id) const;
    /** An explicit STEV profile that is ONLINE, EVs 1, 2, ... of ports 1, 2, 1, 2, ... */
    void online(uint64_t id, uint32_t count) const;
};

/** EV n, as a number in its first two bytes. */
mrc_ctl_ev ev(uint16_t n, uint8_t port);

/** An attribute, and where it is. */
struct Place {
    int mask;
    size_t offset;
    size_t size;
};

/**
 * Does a query that asks for one attribute leave all others alone?
 *
 * @param attr what the query fills, of @p size bytes @param query of a mask; 0 or errno
 */
void expect_each_alone(void *attr, size_t size, const std::vector<Place> &places,
                       const std::function<int(int mask)> &query);

/** 0, or errno of a call that returned -1. */
int failed(int result);

} // namespace mrc::test
