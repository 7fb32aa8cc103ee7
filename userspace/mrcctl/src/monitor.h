// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Printing events.
 */
#pragma once

#include "mrcnl/types.h"

#include "clock.h"
#include "names.h"
#include "printer.h"

namespace mrcctl
{

/**
 * One event, one line.
 *
 * @param now tells the wall clock of events
 */
void print_event(Printer &p, const mrcnl::Event &event, const Moment &now, const NamesOf &names);

} // namespace mrcctl
