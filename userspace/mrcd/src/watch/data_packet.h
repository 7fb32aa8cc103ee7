// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * How long packets with data are.
 */
#pragma once

#include <cstdint>

namespace mrcd
{

/** What stands around the payload: outer and inner IPv6 header, UDP, MRC's headers, ICRC. Bytes. */
inline constexpr uint32_t data_overhead = 2 * 40 + 8 + 40 + 4;
/** Payload of a packet, in bytes: powers of two between these. */
inline constexpr uint32_t payload_min = 256;
inline constexpr uint32_t payload_max = 4096;

/**
 * Bytes of the longest packets with data that a device sends, as the path MTU of QPs may be.
 *
 * @param mtu the smallest one of its planes
 * @return 0: there is room for none
 */
constexpr uint16_t data_packet_bytes(uint32_t mtu)
{
    uint32_t payload = payload_max;

    while (payload >= payload_min && payload + data_overhead > mtu)
        payload /= 2;
    return static_cast<uint16_t>(payload < payload_min ? 0 : payload + data_overhead);
}

} // namespace mrcd
