// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* EV profiles: states, EVs, fields. */
#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>

#include <gtest/gtest.h>

#include "ctl/ev_profile.h"
#include "fake_module.h"

namespace mrc::test
{
namespace
{

using mrcnl::EvState;

constexpr int state = MRC_CTL_EV_PROFILE_STATE;
constexpr int mode = MRC_CTL_EV_PROFILE_MODE;
constexpr int format_id = MRC_CTL_EV_PROFILE_FMT_ID;
constexpr int count = MRC_CTL_EV_PROFILE_COUNT;
constexpr int min_active = MRC_CTL_EV_PROFILE_MIN_ACTIVE;
constexpr int event_mask = MRC_CTL_EV_PROFILE_EVENT_MASK;
constexpr int ev_op = MRC_CTL_EV_PROFILE_EV_OP;
constexpr int fields_op = MRC_CTL_EV_PROFILE_EV_FIELDS_OP;

class EvProfileTest
    : public ProfileTest<mrc_ctl_ev_profile_attr, mrc_ctl_modify_ev_profile,
                         mrc_ctl_query_ev_profile, state, MRC_CTL_EV_PROFILE_CUR_STATE, 1>
{
protected:
    std::vector<mrc_ctl_ev_field> fields;

    EvProfileTest()
    {
        attr.ev_mode = MRC_CTL_EV_MODE_EXP;
        attr.ev_fmt_profile_id = 13;
        attr.ev_count = 4;
        attr.ev_min_active = 1;
        attr.ev_event_mask = MRC_CTL_EV_GOOD;
    }

    /* Unlike those of ProfileTest, these two leave attr as the test has set it. */
    int step(mrc_ctl_profile_state to) { return rig.step(1, to); }
    mrc_ctl_profile_state now() { return rig.query(1).profile_state; }
    /** Put fields into attr. */
    void set_fields(std::vector<mrc_ctl_ev_field> list)
    {
        fields = std::move(list);
        attr.ev_fields_op = {MRC_CTL_EV_FIELDS_OP_MODIFY_FIELDS, fields.data(),
                             static_cast<int>(fields.size())};
    }
    static mrc_ctl_ev_field all_of_eight() { return {16, 0, 0, 0, 0xff}; }
    const mrcnl::EvProfileSpec &kernel() { return rig.module.profiles.at(1).spec; }
    /** The kernel's values, in its order. */
    std::vector<uint32_t> values()
    {
        std::vector<uint32_t> found;
        for (const mrcnl::EvSpec &ev : kernel().evs)
            found.push_back(std::get<mrcnl::EvValue>(ev.path).value >> 16);
        return found;
    }
    mrc_ctl_ev_state state_of(const mrc_ctl_ev &ev)
    {
        std::vector<mrc_ctl_ev_op_entry> entries{{ev, {}, {}, 0}};
        EXPECT_EQ(rig.ev_op(1, MRC_CTL_EV_OP_QUERY_EV_STATE, entries), 0);
        return entries[0].state;
    }
};

using Values = std::vector<uint32_t>;

TEST_F(EvProfileTest, AsTheApisExampleOfExplicitEvsDoes)
{
    rig.format(13, MRC_CTL_EV_FMT_MODE_STEV, {16, 16});
    rig.offline(1, 13, 256);
    EXPECT_EQ(step(MRC_CTL_PROFILE_ONLINE), EINVAL) << "it has no EVs";
    for (uint16_t i = 0; i < 256; i++)
        ASSERT_EQ(rig.replace(1, MRC_CTL_EV_UNPOPULATED, ev(i, 1)), 0) << i;
    EXPECT_FALSE(rig.module.profiles.contains(1)) << "OFFLINE is the library's";
    ASSERT_EQ(step(MRC_CTL_PROFILE_ONLINE), 0);
    ASSERT_EQ(kernel().evs.size(), 256u);
    EXPECT_EQ(kernel().min_active, 64);
    EXPECT_EQ(std::get<mrcnl::EvValue>(kernel().evs[7].path).value, 7u << 16);
    EXPECT_EQ(rig.module.profiles.at(1).owner, MRC_NL_OWNER_MRC_CTL);
    for (uint16_t i = 13; i <= 42; i++)
        ASSERT_EQ(rig.set_state(1, ev(i, 1), MRC_CTL_EV_DENIED), 0);
    EXPECT_TRUE(kernel().evs[42].denied);
    for (uint16_t i = 13; i <= 42; i++)
        ASSERT_EQ(rig.replace(1, ev(i, 1), ev(static_cast<uint16_t>(i + 300), 1)), 0) << i;
    EXPECT_FALSE(kernel().evs[42].denied) << "a new one is GOOD";
    const auto found = rig.evs(1);
    ASSERT_EQ(found.size(), 256u);
    EXPECT_TRUE(same_ev(found[42].ev, ev(342, 1)));
    EXPECT_EQ(found[42].state, MRC_CTL_EV_GOOD);
    const auto told = rig.query(1);
    EXPECT_EQ(told.profile_state, MRC_CTL_PROFILE_ONLINE);
    EXPECT_EQ(told.ev_mode, MRC_CTL_EV_MODE_EXP);
    EXPECT_EQ(told.ev_fmt_profile_id, 13u);
    EXPECT_EQ(told.ev_count, 256u);
    EXPECT_EQ(told.ev_min_active, 64u);
    EXPECT_EQ(told.ev_event_mask, MRC_CTL_EV_GOOD | MRC_CTL_EV_ASSUMED_BAD);
}

TEST_F(EvProfileTest, WhatEachStepTakes)
{
    rig.format(13, MRC_CTL_EV_FMT_MODE_STEV, {16, 16});
    EXPECT_EQ(modify(state), EINVAL);
    EXPECT_EQ(modify(state | mode | format_id), EINVAL) << "no count";
    EXPECT_EQ(modify(state | mode | count), EINVAL) << "no format";
    EXPECT_EQ(modify(mode | count | format_id), EINVAL) << "INIT takes nothing else";
    attr.ev_fmt_profile_id = 14;
    EXPECT_EQ(modify(state | mode | count | format_id), EINVAL) << "not ONLINE";
    attr.ev_fmt_profile_id = 13;
    EXPECT_EQ(now(), MRC_CTL_PROFILE_INIT);
    EXPECT_EQ(modify(state | mode | count | format_id), 0);
    EXPECT_EQ(step(MRC_CTL_PROFILE_OFFLINE), 0) << "to stay is no step";
    std::vector<mrc_ctl_ev_op_entry> all(
        4, {MRC_CTL_EV_UNPOPULATED, {}, static_cast<mrc_ctl_ev_state>(0), 0});
    for (uint16_t i = 0; i < 4; i++)
        all[i].ev_new = ev(i, 1);
    EXPECT_EQ(rig.ev_op(1, MRC_CTL_EV_OP_REPLACE_EV, all), 0) << "many in one call";
    EXPECT_EQ(step(MRC_CTL_PROFILE_ONLINE), EINVAL) << "neither min_active nor events";
    EXPECT_EQ(modify(min_active), 0);
    EXPECT_EQ(step(MRC_CTL_PROFILE_ONLINE), EINVAL) << "no events";
    attr.profile_state = MRC_CTL_PROFILE_ONLINE;
    EXPECT_EQ(modify(state | event_mask), 0) << "with it is early enough";
    EXPECT_EQ(step(MRC_CTL_PROFILE_INIT), EINVAL);
    for (const int mask : {mode, format_id, count, min_active})
        EXPECT_EQ(modify(mask), EINVAL) << mask << ": not while it is ONLINE";
    EXPECT_EQ(modify(event_mask), 0);
    EXPECT_EQ(step(MRC_CTL_PROFILE_OFFLINE), 0);
    EXPECT_FALSE(rig.module.profiles.contains(1));
    EXPECT_EQ(rig.evs(1).size(), 4u) << "what was said of it stays";
    EXPECT_EQ(step(MRC_CTL_PROFILE_ONLINE), 0);
    EXPECT_EQ(step(MRC_CTL_PROFILE_OFFLINE), 0);
    attr.profile_state = MRC_CTL_PROFILE_INIT;
    EXPECT_EQ(modify(state | count), EINVAL);
    EXPECT_EQ(step(MRC_CTL_PROFILE_INIT), 0);
    EXPECT_EQ(rig.query(1).ev_count, 0u) << "all is forgotten";
}

TEST_F(EvProfileTest, WhatIsNotAskedForIsLeftAlone)
{
    using Attr = mrc_ctl_ev_profile_attr;

    rig.online(1, 4);
    expect_each_alone(
        &attr, sizeof(attr),
        {{state, offsetof(Attr, profile_state), sizeof(attr.profile_state)},
         {MRC_CTL_EV_PROFILE_CUR_STATE, offsetof(Attr, cur_profile_state),
          sizeof(attr.cur_profile_state)},
         {mode, offsetof(Attr, ev_mode), sizeof(attr.ev_mode)},
         {format_id, offsetof(Attr, ev_fmt_profile_id), sizeof(attr.ev_fmt_profile_id)},
         {count, offsetof(Attr, ev_count), sizeof(attr.ev_count)},
         {min_active, offsetof(Attr, ev_min_active), sizeof(attr.ev_min_active)},
         {event_mask, offsetof(Attr, ev_event_mask), sizeof(attr.ev_event_mask)},
         {MRC_CTL_EV_PROFILE_VENDOR_CFG, offsetof(Attr, vendor_cfg), sizeof(attr.vendor_cfg)}},
        [&](int mask) { return query(mask); });
}

TEST_F(EvProfileTest, RefusesWhatIsNone)
{
    rig.format(13, MRC_CTL_EV_FMT_MODE_STEV, {16, 16});
    const int all = state | mode | format_id | count | min_active | event_mask;
    const auto refused = [&](auto change) {
        const auto before = attr;
        change();
        const int error = modify(all);
        attr = before;
        return error;
    };

    EXPECT_EQ(refused([&] { attr.ev_mode = static_cast<mrc_ctl_ev_mode>(3); }), EINVAL);
    EXPECT_EQ(refused([&] { attr.ev_count = 0; }), EINVAL);
    EXPECT_EQ(refused([&] { attr.ev_count = 257; }), E2BIG);
    EXPECT_EQ(refused([&] { attr.ev_min_active = 5; }), EINVAL);
    EXPECT_EQ(refused([&] { attr.ev_event_mask = MRC_CTL_EV_DENIED; }), EINVAL);
    EXPECT_EQ(modify(all | 1 << 20), EINVAL);
    EXPECT_EQ(modify(all, 0), EPERM) << "profile 0 is the kernel's";
    attr.vendor_cfg[5] = 1;
    EXPECT_EQ(modify(all | MRC_CTL_EV_PROFILE_VENDOR_CFG), EINVAL);
    attr.vendor_cfg[5] = 0;
    EXPECT_EQ(modify(all | MRC_CTL_EV_PROFILE_VENDOR_CFG, 2), 0);
    EXPECT_EQ(failed(mrc_ctl_modify_ev_profile(rig.context, 1, nullptr, 0)), EINVAL);
    EXPECT_EQ(failed(mrc_ctl_query_ev_profile(rig.context, 1, nullptr, 0)), EINVAL);
    EXPECT_EQ(failed(mrc_ctl_query_ev_profile(nullptr, 1, &attr, 0)), EINVAL);
    EXPECT_EQ(modify(ev_op | fields_op), EINVAL) << "one of both";
    EXPECT_EQ(query(ev_op | fields_op), EINVAL);
    attr.ev_op = {MRC_CTL_EV_OP_REPLACE_EV, nullptr, 1};
    EXPECT_EQ(modify(ev_op), EINVAL);
    attr.ev_op = {MRC_CTL_EV_OP_REPLACE_EV, nullptr, -1};
    EXPECT_EQ(modify(ev_op), EINVAL);
    attr.ev_op = {static_cast<mrc_ctl_ev_op>(4), nullptr, 0};
    EXPECT_EQ(modify(ev_op), EINVAL);
    attr.ev_fields_op = {static_cast<mrc_ctl_ev_fields_op>(2), nullptr, 0};
    EXPECT_EQ(modify(fields_op), EINVAL);
    attr.ev_op = {MRC_CTL_EV_OP_REPLACE_EV, nullptr, 0};
    EXPECT_EQ(query(ev_op), EINVAL) << "a query changes nothing";
    attr.ev_fields_op = {MRC_CTL_EV_FIELDS_OP_MODIFY_FIELDS, nullptr, 0};
    EXPECT_EQ(query(fields_op), EINVAL);
    EXPECT_EQ(now(), MRC_CTL_PROFILE_INIT);
}

TEST_F(EvProfileTest, AreNotMoreThanTheDeviceSays)
{
    mrc_ctl_device_attr device{};

    ASSERT_EQ(mrc_ctl_query_device(&rig.verbs.context, &device), 0);
    attr.ev_mode = MRC_CTL_EV_MODE_AUTO;
    ASSERT_EQ(modify(state | mode), 0);
    rig.files("ev", device.ev.ev_max_profiles - 2); // the kernel's own profile counts, too
    ASSERT_EQ(modify(state | mode, 4999), 0);
    EXPECT_EQ(modify(state | mode, 5000), E2BIG);
    EXPECT_EQ(modify(min_active), 0) << "those that there are can be changed";
}

TEST_F(EvProfileTest, EntriesAreDoneUntilOneFails)
{
    rig.online(1, 4);
    std::vector<mrc_ctl_ev_op_entry> entries{
        {ev(1, 1), ev(11, 1), MRC_CTL_EV_GOOD, 0},
        {ev(2, 2), ev(12, 1), MRC_CTL_EV_DENIED, 0}, // on another port
        {ev(77, 1), ev(13, 1), MRC_CTL_EV_GOOD, 0},
        {ev(3, 1), ev(14, 1), MRC_CTL_EV_GOOD, 0}};

    EXPECT_EQ(values(), (Values{1, 3, 2, 4})) << "by port";
    EXPECT_EQ(rig.ev_op(1, MRC_CTL_EV_OP_REPLACE_EV, entries), ENOENT);
    EXPECT_EQ(values(), (Values{11, 3, 12, 4}));
    EXPECT_TRUE(kernel().evs[2].denied);
    const auto found = rig.evs(1);
    EXPECT_EQ(found[0].ev.val[1], 11);
    EXPECT_EQ(found[1].ev.val[1], 12) << "where it stood for the program";
    EXPECT_EQ(found[1].state, MRC_CTL_EV_DENIED);
    EXPECT_EQ(found[2].ev.val[1], 3);
    EXPECT_EQ(rig.replace(1, ev(3, 1), ev(15, 2)), 0) << "numbers are right afterwards";
    EXPECT_EQ(values(), (Values{11, 12, 4, 15}));
}

TEST_F(EvProfileTest, EntriesThatFailBeforeItIsOnline)
{
    rig.format(13, MRC_CTL_EV_FMT_MODE_STEV, {16, 16});
    std::vector<mrc_ctl_ev_op_entry> entries{{{}, ev(1, 1), {}, 0}, {ev(7, 1), ev(2, 1), {}, 0}};
    const int all = state | mode | format_id | count;

    attr.ev_op = {MRC_CTL_EV_OP_REPLACE_EV, entries.data(), 2};
    EXPECT_EQ(modify(all | ev_op), ENOENT);
    EXPECT_EQ(now(), MRC_CTL_PROFILE_INIT) << "it is none";
    ASSERT_EQ(modify(all), 0);
    EXPECT_EQ(modify(ev_op), ENOENT);
    EXPECT_EQ(rig.evs(1)[0].ev.val[1], 1) << "the first one was done";
}

TEST_F(EvProfileTest, EntriesThatAreNone)
{
    rig.online(1, 4);
    EXPECT_EQ(rig.replace(1, ev(1, 2), ev(9, 1)), ENOENT) << "of another port it is another";
    EXPECT_EQ(rig.replace(1, ev(1, 1), ev(9, 0)), EINVAL) << "no port";
    EXPECT_EQ(rig.replace(1, ev(1, 1), ev(9, 33)), EINVAL);
    EXPECT_EQ(rig.replace(1, ev(1, 1), MRC_CTL_EV_UNPOPULATED), EINVAL) << "not while ONLINE";
    mrc_ctl_ev wide = ev(9, 1);
    wide.val[4] = 1;
    EXPECT_EQ(rig.replace(1, ev(1, 1), wide), EINVAL) << "more bits than the format";
    EXPECT_EQ(rig.replace(1, ev(1, 1), ev(9, 1), MRC_CTL_EV_ASSUMED_BAD), EINVAL);
    EXPECT_EQ(rig.replace(1, ev(1, 1), ev(9, 1), 0, 2), EINVAL) << "a flag that there is not";
    EXPECT_EQ(rig.set_state(1, ev(1, 1), MRC_CTL_EV_ASSUMED_BAD), EINVAL);
    EXPECT_EQ(rig.set_state(1, ev(9, 1), MRC_CTL_EV_DENIED), ENOENT);
    EXPECT_EQ(values(), (Values{1, 3, 2, 4}));
    ASSERT_EQ(step(MRC_CTL_PROFILE_OFFLINE), 0);
    EXPECT_EQ(rig.replace(1, ev(1, 1), MRC_CTL_EV_UNPOPULATED), 0) << "OFFLINE it may go";
    EXPECT_EQ(rig.set_state(1, MRC_CTL_EV_UNPOPULATED, MRC_CTL_EV_DENIED), ENOENT);
    EXPECT_EQ(rig.replace(1, ev(3, 1), ev(3, 32)), 0) << "there may be such a port once";
    EXPECT_EQ(rig.replace(1, ev(3, 32), wide), EINVAL);
    EXPECT_EQ(step(MRC_CTL_PROFILE_ONLINE), EINVAL);
}

TEST_F(EvProfileTest, AllCopies)
{
    rig.online(1, 4);
    EXPECT_EQ(rig.replace(1, ev(3, 1), ev(1, 1)), 0) << "the same may stand there twice";
    EXPECT_EQ(rig.set_state(1, ev(1, 1), MRC_CTL_EV_DENIED), 0);
    EXPECT_TRUE(kernel().evs[0].denied && kernel().evs[1].denied) << "wherever it stands";
    EXPECT_EQ(rig.set_state(1, ev(1, 1), MRC_CTL_EV_GOOD), 0);
    EXPECT_FALSE(kernel().evs[0].denied || kernel().evs[1].denied);
    EXPECT_EQ(rig.replace(1, ev(1, 1), ev(5, 1)), 0);
    EXPECT_EQ(values(), (Values{5, 1, 2, 4})) << "one of them";
    EXPECT_EQ(rig.replace(1, ev(1, 1), ev(5, 1)), 0);
    EXPECT_EQ(rig.replace(1, ev(5, 1), ev(6, 2), 0, MRC_CTL_EV_OP_F_ALL_COPIES), 0);
    EXPECT_EQ(values(), (Values{2, 4, 6, 6}));
}

TEST_F(EvProfileTest, StatesAreThoseOfTheWorstPeer)
{
    rig.online(1, 4);
    EXPECT_EQ(state_of(ev(1, 1)), MRC_CTL_EV_GOOD);
    rig.module.peer_sees(1, 0, EvState::good, 1);
    rig.module.peer_sees(1, 0, EvState::assumed_bad, 2);
    rig.module.peer_sees(1, 1, EvState::skip);
    rig.module.peer_sees(1, 2, EvState::held);
    rig.module.peer_sees(2, 3, EvState::assumed_bad);
    EXPECT_EQ(state_of(ev(1, 1)), MRC_CTL_EV_ASSUMED_BAD);
    EXPECT_EQ(state_of(ev(3, 1)), MRC_CTL_EV_GOOD) << "skipped, once";
    EXPECT_EQ(state_of(ev(2, 2)), MRC_CTL_EV_ASSUMED_BAD) << "lost, and held for want of others";
    EXPECT_EQ(state_of(ev(4, 2)), MRC_CTL_EV_GOOD) << "another profile's";
    EXPECT_EQ(rig.evs(1)[1].state, MRC_CTL_EV_ASSUMED_BAD) << "numbers are the kernel's there";
    EXPECT_EQ(rig.set_state(1, ev(1, 1), MRC_CTL_EV_DENIED), 0);
    EXPECT_EQ(state_of(ev(1, 1)), MRC_CTL_EV_DENIED);
    std::vector<mrc_ctl_ev_op_entry> none{{ev(9, 1), {}, {}, 0}};
    EXPECT_EQ(rig.ev_op(1, MRC_CTL_EV_OP_QUERY_EV_STATE, none), ENOENT);
    ASSERT_EQ(step(MRC_CTL_PROFILE_OFFLINE), 0);
    EXPECT_EQ(state_of(ev(1, 1)), MRC_CTL_EV_DENIED);
    EXPECT_EQ(state_of(ev(2, 2)), MRC_CTL_EV_UNKNOWN) << "nobody uses it";
}

TEST_F(EvProfileTest, AnArrayThatIsTooSmall)
{
    rig.online(1, 4);
    std::vector<mrc_ctl_ev_op_entry> entries(3);

    attr.ev_op = {MRC_CTL_EV_OP_QUERY_EV_ARRAY, entries.data(), 3};
    EXPECT_EQ(query(ev_op), E2BIG);
    EXPECT_EQ(attr.ev_op.entry_count, 4);
    attr.ev_op = {MRC_CTL_EV_OP_QUERY_EV_ARRAY, nullptr, 0};
    EXPECT_EQ(query(ev_op), E2BIG) << "to learn how many there are";
}

TEST_F(EvProfileTest, Srv6WithAndWithoutASegment)
{
    rig.format(14, MRC_CTL_EV_FMT_MODE_SRV6, {128, 128});
    rig.offline(1, 14, 2);
    mrc_ctl_ev one{{0xfc, 0xbb, 0, 0, 0xe0, 1}, 1};
    mrc_ctl_ev two{{0xfc, 0xbb, 0, 0, 0xe0, 2}, 2};
    two.val[16] = 0xfd;
    two.val[31] = 9;
    ASSERT_EQ(rig.replace(1, {}, one), 0);
    ASSERT_EQ(rig.replace(1, {}, two), 0);
    ASSERT_EQ(step(MRC_CTL_PROFILE_ONLINE), 0);
    EXPECT_EQ(kernel().format, mrcnl::EvFormat::srv6);
    EXPECT_EQ(std::get<mrcnl::EvSid>(kernel().evs[0].path).sid.text(), "fcbb:0:e001::");
    const auto &list = std::get<mrcnl::EvSegments>(kernel().evs[1].path).segments;
    ASSERT_EQ(list.size(), 2u);
    EXPECT_EQ(list[0].text(), "fcbb:0:e002::");
    EXPECT_EQ(list[1].text(), "fd00::9");
    const auto found = rig.evs(1);
    EXPECT_EQ(found[1].ev.val[31], 9);
    EXPECT_EQ(rig.query(1).ev_fmt_profile_id, 14u) << "it is known again";
}

TEST_F(EvProfileTest, Udp)
{
    rig.format(15, MRC_CTL_EV_FMT_MODE_UDP, {16});
    rig.offline(1, 15, 1);
    ASSERT_EQ(rig.replace(1, {}, ev(0xc001, 1)), 0);
    ASSERT_EQ(step(MRC_CTL_PROFILE_ONLINE), 0);
    EXPECT_EQ(kernel().format, mrcnl::EvFormat::udp);
    EXPECT_EQ(std::get<mrcnl::EvValue>(kernel().evs[0].path).value, 0xc001u);
    EXPECT_EQ(rig.query(1).ev_fmt_profile_id, 15u);
}

TEST_F(EvProfileTest, AsTheApisExampleOfGeneratedEvsDoes)
{
    rig.format(13, MRC_CTL_EV_FMT_MODE_STEV, {8, 4, 4});
    attr.ev_mode = MRC_CTL_EV_MODE_GEN;
    attr.ev_count = 256;
    EXPECT_EQ(modify(state | mode | format_id | count), EINVAL) << "without fields";
    set_fields({{8, 0, 0, 255, 0xff}, {4, 0, 0, 15, 0xf}, {4, 0, 0, 15, 0xf}});
    ASSERT_EQ(modify(state | mode | format_id | count | min_active | event_mask | fields_op), 0);
    ASSERT_EQ(step(MRC_CTL_PROFILE_ONLINE), 0);
    std::vector<mrc_ctl_ev_field> room(10);
    attr.ev_fields_op = {MRC_CTL_EV_FIELDS_OP_QUERY_FIELDS, room.data(), 10};
    ASSERT_EQ(query(fields_op), 0);
    EXPECT_EQ(attr.ev_fields_op.field_count, 3);
    EXPECT_EQ(room[1].mask, 0xfu);
    attr.ev_fields_op.field_count = 2;
    EXPECT_EQ(query(fields_op), E2BIG);
    EXPECT_EQ(attr.ev_fields_op.field_count, 3);
    auto evs = rig.evs(1);
    ASSERT_EQ(evs.size(), 256u);
    EXPECT_EQ(std::count_if(evs.begin(), evs.end(), [](const auto &e) { return e.ev.port == 1; }),
              128)
        << "half of them on each plane";
    unsigned int denied = 0;
    for (auto &entry : evs)
        if (entry.ev.val[0] >= 180) {
            denied++;
            ASSERT_EQ(rig.set_state(1, entry.ev, MRC_CTL_EV_DENIED), 0);
        }
    EXPECT_GT(denied, 30u);
    EXPECT_EQ(static_cast<unsigned int>(std::count_if(kernel().evs.begin(), kernel().evs.end(),
                                                      [](const auto &e) { return e.denied; })),
              denied);
    EXPECT_EQ(rig.replace(1, evs[0].ev, ev(1, 1)), EINVAL) << "they are not the program's to say";
    rig.start_anew();
    EXPECT_EQ(rig.evs(1)[17].ev.val[0], evs[17].ev.val[0]) << "they stay what they are";
    EXPECT_EQ(rig.query(1).ev_mode, MRC_CTL_EV_MODE_GEN);
}

TEST_F(EvProfileTest, GeneratedEvsNeedEnoughValues)
{
    rig.format(13, MRC_CTL_EV_FMT_MODE_STEV, {8});
    attr.ev_mode = MRC_CTL_EV_MODE_GEN;
    attr.ev_count = 9;
    set_fields({{8, 0, 0, 3, 3}});
    ASSERT_EQ(modify(state | mode | format_id | count | min_active | event_mask | fields_op), 0);
    EXPECT_EQ(step(MRC_CTL_PROFILE_ONLINE), E2BIG) << "4 values, 2 planes";
    EXPECT_EQ(now(), MRC_CTL_PROFILE_OFFLINE);
    attr.ev_count = 8;
    EXPECT_EQ(modify(count), 0);
    rig.module.plane_ifindex.clear();
    EXPECT_EQ(step(MRC_CTL_PROFILE_ONLINE), EINVAL) << "no planes";
    rig.module.plane_ifindex = {{1, 1}, {2, 2}};
    EXPECT_EQ(step(MRC_CTL_PROFILE_ONLINE), 0);
    set_fields({{8, 0x40, 0, 3, 3}});
    EXPECT_EQ(modify(fields_op), 0) << "other fields while it is ONLINE";
    EXPECT_EQ(kernel().evs.size(), 8u);
    EXPECT_EQ(std::get<mrcnl::EvValue>(kernel().evs[0].path).value >> 26, 0x40u >> 2);
    set_fields({{8, 0x40, 0, 1, 1}});
    EXPECT_EQ(modify(fields_op), E2BIG) << "too few values";
    EXPECT_EQ(kernel().evs.size(), 8u);
    EXPECT_EQ(rig.evs(1).size(), 8u) << "it is as it was";
}

TEST_F(EvProfileTest, FieldsOfExplicitEvs)
{
    rig.format(13, MRC_CTL_EV_FMT_MODE_STEV, {16, 16});
    rig.offline(1, 13, 1);
    set_fields({{16, 0x1000, 1, 255, 0xf0f}, {16, 0x2000, 1, 255, 0xf0f}, {1, 0, 0, 0, 0}});
    EXPECT_EQ(modify(fields_op), E2BIG) << "more than the format has";
    set_fields({{17, 0, 0, 0, 0}});
    EXPECT_EQ(modify(fields_op), EINVAL);
    set_fields({{16, 0x1000, 1, 255, 0xf0f}, {16, 0x2000, 1, 255, 0xf0f}});
    EXPECT_EQ(modify(fields_op), 0);
    const mrc_ctl_ev compressed{{0x33, 0x12}, 2};
    ASSERT_EQ(rig.replace(1, {}, compressed), 0);
    ASSERT_EQ(step(MRC_CTL_PROFILE_ONLINE), 0);
    EXPECT_EQ(std::get<mrcnl::EvValue>(kernel().evs[0].path).value, 0x13032102u);
    EXPECT_EQ(rig.evs(1)[0].ev.val[0], 0x33) << "the program sees what it gave";
    EXPECT_EQ(rig.set_state(1, compressed, MRC_CTL_EV_DENIED), 0);
    set_fields({{16, 0x4000, 1, 255, 0xf0f}, {16, 0x2000, 1, 255, 0xf0f}});
    EXPECT_EQ(modify(fields_op), 0);
    EXPECT_EQ(std::get<mrcnl::EvValue>(kernel().evs[0].path).value, 0x43032102u);
    EXPECT_TRUE(kernel().evs[0].denied);
}

TEST_F(EvProfileTest, Automatic)
{
    attr.ev_mode = MRC_CTL_EV_MODE_AUTO;
    EXPECT_EQ(modify(state | mode), 0) << "nothing else is needed";
    EXPECT_EQ(modify(format_id), 0) << "but may be said";
    EXPECT_EQ(step(MRC_CTL_PROFILE_ONLINE), 0);
    EXPECT_EQ(rig.query(1).ev_fmt_profile_id, 13u) << "it is ours still";
    EXPECT_EQ(kernel().mode, mrcnl::EvMode::automatic);
    EXPECT_EQ(rig.query(1).ev_mode, MRC_CTL_EV_MODE_AUTO);
    EXPECT_EQ(rig.query(1).ev_count, 128u) << "what the kernel made of it";
    EXPECT_TRUE(rig.evs(1).empty()) << "they are each peer's own";
    EXPECT_EQ(rig.set_state(1, ev(1, 1), MRC_CTL_EV_DENIED), ENOENT);
    ASSERT_EQ(step(MRC_CTL_PROFILE_OFFLINE), 0);
    attr.ev_count = 64;
    attr.ev_min_active = 8;
    EXPECT_EQ(modify(count | min_active), 0);
    EXPECT_EQ(step(MRC_CTL_PROFILE_ONLINE), 0);
    EXPECT_EQ(kernel().count, 64);
    EXPECT_EQ(kernel().min_active, 8);
}

TEST_F(EvProfileTest, TheKernelsOwn)
{
    const auto told = rig.query(0);

    EXPECT_EQ(told.profile_state, MRC_CTL_PROFILE_ONLINE);
    EXPECT_EQ(told.ev_mode, MRC_CTL_EV_MODE_AUTO);
    EXPECT_EQ(told.ev_count, 128u);
}

/** Make a profile as mrcctl does. */
void make_by_hand(FakeModule &module, const std::vector<mrcnl::EvSpec> &evs)
{
    module.acting = MRC_NL_OWNER_ADMIN;
    ASSERT_TRUE(module.put_ev_profile(
        "mrc0", {1, mrcnl::EvFormat::srv6, mrcnl::EvMode::explicit_list, 1, {}, {}, evs, ""},
        false));
}

TEST_F(EvProfileTest, SomebodyElses)
{
    const auto via = *mrcnl::Address::parse("fcbb:0:e001::");
    make_by_hand(rig.module, {{1, mrcnl::EvSid{*mrcnl::Address::parse("fcbb::7")}},
                              {2, mrcnl::EvVia{via}, true}});
    const auto told = rig.query(1);
    EXPECT_EQ(told.profile_state, MRC_CTL_PROFILE_ONLINE);
    EXPECT_EQ(told.ev_mode, MRC_CTL_EV_MODE_EXP);
    EXPECT_EQ(told.ev_fmt_profile_id, 0u);
    const auto evs = rig.evs(1);
    ASSERT_EQ(evs.size(), 2u);
    EXPECT_EQ(evs[0].ev.val[15], 7);
    EXPECT_EQ(evs[1].ev.val[0], 0) << "this API has no form for it";
    EXPECT_EQ(evs[1].ev.port, 2);
    EXPECT_EQ(evs[1].state, MRC_CTL_EV_DENIED);
    EXPECT_EQ(rig.set_state(1, evs[0].ev, MRC_CTL_EV_DENIED), EBUSY) << "it is the admin's";
    EXPECT_EQ(rig.replace(1, evs[0].ev, evs[0].ev), EBUSY);
    EXPECT_EQ(step(MRC_CTL_PROFILE_OFFLINE), EBUSY);
    rig.module.profiles.at(1).owner = MRC_NL_OWNER_NONE;
    EXPECT_EQ(rig.set_state(1, evs[0].ev, MRC_CTL_EV_DENIED), 0) << "nobody's may be changed";
    EXPECT_EQ(modify(event_mask), 0);
    EXPECT_EQ(rig.query(1).ev_event_mask, MRC_CTL_EV_GOOD);
}

TEST_F(EvProfileTest, ThatBecameSomebodyElses)
{
    rig.online(1, 4);
    set_fields({all_of_eight(), all_of_eight()});
    EXPECT_EQ(modify(fields_op), 0);
    rig.module.profiles.at(1).owner = MRC_NL_OWNER_ADMIN;
    EXPECT_EQ(modify(fields_op), EBUSY);
}

TEST_F(EvProfileTest, TheKernelIsRight)
{
    rig.online(1, 2);
    auto &evs = rig.module.profiles.at(1).spec.evs;
    evs[0].denied = true; // mrcctl ev deny
    EXPECT_EQ(state_of(ev(1, 1)), MRC_CTL_EV_DENIED);
    EXPECT_EQ(rig.query(1).ev_fmt_profile_id, 13u);
    evs[0].path = mrcnl::EvValue{0x770000}; // mrcctl ev replace
    EXPECT_EQ(rig.evs(1)[0].ev.val[1], 0x77);
    EXPECT_EQ(rig.query(1).ev_fmt_profile_id, 0u) << "it is not what was said of it";
    rig.module.profiles.erase(1); // mrcctl ev-profile del
    EXPECT_EQ(now(), MRC_CTL_PROFILE_OFFLINE);
    EXPECT_EQ(step(MRC_CTL_PROFILE_ONLINE), 0) << "with what was said of it";
    EXPECT_EQ(values(), (Values{1, 2}));
}

/* "mrcctl ev-profile set" has attributes that this API does not have. */
TEST_F(EvProfileTest, WhatOthersSayOfItStays)
{
    rig.online(1, 4);
    rig.module.profiles.at(1).spec.alias = "of the rails";
    rig.module.profiles.at(1).spec.active = 2;
    set_fields({all_of_eight(), all_of_eight()});
    ASSERT_EQ(modify(fields_op), 0);
    EXPECT_EQ(kernel().alias, "of the rails");
    EXPECT_EQ(kernel().active, 2);
    ASSERT_EQ(step(MRC_CTL_PROFILE_OFFLINE), 0);
    rig.start_anew();
    ASSERT_EQ(step(MRC_CTL_PROFILE_ONLINE), 0);
    EXPECT_EQ(kernel().alias, "of the rails");
    EXPECT_EQ(kernel().active, 2);
    ASSERT_EQ(step(MRC_CTL_PROFILE_OFFLINE), 0);
    attr.ev_count = 1;
    ASSERT_EQ(modify(count), 0);
    ASSERT_EQ(step(MRC_CTL_PROFILE_ONLINE), 0);
    EXPECT_EQ(kernel().active, 1) << "of more there are no EVs";
}

TEST_F(EvProfileTest, InUse)
{
    rig.online(1, 2);
    rig.module.peer_profiles.insert(1);
    EXPECT_EQ(step(MRC_CTL_PROFILE_OFFLINE), EBUSY) << "QPs use it";
    attr.ev_min_active = 2;
    attr.profile_state = MRC_CTL_PROFILE_OFFLINE;
    EXPECT_EQ(modify(state | min_active), EBUSY);
    EXPECT_EQ(rig.query(1).ev_min_active, 0u) << "nothing of it was taken";
    EXPECT_EQ(now(), MRC_CTL_PROFILE_ONLINE);
    rig.module.peer_profiles.clear();
    EXPECT_EQ(modify(state | min_active), 0);
    EXPECT_EQ(rig.query(1).ev_min_active, 2u);
}

TEST_F(EvProfileTest, WhatTheKernelRefuses)
{
    rig.format(13, MRC_CTL_EV_FMT_MODE_STEV, {16, 16});
    rig.offline(1, 13, 1);
    ASSERT_EQ(rig.replace(1, {}, ev(1, 1)), 0);
    rig.module.fails = [] { return true; };
    EXPECT_EQ(step(MRC_CTL_PROFILE_ONLINE), ENOMEM);
    EXPECT_EQ(now(), MRC_CTL_PROFILE_OFFLINE) << "it is as it was";
    rig.module.fails = [] { return false; };
    EXPECT_EQ(step(MRC_CTL_PROFILE_ONLINE), 0);
    rig.module.fails = [] { return true; };
    EXPECT_EQ(rig.replace(1, ev(1, 1), ev(2, 1)), ENOMEM);
    EXPECT_EQ(rig.evs(1)[0].ev.val[1], 1);
}

TEST_F(EvProfileTest, OutlivesTheProgram)
{
    rig.format(13, MRC_CTL_EV_FMT_MODE_STEV, {16, 16});
    rig.offline(1, 13, 2);
    ASSERT_EQ(rig.replace(1, {}, ev(1, 1), MRC_CTL_EV_DENIED), 0);
    rig.start_anew();
    EXPECT_EQ(now(), MRC_CTL_PROFILE_OFFLINE);
    EXPECT_EQ(state_of(ev(1, 1)), MRC_CTL_EV_DENIED);
    ASSERT_EQ(rig.replace(1, {}, ev(2, 2)), 0);
    ASSERT_EQ(step(MRC_CTL_PROFILE_ONLINE), 0);
    rig.start_anew();
    EXPECT_EQ(now(), MRC_CTL_PROFILE_ONLINE);
    EXPECT_EQ(rig.evs(1)[1].ev.val[1], 2);
    EXPECT_TRUE(kernel().evs[0].denied);
}

TEST_F(EvProfileTest, ACountThatChangesKeepsTheEvs)
{
    rig.format(13, MRC_CTL_EV_FMT_MODE_STEV, {16, 16});
    rig.offline(1, 13, 2);
    ASSERT_EQ(rig.replace(1, {}, ev(1, 1)), 0);
    ASSERT_EQ(rig.replace(1, {}, ev(2, 1)), 0);
    attr.ev_count = 3;
    EXPECT_EQ(modify(count), 0);
    EXPECT_EQ(rig.evs(1)[1].ev.val[1], 2);
    EXPECT_EQ(step(MRC_CTL_PROFILE_ONLINE), EINVAL) << "one is missing";
    attr.ev_count = 2;
    EXPECT_EQ(modify(count), 0);
    EXPECT_EQ(step(MRC_CTL_PROFILE_ONLINE), 0);
}

/** A profile as another program sees it in the middle of a change. */
struct Glimpse {
    uint64_t format = 0;
    mrc_ctl_ev_mode mode{};
    std::vector<uint8_t> evs; ///< the second byte of each
    std::vector<mrc_ctl_ev_field> fields{10};

    explicit Glimpse(ControllerRig &rig)
    {
        mrc_context *other = mrc_create_context(&rig.verbs.context, nullptr);
        std::vector<mrc_ctl_ev_op_entry> entries(256);
        mrc_ctl_ev_profile_attr attr{};

        attr.ev_op = {MRC_CTL_EV_OP_QUERY_EV_ARRAY, entries.data(), 256};
        EXPECT_EQ(failed(mrc_ctl_query_ev_profile(other, 1, &attr, format_id | mode_bit | ev_op)),
                  0);
        format = attr.ev_fmt_profile_id;
        mode = attr.ev_mode;
        for (int i = 0; i < attr.ev_op.entry_count; i++)
            evs.push_back(entries[static_cast<size_t>(i)].ev.val[1]);
        attr.ev_fields_op = {MRC_CTL_EV_FIELDS_OP_QUERY_FIELDS, fields.data(), 10};
        EXPECT_EQ(failed(mrc_ctl_query_ev_profile(other, 1, &attr, fields_op)), 0);
        fields.resize(static_cast<size_t>(attr.ev_fields_op.field_count));
        mrc_destroy_context(other);
    }

private:
    static constexpr int mode_bit = MRC_CTL_EV_PROFILE_MODE;
};

TEST_F(EvProfileTest, InTheMidstOfAChangeItIsNobodyElses)
{
    using Seconds = std::vector<uint8_t>;
    std::vector<Seconds> seen;

    rig.online(1, 4);
    rig.module.meanwhile = [&] {
        const Glimpse glimpse(rig);
        EXPECT_EQ(glimpse.format, 13u);
        seen.push_back(glimpse.evs);
    };
    std::vector<mrc_ctl_ev_op_entry> entries{{ev(1, 1), ev(11, 1), MRC_CTL_EV_GOOD, 0},
                                             {ev(2, 2), ev(12, 1), MRC_CTL_EV_GOOD, 0},
                                             {ev(9, 2), ev(13, 1), MRC_CTL_EV_GOOD, 0}};
    EXPECT_EQ(rig.ev_op(1, MRC_CTL_EV_OP_REPLACE_EV, entries), ENOENT);
    EXPECT_EQ(seen, (std::vector<Seconds>{{11, 2, 3, 4}, {11, 12, 3, 4}}));
}

TEST_F(EvProfileTest, AFileThatCannotBeWrittenKeepsItFromBeingChanged)
{
    rig.online(1, 2);
    std::filesystem::remove_all(rig.folder / "1");
    std::ofstream(rig.folder / "1") << "no folder";
    EXPECT_EQ(rig.replace(1, ev(1, 1), ev(5, 1)), EIO);
    EXPECT_EQ(values(), (Values{1, 2}));
    std::filesystem::remove(rig.folder / "1");
}

TEST_F(EvProfileTest, EndedInTheMidstOfAChange)
{
    rig.online(1, 2);
    const auto file = rig.folder / "1" / "ev-1.json";
    const auto copy = rig.folder / "copy";
    rig.module.meanwhile = [&] { std::filesystem::copy_file(file, copy); };
    ASSERT_EQ(rig.replace(1, ev(1, 1), ev(5, 1)), 0);
    rig.module.meanwhile = [] {};
    std::filesystem::rename(copy, file); // the file as it was after the kernel's change
    EXPECT_EQ(rig.query(1).ev_fmt_profile_id, 13u);
    EXPECT_EQ(rig.evs(1)[0].ev.val[1], 5);
    rig.module.profiles.at(1).spec.evs[0].path = mrcnl::EvValue{1u << 16}; // before it
    EXPECT_EQ(rig.query(1).ev_fmt_profile_id, 13u);
    EXPECT_EQ(rig.evs(1)[0].ev.val[1], 1);
    EXPECT_EQ(rig.set_state(1, ev(1, 1), MRC_CTL_EV_DENIED), 0) << "and all goes on";
    EXPECT_EQ(rig.evs(1)[0].state, MRC_CTL_EV_DENIED);
    ASSERT_EQ(modify(event_mask), 0);
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    EXPECT_EQ(text.str().find("before"), std::string::npos) << "which has ended: " << text.str();
}

TEST_F(EvProfileTest, InTheMidstOfOtherFields)
{
    rig.format(13, MRC_CTL_EV_FMT_MODE_STEV, {16, 16});
    attr.ev_mode = MRC_CTL_EV_MODE_GEN;
    set_fields({all_of_eight(), {16, 0x200, 1, 15, 15}});
    ASSERT_EQ(modify(state | mode | format_id | count | min_active | event_mask | fields_op), 0);
    ASSERT_EQ(step(MRC_CTL_PROFILE_ONLINE), 0);
    size_t looks = 0;
    rig.module.meanwhile = [&] {
        const Glimpse glimpse(rig);
        looks++;
        EXPECT_EQ(glimpse.mode, MRC_CTL_EV_MODE_GEN);
        ASSERT_EQ(glimpse.fields.size(), 2u);
        EXPECT_EQ(glimpse.fields[1].init_val, 0x300u);
    };
    set_fields({all_of_eight(), {16, 0x300, 1, 15, 15}});
    EXPECT_EQ(modify(fields_op), 0);
    EXPECT_EQ(looks, 1u);
    rig.module.meanwhile = [] {};
    rig.module.fails = [] { return true; };
    set_fields({all_of_eight(), {16, 0x400, 1, 15, 15}});
    EXPECT_EQ(modify(fields_op), ENOMEM);
    const Glimpse after(rig);
    EXPECT_EQ(after.fields[1].init_val, 0x300u) << "it is as it was";
    EXPECT_EQ(after.mode, MRC_CTL_EV_MODE_GEN);
}

TEST_F(EvProfileTest, EvsThatHaveNoFormAreReplacedByOthers)
{
    const auto via = *mrcnl::Address::parse("fcbb:0:e001::");
    rig.module.acting = MRC_NL_OWNER_NONE;
    ASSERT_TRUE(rig.module.put_ev_profile(
        "mrc0",
        {1,
         mrcnl::EvFormat::srv6,
         mrcnl::EvMode::explicit_list,
         1,
         {},
         {},
         {{1, mrcnl::EvVia{via}}, {1, mrcnl::EvVia{via}}, {2, mrcnl::EvVia{via}}},
         ""},
        false));
    const mrc_ctl_ev sid{{0xfc, 0xbb, 0, 0, 0xe0, 9}, 2};
    const mrc_ctl_ev none{{}, 1};
    EXPECT_EQ(rig.replace(1, none, sid), 0);
    EXPECT_EQ(rig.replace(1, none, sid), 0);
    EXPECT_EQ(rig.replace(1, none, sid), ENOENT);
    EXPECT_EQ(kernel().evs.size(), 3u);
    EXPECT_EQ(std::get<mrcnl::EvSid>(kernel().evs[2].path).sid.text(), "fcbb:0:e009::");
}

TEST_F(EvProfileTest, MinActiveOfAnAutomaticOne)
{
    attr.ev_mode = MRC_CTL_EV_MODE_AUTO;
    for (const uint32_t too_many : {129u, 65537u}) {
        attr.ev_min_active = too_many;
        EXPECT_EQ(modify(state | mode | min_active), EINVAL) << too_many;
    }
    attr.ev_min_active = 128;
    EXPECT_EQ(modify(state | mode | min_active), 0);
    EXPECT_EQ(step(MRC_CTL_PROFILE_ONLINE), 0);
    EXPECT_EQ(kernel().min_active, 128);
}

/** An entry of a list of EVs that models the expected profile. */
struct Wanted {
    mrc_ctl_ev ev;
    bool denied;
};
using WantedList = std::vector<Wanted>;

/** Count the entries of an EV that are denied. */
size_t denied_like(const mrc_ctl_ev &ev, const WantedList &list)
{
    return static_cast<size_t>(std::count_if(list.begin(), list.end(), [&](const Wanted &at) {
        return same_ev(at.ev, ev) && at.denied;
    }));
}

size_t like(const mrc_ctl_ev &ev, const WantedList &list)
{
    return static_cast<size_t>(std::count_if(list.begin(), list.end(),
                                             [&](const Wanted &at) { return same_ev(at.ev, ev); }));
}

/** Compare the lists. Equal EVs are interchangeable. */
void expect_same(const WantedList &found, const WantedList &list)
{
    ASSERT_EQ(found.size(), list.size());
    for (size_t i = 0; i < found.size(); i++) {
        EXPECT_TRUE(same_ev(found[i].ev, list[i].ev)) << i;
        EXPECT_EQ(denied_like(found[i].ev, found), denied_like(found[i].ev, list)) << i;
    }
}

WantedList list_of(const ControllerRig &rig)
{
    WantedList list;

    for (const auto &entry : rig.evs(1))
        list.push_back({entry.ev, entry.state == MRC_CTL_EV_DENIED});
    return list;
}

/** After random operations, the profile equals a plain list that they were applied to. */
TEST_F(EvProfileTest, RandomOperations)
{
    const auto seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
    const auto some = [&] {
        return ev(static_cast<uint16_t>(1 + below(12)), static_cast<uint8_t>(1 + below(3)));
    };

    rig.online(1, 8);
    WantedList list = list_of(rig);
    for (int round = 0; round < 1500; round++) {
        SCOPED_TRACE(round);
        const mrc_ctl_ev old = some();
        const mrc_ctl_ev by = some();
        const auto state = below(2) ? MRC_CTL_EV_DENIED : MRC_CTL_EV_GOOD;
        const bool replaces = below(3);
        // The library chooses which of several equal EVs it replaces. So either the EVs are all
        // alike, or all are replaced.
        const size_t denied = denied_like(old, list);
        const bool all = below(2) || (denied && denied < like(old, list));
        int wanted = ENOENT;
        for (Wanted &at : list) {
            if (!same_ev(at.ev, old) || (!wanted && replaces && !all))
                continue;
            wanted = 0;
            at = {replaces ? by : at.ev, state == MRC_CTL_EV_DENIED};
        }
        const uint32_t flags = all ? MRC_CTL_EV_OP_F_ALL_COPIES : 0;
        ASSERT_EQ(replaces ? rig.replace(1, old, by, state, flags) : rig.set_state(1, old, state),
                  wanted);
        ASSERT_NO_FATAL_FAILURE(expect_same(list_of(rig), list));
        ASSERT_EQ(rig.query(1).ev_fmt_profile_id, 13u);
        if (below(40) == 0) {
            ASSERT_EQ(step(MRC_CTL_PROFILE_OFFLINE), 0);
            ASSERT_EQ(step(MRC_CTL_PROFILE_ONLINE), 0);
        }
    }
}

TEST_F(EvProfileTest, WhatOthersMadeAndDeletedIsGone)
{
    make_by_hand(rig.module, {{1, mrcnl::EvSid{*mrcnl::Address::parse("fcbb::7")}}});
    const auto evs = rig.evs(1);
    EXPECT_EQ(rig.set_state(1, evs[0].ev, MRC_CTL_EV_DENIED), EBUSY);
    EXPECT_FALSE(std::filesystem::exists(rig.folder / "1" / "ev-1.json"))
        << "of what is refused nothing is left";
    EXPECT_EQ(modify(event_mask), 0) << "this is the library's";
    rig.module.profiles.erase(1);
    EXPECT_EQ(now(), MRC_CTL_PROFILE_INIT);
}

TEST_F(EvProfileTest, WhatIsLeftMayBeBroken)
{
    rig.format(13, MRC_CTL_EV_FMT_MODE_STEV, {16, 16});
    rig.offline(1, 13, 1);
    const auto file = rig.folder / "1" / "ev-1.json";
    std::string text(1 << 16, '\0');
    std::ifstream(file).read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(text.find('\0'));
    const auto with = [&](const std::string &from, const std::string &to) {
        std::string other = text;
        const size_t at = other.find(from);
        EXPECT_NE(at, std::string::npos) << from << " in " << text;
        other.replace(at, from.size(), to);
        std::ofstream(file) << other;
        return query(state);
    };

    EXPECT_EQ(with("\"mode\":2", "\"mode\":2"), 0) << "as it was";
    EXPECT_EQ(with("\"mode\":2", "\"mode\":8"), EIO);
    EXPECT_EQ(with("\"count\":1", "\"count\":2"), EIO) << "of one EV";
    EXPECT_EQ(with("\"fields\":[]", "\"fields\":[[8,0,1,0,15]]"), EIO) << "no value";
    EXPECT_EQ(with("\"fields\":[]", "\"fields\":[[8,0]]"), EIO);
    EXPECT_EQ(with("\"fields\":[]", "\"fields\":7"), EIO);
    EXPECT_EQ(with("\"alias\":\"\"", "\"alias\":7"), EIO);
    EXPECT_EQ(with("000000", "00000g"), EIO);
    EXPECT_EQ(with("000000", "0000"), EIO);
    EXPECT_EQ(with("\"evs\"", "\"evz\""), EIO);
    EXPECT_EQ(with("\"mode\":2", "\"mode\":1"), EIO) << "an automatic one has no list";
    EXPECT_EQ(with("\"count\":1", "\"count\":-1"), EIO);
    EXPECT_EQ(with("\"count\":1", "\"count\":4000000000"), EIO);
    EXPECT_EQ(with("\"fields\":[]", "\"before\":7,\"fields\":[]"), EIO);
    EXPECT_EQ(with("\"fields\":[]", "\"before\":{\"fields\":[],\"evs\":[1]},\"fields\":[]"), EIO);
    EXPECT_EQ(step(MRC_CTL_PROFILE_INIT), EIO) << "nor is it lost by a change";
}

} // namespace

} // namespace mrc::test
