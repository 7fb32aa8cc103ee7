// SPDX-License-Identifier: GPL-2.0-only
#include "read_backs.h"

#include <cstring>

namespace traffic
{

ReadBacks::ReadBacks(Endpoint &endpoint, const Plan &plan, Report &report, size_t index,
                     uint64_t counter_offset)
    : endpoint_(endpoint), report_(report), index_(index), every_(plan.reads_every),
      counter_offset_(counter_offset)
{
    if (every_) {
        sink_.emplace(endpoint.pd(), slots * (most + sizeof(uint64_t)), IBV_ACCESS_LOCAL_WRITE);
    }
}

uint8_t *ReadBacks::slot(uint64_t number) const
{
    return sink_->data() + number % slots * (most + sizeof(uint64_t));
}

std::array<ibv_sge, 2> ReadBacks::places(const Message &m) const
{
    const auto at = reinterpret_cast<uintptr_t>(slot(m.number));

    return {{{at, m.length, sink_->mr()->lkey}, {at + most, 8, sink_->mr()->lkey}}};
}

std::optional<std::array<ibv_send_wr, 2>> ReadBacks::after(const Message &m)
{
    // The memory of a WriteImm or SEND may be used anew as soon as its receive is complete.
    if (!every_ || m.imm || m.length > most || busy_[m.number % slots] ||
        mix(m.key + 1) % every_ != 0) {
        return std::nullopt;
    }
    const Remote &remote = endpoint_.remote(index_);
    std::array<ibv_send_wr, 2> wrs{};

    std::memset(slot(m.number), 0, m.length);
    wrs[0].wr_id = read_bit | m.number;
    wrs[0].opcode = IBV_WR_RDMA_READ;
    wrs[0].wr.rdma.remote_addr = remote.address + m.offset;
    wrs[0].wr.rdma.rkey = remote.rkey;
    wrs[1].wr_id = add_bit | m.number;
    wrs[1].opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
    wrs[1].wr.atomic.remote_addr = remote.address + counter_offset_;
    wrs[1].wr.atomic.rkey = remote.rkey;
    wrs[1].wr.atomic.compare_add = step;
    for (ibv_send_wr &wr : wrs) {
        wr.send_flags = IBV_SEND_SIGNALED;
    }
    busy_[m.number % slots] = m;
    under_way_++;
    return wrs;
}

void ReadBacks::verify(const Message &m)
{
    const uint64_t same = find_difference(m.key, slot(m.number), m.length);

    if (same != m.length) {
        report_.problem("QP " + std::to_string(index_) + " READ of message " +
                        std::to_string(m.number) + " of " + std::to_string(m.length) +
                        " bytes: byte " + std::to_string(same) + " is wrong");
    }
    report_.bytes_read += same;
}

void ReadBacks::complete(uint64_t number)
{
    std::optional<Message> &m = busy_[(number & ~(read_bit | add_bit)) % slots];
    uint64_t counter = 0;

    if (number & read_bit) {
        verify(*m);
        return;
    }
    std::memcpy(&counter, slot(m->number) + most, sizeof(counter));
    if (counter != counter_) {
        report_.problem("QP " + std::to_string(index_) + " message " + std::to_string(m->number) +
                        ": the counter was " + std::to_string(counter) + ", not " +
                        std::to_string(counter_));
    }
    counter_ += step;
    m.reset();
    under_way_--;
}

} // namespace traffic
