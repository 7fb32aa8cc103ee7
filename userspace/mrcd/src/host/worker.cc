// SPDX-License-Identifier: GPL-2.0-only
#include "host/worker.h"

#include <cerrno>
#include <exception>
#include <system_error>
#include <utility>

#include <sys/eventfd.h>
#include <unistd.h>

namespace mrcd
{

Worker::Worker() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
{
    if (!fd_)
        throw std::system_error(errno, std::generic_category(), "eventfd");
    thread_ = std::thread([this] { run(); });
}

Worker::~Worker()
{
    {
        const std::lock_guard guard(mutex_);
        ends_ = true;
    }
    more_.notify_one();
    thread_.join();
}

void Worker::start(Job job)
{
    {
        const std::lock_guard guard(mutex_);
        jobs_.push_back(std::move(job));
    }
    more_.notify_one();
}

void Worker::run()
{
    constexpr uint64_t one = 1;
    std::unique_lock lock(mutex_);

    for (;;) {
        more_.wait(lock, [this] { return ends_ || !jobs_.empty(); });
        if (ends_)
            return;
        const Job job = std::move(jobs_.front());
        Then then;
        jobs_.pop_front();
        lock.unlock();
        try {
            then = job();
        } catch (...) {
            then = [error = std::current_exception()] { std::rethrow_exception(error); };
        }
        lock.lock();
        done_.push_back(std::move(then));
        // If the counter is full, the write fails, but the descriptor is readable.
        [[maybe_unused]] const ssize_t told = write(fd_.get(), &one, sizeof(one));
    }
}

void Worker::finish()
{
    uint64_t count = 0;

    // A function that throws leaves the others for the next call, and the descriptor readable.
    for (;;) {
        Then then;
        {
            const std::lock_guard guard(mutex_);
            if (done_.empty())
                return;
            then = std::move(done_.front());
            done_.pop_front();
            if (done_.empty()) {
                [[maybe_unused]] const ssize_t taken = read(fd_.get(), &count, sizeof(count));
            }
        }
        then();
    }
}

} // namespace mrcd
