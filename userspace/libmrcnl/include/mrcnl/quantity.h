// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * Numbers with a unit, as they are given and shown: what is shown can be given back.
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

/** A unit, and what it is of the smallest one of its kind. */
struct QuantityUnit {
    std::string_view name;
    uint64_t size;
    uint64_t per = 1; ///< of the smallest one, in one of what is counted
};

inline constexpr QuantityUnit time_units[] = {
    {"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}};

/** What is counted are bytes a second. */
inline constexpr QuantityUnit rate_units[] = {{"bit", 1, 8},
                                              {"kbit", 1'000, 8},
                                              {"mbit", 1'000'000, 8},
                                              {"gbit", 1'000'000'000, 8},
                                              {"tbit", 1'000'000'000'000, 8}};

constexpr uint64_t millionths = 1'000'000;

/** What a quantity of such units looks like, for people. */
inline constexpr const char *time_like = "time like 500us, 2ms or 1s";
inline constexpr const char *rate_like = "rate like 400gbit or 2500mbit";

/**
 * "12us", "2.5gbit": how many of what is counted, a whole number.
 *
 * @return nothing: it is none; what no number holds is as large as they get
 */
std::optional<double> quantity_of(std::string_view text, std::span<const QuantityUnit> units);

/** In the largest unit of which it is a whole number: "12us", "2500mbit". */
std::string quantity_text(uint64_t value, std::span<const QuantityUnit> units);

/** Millionths: "0.8", "2". */
std::string fraction_text(uint64_t value);

/** The value of a setting, as its command takes it. @param value of a switch 1: on */
std::string setting_text(const Setting &setting, uint64_t value);

} // namespace mrcnl
