// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "ctl/wire_ev.h"

#include <algorithm>
#include <iterator>

namespace mrc
{

namespace
{

constexpr size_t address_bytes = 16;

mrcnl::Address address_at(const EvBits &wire, size_t at)
{
    mrcnl::Address address;

    std::copy_n(wire.begin() + static_cast<std::ptrdiff_t>(at), address_bytes,
                address.bytes.begin());
    return address;
}

void put_address(EvBits &wire, size_t at, const mrcnl::Address &address)
{
    std::copy(address.bytes.begin(), address.bytes.end(),
              wire.begin() + static_cast<std::ptrdiff_t>(at));
}

/** @return the first bytes of an EV as a number */
uint32_t number_of(const EvBits &wire, size_t bytes)
{
    uint32_t number = 0;

    for (size_t i = 0; i < bytes; i++)
        number = number << 8 | wire[i];
    return number;
}

/** @return index of an equal EV that is not taken yet; the list's size if there is none */
size_t find_free(const mrcnl::EvSpec &ev, const std::vector<mrcnl::EvSpec> &kernel,
                 const std::vector<bool> &taken)
{
    size_t at = 0;

    while (at < kernel.size() &&
           (taken[at] || kernel[at].port != ev.port || kernel[at].path != ev.path))
        at++;
    return at;
}

size_t bytes_of(mrc_ctl_ev_fmt_mode mode)
{
    return mode == MRC_CTL_EV_FMT_MODE_UDP ? 2 : 4;
}

} // namespace

mrcnl::EvFormat kernel_format(mrc_ctl_ev_fmt_mode mode)
{
    if (mode == MRC_CTL_EV_FMT_MODE_SRV6)
        return mrcnl::EvFormat::srv6;
    return mode == MRC_CTL_EV_FMT_MODE_UDP ? mrcnl::EvFormat::udp : mrcnl::EvFormat::stev;
}

mrc_ctl_ev_fmt_mode format_mode(mrcnl::EvFormat format)
{
    if (format == mrcnl::EvFormat::srv6)
        return MRC_CTL_EV_FMT_MODE_SRV6;
    return format == mrcnl::EvFormat::udp ? MRC_CTL_EV_FMT_MODE_UDP : MRC_CTL_EV_FMT_MODE_STEV;
}

mrcnl::EvPath path_of(mrc_ctl_ev_fmt_mode mode, const EvBits &wire)
{
    if (mode != MRC_CTL_EV_FMT_MODE_SRV6)
        return mrcnl::EvValue{number_of(wire, bytes_of(mode))};
    const mrcnl::Address segment = address_at(wire, address_bytes);
    if (segment.unspecified())
        return mrcnl::EvSid{address_at(wire, 0)};
    return mrcnl::EvSegments{{address_at(wire, 0), segment}, false};
}

EvBits wire_of(mrc_ctl_ev_fmt_mode mode, const mrcnl::EvPath &path)
{
    EvBits wire{};

    if (const auto *value = std::get_if<mrcnl::EvValue>(&path)) {
        const size_t bytes = bytes_of(mode);
        for (size_t i = 0; i < bytes; i++)
            wire[i] = static_cast<uint8_t>(value->value >> 8 * (bytes - 1 - i));
    } else if (const auto *sid = std::get_if<mrcnl::EvSid>(&path)) {
        put_address(wire, 0, sid->sid);
    } else if (const auto *list = std::get_if<mrcnl::EvSegments>(&path);
               list && list->segments.size() == 2) {
        put_address(wire, 0, list->segments[0]);
        put_address(wire, address_bytes, list->segments[1]);
    }
    return wire;
}

EvBits bits_of(const mrc_ctl_ev &ev)
{
    EvBits bits{};

    std::copy(std::begin(ev.val), std::end(ev.val), bits.begin());
    return bits;
}

mrc_ctl_ev ev_of(const EvBits &bits, uint8_t port)
{
    mrc_ctl_ev ev{};

    std::copy(bits.begin(), bits.end(), std::begin(ev.val));
    ev.port = port;
    return ev;
}

std::vector<bool> replaced_of(const std::vector<mrcnl::EvSpec> &evs,
                              const std::vector<mrcnl::EvSpec> &old,
                              const std::vector<mrcnl::EvSpec> &kernel)
{
    std::vector<bool> taken(kernel.size());
    std::vector<bool> replaced;

    for (size_t i = 0; i < evs.size(); i++) {
        const size_t at = find_free(old[i], kernel, taken);

        replaced.push_back(at == kernel.size());
        if (at < kernel.size())
            taken[at] = true;
    }
    return replaced;
}

std::optional<std::vector<uint16_t>> places_of(const std::vector<mrcnl::EvSpec> &evs,
                                               const std::vector<mrcnl::EvSpec> &kernel)
{
    std::vector<uint16_t> places;
    std::vector<bool> taken(kernel.size());

    if (evs.size() != kernel.size())
        return std::nullopt;
    for (const mrcnl::EvSpec &ev : evs) {
        const size_t at = find_free(ev, kernel, taken);

        if (at == kernel.size())
            return std::nullopt;
        taken[at] = true;
        places.push_back(static_cast<uint16_t>(at));
    }
    return places;
}

} // namespace mrc
