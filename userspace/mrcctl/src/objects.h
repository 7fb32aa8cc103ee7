// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Printing of objects that more than one command shows.
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

/** Device, port, netdev and states. */
void print_plane(Printer &p, const mrcnl::Plane &plane);
void print_plane_stats(Printer &p, const mrcnl::PlaneStats &stats);

/** Port, path and whether it is denied. */
void print_ev(Printer &p, const mrcnl::EvSpec &ev);

/** All settings, in one line. */
void print_settings(Printer &p, const mrcnl::DeviceSettings &settings);

/** @{ The object without its device. */
void print_object(Printer &p, const Names &names, const mrcnl::EvProfile &profile);
void print_object(Printer &p, const Names &names, const mrcnl::Ev &ev);
void print_object(Printer &p, const Names &names, const mrcnl::CcProfile &profile);
void print_object(Printer &p, const Names &names, const mrcnl::Route &route);
/** @} */

/** What tells it from others: all that is known of one that was deleted. */
void print_id(Printer &p, const Names &names, const mrcnl::EvProfile &profile);
void print_id(Printer &p, const Names &names, const mrcnl::CcProfile &profile);
void print_id(Printer &p, const Names &names, const mrcnl::Route &route);

/** EVs by device and peer, in the order of the kernel. */
using EvsByPeer = std::map<std::pair<uint32_t, mrcnl::PeerKey>, std::vector<mrcnl::PeerEv>>;

EvsByPeer group(std::vector<mrcnl::PeerEv> evs);

/**
 * When an EV changed. JSON: when; text: how long ago.
 *
 * @param changed ns of CLOCK_MONOTONIC, 0: never
 */
void print_changed(Printer &p, uint64_t changed, const Moment &now);

/** How many EVs are good and no spares: what the kernel counts as good has those. */
uint32_t good_but_spares(const mrcnl::Peer &peer);

/** How many EVs there are, and how many in each state: these add up. */
void print_ev_counts(Printer &p, const mrcnl::Peer &peer);

/** @param ns 0: there is none, or it is not known yet */
void print_rtt(Printer &p, const char *key, uint64_t ns);

/** On a line of their own. */
void print_congestion_counts(Printer &p, const mrcnl::CongestionCounts &counts);

void print_peer_congestion(Printer &p, const mrcnl::PeerCongestion &congestion);

/** Whether a state is one that an EV can be used in: good, or skipped once. */
bool usable(mrcnl::EvState state);

Color color_of(mrcnl::EvState state);
Color color_of(mrcnl::QpState state);

} // namespace mrcctl
