// SPDX-License-Identifier: GPL-2.0-only
#include "responder.h"

#include <algorithm>

#include "endpoint.h"
#include "random.h"

namespace mrcsim
{

Responder::Responder(Endpoint &endpoint, Peer &peer, uint32_t flow)
    : endpoint_(endpoint), peer_(peer), flow_(flow)
{
    const Network &network = endpoint.network();
    const TransportSettings &transport = network.scenario.transport;
    const mrc_resp_cfg cfg = {.size = transport.mpr,
                              .imm_max = 0,
                              .mtu = transport.mtu,
                              .sack_bytes = network.derived.sack_bytes};

    memory_.resize((mrc_rx_window_mem(cfg.size, 0) + sizeof(uint64_t) - 1) / sizeof(uint64_t));
    mrc_resp_start(&resp_, memory_.data(), &cfg, 0);
    resp_.rx.timing = &network.derived.timing;
}

uint64_t Responder::now() const
{
    return endpoint_.cell().engine_now();
}

void Responder::receive(const Packet &packet)
{
    if (refused_)
        return;
    if (packet.trimmed)
        trimmed(packet);
    else if (packet.hdr.bth.opcode == MRC_OP_PROBE)
        probe(packet);
    else
        write(packet);
}

void Responder::write(const Packet &packet)
{
    const Derived &derived = endpoint_.network().derived;

    place(packet);
    if (++held_ >= derived.rx_batch)
        return answer();
    if (answer_at_)
        return;
    answer_at_ = now() + derived.rx_hold / nanosecond;
    endpoint_.schedule_ns(answer_at_, What::answer_timer, flow_);
}

void Responder::place(const Packet &packet)
{
    const Time at = endpoint_.cell().now();
    mrc_rx_arrival a;

    mrc_resp_arrival(&packet.hdr, packet.payload, packet.bits, packet.marked, &a);
    if (mrc_resp_claim(&resp_, &a) != MRC_RX_NEW)
        return;
    mrc_resp_commit(&resp_, &a, mrc_resp_fits(&resp_, &a) ? 0 : MRC_NAK_INVALID);
    bytes_ += packet.payload;
    last_ = at;
    if (endpoint_.cell().counts())
        counted_ += packet.payload;
    endpoint_.cell().sample().bytes += packet.payload;
}

void Responder::trimmed(const Packet &packet)
{
    mrc_answers answers;

    mrc_answers_init(&answers);
    untold_ += !mrc_resp_trimmed(&resp_, &packet.hdr.bth, packet.bits, packet.last_hop, nullptr,
                                 now(), &answers);
    endpoint_.reply(peer_, flow_, answers, true);
}

void Responder::probe(const Packet &packet)
{
    mrc_answers answers;

    mrc_answers_init(&answers);
    mrc_resp_probe(&resp_, &packet.hdr.probe, packet.bits, packet.marked, &answers);
    endpoint_.reply(peer_, flow_, answers, true);
}

void Responder::answer()
{
    mrc_answers answers;
    mrc_rx_done done;

    held_ = 0;
    answer_at_ = 0;
    while (mrc_resp_next_done(&resp_, &done))
        ;
    mrc_answers_init(&answers);
    refused_ = mrc_resp_answer(&resp_, now(), &answers) != 0;
    arm();
    endpoint_.reply(peer_, flow_, answers, true);
}

void Responder::answer_timer()
{
    if (answer_at_ && now() >= answer_at_)
        answer();
}

/**
 * Leaves a timer that is set alone: while data flows it expires, and is set anew, once per period.
 */
void Responder::arm()
{
    const uint64_t at = mrc_resp_timer_at(&resp_);

    if (!at || timer_at_)
        return;
    timer_at_ = at;
    endpoint_.schedule_ns(at, What::responder_timer, flow_);
}

void Responder::timer()
{
    mrc_answers answers;

    timer_at_ = 0;
    mrc_answers_init(&answers);
    mrc_resp_timer(&resp_, now(), &answers);
    arm();
    endpoint_.reply(peer_, flow_, answers, true);
}

uint64_t Responder::digest() const
{
    const uint64_t sequence = static_cast<uint64_t>(resp_.rx.cack) << 32 | resp_.rx.max;

    return mix(mix(sequence ^ mix(flow_ + 2 * golden)) ^ bytes_ ^ resp_.rx.msn);
}

} // namespace mrcsim
