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

    /** A WriteImm has arrived: verify it and all plain writes before it. */
    void immediate(const ibv_wc &wc);
    /** Position up to which all is verified. */
    [[nodiscard]] uint64_t position() const { return position_; }
    /** Immediates received. */
    [[nodiscard]] uint64_t imms() const { return imms_; }
    /** Worth telling the sender; idle: even a little. Clears itself. */
    bool credit_due(bool idle);
    /** The sender has not been told of all. */
    [[nodiscard]] bool owes_credit() const { return imms_ != told_imms_; }
    /** The last message has arrived. */
    [[nodiscard]] bool done() const { return done_; }
    /** After the run: no byte of the target memory was touched that should not be. */
    void verify_untouched();
    [[nodiscard]] nlohmann::json state() const;

private:
    void post_receives(uint32_t count);
    void verify(const Message &m);
    void verify_poison(const Message &m, uint64_t offset, uint64_t length);

    Endpoint &endpoint_;
    Report &report_;
    const size_t index_;
    Schedule schedule_;
    Message next_;
    uint64_t position_ = 0;
    uint64_t imms_ = 0;
    uint64_t told_position_ = 0;
    uint64_t told_imms_ = 0;
    bool done_ = false;
};

} // namespace traffic
