// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Prints activity, for the command top.
 */
#pragma once

#include <optional>

#include "activity.h"
#include "names.h"
#include "printer.h"
#include "terminal.h"

namespace mrcctl
{

/**
 * Print all as one JSON object. Rates are under "per-second", by the names of their counters; an
 * object without a rate has no "per-second".
 *
 * @param time ns of CLOCK_REALTIME
 */
void print_activity_json(Printer &p, const Activity &activity, uint64_t time, const NamesOf &names);

/**
 * Print a summary line, and a table for each kind of object.
 *
 * @param time ns of CLOCK_REALTIME
 * @param window print only what fits into it, with its last row free; empty: print all
 */
void print_activity_text(Printer &p, const Activity &activity, int64_t time,
                         const std::optional<Window> &window, const NamesOf &names);

} // namespace mrcctl
