// SPDX-License-Identifier: GPL-2.0-only
#include "receiver.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cstring>
#include <system_error>
#include <vector>

#include "sender.h"

namespace traffic
{

namespace
{

constexpr uint8_t poison = 0xa5;

/** Offset of the first byte that is not poison, or length. */
uint64_t find_touched(const uint8_t *bytes, uint64_t length)
{
    if (length == 0 || (bytes[0] == poison && std::memcmp(bytes, bytes + 1, length - 1) == 0)) {
        return length;
    }
    const uint8_t *end = bytes + length;
    return static_cast<uint64_t>(std::find_if(bytes, end, [](uint8_t b) { return b != poison; }) -
                                 bytes);
}

} // namespace

Receiver::Receiver(Endpoint &endpoint, const Plan &plan, Report &report, unsigned int direction,
                   size_t index)
    : endpoint_(endpoint), report_(report), index_(index), sends_(plan.sends_every != 0),
      schedule_(plan, direction, static_cast<unsigned int>(index)), posting_(schedule_),
      next_(schedule_.next())
{
    const Memory &target = endpoint_.target(index_);

    std::memset(target.data(), poison, target.size());
    post_receives(endpoint_.rq_depth());
}

/** The memory of the next message that takes a receive. */
ibv_sge Receiver::next_place()
{
    const Memory &target = endpoint_.target(index_);
    Message m = posting_.next();

    while (!m.imm) {
        m = posting_.next();
    }
    return {.addr = reinterpret_cast<uintptr_t>(target.data() + m.offset),
            .length = m.length,
            .lkey = target.mr()->lkey};
}

void Receiver::post_receives(uint32_t count)
{
    std::vector<ibv_recv_wr> requests(count);
    std::vector<ibv_sge> places(count);

    for (size_t i = 0; i < requests.size(); i++) {
        requests[i].wr_id = static_cast<uint64_t>(index_) << wr_id_shift;
        requests[i].next = i + 1 < requests.size() ? &requests[i + 1] : nullptr;
        if (sends_) {
            places[i] = next_place();
            requests[i].sg_list = &places[i];
            requests[i].num_sge = 1;
        }
    }
    ibv_recv_wr *bad = nullptr;
    if (const int error = ibv_post_recv(endpoint_.qp(index_), requests.data(), &bad)) {
        throw std::system_error(error, std::generic_category(), "ibv_post_recv");
    }
}

void Receiver::verify_poison(const Message &m, uint64_t offset, uint64_t length)
{
    const uint8_t *bytes = endpoint_.target(index_).data() + offset;
    const uint64_t touched = find_touched(bytes, length);

    if (touched != length) {
        report_.problem("QP " + std::to_string(index_) + " message " + std::to_string(m.number) +
                        ": byte " + std::to_string(offset + touched) + " beside target " +
                        std::to_string(m.offset) + "+" + std::to_string(m.length) + " was written");
    }
}

void Receiver::verify(const Message &m)
{
    uint8_t *bytes = endpoint_.target(index_).data() + m.offset;
    const uint64_t same = find_difference(m.key, bytes, m.length);

    if (same != m.length) {
        report_.problem("QP " + std::to_string(index_) + " message " + std::to_string(m.number) +
                        " of " + std::to_string(m.length) + " bytes: byte " + std::to_string(same) +
                        " is wrong" + (bytes[same] == poison ? " (never written)" : ""));
    }
    verify_poison(m, m.offset - Schedule::guard, Schedule::guard);
    verify_poison(m, m.offset + m.length, Schedule::guard);
    std::memset(bytes, poison, m.length);
    report_.messages_verified++;
    report_.bytes_verified += same;
}

void Receiver::immediate(const ibv_wc &wc)
{
    const uint32_t imm = ntohl(wc.imm_data);
    const uint32_t number = imm & ~imm_final;

    report_.immediates++;
    imms_++;
    if (!(wc.wc_flags & IBV_WC_WITH_IMM)) {
        report_.problem("a receive completed without an immediate");
    }
    if (number < next_.number || done_) {
        report_.problem("immediate " + std::to_string(number) + " came again");
        return;
    }
    for (; next_.number != number; next_ = schedule_.next()) {
        if (next_.imm) {
            report_.problem("immediate " + std::to_string(number) + " came before " +
                            std::to_string(next_.number));
        }
        verify(next_);
    }
    if (!next_.imm && !(imm & imm_final)) {
        report_.problem("immediate of plain write " + std::to_string(number));
    }
    if (wc.opcode != (next_.send ? IBV_WC_RECV : IBV_WC_RECV_RDMA_WITH_IMM)) {
        report_.problem("immediate " + std::to_string(number) + " of another operation");
    }
    if (wc.byte_len != next_.length) {
        report_.problem("immediate " + std::to_string(number) + ": byte_len " +
                        std::to_string(wc.byte_len) + ", not " + std::to_string(next_.length));
    }
    verify(next_);
    position_ = next_.end();
    done_ = (imm & imm_final) != 0;
    next_ = schedule_.next();
    post_receives(1);
}

bool Receiver::credit_due(bool idle)
{
    const uint64_t bytes = position_ - told_position_;
    const uint64_t imms = imms_ - told_imms_;

    if (bytes < schedule_.ring() / 4 && imms < endpoint_.rq_depth() / 4 && !(idle && imms)) {
        return false;
    }
    told_position_ = position_;
    told_imms_ = imms_;
    return true;
}

void Receiver::verify_untouched()
{
    const uint8_t *target = endpoint_.target(index_).data();
    const uint64_t touched = find_touched(target, schedule_.guarded());

    if (touched != schedule_.guarded()) {
        report_.problem("QP " + std::to_string(index_) + ": byte " + std::to_string(touched) +
                        " was written after its message was complete");
    }
}

nlohmann::json Receiver::state() const
{
    return {{"qp", index_}, {"next", next_.number}, {"position", position_}, {"imms", imms_}};
}

} // namespace traffic
