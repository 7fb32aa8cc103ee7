// SPDX-License-Identifier: GPL-2.0-only
#include "report/snapshot.h"

namespace mrcd
{

namespace
{

template <typename Value>
std::optional<Value> if_any(mrcnl::Result<Value> result)
{
    if (!result)
        return std::nullopt;
    return std::move(*result);
}

} // namespace

mrcnl::Result<Snapshot> take_snapshot(mrcnl::Kernel &kernel, const std::string &device)
{
    auto self = kernel.device(device);

    if (!self)
        return self.error();
    return Snapshot{std::move(*self), if_any(kernel.planes(device)),
                    if_any(kernel.peers(device, {})), if_any(kernel.qps(device)),
                    if_any(kernel.cc_profiles(device))};
}

} // namespace mrcd
