// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The end of a QP that is written to. It does with the engine what the module's responder does.
 */
#pragma once

#include <cstdint>
#include <vector>

#include "clock.h"
#include "engine.h"
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
    /** Packets have been held back for others for long enough. */
    void answer_timer();

    /** Payload bytes, each counted once. */
    [[nodiscard]] uint64_t bytes() const { return bytes_; }
    /** Those of them that came in the time that counts. */
    [[nodiscard]] uint64_t counted() const { return counted_; }
    /** Trimmed packets that the sender was not told of: there were too many at a time. */
    [[nodiscard]] uint64_t untold() const { return untold_; }
    /** When the last of it came. */
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
    uint32_t held_ = 0;      ///< packets that are not answered
    uint64_t answer_at_ = 0; ///< engine's ns, when they are in any case; 0: none is
    uint64_t timer_at_ = 0;  ///< engine's ns; 0: none is set
    uint64_t bytes_ = 0;
    uint64_t counted_ = 0;
    uint64_t untold_ = 0;
    Time last_ = 0;
    bool refused_ = false; ///< a NAK has ended it
};

} // namespace mrcsim
