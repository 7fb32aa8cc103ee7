// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Random numbers by counter. Each depends only on the entity that asks and on how many it has asked
 * for before, not on other entities. So a run is the same however it is divided into cells.
 */
#pragma once

#include <cstdint>

namespace mrcsim
{

/** Spreads the bits of a number over all of the result (Stafford's mix 13, as in SplitMix64). */
constexpr uint64_t mix(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9ull;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

constexpr uint64_t golden = 0x9e3779b97f4a7c15ull;

/** Random number @p counter of @p entity. */
constexpr uint64_t random(uint64_t seed, uint64_t entity, uint64_t counter)
{
    return mix(mix(mix(seed + golden) ^ entity) + golden * counter);
}

/** The same, scaled to less than @p bound. */
constexpr uint32_t random_below(uint64_t seed, uint64_t entity, uint64_t counter, uint32_t bound)
{
    return static_cast<uint32_t>((random(seed, entity, counter) >> 32) * bound >> 32);
}

/** What random numbers are for: the high bits of their entity. */
enum class Draw : uint64_t {
    mark = 1,
    loss,
    way,
    paths,
    ask,
    permutation,
    start,
    fault,
};

/** The entity with number @p index of a kind. */
constexpr uint64_t entity(Draw draw, uint64_t index)
{
    return static_cast<uint64_t>(draw) << 56 | index;
}

} // namespace mrcsim
