// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * All functions at once, from several threads. Looks for data races (with ThreadSanitizer) and
 * deadlocks.
 */
#include <array>
#include <atomic>
#include <cerrno>
#include <functional>
#include <thread>

#include <gtest/gtest.h>

#include "fake_verbs.h"

namespace mrc::test
{
namespace
{

constexpr int rounds = 300;

class ThreadsTest : public ::testing::Test
{
protected:
    FakeVerbs verbs;
    Objects o;

    /** Run each function in a thread of its own, and wait for all. */
    static void together(const std::vector<std::function<void()>> &all)
    {
        std::vector<std::thread> threads;

        threads.reserve(all.size());
        for (const auto &one : all)
            threads.emplace_back(one);
        for (std::thread &thread : threads)
            thread.join();
    }

    void makes_and_destroys_qps()
    {
        for (int i = 0; i < rounds; i++) {
            mrc_qp_init_attr init = o.init();
            mrc_qp *qp = mrc_create_qp(o.context, &init);
            ASSERT_TRUE(qp);
            ASSERT_EQ(mrc_destroy_qp(qp), 0);
        }
    }

    void makes_and_destroys_cqs()
    {
        for (int i = 0; i < rounds; i++) {
            mrc_comp_channel *channel = nullptr;
            ASSERT_EQ(mrc_create_comp_channel(o.context, &channel), 0);
            mrc_cq *cq = mrc_create_cq(o.context, 4, nullptr, channel, 0);
            ASSERT_TRUE(cq);
            ASSERT_EQ(mrc_destroy_cq(cq), 0);
            ASSERT_EQ(mrc_destroy_comp_channel(channel), 0);
        }
    }

    void posts_and_polls()
    {
        for (int i = 0; i < rounds; i++) {
            ibv_send_wr send{};
            ibv_recv_wr recv{};
            ibv_send_wr *bad_send = nullptr;
            ibv_recv_wr *bad_recv = nullptr;
            ibv_wc wc[2]{};
            ASSERT_EQ(mrc_post_send(o.qp, &send, &bad_send), 0);
            ASSERT_EQ(mrc_post_recv(o.qp, &recv, &bad_recv), 0);
            ASSERT_EQ(mrc_poll_cq(o.cq, 2, wc), 2);
            ASSERT_EQ(mrc_req_notify_cq(o.cq, 0), 0);
        }
    }

    void modifies_and_queries()
    {
        mrc_qp_hint *hint = mrc_create_qp_hint(o.context, nullptr);

        for (int i = 0; i < rounds; i++) {
            mrc_qp_attr attr{};
            attr.timeout = static_cast<uint8_t>(i % 20);
            attr.qp_hint = i % 2 ? hint : nullptr;
            ASSERT_EQ(mrc_modify_qp(o.qp, nullptr, 0, &attr, MRC_QP_TIMEOUT | MRC_QP_HINT), 0);
            ASSERT_EQ(mrc_query_qp(o.qp, nullptr, 0, &attr, MRC_QP_TIMEOUT | MRC_QP_HINT, nullptr),
                      0);
            mrc_qp_hint_attr told{};
            ASSERT_EQ(mrc_query_qp_hint(hint, &told, MRC_QP_HINT_NUM_SEND_PEERS), 0);
        }
    }
};

TEST_F(ThreadsTest, EverythingAtOnce)
{
    together({[this] { makes_and_destroys_qps(); }, [this] { makes_and_destroys_qps(); },
              [this] { makes_and_destroys_cqs(); }, [this] { posts_and_polls(); },
              [this] { modifies_and_queries(); }, [this] { modifies_and_queries(); }});
    EXPECT_EQ(verbs.qps.size(), 1u);
    EXPECT_EQ(verbs.cqs.size(), 1u);
    EXPECT_TRUE(verbs.channels.empty());
}

/* An event is read and acknowledged by one thread while another one destroys and makes QPs. */
TEST_F(ThreadsTest, EventsMeetQpsThatComeAndGo)
{
    ibv_qp *inner = verbs.qps.begin()->first;
    std::atomic<int> seen = 0;

    together({[this] { makes_and_destroys_qps(); },
              [&] {
                  for (int i = 0; i < rounds; i++) {
                      ibv_async_event event{};
                      mrc_async_event told{};
                      event.event_type = IBV_EVENT_COMM_EST;
                      event.element.qp = inner;
                      verbs.happens(event);
                      ASSERT_EQ(mrc_get_async_event(o.context, &told), 0);
                      ASSERT_EQ(told.element.qp, o.qp);
                      mrc_ack_async_event(&told);
                      seen++;
                  }
              }});
    EXPECT_EQ(seen, rounds);
    EXPECT_EQ(verbs.acked_async_events.size(), static_cast<size_t>(rounds));
}

} // namespace
} // namespace mrc::test
