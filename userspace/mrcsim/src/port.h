// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The sending side of a link: one queue for each class, and what a switch does when they grow.
 */
#pragma once

#include <array>
#include <cstdint>

#include "clock.h"
#include "packet.h"

namespace mrcsim
{

/** Fractions in settings are in millionths. */
constexpr uint32_t millionth = 1'000'000;

/** When a port marks, trims and drops packets. */
struct QueueLimits {
    uint64_t mark_from = 0; ///< bytes behind a packet from which on some packets are marked
    uint64_t mark_all = 0;  ///< bytes from which on all packets are marked; 0: none ever is
    uint64_t trim = 0; ///< bytes that a queue of packets with payload holds before it trims; 0: it
                       ///< does not trim
    uint64_t drop = 0; ///< bytes that such a queue can hold
    uint64_t control_drop = 0;  ///< bytes that the queue of the first class can hold
    uint32_t trimmed_bytes = 0; ///< on the wire, what is left of a trimmed packet
    bool last_hop = false;      ///< the port leads to a host
};

/** What a link does to packets. */
struct LinkState {
    uint64_t byte_time = 0; ///< time of a byte on the wire, 1/256 ps
    uint32_t loss = 0;      ///< millionths of packets that are lost
    bool dead = false;      ///< nothing arrives

    [[nodiscard]] Time serialization(uint32_t bytes) const { return bytes * byte_time >> 8; }
};

/** Time that a byte takes at @p mbps Mb/s, in 1/256 ps. */
constexpr uint64_t byte_time_of(uint64_t mbps)
{
    return 8'000'000ull * 256 / mbps;
}

/** What happened to a packet that came to a port. */
enum class Admission : uint8_t { queued, trimmed, dropped };

/** The queues of a port. They link packets of a pool that the caller passes. */
class PortQueues
{
public:
    [[nodiscard]] bool empty() const { return !(bytes_[0] | bytes_[1] | bytes_[2]); }
    [[nodiscard]] uint64_t bytes(Traffic traffic) const { return bytes_[index(traffic)]; }

    /** Puts a packet at the end of its queue, trims it, or refuses it. */
    Admission admit(const QueueLimits &limits, PacketPool &pool, PacketId id);

    /**
     * Takes the next packet: the first of the first class that has one. The queues must not be
     * empty.
     */
    PacketId take(PacketPool &pool);

private:
    struct Queue {
        PacketId first = no_packet;
        PacketId last = no_packet;
    };

    static constexpr size_t index(Traffic traffic) { return static_cast<size_t>(traffic); }
    [[nodiscard]] bool fits(const QueueLimits &limits, const Packet &packet) const;

    std::array<Queue, traffic_classes> queues_;
    std::array<uint64_t, traffic_classes> bytes_{};
};

/** Trims a packet, as a switch does. */
void trim(Packet &packet, const QueueLimits &limits);

/**
 * Whether a packet that leaves now must be marked. So marks show the queue as it is, and not as it
 * was when the packet came.
 * @param behind bytes that are left in its queue
 * @param draw random, 32 bits
 */
bool is_marked(const QueueLimits &limits, uint64_t behind, uint32_t draw);

} // namespace mrcsim
