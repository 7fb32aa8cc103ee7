// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * Decodes the kernel's answers and events into typed objects. A missing attribute leaves the member
 * at its default: a kernel of another version may know less.
 */
#pragma once

#include <optional>

#include "mrcnl/message.h"
#include "mrcnl/types.h"

namespace mrcnl
{

Info decode_info(const Reply &reply);
Device decode_device(const Reply &reply);
Plane decode_plane(const Reply &reply);
EvProfile decode_ev_profile(const Reply &reply);
Ev decode_ev(const Reply &reply);
CcProfile decode_cc_profile(const Reply &reply);
Route decode_route(const Reply &reply);
RouteMatch decode_route_match(const Reply &reply);
Peer decode_peer(const Reply &reply);
PeerEv decode_peer_ev(const Reply &reply);
Probe decode_probe(const Reply &reply);
Qp decode_qp(const Reply &reply);

/** Decodes an event. @return nothing: this version does not know the kind of event */
std::optional<Event> decode_event(const Reply &reply);

} // namespace mrcnl
