// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Lengths of data packets.
 */
#pragma once

#include <cstdint>

namespace mrcd
{

/** Bytes around the payload: outer and inner IPv6 header, UDP, MRC's headers, ICRC. */
inline constexpr uint32_t data_overhead = 2 * 40 + 8 + 40 + 4;
/** Limits of the payload of a packet, in bytes. It is a power of two. */
inline constexpr uint32_t payload_min = 256;
inline constexpr uint32_t payload_max = 4096;

/**
 * The length in bytes of the longest data packets that a device sends. The payload is the largest
 * path MTU that its QPs can have.
 *
 * @param mtu the smallest MTU of its planes
 * @return 0: the MTU has no room for any data packet
 */
constexpr uint16_t data_packet_bytes(uint32_t mtu)
{
    uint32_t payload = payload_max;

    while (payload >= payload_min && payload + data_overhead > mtu)
        payload /= 2;
    return static_cast<uint16_t>(payload < payload_min ? 0 : payload + data_overhead);
}

} // namespace mrcd
