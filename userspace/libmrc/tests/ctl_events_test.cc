// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Events of EVs that change. */
#include <climits>
#include <fstream>
#include <utility>

#include <gtest/gtest.h>

#include "fake_module.h"

// The function that mrc_ctl.h declares for programs of version 1.0.0.
extern "C" int mrc_ctl_poll_ev_event_v100(mrc_cq *, int, void *);

namespace mrc::test
{
namespace
{

using mrcnl::EvState;

/** "profile/first byte of the EV/port/state", with "!" before it if events were lost. */
std::string text(const mrc_ctl_ev_event &event)
{
    return (event.drop_count ? "!" : "") + std::to_string(event.profile_id) + "/" +
           std::to_string(event.ev.val[1]) + "/" + std::to_string(event.ev.port) + "/" +
           (event.state == MRC_CTL_EV_GOOD          ? "good"
            : event.state == MRC_CTL_EV_ASSUMED_BAD ? "bad"
                                                    : "?");
}

using Events = std::vector<std::string>;

class EventsTest : public ::testing::Test
{
protected:
    ControllerRig rig;
    mrc_cq *cq = nullptr;

    void SetUp() override
    {
        rig.online(1, 4);
        cq = mrc_ctl_create_ev_event_cq(rig.context, 8, nullptr, nullptr, 0);
        ASSERT_TRUE(cq);
    }

    Events poll(int room = 16)
    {
        std::vector<mrc_ctl_ev_event> events(16);
        Events found;
        const int count = mrc_ctl_poll_ev_event(cq, room, events.data());
        if (count < 0)
            return {std::to_string(-count)};
        for (int i = 0; i < count; i++)
            found.push_back(text(events[static_cast<size_t>(i)]));
        return found;
    }
    void mask(int events) const
    {
        mrc_ctl_ev_profile_attr attr{};
        attr.ev_event_mask = events;
        ASSERT_EQ(
            failed(mrc_ctl_modify_ev_profile(rig.context, 1, &attr, MRC_CTL_EV_PROFILE_EVENT_MASK)),
            0);
    }
    /** Make the kernel's event of a profile that was changed. */
    void changed(uint64_t id, bool gone = false)
    {
        mrcnl::ConfigEvent<mrcnl::EvProfile> event;
        event.is.device = {1, "mrc0"};
        event.is.id = id;
        event.is.mode = mrcnl::EvMode::explicit_list;
        event.gone = gone;
        event.time = now_ns();
        rig.module.pending.emplace_back(event);
    }
};

TEST_F(EventsTest, OnePeerIsEnough)
{
    EXPECT_EQ(poll(), Events());
    rig.module.peer_sees(1, 0, EvState::assumed_bad, 1);
    rig.module.peer_sees(1, 0, EvState::assumed_bad, 2);
    EXPECT_EQ(poll(), Events{"1/1/1/bad"}) << "once";
    rig.module.peer_sees(1, 0, EvState::good, 1);
    EXPECT_EQ(poll(), Events()) << "it is bad to the other one";
    rig.module.peer_sees(1, 0, EvState::good, 2);
    EXPECT_EQ(poll(), Events{"1/1/1/good"});
    EXPECT_EQ(poll(), Events());
}

TEST_F(EventsTest, AllThatHappensIsTold)
{
    rig.module.peer_sees(1, 1, EvState::assumed_bad);
    rig.module.peer_sees(1, 1, EvState::good);
    rig.module.peer_sees(1, 3, EvState::held);
    EXPECT_EQ(poll(), (Events{"1/3/1/bad", "1/3/1/good", "1/4/2/bad"}))
        << "in order, EVs as the program numbers them";
}

TEST_F(EventsTest, WhatIsNoChangeIsNot)
{
    rig.module.peer_sees(1, 0, EvState::skip);
    rig.module.peer_sees(1, 0, EvState::good);
    rig.module.peer_sees(1, 9, EvState::assumed_bad);
    rig.module.peer_sees(7, 0, EvState::assumed_bad);
    EXPECT_EQ(poll(), Events());
    std::get<mrcnl::PeerEvEvent>(rig.module.pending.emplace_back(mrcnl::PeerEvEvent())).device = {
        2, "mrc1"};
    EXPECT_EQ(poll(), Events()) << "of another device";
}

TEST_F(EventsTest, TheMaskOfTheProfile)
{
    mask(MRC_CTL_EV_ASSUMED_BAD);
    rig.module.peer_sees(1, 0, EvState::assumed_bad);
    rig.module.peer_sees(1, 0, EvState::good);
    EXPECT_EQ(poll(), Events{"1/1/1/bad"});
    mask(0);
    rig.module.peer_sees(1, 0, EvState::assumed_bad);
    EXPECT_EQ(poll(), Events());
    mask(MRC_CTL_EV_GOOD);
    rig.module.peer_sees(1, 0, EvState::good);
    EXPECT_EQ(poll(), Events{"1/1/1/good"});
}

TEST_F(EventsTest, WhatIsDeniedIsNeither)
{
    rig.module.peer_sees(1, 0, EvState::assumed_bad);
    ASSERT_EQ(poll(), Events{"1/1/1/bad"});
    ASSERT_EQ(rig.set_state(1, ev(1, 1), MRC_CTL_EV_DENIED), 0);
    mrcnl::EvEvent denied;
    denied.ev = {{1, "mrc0"}, 1, 0, {1, {}, true}};
    denied.time = now_ns();
    rig.module.pending.emplace_back(denied);
    rig.module.peer_sees(1, 0, EvState::denied);
    EXPECT_EQ(poll(), Events());
    denied.ev.spec.denied = false;
    denied.time = now_ns();
    rig.module.pending.emplace_back(denied);
    EXPECT_EQ(poll(), Events{"1/1/1/good"}) << "allowed again";
}

TEST_F(EventsTest, TheLatestAreLostWhenThereAreTooMany)
{
    for (int i = 0; i < 5; i++) {
        rig.module.peer_sees(1, 0, EvState::assumed_bad);
        rig.module.peer_sees(1, 0, EvState::good);
    }
    EXPECT_EQ(poll().size(), 8u);
    rig.module.peer_sees(1, 1, EvState::assumed_bad);
    rig.module.peer_sees(1, 1, EvState::good);
    EXPECT_EQ(poll(), (Events{"!1/3/1/bad", "1/3/1/good"})) << "the first one afterwards says so";
}

TEST_F(EventsTest, WhatThereWasNoRoomForIsToldWhenThereIs)
{
    EXPECT_EQ(mrc_destroy_cq(cq), 0);
    cq = mrc_ctl_create_ev_event_cq(rig.context, 1, nullptr, nullptr, 0);
    ASSERT_TRUE(cq);
    for (uint16_t i = 0; i < 4; i++)
        rig.module.peer_sees(1, i, EvState::assumed_bad);
    Events told;
    for (int polls = 0; polls < 10; polls++)
        for (const std::string &event : poll())
            told.push_back(event);
    EXPECT_EQ(told, (Events{"1/1/1/bad", "!1/3/1/bad", "!1/2/2/bad", "!1/4/2/bad"}))
        << "though nothing more happens";
    EXPECT_EQ(poll(), Events());
}

TEST_F(EventsTest, ABrokenProfileKeepsNobodyFromTheOthers)
{
    rig.offline(2, 13, 2);
    ASSERT_EQ(rig.replace(2, {}, ev(5, 1)), 0);
    ASSERT_EQ(rig.replace(2, {}, ev(6, 1)), 0);
    ASSERT_EQ(rig.step(2, MRC_CTL_PROFILE_ONLINE), 0);
    changed(2);
    ASSERT_EQ(poll(), Events());
    std::ofstream(rig.folder / "1" / "ev-1.json") << "{\"state\":\"what\"}";
    rig.module.peer_sees(1, 0, EvState::assumed_bad);
    rig.module.peer_sees(2, 1, EvState::assumed_bad);
    EXPECT_EQ(poll(), Events{"2/6/1/bad"});
    changed(1);
    ASSERT_EQ(rig.replace(2, ev(6, 1), ev(7, 1)), 0);
    changed(2);
    rig.module.peer_ev_list.clear();
    EXPECT_EQ(poll(), Events());
    rig.module.peer_sees(2, 1, EvState::assumed_bad);
    rig.module.peer_sees(1, 1, EvState::assumed_bad);
    EXPECT_EQ(poll(), Events{"2/7/1/bad"}) << "by its name now; of the broken one nothing is known";
    rig.module.pending.emplace_back(mrcnl::Overrun());
    rig.module.peer_sees(2, 0, EvState::assumed_bad);
    EXPECT_EQ(poll(), Events{"!2/5/1/bad"});
    mrc_cq *another = mrc_ctl_create_ev_event_cq(rig.context, 8, nullptr, nullptr, 0);
    EXPECT_TRUE(another);
    EXPECT_EQ(mrc_destroy_cq(another), 0);
}

TEST_F(EventsTest, AnAutomaticOneInItsPlace)
{
    mrcnl::ConfigEvent<mrcnl::EvProfile> event;

    event.is.device = {1, "mrc0"};
    event.is.id = 1;
    event.is.mode = mrcnl::EvMode::automatic;
    event.time = now_ns();
    rig.module.pending.emplace_back(event);
    rig.module.peer_sees(1, 0, EvState::assumed_bad);
    EXPECT_EQ(poll(), Events());
}

TEST_F(EventsTest, AFewAtATime)
{
    rig.module.peer_sees(1, 0, EvState::assumed_bad);
    rig.module.peer_sees(1, 1, EvState::assumed_bad);
    EXPECT_EQ(poll(1), Events{"1/1/1/bad"});
    EXPECT_EQ(poll(0), Events());
    EXPECT_EQ(poll(1), Events{"1/3/1/bad"});
    EXPECT_EQ(poll(-1), Events{"22"});
    mrc_ctl_ev_event event;
    EXPECT_EQ(mrc_ctl_poll_ev_event(cq, INT_MAX, &event), 0) << "as many as it may be";
}

TEST_F(EventsTest, WhatTheKernelLostIsReadAnew)
{
    rig.module.peer_sees(1, 0, EvState::assumed_bad);
    rig.module.pending.clear();
    rig.module.pending.emplace_back(mrcnl::Overrun());
    EXPECT_EQ(poll(), Events{"!1/1/1/bad"});
    EXPECT_EQ(poll(), Events());
    rig.module.peer_sees(1, 0, EvState::good);
    rig.module.peer_sees(1, 0, EvState::assumed_bad);
    EXPECT_EQ(poll(), (Events{"1/1/1/good", "1/1/1/bad"})) << "each event counts again";
}

TEST_F(EventsTest, ProfilesThatWentUnheard)
{
    const auto stored = rig.module.profiles;

    rig.module.profiles.clear();
    rig.module.pending.emplace_back(mrcnl::Overrun());
    EXPECT_EQ(poll(), Events());
    rig.module.peer_sees(1, 0, EvState::assumed_bad);
    EXPECT_EQ(poll(), Events()) << "an event of before: there is none";
    rig.module.profiles = stored;
    changed(1);
    EXPECT_EQ(poll(), Events{"!1/1/1/bad"}) << "the first one after the loss";
    rig.module.profiles.clear();
    changed(1);
    rig.module.peer_sees(1, 1, EvState::assumed_bad);
    EXPECT_EQ(poll(), Events()) << "it went while it was to be read";
    rig.module.peer_sees(1, 2, EvState::assumed_bad);
    EXPECT_EQ(poll(), Events());
}

TEST_F(EventsTest, OneEvThatIsThereTwice)
{
    rig.offline(2, 13, 2);
    ASSERT_EQ(rig.replace(2, {}, ev(5, 1)), 0);
    ASSERT_EQ(rig.replace(2, {}, ev(5, 1)), 0);
    ASSERT_EQ(rig.step(2, MRC_CTL_PROFILE_ONLINE), 0);
    changed(2);
    rig.module.peer_sees(2, 1, EvState::assumed_bad);
    EXPECT_EQ(poll(), Events{"2/5/1/bad"});
    changed(2);
    EXPECT_EQ(poll(), Events()) << "it is told already";
}

TEST_F(EventsTest, WhatFailsIsToldWhenNothingElseIs)
{
    rig.module.peer_sees(1, 0, EvState::assumed_bad);
    changed(2);
    rig.module.peer_ev_error = ENOMEM;
    EXPECT_EQ(poll(), Events{"1/1/1/bad"});
    EXPECT_EQ(poll(), Events{std::to_string(ENOMEM)});
    rig.module.peer_ev_error = 0;
    EXPECT_EQ(poll(), Events());
    rig.module.events_error = EPERM;
    EXPECT_EQ(mrc_ctl_create_ev_event_cq(rig.context, 8, nullptr, nullptr, 0), nullptr);
    EXPECT_EQ(errno, EPERM);
}

/* A profile that was read includes older events, so they are ignored. */
TEST_F(EventsTest, WhatIsOlderThanWhatWasRead)
{
    const uint64_t before = now_ns() - 1'000'000'000;
    const auto older = [&](auto event) {
        event.time = before;
        rig.module.pending.back() = event;
    };

    rig.module.peer_sees(1, 0, EvState::assumed_bad);
    older(std::get<mrcnl::PeerEvEvent>(rig.module.pending.back()));
    EXPECT_EQ(poll(), Events());
    changed(1, true);
    older(std::get<mrcnl::ConfigEvent<mrcnl::EvProfile>>(rig.module.pending.back()));
    rig.module.peer_sees(1, 1, EvState::assumed_bad);
    EXPECT_EQ(poll(), Events{"1/3/1/bad"}) << "it has not gone";
}

/* An EV that was bad before the queue was made is no event; its return to good is one. */
TEST_F(EventsTest, WhatThereWasBefore)
{
    ASSERT_EQ(mrc_destroy_cq(cq), 0);
    rig.module.peer_sees(1, 0, EvState::assumed_bad);
    rig.module.peer_sees(1, 1, EvState::assumed_bad);
    rig.module.pending.clear();
    cq = mrc_ctl_create_ev_event_cq(rig.context, 1, nullptr, nullptr, 0);
    ASSERT_TRUE(cq);
    EXPECT_EQ(poll(), Events()) << "nor of those that it has no room for";
    changed(1);
    EXPECT_EQ(poll(), Events());
    rig.module.peer_sees(1, 1, EvState::good);
    EXPECT_EQ(poll(), Events{"1/3/1/good"});
}

TEST_F(EventsTest, EvsThatChange)
{
    rig.module.peer_sees(1, 0, EvState::assumed_bad);
    ASSERT_EQ(poll(), Events{"1/1/1/bad"});
    // EV 1 leaves, EV 3 takes its number; EV 9 is the last one of port 1.
    ASSERT_EQ(rig.replace(1, ev(1, 1), ev(9, 2)), 0);
    rig.module.peer_ev_list.clear();
    rig.module.peer_sees(1, 0, EvState::good);
    changed(1);
    EXPECT_EQ(poll(), Events()) << "a new one begins as what it is";
    rig.module.peer_sees(1, 0, EvState::assumed_bad);
    EXPECT_EQ(poll(), Events{"1/3/1/bad"}) << "by its number now";
    rig.module.peer_sees(1, 3, EvState::assumed_bad);
    EXPECT_EQ(poll(), Events{"1/9/2/bad"});
}

TEST_F(EventsTest, ProfilesThatComeAndGo)
{
    rig.offline(2, 13, 1);
    ASSERT_EQ(rig.replace(2, {}, ev(5, 1)), 0);
    ASSERT_EQ(rig.step(2, MRC_CTL_PROFILE_ONLINE), 0);
    changed(2);
    EXPECT_EQ(poll(), Events());
    rig.module.peer_sees(2, 0, EvState::assumed_bad);
    EXPECT_EQ(poll(), Events{"2/5/1/bad"});
    ASSERT_EQ(rig.step(2, MRC_CTL_PROFILE_OFFLINE), 0);
    changed(2, true);
    rig.module.peer_sees(2, 0, EvState::good);
    EXPECT_EQ(poll(), Events());
}

TEST_F(EventsTest, PeersThatGoSayNothing)
{
    rig.module.peer_sees(1, 0, EvState::assumed_bad);
    ASSERT_EQ(poll(), Events{"1/1/1/bad"});
    rig.module.peers_go();
    usleep(1'050'000); // bad EVs are read again once per second
    EXPECT_EQ(poll(), Events{"1/1/1/good"});
}

TEST_F(EventsTest, OfVersionOneWithoutState)
{
    // The structure of a program that was compiled for 1.0.0.
    struct Event {
        uint64_t profile_id;
        mrc_ctl_ev ev;
        uint32_t drop_count;
    } events[3]{};
    static_assert(sizeof(Event) == 48);
    rig.module.peer_sees(1, 0, EvState::assumed_bad);
    rig.module.peer_sees(1, 1, EvState::assumed_bad);
    events[2].profile_id = 77;
    ASSERT_EQ(mrc_ctl_poll_ev_event_v100(cq, 2, events), 2);
    EXPECT_EQ(events[0].ev.val[1], 1);
    EXPECT_EQ(events[1].profile_id, 1u);
    EXPECT_EQ(events[1].ev.val[1], 3);
    EXPECT_EQ(events[2].profile_id, 77u) << "nothing behind them";
}

TEST_F(EventsTest, ItIsNoCq)
{
    ibv_wc wc;

    EXPECT_EQ(mrc_poll_cq(cq, 1, &wc), -1);
    EXPECT_EQ(errno, EINVAL);
    EXPECT_EQ(mrc_req_notify_cq(cq, 0), EINVAL);
    mrc_ack_cq_events(cq, 1);
    mrc_qp_init_attr init{};
    init.send_cq = init.recv_cq = cq;
    init.pd = &rig.verbs.pd;
    init.cap = {1, 1, 1, 1, 0};
    EXPECT_EQ(mrc_create_qp(rig.context, &init), nullptr);
    EXPECT_EQ(errno, EINVAL);
    EXPECT_EQ(mrc_destroy_cq(cq), 0);
    cq = mrc_create_cq(rig.context, 1, nullptr, nullptr, 0);
    ASSERT_TRUE(cq);
    mrc_ctl_ev_event event;
    EXPECT_EQ(mrc_ctl_poll_ev_event(cq, 1, &event), -EINVAL) << "and a CQ is none of these";
    EXPECT_EQ(mrc_ctl_poll_ev_event(nullptr, 1, &event), -EINVAL);
}

TEST_F(EventsTest, QueuesThatAreNone)
{
    const auto refused = [&](mrc_context *context, int cqe, mrc_comp_channel *channel) {
        errno = 0;
        EXPECT_EQ(mrc_ctl_create_ev_event_cq(context, cqe, nullptr, channel, 0), nullptr);
        return errno;
    };
    mrc_comp_channel *channel = nullptr;

    ASSERT_EQ(mrc_create_comp_channel(rig.context, &channel), 0);
    EXPECT_EQ(refused(rig.context, 8, channel), ENOTSUP);
    EXPECT_EQ(refused(rig.context, 0, nullptr), EINVAL);
    EXPECT_EQ(refused(nullptr, 8, nullptr), EINVAL);
    rig.module.open_error = EPERM;
    EXPECT_EQ(refused(rig.context, 8, nullptr), EPERM);
    rig.module.open_error = 0;
    EXPECT_EQ(mrc_ctl_poll_ev_event(cq, 1, nullptr), -EINVAL);
    rig.module.exists = false;
    EXPECT_EQ(poll(), Events{std::to_string(EIO)}) << "the device has gone";
}

} // namespace

} // namespace mrc::test
