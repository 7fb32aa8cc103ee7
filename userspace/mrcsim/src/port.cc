// SPDX-License-Identifier: GPL-2.0-only
#include "port.h"

namespace mrcsim
{

void trim(Packet &packet, const QueueLimits &limits)
{
    packet.trimmed = true;
    packet.trimmable = false;
    packet.last_hop = limits.last_hop;
    packet.bytes = static_cast<uint16_t>(limits.trimmed_bytes);
    packet.payload = 0;
    packet.traffic = Traffic::control;
}

bool PortQueues::fits(const QueueLimits &limits, const Packet &packet) const
{
    const uint64_t limit = packet.traffic == Traffic::control ? limits.control_drop : limits.drop;

    return bytes_[index(packet.traffic)] + packet.bytes <= limit;
}

Admission PortQueues::admit(const QueueLimits &limits, PacketPool &pool, PacketId id)
{
    Packet &packet = pool[id];
    Admission result = Admission::queued;

    if (limits.trim && packet.trimmable &&
        bytes_[index(packet.traffic)] + packet.bytes > limits.trim) {
        trim(packet, limits);
        result = Admission::trimmed;
    }
    if (!fits(limits, packet))
        return Admission::dropped;
    Queue &queue = queues_[index(packet.traffic)];
    packet.next = no_packet;
    if (queue.last == no_packet)
        queue.first = id;
    else
        pool[queue.last].next = id;
    queue.last = id;
    bytes_[index(packet.traffic)] += packet.bytes;
    return result;
}

PacketId PortQueues::take(PacketPool &pool)
{
    size_t i = 0;

    while (!bytes_[i])
        i++;
    Queue &queue = queues_[i];
    const PacketId id = queue.first;
    const Packet &packet = pool[id];
    queue.first = packet.next;
    if (queue.first == no_packet)
        queue.last = no_packet;
    else
        pool.fetch(queue.first);
    bytes_[i] -= packet.bytes;
    return id;
}

bool is_marked(const QueueLimits &limits, uint64_t behind, uint32_t draw)
{
    if (!limits.mark_all || behind < limits.mark_from)
        return false;
    if (behind >= limits.mark_all)
        return true;
    return (static_cast<uint64_t>(draw) * (limits.mark_all - limits.mark_from) >> 32) <
           behind - limits.mark_from;
}

} // namespace mrcsim
