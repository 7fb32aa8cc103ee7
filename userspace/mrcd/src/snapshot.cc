// SPDX-License-Identifier: GPL-2.0-only
#include "snapshot.h"

namespace mrcd
{

mrcnl::Result<Snapshot> take_snapshot(mrcnl::Kernel &kernel, const std::string &device)
{
    auto self = kernel.device(device);
    if (!self)
        return self.error();
    auto planes = kernel.planes(device);
    if (!planes)
        return planes.error();
    auto peers = kernel.peers(device, {});
    if (!peers)
        return peers.error();
    auto qps = kernel.qps(device);
    if (!qps)
        return qps.error();
    return Snapshot{std::move(*self), std::move(*planes), std::move(*peers), std::move(*qps)};
}

} // namespace mrcd
