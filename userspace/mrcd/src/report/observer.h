// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Looks at the host all the time, in a thread of its own: what it asks may have to wait for
 * whoever configures netdevs, and nobody else is to wait for that.
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
    /** Waits until the look that is under way has ended. */
    ~Observer();
    Observer(const Observer &) = delete;
    Observer &operator=(const Observer &) = delete;

    /** What to look at from now on, every second. The first call begins. */
    void look_at(const Fabric &fabric);

    /** What was seen last of that; null: nothing yet. */
    std::shared_ptr<const Observation> latest() const;

private:
    void run();
    Observation look(const Fabric &fabric, const Observation *before);

    OpenKernel open_kernel_;
    OpenHost open_host_;
    std::shared_ptr<mrcnl::Kernel> kernel_; ///< of the thread, as the next one
    std::unique_ptr<HostView> host_;
    mutable std::mutex mutex_; ///< of what follows
    std::condition_variable wake_;
    std::shared_ptr<const Fabric> fabric_;
    std::shared_ptr<const Observation> latest_;
    bool end_ = false;
    std::thread thread_; ///< the last one: it uses the others
};

} // namespace mrcd
