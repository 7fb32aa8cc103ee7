// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * A fake module that follows the rules of the real one, and all else that tests of mrc_ctl.h need.
 */
#pragma once

#include <atomic>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fake_verbs.h"
#include "model_kernel.h"

#include <mrc_ctl.h>

namespace mrc::test
{

/** A fake module. A test sets the answers to probes, and makes the events. */
class FakeModule : public mrcd::test::ModelKernel
{
public:
    std::vector<mrcnl::RawProbeRequest> probes;            ///< requests for probes
    std::map<size_t, mrcnl::Result<mrcnl::Probe>> answers; ///< by request; missing: no answer comes
    std::vector<size_t> order; ///< order of answers; empty: the order of the requests
    std::deque<mrcnl::Event> pending;
    std::string name = "mrc0";               ///< the device's name
    std::function<void()> meanwhile = [] {}; ///< called after a change of EVs, before its answer
    std::atomic<int> opened = 0;
    int open_error = 0;
    int events_error = 0;  ///< error of events()
    int peer_ev_error = 0; ///< error of peer_evs()

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

    /** Set a peer's state of an EV, for dumps, and make the event of the change. */
    void peer_sees(uint64_t profile, uint16_t index, mrcnl::EvState state, uint8_t peer = 1);
    /** Remove all peers, and with them their states of EVs. */
    void peers_go();
};

/** @return ns of CLOCK_MONOTONIC */
uint64_t now_ns();

/** The context of a controller, and a folder for the files that it leaves. */
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

    /** End the controller, and start another one, as another program would. */
    void start_anew();

    /** Make missing files of profiles 1 to @p count. Files are only counted, so they are empty. */
    void files(const std::string &kind, uint32_t count) const;
    /** Make an EV format profile that is ONLINE. */
    void format(uint64_t id, mrc_ctl_ev_fmt_mode mode, const std::vector<uint8_t> &widths) const;
    /** Make an explicit EV profile that is OFFLINE and has no EVs yet. */
    void offline(uint64_t id, uint64_t format, uint32_t count) const;
    /** Move an EV profile to a state. @return 0 or errno */
    [[nodiscard]] int step(uint64_t id, mrc_ctl_profile_state state) const;
    [[nodiscard]] int ev_op(uint64_t id, mrc_ctl_ev_op op,
                            std::vector<mrc_ctl_ev_op_entry> &entries) const;
    [[nodiscard]] int replace(uint64_t id, const mrc_ctl_ev &ev, const mrc_ctl_ev &by,
                              int state = 0, uint32_t flags = 0) const;
    [[nodiscard]] int set_state(uint64_t id, const mrc_ctl_ev &ev, mrc_ctl_ev_state state) const;
    /** Query all attributes of a profile; a failed query fails the test. */
    [[nodiscard]] mrc_ctl_ev_profile_attr query(uint64_t id) const;
    [[nodiscard]] std::vector<mrc_ctl_ev_op_entry> evs(uint64_t id) const;
    /** Make an explicit STEV profile that is ONLINE: EVs 1, 2, ... on ports 1, 2, 1, 2, ... */
    void online(uint64_t id, uint32_t count) const;
};

/** @return 0, or errno if a call returned -1 */
int failed(int result);

/** A test of profiles of one kind, mostly of the profile @p usual. */
template <typename Attr, auto modify_call, auto query_call, int state, int current, uint64_t usual>
class ProfileTest : public ::testing::Test
{
protected:
    ControllerRig rig;
    Attr attr{.profile_state = MRC_CTL_PROFILE_OFFLINE};

    int modify(int mask, uint64_t id = usual)
    {
        return failed(modify_call(rig.context, id, &attr, mask));
    }
    int query(int mask, uint64_t id = usual)
    {
        return failed(query_call(rig.context, id, &attr, mask));
    }
    int step(mrc_ctl_profile_state to)
    {
        attr.profile_state = to;
        return modify(state);
    }
    mrc_ctl_profile_state now()
    {
        EXPECT_EQ(query(state | current), 0);
        EXPECT_EQ(attr.profile_state, attr.cur_profile_state);
        return attr.profile_state;
    }
};

/** @return an EV with n in its first two bytes */
mrc_ctl_ev ev(uint16_t n, uint8_t port);

/** An attribute, and its place in a structure. */
struct Place {
    int mask;
    size_t offset;
    size_t size;
};

/**
 * Check that a query for one attribute does not change the others.
 *
 * @param attr structure that the query fills, of @p size bytes
 * @param query queries the attributes of a mask; returns 0 or errno
 */
void expect_each_alone(void *attr, size_t size, const std::vector<Place> &places,
                       const std::function<int(int mask)> &query);

} // namespace mrc::test
