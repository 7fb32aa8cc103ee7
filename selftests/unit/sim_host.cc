// SPDX-License-Identifier: GPL-2.0-only
#include "sim_host.h"

namespace
{

PathEndConfig pathsOf(const SimConfig &c, int which)
{
    return {.ports = simPorts(c),
            .minActive = c.minActive,
            .active = c.active,
            .random = static_cast<u32>(c.seed + static_cast<u32>(which))};
}

SimTraffic trafficOf(const mrc_answers &a)
{
    return mrc_answers_traffic(&a.hdr[0]) == MRC_TRAFFIC_DATA ? SimTraffic::Data
                                                              : SimTraffic::Control;
}

mrc_hdr endpointHeader(u8 opcode, u32 id)
{
    mrc_hdr hdr{};
    hdr.bth.opcode = opcode;
    hdr.bth.pkey = MRC_PKEY_DEFAULT;
    hdr.bth.qpn = MRC_QPN_ENDPOINT;
    hdr.bth.psn = id;
    return hdr;
}

} // namespace

SimHost::SimHost(SimWorld &world, SimFabric &fabric, int which, std::function<void()> learned)
    : end(pathsOf(world.c, which), [this](u16 ev, u16 id) { probe(ev, id); }), world(world),
      fabric(fabric), which(which), learned(std::move(learned)), timer(world.clock, [this] {
          end.timer([this] { return this->world.random(); }, this->world.now());
          arm();
      })
{
}

void SimHost::setPorts(u32 local, u32 remote)
{
    mrc_paths_ports(&end.paths, local, remote, world.now());
}

void SimHost::send(const mrc_answers &a, const SimFabric::Deliver &deliver)
{
    if (!a.count)
        return;
    const u16 ev = a.ev == MRC_ANSWERS_ANY_EV ? end.answerEv(world.now()) : a.ev;
    if (ev == MRC_EV_NONE)
        return;
    std::vector<Bytes> packets;
    for (unsigned i = 0; i < a.count; ++i)
        packets.push_back(simEncode(a.hdr[i]));
    fabric.sendControl(which, ev, trafficOf(a), packets, deliver);
    answered();
}

void SimHost::answered()
{
    end.answered(world.random(), world.now());
    arm();
}

void SimHost::arm()
{
    const u64 at = end.timerAt();
    const bool over = !world.open && world.elapsed() >= world.c.evProbeUntil;
    if (at != U64_MAX && !over)
        timer.arm(std::max(at, world.now()));
}

void SimHost::probe(u16 ev, u16 id)
{
    mrc_hdr hdr = endpointHeader(MRC_OP_EP_REQ, id);
    hdr.ep.op = MRC_EP_EV_PROBE;
    hdr.ep.tx_timestamp = mrc_port_stamp(world.now());
    world.report.evProbes += which == kReq;
    fabric.sendEvProbe(which, ev, simEncode(hdr),
                       [this](const SimPacket &p) { peer->probeArrived(p); });
}

void SimHost::probeArrived(const SimPacket &packet)
{
    const mrc_hdr request = simDecode(packet.bytes);
    simCheck(request.ep.op == MRC_EP_EV_PROBE, "endpoint operation");
    mrc_hdr hdr = endpointHeader(MRC_OP_EP_RSP, request.bth.psn);
    hdr.ep.tx_timestamp = request.ep.tx_timestamp;
    const Bytes answer = simEncode(hdr);
    for (u16 ev : end.probeAnswerEvs(fabric.port(packet.ev), packet.ev, world.now()))
        fabric.sendEvAnswer(which, ev, answer,
                            [this](const SimPacket &p) { peer->probeAnswered(p); });
    answered();
}

void SimHost::probeAnswered(const SimPacket &packet)
{
    const mrc_hdr hdr = simDecode(packet.bytes);
    end.probeAnswered(static_cast<u16>(hdr.bth.psn), hdr.ep.tx_timestamp, world.now());
    learned();
}
