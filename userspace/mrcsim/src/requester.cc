// SPDX-License-Identifier: GPL-2.0-only
#include "requester.h"

#include <algorithm>

#include "endpoint.h"
#include "random.h"

namespace mrcsim
{

Requester::Requester(Endpoint &endpoint, Peer &peer, uint32_t flow)
    : Steps(peer.paths, peer.shared), endpoint_(endpoint), peer_(peer), flow_(flow)
{
    const Network &network = endpoint.network();
    const TransportSettings &transport = network.scenario.transport;

    engine::start(req_,
                  {.window = {.size = transport.mpr, .retries = network.derived.retries},
                   .requests = 8, // that a QP has under way
                   .mtu = transport.mtu},
                  memory_);
    req_.tx.rtt.timing = &network.derived.timing;
    left_ = network.flows[flow].bytes;
    endless_ = !left_;
}

uint64_t Requester::now() const
{
    return endpoint_.cell().engine_now();
}

unsigned Requester::burst() const
{
    return endpoint_.network().derived.burst;
}

// ---- what goes out

void Requester::start()
{
    started_ = true;
    if (endpoint_.network().flows[flow_].pace)
        return post_paced();
    post();
    endpoint_.poke(*this);
}

/** Posts the requests that are due, or as many as there is room for. */
void Requester::post()
{
    const bool paced = endpoint_.network().flows[flow_].pace;

    while ((left_ || endless_) && (!paced || due_) && post_one())
        due_ -= paced ? 1 : 0;
}

/** Posts one request. False: there is no room. */
bool Requester::post_one()
{
    const uint32_t whole = endpoint_.network().scenario.transport.message;
    const mrc_msg request = {.len = endless_ ? whole
                                             : static_cast<u32>(std::min<uint64_t>(left_, whole))};

    if (!queue(request))
        return false;
    left_ -= endless_ ? 0 : request.len;
    return true;
}

void Requester::post_paced()
{
    Cell &cell = endpoint_.cell();

    due_++;
    post();
    endpoint_.poke(*this);
    if (left_ || endless_)
        cell.schedule(cell.now() + endpoint_.network().flows[flow_].pace, endpoint_.host(),
                      What::post, flow_);
}

bool Requester::wants() const
{
    return started_ && !failed_ && Steps::wants();
}

void Requester::send(uint32_t max)
{
    mrc_batch &batch = endpoint_.cell().batch();

    if (!Steps::send(max, batch))
        return;
    (batch.rtx ? counts_.again : counts_.sent) += batch.count;
    arm();
}

/** A packet without a path counts as sent. */
bool Requester::transmit(const mrc_plan &packet, mrc_hdr &hdr, const mrc_chunk &chunk)
{
    if (packet.ev == MRC_EV_NONE)
        return true;
    hdr.bth.qpn = MRC_QPN_FIRST + flow_;
    return endpoint_.send_data(peer_, packet.ev, flow_, hdr, chunk.len, hdr.bth.rtx);
}

bool Requester::take_back(u32 psn)
{
    const bool goes_on = Steps::take_back(psn);

    counts_.unsent++;
    failed_ |= !goes_on;
    return goes_on;
}

// ---- receiving

void Requester::learn_of_evs(mrc_tx_result &result)
{
    counts_.spurious += result.spurious;
    if (Steps::learn_of_evs(result))
        endpoint_.prober().evs_changed(peer_);
}

int Requester::sack(const mrc_hdr &hdr, mrc_tx_result &result)
{
    const int err = Steps::sack(hdr, result);

    if (!err)
        counts_.inferred += result.lost;
    return err;
}

int Requester::nack(const mrc_hdr &hdr, mrc_tx_result &result)
{
    const int err = Steps::nack(hdr, result);

    if (!err && mrc_nack_is_trim(hdr.nack.reason))
        counts_.trims++;
    return err;
}

int Requester::ack(const mrc_hdr &hdr, mrc_tx_result &result)
{
    const int err = Steps::ack(hdr, result);

    if (err)
        return err;
    post();
    if (!endless_ && !left_ && req_.sendq.una == req_.sendq.tail && completed_ == never)
        completed_ = endpoint_.cell().now();
    return 0;
}

void Requester::answered(const Packet &packet)
{
    if (failed_)
        return;
    failed_ |= Steps::answered(packet.hdr) > MRC_REQ_BAD_ANSWER;
    arm();
    endpoint_.poke(*this);
}

void Requester::heed_ports()
{
    check_ports();
    arm();
    endpoint_.poke(*this);
}

// ---- time

/** Sets the timer, unless it is set to the same or an earlier time. */
void Requester::arm()
{
    const uint64_t at = timer_at();

    if (!at || failed_ || (timer_at_ && timer_at_ <= at))
        return;
    timer_at_ = at;
    endpoint_.schedule_ns(at, What::requester_timer, flow_);
}

void Requester::timer()
{
    mrc_tx_result result;
    mrc_answers probe;

    // The timer may have been moved to another time.
    if (!timer_at_ || now() < timer_at_ || failed_)
        return;
    timer_at_ = 0;
    const bool silent = mrc_shared_timer(&shared_, this, now());
    const mrc_req_due due = expire(result, probe);
    counts_.probes += probe.count;
    (due == MRC_REQ_GONE ? counts_.ports : counts_.timeouts) += result.lost;
    learn(result);
    failed_ = due == MRC_REQ_FAILED;
    arm();
    endpoint_.reply(peer_, flow_, probe, false);
    if (failed_)
        mrc_shared_leave(&shared_, this, now());
    if (silent || due != MRC_REQ_NOTHING)
        endpoint_.poke(*this);
}

uint64_t Requester::digest() const
{
    const uint64_t sequence = static_cast<uint64_t>(req_.tx.una) << 32 | req_.tx.nxt;
    const uint64_t window =
        static_cast<uint64_t>(peer_.shared.cc.cwnd) << 32 | req_.tx.inflight_bytes;

    return mix(mix(sequence ^ mix(flow_ + golden)) ^ window) +
           mix(counts_.again << 32 ^ counts_.spurious << 16 ^ counts_.timeouts ^ completed_);
}

} // namespace mrcsim
