// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * QPs between two hosts, both ends, joined by a wire without delay, to measure what the protocol
 * engine alone costs per packet. engine_bench.cc uses it.
 */
#ifndef MRC_BENCH_ENDPOINTS_H
#define MRC_BENCH_ENDPOINTS_H

#include <cstdint>
#include <memory_resource>
#include <vector>

#include "../unit/core.h"

namespace bench
{

/** What is measured. */
struct Shape {
    uint32_t qps = 1;        ///< between one pair of hosts; the EVs are theirs together
    uint32_t per_sack = 64;  ///< packets between two SACKs, 1..64
    uint32_t loss_mille = 0; ///< of 1,000 packets so many are lost
    uint32_t mpr = 8;        ///< units of 128 PSNs
    uint16_t planes = 4;
    uint16_t evs_per_plane = 8;
    bool nscc = false; ///< sets the window, else it is fixed
};

/** What became of the packets. */
struct Totals {
    uint64_t sent = 0;
    uint64_t lost = 0;
    uint64_t resent = 0;
    uint64_t arrived = 0;
    uint64_t messages = 0;
};

/** Memory in huge pages, as the kernel's own is. It comes zeroed. */
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

/** One QP: the requester here, the responder there. */
struct Qp {
    mrc_req req;
    mrc_cc cc;
    mrc_resp resp;
};

/**
 * Two hosts, which use the engine as the module does. Packets of a turn are planned and dealt to
 * EVs; each is encoded, decoded, claimed and committed; then the answers go back, and are encoded,
 * decoded and applied.
 */
class Endpoints
{
public:
    explicit Endpoints(const Shape &shape);

    /** Shape::per_sack packets of the next QP, and what comes back. */
    void turn();

    const Totals &totals() const { return totals_; }

    /** Bytes of either end of a QP, without what is shared. */
    static size_t requester_bytes(uint32_t mpr);
    static size_t responder_bytes(uint32_t mpr);

private:
    static constexpr uint32_t burst = 8; ///< packets of one EV in a row
    static constexpr uint32_t message_packets = 16;
    static constexpr uint32_t mtu = 4096;
    static constexpr uint32_t requests = 64;   ///< that a QP has room for
    static constexpr uint64_t packet_ns = 330; ///< 4 KiB at 100 Gb/s
    static constexpr uint64_t rtt_ns = 10'000;

    Qp *make_qp(std::pmr::memory_resource &memory) const;
    mrc_cc_params cc_params() const;
    static void post(Qp &qp);
    bool send(Qp &qp, uint32_t max);
    void deal(Qp &qp);
    void deliver(Qp &qp, const mrc_plan &packet);
    void arrive(Qp &qp, const uint8_t *bytes, u16 ev);
    void ask(Qp &qp);
    void answer(Qp &qp);
    void answered(Qp &qp, const mrc_hdr &hdr);
    void acked(Qp &qp, const mrc_hdr &hdr, mrc_tx_result &result);
    void learn(Qp &qp, mrc_tx_result &result);
    bool lost();
    uint64_t random();

    Shape shape_;
    Totals totals_;
    HugeMemory memory_;
    std::vector<Qp *> qps_;       ///< in memory_
    std::vector<uint32_t> order_; ///< in which QPs have their turns, so that no cache guesses it
    size_t next_ = 0;
    mrc_ev_set set_{};
    std::vector<mrc_ev_entry> evs_;
    std::vector<uint64_t> ev_acked_;
    mrc_batch batch_{};
    uint32_t left_ = 0; ///< packets of this turn that are still to be sent
    uint64_t now_ = 1'000'000;
    uint64_t random_ = 88172645463325252ull;
};

} // namespace bench

#endif
