// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Changes of a QP: MRC's own attributes, changes that are undone, uninitialised arguments. */
#include <cerrno>
#include <cstring>
#include <thread>

#include <gtest/gtest.h>

#include "fake_verbs.h"

namespace mrc::test
{
namespace
{

class ModifyTest : public ::testing::Test
{
protected:
    FakeVerbs verbs;
    Objects o;
    mrc_qp_attr attr{};

    const FakeQp &inner() { return verbs.qps.begin()->second; }

    int to(ibv_qp_state state, mrc_qp_attr *mrc_attr = nullptr, int mask = 0, int more = 0)
    {
        ibv_qp_attr vattr{};
        vattr.qp_state = state;
        vattr.timeout = 20;
        return mrc_modify_qp(o.qp, &vattr, IBV_QP_STATE | more, mrc_attr, mask);
    }
};

TEST_F(ModifyTest, AZeroedStructureIsEnough)
{
    for (const ibv_qp_state state : {IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS})
        EXPECT_EQ(to(state, &attr, 0), 0);
    EXPECT_EQ(verbs.count("set_qp_attr"), 0u);
    EXPECT_EQ(verbs.qps.begin()->first->state, IBV_QPS_RTS);
}

TEST_F(ModifyTest, WithoutAMaskNothingIsLookedAt)
{
    EXPECT_EQ(to(IBV_QPS_INIT, reinterpret_cast<mrc_qp_attr *>(1), 0), 0);
    EXPECT_EQ(to(IBV_QPS_INIT, nullptr, 0), 0);
}

/* In these transitions programs leave even the mask uninitialised. */
TEST_F(ModifyTest, OnTheWayToErrAndResetNothingIsLookedAt)
{
    EXPECT_EQ(to(IBV_QPS_ERR, reinterpret_cast<mrc_qp_attr *>(1), 0x7abcdef0), 0);
    EXPECT_EQ(to(IBV_QPS_RESET, reinterpret_cast<mrc_qp_attr *>(1), -1), 0);
    EXPECT_EQ(verbs.count("set_qp_attr"), 0u);
}

TEST_F(ModifyTest, TellsTheKernelAllOfIt)
{
    attr.mpr = {4, 5};
    attr.wimm = {6, 7};
    attr.timeout = 8;
    attr.profile = {9, 10};
    attr.retry = {3, 25};
    ASSERT_EQ(to(IBV_QPS_INIT, &attr,
                 MRC_QP_MPR | MRC_QP_MPR_DEST | MRC_QP_MAX_WIMM | MRC_QP_MAX_WIMM_DEST |
                     MRC_QP_TIMEOUT | MRC_QP_EV_PROFILE_ID | MRC_QP_CC_PROFILE_ID |
                     MRC_QP_RETRY_CNT),
              0);
    const mrc_abi_qp_attr &p = inner().params;
    EXPECT_EQ(p.mpr_tx, 4);
    EXPECT_EQ(p.mpr_rx, 5);
    EXPECT_EQ(p.wimm_tx, 6);
    EXPECT_EQ(p.wimm_rx, 7);
    EXPECT_EQ(p.timeout, 8);
    EXPECT_EQ(p.ev_profile, 9u);
    EXPECT_EQ(p.cc_profile, 10u);
    EXPECT_EQ(p.linear, 3);
    EXPECT_EQ(p.exp, 25);
    EXPECT_EQ(inner().explicitly, static_cast<uint32_t>(MRC_QP_ATTR_ALL));
}

TEST_F(ModifyTest, TellsTheKernelNothingElse)
{
    attr.mpr = {4, 5};
    attr.timeout = 8;
    ASSERT_EQ(to(IBV_QPS_INIT, &attr, MRC_QP_MPR), 0);
    EXPECT_EQ(inner().params.mpr_tx, 4);
    EXPECT_EQ(inner().params.mpr_rx, 8);
    EXPECT_EQ(inner().params.timeout, 14);
    EXPECT_EQ(inner().explicitly, static_cast<uint32_t>(MRC_QP_ATTR_MPR_TX));
}

/* One program assigns 512 to a field of eight bits, which makes 0. */
TEST_F(ModifyTest, AWindowOfNothingIsTheDefault)
{
    attr.mpr = {4, 4};
    attr.wimm = {4, 4};
    const int all = MRC_QP_MPR | MRC_QP_MPR_DEST | MRC_QP_MAX_WIMM | MRC_QP_MAX_WIMM_DEST;
    ASSERT_EQ(to(IBV_QPS_INIT, &attr, all), 0);
    attr = {};
    ASSERT_EQ(to(IBV_QPS_RTR, &attr, all), 0);
    EXPECT_EQ(inner().params.mpr_rx, 8);
    EXPECT_EQ(inner().params.mpr_tx, 8);
    EXPECT_EQ(inner().params.wimm_rx, 64);
    EXPECT_EQ(inner().params.wimm_tx, 64);
}

TEST_F(ModifyTest, MrcAloneWithoutVerbs)
{
    attr.timeout = 3;
    EXPECT_EQ(mrc_modify_qp(o.qp, nullptr, 0, &attr, MRC_QP_TIMEOUT), 0);
    EXPECT_EQ(inner().params.timeout, 3);
    EXPECT_EQ(verbs.count("modify_qp"), 0u);
    EXPECT_EQ(mrc_modify_qp(o.qp, nullptr, IBV_QP_STATE, nullptr, 0), EINVAL);
    EXPECT_EQ(mrc_modify_qp(nullptr, nullptr, 0, nullptr, 0), EINVAL);
}

TEST_F(ModifyTest, WhatIsUnknownOrOutOfRangeIsRefused)
{
    EXPECT_EQ(to(IBV_QPS_INIT, &attr, 1 << 10), EINVAL);
    EXPECT_EQ(errno, EINVAL);
    EXPECT_EQ(to(IBV_QPS_INIT, nullptr, MRC_QP_MPR), EINVAL);
    attr.timeout = 25;
    EXPECT_EQ(to(IBV_QPS_INIT, &attr, MRC_QP_TIMEOUT), EINVAL);
    attr.cap = 8;
    EXPECT_EQ(to(IBV_QPS_INIT, &attr, MRC_QP_CAP), EINVAL);
    attr.vendor_cfg[127] = 1;
    EXPECT_EQ(to(IBV_QPS_INIT, &attr, MRC_QP_VENDOR_CFG), EINVAL);
    EXPECT_EQ(verbs.count("modify_qp"), 0u) << "verbs has heard of none";
    attr.vendor_cfg[127] = 0;
    EXPECT_EQ(to(IBV_QPS_INIT, &attr, MRC_QP_VENDOR_CFG), 0);
}

TEST_F(ModifyTest, WhatVerbsRefusesTakesBackMrc)
{
    mrc_qp_hint *hint = mrc_create_qp_hint(o.context, nullptr);
    mrc_qp_attr told{};

    attr.mpr.mpr = 4;
    ASSERT_EQ(to(IBV_QPS_INIT, &attr, MRC_QP_MPR), 0);
    verbs.errors["modify_qp"] = EINVAL;
    attr.mpr.mpr = 5;
    attr.timeout = 3;
    attr.qp_hint = hint;
    attr.cap = MRC_QP_CAP_TRIM_NACK_DEST_UNSUPPORTED;
    EXPECT_EQ(to(IBV_QPS_RTR, &attr, MRC_QP_MPR | MRC_QP_TIMEOUT | MRC_QP_HINT | MRC_QP_CAP),
              EINVAL);
    EXPECT_EQ(inner().params.mpr_tx, 4);
    EXPECT_EQ(inner().params.timeout, 14);
    EXPECT_EQ(inner().explicitly, static_cast<uint32_t>(MRC_QP_ATTR_MPR_TX));
    ASSERT_EQ(mrc_query_qp(o.qp, nullptr, 0, &told, MRC_QP_HINT | MRC_QP_CAP, nullptr), 0);
    EXPECT_EQ(told.qp_hint, nullptr);
    EXPECT_EQ(told.cap, 0u);
    EXPECT_EQ(mrc_destroy_qp_hint(hint), 0);
    verbs.errors.clear();
    ASSERT_EQ(to(IBV_QPS_RTS, nullptr, 0, IBV_QP_TIMEOUT), 0);
    EXPECT_EQ(inner().params.timeout, 20) << "that of verbs counts, for none of MRC was taken";
}

TEST_F(ModifyTest, WhatTheKernelRefusesDoesNotReachVerbs)
{
    verbs.errors["set_qp_attr"] = EBUSY;
    EXPECT_EQ(to(IBV_QPS_RTS, &attr, MRC_QP_EV_PROFILE_ID), EBUSY);
    EXPECT_EQ(errno, EBUSY);
    EXPECT_EQ(verbs.count("modify_qp"), 0u);
}

TEST_F(ModifyTest, ATimeoutOfMrcCounts)
{
    attr.timeout = 5;
    ASSERT_EQ(to(IBV_QPS_RTS, &attr, MRC_QP_TIMEOUT, IBV_QP_TIMEOUT), 0);
    EXPECT_EQ(inner().params.timeout, 5);
}

TEST_F(ModifyTest, CapabilitiesAreKept)
{
    mrc_qp_attr told{};

    attr.cap = MRC_QP_CAP_TRIM_NACK_DEST_UNSUPPORTED | MRC_QP_CAP_DYNAMIC_MPR |
               MRC_QP_CAP_SVC_TIME_DEST_UNSUPPORTED;
    ASSERT_EQ(to(IBV_QPS_RTR, &attr, MRC_QP_CAP), 0);
    ASSERT_EQ(mrc_query_qp(o.qp, nullptr, 0, &told, MRC_QP_CAP, nullptr), 0);
    EXPECT_EQ(told.cap, static_cast<uint32_t>(MRC_QP_CAP_TRIM_NACK_DEST_UNSUPPORTED |
                                              MRC_QP_CAP_SVC_TIME_DEST_UNSUPPORTED))
        << "windows do not change: both ends would have to";
    ASSERT_EQ(to(IBV_QPS_RESET), 0);
    ASSERT_EQ(mrc_query_qp(o.qp, nullptr, 0, &told, MRC_QP_CAP, nullptr), 0);
    EXPECT_EQ(told.cap, 0u);
}

TEST_F(ModifyTest, FromManyThreads)
{
    mrc_qp_hint *hint = mrc_create_qp_hint(o.context, nullptr);
    const auto change = [&](uint8_t timeout) {
        mrc_qp_attr mine{};
        mine.timeout = timeout;
        for (int i = 0; i < 200; i++) {
            mine.qp_hint = i % 2 ? hint : nullptr;
            mrc_modify_qp(o.qp, nullptr, 0, &mine, MRC_QP_TIMEOUT | MRC_QP_HINT);
            mrc_query_qp(o.qp, nullptr, 0, &mine, MRC_QP_HINT, nullptr);
        }
    };
    std::thread one(change, 3);
    std::thread two(change, 4);
    one.join();
    two.join();
    EXPECT_EQ(mrc_destroy_qp_hint(hint), -1);
    attr.qp_hint = nullptr;
    EXPECT_EQ(mrc_modify_qp(o.qp, nullptr, 0, &attr, MRC_QP_HINT), 0);
    EXPECT_EQ(mrc_destroy_qp_hint(hint), 0);
}

} // namespace
} // namespace mrc::test
