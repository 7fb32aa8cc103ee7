// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * Names of netlink attributes, for messages to people. The tables are generated from
 * Documentation/netlink/specs/mrc.yaml.
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace mrcnl
{

struct AttributeSet;

struct AttributeName {
    int type;
    const char *name;
    const AttributeSet *nested = nullptr;
    bool multi = false; ///< may come several times; people count from 1
};

struct AttributeSet {
    const char *name;
    std::span<const AttributeName> attributes;

    [[nodiscard]] const AttributeName *find(int type) const;
};

std::span<const AttributeSet *const> attribute_sets();

/** The attributes of a command; null when the family has no such command. */
const AttributeSet *command_set(uint8_t command);

/**
 * Name the attribute at an offset.
 *
 * @param command of the message
 * @param attributes of the message
 * @param offset of the attribute's header in @p attributes
 * @return "burst", "ev 3: sid" (the third "ev"), or "" when no attribute starts at the offset
 */
std::string attribute_at(uint8_t command, std::span<const std::byte> attributes, size_t offset);

} // namespace mrcnl
