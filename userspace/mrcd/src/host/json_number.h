// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Numbers in JSON that somebody else has written.
 */
#pragma once

#include <cstdint>
#include <stdexcept>

#include <nlohmann/json.hpp>

namespace mrcd
{

/**
 * The library would make one of whatever is a number, or true.
 *
 * @throw std::invalid_argument it is none from 0 to 2^64 - 1
 */
inline uint64_t number_of(const nlohmann::ordered_json &json)
{
    if (!json.is_number_unsigned())
        throw std::invalid_argument("no number from 0");
    return json.get<uint64_t>();
}

} // namespace mrcd
