// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * The way to the module, for what is no libibverbs' to ask. Opened by the functions of mrc_ctl.h
 * alone.
 */
#pragma once

#include <memory>

#include "mrcnl/kernel.h"

namespace mrc
{

/** In the network namespace of the calling thread. */
mrcnl::Result<std::shared_ptr<mrcnl::Kernel>> open_kernel();

/** What a program is told of an error of the kernel's. @return one of the API's errno values */
int api_error(const mrcnl::Error &error);

} // namespace mrc
