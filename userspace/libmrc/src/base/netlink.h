// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * The netlink connection to the module, for what libibverbs cannot do. Only the functions of
 * mrc_ctl.h open it.
 */
#pragma once

#include <memory>

#include "mrcnl/kernel.h"

namespace mrc
{

/** Connect to the module, in the network namespace of the calling thread. */
mrcnl::Result<std::shared_ptr<mrcnl::Kernel>> open_kernel();

/** Convert an error of the kernel. @return one of the API's errno values */
int api_error(const mrcnl::Error &error);

} // namespace mrc
