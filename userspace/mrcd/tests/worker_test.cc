// SPDX-License-Identifier: GPL-2.0-only
//
// Jobs in a thread, and what they come to in another one.

#include <atomic>
#include <future>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>
#include <poll.h>

#include "host/worker.h"

namespace mrcd::test::worker_test
{
namespace
{

bool readable(const Worker &worker, int ms)
{
    pollfd at{worker.fd(), POLLIN, 0};

    return poll(&at, 1, ms) == 1;
}

constexpr int long_ms = 60000;

TEST(Worker, DoesJobsInOrderAndTellsHere)
{
    Worker worker;
    std::vector<int> order;
    const auto here = std::this_thread::get_id();

    EXPECT_FALSE(readable(worker, 0));
    for (int i = 0; i < 10; i++)
        worker.start([&, i] {
            EXPECT_NE(std::this_thread::get_id(), here);
            return [&, i] {
                EXPECT_EQ(std::this_thread::get_id(), here);
                order.push_back(i);
            };
        });
    while (order.size() < 10 && readable(worker, long_ms))
        worker.finish();
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
    EXPECT_FALSE(readable(worker, 0)) << "nothing is left";
}

TEST(Worker, WhatAJobThrowsIsThrownHere)
{
    Worker worker;
    bool done = false;

    worker.start([]() -> Worker::Then { throw std::runtime_error("of the test"); });
    ASSERT_TRUE(readable(worker, long_ms));
    EXPECT_THROW(worker.finish(), std::runtime_error);
    worker.start([&] { return [&] { done = true; }; });
    ASSERT_TRUE(readable(worker, long_ms));
    worker.finish();
    EXPECT_TRUE(done) << "it goes on";
}

TEST(Worker, WhatFollowsOneThatThrowsIsNotLost)
{
    std::promise<void> both;
    std::promise<void> seen;
    bool done = false;
    Worker worker; // the last member: its jobs use the others

    worker.start([]() -> Worker::Then { throw std::runtime_error("of the test"); });
    worker.start([&] { return [&] { done = true; }; });
    // The third job has begun, so the first two are done. It reports nothing itself yet.
    worker.start([&] {
        both.set_value();
        seen.get_future().wait();
        return [] {};
    });
    both.get_future().wait();
    EXPECT_THROW(worker.finish(), std::runtime_error);
    EXPECT_TRUE(readable(worker, 0));
    worker.finish();
    EXPECT_TRUE(done);
    seen.set_value();
}

TEST(Worker, EndsAfterTheJobAtHand)
{
    std::promise<void> begun;
    std::promise<void> go;
    bool done = false;
    std::future<void> goes;

    {
        Worker worker;
        worker.start([&] {
            begun.set_value();
            go.get_future().wait();
            done = true;
            return [] {};
        });
        begun.get_future().wait();
        goes = std::async(std::launch::async, [&] { go.set_value(); });
    }
    EXPECT_TRUE(done);
}

/** Each job may take seconds. */
TEST(Worker, JobsThatHaveNotBegunAreNotWaitedFor)
{
    // All jobs would take ten seconds. A machine that stands still for less changes nothing.
    constexpr int all = 10'000;
    std::atomic<int> begun = 0;

    {
        Worker worker;
        for (int i = 0; i < all; i++)
            worker.start([&] {
                begun++;
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
                return [] {};
            });
    }
    EXPECT_LT(begun, all);
}

} // namespace
} // namespace mrcd::test::worker_test
