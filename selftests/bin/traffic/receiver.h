// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file receiver.h
 * The receiving half of one QP: verifies what arrived.
 */
#pragma once

#include "endpoint.h"
#include "report.h"
#include "schedule.h"

namespace traffic
{

class Receiver
{
public:
    /** Poisons the target memory, and posts receives. */
    Receiver(Endpoint &endpoint, const Plan &plan, Report &report, unsigned int direction,
             size_t index);

    /** A WriteImm has arrived: verifies it and all plain writes before it. */
    void immediate(const ibv_wc &wc);
    /** Position up to which everything is verified. */
    [[nodiscard]] uint64_t position() const { return position_; }
    /** Number of immediates received. */
    [[nodiscard]] uint64_t imms() const { return imms_; }
    /** Whether the sender should be told; idle: even of a little. Resets itself. */
    bool credit_due(bool idle);
    /** Whether the sender has not been told of everything. */
    [[nodiscard]] bool owes_credit() const { return imms_ != told_imms_; }
    /** Whether the last message has arrived. */
    [[nodiscard]] bool done() const { return done_; }
    /** Checks after the run that no other byte of the target memory was touched. */
    void verify_untouched();
    [[nodiscard]] nlohmann::json state() const;

private:
    void post_receives(uint32_t count);
    ibv_sge next_place();
    void verify(const Message &m);
    void verify_poison(const Message &m, uint64_t offset, uint64_t length);

    Endpoint &endpoint_;
    Report &report_;
    const size_t index_;
    /** Whether receives name memory, because a SEND may take them. */
    const bool sends_;
    Schedule schedule_;
    /** The messages for which receives are posted. */
    Schedule posting_;
    Message next_;
    uint64_t position_ = 0;
    uint64_t imms_ = 0;
    uint64_t told_position_ = 0;
    uint64_t told_imms_ = 0;
    bool done_ = false;
};

} // namespace traffic
