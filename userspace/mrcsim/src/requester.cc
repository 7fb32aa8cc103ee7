// SPDX-License-Identifier: GPL-2.0-only
#include "requester.h"

#include <algorithm>

#include "endpoint.h"
#include "random.h"

namespace mrcsim
{

namespace
{

constexpr uint32_t requests = 8;    // requests that a QP has under way
constexpr uint32_t evs_version = 1; // EVs of a peer are never replaced

} // namespace

Requester::Requester(Endpoint &endpoint, Peer &peer, uint32_t flow)
    : endpoint_(endpoint), peer_(peer), flow_(flow), place_(*this), requests_(requests)
{
    const Network &network = endpoint.network();
    const TransportSettings &transport = network.scenario.transport;
    const mrc_tx_cfg cfg = {.size = transport.mpr, .retries = network.derived.retries};

    memory_.resize((mrc_req_mem(transport.mpr) + sizeof(uint64_t) - 1) / sizeof(uint64_t));
    req_.sendq.slots = requests_.data();
    req_.sendq.stride = sizeof(mrc_msg);
    req_.sendq.depth = requests;
    mrc_sendq_start(&req_.sendq, transport.mtu, 1);
    mrc_req_start(&req_, memory_.data(), &cfg, 0);
    req_.tx.rtt.timing = &network.derived.timing;
    left_ = network.flows[flow].bytes;
    endless_ = !left_;
}

uint64_t Requester::now() const
{
    return endpoint_.cell().engine_now();
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
    mrc_msg *request = mrc_sendq_slot(&req_.sendq);

    if (!request)
        return false;
    *request = {};
    request->len = endless_ ? whole : static_cast<u32>(std::min<uint64_t>(left_, whole));
    left_ -= endless_ ? 0 : request->len;
    mrc_sendq_queue(&req_.sendq);
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
    return started_ && !failed_ && mrc_req_wants(&req_, now());
}

/** Plans a batch that fits into the room that the shared window gives it. */
bool Requester::plan(uint32_t max, mrc_batch &batch)
{
    mrc_cc_grant grant;

    if (!wants()) {
        mrc_shared_step_aside(&peer_.shared, &place_);
        return false;
    }
    mrc_req_sync_evs(&req_, &peer_.paths, evs_version);
    if (!mrc_shared_begin(&peer_.shared, &place_, &grant))
        return false;
    const bool more = mrc_req_plan(&req_, now(), max, &grant, &batch);
    mrc_shared_end(&peer_.shared, &place_, more ? batch.count : 0, more ? batch.bytes : 0, wants(),
                   now());
    return more;
}

void Requester::send(uint32_t max)
{
    mrc_batch &batch = endpoint_.cell().batch();
    u16 ev[MRC_BATCH_MAX];

    if (!plan(max, batch))
        return;
    const unsigned stride = mrc_req_stride(&batch, endpoint_.network().derived.burst,
                                           peer_.paths.set.good, peer_.paths.set.bad);
    mrc_paths_draw(&peer_.paths, batch.any, batch.count, now(), ev, stride);
    mrc_req_deal(&req_, &batch, ev, stride, now());
    if (batch.rtx)
        for (unsigned i = 0; i < batch.count; i++)
            mrc_paths_resent(&peer_.paths, batch.plan[i].was);
    leave(batch);
    arm();
}

/** Sends EV by EV, because packets of one EV share skbs. */
void Requester::leave(const mrc_batch &batch)
{
    (batch.rtx ? counts_.again : counts_.sent) += batch.count;
    for (unsigned e = 0; e < batch.stride; e++)
        for (unsigned i = e; i < batch.count; i += batch.stride)
            if (!transmit(batch.plan[i], batch.rtx, batch.ask && i == batch.count - 1))
                take_back(batch.plan[i].psn);
}

/** Sends a packet. False: this host has no room for it. A packet without a path counts as sent. */
bool Requester::transmit(const mrc_plan &plan, bool again, bool ask)
{
    const mrc_msg *request = mrc_sendq_at(&req_.sendq, plan.msg);
    mrc_chunk chunk;
    mrc_hdr hdr;

    if (plan.ev == MRC_EV_NONE)
        return true;
    mrc_sendq_chunk(&req_.sendq, request, plan.psn, &chunk);
    mrc_sendq_header(request, &chunk, plan.psn, &hdr);
    hdr.bth.pkey = MRC_PKEY_DEFAULT;
    hdr.bth.qpn = MRC_QPN_FIRST + flow_;
    hdr.bth.rtx = again;
    hdr.bth.ackreq = ask;
    return endpoint_.send_data(peer_, plan.ev, flow_, hdr, chunk.len, again);
}

void Requester::take_back(u32 psn)
{
    mrc_tx_result result;

    counts_.unsent++;
    failed_ |= !mrc_req_unsent(&req_, psn, now(), &result);
    learn_of_window(result);
}

// ---- receiving

/** Learns from an answer, or from its absence, about the window and EVs. */
void Requester::learn(mrc_tx_result &result)
{
    learn_of_window(result);
    learn_of_evs(result);
}

void Requester::learn_of_window(const mrc_tx_result &result)
{
    mrc_cc_news said;

    mrc_req_cc_news(&req_, &result, now(), &said);
    mrc_shared_learn(&peer_.shared, &place_, &said, now());
}

void Requester::learn_of_evs(mrc_tx_result &result)
{
    bool learned = false;
    bool silent = false;

    counts_.spurious += result.spurious;
    for (mrc_news news; mrc_req_news(&req_, &result, now(), &news); learned = true) {
        mrc_paths_learn(&peer_.paths, &news, now());
        for (unsigned i = 0; i < news.count; i++)
            mrc_req_heed_state(&req_, &peer_.paths, &news.ev[i], &silent);
    }
    if (learned)
        endpoint_.prober().evs_changed(peer_);
}

void Requester::heed_silence()
{
    while (mrc_req_next_silent(&req_, &peer_.paths) != MRC_EV_NONE)
        ;
}

void Requester::sack(const mrc_hdr &hdr, mrc_tx_result &result)
{
    heed_silence();
    if (mrc_req_sack(&req_, &hdr, now(), &result))
        return;
    counts_.inferred += result.lost;
    learn(result);
    check_ports();
}

bool Requester::nack(const mrc_hdr &hdr, mrc_tx_result &result)
{
    const int err = mrc_req_nack(&req_, &hdr, now(), &result);

    if (!err && mrc_nack_is_trim(hdr.nack.reason))
        counts_.trims++;
    if (!err)
        learn_of_window(result);
    if (!err || result.spurious)
        learn_of_evs(result);
    return mrc_req_judge(&hdr, err, &result) <= MRC_REQ_BAD_ANSWER;
}

void Requester::end_requests(u32 psn)
{
    while (mrc_sendq_done(&req_.sendq, psn))
        mrc_sendq_end(&req_.sendq);
    mrc_req_settle(&req_, now());
    post();
    if (!endless_ && !left_ && req_.sendq.una == req_.sendq.tail && completed_ == never)
        completed_ = endpoint_.cell().now();
}

void Requester::ack(const mrc_hdr &hdr, mrc_tx_result &result)
{
    u32 psn = 0;

    if (mrc_req_ack(&req_, &hdr, now(), &psn, &result))
        return;
    learn(result);
    end_requests(psn);
    failed_ |= mrc_req_judge(&hdr, 0, &result) > MRC_REQ_BAD_ANSWER;
}

void Requester::answered(const Packet &packet)
{
    mrc_tx_result result;

    if (failed_)
        return;
    if (packet.hdr.bth.opcode == MRC_OP_SACK)
        sack(packet.hdr, result);
    else if (packet.hdr.bth.opcode == MRC_OP_NACK)
        failed_ |= !nack(packet.hdr, result);
    else
        ack(packet.hdr, result);
    arm();
    endpoint_.poke(*this);
}

// ---- ports

/**
 * Looks for a change of ports here or at the peer. What was in flight by ports that have gone is
 * lost.
 */
void Requester::check_ports()
{
    mrc_tx_result result;

    if (!mrc_req_heed_ports(&req_, &peer_.paths, evs_version, now(), &result))
        return;
    counts_.ports += result.lost;
    learn_of_window(result);
    mrc_shared_capacity(&peer_.shared, mrc_req_planes(&req_, &peer_.paths));
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
    const uint64_t silent = mrc_shared_timer_at(&peer_.shared, &place_);
    uint64_t at = mrc_req_timer_at(&req_, now());

    if (silent)
        at = at ? std::min(at, silent) : silent;
    if (!at || failed_ || (timer_at_ && timer_at_ <= at))
        return;
    timer_at_ = at;
    endpoint_.schedule_ns(at, What::requester_timer, flow_);
}

void Requester::timer()
{
    mrc_tx_result result;
    mrc_answers answers;

    // The timer may have been moved to another time.
    if (!timer_at_ || now() < timer_at_ || failed_)
        return;
    timer_at_ = 0;
    const bool silent = mrc_shared_timer(&peer_.shared, &place_, now());
    heed_silence();
    const mrc_req_due due = mrc_req_timer(&req_, now(), &result);
    mrc_answers_init(&answers);
    if (due == MRC_REQ_PROBE)
        mrc_req_put_probe(&req_, &answers);
    counts_.probes += answers.count;
    (due == MRC_REQ_GONE ? counts_.ports : counts_.timeouts) += result.lost;
    learn(result);
    failed_ = due == MRC_REQ_FAILED;
    arm();
    endpoint_.reply(peer_, flow_, answers, false);
    if (failed_)
        mrc_shared_leave(&peer_.shared, &place_, now());
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
