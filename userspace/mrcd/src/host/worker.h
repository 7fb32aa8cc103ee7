// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * A thread for what may have to wait for the kernel, so that nothing else has to.
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

/** Does one job after another, in its own thread; what each comes to is done where it is polled. */
class Worker
{
public:
    /** What is done with a job's result, by finish(). */
    using Then = std::function<void()>;
    using Job = std::function<Then()>;

    Worker();
    /** Waits for the job at hand; the others are not begun. */
    ~Worker();
    Worker(const Worker &) = delete;
    Worker &operator=(const Worker &) = delete;

    void start(Job job);

    /** Descriptor that is readable when finish() has something to do. */
    int fd() const { return fd_.get(); }
    /** Calls what the jobs that are done have returned. What a job has thrown is thrown here. */
    void finish();

private:
    void run();

    mrcnl::Descriptor fd_;
    std::mutex mutex_; ///< of what follows
    std::condition_variable more_;
    std::deque<Job> jobs_;
    std::deque<Then> done_;
    bool ends_ = false;
    std::thread thread_; ///< uses the others
};

} // namespace mrcd
