// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Devices and contexts. */
#include <cerrno>

#include <gtest/gtest.h>

#include "fake_verbs.h"

namespace mrc::test
{
namespace
{

class ContextTest : public ::testing::Test
{
protected:
    FakeVerbs verbs;
};

TEST_F(ContextTest, ADeviceSaysWhatItCan)
{
    mrc_device_attr attr{};
    int supported = 7;

    ASSERT_EQ(mrc_query_device(&verbs.context, &attr, &supported), 0);
    EXPECT_EQ(supported, 1);
    EXPECT_EQ(attr.mrc_protocol_version, static_cast<uint32_t>(MRC_PROTOCOL_VERSION_1));
    EXPECT_EQ(attr.wimm_attr.max_wimm, 400);
    EXPECT_EQ(attr.wimm_attr.max_wimm_dest, 500);
    EXPECT_EQ(attr.mpr_attr.max_mpr, 255);
    EXPECT_EQ(attr.mpr_attr.mpr_resolution, 1);
    EXPECT_EQ(attr.qp_attr.max_qp_hint, 1000u);
    EXPECT_EQ(attr.cap, static_cast<uint32_t>(MRC_DEVICE_CAP_TRIM_NACK));
    verbs.device.caps = 0;
    ASSERT_EQ(mrc_query_device(&verbs.context, &attr, &supported), 0);
    EXPECT_EQ(attr.cap, 0u);
}

TEST_F(ContextTest, AnotherDriversDeviceIsNone)
{
    mrc_device_attr attr;
    int supported = 7;

    for (const int error : {EINVAL, ENOTTY, EOPNOTSUPP, EPROTONOSUPPORT}) {
        verbs.errors["query_device"] = error;
        attr.cap = 9;
        EXPECT_EQ(mrc_query_device(&verbs.context, &attr, &supported), 0) << error;
        EXPECT_EQ(supported, 0);
        EXPECT_EQ(attr.cap, 0u);
    }
    verbs.errors["query_device"] = EIO;
    EXPECT_EQ(mrc_query_device(&verbs.context, &attr, &supported), -1);
    EXPECT_EQ(errno, EIO);
}

TEST_F(ContextTest, QueriesWantAllPointers)
{
    mrc_device_attr attr;
    int supported = 0;

    EXPECT_EQ(mrc_query_device(nullptr, &attr, &supported), -1);
    EXPECT_EQ(errno, EINVAL);
    EXPECT_EQ(mrc_query_device(&verbs.context, nullptr, &supported), -1);
    EXPECT_EQ(mrc_query_device(&verbs.context, &attr, nullptr), -1);
    EXPECT_EQ(mrc_query_device_ex(&verbs.context, nullptr, &attr, &supported), 0);
    EXPECT_EQ(supported, 1);
}

TEST_F(ContextTest, QueriesWantAContextOrNone)
{
    Objects o;
    mrc_device_attr attr;
    int supported = 0;

    EXPECT_EQ(mrc_query_device_ex(&verbs.context, o.context, &attr, &supported), 0);
    errno = 0;
    EXPECT_EQ(mrc_query_device_ex(&verbs.context, reinterpret_cast<mrc_context *>(o.qp), &attr,
                                  &supported),
              -1);
    EXPECT_EQ(errno, EINVAL);
}

TEST_F(ContextTest, TakesProgramsThatAreNotNewer)
{
    const uint32_t versions[] = {0, 1, MRC_API_VER(1, 0, 0), MRC_API_VER(1, 0, 1)};

    for (const uint32_t version : versions) {
        mrc_context_attr attr{version, 0};
        mrc_context *context = mrc_create_context(&verbs.context, &attr);
        EXPECT_TRUE(context) << version;
        EXPECT_EQ(mrc_destroy_context(context), 0);
    }
    for (const mrc_context_attr newer :
         {mrc_context_attr{MRC_API_VER(1, 0, 2), 0}, mrc_context_attr{0, MRC_API_VER(1, 0, 1)}}) {
        mrc_context_attr attr = newer;
        errno = 0;
        EXPECT_EQ(mrc_create_context(&verbs.context, &attr), nullptr);
        EXPECT_EQ(errno, EINVAL);
    }
}

TEST_F(ContextTest, IsOfAnMrcDevice)
{
    errno = 0;
    EXPECT_EQ(mrc_create_context(nullptr, nullptr), nullptr);
    EXPECT_EQ(errno, EINVAL);
    EXPECT_EQ(mrc_create_context(&verbs.other, nullptr), nullptr);
    EXPECT_EQ(errno, ENOTSUP);
    verbs.errors["query_device"] = EIO;
    EXPECT_EQ(mrc_create_context(&verbs.context, nullptr), nullptr);
    EXPECT_EQ(errno, EIO);
}

TEST_F(ContextTest, DestroysWhatIsLeft)
{
    Objects o;
    mrc_comp_channel *channel = nullptr;

    ASSERT_EQ(mrc_create_comp_channel(o.context, &channel), 0);
    ASSERT_TRUE(mrc_create_cq(o.context, 4, nullptr, channel, 0));
    mrc_qp_hint *hint = mrc_create_qp_hint(o.context, nullptr);
    mrc_qp_attr attr{};
    attr.qp_hint = hint;
    ASSERT_EQ(mrc_modify_qp(o.qp, nullptr, 0, &attr, MRC_QP_HINT), 0);
    EXPECT_EQ(mrc_destroy_context(o.context), 0);
    o.context = nullptr;
    EXPECT_TRUE(verbs.qps.empty());
    EXPECT_TRUE(verbs.cqs.empty());
    EXPECT_TRUE(verbs.channels.empty());
}

/* Otherwise destroying the objects would wait for ever. */
TEST_F(ContextTest, AcknowledgesWhatNobodyHas)
{
    Objects o;
    mrc_comp_channel *channel = nullptr;
    mrc_async_event event;
    mrc_cq *told = nullptr;
    void *context = nullptr;

    ASSERT_EQ(mrc_create_comp_channel(o.context, &channel), 0);
    mrc_cq *cq = mrc_create_cq(o.context, 4, nullptr, channel, 0);
    verbs.cq_events.assign(3, verbs.cqs.begin()->first);
    for (auto &[inner, users] : verbs.cqs)
        if (inner->channel)
            verbs.cq_events.assign(3, inner);
    for (int i = 0; i < 3; i++)
        ASSERT_EQ(mrc_get_cq_event(channel, &told, &context), 0);
    EXPECT_EQ(told, cq);
    mrc_ack_cq_events(cq, 1);
    ibv_async_event of_qp{};
    of_qp.event_type = IBV_EVENT_QP_FATAL;
    of_qp.element.qp = verbs.qps.begin()->first;
    ibv_async_event of_cq{};
    of_cq.event_type = IBV_EVENT_CQ_ERR;
    of_cq.element.cq = verbs.cqs.begin()->first;
    verbs.async_events = {of_qp, of_cq};
    ASSERT_EQ(mrc_get_async_event(o.context, &event), 0);
    ASSERT_EQ(mrc_get_async_event(o.context, &event), 0);
    EXPECT_EQ(mrc_destroy_context(o.context), 0);
    o.context = nullptr;
    EXPECT_EQ(verbs.acked_cq_events, 3u);
    EXPECT_EQ(verbs.acked_async_events.size(), 2u);
}

TEST_F(ContextTest, WhatIsNoneIsNotDestroyed)
{
    Objects o;

    errno = 0;
    EXPECT_EQ(mrc_destroy_context(nullptr), -1);
    EXPECT_EQ(errno, EINVAL);
    EXPECT_EQ(mrc_destroy_context(reinterpret_cast<mrc_context *>(o.cq)), -1);
}

/* If the device has gone, nothing can be destroyed in the kernel any more. */
TEST_F(ContextTest, GoesWhateverVerbsSays)
{
    Objects o;

    verbs.errors["destroy_qp"] = EIO;
    verbs.errors["destroy_cq"] = EIO;
    EXPECT_EQ(mrc_destroy_context(o.context), 0);
    o.context = nullptr;
}

} // namespace
} // namespace mrc::test
