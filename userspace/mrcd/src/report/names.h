// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * What the file calls things that the kernel knows by numbers and addresses.
 */
#pragma once

#include <string>

#include "file/fabric.h"

namespace mrcd
{

/**
 * One object, for mrcctl: version, block (its address), and names by what the kernel has instead:
 * ev-profile (racks by ids), host (by GIDs), switch (by uSIDs, as numbers in strings).
 */
std::string names_json(const Fabric &fabric);

} // namespace mrcd
