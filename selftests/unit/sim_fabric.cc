// SPDX-License-Identifier: GPL-2.0-only
#include "sim_fabric.h"

namespace
{

constexpr u64 kBaseDelayNs = 20000;
constexpr u64 kJitterNs = 2000;
constexpr u64 kReorderedNs = 60000;
constexpr u64 kRepeatedNs = 2000000;

} // namespace

std::vector<int> simPorts(const SimConfig &c)
{
    std::vector<int> ports;
    for (int i = 0; i < c.planes * c.evsPerPlane; ++i)
        ports.push_back(1 + i / c.evsPerPlane);
    return ports;
}

Bytes simEncode(const mrc_hdr &hdr)
{
    Bytes packet(MRC_HDR_MAX);
    packet.resize(mrc_hdr_encode(packet.data(), &hdr));
    return packet;
}

mrc_hdr simDecode(const Bytes &packet)
{
    mrc_hdr hdr;
    simCheck(mrc_hdr_decode(packet.data(), packet.size(), &hdr) == MRC_DECODE_OK, "decode");
    return hdr;
}

SimFabric::SimFabric(SimWorld &world) : world(world), c(world.c)
{
    for (int port : simPorts(c))
        ports.push_back(static_cast<u8>(port));
    for (int from : {kReq, kResp}) {
        pathFree[from].resize(ports.size());
        for (std::size_t ev = 0; ev < ports.size(); ++ev)
            queues[from].emplace_back(world.clock, c.classes, c.serveNs);
    }
}

bool SimFabric::planeDead(u16 ev) const
{
    return planesDown && ports[ev] <= c.outagePlanes;
}

bool SimFabric::inHole(u16 ev) const
{
    const u64 since = world.elapsed();
    if (ev >= c.holeEvs || since < c.holeAt)
        return false;
    const u64 into = since - c.holeAt;
    return (c.holePeriod ? into % c.holePeriod : into) < c.holeNs;
}

bool SimFabric::dataLostOn(u16 ev)
{
    return world.chance(c.loss) || (ev == 0 && world.chance(c.evLoss)) || planeDead(ev) ||
           inHole(ev);
}

/// Holes swallow data only.
bool SimFabric::controlLostOn(int from, u16 ev)
{
    return world.chance(c.ctlLoss) || planeDead(ev) || (from == kReq && inHole(ev));
}

u64 SimFabric::arrivalOn(int from, u16 ev)
{
    u64 at = world.now() + kBaseDelayNs + ports[ev] * c.skewNs + ev * 300u +
             world.upTo(c.fifo ? kJitterNs : kReorderedNs);
    u64 &free = pathFree[from][ev];
    const bool late = c.queueNs && from == kReq && world.rng() % 2;
    if (c.fifo)
        at = std::max(at, free + 1);
    free = at;
    return late ? at + c.queueNs : at;
}

void SimFabric::deliverAt(u64 time, int from, SimTraffic traffic, SimPacket packet,
                          const Deliver &deliver)
{
    SimQueue &queue = queues[from][packet.ev];
    SimClock::What arrive = [packet = std::move(packet), deliver] { deliver(packet); };
    if (!c.serveNs)
        return world.clock.at(time, std::move(arrive));
    world.clock.at(time,
                   [&queue, traffic, arrive = std::move(arrive)] { queue.put(traffic, arrive); });
}

void SimFabric::sendData(u16 ev, SimTraffic traffic, const Bytes &packet, const Deliver &deliver)
{
    const bool lost = dataLostOn(ev);
    const bool ce = world.chance(c.ce);
    const u64 at = arrivalOn(kReq, ev);
    if (lost)
        ++world.report.dropped;
    else if (world.chance(c.trimmed))
        deliverAt(at, kReq, SimTraffic::Control, {packet, ev, ce, true}, deliver);
    else
        deliverAt(at, kReq, traffic, {packet, ev, ce}, deliver);
    if (world.chance(c.dup))
        deliverAt(at + 1 + world.upTo(kRepeatedNs), kReq, traffic, {packet, ev, ce}, deliver);
}

void SimFabric::sendControl(int from, u16 ev, SimTraffic traffic, const std::vector<Bytes> &packets,
                            const Deliver &deliver)
{
    if (controlLostOn(from, ev))
        return;
    const u64 at = arrivalOn(from, ev);
    for (const Bytes &packet : packets)
        deliverAt(at, from, traffic, {packet, ev, world.chance(c.ce)}, deliver);
}

void SimFabric::sendEvProbe(int from, u16 ev, const Bytes &packet, const Deliver &deliver)
{
    if (!(from == kReq ? dataLostOn(ev) : controlLostOn(from, ev)))
        deliverAt(arrivalOn(from, ev), from, SimTraffic::Control, {packet, ev}, deliver);
}

void SimFabric::sendEvAnswer(int from, u16 ev, const Bytes &packet, const Deliver &deliver)
{
    if (!controlLostOn(from, ev))
        deliverAt(arrivalOn(from, ev), from, SimTraffic::Control, {packet, ev}, deliver);
}
