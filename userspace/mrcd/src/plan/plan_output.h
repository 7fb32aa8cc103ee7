// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Prints steps for people and for programs.
 */
#pragma once

#include <ostream>
#include <vector>

#include "plan/difference.h"

namespace mrcd
{

/**
 * Prints a line per step, or with @p json a list of objects with the keys "change" (add, replace,
 * remove, wait, conflict), "object" and "what".
 */
void print_steps(std::ostream &out, const std::vector<Step> &steps, bool json);

} // namespace mrcd
