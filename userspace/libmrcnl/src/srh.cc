// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "srh.h"

#include <cstring>

#include <linux/seg6.h>
#include <linux/seg6_iptunnel.h>

namespace mrcnl
{

namespace
{

constexpr size_t fixed_size = sizeof(seg6_iptunnel_encap) + sizeof(ipv6_sr_hdr);
constexpr uint8_t routing_type = 4;
constexpr int mode_encap_reduced = 3; // SEG6_IPTUN_MODE_ENCAP_RED, missing in older headers

} // namespace

std::vector<std::byte> encode_segments(const EvSegments &path)
{
    const size_t count = path.segments.size();
    std::vector<std::byte> data(fixed_size + count * sizeof(Address));
    const int mode = path.reduced ? mode_encap_reduced : SEG6_IPTUN_MODE_ENCAP;
    ipv6_sr_hdr srh{};

    srh.hdrlen = static_cast<uint8_t>(2 * count);
    srh.type = routing_type;
    srh.segments_left = static_cast<uint8_t>(count - 1);
    srh.first_segment = static_cast<uint8_t>(count - 1);
    memcpy(data.data(), &mode, sizeof(mode));
    memcpy(data.data() + sizeof(seg6_iptunnel_encap), &srh, sizeof(srh));
    // An SRH has the last segment of the path first.
    for (size_t i = 0; i < count; i++)
        memcpy(data.data() + fixed_size + i * sizeof(Address),
               path.segments[count - 1 - i].bytes.data(), sizeof(Address));
    return data;
}

std::optional<EvSegments> decode_segments(std::span<const std::byte> data)
{
    EvSegments path;
    ipv6_sr_hdr srh{};
    int mode = 0;

    if (data.size() < fixed_size)
        return std::nullopt;
    memcpy(&mode, data.data(), sizeof(mode));
    memcpy(&srh, data.data() + sizeof(seg6_iptunnel_encap), sizeof(srh));
    const size_t count = srh.first_segment + size_t{1};
    if (srh.type != routing_type || count > max_segments || srh.hdrlen < 2 * count ||
        data.size() < fixed_size + count * sizeof(Address))
        return std::nullopt;
    path.reduced = mode == mode_encap_reduced;
    path.segments.resize(count);
    for (size_t i = 0; i < count; i++)
        memcpy(path.segments[count - 1 - i].bytes.data(),
               data.data() + fixed_size + i * sizeof(Address), sizeof(Address));
    return path;
}

} // namespace mrcnl
