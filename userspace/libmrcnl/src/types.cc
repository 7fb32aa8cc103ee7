// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "mrcnl/types.h"

#include <algorithm>
#include <arpa/inet.h>
#include <charconv>

namespace mrcnl
{

namespace
{

constexpr std::array ev_format_names{"stev", "srv6", "udp"};
constexpr std::array ev_mode_names{"auto", "explicit"};
constexpr std::array names_of_owners{"none", "kernel", "admin", "mrcd", "mrc-ctl"};
constexpr std::array qp_state_names{"reset", "init", "rtr", "rts", "sqd", "sqe", "err"};

template <size_t N>
const char *name_of(const std::array<const char *, N> &names, size_t value)
{
    return value < N ? names[value] : "unknown";
}

} // namespace

std::string owner_name(uint8_t owner)
{
    return owner < names_of_owners.size() ? names_of_owners[owner] : std::to_string(owner);
}

std::span<const char *const> owner_names()
{
    return names_of_owners;
}

std::string DeviceId::text() const
{
    return index_ ? "device " + std::to_string(*index_) : name_;
}

std::optional<Address> Address::parse(const std::string &text)
{
    Address address;

    if (inet_pton(AF_INET6, text.c_str(), address.bytes.data()) != 1)
        return std::nullopt;
    return address;
}

std::string Address::text() const
{
    std::array<char, INET6_ADDRSTRLEN> buffer{};

    inet_ntop(AF_INET6, bytes.data(), buffer.data(), buffer.size());
    return buffer.data();
}

bool Address::unspecified() const
{
    return *this == Address{};
}

std::optional<Prefix> Prefix::parse(const std::string &text)
{
    const size_t slash = text.find('/');
    const auto address = Address::parse(text.substr(0, slash));
    unsigned length = 128;

    if (!address)
        return std::nullopt;
    if (slash != std::string::npos) {
        const char *first = text.data() + slash + 1;
        const char *last = text.data() + text.size();
        const auto [end, err] = std::from_chars(first, last, length);

        if (err != std::errc() || end != last || length > 128)
            return std::nullopt;
    }
    return Prefix{*address, static_cast<uint8_t>(length)};
}

std::string Prefix::text() const
{
    return address.text() + "/" + std::to_string(length);
}

const char *to_string(EvFormat format)
{
    return name_of(ev_format_names, static_cast<size_t>(format));
}

const char *to_string(EvMode mode)
{
    return name_of(ev_mode_names, static_cast<size_t>(mode));
}

const char *to_string(EvState state)
{
    switch (state) {
    case EvState::good:
        return "good";
    case EvState::assumed_bad:
        return "assumed-bad";
    case EvState::denied:
        return "denied";
    case EvState::skip:
        return "skip";
    case EvState::held:
        return "held";
    }
    return "unknown";
}

char letter_of(EvState state, bool spare)
{
    switch (state) {
    case EvState::good:
        return spare ? 'R' : 'G';
    case EvState::skip:
        return 'S';
    case EvState::held:
        return 'H';
    case EvState::assumed_bad:
        return 'B';
    case EvState::denied:
        return 'D';
    }
    return '?';
}

const char *to_string(QpState state)
{
    return name_of(qp_state_names, static_cast<size_t>(state));
}

std::optional<EvFormat> parse_ev_format(std::string_view name)
{
    const auto found = std::find(ev_format_names.begin(), ev_format_names.end(), name);

    if (found == ev_format_names.end())
        return std::nullopt;
    return static_cast<EvFormat>(found - ev_format_names.begin());
}

const DeviceRef *device_of(const Event &event)
{
    return std::visit(
        [](const auto &one) -> const DeviceRef * {
            if constexpr (requires { one.device; })
                return &one.device;
            else if constexpr (requires { one.plane; })
                return &one.plane.device;
            else if constexpr (requires { one.ev; })
                return &one.ev.device;
            else if constexpr (requires { one.is; })
                return &one.is.device;
            else
                return nullptr;
        },
        event);
}

} // namespace mrcnl
