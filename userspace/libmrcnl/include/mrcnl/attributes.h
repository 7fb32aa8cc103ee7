// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * Names of attributes, for messages to people. They are those of
 * Documentation/netlink/specs/mrc.yaml, of which the tables are made.
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
    bool multi = false; ///< may come several times, people count them from 1
};

struct AttributeSet {
    const char *name;
    std::span<const AttributeName> attributes;

    [[nodiscard]] const AttributeName *find(int type) const;
};

/** All sets. */
std::span<const AttributeSet *const> attribute_sets();

/** Set of a command's attributes; null when the family has no such command. */
const AttributeSet *command_set(uint8_t command);

/**
 * Name the attribute that stands at an offset.
 *
 * @param command of the message
 * @param attributes of the message
 * @param offset of the attribute's header in @p attributes
 * @return e.g. "burst", "ev 3: sid" (the third "ev"), or "" when nothing starts there
 */
std::string attribute_at(uint8_t command, std::span<const std::byte> attributes, size_t offset);

} // namespace mrcnl
