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

/** Counted by length: what a time is told as is at most a thirty-second above it. */
class Times
{
public:
    void add(std::chrono::nanoseconds time);
    [[nodiscard]] uint64_t count() const { return count_; }
    /** @return ns: so long or shorter were this part of them, 0 to 1; 0 of none */
    [[nodiscard]] uint64_t quantile(double part) const;
    /** @return ns: the longest */
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
