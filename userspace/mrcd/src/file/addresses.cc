// SPDX-License-Identifier: GPL-2.0-only
#include "file/addresses.h"

#include <algorithm>

namespace mrcd
{

namespace
{

constexpr size_t ipv4_at = 10; // where IPv4-in-IPv6 addresses stop being zero; :: and ::1, too

/** The address with the bits behind @p length cleared. */
mrcnl::Address cut(mrcnl::Address address, uint8_t length)
{
    for (size_t i = 0; i < address.bytes.size(); i++) {
        const size_t kept = std::clamp<size_t>(length, 8 * i, 8 * i + 8) - 8 * i;
        address.bytes[i] &= static_cast<uint8_t>(0xff00 >> kept);
    }
    return address;
}

} // namespace

bool global_unicast(const mrcnl::Address &address)
{
    const auto &bytes = address.bytes;
    const bool of_group = bytes[0] == 0xff;
    const bool of_link = bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80;

    return !of_group && !of_link &&
           std::any_of(bytes.begin(), bytes.begin() + ipv4_at, [](uint8_t byte) { return byte; });
}

bool contains(const mrcnl::Prefix &prefix, const mrcnl::Address &address)
{
    return cut(address, prefix.length) == cut(prefix.address, prefix.length);
}

bool has_host_bits(const mrcnl::Prefix &prefix)
{
    return cut(prefix.address, prefix.length) != prefix.address;
}

} // namespace mrcd
