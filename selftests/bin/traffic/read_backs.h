// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file read_backs.h
 * READs of what was written just before, and a counter in the memory of the other end, to which
 * each of them adds: it must be added to once.
 */
#pragma once

#include <array>
#include <optional>

#include "endpoint.h"
#include "report.h"
#include "schedule.h"

namespace traffic
{

class ReadBacks
{
public:
    /** Bit of the number of a message: the READ of it; the addition after it. */
    static constexpr uint64_t read_bit = uint64_t{1} << 39;
    static constexpr uint64_t add_bit = uint64_t{1} << 38;
    /** What is added to the counter. */
    static constexpr uint64_t step = 0x100000001;

    ReadBacks(Endpoint &endpoint, const Plan &plan, Report &report, size_t index,
              uint64_t counter_offset);

    /** A READ and an addition, to be posted after the write of a message; none: not this message.
     */
    std::optional<std::array<ibv_send_wr, 2>> after(const Message &m);
    /** Where the READ and the addition put what they get. */
    [[nodiscard]] std::array<ibv_sge, 2> places(const Message &m) const;
    /** Whether READs are under way: what lets the other end touch what they read has a fence. */
    [[nodiscard]] bool under_way() const { return under_way_ != 0; }
    /** A completion with one of the bits. */
    void complete(uint64_t number);
    /** Requests that after() makes at most. */
    [[nodiscard]] unsigned int requests() const { return every_ ? 2 : 0; }

private:
    /** READs under way at a time, and the most bytes of each. */
    static constexpr unsigned int slots = 8;
    static constexpr uint32_t most = 65536;
    /** What the memory of the other end holds at first. */
    static constexpr uint64_t poison = 0xa5a5a5a5a5a5a5a5;

    /** Memory of a READ, and behind it of the counter. */
    [[nodiscard]] uint8_t *slot(uint64_t number) const;
    void verify(const Message &m);

    Endpoint &endpoint_;
    Report &report_;
    const size_t index_;
    const uint32_t every_;
    const uint64_t counter_offset_;
    std::optional<Memory> sink_;
    std::array<std::optional<Message>, slots> busy_;
    unsigned int under_way_ = 0;
    uint64_t counter_ = poison;
};

} // namespace traffic
