// SPDX-License-Identifier: GPL-2.0-only
#include "sender.h"

#include <algorithm>
#include <arpa/inet.h>
#include <stdexcept>
#include <system_error>

namespace traffic
{

namespace
{

/** The most bytes between two gather elements in the source. */
constexpr uint64_t source_gap = 64;

/** A message, or a run of messages, with more bytes than this is always signalled. */
uint64_t large(const Plan &plan)
{
    return plan.window / 8;
}

} // namespace

Sender::Sender(Endpoint &endpoint, const Plan &plan, Report &report, unsigned int direction,
               size_t index, uint32_t peer_receives)
    : endpoint_(endpoint), plan_(plan), report_(report), index_(index),
      peer_receives_(peer_receives), schedule_(plan, direction, static_cast<unsigned int>(index)),
      source_(endpoint.pd(), plan.window + plan.largest() + plan.depth * plan.sges * source_gap,
              IBV_ACCESS_LOCAL_WRITE),
      read_backs_(endpoint, plan, report, index, schedule_.counter()), next_(schedule_.next())
{
}

bool Sender::last() const
{
    const bool counted = plan_.seconds == 0 && plan_.iterations != 0;

    return stopping_ || (counted && next_.number + 1 == plan_.iterations);
}

bool Sender::has_room() const
{
    if (exhausted_ || first_error_ || outstanding_.size() + read_backs_.requests() >= plan_.depth) {
        return false;
    }
    // The target memory is used round and round, but what is not verified yet is not overwritten.
    if (credit_ != next_.gap_start && next_.end() + Schedule::guard - credit_ > schedule_.ring()) {
        return false;
    }
    return !((next_.imm || last()) && imms_posted_ - credit_imms_ >= peer_receives_);
}

Clock::duration Sender::due() const
{
    if (!has_room() || starved_) {
        return Clock::duration::max();
    }
    const double seconds = plan_.rate ? static_cast<double>(posted_) / plan_.rate : 0;
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

/** Finds room in the source memory, in one piece; moves source_head_ to it. */
bool Sender::reserve_source(uint64_t bytes)
{
    if (outstanding_.empty()) {
        source_head_ = signaled_head_ = 0;
    }
    const uint64_t tail = outstanding_.empty() ? 0 : outstanding_.front().source_start;
    const uint64_t offset = source_head_ % source_.size();
    uint64_t head = source_head_;

    if (offset + bytes > source_.size()) {
        head += source_.size() - offset;
    }
    if (head + bytes - tail > source_.size()) {
        return false;
    }
    source_head_ = head;
    return true;
}

/** Cuts the message into gather elements, and fills them. */
void Sender::gather(const Message &m, Request &request)
{
    Random random(m.key + 1);
    const uint64_t pieces = std::min<uint64_t>(m.length, 1 + random.below(plan_.sges));
    std::vector<uint64_t> cuts = {0, m.length};
    uint64_t at = source_head_;

    for (uint64_t i = 1; i < pieces; i++) {
        cuts.push_back(random.below(m.length));
    }
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    for (size_t i = 0; i + 1 < cuts.size(); i++) {
        const auto length = static_cast<uint32_t>(cuts[i + 1] - cuts[i]);
        at += plan_.sges > 1 ? random.below(source_gap) : 0;
        uint8_t *piece = source_.data() + at % source_.size();
        fill_pattern(m.key, cuts[i], piece, length);
        request.sges.push_back({reinterpret_cast<uintptr_t>(piece), length, source_.mr()->lkey});
        at += length;
    }
    source_head_ = at;
}

bool Sender::wants_signal(const Message &m, bool final) const
{
    // Before and after a large message, so that unsignalled requests do not hold up its memory.
    return final || (m.number + 1) % plan_.signal_every == 0 || m.length > large(plan_) ||
           next_.length > large(plan_) || source_head_ - signaled_head_ > large(plan_);
}

ibv_send_wr Sender::request_of(const Message &m, bool final) const
{
    const bool imm = m.imm || final;
    ibv_send_wr wr{};

    wr.wr_id = static_cast<uint64_t>(index_) << wr_id_shift | m.number;
    wr.opcode = m.send ? IBV_WR_SEND_WITH_IMM
                : imm  ? IBV_WR_RDMA_WRITE_WITH_IMM
                       : IBV_WR_RDMA_WRITE;
    wr.imm_data = htonl(static_cast<uint32_t>(m.number) | (final ? imm_final : 0));
    if (m.length && m.length <= plan_.inline_max) {
        wr.send_flags |= IBV_SEND_INLINE;
    }
    // The other end looks at what was written, and clears it, when the immediate has come.
    if (imm && read_backs_.under_way()) {
        wr.send_flags |= IBV_SEND_FENCE;
    }
    if (!m.send) {
        wr.wr.rdma.remote_addr = endpoint_.remote(index_).address + m.offset;
        wr.wr.rdma.rkey = endpoint_.remote(index_).rkey;
    }
    return wr;
}

void Sender::read_back(const Message &m, std::vector<Request> &requests)
{
    auto wrs = read_backs_.after(m);

    for (size_t i = 0; wrs && i < wrs->size(); i++) {
        ibv_send_wr &wr = (*wrs)[i];
        outstanding_.push_back({wr.wr_id, source_head_, true, Clock::now()});
        wr.wr_id |= static_cast<uint64_t>(index_) << wr_id_shift;
        requests.push_back({wr, {read_backs_.places(m)[i]}});
    }
}

bool Sender::prepare(std::vector<Request> &requests)
{
    const Message m = next_;
    const bool final = last();
    Request request;

    if (!reserve_source(m.length + plan_.sges * source_gap)) {
        return false;
    }
    const uint64_t start = source_head_;
    gather(m, request);
    next_ = schedule_.next();
    const bool signaled = wants_signal(m, final);

    request.wr = request_of(m, final);
    if (signaled) {
        request.wr.send_flags |= IBV_SEND_SIGNALED;
    }
    outstanding_.push_back({m.number, start, signaled, Clock::now()});
    requests.push_back(std::move(request));
    signaled_head_ = signaled ? source_head_ : signaled_head_;
    posted_++;
    imms_posted_ += m.imm || final;
    exhausted_ = final;
    report_.messages_sent++;
    report_.bytes_sent += m.length;
    if (!final) {
        read_back(m, requests);
    }
    return true;
}

bool Sender::post(Clock::duration running)
{
    std::vector<Request> requests;

    while (requests.size() < plan_.batch && due() <= running) {
        if (!prepare(requests)) {
            starved_ = true;
            break;
        }
    }
    if (requests.empty()) {
        return false;
    }
    for (size_t i = 0; i < requests.size(); i++) {
        requests[i].wr.sg_list = requests[i].sges.data();
        requests[i].wr.num_sge = static_cast<int>(requests[i].sges.size());
        requests[i].wr.next = i + 1 < requests.size() ? &requests[i + 1].wr : nullptr;
    }
    ibv_send_wr *bad = nullptr;
    if (const int error = ibv_post_send(endpoint_.qp(index_), &requests[0].wr, &bad)) {
        throw std::system_error(error, std::generic_category(), "ibv_post_send");
    }
    return true;
}

void Sender::fail(const ibv_wc &wc)
{
    if (first_error_ && wc.status != IBV_WC_WR_FLUSH_ERR) {
        report_.problem("after the first error, a request ended with " +
                        std::string(ibv_wc_status_str(wc.status)));
    }
    if (!first_error_) {
        first_error_ = wc.status;
        exhausted_ = true;
    }
}

void Sender::complete(const ibv_wc &wc)
{
    const uint64_t number = wc.wr_id & ((uint64_t{1} << wr_id_shift) - 1);
    // In error, each request completes; before that, only signalled ones do.
    const bool each = first_error_ != 0;

    starved_ = false;
    if (wc.status != IBV_WC_SUCCESS) {
        fail(wc);
    } else if (first_error_) {
        report_.problem("a request succeeded after one that failed");
    }
    // Each request completes once, in posting order.
    while (!outstanding_.empty()) {
        const Outstanding o = outstanding_.front();
        outstanding_.pop_front();
        if (o.number == number) {
            if (!o.signaled && wc.status == IBV_WC_SUCCESS) {
                report_.problem("completion of an unsignalled request");
            }
            if (wc.status == IBV_WC_SUCCESS) {
                report_.completions.add(Clock::now() - o.posted);
                if (number & (ReadBacks::read_bit | ReadBacks::add_bit)) {
                    read_backs_.complete(number);
                }
            }
            return;
        }
        if (o.signaled || each) {
            break;
        }
    }
    report_.problem("completion of request " + std::to_string(number) + " out of order");
}

void Sender::credit(uint64_t position, uint64_t imms)
{
    credit_ = position;
    credit_imms_ = imms;
}

bool Sender::done() const
{
    return exhausted_ && outstanding_.empty();
}

nlohmann::json Sender::state() const
{
    return {{"qp", index_},
            {"posted", posted_},
            {"outstanding", outstanding_.size()},
            {"position", next_.gap_start},
            {"credit", credit_},
            {"imms", imms_posted_},
            {"credit_imms", credit_imms_}};
}

} // namespace traffic
