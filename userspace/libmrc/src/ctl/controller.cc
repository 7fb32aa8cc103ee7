// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "ctl/controller.h"

#include <algorithm>
#include <cerrno>
#include <iterator>

#include <linux/mrc.h>

#include "mrcnl/controller_lock.h"

namespace mrc
{

/** Find the device, at first by its name, then by its index. @return 0 or EIO, EPERM, ... */
int Controller::find()
{
    const auto found = kernel_->device(device_ ? mrcnl::DeviceId(*device_) : name_);

    if (!found)
        return found.error().code == ENOENT ? EIO : api_error(found.error());
    device_ = found->device;
    return 0;
}

void Controller::act()
{
    kernel_->act_as(MRC_NL_OWNER_MRC_CTL, true);
}

int Controller::begin(bool change)
{
    if (!kernel_) {
        auto kernel = open_kernel();

        if (!kernel)
            return kernel.error().code == ENOENT ? EIO : api_error(kernel.error());
        kernel_ = std::move(*kernel);
        act();
    }
    if (const int error = find()) {
        // The module may have been reloaded by the next call, so connect anew then.
        kernel_.reset();
        return error;
    }
    if (!store_)
        store_.emplace(device_->index);
    if (!change || lock_)
        return 0;
    auto lock = mrcnl::lock_controller(device_->index);
    if (!lock && lock.error().code == ENOENT)
        return EIO; // the folder for the lock is missing
    if (!lock)
        return api_error(lock.error());
    lock_ = std::move(*lock);
    return 0;
}

bool nothing_added(const uint8_t (&vendor_cfg)[MRC_CTL_MAX_VENDOR_CFG_SIZE])
{
    return std::all_of(std::begin(vendor_cfg), std::end(vendor_cfg),
                       [](uint8_t byte) { return !byte; });
}

} // namespace mrc
