// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * A lock that lets one program at a time configure a device: mrcd, or a program that uses the
 * controller API of libmrc.
 *
 * The lock is on a file in /run/mrc/ctl, or in $MRC_CTL_DIR (which programs that run with somebody
 * else's rights ignore). Programs that see different folders do not exclude each other. mrcctl
 * takes no lock: people know what they do.
 */
#pragma once

#include <cstdint>
#include <string>

#include "mrcnl/descriptor.h"
#include "mrcnl/result.h"

namespace mrcnl
{

/** The folder of the lock files, and of the files that controllers leave to their successors. */
std::string controller_folder();

/**
 * Become the controller of a device, until the descriptor is closed.
 *
 * @param device its index, which is unique during this boot
 * @return EBUSY: another program is the controller; or the error that creating the file gave
 */
Result<Descriptor> lock_controller(uint32_t device);

} // namespace mrcnl
