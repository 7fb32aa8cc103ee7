// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* EV format profiles, and behaviour that all calls of a controller share. */
#include <fstream>

#include <gtest/gtest.h>

#include "fake_module.h"
#include "mrcnl/controller_lock.h"

namespace mrc::test::format_profile
{
namespace
{

constexpr int state = MRC_CTL_EV_FMT_PROFILE_STATE;
constexpr int mode = MRC_CTL_EV_FMT_PROFILE_MODE;
constexpr int op = MRC_CTL_EV_FMT_PROFILE_OP;

class FormatTest
    : public ProfileTest<mrc_ctl_ev_fmt_profile_attr, mrc_ctl_modify_ev_fmt_profile,
                         mrc_ctl_query_ev_fmt_profile, state, MRC_CTL_EV_FMT_PROFILE_CUR_STATE, 13>
{
protected:
    std::vector<mrc_ctl_ev_fmt_field> fields{{16}, {16}};

    FormatTest()
    {
        attr.ev_fmt_mode = MRC_CTL_EV_FMT_MODE_STEV;
        attr.ev_fmt_op = {MRC_CTL_EV_FMT_OP_MODIFY_FIELDS, fields.data(), 2};
    }
};

TEST_F(FormatTest, StepsUpAndDown)
{
    EXPECT_EQ(now(), MRC_CTL_PROFILE_INIT);
    EXPECT_EQ(step(MRC_CTL_PROFILE_ONLINE), EINVAL) << "not at once";
    attr.profile_state = MRC_CTL_PROFILE_OFFLINE;
    EXPECT_EQ(modify(state), EINVAL) << "without a mode";
    EXPECT_EQ(modify(state | mode), 0);
    EXPECT_EQ(step(MRC_CTL_PROFILE_ONLINE), EINVAL) << "without fields";
    EXPECT_EQ(modify(op), 0);
    EXPECT_EQ(step(MRC_CTL_PROFILE_ONLINE), 0);
    EXPECT_EQ(now(), MRC_CTL_PROFILE_ONLINE);
    EXPECT_EQ(step(MRC_CTL_PROFILE_INIT), EINVAL) << "not at once";
    EXPECT_EQ(modify(mode), EINVAL);
    EXPECT_EQ(modify(op), EINVAL);
    EXPECT_EQ(step(MRC_CTL_PROFILE_OFFLINE), 0);
    EXPECT_EQ(modify(op | mode), 0);
    EXPECT_EQ(step(MRC_CTL_PROFILE_INIT), 0);
    EXPECT_EQ(now(), MRC_CTL_PROFILE_INIT);
    EXPECT_EQ(step(MRC_CTL_PROFILE_INIT), 0) << "to stay is no step";
    EXPECT_EQ(modify(mode), EINVAL) << "INIT takes nothing else";
}

TEST_F(FormatTest, AllAtOnceAsTheApisExamplesDo)
{
    EXPECT_EQ(modify(state | mode | op), 0);
    attr.cur_profile_state = MRC_CTL_PROFILE_INIT;
    attr.profile_state = MRC_CTL_PROFILE_ONLINE;
    EXPECT_EQ(modify(state | MRC_CTL_EV_FMT_PROFILE_CUR_STATE), EINVAL) << "it is OFFLINE";
    attr.cur_profile_state = MRC_CTL_PROFILE_OFFLINE;
    EXPECT_EQ(modify(state | MRC_CTL_EV_FMT_PROFILE_CUR_STATE), 0);
}

TEST_F(FormatTest, FieldsAreToldAgain)
{
    std::vector<mrc_ctl_ev_fmt_field> found(3);

    ASSERT_EQ(modify(state | mode | op), 0);
    attr = {};
    attr.ev_fmt_op = {MRC_CTL_EV_FMT_OP_QUERY_FIELDS, found.data(), 1};
    EXPECT_EQ(query(op), E2BIG);
    EXPECT_EQ(attr.ev_fmt_op.fmt_field_count, 2) << "what it takes";
    attr.ev_fmt_op.fmt_field_count = 3;
    EXPECT_EQ(query(op | mode), 0);
    EXPECT_EQ(attr.ev_fmt_op.fmt_field_count, 2);
    EXPECT_EQ(found[1].width, 16);
    EXPECT_EQ(attr.ev_fmt_mode, MRC_CTL_EV_FMT_MODE_STEV);
    found.assign(3, {});
    EXPECT_EQ(modify(op), 0) << "by modify, too";
    EXPECT_EQ(found[0].width, 16);
    attr.ev_fmt_op.op = MRC_CTL_EV_FMT_OP_MODIFY_FIELDS;
    EXPECT_EQ(query(op), EINVAL) << "a query changes nothing";
    attr.ev_fmt_op = {MRC_CTL_EV_FMT_OP_QUERY_FIELDS, nullptr, 2};
    EXPECT_EQ(query(op), EINVAL);
    attr.ev_fmt_op = {MRC_CTL_EV_FMT_OP_QUERY_FIELDS, found.data(), -1};
    EXPECT_EQ(query(op), EINVAL);
    attr.ev_fmt_op = {MRC_CTL_EV_FMT_OP_QUERY_FIELDS, nullptr, 0};
    EXPECT_EQ(query(op), E2BIG) << "who asks how many there are needs no array";
    EXPECT_EQ(attr.ev_fmt_op.fmt_field_count, 2);
}

TEST_F(FormatTest, WhatIsNotAskedForIsLeftAlone)
{
    using Attr = mrc_ctl_ev_fmt_profile_attr;

    ASSERT_EQ(modify(state | mode | op), 0);
    expect_each_alone(
        &attr, sizeof(attr),
        {{state, offsetof(Attr, profile_state), sizeof(attr.profile_state)},
         {MRC_CTL_EV_FMT_PROFILE_CUR_STATE, offsetof(Attr, cur_profile_state),
          sizeof(attr.cur_profile_state)},
         {mode, offsetof(Attr, ev_fmt_mode), sizeof(attr.ev_fmt_mode)},
         {MRC_CTL_EV_FMT_VENDOR_CFG, offsetof(Attr, vendor_cfg), sizeof(attr.vendor_cfg)}},
        [&](int mask) { return query(mask); });
}

TEST_F(FormatTest, HaveNoMoreBitsThanTheMode)
{
    const auto widths = [&](std::vector<mrc_ctl_ev_fmt_field> list, mrc_ctl_ev_fmt_mode of) {
        fields = std::move(list);
        attr.profile_state = MRC_CTL_PROFILE_OFFLINE;
        attr.ev_fmt_mode = of;
        attr.ev_fmt_op = {MRC_CTL_EV_FMT_OP_MODIFY_FIELDS, fields.data(),
                          static_cast<int>(fields.size())};
        return modify(state | mode | op);
    };

    EXPECT_EQ(widths({{16}, {17}}, MRC_CTL_EV_FMT_MODE_STEV), E2BIG);
    EXPECT_EQ(widths({{17}}, MRC_CTL_EV_FMT_MODE_UDP), E2BIG);
    EXPECT_EQ(widths({{128}, {129}}, MRC_CTL_EV_FMT_MODE_SRV6), E2BIG);
    EXPECT_EQ(widths({{16}, {0}}, MRC_CTL_EV_FMT_MODE_STEV), EINVAL);
    EXPECT_EQ(widths({}, MRC_CTL_EV_FMT_MODE_STEV), EINVAL);
    EXPECT_EQ(widths({{16}}, static_cast<mrc_ctl_ev_fmt_mode>(8)), EINVAL);
    EXPECT_EQ(widths(std::vector<mrc_ctl_ev_fmt_field>(257, {1}), MRC_CTL_EV_FMT_MODE_SRV6), E2BIG);
    EXPECT_EQ(now(), MRC_CTL_PROFILE_INIT) << "nothing of it was taken";
    EXPECT_EQ(widths({{128}, {128}}, MRC_CTL_EV_FMT_MODE_SRV6), 0);
    EXPECT_EQ(widths({{16}}, MRC_CTL_EV_FMT_MODE_UDP), 0);
}

TEST_F(FormatTest, RefuseWhatIsNone)
{
    EXPECT_EQ(failed(mrc_ctl_modify_ev_fmt_profile(nullptr, 13, &attr, state)), EINVAL);
    EXPECT_EQ(failed(mrc_ctl_modify_ev_fmt_profile(rig.context, 13, nullptr, state)), EINVAL);
    EXPECT_EQ(failed(mrc_ctl_query_ev_fmt_profile(rig.context, 13, nullptr, 0)), EINVAL);
    EXPECT_EQ(modify(1 << 7), EINVAL) << "an attribute that there is not";
    EXPECT_EQ(query(1 << 7), EINVAL);
    attr.ev_fmt_op.fmt_field_count = -1;
    EXPECT_EQ(modify(state | mode | op), EINVAL);
    attr.ev_fmt_op = {MRC_CTL_EV_FMT_OP_MODIFY_FIELDS, nullptr, 2};
    EXPECT_EQ(modify(state | mode | op), EINVAL);
    attr.ev_fmt_op.op = static_cast<mrc_ctl_ev_fmt_op>(2);
    EXPECT_EQ(modify(state | mode | op), EINVAL);
    attr.profile_state = static_cast<mrc_ctl_profile_state>(3);
    EXPECT_EQ(modify(state | mode), EINVAL);
    attr.profile_state = MRC_CTL_PROFILE_OFFLINE;
    attr.vendor_cfg[127] = 1;
    EXPECT_EQ(modify(state | mode | MRC_CTL_EV_FMT_VENDOR_CFG), EINVAL);
    attr.vendor_cfg[127] = 0;
    EXPECT_EQ(modify(state | mode | MRC_CTL_EV_FMT_VENDOR_CFG), 0);
    attr.vendor_cfg[0] = 1;
    EXPECT_EQ(query(MRC_CTL_EV_FMT_VENDOR_CFG), 0);
    EXPECT_EQ(attr.vendor_cfg[0], 0);
}

TEST_F(FormatTest, OutliveTheProgram)
{
    ASSERT_EQ(modify(state | mode | op), 0);
    rig.start_anew();
    EXPECT_EQ(now(), MRC_CTL_PROFILE_OFFLINE);
    EXPECT_EQ(step(MRC_CTL_PROFILE_ONLINE), 0) << "with the fields that it has";
    rig.start_anew();
    EXPECT_EQ(now(), MRC_CTL_PROFILE_ONLINE);
}

TEST_F(FormatTest, StayWhileEvProfilesAreOnline)
{
    rig.online(1, 4);
    EXPECT_EQ(step(MRC_CTL_PROFILE_OFFLINE), EBUSY);
    ASSERT_EQ(rig.step(1, MRC_CTL_PROFILE_OFFLINE), 0);
    EXPECT_EQ(step(MRC_CTL_PROFILE_OFFLINE), 0);
    EXPECT_EQ(rig.step(1, MRC_CTL_PROFILE_ONLINE), EINVAL) << "it has no format any more";
    EXPECT_EQ(rig.query(1).profile_state, MRC_CTL_PROFILE_OFFLINE);
}

TEST_F(FormatTest, EvProfilesWhoseFileIsBrokenHaveNone)
{
    rig.online(1, 4);
    std::ofstream(rig.folder / "1" / "ev-1.json") << "{";
    EXPECT_EQ(step(MRC_CTL_PROFILE_OFFLINE), 0);
}

TEST_F(FormatTest, ZeroIsOneAsTheOthers)
{
    ASSERT_TRUE(rig.module.put_ev_profile("mrc0",
                                          {5,
                                           mrcnl::EvFormat::stev,
                                           mrcnl::EvMode::explicit_list,
                                           1,
                                           {},
                                           {},
                                           {{1, mrcnl::EvValue{7}}},
                                           ""},
                                          false));
    ASSERT_EQ(modify(state | mode | op, 0), 0);
    attr.profile_state = MRC_CTL_PROFILE_ONLINE;
    ASSERT_EQ(modify(state, 0), 0);
    attr.profile_state = MRC_CTL_PROFILE_OFFLINE;
    EXPECT_EQ(modify(state, 0), 0) << "what others made has none";
}

TEST_F(FormatTest, AreNotMoreThanTheDeviceSays)
{
    mrc_ctl_device_attr device{};

    ASSERT_EQ(mrc_ctl_query_device(&rig.verbs.context, &device), 0);
    ASSERT_EQ(modify(state | mode, 7), 0);
    rig.files("format", device.ev.ev_max_fmt_profiles - 1);
    ASSERT_EQ(modify(state | mode, 4999), 0);
    EXPECT_EQ(modify(state | mode, 5000), E2BIG);
    EXPECT_EQ(modify(mode, 7), 0) << "those that there are can be changed";
}

// ---- every call

TEST_F(FormatTest, OneControllerAtATime)
{
    mrc_context *other = mrc_create_context(&rig.verbs.context, nullptr);

    ASSERT_EQ(modify(state | mode), 0);
    EXPECT_EQ(failed(mrc_ctl_modify_ev_fmt_profile(other, 14, &attr, state | mode)), EBUSY);
    EXPECT_EQ(failed(mrc_ctl_query_ev_fmt_profile(other, 13, &attr, state)), 0)
        << "who only looks may";
    EXPECT_EQ(attr.profile_state, MRC_CTL_PROFILE_OFFLINE);
    rig.start_anew();
    EXPECT_EQ(failed(mrc_ctl_modify_ev_fmt_profile(other, 14, &attr, state | mode)), 0)
        << "the first one has ended";
    EXPECT_EQ(modify(state | mode), EBUSY);
    mrc_destroy_context(other);
}

TEST_F(FormatTest, AnMrcdHasTheDevice)
{
    {
        const auto mrcd = mrcnl::lock_controller(1);
        ASSERT_TRUE(mrcd);
        EXPECT_EQ(modify(state | mode), EBUSY);
        EXPECT_EQ(query(state), 0);
    }
    attr.profile_state = MRC_CTL_PROFILE_OFFLINE;
    EXPECT_EQ(modify(state | mode), 0);
}

TEST_F(FormatTest, WithoutAPlaceForItNothingIsChanged)
{
    setenv("MRC_CTL_DIR", "/proc/none", 1);
    EXPECT_EQ(modify(state | mode), EIO);
    EXPECT_EQ(query(state), 0);
}

TEST_F(FormatTest, TheModuleMayGoAndCome)
{
    rig.module.open_error = ENOENT;
    EXPECT_EQ(query(state), EIO) << "it is not loaded";
    rig.module.open_error = EPERM;
    EXPECT_EQ(query(state), EPERM);
    rig.module.open_error = 0;
    EXPECT_EQ(query(state), 0);
    EXPECT_EQ(query(state), 0);
    EXPECT_EQ(rig.module.opened, 3) << "once";
    rig.module.loaded = false;
    EXPECT_EQ(query(state), EIO);
    rig.module.loaded = true;
    EXPECT_EQ(query(state), 0);
    EXPECT_EQ(rig.module.opened, 4) << "anew";
    rig.module.exists = false;
    EXPECT_EQ(query(state), EIO) << "the device is not";
}

TEST_F(FormatTest, TheDeviceMayBeRenamed)
{
    ASSERT_EQ(modify(state | mode), 0);
    rig.module.name = "rail0";
    EXPECT_EQ(now(), MRC_CTL_PROFILE_OFFLINE);
    rig.start_anew();
    EXPECT_EQ(query(state), EIO) << "who has opened it by the old name does not find it";
}

TEST_F(FormatTest, WhatIsLeftMayBeBroken)
{
    ASSERT_EQ(modify(state | mode | op), 0);
    const auto file = rig.folder / "1" / "format-13.json";
    ASSERT_TRUE(std::filesystem::exists(file));
    for (const char *text :
         {"", "{", "[]", "{}", "{\"state\":1,\"mode\":1}",
          "{\"state\":3,\"mode\":1,\"widths\":[16]}", "{\"state\":0,\"mode\":1,\"widths\":[16]}",
          "{\"state\":1,\"mode\":3,\"widths\":[16]}", "{\"state\":2,\"mode\":1,\"widths\":[]}",
          "{\"state\":1,\"mode\":1,\"widths\":[16,17]}",
          "{\"state\":\"1\",\"mode\":1,\"widths\":[16]}"}) {
        std::ofstream(file) << text;
        EXPECT_EQ(query(state), EIO) << text;
        EXPECT_EQ(modify(mode), EIO) << text;
    }
    std::filesystem::remove(file);
    EXPECT_EQ(now(), MRC_CTL_PROFILE_INIT);
}

TEST_F(FormatTest, OfAnotherVersionOfTheApi)
{
    uint32_t versions[4]{};

    mrc_ctl_query_version(&versions[0], &versions[1], &versions[2], &versions[3]);
    EXPECT_EQ(versions[0], MRC_CTL_API_VER(1, 0, 1));
    EXPECT_EQ(versions[1], 0u);
    EXPECT_EQ(versions[2], MRC_CTL_API_VER(1, 0, 0));
    EXPECT_EQ(versions[3], 0u);
    mrc_ctl_query_version(nullptr, nullptr, nullptr, nullptr);
}

} // namespace

} // namespace mrc::test::format_profile
