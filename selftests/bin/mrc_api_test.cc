// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * What mrc.h promises, tried with libmrc between two QPs: of one device, or of two devices of this
 * machine, each opened in its own namespace. Others.* are about a device of another driver.
 */
#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>

#include "api/end.h"
#include "verbs/options.h"

namespace api
{

using Query = Connected;
using Data = Connected;
using Attributes = Connected;
using Events = Connected;
using Life = Connected;

TEST_F(Query, TheDeviceSaysWhatItCan)
{
    mrc_device_attr attr{};
    int supported = 0;

    make();
    ASSERT_EQ(mrc_query_device(a->device.get(), &attr, &supported), 0);
    EXPECT_EQ(supported, 1);
    EXPECT_EQ(attr.mrc_protocol_version, 1u);
    EXPECT_EQ(attr.mpr_attr.max_mpr, 255);
    EXPECT_EQ(attr.wimm_attr.max_wimm, 65535);
    EXPECT_EQ(attr.wimm_attr.max_wimm_dest, 65535);
    EXPECT_GT(attr.qp_attr.max_qp_hint, 1000u);
    EXPECT_EQ(attr.cap, 0u) << "it is not told to take trimmed packets";
    attr = {};
    EXPECT_EQ(mrc_query_device_ex(a->device.get(), a->context, &attr, &supported), 0);
    EXPECT_EQ(attr.mpr_attr.max_mpr, 255);
}

TEST_F(Query, TrimmedPacketsAreTold)
{
    mrc_device_attr attr{};
    int supported = 0;

    make();
    ASSERT_EQ(mrc_query_device(a->device.get(), &attr, &supported), 0);
    EXPECT_EQ(attr.cap, static_cast<uint32_t>(MRC_DEVICE_CAP_TRIM_NACK));
}

/* Like programs under load: 128 requests outstanding, every 64th signalled. */
TEST_F(Data, SizesArriveWholeAndInOrder)
{
    make({}, 1 << 20);
    ASSERT_NO_FATAL_FAILURE(connect());
    for (uint32_t size = 1; size <= 1 << 20; size *= 4) {
        const size_t room = (1 << 20) / size;
        for (size_t i = 0; i < 1 << 20; i++)
            a->data()[i] = static_cast<uint8_t>(i * 3 + (i >> 8) + size % 251);
        std::fill_n(b->data(), 1 << 20, static_cast<uint8_t>(0));
        const unsigned int count = size > 65536 ? 4 : 128;
        for (unsigned int i = 0; i < count; i++)
            ASSERT_EQ(a->write(*b, (i % room) * size, size, i,
                               i % 64 == 63 || i == count - 1 ? IBV_SEND_SIGNALED : 0),
                      0);
        const size_t signals = (count + 63) / 64;
        const auto done = a->completions(signals);
        ASSERT_EQ(done.size(), signals) << size;
        for (const ibv_wc &wc : done)
            EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
        EXPECT_EQ(done.back().wr_id, count - 1);
        const size_t bytes = std::min<size_t>(count, room) * size;
        EXPECT_TRUE(std::equal(a->data(), a->data() + bytes, b->data())) << size;
    }
}

TEST_F(Data, ImmediatesComeBehindTheirData)
{
    make();
    ASSERT_NO_FATAL_FAILURE(connect());
    ASSERT_EQ(b->receive(71), 0);
    ASSERT_EQ(b->receive(72), 0);
    std::fill_n(a->data(), 5000, static_cast<uint8_t>(0xa5));
    ASSERT_EQ(a->write(*b, 0, 5000, 1, 0), 0);
    ASSERT_EQ(a->write(*b, 4000, 1000, 2, IBV_SEND_SIGNALED, IBV_WR_RDMA_WRITE_WITH_IMM, htonl(77)),
              0);
    ASSERT_EQ(a->write(*b, 0, 0, 3, IBV_SEND_SIGNALED, IBV_WR_RDMA_WRITE_WITH_IMM, htonl(78)), 0);
    const auto received = b->completions(2);
    ASSERT_EQ(received.size(), 2u);
    EXPECT_EQ(received[0].opcode, IBV_WC_RECV_RDMA_WITH_IMM);
    EXPECT_EQ(received[0].wr_id, 71u);
    EXPECT_EQ(received[0].wc_flags & IBV_WC_WITH_IMM, static_cast<unsigned int>(IBV_WC_WITH_IMM));
    EXPECT_EQ(ntohl(received[0].imm_data), 77u);
    EXPECT_EQ(received[0].byte_len, 1000u);
    EXPECT_EQ(ntohl(received[1].imm_data), 78u) << "of a message without bytes";
    EXPECT_TRUE(std::all_of(b->data(), b->data() + 5000, [](uint8_t c) { return c == 0xa5; }));
    EXPECT_EQ(a->completions(2).size(), 2u);
}

/* Each of two ends waits for the other's memory to change; no completion reports a write. */
TEST_F(Data, UnsignalledWritesBecomeVisible)
{
    make();
    ASSERT_NO_FATAL_FAILURE(connect());
    for (uint8_t round = 1; round <= 20; round++) {
        for (auto &[from, to] : {std::pair(a.get(), b.get()), std::pair(b.get(), a.get())}) {
            const size_t at = from == a.get() ? 0 : 64;
            from->data()[at] = round;
            ASSERT_EQ(from->write(*to, at, 8, 0, 0), 0);
            const volatile uint8_t *there = to->data() + at;
            for (uint64_t looks = 0; *there != round && looks < 4'000'000'000; looks++)
                ;
            ASSERT_EQ(*there, round);
        }
    }
}

TEST_F(Data, WhatTheDeviceCannotDoIsRefused)
{
    make();
    ASSERT_NO_FATAL_FAILURE(connect());
    errno = 0;
    EXPECT_EQ(a->write(*b, 0, 8, 0, 0, IBV_WR_LOCAL_INV), EOPNOTSUPP);
    EXPECT_EQ(errno, EOPNOTSUPP);
    ASSERT_EQ(a->write(*b, 0, 8, 9, IBV_SEND_SIGNALED), 0) << "it goes on";
    EXPECT_EQ(a->completions(1).size(), 1u);
}

TEST_F(Attributes, AreThoseOfTheQp)
{
    mrc_qp_attr attr{};

    make();
    attr.mpr = {4, 5};
    attr.wimm = {6, 7};
    attr.timeout = 15;
    attr.retry = {3, 20};
    ASSERT_EQ(a->to_init(&attr, MRC_QP_EV_PROFILE_ID | MRC_QP_CC_PROFILE_ID), 0);
    ASSERT_EQ(b->to_init(), 0);
    ASSERT_EQ(a->to_rtr(*b, &attr, MRC_QP_MPR_DEST | MRC_QP_MPR | MRC_QP_MAX_WIMM_DEST), 0);
    ASSERT_EQ(b->to_rtr(*a), 0);
    ASSERT_EQ(a->to_rts(&attr, MRC_QP_MPR | MRC_QP_MAX_WIMM | MRC_QP_TIMEOUT | MRC_QP_RETRY_CNT),
              0);
    ASSERT_EQ(b->to_rts(), 0);
    const mrc_qp_attr told = a->attributes();
    EXPECT_EQ(told.mpr.mpr, 4);
    EXPECT_EQ(told.mpr.mpr_dest, 5);
    EXPECT_EQ(told.wimm.max_wimm, 6);
    EXPECT_EQ(told.wimm.max_wimm_dest, 7);
    EXPECT_EQ(told.timeout, 15);
    EXPECT_EQ(told.retry.linear_cnt, 3);
    EXPECT_EQ(told.retry.exp_cnt, 20);
    ASSERT_EQ(b->receive(1), 0);
    ASSERT_EQ(a->write(*b, 0, 100000, 1, IBV_SEND_SIGNALED, IBV_WR_RDMA_WRITE_WITH_IMM, 5), 0);
    EXPECT_EQ(a->completions(1).at(0).status, IBV_WC_SUCCESS);
    attr.mpr.mpr = 9;
    EXPECT_EQ(mrc_modify_qp(a->qp, nullptr, 0, &attr, MRC_QP_MPR), EBUSY) << "too late";
}

TEST_F(Attributes, AProfileThatThereIsNotIsFoundOutAtRtr)
{
    mrc_qp_attr attr{};

    make();
    attr.profile.ev_profile_id = 0xabcdef;
    ASSERT_EQ(a->to_init(&attr, MRC_QP_EV_PROFILE_ID), 0);
    ASSERT_EQ(b->to_init(), 0);
    EXPECT_EQ(a->to_rtr(*b), ENOENT);
    EXPECT_EQ(a->state(), IBV_QPS_INIT);
    attr.profile.ev_profile_id = 0;
    EXPECT_EQ(a->to_rtr(*b, &attr, MRC_QP_EV_PROFILE_ID), 0);
}

/* The state cannot be reached, so MRC's attributes that were set on the way are taken back. */
TEST_F(Attributes, ARefusedStateLeavesThemAsTheyWere)
{
    mrc_qp_attr attr{};

    make();
    const mrc_qp_attr before = a->attributes();
    attr.timeout = 3;
    attr.mpr = {9, 9};
    EXPECT_EQ(a->to_rts(&attr, MRC_QP_TIMEOUT | MRC_QP_MPR | MRC_QP_MPR_DEST), EINVAL);
    mrc_qp_attr after = a->attributes();
    EXPECT_EQ(after.timeout, before.timeout);
    EXPECT_EQ(after.mpr.mpr, before.mpr.mpr);
    EXPECT_EQ(after.mpr.mpr_dest, before.mpr.mpr_dest);
    ASSERT_NO_FATAL_FAILURE(connect());
    after = a->attributes();
    EXPECT_EQ(after.timeout, 20)
        << "4.096 us times 2^18 is 1.024 us times 2^20: that of verbs counts";
    EXPECT_EQ(after.retry.linear_cnt, 7) << "14 is more than there is";
}

TEST_F(Attributes, OutOfRangeIsRefused)
{
    mrc_qp_attr attr{};

    make();
    attr.timeout = 25;
    EXPECT_EQ(a->to_init(&attr, MRC_QP_TIMEOUT), EINVAL);
    attr.retry = {8, 0};
    EXPECT_EQ(a->to_init(&attr, MRC_QP_RETRY_CNT), EINVAL);
    attr.retry = {0, 26};
    EXPECT_EQ(a->to_init(&attr, MRC_QP_RETRY_CNT), EINVAL);
    EXPECT_EQ(a->state(), IBV_QPS_RESET);
    EXPECT_EQ(a->to_init(&attr, MRC_QP_MPR | MRC_QP_MPR_DEST), 0) << "0 is the default";
}

TEST_F(Events, ACompletionWakesUp)
{
    mrc_cq *told = nullptr;
    void *context = nullptr;

    make({.channel = true});
    ASSERT_NO_FATAL_FAILURE(connect());
    ASSERT_EQ(b->receive(1), 0);
    ASSERT_EQ(mrc_req_notify_cq(b->cq, 0), 0);
    ASSERT_EQ(a->write(*b, 0, 100, 1, 0, IBV_WR_RDMA_WRITE_WITH_IMM, 1), 0);
    ASSERT_EQ(mrc_get_cq_event(b->channel, &told, &context), 0);
    EXPECT_EQ(told, b->cq);
    EXPECT_EQ(context, &b->cq_context);
    EXPECT_EQ(b->completions(1).size(), 1u);
    EXPECT_EQ(mrc_destroy_comp_channel(b->channel), EBUSY);
    mrc_ack_cq_events(b->cq, 1);
}

/* The write fails, so the responder's QP ends, and the responder is told. */
TEST_F(Events, OfAQp)
{
    mrc_async_event event{};

    make();
    ASSERT_NO_FATAL_FAILURE(connect());
    ASSERT_EQ(a->write(*b, 0, 100, 5, IBV_SEND_SIGNALED, IBV_WR_RDMA_WRITE, 0, 0x12345678), 0);
    const auto done = a->completions(1);
    ASSERT_EQ(done.size(), 1u);
    EXPECT_EQ(done[0].status, IBV_WC_REM_ACCESS_ERR);
    // Addresses that have just become GIDs cause events, too.
    while (event.event_type != IBV_EVENT_QP_ACCESS_ERR) {
        ASSERT_EQ(mrc_get_async_event(b->context, &event), 0);
        if (event.event_type == IBV_EVENT_GID_CHANGE)
            mrc_ack_async_event(&event);
        else
            ASSERT_EQ(event.event_type, IBV_EVENT_QP_ACCESS_ERR);
    }
    EXPECT_EQ(event.element.qp, b->qp);
    mrc_ack_async_event(&event);
    EXPECT_EQ(mrc_destroy_qp(b->qp), 0);
}

TEST_F(Life, ObjectsGoOneByOne)
{
    make({.channel = true});
    ASSERT_NO_FATAL_FAILURE(connect());
    mrc_qp_hint *hint = mrc_create_qp_hint(a->context, nullptr);
    mrc_qp_attr attr{};
    attr.qp_hint = hint;
    ASSERT_EQ(mrc_modify_qp(a->qp, nullptr, 0, &attr, MRC_QP_HINT), 0);
    EXPECT_EQ(a->attributes().qp_hint, hint);
    EXPECT_EQ(mrc_destroy_cq(a->cq), EBUSY);
    EXPECT_EQ(mrc_destroy_qp_hint(hint), -1);
    EXPECT_EQ(mrc_destroy_qp(a->qp), 0);
    EXPECT_EQ(mrc_destroy_qp_hint(hint), 0);
    EXPECT_EQ(mrc_destroy_cq(a->cq), 0);
    EXPECT_EQ(mrc_destroy_comp_channel(a->channel), 0);
}

TEST_F(Life, WhatIsLeftGoesWithTheContext)
{
    make({.channel = true});
    ASSERT_NO_FATAL_FAILURE(connect());
    EXPECT_EQ(mrc_destroy_context(a->context), 0);
    a->context = nullptr;
    a->forget_memory();
    EXPECT_EQ(ibv_dealloc_pd(a->pd.get()), 0) << "nothing uses it any more";
    static_cast<void>(a->pd.release());
}

TEST_F(Life, OneDeviceTwoContextsAndVerbsBeside)
{
    make();
    ASSERT_NO_FATAL_FAILURE(connect());
    mrc_context *other = mrc_create_context(a->device.get(), nullptr);
    ASSERT_TRUE(other);
    EXPECT_TRUE(mrc_create_cq(other, 16, nullptr, nullptr, 0));
    const verbs::Cq plain(ibv_create_cq(a->device.get(), 16, nullptr, nullptr, 0));
    EXPECT_TRUE(plain);
    EXPECT_EQ(mrc_destroy_context(other), 0);
    ASSERT_EQ(a->write(*b, 0, 8, 9, IBV_SEND_SIGNALED), 0);
    EXPECT_EQ(a->completions(1).size(), 1u);
}

TEST_F(Life, ResetStartsAnew)
{
    make();
    ASSERT_NO_FATAL_FAILURE(connect());
    ASSERT_EQ(a->to_state(IBV_QPS_ERR), 0);
    ASSERT_EQ(a->to_state(IBV_QPS_RESET), 0);
    ASSERT_EQ(b->to_state(IBV_QPS_RESET), 0);
    ASSERT_NO_FATAL_FAILURE(connect());
    ASSERT_EQ(a->write(*b, 0, 8, 9, IBV_SEND_SIGNALED), 0);
    EXPECT_EQ(a->completions(1).size(), 1u);
}

TEST(Others, AreNone)
{
    const auto device = verbs::open_device(verbs::config.device[0], verbs::config.netns[0]);
    mrc_device_attr attr{};
    int supported = 1;

    EXPECT_EQ(mrc_query_device(device.get(), &attr, &supported), 0);
    EXPECT_EQ(supported, 0);
    errno = 0;
    EXPECT_EQ(mrc_create_context(device.get(), nullptr), nullptr);
    EXPECT_EQ(errno, ENOTSUP);
}

} // namespace api

int main(int argc, char **argv)
{
    testing::InitGoogleTest(&argc, argv);
    if (!testing::GTEST_FLAG(list_tests)) {
        verbs::parse_options(argc, argv,
                             "Usage: mrc_api_test [GOOGLETEST-OPTION]... [-n NETNS] DEVICE "
                             "[[-N NETNS] DEVICE]\n");
    }
    return RUN_ALL_TESTS();
}
