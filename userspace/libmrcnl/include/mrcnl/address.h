// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * IPv6 addresses and prefixes.
 */
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>

namespace mrcnl
{

/** An IPv6 address. */
struct Address {
    std::array<uint8_t, 16> bytes{};

    /** Reads an address from text. @return nothing: the text is no address */
    static std::optional<Address> parse(const std::string &text);
    [[nodiscard]] std::string text() const;
    [[nodiscard]] bool unspecified() const;
    auto operator<=>(const Address &) const = default;
};

/** A prefix of addresses. */
struct Prefix {
    Address address;
    uint8_t length = 0; ///< 0..128

    /** "ADDRESS/LENGTH", or an address alone with length 128. Host bits are kept. */
    static std::optional<Prefix> parse(const std::string &text);
    [[nodiscard]] std::string text() const;
    auto operator<=>(const Prefix &) const = default;
};

} // namespace mrcnl
