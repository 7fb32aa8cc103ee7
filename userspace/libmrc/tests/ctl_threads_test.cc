// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A controller whose program has several threads. Looks for data races (with ThreadSanitizer) and
 * deadlocks.
 */
#include <atomic>
#include <deque>
#include <functional>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "fake_module.h"

namespace mrc::test
{
namespace
{

constexpr int turns = 200;

/** A module for several threads. As the real one, it takes one request after the other. */
class SharedModule : public FakeModule
{
    template <typename Request>
    auto in_turn(Request request)
    {
        const std::lock_guard lock(turn_);

        return request();
    }

public:
    mrcnl::Result<mrcnl::Info> info() override
    {
        return in_turn([&] { return FakeModule::info(); });
    }
    void act_as(mrcnl::Owner owner, bool claim) override
    {
        in_turn([&] { FakeModule::act_as(owner, claim); });
    }
    mrcnl::Result<mrcnl::Device> device(const mrcnl::DeviceId &id) override
    {
        return in_turn([&] { return FakeModule::device(id); });
    }
    mrcnl::Result<std::vector<mrcnl::Plane>> planes(const OptionalDevice &device) override
    {
        return in_turn([&] { return FakeModule::planes(device); });
    }
    mrcnl::Result<std::vector<mrcnl::EvProfile>> ev_profiles(const OptionalDevice &device) override
    {
        return in_turn([&] { return FakeModule::ev_profiles(device); });
    }
    mrcnl::Result<mrcnl::EvProfile> ev_profile(const mrcnl::DeviceId &device, uint64_t id) override
    {
        return in_turn([&] { return FakeModule::ev_profile(device, id); });
    }
    mrcnl::Result<std::vector<mrcnl::Ev>> evs(const OptionalDevice &device,
                                              std::optional<uint64_t> id) override
    {
        return in_turn([&] { return FakeModule::evs(device, id); });
    }
    mrcnl::Result<void> deny_ev(const mrcnl::DeviceId &device, const mrcnl::EvPlace &place,
                                bool deny) override
    {
        return in_turn([&] { return FakeModule::deny_ev(device, place, deny); });
    }
    mrcnl::Result<std::vector<mrcnl::PeerEv>> peer_evs(const OptionalDevice &device,
                                                       std::optional<mrcnl::Address> gid) override
    {
        return in_turn([&] { return FakeModule::peer_evs(device, gid); });
    }
    mrcnl::Result<std::unique_ptr<mrcnl::EventStream>> events(bool) override
    {
        return in_turn([&] {
            return mrcnl::Result<std::unique_ptr<mrcnl::EventStream>>(
                std::make_unique<Stream>(*this));
        });
    }
    /** As peer_sees() for profile 1; the event goes to all streams. */
    void sees(uint16_t index, mrcnl::EvState state)
    {
        in_turn([&] {
            peer_sees(1, index, state);
            for (Stream *stream : streams_)
                stream->pending.push_back(pending.back());
            pending.clear();
        });
    }

private:
    /** A stream of the events that happen after its creation. */
    class Stream : public mrcnl::EventStream
    {
    public:
        explicit Stream(SharedModule &module) : module_(module) { module.streams_.insert(this); }
        ~Stream() override
        {
            module_.in_turn([&] { module_.streams_.erase(this); });
        }
        Stream(const Stream &) = delete;
        Stream &operator=(const Stream &) = delete;
        [[nodiscard]] int fd() const override { return -1; }
        mrcnl::Result<void> receive(const std::function<void(const mrcnl::Event &)> &each) override
        {
            const auto events = module_.in_turn([&] { return std::exchange(pending, {}); });

            for (const mrcnl::Event &event : events)
                each(event);
            return {};
        }

        std::deque<mrcnl::Event> pending;

    private:
        SharedModule &module_;
    };

    std::recursive_mutex turn_; ///< recursive: some functions call another one
    std::set<Stream *> streams_;
};

class CtlThreadsTest : public ::testing::Test
{
protected:
    SharedModule *module = new SharedModule;
    ControllerRig rig{std::unique_ptr<FakeModule>(module)};
    mrc_cq *events = nullptr;

    void SetUp() override
    {
        rig.online(1, 4);
        events = mrc_ctl_create_ev_event_cq(rig.context, 64, nullptr, nullptr, 0);
        ASSERT_TRUE(events);
    }
    void TearDown() override { EXPECT_EQ(mrc_destroy_cq(events), 0); }

    /** Run each function in a thread of its own, again and again, and wait for all. */
    static void together(const std::vector<std::function<void(int)>> &all)
    {
        std::vector<std::thread> threads;

        threads.reserve(all.size());
        for (const auto &one : all)
            threads.emplace_back([&one] {
                for (int i = 0; i < turns && !HasFatalFailure(); i++)
                    one(i);
            });
        for (std::thread &thread : threads)
            thread.join();
    }

    void denies_and_allows(uint16_t n, int turn) const
    {
        ASSERT_EQ(rig.set_state(1, ev(n, 1), turn % 2 ? MRC_CTL_EV_GOOD : MRC_CTL_EV_DENIED), 0);
    }
    static void queries(mrc_context *context)
    {
        mrc_ctl_ev_op_entry entries[4]{};
        mrc_ctl_ev_profile_attr attr{};
        mrc_ctl_port_attr port{};

        attr.ev_op = {MRC_CTL_EV_OP_QUERY_EV_ARRAY, entries, 4};
        ASSERT_EQ(failed(mrc_ctl_query_ev_profile(context, 1, &attr, MRC_CTL_EV_PROFILE_EV_OP)), 0);
        ASSERT_EQ(attr.ev_op.entry_count, 4);
        ASSERT_EQ(failed(mrc_ctl_query_port(context, 1, &port, MRC_CTL_PORT_ADMIN_STATE)), 0);
    }
    void is_seen(int turn) const
    {
        module->sees(1, turn % 2 ? mrcnl::EvState::good : mrcnl::EvState::assumed_bad);
    }
    /** @return number of events */
    int polls()
    {
        mrc_ctl_ev_event found[4]{};
        const int many = mrc_ctl_poll_ev_event(events, 4, found);

        EXPECT_GE(many, 0);
        for (int i = 0; i < many; i++) {
            EXPECT_EQ(found[i].profile_id, 1u);
            EXPECT_EQ(found[i].ev.val[1], 3);
        }
        return many;
    }
    void makes_and_destroys_queues() const
    {
        mrc_cq *cq = mrc_ctl_create_ev_event_cq(rig.context, 2, nullptr, nullptr, 0);

        ASSERT_TRUE(cq);
        ASSERT_EQ(mrc_destroy_cq(cq), 0);
    }
};

TEST_F(CtlThreadsTest, OneContext)
{
    together({[this](int turn) { denies_and_allows(1, turn); },
              [this](int turn) { denies_and_allows(3, turn); },
              [this](int) { queries(rig.context); }, [this](int) { queries(rig.context); }});
    EXPECT_EQ(rig.evs(1)[0].state, MRC_CTL_EV_GOOD) << "the last one allowed it";
}

/* A second context only queries, because the first one is the controller. */
TEST_F(CtlThreadsTest, EventsMeanwhile)
{
    mrc_context *other = mrc_create_context(&rig.verbs.context, nullptr);
    std::atomic<int> polled = 0;

    ASSERT_TRUE(other);
    together({[this](int turn) { denies_and_allows(1, turn); }, [this](int turn) { is_seen(turn); },
              [&](int) { polled += polls(); }, [&](int) { polled += polls(); },
              [this](int) { makes_and_destroys_queues(); },
              [this](int) { makes_and_destroys_queues(); }, [&](int) { queries(other); }});
    while (const int many = polls())
        polled += many;
    EXPECT_GT(polled, 0);
    EXPECT_EQ(polled % 2, 0) << "it went bad as often as it came back";
    EXPECT_EQ(mrc_destroy_context(other), 0);
}

} // namespace

} // namespace mrc::test
