// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <cerrno>

#include <gtest/gtest.h>

#include "fake_verbs.h"

namespace mrc::test
{
namespace
{

constexpr int everything = MRC_QP_HINT_NUM_QPS_PER_PEER | MRC_QP_HINT_NUM_SEND_PEERS |
                           MRC_QP_HINT_NUM_REMOTE_RECV_PEERS | MRC_QP_HINT_VENDOR_CFG;

class HintTest : public ::testing::Test
{
protected:
    FakeVerbs verbs;
    Objects o;

    int give(mrc_qp_hint *hint)
    {
        mrc_qp_attr attr{};
        attr.qp_hint = hint;
        return mrc_modify_qp(o.qp, nullptr, 0, &attr, MRC_QP_HINT);
    }
};

TEST_F(HintTest, KeepsWhatItIsTold)
{
    mrc_qp_hint_init_attr init{};
    mrc_qp_hint_attr told{};

    init.attr = {2, 3, 4, {1, 0, 0, 0, 9}};
    mrc_qp_hint *hint = mrc_create_qp_hint(o.context, &init);
    ASSERT_TRUE(hint);
    ASSERT_EQ(mrc_query_qp_hint(hint, &told, everything), 0);
    EXPECT_EQ(told.num_qps_per_peer, 2);
    EXPECT_EQ(told.num_send_peers, 3);
    EXPECT_EQ(told.num_remote_recv_peers, 4);
    EXPECT_EQ(told.vendor_cfg[4], 9) << "some programs have one; it must not fail";
    init.attr.num_send_peers = 30;
    init.attr.num_qps_per_peer = 20;
    ASSERT_EQ(mrc_modify_qp_hint(hint, &init.attr, MRC_QP_HINT_NUM_SEND_PEERS), 0);
    told = {};
    ASSERT_EQ(
        mrc_query_qp_hint(hint, &told, MRC_QP_HINT_NUM_SEND_PEERS | MRC_QP_HINT_NUM_QPS_PER_PEER),
        0);
    EXPECT_EQ(told.num_send_peers, 30);
    EXPECT_EQ(told.num_qps_per_peer, 2) << "not in the mask";
    EXPECT_EQ(told.num_remote_recv_peers, 0) << "not asked for";
}

TEST_F(HintTest, MayBeEmpty)
{
    mrc_qp_hint_attr told{1, 1, 1, {1}};
    mrc_qp_hint *hint = mrc_create_qp_hint(o.context, nullptr);

    ASSERT_EQ(mrc_query_qp_hint(hint, &told, everything), 0);
    EXPECT_EQ(told.num_qps_per_peer + told.num_send_peers + told.num_remote_recv_peers, 0);
    EXPECT_EQ(told.vendor_cfg[0], 0);
    EXPECT_EQ(mrc_query_qp_hint(hint, &told, 0), 0);
}

TEST_F(HintTest, WhatIsWrongIsRefusedAsAWhole)
{
    mrc_qp_hint_init_attr init{};
    mrc_qp_hint_attr attr{};
    mrc_qp_hint *hint = mrc_create_qp_hint(o.context, nullptr);

    init.attr.num_send_peers = -1;
    errno = 0;
    EXPECT_EQ(mrc_create_qp_hint(o.context, &init), nullptr);
    EXPECT_EQ(errno, EINVAL);
    EXPECT_EQ(mrc_create_qp_hint(nullptr, nullptr), nullptr);
    attr = {5, -5, 0, {}};
    EXPECT_EQ(mrc_modify_qp_hint(hint, &attr, everything), -1);
    EXPECT_EQ(errno, EINVAL);
    EXPECT_EQ(mrc_modify_qp_hint(hint, &attr, 1 << 5), -1);
    EXPECT_EQ(mrc_modify_qp_hint(hint, nullptr, 1), -1);
    EXPECT_EQ(mrc_modify_qp_hint(nullptr, &attr, 1), -1);
    EXPECT_EQ(mrc_query_qp_hint(hint, nullptr, 1), -1);
    EXPECT_EQ(mrc_query_qp_hint(hint, &attr, 1 << 5), -1);
    EXPECT_EQ(mrc_query_qp_hint(nullptr, &attr, 1), -1);
    ASSERT_EQ(mrc_query_qp_hint(hint, &attr, everything), 0);
    EXPECT_EQ(attr.num_qps_per_peer, 0);
}

TEST_F(HintTest, StaysWhileAQpHasIt)
{
    mrc_qp_hint *hint = mrc_create_qp_hint(o.context, nullptr);
    mrc_qp_hint *other = mrc_create_qp_hint(o.context, nullptr);
    mrc_qp_attr told{};

    ASSERT_EQ(give(hint), 0);
    ASSERT_EQ(give(hint), 0) << "once more";
    ASSERT_EQ(mrc_query_qp(o.qp, nullptr, 0, &told, MRC_QP_HINT, nullptr), 0);
    EXPECT_EQ(told.qp_hint, hint);
    EXPECT_EQ(mrc_destroy_qp_hint(hint), -1);
    EXPECT_EQ(errno, EBUSY);
    ASSERT_EQ(give(other), 0);
    EXPECT_EQ(mrc_destroy_qp_hint(hint), 0);
    ASSERT_EQ(give(nullptr), 0);
    EXPECT_EQ(mrc_destroy_qp_hint(other), 0);
    EXPECT_EQ(mrc_destroy_qp_hint(nullptr), -1);
    EXPECT_EQ(errno, EINVAL);
}

TEST_F(HintTest, GoesWithTheQpAndWithReset)
{
    mrc_qp_hint *hint = mrc_create_qp_hint(o.context, nullptr);
    ibv_qp_attr attr{};

    ASSERT_EQ(give(hint), 0);
    attr.qp_state = IBV_QPS_ERR;
    ASSERT_EQ(mrc_modify_qp(o.qp, &attr, IBV_QP_STATE, nullptr, 0), 0);
    EXPECT_EQ(mrc_destroy_qp_hint(hint), -1);
    attr.qp_state = IBV_QPS_RESET;
    ASSERT_EQ(mrc_modify_qp(o.qp, &attr, IBV_QP_STATE, nullptr, 0), 0);
    EXPECT_EQ(mrc_destroy_qp_hint(hint), 0);
    hint = mrc_create_qp_hint(o.context, nullptr);
    ASSERT_EQ(give(hint), 0);
    ASSERT_EQ(mrc_destroy_qp(o.qp), 0);
    EXPECT_EQ(mrc_destroy_qp_hint(hint), 0);
}

TEST_F(HintTest, AnotherContextsIsNone)
{
    mrc_context *other = mrc_create_context(&verbs.context, nullptr);
    mrc_qp_hint *hint = mrc_create_qp_hint(other, nullptr);

    EXPECT_EQ(give(hint), EINVAL);
    EXPECT_EQ(give(reinterpret_cast<mrc_qp_hint *>(o.cq)), EINVAL);
    EXPECT_EQ(mrc_destroy_qp_hint(hint), 0);
    EXPECT_EQ(mrc_destroy_context(other), 0);
}

} // namespace
} // namespace mrc::test
