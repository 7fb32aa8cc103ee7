// SPDX-License-Identifier: GPL-2.0-only
//
// One of the two simulated hosts: its paths to the other, which all its QPs share, and its EV
// probes.
#pragma once

#include "path_end.h"
#include "sim_fabric.h"

class SimHost
{
public:
    /// @p which: kReq or kResp. @p learned is called when an EV probe was answered.
    SimHost(SimWorld &world, SimFabric &fabric, int which, std::function<void()> learned);

    PathEnd end;

    void connect(SimHost &other) { peer = &other; }

    /// A bit per port, from bit 0 on.
    void setPorts(u32 local, u32 remote);

    /// Sends a control packet of a QP.
    void send(const mrc_answers &a, const SimFabric::Deliver &deliver);

    /// EV states may have changed: looks for EVs to probe, and when.
    void arm();

private:
    SimWorld &world;
    SimFabric &fabric;
    int which;
    std::function<void()> learned;
    SimHost *peer = nullptr;
    SimTimer timer;

    void probe(u16 ev, u16 id);
    void probeArrived(const SimPacket &packet);
    void probeAnswered(const SimPacket &packet);
    void answered();
};
