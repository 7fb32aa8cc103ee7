// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Checks numbers in JSON that other programs wrote.
 */
#pragma once

#include <cstdint>
#include <stdexcept>

#include <nlohmann/json.hpp>

namespace mrcd
{

/**
 * Reads a number. The library itself would convert any number, and true, to an unsigned one.
 *
 * @throw std::invalid_argument it is not a whole number from 0 to 2^64 - 1
 */
inline uint64_t number_of(const nlohmann::ordered_json &json)
{
    if (!json.is_number_unsigned())
        throw std::invalid_argument("no number from 0");
    return json.get<uint64_t>();
}

} // namespace mrcd
