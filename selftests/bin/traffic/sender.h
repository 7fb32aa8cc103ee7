// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file sender.h
 * The sending half of one QP.
 */
#pragma once

#include <chrono>
#include <deque>

#include "endpoint.h"
#include "read_backs.h"
#include "report.h"
#include "schedule.h"

namespace traffic
{

using Clock = std::chrono::steady_clock;

/** Bit of an immediate: the last message; the other bits are the message's number. */
constexpr uint32_t imm_final = 1u << 31;
/** wr_id of a request: the index of the QP above the message's number. */
constexpr unsigned int wr_id_shift = 40;

class Sender
{
public:
    /**
     * @param direction 0: client to server, 1: server to client
     * @param index of the QP
     * @param peer_receives receives that the other end keeps posted
     */
    Sender(Endpoint &endpoint, const Plan &plan, Report &report, unsigned int direction,
           size_t index, uint32_t peer_receives);

    /** Posts what may be posted. True: something was posted. */
    bool post(Clock::duration running);
    /** When the next message's turn is, from the beginning of the run; for ever if only the other
     * end can let it be posted. */
    [[nodiscard]] Clock::duration due() const;
    /** Handles a completion. */
    void complete(const ibv_wc &wc);
    /** The other end has verified all before this position, and this many immediates. */
    void credit(uint64_t position, uint64_t imms);
    /** One more message will be sent, the last. */
    void stop() { stopping_ = true; }
    /** Whether all messages are sent and completed, or flushed. */
    [[nodiscard]] bool done() const;
    /** Whether the QP is in error, and nothing is outstanding any more. */
    [[nodiscard]] bool failed() const { return first_error_ != 0 && outstanding_.empty(); }
    [[nodiscard]] int first_error() const { return first_error_; }
    [[nodiscard]] nlohmann::json state() const;

private:
    struct Outstanding {
        uint64_t number;
        uint64_t source_start;
        bool signaled;
        Clock::time_point posted;
    };
    struct Request {
        ibv_send_wr wr;
        std::vector<ibv_sge> sges;
    };

    [[nodiscard]] bool has_room() const;
    [[nodiscard]] bool last() const;
    bool reserve_source(uint64_t bytes);
    bool prepare(std::vector<Request> &requests);
    ibv_send_wr request_of(const Message &m, bool final) const;
    void read_back(const Message &m, std::vector<Request> &requests);
    void gather(const Message &m, Request &request);
    bool wants_signal(const Message &m, bool final) const;
    void fail(const ibv_wc &wc);

    Endpoint &endpoint_;
    const Plan plan_;
    Report &report_;
    const size_t index_;
    const uint32_t peer_receives_;
    Schedule schedule_;
    Memory source_;
    ReadBacks read_backs_;
    Message next_;
    std::deque<Outstanding> outstanding_;
    uint64_t source_head_ = 0;
    uint64_t signaled_head_ = 0;
    uint64_t posted_ = 0;
    uint64_t imms_posted_ = 0;
    uint64_t credit_ = 0;
    uint64_t credit_imms_ = 0;
    int first_error_ = 0;
    /** No source memory is free until a completion comes. */
    bool starved_ = false;
    bool stopping_ = false;
    bool exhausted_ = false;
};

} // namespace traffic
