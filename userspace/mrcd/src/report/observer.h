// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Looks at the host all the time, in a thread of its own. Its requests may wait for a program that
 * is configuring netdevs, and the other threads must not wait for that.
 */
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "host/module.h"
#include "report/observation.h"

namespace mrcd
{

class Observer
{
public:
    using OpenHost = std::function<mrcnl::Result<std::unique_ptr<HostView>>()>;

    Observer(OpenKernel kernel, OpenHost host)
        : open_kernel_(std::move(kernel)), open_host_(std::move(host))
    {
    }
    /** Waits until the current look has ended. */
    ~Observer();
    Observer(const Observer &) = delete;
    Observer &operator=(const Observer &) = delete;

    /** Sets what to look at from now on, every second. The first call starts the thread. */
    void look_at(const Fabric &fabric);

    /** The last observation of that fabric; null: none yet. */
    std::shared_ptr<const Observation> latest() const;

private:
    void run();
    Observation look(const Fabric &fabric, const Observation *before);

    OpenKernel open_kernel_;
    OpenHost open_host_;
    std::shared_ptr<mrcnl::Kernel> kernel_; ///< used by the thread only, like host_
    std::unique_ptr<HostView> host_;
    mutable std::mutex mutex_; ///< protects what follows
    std::condition_variable wake_;
    std::shared_ptr<const Fabric> fabric_;
    std::shared_ptr<const Observation> latest_;
    bool end_ = false;
    std::thread thread_; ///< the last member, because it uses the others
};

} // namespace mrcd
