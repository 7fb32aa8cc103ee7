// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* CQs, channels and their events. */
#include <cerrno>

#include <gtest/gtest.h>

#include "fake_verbs.h"

namespace mrc::test
{
namespace
{

class CqTest : public ::testing::Test
{
protected:
    FakeVerbs verbs;
    Objects o;

    /** A channel and a CQ on it. */
    mrc_comp_channel *channel = nullptr;
    mrc_cq *noisy = nullptr;
    ibv_cq *inner = nullptr;
    int noisy_context = 0;

    void make()
    {
        ASSERT_EQ(mrc_create_comp_channel(o.context, &channel), 0);
        noisy = mrc_create_cq(o.context, 8, &noisy_context, channel, 3);
        ASSERT_TRUE(noisy);
        for (auto &[cq, users] : verbs.cqs)
            inner = cq->channel ? cq : inner;
    }
};

TEST_F(CqTest, TheInnerOneHasTheProgramsContext)
{
    make();
    EXPECT_EQ(inner->cq_context, &noisy_context);
    EXPECT_EQ(inner->cqe, 8);
}

TEST_F(CqTest, WhatCannotBeMade)
{
    make();
    errno = 0;
    EXPECT_EQ(mrc_create_cq(nullptr, 8, nullptr, nullptr, 0), nullptr);
    EXPECT_EQ(errno, EINVAL);
    EXPECT_EQ(mrc_create_cq(o.context, 0, nullptr, nullptr, 0), nullptr);
    EXPECT_EQ(errno, EINVAL);
    EXPECT_EQ(mrc_create_cq(o.context, 8, nullptr, reinterpret_cast<mrc_comp_channel *>(o.cq), 0),
              nullptr);
    EXPECT_EQ(errno, EINVAL);
    mrc_context *other = mrc_create_context(&verbs.context, nullptr);
    errno = 0;
    EXPECT_EQ(mrc_create_cq(other, 8, nullptr, channel, 0), nullptr) << "another's channel";
    EXPECT_EQ(errno, EINVAL);
    EXPECT_EQ(mrc_destroy_context(other), 0);
    verbs.errors["create_cq"] = ENOMEM;
    EXPECT_EQ(mrc_create_cq(o.context, 8, nullptr, nullptr, 0), nullptr);
    EXPECT_EQ(errno, ENOMEM);
}

TEST_F(CqTest, StaysWhileAQpUsesIt)
{
    errno = 0;
    EXPECT_EQ(mrc_destroy_cq(o.cq), EBUSY);
    EXPECT_EQ(errno, EBUSY);
    EXPECT_EQ(mrc_destroy_qp(o.qp), 0);
    EXPECT_EQ(mrc_destroy_cq(o.cq), 0);
    EXPECT_EQ(mrc_destroy_cq(nullptr), EINVAL);
    EXPECT_EQ(mrc_destroy_cq(reinterpret_cast<mrc_cq *>(o.context)), EINVAL);
}

TEST_F(CqTest, IsPolledByItsDevice)
{
    ibv_wc wc[4]{};

    EXPECT_EQ(mrc_poll_cq(o.cq, 4, wc), 2);
    EXPECT_EQ(wc[1].wr_id, 41u);
    EXPECT_EQ(mrc_poll_cq(o.cq, 1, wc), 1);
    verbs.errors["poll_cq"] = 1;
    errno = 0;
    EXPECT_EQ(mrc_poll_cq(o.cq, 4, wc), -1);
    EXPECT_EQ(errno, EIO);
}

TEST_F(CqTest, AsksForEvents)
{
    EXPECT_EQ(mrc_req_notify_cq(o.cq, 0), 0);
    EXPECT_EQ(verbs.count("req_notify_cq"), 1u);
    verbs.errors["req_notify_cq"] = EIO;
    EXPECT_EQ(mrc_req_notify_cq(o.cq, 1), EIO);
    EXPECT_EQ(errno, EIO);
    EXPECT_EQ(mrc_req_notify_cq(nullptr, 0), EINVAL);
}

TEST_F(CqTest, EventsNameIt)
{
    mrc_cq *told = nullptr;
    void *context = nullptr;

    make();
    verbs.cq_events = {inner, inner};
    ASSERT_EQ(mrc_get_cq_event(channel, &told, &context), 0);
    EXPECT_EQ(told, noisy);
    EXPECT_EQ(context, &noisy_context);
    ASSERT_EQ(mrc_get_cq_event(channel, &told, &context), 0);
    mrc_ack_cq_events(told, 2);
    EXPECT_EQ(verbs.acked_cq_events, 2u);
    EXPECT_EQ(mrc_get_cq_event(channel, &told, &context), -1);
    EXPECT_EQ(errno, EAGAIN);
    mrc_ack_cq_events(nullptr, 1);
    EXPECT_EQ(verbs.acked_cq_events, 2u);
}

TEST_F(CqTest, EventsOfNobodyArePassedOver)
{
    mrc_cq *told = nullptr;
    void *context = nullptr;
    ibv_cq stranger{};

    make();
    verbs.cq_events = {&stranger, inner};
    ASSERT_EQ(mrc_get_cq_event(channel, &told, &context), 0);
    EXPECT_EQ(told, noisy);
    EXPECT_EQ(verbs.acked_cq_events, 1u);
}

TEST_F(CqTest, ChannelsHaveAFileAndUsers)
{
    int fd = 0;

    make();
    EXPECT_EQ(mrc_get_comp_channel_fd(channel, &fd), 0);
    EXPECT_EQ(fd, 77);
    EXPECT_EQ(mrc_get_comp_channel_fd(channel, nullptr), -1);
    EXPECT_EQ(errno, EINVAL);
    EXPECT_EQ(mrc_get_comp_channel_fd(nullptr, &fd), -1);
    EXPECT_EQ(mrc_destroy_comp_channel(channel), EBUSY);
    EXPECT_EQ(mrc_destroy_cq(noisy), 0);
    EXPECT_EQ(mrc_destroy_comp_channel(channel), 0);
    EXPECT_EQ(mrc_destroy_comp_channel(nullptr), EINVAL);
}

TEST_F(CqTest, ChannelsThatCannotBeMade)
{
    errno = 0;
    EXPECT_EQ(mrc_create_comp_channel(nullptr, &channel), -1);
    EXPECT_EQ(errno, EINVAL);
    EXPECT_EQ(mrc_create_comp_channel(o.context, nullptr), -1);
    verbs.errors["create_comp_channel"] = EMFILE;
    EXPECT_EQ(mrc_create_comp_channel(o.context, &channel), -1);
    EXPECT_EQ(errno, EMFILE);
    EXPECT_EQ(channel, nullptr);
}

} // namespace
} // namespace mrc::test
