// SPDX-License-Identifier: GPL-2.0-only
//
// The network between two simulated hosts: one path per EV and direction, which loses, repeats,
// marks, delays and reorders packets.
#pragma once

#include "bytes.h"
#include "sim_queue.h"
#include "sim_world.h"

#include <functional>
#include <vector>

/// A packet that arrives.
struct SimPacket {
    Bytes bytes;
    u16 ev = 0; ///< the EV that it came by
    bool ce = false;
    bool trimmed = false; ///< trimmed to its head
};

class SimFabric
{
public:
    using Deliver = std::function<void(const SimPacket &)>;

    explicit SimFabric(SimWorld &world);

    /// Planes 1..outagePlanes take nothing from now on, or take packets again.
    void setPlanesDown(bool down) { planesDown = down; }

    u8 port(u16 ev) const { return ports[ev]; }

    /// Sends a write packet from the requesters' host.
    void sendData(u16 ev, SimTraffic traffic, const Bytes &packet, const Deliver &deliver);

    /// Sends an answer, or a Reliability Probe: its packets share a path and a fate.
    void sendControl(int from, u16 ev, SimTraffic traffic, const std::vector<Bytes> &packets,
                     const Deliver &deliver);

    /// Sends an EV probe by the path that data takes.
    void sendEvProbe(int from, u16 ev, const Bytes &packet, const Deliver &deliver);

    void sendEvAnswer(int from, u16 ev, const Bytes &packet, const Deliver &deliver);

private:
    SimWorld &world;
    const SimConfig &c;
    std::vector<u8> ports;          ///< per EV
    std::vector<u64> pathFree[2];   ///< per sending host and EV
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

/// Ports of EVs, in the order of the EVs.
std::vector<int> simPorts(const SimConfig &c);

Bytes simEncode(const mrc_hdr &hdr);
mrc_hdr simDecode(const Bytes &packet);
