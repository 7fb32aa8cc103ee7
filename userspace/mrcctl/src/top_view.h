// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Activity, as top shows it.
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
 * Print all as one JSON object. Rates are under "per-second", by the names of the counters that
 * they are made of; an object without one has none.
 *
 * @param time ns of CLOCK_REALTIME
 */
void print_activity_json(Printer &p, const Activity &activity, uint64_t time, const NamesOf &names);

/**
 * Print a line about all, and a table of each kind of objects.
 *
 * @param time ns of CLOCK_REALTIME
 * @param window what fits into it, its last row left free; otherwise all
 */
void print_activity_text(Printer &p, const Activity &activity, int64_t time,
                         const std::optional<Window> &window, const NamesOf &names);

} // namespace mrcctl
