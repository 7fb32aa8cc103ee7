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

/** As it would be for the wire, and back. */
mrc_hdr over_the_wire(const mrc_hdr &hdr)
{
    uint8_t bytes[MRC_HDR_MAX];
    mrc_hdr read;
    const unsigned int len = mrc_hdr_encode(bytes, &hdr);

    check(mrc_hdr_decode(bytes, len, &read) == MRC_DECODE_OK, "decode");
    return read;
}

mrc_hdr header(u8 opcode, u32 psn)
{
    mrc_hdr hdr{};

    hdr.bth.opcode = opcode;
    hdr.bth.pkey = MRC_PKEY_DEFAULT;
    hdr.bth.qpn = MRC_QPN_FIRST;
    hdr.bth.psn = psn;
    return hdr;
}

} // namespace

size_t Endpoints::requester_bytes(uint32_t mpr)
{
    return sizeof(mrc_tx_window) + mpr * MRC_MPR_UNIT * sizeof(mrc_tx_rec);
}

size_t Endpoints::responder_bytes(uint32_t mpr)
{
    return sizeof(mrc_rx_window) + mrc_rx_window_mem(mpr * MRC_MPR_UNIT, 0);
}

HugeMemory::HugeMemory(size_t size)
    : size_(size),
      data_(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
{
    if (data_ == MAP_FAILED)
        throw std::system_error(errno, std::generic_category(), "memory");
    // Without them it is slower, and right all the same.
    madvise(data_, size, MADV_HUGEPAGE);
}

HugeMemory::~HugeMemory()
{
    munmap(data_, size_);
}

Qp *Endpoints::make_qp(std::pmr::memory_resource &memory) const
{
    const u32 size = shape_.mpr * MRC_MPR_UNIT;
    const mrc_tx_cfg cfg = {
        .size = size, .timeout_ns = 1ull << 40, .linear = 0, .exp = MRC_EXP_MAX};
    void *ring = memory.allocate(size * sizeof(mrc_tx_rec), line);
    void *rx = memory.allocate(mrc_rx_window_mem(size, 0), line);
    auto *qp = static_cast<Qp *>(memory.allocate(sizeof(Qp), line));

    mrc_tx_window_init(&qp->tx, static_cast<mrc_tx_rec *>(ring), &cfg, 0);
    mrc_rx_window_init(&qp->rx, rx, size, 0, 0);
    qp->rx.sack_bytes = MRC_SACK_BYTES_MAX;
    return qp;
}

Endpoints::Endpoints(const Shape &shape)
    : shape_(shape), memory_(shape.qps * (requester_bytes(shape.mpr) + responder_bytes(shape.mpr) +
                                          sizeof(Qp) + 3 * line)),
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
    planned_.reserve(shape.per_sack);
}

/** Xorshift: it is not to cost more than what is measured. */
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
    plan(qp);
    deal(qp);
    for (const Planned &packet : planned_)
        deliver(qp, packet, &packet == &planned_.back());
    now_ += rtt_ns;
    answer(qp);
}

/** Lost ones first, then new ones, as far as the window goes. */
void Endpoints::plan(Qp &qp)
{
    const u32 again = std::min(qp.tx.lost, shape_.per_sack);
    const u32 fresh = std::min(shape_.per_sack - again, mrc_tx_room(&qp.tx));

    planned_.assign(again, {0, 0, true});
    planned_.resize(again + fresh, {0, 0, false});
    check(!planned_.empty(), "nothing to send");
    totals_.resent += again;
    totals_.sent += fresh;
}

/** Like cards, to as many EVs as there are bursts. */
void Endpoints::deal(Qp &qp)
{
    const auto count = static_cast<uint32_t>(planned_.size());
    const uint32_t stride = std::max(DIV_ROUND_UP(count, burst), std::min(count, 2u));
    u16 ev[64];

    for (uint32_t i = 0; i < stride; i++)
        ev[i] = mrc_ev_pick(&set_, now_);
    for (uint32_t i = 0; i < count; i++) {
        Planned &packet = planned_[i];
        packet.ev = ev[i % stride];
        check(packet.ev != MRC_EV_NONE, "no EV");
        if (packet.rtx) {
            check(mrc_tx_next_lost(&qp.tx, &packet.psn), "nothing lost");
            mrc_tx_resend(&qp.tx, packet.psn, packet.ev, now_);
        } else {
            packet.psn = mrc_tx_send(&qp.tx, packet.ev, 0, now_);
        }
    }
    for (uint32_t e = 0; e < stride; e++)
        for (uint32_t i = e; i < count; i += stride)
            mrc_tx_leaves(&qp.tx, planned_[i].psn);
}

void Endpoints::deliver(Qp &qp, const Planned &packet, bool last)
{
    const u32 nth = packet.psn % message_packets;
    uint8_t bytes[MRC_HDR_MAX];
    mrc_hdr hdr = header(mrc_write_opcode(!nth, nth == message_packets - 1, false), packet.psn);

    hdr.bth.rtx = packet.rtx;
    hdr.bth.ackreq = last;
    hdr.write.va = static_cast<u64>(nth) * mtu;
    hdr.write.dmalen = message_packets * mtu;
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

    check(mrc_hdr_decode(bytes, MRC_HDR_MAX, &hdr) == MRC_DECODE_OK, "decode");
    const mrc_rx_arrival a = {.psn = hdr.bth.psn,
                              .payload = mtu,
                              .opflags = mrc_opcode_flags(hdr.bth.opcode),
                              .imm = 0,
                              .dmalen = hdr.write.dmalen,
                              .ev = ev,
                              .tx_timestamp = 0,
                              .ackreq = hdr.bth.ackreq,
                              .rtx = hdr.bth.rtx,
                              .ce = false};
    totals_.arrived++;
    if (mrc_rx_claim(&qp.rx, a.psn) == MRC_RX_NEW)
        check(!mrc_rx_commit(&qp.rx, &a), "commit");
    else
        mrc_rx_note_dup(&qp.rx, &a);
}

/** A turn ends with a SACK, also when what asked for it is lost. */
void Endpoints::answer(Qp &qp)
{
    const u32 before = qp.rx.msn;
    mrc_rx_done done;
    bool rtx;

    while (mrc_rx_next_done(&qp.rx, &done))
        totals_.messages++;
    qp.rx.sack_due = true;
    for (mrc_hdr hdr = header(MRC_OP_SACK, 0); mrc_rx_sack_next(&qp.rx, &hdr.sack, &rtx);) {
        hdr.bth.psn = hdr.sack.cack_psn;
        hdr.bth.rtx = rtx;
        const mrc_hdr read = over_the_wire(hdr);
        sacked(qp, read.sack, read.bth.rtx);
    }
    if (qp.rx.msn != before) {
        mrc_hdr hdr = header(MRC_OP_ACK, qp.rx.done_psn);
        hdr.ack.syndrome = MRC_ACK_OK;
        hdr.ack.msn = qp.rx.msn;
        acked(qp, over_the_wire(hdr).bth.psn);
    }
}

void Endpoints::sacked(Qp &qp, const mrc_sack &sack, bool rtx)
{
    mrc_tx_result result;

    check(!mrc_tx_sack(&qp.tx, &sack, rtx, now_, &result), "SACK");
    learn(qp, result);
}

void Endpoints::acked(Qp &qp, u32 psn)
{
    mrc_tx_result result;

    check(!mrc_tx_ack(&qp.tx, psn, now_, &result), "ACK");
    learn(qp, result);
}

/** What is lost here is nobody's fault: with EVs that are held to be bad less would be measured. */
void Endpoints::learn(Qp &qp, const mrc_tx_result &result)
{
    if (!result.acked)
        return;
    for (u16 ev = 0; ev < evs_.size(); ev++) {
        if (!test_bit(ev, result.acked_evs))
            continue;
        ev_acked_[ev] += mrc_tx_take_acked(&qp.tx, ev);
        mrc_ev_heard(&set_, ev, mrc_tx_heard_ns(&qp.tx, ev, now_), now_);
    }
}

} // namespace bench
