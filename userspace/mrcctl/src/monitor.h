// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Printing events.
 */
#pragma once

#include "mrcnl/types.h"

#include "printer.h"

namespace mrcctl
{

/**
 * One event, one line.
 *
 * @param offset ns from CLOCK_MONOTONIC to CLOCK_REALTIME
 */
void print_event(Printer &p, const mrcnl::Event &event, int64_t offset);

} // namespace mrcctl
