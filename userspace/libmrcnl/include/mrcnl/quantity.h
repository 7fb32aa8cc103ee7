// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * Reads and prints numbers with a unit. What is printed can be read again.
 */
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "mrcnl/types.h"

namespace mrcnl
{

/** A unit: its name, and its size in the smallest unit of its kind. */
struct QuantityUnit {
    std::string_view name;
    uint64_t size;
    uint64_t per = 1; ///< smallest units in one base value: a byte has 8 bits
};

inline constexpr QuantityUnit time_units[] = {
    {"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}};

/** Rates: the base value is bytes a second. */
inline constexpr QuantityUnit rate_units[] = {{"bit", 1, 8},
                                              {"kbit", 1'000, 8},
                                              {"mbit", 1'000'000, 8},
                                              {"gbit", 1'000'000'000, 8},
                                              {"tbit", 1'000'000'000'000, 8}};

constexpr uint64_t millionths = 1'000'000;

/** Examples of a quantity, for people. */
inline constexpr const char *time_like = "time like 500us, 2ms or 1s";
inline constexpr const char *rate_like = "rate like 400gbit or 2500mbit";

/**
 * Reads "12us" or "2.5gbit".
 *
 * @return a whole number of base values. Nothing: the text is no quantity. A value that no number
 *         can hold becomes the largest one
 */
std::optional<double> quantity_of(std::string_view text, std::span<const QuantityUnit> units);

/** The value in the largest unit that gives a whole number: "12us", "2500mbit". */
std::string quantity_text(uint64_t value, std::span<const QuantityUnit> units);

/** A number of millionths as a decimal fraction: "0.8", "2". */
std::string fraction_text(uint64_t value);

/** The value of a setting, in the form that its command reads. @param value of a switch 1: on */
std::string setting_text(const Setting &setting, uint64_t value);

} // namespace mrcnl
