// SPDX-License-Identifier: GPL-2.0-only
#include "endpoint.h"

#include <algorithm>

namespace mrcsim
{

namespace
{

bool before(const std::unique_ptr<Peer> &peer, uint32_t remote)
{
    return peer->remote() < remote;
}

} // namespace

Endpoint::Endpoint(Cell &cell, uint32_t host)
    : cell_(cell), network_(cell.network()), host_(host),
      ports_up_(static_cast<uint32_t>((1ull << network_.fabric.shape().planes) - 1)), prober_(*this)
{
}

// ---- life

Peer *Endpoint::find_peer(uint32_t remote)
{
    const auto at = std::lower_bound(peers_.begin(), peers_.end(), remote, before);

    return at != peers_.end() && (*at)->remote() == remote ? at->get() : nullptr;
}

Peer &Endpoint::peer(uint32_t remote)
{
    if (Peer *found = find_peer(remote))
        return *found;
    const auto at = std::lower_bound(peers_.begin(), peers_.end(), remote, before);
    return **peers_.insert(at, std::make_unique<Peer>(network_, host_, remote));
}

Requester &Endpoint::add_requester(uint32_t flow)
{
    Peer &to = peer(network_.flows[flow].destination);

    mrc_probing_use(&to.probing, network_.scenario.transport.mtu, true);
    requesters_.push_back(std::make_unique<Requester>(*this, to, flow));
    to.requesters.push_back(requesters_.back().get());
    cell_.schedule(network_.flows[flow].start, host_, What::flow_start, flow);
    return *requesters_.back();
}

Responder &Endpoint::add_responder(uint32_t flow)
{
    Peer &from = peer(network_.flows[flow].source);

    mrc_probing_use(&from.probing, network_.scenario.transport.mtu, true);
    responders_.push_back(std::make_unique<Responder>(*this, from, flow));
    return *responders_.back();
}

// ---- receiving

void Endpoint::schedule_ns(uint64_t at, What what, uint32_t source)
{
    cell_.schedule(std::max(time_of(at), cell_.now()), host_, what, source);
}

void Endpoint::happen(What what, uint32_t source)
{
    switch (what) {
    case What::flow_start:
        return network_.requesters[source]->start();
    case What::post:
        return network_.requesters[source]->post_paced();
    case What::requester_timer:
        return network_.requesters[source]->timer();
    case What::responder_timer:
        return network_.responders[source]->timer();
    case What::answer_timer:
        return network_.responders[source]->answer_timer();
    case What::prober_timer:
        return prober_.timer();
    default:
        return;
    }
}

void Endpoint::receive(const Packet &packet)
{
    if (!(ports_up_ >> packet.plane & 1))
        return;
    switch (packet.hdr.bth.opcode) {
    case MRC_OP_SACK:
    case MRC_OP_NACK:
    case MRC_OP_ACK:
        return network_.requesters[packet.flow]->answered(packet);
    case MRC_OP_EP_REQ:
        if (Peer *from = find_peer(packet.source))
            prober_.request(*from, packet);
        return;
    case MRC_OP_EP_RSP:
        if (Peer *from = find_peer(packet.source))
            prober_.response(*from, packet);
        return;
    default:
        return network_.responders[packet.flow]->receive(packet);
    }
}

/**
 * A netdev event. It changes which EVs may be used here, which QPs lose packets, and what peers are
 * told.
 */
void Endpoint::carrier(uint32_t plane, bool up)
{
    const uint32_t bit = 1u << plane;

    ports_up_ = up ? ports_up_ | bit : ports_up_ & ~bit;
    for (const auto &peer : peers_) {
        mrc_paths_ports(&peer->paths, ports_up_, peer->probing.told.mask, cell_.engine_now());
        prober_.evs_changed(*peer);
        prober_.tell(*peer, ports_up_);
        heed_ports(*peer);
    }
}

void Endpoint::heed_ports(Peer &peer)
{
    for (Requester *requester : peer.requesters)
        requester->heed_ports();
}

// ---- sending

PacketId Endpoint::make_packet(const Peer &peer, u16 ev, const mrc_hdr &hdr, Traffic traffic,
                               uint32_t flow, uint32_t payload)
{
    const PacketId id = cell_.pool().take();
    Packet &packet = cell_.pool()[id];
    const uint32_t headers = mrc_opcode_hdr_len(hdr.bth.opcode);

    packet.source = host_;
    packet.destination = peer.remote();
    packet.flow = flow;
    packet.rack = static_cast<uint16_t>(network_.fabric.rack_of(peer.remote()));
    packet.slot = static_cast<uint16_t>(network_.fabric.slot_of(peer.remote()));
    packet.spine = peer.spine(ev);
    packet.ev = ev;
    packet.plane = peer.plane(ev);
    packet.traffic = traffic;
    packet.marked = packet.trimmed = packet.last_hop = false;
    packet.trimmable = payload;
    packet.payload = payload;
    packet.bits = peer.paths.ev[ev].bits;
    packet.hdr = hdr;
    packet.hdr.len = headers;
    packet.bytes = static_cast<uint16_t>(wire_bytes(headers, payload, hdr.bth.pad));
    cell_.stats().packets++;
    return id;
}

void Endpoint::say(Peer &peer, u16 ev, const mrc_hdr &hdr, Traffic traffic, uint32_t flow)
{
    const PacketId id = make_packet(peer, ev, hdr, traffic, flow, 0);

    // A Reliability Probe leaves in the same class as data.
    if (traffic != Traffic::control)
        queued_++;
    cell_.send(network_.fabric.host_port(host_, peer.plane(ev)), id);
}

void Endpoint::reply(Peer &peer, uint32_t flow, const mrc_answers &answers, bool answer)
{
    if (!answers.count)
        return;
    const u16 ev = answers.ev == MRC_ANSWERS_ANY_EV
                       ? mrc_paths_reverse_ev(&peer.paths, cell_.engine_now())
                       : answers.ev;
    if (ev == MRC_EV_NONE)
        return;
    for (unsigned i = 0; i < answers.count; i++) {
        const bool data = mrc_answers_traffic(&answers.hdr[i]) == MRC_TRAFFIC_DATA;
        say(peer, ev, answers.hdr[i], data ? Traffic::data : Traffic::control, flow);
    }
    if (answer)
        prober_.reverse(peer);
}

bool Endpoint::send_data(Peer &peer, u16 ev, uint32_t flow, const mrc_hdr &hdr, uint32_t payload,
                         bool again)
{
    if (network_.scenario.transport.timing == EndpointTiming::software &&
        queued_ >= network_.derived.host_queue)
        return false;
    const bool above = again && network_.scenario.queue.again_first;
    const PacketId id =
        make_packet(peer, ev, hdr, above ? Traffic::again : Traffic::data, flow, payload);

    queued_++;
    (again ? cell_.stats().again : cell_.stats().data)++;
    cell_.stats().counted_sent += cell_.counts();
    cell_.send(network_.fabric.host_port(host_, peer.plane(ev)), id);
    return true;
}

void Endpoint::packet_left()
{
    queued_--;
    serve();
}

// ---- the arbiter

void Endpoint::poke(Requester &requester)
{
    Peer &peer = requester.peer();

    if (requester.wants())
        mrc_shared_wait(&peer.shared, &requester);
    if (mrc_shared_next(&peer.shared) && !peer.waits)
        ready_.push(&peer);
    serve();
}

/** Gives one QP a turn, then puts the peer behind the others, unless none of its QPs has room. */
void Endpoint::serve_peer(Peer &peer)
{
    mrc_shared_place *first = mrc_shared_next(&peer.shared);
    const bool nic = network_.scenario.transport.timing == EndpointTiming::nic;
    const uint32_t room = nic ? network_.derived.host_queue - queued_ : MRC_BATCH_MAX;

    if (!first)
        return;
    Requester::of(first).send(room);
    if (mrc_shared_next(&peer.shared) && !peer.waits)
        ready_.push(&peer);
}

/**
 * Sends as long as ports are short of packets. Sending may call poke(), which must not nest this.
 */
void Endpoint::serve()
{
    const bool nic = network_.scenario.transport.timing == EndpointTiming::nic;

    if (serving_)
        return;
    serving_ = true;
    while (!ready_.empty() && (!nic || queued_ < network_.derived.host_queue))
        serve_peer(*ready_.pop());
    serving_ = false;
}

} // namespace mrcsim
