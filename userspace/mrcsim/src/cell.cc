// SPDX-License-Identifier: GPL-2.0-only
#include "cell.h"

#include <algorithm>

#include "endpoint.h"

namespace mrcsim
{

Cell::Cell(Network &network, uint32_t index)
    : network_(network), index_(index),
      sample_time_((network.scenario.run.end + network.scenario.run.samples - 1) /
                   network.scenario.run.samples),
      from_(network.scenario.run.from.value_or(0)), outbox_(network.cells)
{
    const Fabric &fabric = network.fabric;

    stats_.samples.resize(network.scenario.run.samples);
    for (uint32_t host = 0; host < fabric.hosts(); host++)
        if (network.cell_of(host) == index)
            network.endpoints[host] = std::make_unique<Endpoint>(*this, host);
    for (uint32_t flow = 0; flow < network.flows.size(); flow++) {
        const Flow &f = network.flows[flow];
        if (network.cell_of(f.source) == index)
            network.requesters[flow] = &network.endpoints[f.source]->add_requester(flow);
        if (network.cell_of(f.destination) == index)
            network.responders[flow] = &network.endpoints[f.destination]->add_responder(flow);
    }
    for (uint32_t i = 0; i < network.faults.size(); i++) {
        const Port &port = network.ports[network.faults[i].port];
        if (network.cell_of(port.node) == index)
            schedule(network.faults[i].at, port.node, What::fault, i);
    }
}

void Cell::run(Time until)
{
    Event event;

    while (calendar_.next(until, event)) {
        now_ = event.at;
        fetch_ahead();
        stats_.events++;
        happen(event);
    }
}

/** Prefetches what the next events need, which is far away in memory: packets first, then ports. */
void Cell::fetch_ahead() const
{
    const Event *far = calendar_.ahead(10);
    const Event *near = calendar_.ahead(4);

    if (far && far->what() == What::arrival)
        pool_.fetch(far->argument);
    if (far && far->what() == What::port_free)
        __builtin_prefetch(&network_.ports[far->source()], 1);
    if (near && near->what() == What::arrival && !network_.fabric.is_host(near->node()))
        __builtin_prefetch(
            &network_.ports[network_.fabric.next_port(near->node(), pool_[near->argument])], 1);
}

void Cell::take(const std::vector<Handover> &packets)
{
    for (const Handover &handover : packets) {
        const PacketId id = pool_.take();
        Event arrival = handover.arrival;
        pool_[id] = handover.packet;
        arrival.argument = id;
        calendar_.add(arrival);
    }
}

void Cell::happen(const Event &event)
{
    switch (event.what()) {
    case What::arrival:
        return arrive(event);
    case What::port_free:
        return port_free(event.source());
    case What::fault:
        return fault(network_.faults[event.source()]);
    default:
        network_.endpoints[event.node()]->happen(event.what(), event.source());
    }
}

// ---- packets

void Cell::arrive(const Event &event)
{
    const uint32_t node = event.node();

    if (network_.fabric.is_host(node))
        arrive_at_host(node, event.argument);
    else
        send(network_.fabric.next_port(node, pool_[event.argument]), event.argument);
}

void Cell::arrive_at_host(uint32_t host, PacketId id)
{
    note_arrival(pool_[id]);
    // A copy: answers take packets of the pool, which moves them.
    const Packet packet = pool_[id];
    pool_.give(id);
    network_.endpoints[host]->receive(packet);
}

void Cell::note_arrival(const Packet &packet)
{
    const uint64_t flags = packet.marked | packet.trimmed << 1 | packet.last_hop << 2;
    const uint64_t what = static_cast<uint64_t>(packet.hdr.bth.opcode) << 56 |
                          static_cast<uint64_t>(packet.ev) << 40 | flags << 32 | packet.hdr.bth.psn;

    stats_.arrived++;
    stats_.digest += mix(mix(now_ ^ static_cast<uint64_t>(packet.destination) << 40) ^ what ^
                         mix(static_cast<uint64_t>(packet.flow) << 32 | packet.source));
}

void Cell::send(uint32_t index, PacketId id)
{
    Port &port = network_.ports[index];
    const QueueLimits &limits = network_.derived.limits[static_cast<size_t>(port.tier)];
    const Traffic traffic = pool_[id].traffic;

    note_queue(port, traffic);
    if (!port.wakes && port.busy_until <= now_ && port.queues.empty())
        return transmit(index, port, id);
    switch (port.queues.admit(limits, pool_, id)) {
    case Admission::dropped:
        return drop(id, pool_[id].traffic == Traffic::control ? Drop::control : Drop::queue);
    case Admission::trimmed:
        stats_.trimmed[static_cast<size_t>(port.tier)]++;
        stats_.counted_trimmed += counts();
        break;
    case Admission::queued:
        break;
    }
    wake(index, port);
}

void Cell::note_queue(const Port &port, Traffic traffic)
{
    const uint64_t bdp = network_.derived.plane_bdp;

    if (traffic == Traffic::control || !counts())
        return;
    const uint64_t bytes = port.queues.bytes(Traffic::data) + port.queues.bytes(Traffic::again);
    const uint64_t bin = std::min<uint64_t>(bytes * queue_bins_per_bdp / bdp, queue_bins - 1);
    stats_.queue[static_cast<size_t>(port.tier)][bin]++;
}

void Cell::drop(PacketId id, Drop why)
{
    stats_.dropped[static_cast<size_t>(why)]++;
    pool_.give(id);
}

uint32_t Cell::draw(Draw what, uint32_t index, Port &port)
{
    return static_cast<uint32_t>(
        random(network_.scenario.run.seed, entity(what, index), port.draws++) >> 32);
}

/** A port has sent a packet, or may begin with packets that came meanwhile. */
void Cell::port_free(uint32_t index)
{
    Port &port = network_.ports[index];
    const bool left = port.told;

    port.wakes = false;
    port.told = false;
    if (!port.queues.empty())
        send_next(index, port);
    if (left)
        network_.endpoints[port.node]->packet_left();
}

void Cell::send_next(uint32_t index, Port &port)
{
    const QueueLimits &limits = network_.derived.limits[static_cast<size_t>(port.tier)];
    const PacketId id = port.queues.take(pool_);
    Packet &packet = pool_[id];
    const uint64_t behind = port.queues.bytes(packet.traffic);

    if (packet.traffic != Traffic::control && limits.mark_all && behind >= limits.mark_from &&
        is_marked(limits, behind, draw(Draw::mark, index, port))) {
        packet.marked = true;
        stats_.marked[static_cast<size_t>(port.tier)]++;
        stats_.counted_marked += counts();
    }
    transmit(index, port, id);
    if (!port.queues.empty())
        wake(index, port);
}

/** Schedules the event that looks at the port when it is free. */
void Cell::wake(uint32_t index, Port &port)
{
    if (port.wakes)
        return;
    port.wakes = true;
    schedule(port.busy_until, port.node, What::port_free, index);
}

bool Cell::lost(uint32_t index, Port &port, PacketId id)
{
    if (port.link.dead)
        drop(id, Drop::link);
    else if (port.link.loss && (static_cast<uint64_t>(draw(Draw::loss, index, port)) * millionth >>
                                32) < port.link.loss)
        drop(id, Drop::loss);
    else
        return false;
    return true;
}

/** Starts to send a packet by a port that is free. */
void Cell::transmit(uint32_t index, Port &port, PacketId id)
{
    const Packet &packet = pool_[id];
    const LinkSettings &link = network_.scenario.link;

    port.busy_until = now_ + port.link.serialization(packet.bytes);
    stats_.hops++;
    // A host must be told that a packet has left, because it sends the next one then.
    port.told = port.tier == Tier::host_up && packet.traffic != Traffic::control;
    if (port.told)
        wake(index, port);
    if (lost(index, port, id))
        return;
    Time at = port.busy_until + link.delay;
    if (port.tier != Tier::t0_down)
        at += link.switch_delay;
    const Event arrival = {at, Event::order_of(port.peer, What::arrival, index), id};
    if (port.peer_cell == index_) {
        calendar_.add(arrival);
        return;
    }
    outbox_[port.peer_cell].push_back({arrival, packet});
    pool_.give(id);
}

// ---- faults

/** The direction that starts at the host reports the carrier of a host's link. */
void Cell::fault(const FaultStep &step)
{
    Port &port = network_.ports[step.port];

    port.link = step.link;
    if (step.carrier && port.tier == Tier::host_up)
        network_.endpoints[port.node]->carrier(port.plane, !step.link.dead);
}

} // namespace mrcsim
