// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "fake_module.h"

#include <cstdlib>
#include <cstring>
#include <fstream>

#include <gtest/gtest.h>

#include "base/netlink.h"

namespace mrc
{

namespace
{

test::FakeModule *current;

} // namespace

mrcnl::Result<std::shared_ptr<mrcnl::Kernel>> open_kernel()
{
    current->opened++;
    if (current->open_error)
        return mrcnl::Error{current->open_error, "", ""};
    return std::shared_ptr<mrcnl::Kernel>(std::shared_ptr<mrcnl::Kernel>(), current);
}

namespace test
{

namespace
{

/** Delivers the events that a test has put into pending. */
class FakeStream : public mrcnl::EventStream
{
public:
    explicit FakeStream(std::deque<mrcnl::Event> &events) : events_(events) {}

    [[nodiscard]] int fd() const override { return -1; }
    mrcnl::Result<void> receive(const std::function<void(const mrcnl::Event &)> &each) override
    {
        for (const mrcnl::Event &event : std::exchange(events_, {}))
            each(event);
        return {};
    }

private:
    std::deque<mrcnl::Event> &events_;
};

mrcnl::PeerKey key(uint64_t profile, uint8_t peer)
{
    mrcnl::PeerKey key;

    key.remote_gid.bytes[15] = peer;
    key.ev_profile = profile;
    return key;
}

} // namespace

uint64_t now_ns()
{
    timespec now{};

    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

FakeModule::FakeModule()
{
    current = this;
    exists = true;
    plane_ifindex = {{1, 1}, {2, 2}};
    acting = {};
}

FakeModule::~FakeModule()
{
    current = nullptr;
}

mrcnl::Result<mrcnl::Device> FakeModule::device(const mrcnl::DeviceId &id)
{
    // A look-up by index always finds the device, a look-up by name only with the right name.
    if (!id.index() && id.name() != name)
        return mrcnl::Error{ENODEV, "", ""};
    return ModelKernel::device(mrcnl::DeviceRef{1, name});
}

mrcnl::Result<void> FakeModule::probe_raw_each(const mrcnl::DeviceId &,
                                               const std::vector<mrcnl::RawProbeRequest> &requests,
                                               const EachProbe &each)
{
    probes = requests;
    std::vector<size_t> all = order;
    for (size_t i = 0; order.empty() && i < requests.size(); i++)
        all.push_back(i);
    for (const size_t i : all) {
        mrcnl::Probe none;
        none.results.emplace_back();
        const auto answer = answers.find(i);
        each(i, answer == answers.end() ? mrcnl::Result<mrcnl::Probe>(none) : answer->second);
    }
    return {};
}

mrcnl::Result<std::unique_ptr<mrcnl::EventStream>> FakeModule::events(bool)
{
    if (events_error)
        return mrcnl::Error{events_error, "", ""};
    return std::unique_ptr<mrcnl::EventStream>(std::make_unique<FakeStream>(pending));
}

void FakeModule::peer_sees(uint64_t profile, uint16_t index, mrcnl::EvState state, uint8_t peer)
{
    mrcnl::PeerEvEvent event;
    mrcnl::PeerEv seen;

    event.device = {1, "mrc0"};
    event.key = key(profile, peer);
    event.index = index;
    event.state = state;
    event.time = now_ns();
    pending.emplace_back(event);
    seen.key = event.key;
    seen.index = index;
    seen.state = state;
    std::erase_if(peer_ev_list, [&](const mrcnl::PeerEv &known) {
        return known.key == seen.key && known.index == index;
    });
    peer_ev_list.push_back(seen);
}

void FakeModule::peers_go()
{
    peer_ev_list.clear();
}

ControllerRig::ControllerRig(std::unique_ptr<FakeModule> its_module)
    : its_module(std::move(its_module)), module(*this->its_module)
{
    char name[] = "/tmp/mrc-ctl-XXXXXX";

    EXPECT_TRUE(mkdtemp(name));
    folder = name;
    setenv("MRC_CTL_DIR", name, 1);
    context = mrc_create_context(&verbs.context, nullptr);
    EXPECT_TRUE(context);
}

ControllerRig::~ControllerRig()
{
    EXPECT_EQ(mrc_destroy_context(context), 0);
    unsetenv("MRC_CTL_DIR");
    std::filesystem::remove_all(folder);
}

void ControllerRig::start_anew()
{
    EXPECT_EQ(mrc_destroy_context(context), 0);
    context = mrc_create_context(&verbs.context, nullptr);
}

void ControllerRig::files(const std::string &kind, uint32_t count) const
{
    for (uint32_t id = 1; id <= count; id++)
        std::ofstream(folder / "1" / (kind + "-" + std::to_string(id) + ".json"), std::ios::app);
}

void ControllerRig::format(uint64_t id, mrc_ctl_ev_fmt_mode mode,
                           const std::vector<uint8_t> &widths) const
{
    std::vector<mrc_ctl_ev_fmt_field> fields;
    mrc_ctl_ev_fmt_profile_attr attr{};

    for (const uint8_t width : widths)
        fields.push_back({width});
    attr.profile_state = MRC_CTL_PROFILE_OFFLINE;
    attr.ev_fmt_mode = mode;
    attr.ev_fmt_op = {MRC_CTL_EV_FMT_OP_MODIFY_FIELDS, fields.data(),
                      static_cast<int>(fields.size())};
    ASSERT_EQ(mrc_ctl_modify_ev_fmt_profile(context, id, &attr,
                                            MRC_CTL_EV_FMT_PROFILE_STATE |
                                                MRC_CTL_EV_FMT_PROFILE_MODE |
                                                MRC_CTL_EV_FMT_PROFILE_OP),
              0);
    attr.profile_state = MRC_CTL_PROFILE_ONLINE;
    ASSERT_EQ(mrc_ctl_modify_ev_fmt_profile(context, id, &attr, MRC_CTL_EV_FMT_PROFILE_STATE), 0);
}

void ControllerRig::offline(uint64_t id, uint64_t format, uint32_t count) const
{
    mrc_ctl_ev_profile_attr attr{};

    attr.profile_state = MRC_CTL_PROFILE_OFFLINE;
    attr.ev_mode = MRC_CTL_EV_MODE_EXP;
    attr.ev_fmt_profile_id = format;
    attr.ev_count = count;
    attr.ev_min_active = count / 4;
    attr.ev_event_mask = MRC_CTL_EV_GOOD | MRC_CTL_EV_ASSUMED_BAD;
    ASSERT_EQ(failed(mrc_ctl_modify_ev_profile(
                  context, id, &attr,
                  MRC_CTL_EV_PROFILE_STATE | MRC_CTL_EV_PROFILE_MODE | MRC_CTL_EV_PROFILE_FMT_ID |
                      MRC_CTL_EV_PROFILE_COUNT | MRC_CTL_EV_PROFILE_MIN_ACTIVE |
                      MRC_CTL_EV_PROFILE_EVENT_MASK)),
              0);
}

int ControllerRig::step(uint64_t id, mrc_ctl_profile_state state) const
{
    mrc_ctl_ev_profile_attr attr{};

    attr.profile_state = state;
    return failed(mrc_ctl_modify_ev_profile(context, id, &attr, MRC_CTL_EV_PROFILE_STATE));
}

int ControllerRig::ev_op(uint64_t id, mrc_ctl_ev_op op,
                         std::vector<mrc_ctl_ev_op_entry> &entries) const
{
    mrc_ctl_ev_profile_attr attr{};

    attr.ev_op = {op, entries.data(), static_cast<int>(entries.size())};
    return failed(mrc_ctl_modify_ev_profile(context, id, &attr, MRC_CTL_EV_PROFILE_EV_OP));
}

int ControllerRig::replace(uint64_t id, const mrc_ctl_ev &ev, const mrc_ctl_ev &by, int state,
                           uint32_t flags) const
{
    std::vector<mrc_ctl_ev_op_entry> entries{{ev, by, static_cast<mrc_ctl_ev_state>(state), flags}};

    return ev_op(id, MRC_CTL_EV_OP_REPLACE_EV, entries);
}

int ControllerRig::set_state(uint64_t id, const mrc_ctl_ev &ev, mrc_ctl_ev_state state) const
{
    std::vector<mrc_ctl_ev_op_entry> entries{{ev, {}, state, 0}};

    return ev_op(id, MRC_CTL_EV_OP_MODIFY_EV_STATE, entries);
}

mrc_ctl_ev_profile_attr ControllerRig::query(uint64_t id) const
{
    mrc_ctl_ev_profile_attr attr{};

    EXPECT_EQ(failed(mrc_ctl_query_ev_profile(
                  context, id, &attr,
                  MRC_CTL_EV_PROFILE_STATE | MRC_CTL_EV_PROFILE_CUR_STATE |
                      MRC_CTL_EV_PROFILE_MODE | MRC_CTL_EV_PROFILE_FMT_ID |
                      MRC_CTL_EV_PROFILE_COUNT | MRC_CTL_EV_PROFILE_MIN_ACTIVE |
                      MRC_CTL_EV_PROFILE_EVENT_MASK | MRC_CTL_EV_PROFILE_VENDOR_CFG)),
              0);
    EXPECT_EQ(attr.profile_state, attr.cur_profile_state);
    return attr;
}

std::vector<mrc_ctl_ev_op_entry> ControllerRig::evs(uint64_t id) const
{
    std::vector<mrc_ctl_ev_op_entry> entries(256);
    mrc_ctl_ev_profile_attr attr{};

    attr.ev_op = {MRC_CTL_EV_OP_QUERY_EV_ARRAY, entries.data(), 256};
    EXPECT_EQ(failed(mrc_ctl_query_ev_profile(context, id, &attr, MRC_CTL_EV_PROFILE_EV_OP)), 0);
    entries.resize(static_cast<size_t>(attr.ev_op.entry_count));
    return entries;
}

void ControllerRig::online(uint64_t id, uint32_t count) const
{
    format(13, MRC_CTL_EV_FMT_MODE_STEV, {16, 16});
    offline(id, 13, count);
    for (uint32_t i = 0; i < count; i++)
        ASSERT_EQ(
            replace(id, {}, ev(static_cast<uint16_t>(i + 1), static_cast<uint8_t>(1 + i % 2))), 0);
    ASSERT_EQ(step(id, MRC_CTL_PROFILE_ONLINE), 0);
}

mrc_ctl_ev ev(uint16_t n, uint8_t port)
{
    mrc_ctl_ev ev{};

    ev.val[0] = static_cast<uint8_t>(n >> 8);
    ev.val[1] = static_cast<uint8_t>(n);
    ev.port = port;
    return ev;
}

void expect_each_alone(void *attr, size_t size, const std::vector<Place> &places,
                       const std::function<int(int mask)> &query)
{
    constexpr int untouched = 0x5a;
    const auto *bytes = static_cast<const uint8_t *>(attr);

    for (const Place &place : places) {
        memset(attr, untouched, size);
        ASSERT_EQ(query(place.mask), 0) << place.mask;
        for (size_t i = 0; i < size; i++) {
            const bool asked_for = i >= place.offset && i < place.offset + place.size;
            EXPECT_EQ(bytes[i] == untouched, !asked_for) << place.mask << ": byte " << i;
        }
    }
}

int failed(int result)
{
    return result ? errno : 0;
}

} // namespace test

} // namespace mrc
