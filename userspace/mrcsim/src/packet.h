// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * A packet on its way, and the pool that holds the packets of a cell.
 */
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "engine/core.h"

namespace mrcsim
{

/** Classes of packets. Ports serve the first class first. */
enum class Traffic : uint8_t {
    control, ///< answers and requests to endpoints, and heads of trimmed packets
    again,   ///< retransmissions, where a fabric has a class for them
    data,    ///< all others
};
constexpr unsigned traffic_classes = 3;

/** Bytes on the wire before the BTH and behind the ICRC: preamble, gap, Ethernet, two IPv6, UDP. */
constexpr uint32_t ethernet_bytes = 20 + 14 + 4;
constexpr uint32_t outer_bytes = 40;

/** Packets are named by their place in their pool. */
using PacketId = uint32_t;
constexpr PacketId no_packet = ~PacketId{0};

/** A packet. The members that ports and switches read come first, in one cache line. */
struct alignas(64) Packet {
    PacketId next = no_packet; ///< the packet behind it in a queue
    uint32_t source = 0;       ///< host
    uint32_t destination = 0;  ///< host
    uint32_t flow = 0;         ///< the flow whose requester or responder it is for
    uint16_t rack = 0;         ///< of the destination
    uint16_t slot = 0;         ///< of the destination in its rack
    uint16_t spine = 0;        ///< the T1 that it passes, if it leaves its rack
    uint16_t ev = 0;           ///< index at its source
    uint16_t bytes = 0;        ///< on the wire
    uint8_t plane = 0;
    Traffic traffic = Traffic::data;
    bool marked = false; ///< CE
    bool trimmed = false;
    bool last_hop = false;  ///< trimmed by the last switch
    bool trimmable = false; ///< has payload
    uint32_t payload = 0;   ///< bytes
    uint32_t bits = 0;      ///< EV bits
    mrc_hdr hdr;            ///< decoded
};
static_assert(std::is_trivially_copyable_v<Packet>, "goes from cell to cell as it is");

/** Bytes on the wire of a packet with these headers. */
constexpr uint32_t wire_bytes(uint32_t headers, uint32_t payload, uint32_t pad)
{
    return ethernet_bytes + outer_bytes + MRC_NOMINAL_OUTSIDE + headers + payload + pad +
           MRC_ICRC_LEN;
}

/** Packets of one cell. */
class PacketPool
{
public:
    PacketId take()
    {
        if (free_ == no_packet)
            return grow();
        const PacketId id = free_;
        free_ = packets_[id].next;
        return id;
    }

    void give(PacketId id)
    {
        packets_[id].next = free_;
        free_ = id;
    }

    /** A reference that lasts until the next take(). */
    Packet &operator[](PacketId id) { return packets_[id]; }
    const Packet &operator[](PacketId id) const { return packets_[id]; }

    /** Prefetches a packet that is needed soon. */
    void fetch(PacketId id) const { __builtin_prefetch(&packets_[id], 1); }

private:
    PacketId grow()
    {
        packets_.emplace_back();
        return static_cast<PacketId>(packets_.size() - 1);
    }

    std::vector<Packet> packets_;
    PacketId free_ = no_packet;
};

} // namespace mrcsim
