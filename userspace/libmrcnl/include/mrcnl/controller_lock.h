// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * One program at a time configures a device: mrcd, or who uses the controller API of libmrc.
 *
 * It is a file that is locked, below /run/mrc/ctl, or below $MRC_CTL_DIR (which programs that run
 * with somebody else's rights do not look at). Programs that do not see the same folder do not know
 * of each other. mrcctl takes no lock: people know what they do.
 */
#pragma once

#include <cstdint>
#include <string>

#include "mrcnl/descriptor.h"
#include "mrcnl/result.h"

namespace mrcnl
{

/** Where it is, and what controllers leave to their successors. */
std::string controller_folder();

/**
 * Become the controller of a device, as long as the descriptor is open.
 *
 * @param device its index, which no other device of this boot has
 * @return EBUSY: another program is; or what keeps the file from being made
 */
Result<Descriptor> lock_controller(uint32_t device);

} // namespace mrcnl
