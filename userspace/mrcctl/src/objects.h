// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Printing of objects that more than one command shows.
 */
#pragma once

#include "mrcnl/types.h"

#include "printer.h"

namespace mrcctl
{

/** Device, port, netdev and states. */
void print_plane(Printer &p, const mrcnl::Plane &plane);
void print_plane_stats(Printer &p, const mrcnl::PlaneStats &stats);

/** Port, path and whether it is denied. */
void print_ev(Printer &p, const mrcnl::EvSpec &ev);

Color color_of(mrcnl::EvState state);
Color color_of(mrcnl::QpState state);

} // namespace mrcctl
