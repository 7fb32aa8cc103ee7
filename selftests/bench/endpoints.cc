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
    return sizeof(mrc_req) + mrc_tx_window_mem(mpr * MRC_MPR_UNIT);
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

Qp *Endpoints::make_qp(std::pmr::memory_resource &memory) const
{
    const u32 size = shape_.mpr * MRC_MPR_UNIT;
    const mrc_tx_cfg cfg = {.size = size,
                            .retries = {.timeout_ns = 1ull << 40, .linear = 0, .exp = MRC_EXP_MAX}};
    const mrc_resp_cfg limits = {
        .size = size, .imm_max = 0, .mtu = mtu, .sack_bytes = MRC_SACK_BYTES_MAX};
    void *ring = memory.allocate(mrc_tx_window_mem(size), line);
    void *rx = memory.allocate(mrc_rx_window_mem(size, 0), line);
    auto *qp = static_cast<Qp *>(memory.allocate(sizeof(Qp), line));

    qp->req.sendq.slots = memory.allocate(requests * sizeof(mrc_msg), line);
    qp->req.sendq.stride = sizeof(mrc_msg);
    qp->req.sendq.depth = requests;
    mrc_sendq_start(&qp->req.sendq, mtu, 1);
    mrc_req_start(&qp->req, ring, &cfg, 0);
    mrc_resp_start(&qp->resp, rx, &limits, 0);
    const mrc_cc_params params = cc_params();
    mrc_cc_init(&qp->cc, &params, &mrc_timing_software, 0);
    return qp;
}

Endpoints::Endpoints(const Shape &shape)
    : shape_(shape), memory_(shape.qps * (requester_bytes(shape.mpr) + responder_bytes(shape.mpr) +
                                          sizeof(Qp) + requests * sizeof(mrc_msg) + 4 * line)),
      order_(shape.qps), evs_(static_cast<size_t>(shape.planes) * shape.evs_per_plane),
      ev_acked_(evs_.size())
{
    std::pmr::monotonic_buffer_resource memory(memory_.data(), memory_.size(),
                                               std::pmr::null_memory_resource());

    for (size_t i = 0; i < evs_.size(); i++)
        evs_[i].port = static_cast<u8>(1 + i / shape.evs_per_plane);
    check(!mrc_ev_set_init(&set_, evs_.data(), static_cast<u16>(evs_.size()), 1, 0, 1), "EVs");
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
    while (left_ && send(qp, left_))
        ;
    if (left_ == shape_.per_sack)
        return ask(qp);
    now_ += rtt_ns;
    answer(qp);
}

/** Everything that may leave has left, and some of it is lost: a probe finds out what. */
void Endpoints::ask(Qp &qp)
{
    const u64 at = mrc_req_timer_at(&qp.req, now_);
    mrc_answers probe;
    mrc_tx_result result;

    check(at, "nothing to send, and nothing to wait for");
    now_ = std::max<uint64_t>(now_, at);
    const mrc_req_due due = mrc_req_timer(&qp.req, now_, &result);
    check(due != MRC_REQ_FAILED, "retries are used up");
    learn(qp, result);
    if (due != MRC_REQ_PROBE)
        return;
    mrc_answers answers;
    mrc_answers_init(&probe);
    mrc_req_put_probe(&qp.req, &probe);
    mrc_answers_init(&answers);
    mrc_resp_probe(&qp.resp, &probe.hdr[0].probe, 0, false, &answers);
    now_ += rtt_ns;
    for (uint32_t i = 0; i < answers.count; i++)
        answered(qp, over_the_wire(answers.hdr[i]));
}

/** Posts requests: there are always more. */
void Endpoints::post(Qp &qp)
{
    while (mrc_msg *request = mrc_sendq_slot(&qp.req.sendq)) {
        *request = {};
        request->len = message_packets * mtu;
        mrc_sendq_queue(&qp.req.sendq);
    }
}

/** Sends one batch. */
bool Endpoints::send(Qp &qp, uint32_t max)
{
    mrc_cc_grant grant;

    mrc_cc_allow(&qp.cc, &grant);
    if (!mrc_req_plan(&qp.req, now_, max, &grant, &batch_))
        return false;
    mrc_cc_sent(&qp.cc, batch_.bytes, now_);
    deal(qp);
    (batch_.rtx ? totals_.resent : totals_.sent) += batch_.count;
    for (uint32_t i = 0; i < batch_.count; i++)
        deliver(qp, batch_.plan[i]);
    return true;
}

void Endpoints::deal(Qp &qp)
{
    const uint32_t stride = mrc_req_stride(&batch_, burst, set_.good, set_.bad);
    u16 ev[MRC_BATCH_MAX];

    for (uint32_t i = 0; i < stride; i++) {
        ev[i] = mrc_ev_pick(&set_, now_);
        check(ev[i] != MRC_EV_NONE, "no EV");
    }
    mrc_req_deal(&qp.req, &batch_, ev, stride, now_);
}

void Endpoints::deliver(Qp &qp, const mrc_plan &packet)
{
    const mrc_msg *request = mrc_sendq_at(&qp.req.sendq, packet.msg);
    uint8_t bytes[MRC_HDR_MAX];
    mrc_chunk chunk;
    mrc_hdr hdr;

    mrc_sendq_chunk(&qp.req.sendq, request, packet.psn, &chunk);
    mrc_sendq_header(request, &chunk, packet.psn, &hdr);
    hdr.bth.pkey = MRC_PKEY_DEFAULT;
    hdr.bth.qpn = MRC_QPN_FIRST;
    hdr.bth.rtx = batch_.rtx;
    hdr.bth.ackreq = !--left_;
    mrc_hdr_encode(bytes, &hdr);
    now_ += packet_ns;
    if (lost())
        totals_.lost++;
    else
        arrive(qp, bytes, packet.ev);
}

void Endpoints::arrive(Qp &qp, const uint8_t *bytes, u16 ev)
{
    mrc_hdr hdr;
    mrc_rx_arrival a;

    check(mrc_hdr_decode(bytes, MRC_HDR_MAX, &hdr) == MRC_DECODE_OK, "decode");
    totals_.arrived++;
    mrc_resp_arrival(&hdr, mtu, ev, false, &a);
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
    for (uint32_t i = 0; i < answers.count; i++)
        answered(qp, over_the_wire(answers.hdr[i]));
}

void Endpoints::answered(Qp &qp, const mrc_hdr &hdr)
{
    mrc_tx_result result;

    if (hdr.bth.opcode == MRC_OP_SACK)
        check(!mrc_req_sack(&qp.req, &hdr, now_, &result), "SACK");
    else
        acked(qp, hdr, result);
    learn(qp, result);
}

void Endpoints::acked(Qp &qp, const mrc_hdr &hdr, mrc_tx_result &result)
{
    u32 psn;

    check(!mrc_req_ack(&qp.req, &hdr, now_, &psn, &result), "ACK");
    while (mrc_sendq_done(&qp.req.sendq, psn))
        mrc_sendq_end(&qp.req.sendq);
    mrc_req_settle(&qp.req, now_);
}

/** No EV is blamed for losses here: with EVs that are held to be bad, less would be measured. */
void Endpoints::learn(Qp &qp, mrc_tx_result &result)
{
    mrc_cc_news said;

    mrc_req_cc_news(&qp.req, &result, now_, &said);
    mrc_cc_learn(&qp.cc, &said, now_);
    for (mrc_news news; mrc_req_news(&qp.req, &result, now_, &news);)
        for (u32 i = 0; i < news.count; i++)
            if (news.ev[i].what & MRC_NEWS_ACKED) {
                ev_acked_[news.ev[i].ev] += news.ev[i].acked;
                mrc_ev_heard(&set_, news.ev[i].ev, news.ev[i].heard_ns, now_);
            }
}

} // namespace bench
