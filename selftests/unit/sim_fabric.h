// SPDX-License-Identifier: GPL-2.0-only
//
// The network between two simulated hosts: one path per EV and direction, which loses, repeats,
// marks, delays and reorders packets.
#ifndef MRC_UNIT_SIM_FABRIC_H
#define MRC_UNIT_SIM_FABRIC_H

#include "bytes.h"
#include "sim_queue.h"
#include "sim_world.h"

#include <functional>
#include <vector>

/// What arrives.
struct SimPacket {
    Bytes bytes;
    u16 ev = 0; ///< that it came by
    bool ce = false;
    bool trimmed = false; ///< to its head
};

class SimFabric
{
public:
    using Deliver = std::function<void(const SimPacket &)>;

    explicit SimFabric(SimWorld &world);

    /// Planes 1..outagePlanes take nothing from now on, or all again.
    void setPlanesDown(bool down) { planesDown = down; }

    u8 port(u16 ev) const { return ports[ev]; }

    /// A write packet leaves the requesters' host.
    void sendData(u16 ev, SimTraffic traffic, const Bytes &packet, const Deliver &deliver);

    /// One answer, or a Reliability Probe: its packets share a path and a fate.
    void sendControl(int from, u16 ev, SimTraffic traffic, const std::vector<Bytes> &packets,
                     const Deliver &deliver);

    /// An EV probe goes where data goes.
    void sendEvProbe(int from, u16 ev, const Bytes &packet, const Deliver &deliver);

    void sendEvAnswer(int from, u16 ev, const Bytes &packet, const Deliver &deliver);

private:
    SimWorld &world;
    const SimConfig &c;
    std::vector<u8> ports;          ///< per EV
    std::vector<u64> pathFree[2];   ///< per host that sends, and EV
    std::deque<SimQueue> queues[2]; ///< the same
    bool planesDown = false;

    bool planeDead(u16 ev) const;
    bool inHole(u16 ev) const;
    bool dataLostOn(u16 ev);
    bool controlLostOn(int from, u16 ev);
    u64 arrivalOn(int from, u16 ev);
    void deliverAt(u64 time, int from, SimTraffic traffic, SimPacket packet,
                   const Deliver &deliver);
};

/// Ports of EVs, in their order.
std::vector<int> simPorts(const SimConfig &c);

Bytes simEncode(const mrc_hdr &hdr);
mrc_hdr simDecode(const Bytes &packet);

#endif
