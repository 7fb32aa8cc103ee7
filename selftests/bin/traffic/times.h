// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file times.h
 * How long things took.
 */
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include <nlohmann/json.hpp>

namespace traffic
{

/** Counts times by their length. A time is reported at most a thirty-second too long. */
class Times
{
public:
    void add(std::chrono::nanoseconds time);
    [[nodiscard]] uint64_t count() const { return count_; }
    /** @return ns: this part of the times, 0 to 1, took at most so long; 0 if there are no times */
    [[nodiscard]] uint64_t quantile(double part) const;
    /** @return ns: the longest time */
    [[nodiscard]] uint64_t longest() const { return longest_; }

private:
    static constexpr unsigned int bits = 5;
    static constexpr size_t steps = size_t{1} << bits;

    static size_t place(uint64_t ns);
    static uint64_t most(size_t place);

    std::array<uint64_t, (64 - bits + 1) * steps> counts_{};
    uint64_t count_ = 0;
    uint64_t longest_ = 0;
};

void to_json(nlohmann::json &json, const Times &times);

} // namespace traffic
