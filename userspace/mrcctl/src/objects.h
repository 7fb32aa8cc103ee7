// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Prints objects that more than one command shows.
 */
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "mrcnl/types.h"

#include "clock.h"
#include "names.h"
#include "printer.h"

namespace mrcctl
{

/** Prints device, port, netdev and states. */
void print_plane(Printer &p, const mrcnl::Plane &plane);
void print_plane_stats(Printer &p, const mrcnl::PlaneStats &stats);

/** Prints port, path and whether the EV is denied. */
void print_ev(Printer &p, const mrcnl::EvSpec &ev);

/** Prints all settings, in one line. */
void print_settings(Printer &p, const mrcnl::DeviceSettings &settings);

/** @{ Print an object without its device. */
void print_object(Printer &p, const Names &names, const mrcnl::EvProfile &profile);
void print_object(Printer &p, const Names &names, const mrcnl::Ev &ev);
void print_object(Printer &p, const Names &names, const mrcnl::CcProfile &profile);
void print_object(Printer &p, const Names &names, const mrcnl::Route &route);
/** @} */

/** Print only what identifies the object: the rest of a deleted object is not known. */
void print_id(Printer &p, const Names &names, const mrcnl::EvProfile &profile);
void print_id(Printer &p, const Names &names, const mrcnl::CcProfile &profile);
void print_id(Printer &p, const Names &names, const mrcnl::Route &route);

/** EVs by device and peer, in the order of the kernel. */
using EvsByPeer = std::map<std::pair<uint32_t, mrcnl::PeerKey>, std::vector<mrcnl::PeerEv>>;

EvsByPeer group(std::vector<mrcnl::PeerEv> evs);

/**
 * Prints when an EV changed. JSON: the time. Text: how long ago.
 *
 * @param changed ns of CLOCK_MONOTONIC; 0: never
 */
void print_changed(Printer &p, uint64_t changed, const Moment &now);

/** The number of good EVs without spares. The kernel counts spares as good. */
uint32_t good_but_spares(const mrcnl::Peer &peer);

/** Prints the number of EVs, and the number in each state; these add up to all. */
void print_ev_counts(Printer &p, const mrcnl::Peer &peer);

/** @param ns 0: none, or not known yet */
void print_rtt(Printer &p, const char *key, uint64_t ns);

/** Prints the counters on a line of their own. */
void print_congestion_counts(Printer &p, const mrcnl::CongestionCounts &counts);

void print_peer_congestion(Printer &p, const mrcnl::PeerCongestion &congestion);

/** Can an EV in this state be used? True for good, and for skip: skipped once. */
bool usable(mrcnl::EvState state);

Color color_of(mrcnl::EvState state);
Color color_of(mrcnl::QpState state);

} // namespace mrcctl
