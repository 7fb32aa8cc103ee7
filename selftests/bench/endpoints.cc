// SPDX-License-Identifier: GPL-2.0-only
#include "endpoints.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <system_error>

#include <cerrno>
#include <sys/mman.h>

namespace bench
{

namespace
{

constexpr size_t line = 64; // of a cache

void check(bool ok, const char *what)
{
    if (!ok)
        throw std::runtime_error(what);
}

/** Encodes a header for the wire, and decodes it again. */
mrc_hdr over_the_wire(const mrc_hdr &hdr)
{
    uint8_t bytes[MRC_HDR_MAX];
    mrc_hdr read;
    const unsigned int len = mrc_hdr_encode(bytes, &hdr);

    check(mrc_hdr_decode(bytes, len, &read) == MRC_DECODE_OK, "decode");
    return read;
}

} // namespace

size_t Endpoints::requester_bytes(uint32_t mpr)
{
    return sizeof(mrc_req) + mrc_req_mem(mpr * MRC_MPR_UNIT);
}

size_t Endpoints::responder_bytes(uint32_t mpr)
{
    return sizeof(mrc_resp) + mrc_rx_window_mem(mpr * MRC_MPR_UNIT, 0);
}

HugeMemory::HugeMemory(size_t size)
    : size_(size),
      data_(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
{
    if (data_ == MAP_FAILED)
        throw std::system_error(errno, std::generic_category(), "memory");
    // Without huge pages it is slower, but right.
    madvise(data_, size, MADV_HUGEPAGE);
}

HugeMemory::~HugeMemory()
{
    munmap(data_, size_);
}

/** Windows that never limit, because their cost is measured, not their effect. */
mrc_cc_params Endpoints::cc_params() const
{
    mrc_cc_params params = {.mtu = mrc_sendq_bytes_max(mtu), .max_cwnd = MRC_CC_CWND_MAX};
    if (shape_.nscc) {
        params.algorithm = MRC_CC_NSCC;
        params.rate = 50'000'000'000;
        params.base_rtt_ns = rtt_ns;
        params.gamma = MRC_CC_GAMMA_DEFAULT;
        params.max_md_jump = MRC_CC_ONE;
        params.qa_gate = MRC_CC_QA_GATE_DEFAULT;
    }
    return params;
}

Qp *Endpoints::make_qp(std::pmr::memory_resource &memory)
{
    const u32 size = shape_.mpr * MRC_MPR_UNIT;
    const engine::RequesterConfig config = {
        .window = {.size = size,
                   .retries = {.timeout_ns = 1ull << 40, .linear = 0, .exp = MRC_EXP_MAX}},
        .requests = requests,
        .mtu = mtu};
    const mrc_resp_cfg limits = {
        .size = size, .imm_max = 0, .mtu = mtu, .sack_bytes = MRC_SACK_BYTES_MAX};
    void *ring = memory.allocate(mrc_req_mem(size), line);
    void *rx = memory.allocate(mrc_rx_window_mem(size, 0), line);
    auto *qp = new (memory.allocate(sizeof(Qp), line)) Qp(*this, paths_);
    auto *slots = static_cast<mrc_msg *>(memory.allocate(requests * sizeof(mrc_msg), line));

    engine::start(qp->req_, config, ring, slots);
    mrc_resp_start(&qp->resp, rx, &limits, 0);
    const mrc_cc_params params = cc_params();
    mrc_shared_init(&qp->window, &params, &mrc_timing_software, true, 0);
    return qp;
}

/** All EVs stay in use whatever is lost, because there are no probes that would bring one back. */
Endpoints::Endpoints(const Shape &shape)
    : shape_(shape), memory_(shape.qps * (requester_bytes(shape.mpr) + responder_bytes(shape.mpr) +
                                          sizeof(Qp) + requests * sizeof(mrc_msg) + 4 * line)),
      order_(shape.qps), states_(static_cast<size_t>(shape.planes) * shape.evs_per_plane),
      evs_(states_.size())
{
    std::pmr::monotonic_buffer_resource memory(memory_.data(), memory_.size(),
                                               std::pmr::null_memory_resource());
    const auto count = static_cast<u16>(evs_.size());

    for (u16 i = 0; i < count; i++) {
        states_[i].port = static_cast<u8>(1 + i / shape.evs_per_plane);
        evs_[i].index = i;
        evs_[i].bits = i + 1u;
    }
    check(!mrc_paths_init(&paths_, evs_.data(), states_.data(), count, count, 0, 1), "EVs");
    for (uint32_t i = 0; i < shape.qps; i++)
        qps_.push_back(make_qp(memory));
    std::iota(order_.begin(), order_.end(), 0);
    for (size_t i = order_.size(); i > 1; i--)
        std::swap(order_[i - 1], order_[random() % i]);
}

/** Xorshift, because random numbers must not cost more than what is measured. */
uint64_t Endpoints::random()
{
    random_ ^= random_ << 13;
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    return random_;
}

bool Endpoints::lost()
{
    return shape_.loss_mille && random() % 1000 < shape_.loss_mille;
}

void Endpoints::turn()
{
    Qp &qp = *qps_[order_[next_]];

    next_ = next_ + 1 == order_.size() ? 0 : next_ + 1;
    now_ += rtt_ns;
    post(qp);
    left_ = shape_.per_sack;
    while (left_ && send(qp))
        ;
    if (left_ == shape_.per_sack)
        return ask(qp);
    now_ += rtt_ns;
    answer(qp);
}

/** Everything that may leave has left, and some of it is lost: a probe finds out what. */
void Endpoints::ask(Qp &qp)
{
    const u64 at = qp.timer_at();
    mrc_answers probe;
    mrc_tx_result result;

    check(at, "nothing to send, and nothing to wait for");
    now_ = std::max<uint64_t>(now_, at);
    check(qp.expire(result, probe) != MRC_REQ_FAILED, "retries are used up");
    qp.learn(result);
    if (!probe.count)
        return;
    mrc_answers answers;
    mrc_answers_init(&answers);
    mrc_resp_probe(&qp.resp, &probe.hdr[0].probe, 0, false, &answers);
    now_ += rtt_ns;
    reply(qp, answers);
}

/** Posts requests: there are always more. */
void Endpoints::post(Qp &qp)
{
    while (qp.queue({.len = message_packets * mtu}))
        ;
}

/** Sends one batch. */
bool Endpoints::send(Qp &qp)
{
    if (!qp.send(left_, batch_))
        return false;
    (batch_.rtx ? totals_.resent : totals_.sent) += batch_.count;
    return true;
}

uint64_t Qp::now() const
{
    return ends_.now_;
}

bool Qp::transmit(const mrc_plan &packet, mrc_hdr &hdr, const mrc_chunk &)
{
    check(packet.ev != MRC_EV_NONE, "no EV");
    ends_.deliver(*this, hdr, packet.ev);
    return true;
}

void Endpoints::deliver(Qp &qp, mrc_hdr &hdr, u16 ev)
{
    uint8_t bytes[MRC_HDR_MAX];

    hdr.bth.qpn = MRC_QPN_FIRST;
    hdr.bth.ackreq = !--left_;
    mrc_hdr_encode(bytes, &hdr);
    now_ += packet_ns;
    if (lost())
        totals_.lost++;
    else
        arrive(qp, bytes, ev);
}

void Endpoints::arrive(Qp &qp, const uint8_t *bytes, u16 ev)
{
    mrc_hdr hdr;
    mrc_rx_arrival a;

    check(mrc_hdr_decode(bytes, MRC_HDR_MAX, &hdr) == MRC_DECODE_OK, "decode");
    totals_.arrived++;
    mrc_resp_arrival(&hdr, mtu, paths_.ev[ev].bits, false, &a);
    if (mrc_resp_claim(&qp.resp, &a) == MRC_RX_NEW) {
        check(mrc_resp_fits(&qp.resp, &a), "length");
        mrc_resp_commit(&qp.resp, &a, 0);
    }
}

/** A turn ends with a SACK, also when the packet that asked for it is lost. */
void Endpoints::answer(Qp &qp)
{
    mrc_answers answers;
    mrc_rx_done done;

    while (mrc_resp_next_done(&qp.resp, &done))
        totals_.messages++;
    qp.resp.rx.sack_due = true;
    mrc_answers_init(&answers);
    check(!mrc_resp_answer(&qp.resp, now_, &answers), "NAK");
    reply(qp, answers);
}

void Endpoints::reply(Qp &qp, const mrc_answers &answers)
{
    for (uint32_t i = 0; i < answers.count; i++)
        check(qp.answered(over_the_wire(answers.hdr[i])) == MRC_REQ_GOES_ON, "an answer");
}

} // namespace bench
