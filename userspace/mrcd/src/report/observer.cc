// SPDX-License-Identifier: GPL-2.0-only
#include "report/observer.h"

#include <cerrno>
#include <chrono>

#include "watch/udp_sender.h"

namespace mrcd
{

namespace
{

constexpr std::chrono::milliseconds every{800};

} // namespace

Observer::~Observer()
{
    {
        const std::lock_guard guard(mutex_);
        end_ = true;
    }
    wake_.notify_all();
    if (thread_.joinable())
        thread_.join();
}

void Observer::look_at(const Fabric &fabric)
{
    const std::lock_guard guard(mutex_);

    fabric_ = std::make_shared<const Fabric>(fabric);
    latest_.reset();
    wake_.notify_all();
    if (!thread_.joinable())
        thread_ = std::thread([this] { run(); });
}

std::shared_ptr<const Observation> Observer::latest() const
{
    const std::lock_guard guard(mutex_);

    return latest_;
}

Observation Observer::look(const Fabric &fabric, const Observation *before)
{
    Observation seen;

    if (!host_) {
        auto host = open_host_();
        if (!host) {
            seen.error = host.error();
            return seen;
        }
        host_ = std::move(*host);
    }
    auto kernel = kernel_ ? mrcnl::Result<std::shared_ptr<mrcnl::Kernel>>(kernel_) : open_kernel_();
    seen = observe(*host_, kernel ? kernel->get() : nullptr, fabric, before);
    if (!kernel && !seen.error.code)
        seen.module_error = kernel.error();
    // The next look opens anew what did not answer.
    kernel_ = kernel && !seen.module_error.code ? *kernel : nullptr;
    if (seen.error.code)
        host_.reset();
    return seen;
}

void Observer::run()
{
    std::unique_lock lock(mutex_);

    while (!end_) {
        const auto fabric = fabric_;
        const auto before = latest_;
        lock.unlock();
        auto seen = std::make_shared<Observation>(look(*fabric, before.get()));
        seen->taken_ns = monotonic_ns();
        lock.lock();
        if (fabric != fabric_)
            continue;
        latest_ = std::move(seen);
        wake_.wait_for(lock, every, [&] { return end_ || fabric != fabric_; });
    }
}

} // namespace mrcd
