// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Events of QPs, CQs and the port. */
#include <cerrno>

#include <gtest/gtest.h>

#include "fake_verbs.h"

namespace mrc::test
{
namespace
{

class AsyncEventTest : public ::testing::Test
{
protected:
    FakeVerbs verbs;
    Objects o;
    mrc_async_event event{};

    ibv_qp *inner_qp() { return verbs.qps.begin()->first; }
    ibv_cq *inner_cq() { return verbs.cqs.begin()->first; }

    void happens(ibv_event_type type, ibv_qp *qp)
    {
        ibv_async_event e{};
        e.event_type = type;
        e.element.qp = qp;
        verbs.async_events.push_back(e);
    }
};

TEST_F(AsyncEventTest, OfAQpNameIt)
{
    for (const ibv_event_type type :
         {IBV_EVENT_QP_FATAL, IBV_EVENT_QP_REQ_ERR, IBV_EVENT_QP_ACCESS_ERR, IBV_EVENT_COMM_EST,
          IBV_EVENT_SQ_DRAINED, IBV_EVENT_PATH_MIG, IBV_EVENT_PATH_MIG_ERR,
          IBV_EVENT_QP_LAST_WQE_REACHED}) {
        happens(type, inner_qp());
        ASSERT_EQ(mrc_get_async_event(o.context, &event), 0) << type;
        EXPECT_EQ(event.event_type, type);
        EXPECT_EQ(event.element.qp, o.qp);
        mrc_ack_async_event(&event);
        ASSERT_FALSE(verbs.acked_async_events.empty());
        EXPECT_EQ(verbs.acked_async_events.back().element.qp, inner_qp());
        EXPECT_EQ(verbs.acked_async_events.back().event_type, type);
    }
}

TEST_F(AsyncEventTest, OfACqNameIt)
{
    ibv_async_event e{};

    e.event_type = IBV_EVENT_CQ_ERR;
    e.element.cq = inner_cq();
    verbs.async_events = {e};
    ASSERT_EQ(mrc_get_async_event(o.context, &event), 0);
    EXPECT_EQ(event.element.cq, o.cq);
    mrc_ack_async_event(&event);
    EXPECT_EQ(verbs.acked_async_events.back().element.cq, inner_cq());
}

TEST_F(AsyncEventTest, OfThePortHaveItsNumber)
{
    for (const ibv_event_type type :
         {IBV_EVENT_PORT_ACTIVE, IBV_EVENT_PORT_ERR, IBV_EVENT_GID_CHANGE, IBV_EVENT_LID_CHANGE,
          IBV_EVENT_PKEY_CHANGE, IBV_EVENT_SM_CHANGE, IBV_EVENT_CLIENT_REREGISTER,
          IBV_EVENT_DEVICE_FATAL}) {
        ibv_async_event e{};
        e.event_type = type;
        e.element.port_num = 1;
        verbs.async_events = {e};
        ASSERT_EQ(mrc_get_async_event(o.context, &event), 0) << type;
        EXPECT_EQ(event.event_type, type);
        EXPECT_EQ(event.element.port_num, 1);
        mrc_ack_async_event(&event);
        EXPECT_EQ(verbs.acked_async_events.back().element.port_num, 1);
    }
}

/* The events are of a QP that the program made with verbs, and of an SRQ. */
TEST_F(AsyncEventTest, OfNobodyArePassedOver)
{
    ibv_qp stranger{};

    happens(IBV_EVENT_QP_FATAL, &stranger);
    happens(IBV_EVENT_SRQ_ERR, nullptr);
    happens(IBV_EVENT_QP_FATAL, inner_qp());
    ASSERT_EQ(mrc_get_async_event(o.context, &event), 0);
    EXPECT_EQ(event.element.qp, o.qp);
    EXPECT_EQ(verbs.acked_async_events.size(), 2u);
}

/* Two contexts of one open device: the one that reads first takes no event from the other. */
class TwoContextsTest : public AsyncEventTest
{
protected:
    Objects others;

    ibv_qp *inner_of(const Objects &whose)
    {
        for (const auto &[qp, of] : verbs.qps)
            if (qp->qp_context == &whose.qp_context)
                return qp;
        return nullptr;
    }
};

TEST_F(TwoContextsTest, EachHasItsOwn)
{
    happens(IBV_EVENT_QP_FATAL, inner_of(others));
    happens(IBV_EVENT_QP_REQ_ERR, inner_of(others));
    happens(IBV_EVENT_QP_FATAL, inner_of(o));
    ASSERT_EQ(mrc_get_async_event(o.context, &event), 0);
    EXPECT_EQ(event.element.qp, o.qp);
    EXPECT_TRUE(verbs.acked_async_events.empty());
    for (const ibv_event_type type : {IBV_EVENT_QP_FATAL, IBV_EVENT_QP_REQ_ERR}) {
        ASSERT_EQ(mrc_get_async_event(others.context, &event), 0);
        EXPECT_EQ(event.element.qp, others.qp);
        EXPECT_EQ(event.event_type, type);
        mrc_ack_async_event(&event);
        EXPECT_EQ(verbs.acked_async_events.back().element.qp, inner_of(others));
    }
    EXPECT_EQ(mrc_get_async_event(others.context, &event), -1);
    EXPECT_EQ(errno, EAGAIN);
}

TEST_F(TwoContextsTest, ThePortIsEverybodys)
{
    ibv_async_event e{};

    e.event_type = IBV_EVENT_PORT_ERR;
    e.element.port_num = 1;
    verbs.async_events = {e};
    for (mrc_context *context : {o.context, others.context}) {
        ASSERT_EQ(mrc_get_async_event(context, &event), 0);
        EXPECT_EQ(event.event_type, IBV_EVENT_PORT_ERR);
        EXPECT_EQ(event.element.port_num, 1);
    }
}

/* The destruction of a QP waits until all its events are acknowledged, even those never read. */
TEST_F(TwoContextsTest, OfAQpThatGoesAreAcknowledged)
{
    ibv_qp *gone = inner_of(others);

    happens(IBV_EVENT_QP_FATAL, gone);
    happens(IBV_EVENT_QP_FATAL, inner_of(o));
    ASSERT_EQ(mrc_get_async_event(o.context, &event), 0);
    verbs.errors["destroy_qp"] = EIO;
    EXPECT_EQ(mrc_destroy_qp(others.qp), EIO);
    ASSERT_EQ(verbs.acked_async_events.size(), 1u);
    EXPECT_EQ(verbs.acked_async_events.back().element.qp, gone);
    // The QP was not destroyed, so it still gets events.
    verbs.errors.clear();
    happens(IBV_EVENT_QP_FATAL, gone);
    happens(IBV_EVENT_QP_FATAL, inner_of(o));
    ASSERT_EQ(mrc_get_async_event(o.context, &event), 0);
    ASSERT_EQ(mrc_get_async_event(others.context, &event), 0);
    EXPECT_EQ(event.element.qp, others.qp);
}

TEST_F(AsyncEventTest, Failures)
{
    EXPECT_EQ(mrc_get_async_event(o.context, &event), -1);
    EXPECT_EQ(errno, EAGAIN);
    EXPECT_EQ(mrc_get_async_event(nullptr, &event), -1);
    EXPECT_EQ(errno, EINVAL);
    EXPECT_EQ(mrc_get_async_event(o.context, nullptr), -1);
    mrc_ack_async_event(nullptr);
    event = {};
    event.event_type = IBV_EVENT_QP_FATAL;
    event.element.cq = o.cq;
    mrc_ack_async_event(&event);
    EXPECT_TRUE(verbs.acked_async_events.empty()) << "that is no QP";
}

} // namespace
} // namespace mrc::test
