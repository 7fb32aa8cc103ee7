// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * QPs between two hosts, both ends, joined by a wire without delay, to measure what the protocol
 * engine alone costs per packet. engine_bench.cc uses it.
 */
#pragma once

#include <cstdint>
#include <memory_resource>
#include <vector>

#include "engine/requester.h"

namespace bench
{

/** The parameters of a measurement. */
struct Shape {
    uint32_t qps = 1;        ///< between one pair of hosts; the QPs share the EVs
    uint32_t per_sack = 64;  ///< packets between two SACKs, 1..64
    uint32_t loss_mille = 0; ///< packets of 1,000 that are lost
    uint32_t mpr = 8;        ///< units of 128 PSNs
    uint16_t planes = 4;
    uint16_t evs_per_plane = 8;
    bool nscc = false; ///< NSCC sets the window; else it is fixed
};

/** Counts of packets and messages. */
struct Totals {
    uint64_t sent = 0;
    uint64_t lost = 0;
    uint64_t resent = 0;
    uint64_t arrived = 0;
    uint64_t messages = 0;
};

/** Memory in huge pages, like the kernel's own memory. It is zeroed. */
class HugeMemory
{
public:
    explicit HugeMemory(size_t size);
    ~HugeMemory();
    HugeMemory(const HugeMemory &) = delete;
    HugeMemory &operator=(const HugeMemory &) = delete;

    void *data() const { return data_; }
    size_t size() const { return size_; }

private:
    size_t size_;
    void *data_;
};

class Endpoints;

/** One QP: the requester at one host, the responder at the other. It has a window of its own. */
class Qp : public engine::Requester<Qp>
{
public:
    using Steps = engine::Requester<Qp>;

    Qp(Endpoints &ends, mrc_paths &paths) : Steps(paths, window), ends_(ends) {}

    /** The requester's steps. @{ */
    using Steps::answered;
    using Steps::expire;
    using Steps::learn;
    using Steps::queue;
    using Steps::req_;
    using Steps::send;
    using Steps::timer_at;
    [[nodiscard]] uint64_t now() const;
    [[nodiscard]] unsigned burst() const { return 8; }
    bool transmit(const mrc_plan &packet, mrc_hdr &hdr, const mrc_chunk &chunk);
    /** @} */

    mrc_shared window{};
    mrc_resp resp{};

private:
    Endpoints &ends_;
};

/**
 * Two hosts, which use the engine as the module does. Packets of a turn are planned and dealt to
 * EVs. Each packet is encoded, decoded, claimed and committed. Then the answers go back: they are
 * encoded, decoded and applied.
 */
class Endpoints
{
public:
    explicit Endpoints(const Shape &shape);

    /** Sends Shape::per_sack packets of the next QP, and handles the answers. */
    void turn();

    const Totals &totals() const { return totals_; }

    /** Bytes of both ends of a QP, without shared memory. */
    static size_t requester_bytes(uint32_t mpr);
    static size_t responder_bytes(uint32_t mpr);

private:
    static constexpr uint32_t message_packets = 16;
    static constexpr uint32_t mtu = 4096;
    static constexpr uint32_t requests = 64;   ///< requests that a QP has room for
    static constexpr uint64_t packet_ns = 330; ///< 4 KiB at 100 Gb/s
    static constexpr uint64_t rtt_ns = 10'000;

    friend Qp;

    Qp *make_qp(std::pmr::memory_resource &memory);
    mrc_cc_params cc_params() const;
    static void post(Qp &qp);
    bool send(Qp &qp);
    void deliver(Qp &qp, mrc_hdr &hdr, u16 ev);
    void arrive(Qp &qp, const uint8_t *bytes, u16 ev);
    void ask(Qp &qp);
    void answer(Qp &qp);
    static void reply(Qp &qp, const mrc_answers &answers);
    bool lost();
    uint64_t random();

    Shape shape_;
    Totals totals_;
    HugeMemory memory_;
    std::vector<Qp *> qps_;       ///< in memory_
    std::vector<uint32_t> order_; ///< the order of QPs' turns, so that no cache can guess it
    size_t next_ = 0;
    mrc_paths paths_{};
    std::vector<mrc_ev_entry> states_;
    std::vector<mrc_paths_ev> evs_;
    mrc_batch batch_{};
    uint32_t left_ = 0; ///< packets of this turn that are not sent yet
    uint64_t now_ = 1'000'000;
    uint64_t random_ = 88172645463325252ull;
};

} // namespace bench
