// SPDX-License-Identifier: GPL-2.0-only
#include "read_sim_net.h"

namespace
{

constexpr u64 kDelayNs = 20000;
constexpr u64 kRepeatedNs = 2000000;

} // namespace

void ReadNet::send(u16 ev, const Bytes &packet)
{
    const bool trimmed = world.chance(c.trimmed);
    world.report.trims += trimmed;
    travel({{packet, ev, trimmed}}, c.loss);
}

void ReadNet::sendControl(const std::vector<Bytes> &packets)
{
    const u16 ev = anyPath();
    std::vector<ReadPacket> all;
    for (const Bytes &packet : packets)
        all.push_back({packet, ev});
    travel(all, c.ctlLoss);
}

bool ReadNet::lostOn(u16 ev, double loss)
{
    return world.chance(loss) || (ev == 0 && c.paths > 1 && world.chance(c.pathLoss));
}

void ReadNet::travel(const std::vector<ReadPacket> &packets, double loss)
{
    const u16 ev = packets.front().ev;
    const u64 at = world.now() + kDelayNs + ev * c.skewNs + world.upTo(c.jitterNs);

    if (lostOn(ev, loss))
        world.report.lost += packets.size();
    else
        arriveAt(at, packets);
    if (world.chance(c.dup))
        arriveAt(at + 1 + world.upTo(kRepeatedNs), packets);
}

void ReadNet::arriveAt(u64 time, const std::vector<ReadPacket> &packets)
{
    for (const ReadPacket &packet : packets)
        world.clock.at(time, [this, packet] { deliver(packet); });
}
