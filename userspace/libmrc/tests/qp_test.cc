// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Creation, query and destruction of QPs, and posting. */
#include <cerrno>

#include <gtest/gtest.h>

#include "fake_verbs.h"

namespace mrc::test
{
namespace
{

class QpTest : public ::testing::Test
{
protected:
    FakeVerbs verbs;
    Objects o;

    /** @return errno of mrc_create_qp(), which must fail */
    int refusal(mrc_qp_init_attr init)
    {
        errno = 0;
        EXPECT_EQ(mrc_create_qp(o.context, &init), nullptr);
        return errno;
    }
};

TEST_F(QpTest, IsAnRcQpWithTheProgramsContext)
{
    const auto &[inner, of] = *verbs.qps.begin();
    uint32_t qpn = 0;

    EXPECT_EQ(inner->qp_type, IBV_QPT_RC);
    EXPECT_EQ(inner->qp_context, &o.qp_context);
    EXPECT_EQ(of.init.cap.max_recv_wr, 10u);
    EXPECT_EQ(mrc_get_qpn(o.qp, &qpn), 0);
    EXPECT_EQ(qpn, 0x1234u);
    EXPECT_EQ(mrc_get_qpn(o.qp, nullptr), -1);
    EXPECT_EQ(errno, EINVAL);
    EXPECT_EQ(mrc_get_qpn(nullptr, &qpn), -1);
}

TEST_F(QpTest, WhatWasGrantedIsWrittenBack)
{
    mrc_qp_init_attr init = o.init();

    init.protocol_version = MRC_PROTOCOL_VERSION_1;
    init.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM;
    ASSERT_TRUE(mrc_create_qp(o.context, &init));
    EXPECT_EQ(init.cap.max_send_wr, 128u);
    EXPECT_EQ(init.cap.max_recv_wr, 10u);
}

TEST_F(QpTest, WhatCannotBeMade)
{
    mrc_qp_init_attr init = o.init();
    ibv_pd others = verbs.pd;

    EXPECT_EQ(mrc_create_qp(o.context, nullptr), nullptr);
    EXPECT_EQ(errno, EINVAL);
    errno = 0;
    EXPECT_EQ(mrc_create_qp(nullptr, &init), nullptr);
    EXPECT_EQ(errno, EINVAL);
    init.send_cq = nullptr;
    EXPECT_EQ(refusal(init), EINVAL);
    init = o.init();
    init.recv_cq = reinterpret_cast<mrc_cq *>(o.qp);
    EXPECT_EQ(refusal(init), EINVAL);
    init = o.init();
    init.pd = nullptr;
    EXPECT_EQ(refusal(init), EINVAL);
    others.context = &verbs.other;
    init.pd = &others;
    EXPECT_EQ(refusal(init), EINVAL) << "another device's";
    init = o.init();
    init.protocol_version = static_cast<mrc_protocol_version>(2);
    EXPECT_EQ(refusal(init), EINVAL);
    init = o.init();
    init.send_ops_flags = IBV_QP_EX_WITH_SEND;
    EXPECT_EQ(refusal(init), EOPNOTSUPP);
    mrc_context *other = mrc_create_context(&verbs.context, nullptr);
    init = o.init();
    init.send_cq = mrc_create_cq(other, 4, nullptr, nullptr, 0);
    EXPECT_EQ(refusal(init), EINVAL) << "another context's";
    EXPECT_EQ(mrc_destroy_context(other), 0);
}

TEST_F(QpTest, WhatVerbsRefusesLeavesNothing)
{
    verbs.errors["create_qp"] = ENOMEM;
    EXPECT_EQ(refusal(o.init()), ENOMEM);
    verbs.errors.clear();
    verbs.errors["query_qp_attr"] = EIO;
    EXPECT_EQ(refusal(o.init()), EIO);
    EXPECT_EQ(verbs.qps.size(), 1u) << "the one that there was";
}

TEST_F(QpTest, IsDestroyedOnce)
{
    verbs.errors["destroy_qp"] = EBUSY;
    EXPECT_EQ(mrc_destroy_qp(o.qp), EBUSY);
    EXPECT_EQ(errno, EBUSY);
    verbs.errors.clear();
    EXPECT_EQ(mrc_destroy_qp(o.qp), 0);
    EXPECT_TRUE(verbs.qps.empty());
    EXPECT_EQ(mrc_destroy_qp(nullptr), EINVAL);
    EXPECT_EQ(mrc_destroy_qp(reinterpret_cast<mrc_qp *>(o.cq)), EINVAL);
}

TEST_F(QpTest, AQueryFillsAllOfHowItWasMade)
{
    mrc_qp_init_attr told{};
    ibv_qp_attr attr{};

    ASSERT_EQ(mrc_query_qp(o.qp, &attr, IBV_QP_STATE, nullptr, 0, &told), 0);
    EXPECT_EQ(attr.qp_state, IBV_QPS_RESET);
    EXPECT_EQ(told.qp_context, &o.qp_context);
    EXPECT_EQ(told.send_cq, o.cq);
    EXPECT_EQ(told.recv_cq, o.cq);
    EXPECT_EQ(told.cap.max_send_wr, 128u);
    EXPECT_EQ(told.pd, &verbs.pd);
    EXPECT_EQ(told.sq_sig_all, 0);
}

TEST_F(QpTest, AQueryFillsTheFieldsOfTheMask)
{
    mrc_qp_attr told{};

    told.timeout = 99;
    told.vendor_cfg[3] = 9;
    ASSERT_EQ(mrc_query_qp(o.qp, nullptr, 0, &told, MRC_QP_MPR | MRC_QP_MAX_WIMM_DEST, nullptr), 0);
    EXPECT_EQ(told.mpr.mpr, 8);
    EXPECT_EQ(told.mpr.mpr_dest, 0);
    EXPECT_EQ(told.wimm.max_wimm_dest, 64);
    EXPECT_EQ(told.wimm.max_wimm, 0);
    EXPECT_EQ(told.timeout, 99);
    ASSERT_EQ(mrc_query_qp(o.qp, nullptr, 0, &told,
                           MRC_QP_TIMEOUT | MRC_QP_RETRY_CNT | MRC_QP_MPR_DEST | MRC_QP_MAX_WIMM |
                               MRC_QP_EV_PROFILE_ID | MRC_QP_CC_PROFILE_ID | MRC_QP_HINT |
                               MRC_QP_CAP | MRC_QP_VENDOR_CFG,
                           nullptr),
              0);
    EXPECT_EQ(told.timeout, 14);
    EXPECT_EQ(told.retry.linear_cnt, 7);
    EXPECT_EQ(told.retry.exp_cnt, 3);
    EXPECT_EQ(told.mpr.mpr_dest, 8);
    EXPECT_EQ(told.wimm.max_wimm, 64);
    EXPECT_EQ(told.profile.ev_profile_id + told.profile.cc_profile_id, 0u);
    EXPECT_EQ(told.qp_hint, nullptr);
    EXPECT_EQ(told.cap, 0u);
    EXPECT_EQ(told.vendor_cfg[3], 0);
}

TEST_F(QpTest, QueriesThatAreWrong)
{
    auto *garbage = reinterpret_cast<mrc_qp_attr *>(1);
    mrc_qp_attr told{};

    EXPECT_EQ(mrc_query_qp(o.qp, nullptr, 0, garbage, 0, nullptr), 0) << "not looked at";
    EXPECT_EQ(mrc_query_qp(o.qp, nullptr, 0, nullptr, MRC_QP_MPR, nullptr), EINVAL);
    EXPECT_EQ(mrc_query_qp(o.qp, nullptr, 0, &told, 1 << 12, nullptr), EINVAL);
    EXPECT_EQ(mrc_query_qp(reinterpret_cast<mrc_qp *>(o.cq), nullptr, 0, nullptr, 0, nullptr),
              EINVAL)
        << "a wrapper that took the inner object's CQ for ours";
    verbs.errors["query_qp"] = EIO;
    EXPECT_EQ(mrc_query_qp(o.qp, nullptr, 0, nullptr, 0, nullptr), EIO);
    verbs.errors["query_qp_attr"] = ENOMEM;
    EXPECT_EQ(mrc_query_qp(o.qp, nullptr, 0, &told, MRC_QP_MPR, nullptr), ENOMEM);
}

TEST_F(QpTest, PostsByItsDevice)
{
    ibv_send_wr send{};
    ibv_recv_wr recv{};
    ibv_send_wr *bad_send = nullptr;
    ibv_recv_wr *bad_recv = nullptr;

    EXPECT_EQ(mrc_post_send(o.qp, &send, &bad_send), 0);
    EXPECT_EQ(mrc_post_recv(o.qp, &recv, &bad_recv), 0);
    verbs.errors["post_send"] = EOPNOTSUPP;
    verbs.errors["post_recv"] = ENOMEM;
    errno = 0;
    EXPECT_EQ(mrc_post_send(o.qp, &send, &bad_send), EOPNOTSUPP);
    EXPECT_EQ(errno, EOPNOTSUPP);
    EXPECT_EQ(bad_send, &send);
    EXPECT_EQ(mrc_post_recv(o.qp, &recv, &bad_recv), ENOMEM);
    EXPECT_EQ(errno, ENOMEM);
    EXPECT_EQ(bad_recv, &recv);
}

} // namespace
} // namespace mrc::test
