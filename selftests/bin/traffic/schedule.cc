// SPDX-License-Identifier: GPL-2.0-only
#include "schedule.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace traffic
{

namespace
{

constexpr size_t block_words = 512;

uint64_t word(uint64_t key, uint64_t index)
{
    const uint64_t x = (key + index) * 0x9e3779b97f4a7c15u;

    return x ^ (x >> 29);
}

} // namespace

uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

void fill_pattern(uint64_t key, uint64_t position, uint8_t *to, size_t length)
{
    for (; position % 8 == 0 && length >= 8; to += 8, position += 8, length -= 8) {
        const uint64_t w = word(key, position / 8);
        std::memcpy(to, &w, sizeof(w));
    }
    while (length) {
        const uint64_t w = word(key, position / 8);
        const size_t skip = position % 8;
        const size_t n = std::min(length, 8 - skip);

        std::memcpy(to, reinterpret_cast<const uint8_t *>(&w) + skip, n);
        to += n;
        position += n;
        length -= n;
    }
}

uint64_t find_difference(uint64_t key, const uint8_t *bytes, uint64_t length)
{
    std::array<uint8_t, block_words * 8> block{};

    for (uint64_t done = 0; done < length; done += block.size()) {
        const auto n = static_cast<size_t>(std::min<uint64_t>(block.size(), length - done));

        fill_pattern(key, done, block.data(), n);
        if (std::memcmp(block.data(), bytes + done, n) != 0) {
            const uint8_t *first = block.data();
            const uint8_t *at = std::mismatch(first, first + n, bytes + done).first;
            return done + static_cast<uint64_t>(at - first);
        }
    }
    return length;
}

Schedule::Schedule(const Plan &plan, unsigned int direction, unsigned int qp)
    : plan_(plan), key_(mix(mix(plan.seed) + 2 * qp + direction)),
      ring_(std::max<uint64_t>(plan.window, plan.largest() + 2 * (guard + jitter)))
{
}

uint32_t Schedule::draw_length(uint64_t number, Random &random) const
{
    if (!plan_.random_sizes) {
        return plan_.sizes[number % plan_.sizes.size()];
    }
    // First a magnitude is drawn: otherwise nearly all messages would be large.
    const uint64_t low = plan_.size_min;
    const uint64_t range = plan_.size_max - low + 1;
    const auto magnitudes = static_cast<unsigned int>(std::bit_width(range));
    const uint64_t top = std::min(range, uint64_t{1} << random.below(magnitudes + 1));

    return static_cast<uint32_t>(low + random.below(top));
}

/**
 * Whether a message is a WriteImm: as often as the plan says, and when a large message needs target
 * memory. The sender never hears that plain writes are verified, so these may hold only little of
 * that memory.
 */
bool Schedule::draw_imm(const Message &m)
{
    Random random = random_of(m.number + 1);
    const uint64_t large = ring_ / 8;
    const bool last = plan_.seconds == 0 && m.number + 1 == plan_.iterations;

    return last || (m.number + 1) % plan_.imm_every == 0 || m.end() - imm_end_ > large ||
           draw_length(m.number + 1, random) > large;
}

Message Schedule::next()
{
    Random random = random_of(number_);
    Message m{};

    m.number = number_;
    m.length = draw_length(number_, random);
    m.key = random.next();
    m.gap_start = position_;
    m.start = position_ + guard;
    if (plan_.random_offsets) {
        m.start += random.below(jitter);
    } else {
        m.start = (m.start + guard - 1) / guard * guard;
    }
    // In one piece: what does not fit before the end goes to the start.
    if (m.start % ring_ + m.length > ring_ || m.start / ring_ != m.gap_start / ring_) {
        m.start = (position_ / ring_ + 1) * ring_ + guard;
    }
    m.offset = m.start % ring_;
    m.imm = draw_imm(m);
    m.send = m.imm && plan_.sends_every && mix(m.key) % plan_.sends_every == 0;
    imm_end_ = m.imm ? m.end() : imm_end_;
    position_ = m.end();
    number_++;
    return m;
}

} // namespace traffic
