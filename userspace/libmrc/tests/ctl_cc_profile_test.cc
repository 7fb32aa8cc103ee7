// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* CC profiles. */
#include <cmath>
#include <cstring>
#include <fstream>

#include <gtest/gtest.h>

#include "fake_module.h"

namespace mrc::test::cc_profile
{
namespace
{

constexpr int state = MRC_CTL_CC_PROFILE_STATE;
constexpr int algorithm = MRC_CTL_CC_PROFILE_ALGORITHM;
constexpr int config = MRC_CTL_CC_PROFILE_CONFIG;

class CcProfileTest
    : public ProfileTest<mrc_ctl_cc_profile_attr, mrc_ctl_modify_cc_profile,
                         mrc_ctl_query_cc_profile, state, MRC_CTL_CC_PROFILE_CUR_STATE, 3>
{
protected:
    mrc_ctl_cc_nscc_cfg cfg{};

    CcProfileTest()
    {
        attr.algorithm = "uet-1.0-nscc";
        attr.cc_config = &cfg;
    }

    void make_online()
    {
        ASSERT_EQ(modify(state | algorithm | config), 0);
        ASSERT_EQ(step(MRC_CTL_PROFILE_ONLINE), 0);
    }
    const mrcnl::CcSettings &kernel() { return rig.module.cc.at(3).settings; }
};

TEST_F(CcProfileTest, WhatIsNotAskedForIsLeftAlone)
{
    using Attr = mrc_ctl_cc_profile_attr;

    ASSERT_EQ(modify(state | algorithm | config), 0);
    expect_each_alone(
        &attr, sizeof(attr),
        {{state, offsetof(Attr, profile_state), sizeof(attr.profile_state)},
         {MRC_CTL_CC_PROFILE_CUR_STATE, offsetof(Attr, cur_profile_state),
          sizeof(attr.cur_profile_state)},
         {algorithm, offsetof(Attr, algorithm), sizeof(attr.algorithm)},
         {MRC_CTL_CC_PROFILE_VENDOR_CFG, offsetof(Attr, vendor_cfg), sizeof(attr.vendor_cfg)}},
        [&](int mask) { return query(mask); });
}

TEST_F(CcProfileTest, WhatEachStepTakes)
{
    EXPECT_EQ(now(), MRC_CTL_PROFILE_INIT);
    attr.profile_state = MRC_CTL_PROFILE_OFFLINE;
    EXPECT_EQ(modify(state), EINVAL) << "no algorithm";
    EXPECT_EQ(modify(algorithm), EINVAL) << "INIT takes nothing else";
    EXPECT_EQ(modify(state | algorithm), 0);
    EXPECT_EQ(step(MRC_CTL_PROFILE_ONLINE), EINVAL) << "no configuration";
    EXPECT_EQ(modify(config), 0);
    EXPECT_EQ(step(MRC_CTL_PROFILE_ONLINE), 0);
    EXPECT_EQ(rig.module.cc.at(3).algorithm, "nscc");
    EXPECT_EQ(rig.module.cc.at(3).owner, MRC_NL_OWNER_MRC_CTL);
    EXPECT_EQ(modify(algorithm), EINVAL) << "not while it is ONLINE";
    EXPECT_EQ(step(MRC_CTL_PROFILE_INIT), EINVAL);
    EXPECT_EQ(step(MRC_CTL_PROFILE_OFFLINE), 0);
    EXPECT_FALSE(rig.module.cc.contains(3));
    EXPECT_EQ(step(MRC_CTL_PROFILE_ONLINE), 0) << "what was said of it stays";
    EXPECT_EQ(step(MRC_CTL_PROFILE_OFFLINE), 0);
    EXPECT_EQ(step(MRC_CTL_PROFILE_INIT), 0);
    EXPECT_EQ(now(), MRC_CTL_PROFILE_INIT);
}

TEST_F(CcProfileTest, EachNumberIsTheKernels)
{
    cfg.disable_qa = 1;
    cfg.adjust_bytes_threshold = 40000;
    cfg.adjust_period_threshold = 15000;
    cfg.base_rtt = 12000;
    cfg.eta = 1500.4F;
    cfg.fi = 20000;
    cfg.fi_scale = 0.25F;
    cfg.gamma = 0.7F;
    cfg.max_md_jump = 0.4F;
    cfg.max_cwnd = 3000000;
    cfg.qa_gate = 4;
    cfg.qa_threshold = 50000;
    cfg.target_delay = 9000;
    make_online();
    EXPECT_EQ(kernel().quick_adapt, false);
    EXPECT_EQ(kernel().adjust_bytes, 40000u);
    EXPECT_EQ(kernel().adjust_period, 15000u);
    EXPECT_EQ(kernel().base_rtt, 12000u);
    EXPECT_EQ(kernel().eta, 1500u);
    EXPECT_EQ(kernel().fi, 20000u);
    EXPECT_EQ(kernel().fi_scale, 250000u);
    EXPECT_EQ(kernel().gamma, 700000u);
    EXPECT_EQ(kernel().max_md_jump, 400000u);
    EXPECT_EQ(kernel().max_cwnd, 3000000u);
    EXPECT_EQ(kernel().qa_gate, 4);
    EXPECT_EQ(kernel().qa_threshold, 50000u);
    EXPECT_EQ(kernel().target_delay, 9000u);
    mrc_ctl_cc_nscc_cfg told{};
    attr = {};
    attr.cc_config = &told;
    ASSERT_EQ(query(algorithm | config), 0);
    EXPECT_STREQ(attr.algorithm, "uet-1.0-nscc");
    cfg.eta = 1500;
    // Compared one by one, because the structure has padding.
    EXPECT_EQ(told.disable_qa, 1);
    EXPECT_EQ(told.adjust_bytes_threshold, cfg.adjust_bytes_threshold);
    EXPECT_EQ(told.adjust_period_threshold, cfg.adjust_period_threshold);
    EXPECT_EQ(told.base_rtt, cfg.base_rtt);
    EXPECT_EQ(told.eta, cfg.eta);
    EXPECT_EQ(told.fi, cfg.fi);
    EXPECT_EQ(told.fi_scale, cfg.fi_scale);
    EXPECT_FLOAT_EQ(told.gamma, cfg.gamma);
    EXPECT_FLOAT_EQ(told.max_md_jump, cfg.max_md_jump);
    EXPECT_EQ(told.max_cwnd, cfg.max_cwnd);
    EXPECT_EQ(told.qa_gate, cfg.qa_gate);
    EXPECT_EQ(told.qa_threshold, cfg.qa_threshold);
    EXPECT_EQ(told.target_delay, cfg.target_delay);
}

TEST_F(CcProfileTest, ZeroIsWhatTheDeviceTakes)
{
    make_online();
    EXPECT_EQ(kernel().quick_adapt, true);
    EXPECT_FALSE(kernel().base_rtt);
    EXPECT_EQ(kernel().gamma, mrcnl::default_settings<mrcnl::CcSettings>().gamma);
    rig.module.cc.at(3).derived.max_cwnd = 1234567;
    rig.module.cc.at(3).derived.eta = 99;
    mrc_ctl_cc_nscc_cfg told{};
    attr.cc_config = &told;
    ASSERT_EQ(query(config), 0);
    EXPECT_EQ(told.max_cwnd, 1234567u) << "which a query tells";
    EXPECT_EQ(told.eta, 99);
    EXPECT_FLOAT_EQ(told.gamma, 0.8F);
}

TEST_F(CcProfileTest, NumbersThatAreNone)
{
    for (const float bad : {-1.0F, NAN, INFINITY, 5e9F}) {
        cfg = {};
        cfg.eta = bad;
        EXPECT_EQ(modify(state | algorithm | config), EINVAL) << bad;
        cfg = {};
        cfg.fi_scale = bad;
        EXPECT_EQ(modify(state | algorithm | config), EINVAL) << bad;
    }
    cfg = {};
    cfg.eta = 0.2F;
    EXPECT_EQ(modify(state | algorithm | config), EINVAL) << "less than a byte";
    cfg.eta = 1;
    EXPECT_EQ(modify(state | algorithm | config), 0);
    cfg = {};
    cfg.gamma = 1.5F;
    EXPECT_EQ(modify(state | algorithm | config), 0) << "the kernel has a number for it";
    EXPECT_EQ(step(MRC_CTL_PROFILE_ONLINE), EINVAL) << "and its limits";
    EXPECT_EQ(now(), MRC_CTL_PROFILE_OFFLINE);
}

TEST_F(CcProfileTest, AreNotMoreThanTheDeviceSays)
{
    mrc_ctl_device_attr device{};

    ASSERT_EQ(mrc_ctl_query_device(&rig.verbs.context, &device), 0);
    ASSERT_EQ(modify(state | algorithm), 0);
    rig.files("cc", device.cc.cc_max_profiles - 1);
    ASSERT_EQ(modify(state | algorithm, 4999), 0);
    EXPECT_EQ(modify(state | algorithm, 5000), E2BIG);
    EXPECT_EQ(modify(config), 0) << "those that there are can be changed";
}

TEST_F(CcProfileTest, NoAlgorithm)
{
    attr.algorithm = nullptr;
    EXPECT_EQ(modify(state | algorithm | config), EINVAL) << "which has no configuration";
    attr.cc_config = nullptr;
    EXPECT_EQ(modify(state | algorithm | config), 0);
    EXPECT_EQ(step(MRC_CTL_PROFILE_ONLINE), 0);
    EXPECT_EQ(rig.module.cc.at(3).algorithm, "none");
    attr.algorithm = "something";
    ASSERT_EQ(query(algorithm | config), 0);
    EXPECT_EQ(attr.algorithm, nullptr);
    EXPECT_EQ(attr.cc_config, nullptr);
    EXPECT_EQ(modify(config), 0);
    attr.cc_config = &cfg;
    EXPECT_EQ(modify(config), EINVAL);
}

TEST_F(CcProfileTest, RefusesWhatIsNone)
{
    attr.algorithm = "nscc";
    EXPECT_EQ(modify(state | algorithm), EINVAL) << "not by this name";
    attr.algorithm = "uet-1.0-nscc";
    EXPECT_EQ(modify(state | algorithm, 0), EPERM);
    EXPECT_EQ(modify(state | algorithm | 1 << 9), EINVAL);
    attr.cc_config = nullptr;
    EXPECT_EQ(modify(state | algorithm | config), EINVAL);
    attr.vendor_cfg[0] = 1;
    EXPECT_EQ(modify(state | algorithm | MRC_CTL_CC_PROFILE_VENDOR_CFG), EINVAL);
    attr.vendor_cfg[0] = 0;
    EXPECT_EQ(modify(state | algorithm | MRC_CTL_CC_PROFILE_VENDOR_CFG), 0);
    attr.profile_state = static_cast<mrc_ctl_profile_state>(7);
    EXPECT_EQ(modify(state | algorithm), EINVAL);
    EXPECT_EQ(failed(mrc_ctl_modify_cc_profile(rig.context, 3, nullptr, 0)), EINVAL);
    EXPECT_EQ(failed(mrc_ctl_query_cc_profile(rig.context, 3, nullptr, 0)), EINVAL);
    EXPECT_EQ(failed(mrc_ctl_query_cc_profile(nullptr, 3, &attr, 0)), EINVAL);
    EXPECT_EQ(query(1 << 9), EINVAL);
}

TEST_F(CcProfileTest, WhileItIsOnline)
{
    make_online();
    rig.module.cc.at(3).settings.ecn = 1; // mrcctl cc-profile set
    rig.module.cc.at(3).alias = "of the rails";
    cfg.base_rtt = 8000;
    EXPECT_EQ(modify(config), 0);
    EXPECT_EQ(kernel().base_rtt, 8000u);
    EXPECT_EQ(kernel().ecn, 1) << "what this API does not know stays";
    EXPECT_EQ(rig.module.cc.at(3).alias, "of the rails");
    cfg.base_rtt = 1;
    EXPECT_EQ(modify(config), EINVAL) << "the kernel's limits";
    EXPECT_EQ(kernel().base_rtt, 8000u);
}

TEST_F(CcProfileTest, InUse)
{
    make_online();
    mrcnl::Qp qp;
    qp.cc_profile = 3;
    qp.state = mrcnl::QpState::rts;
    rig.module.qp_list = {qp};
    EXPECT_EQ(step(MRC_CTL_PROFILE_OFFLINE), EBUSY) << "a QP took it by its number";
    rig.module.qp_list[0].state = mrcnl::QpState::err;
    rig.module.route_map[{}].cc_profile = 3;
    EXPECT_EQ(step(MRC_CTL_PROFILE_OFFLINE), EBUSY) << "a route names it";
    rig.module.route_map.clear();
    EXPECT_EQ(step(MRC_CTL_PROFILE_OFFLINE), 0);
}

TEST_F(CcProfileTest, WhatTheKernelHasIsWhatGoesOffline)
{
    make_online();
    auto &is = rig.module.cc.at(3); // mrcctl cc-profile set
    is.settings.base_rtt = 9000;
    is.settings.ecn = 1;
    is.settings.rate = 5'000'000;
    is.alias = "of the rails";
    ASSERT_EQ(step(MRC_CTL_PROFILE_OFFLINE), 0);
    mrc_ctl_cc_nscc_cfg told{};
    attr.cc_config = &told;
    ASSERT_EQ(query(config), 0);
    EXPECT_EQ(told.base_rtt, 9000u);
    ASSERT_EQ(step(MRC_CTL_PROFILE_ONLINE), 0);
    EXPECT_EQ(kernel().base_rtt, 9000u);
    EXPECT_EQ(kernel().ecn, 1) << "also what this API does not know";
    EXPECT_EQ(kernel().rate, 5'000'000u);
    EXPECT_EQ(rig.module.cc.at(3).alias, "of the rails");
}

TEST_F(CcProfileTest, AWindowOfSomebodyElse)
{
    rig.module.acting = MRC_NL_OWNER_NONE;
    ASSERT_TRUE(rig.module.put_cc_profile("mrc0", {{1, "mrc0"}, 3, "none", 65536, {}}, false));
    ASSERT_EQ(step(MRC_CTL_PROFILE_OFFLINE), 0);
    ASSERT_EQ(step(MRC_CTL_PROFILE_ONLINE), 0);
    EXPECT_EQ(rig.module.cc.at(3).window, 65536u) << "stays what it is";
}

TEST_F(CcProfileTest, WhatIsLeftMayBeBroken)
{
    ASSERT_EQ(modify(state | algorithm | config), 0);
    for (const char *text :
         {"{}", "7", "{\"state\":1}",
          "{\"state\":9,\"nscc\":true,\"configured\":true,\"alias\":\"\",\"settings\":{}}",
          "{\"state\":1,\"nscc\":true,\"configured\":true,\"alias\":\"\","
          "\"settings\":{\"base-rtt\":\"x\"}}"}) {
        std::ofstream(rig.folder / "1" / "cc-3.json") << text;
        EXPECT_EQ(query(state), EIO) << text;
    }
}

TEST_F(CcProfileTest, SomebodyElses)
{
    rig.module.acting = MRC_NL_OWNER_ADMIN;
    ASSERT_TRUE(rig.module.put_cc_profile("mrc0", {{1, "mrc0"}, 3, "none", 65536, {}}, false));
    EXPECT_EQ(now(), MRC_CTL_PROFILE_ONLINE);
    EXPECT_EQ(step(MRC_CTL_PROFILE_OFFLINE), EBUSY);
    EXPECT_EQ(query(state, 0), 0);
    EXPECT_EQ(attr.profile_state, MRC_CTL_PROFILE_ONLINE) << "the one that is built in";
    rig.module.cc.clear();
    EXPECT_EQ(now(), MRC_CTL_PROFILE_INIT);
    attr.profile_state = MRC_CTL_PROFILE_OFFLINE;
    make_online();
    EXPECT_EQ(modify(config), 0);
    rig.module.cc.at(3).owner = MRC_NL_OWNER_ADMIN;
    EXPECT_EQ(modify(config), EBUSY) << "it became somebody else's";
}

TEST_F(CcProfileTest, AConfigurationOfTheLibrarys)
{
    cfg.base_rtt = 7000;
    ASSERT_EQ(modify(state | algorithm | config), 0);
    attr.cc_config = nullptr;
    ASSERT_EQ(query(config), 0);
    ASSERT_NE(attr.cc_config, nullptr);
    EXPECT_EQ(static_cast<const mrc_ctl_cc_nscc_cfg *>(attr.cc_config)->base_rtt, 7000u)
        << "of one that is OFFLINE what was given";
}

TEST_F(CcProfileTest, OutlivesTheProgram)
{
    cfg.base_rtt = 7000;
    ASSERT_EQ(modify(state | algorithm | config), 0);
    rig.start_anew();
    EXPECT_EQ(now(), MRC_CTL_PROFILE_OFFLINE);
    EXPECT_EQ(step(MRC_CTL_PROFILE_ONLINE), 0);
    EXPECT_EQ(kernel().base_rtt, 7000u);
    rig.start_anew();
    EXPECT_EQ(now(), MRC_CTL_PROFILE_ONLINE);
    rig.module.cc.clear(); // mrcctl cc-profile del
    EXPECT_EQ(now(), MRC_CTL_PROFILE_OFFLINE);
}

} // namespace

} // namespace mrc::test::cc_profile
