// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "ev/expand.h"

#include <algorithm>
#include <numeric>

namespace mrc
{

namespace
{

constexpr unsigned int field_bits = 32;

bool bit_at(const EvBits &bits, size_t at)
{
    return bits[at / 8] >> (7 - at % 8) & 1;
}

void set_bit(EvBits &bits, size_t at)
{
    bits[at / 8] = static_cast<uint8_t>(bits[at / 8] | 1u << (7 - at % 8));
}

/** @return the lowest number that does not fit into this many bits */
uint64_t beyond(unsigned int bits)
{
    return uint64_t{1} << bits;
}

unsigned int mask_width(const mrc_ctl_ev_field &field)
{
    return static_cast<unsigned int>(__builtin_popcount(field.mask));
}

bool field_fits(const mrc_ctl_ev_field &field, unsigned int format)
{
    if (!field.width || field.width > field_bits || field.width > format)
        return false;
    if (field.init_val >= beyond(field.width) || field.mask >= beyond(field.width))
        return false;
    return !field.mask ||
           (field.min_val <= field.max_val && field.max_val < beyond(mask_width(field)));
}

size_t masked_bits(const EvFields &fields)
{
    return std::accumulate(
        fields.begin(), fields.end(), size_t{0},
        [](size_t sum, const mrc_ctl_ev_field &field) { return sum + mask_width(field); });
}

bool all_zero_from(const EvBits &bits, size_t at)
{
    for (; at < ev_bits_most; at++)
        if (bit_at(bits, at))
            return false;
    return true;
}

/** @param taken bits of the EV that fields have taken so far @return a field's value on the wire */
uint64_t value_of(const mrc_ctl_ev_field &field, const EvBits &ev, size_t &taken)
{
    uint64_t value = field.init_val;

    for (unsigned int bit = field_bits; bit--;) {
        if (!(field.mask >> bit & 1))
            continue;
        value &= ~(uint64_t{1} << bit);
        value |= uint64_t{bit_at(ev, taken++)} << bit;
    }
    return value;
}

void put(EvBits &bits, size_t at, unsigned int width, uint64_t value)
{
    for (unsigned int i = 0; i < width && i < 64; i++)
        if (value >> i & 1)
            set_bit(bits, at + width - 1 - i);
}

/** @return the next pseudo-random number (SplitMix64) */
uint64_t next_random(uint64_t &state)
{
    uint64_t z = state += 0x9e3779b97f4a7c15;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/** @return number of values that a field's masked bits can have in generated EVs, at least 1 */
uint64_t values_of(const mrc_ctl_ev_field &field)
{
    if (!field.mask || (!field.min_val && !field.max_val))
        return beyond(mask_width(field));
    return uint64_t{field.max_val} - field.min_val + 1;
}

/** @return number of EVs that fields can make, but at most limit */
uint64_t combinations(const EvFields &fields, uint64_t limit)
{
    uint64_t all = 1;

    for (const mrc_ctl_ev_field &field : fields) {
        if (values_of(field) >= limit / all + 1)
            return limit;
        all *= values_of(field);
    }
    return std::min(all, limit);
}

/** @param which chooses one of the n values of a field @return the EV */
template <typename Which>
EvBits made_of(const EvFields &fields, Which which)
{
    EvBits ev{};
    size_t at = 0;

    for (const mrc_ctl_ev_field &field : fields) {
        put(ev, at, mask_width(field), field.min_val + which(values_of(field)));
        at += mask_width(field);
    }
    return ev;
}

/** @return all EVs that fields can make, in pseudo-random order */
std::vector<EvBits> shuffled(const EvFields &fields, uint64_t all, uint64_t &state)
{
    std::vector<EvBits> evs;

    for (uint64_t i = 0; i < all; i++) {
        uint64_t rest = i;
        evs.push_back(made_of(fields, [&](uint64_t values) {
            const uint64_t digit = rest % values;
            rest /= values;
            return digit;
        }));
    }
    for (size_t i = evs.size(); i > 1; i--)
        std::swap(evs[i - 1], evs[next_random(state) % i]);
    return evs;
}

} // namespace

size_t total_width(const EvFormatWidths &format)
{
    return std::accumulate(format.begin(), format.end(), size_t{0});
}

bool fields_sound(const EvFields &fields)
{
    return masked_bits(fields) <= ev_bits_most &&
           std::all_of(fields.begin(), fields.end(),
                       [](const mrc_ctl_ev_field &field) { return field_fits(field, field_bits); });
}

bool fields_fit(const EvFields &fields, const EvFormatWidths &format)
{
    if (fields.size() > format.size())
        return false;
    for (size_t i = 0; i < fields.size(); i++)
        if (!field_fits(fields[i], format[i]))
            return false;
    return true;
}

std::optional<EvBits> expand(const EvBits &ev, const EvFields &fields, const EvFormatWidths &format)
{
    EvBits wire{};
    size_t taken = 0;
    size_t at = 0;

    if (!fields_fit(fields, format) ||
        !all_zero_from(ev, fields.empty() ? total_width(format) : masked_bits(fields)))
        return std::nullopt;
    if (fields.empty())
        return ev;
    for (size_t i = 0; i < fields.size(); i++) {
        put(wire, at, format[i], value_of(fields[i], ev, taken));
        at += format[i];
    }
    return wire;
}

std::vector<EvBits> generate(const EvFields &fields, size_t count, uint64_t seed)
{
    const uint64_t many = uint64_t{4} * count; // at most one draw in four repeats an EV
    const uint64_t all = combinations(fields, many);
    uint64_t state = seed;
    std::vector<EvBits> evs;

    if (all < many) {
        evs = shuffled(fields, all, state);
        evs.resize(std::min(evs.size(), count));
        return evs;
    }
    while (evs.size() < count) {
        const EvBits ev =
            made_of(fields, [&](uint64_t values) { return next_random(state) % values; });
        if (std::find(evs.begin(), evs.end(), ev) == evs.end())
            evs.push_back(ev);
    }
    return evs;
}

} // namespace mrc
