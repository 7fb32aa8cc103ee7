// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The file's names for objects that the kernel knows by numbers and addresses.
 */
#pragma once

#include <string>

#include "file/fabric.h"

namespace mrcd
{

/**
 * One JSON object, for mrcctl, with the keys version, block (its address), and three tables of
 * names: ev-profile (racks by the ids of their profiles), host (by GIDs) and switch (by uSIDs, as
 * numbers in strings).
 */
std::string names_json(const Fabric &fabric);

} // namespace mrcd
