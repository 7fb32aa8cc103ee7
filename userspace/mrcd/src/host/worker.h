// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * A thread for requests that may wait for the kernel, so that nothing else has to wait.
 */
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "mrcnl/descriptor.h"

namespace mrcd
{

/**
 * Does one job after another in its own thread. The owner polls fd(), and handles the results in
 * its own thread.
 */
class Worker
{
public:
    /** Handles the result of a job; called by finish(). */
    using Then = std::function<void()>;
    using Job = std::function<Then()>;

    Worker();
    /** Waits for the current job. Jobs that have not begun are dropped. */
    ~Worker();
    Worker(const Worker &) = delete;
    Worker &operator=(const Worker &) = delete;

    void start(Job job);

    /** Descriptor that is readable when finish() has something to do. */
    int fd() const { return fd_.get(); }
    /** Calls the functions that finished jobs have returned. Rethrows an exception of a job. */
    void finish();

private:
    void run();

    mrcnl::Descriptor fd_;
    std::mutex mutex_; ///< protects what follows
    std::condition_variable more_;
    std::deque<Job> jobs_;
    std::deque<Then> done_;
    bool ends_ = false;
    std::thread thread_; ///< last member, because it uses the others
};

} // namespace mrcd
