// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * What the module reports of a device at one moment.
 */
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mrcnl/kernel.h"

namespace mrcd
{

/**
 * A device and its objects. A list that could not be read is missing: it may change all the time.
 */
struct Snapshot {
    mrcnl::Device device;
    std::optional<std::vector<mrcnl::Plane>> planes;
    std::optional<std::vector<mrcnl::Peer>> peers;
    std::optional<std::vector<mrcnl::Qp>> qps;
    std::optional<std::vector<mrcnl::CcProfile>> cc_profiles;
};

/** @return ENODEV: there is no such device; or another error of the module */
mrcnl::Result<Snapshot> take_snapshot(mrcnl::Kernel &kernel, const std::string &device);

} // namespace mrcd
