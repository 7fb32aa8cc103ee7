// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "base/netlink.h"

#include "mrcnl/client.h"

namespace mrc
{

mrcnl::Result<std::shared_ptr<mrcnl::Kernel>> open_kernel()
{
    auto kernel = mrcnl::open_kernel();

    if (!kernel)
        return kernel.error();
    return std::shared_ptr<mrcnl::Kernel>(std::move(*kernel));
}

} // namespace mrc
