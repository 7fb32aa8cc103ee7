// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Prints events.
 */
#pragma once

#include "mrcnl/types.h"

#include "clock.h"
#include "names.h"
#include "printer.h"

namespace mrcctl
{

/**
 * Print an event on one line.
 *
 * @param now converts the times of events to the wall clock
 */
void print_event(Printer &p, const mrcnl::Event &event, const Moment &now, const NamesOf &names);

} // namespace mrcctl
