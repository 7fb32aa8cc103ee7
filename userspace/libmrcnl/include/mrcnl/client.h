// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * The Kernel interface over a Channel.
 */
#pragma once

#include <memory>

#include "mrcnl/channel.h"
#include "mrcnl/kernel.h"

namespace mrcnl
{

/** @param channel the client owns it from now on */
std::unique_ptr<Kernel> make_client(std::unique_ptr<Channel> channel);

/** Open a channel and make a client of it. */
Result<std::unique_ptr<Kernel>> open_kernel();

} // namespace mrcnl
