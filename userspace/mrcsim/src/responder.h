// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The end of a QP that is written to. It uses the engine as the module's responder does.
 */
#pragma once

#include <cstdint>
#include <vector>

#include "clock.h"
#include "engine/core.h"
#include "packet.h"
#include "peer.h"

namespace mrcsim
{

class Endpoint;

/** A responder. */
class Responder
{
public:
    Responder(Endpoint &endpoint, Peer &peer, uint32_t flow);
    Responder(const Responder &) = delete;
    Responder &operator=(const Responder &) = delete;

    void receive(const Packet &packet);
    void timer();
    /** Packets have waited long enough for others. */
    void answer_timer();

    /** Payload bytes that arrived, each counted once. */
    [[nodiscard]] uint64_t bytes() const { return bytes_; }
    /** Those bytes that arrived in the time that counts. */
    [[nodiscard]] uint64_t counted() const { return counted_; }
    /** Trimmed packets of which the sender was not told, because there were too many at a time. */
    [[nodiscard]] uint64_t untold() const { return untold_; }
    /** When the last payload arrived. */
    [[nodiscard]] Time last() const { return last_; }
    [[nodiscard]] uint64_t digest() const;

private:
    [[nodiscard]] uint64_t now() const;
    void write(const Packet &packet);
    void trimmed(const Packet &packet);
    void probe(const Packet &packet);
    void place(const Packet &packet);
    void answer();
    void arm();

    Endpoint &endpoint_;
    Peer &peer_;
    uint32_t flow_;
    mrc_resp resp_{};
    std::vector<uint64_t> memory_;
    uint32_t held_ = 0;      ///< packets that are not answered yet
    uint64_t answer_at_ = 0; ///< engine's ns of their latest answer; 0: no time is set
    uint64_t timer_at_ = 0;  ///< engine's ns; 0: not set
    uint64_t bytes_ = 0;
    uint64_t counted_ = 0;
    uint64_t untold_ = 0;
    Time last_ = 0;
    bool refused_ = false; ///< a NAK has ended the QP
};

} // namespace mrcsim
