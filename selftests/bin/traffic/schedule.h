// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file schedule.h
 * What each message of a run is. It is drawn from the seed alone, so that sender and receiver know
 * it without telling each other.
 */
#pragma once

#include <cstddef>
#include <cstdint>

#include "options.h"

namespace traffic
{

/** Mixes its argument, so that results of neighbouring numbers are unrelated. */
uint64_t mix(uint64_t x);

/** A stream of pseudo-random numbers, the same on both ends. */
class Random
{
public:
    explicit Random(uint64_t seed) : state_(seed) {}
    uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15u); }
    /** 0 to limit - 1. */
    uint64_t below(uint64_t limit) { return next() % limit; }

private:
    uint64_t state_;
};

/**
 * The bytes of one message: bytes of a counter, mixed with the message's key.
 * @param key of the message
 * @param position of the first byte in the message
 */
void fill_pattern(uint64_t key, uint64_t position, uint8_t *to, size_t length);

/** Position of the first byte that differs from the pattern, or length. */
uint64_t find_difference(uint64_t key, const uint8_t *bytes, uint64_t length);

/** One message. Positions count bytes from the start of the run and never wrap. */
struct Message {
    uint64_t number;
    uint32_t length;
    bool imm;
    /** With imm: it is a SEND. */
    bool send;
    /** The key of its pattern. */
    uint64_t key;
    /** Where the untouched memory before it begins. */
    uint64_t gap_start;
    /** Where it begins. */
    uint64_t start;
    /** Offset of start in the target memory. */
    uint64_t offset;

    [[nodiscard]] uint64_t end() const { return start + length; }
};

/** The messages of one QP in one direction, in order. */
class Schedule
{
public:
    /** The least number of untouched bytes between two messages. */
    static constexpr uint64_t guard = 64;
    /** The most bytes that random offsets add. */
    static constexpr uint64_t jitter = 4096;

    Schedule(const Plan &plan, unsigned int direction, unsigned int qp);

    Message next();
    /** Bytes of target memory, which is used round and round; a guard follows it. */
    [[nodiscard]] uint64_t ring() const { return ring_; }
    /** Bytes of target memory that only writes may touch: with the guard behind it. */
    [[nodiscard]] uint64_t guarded() const { return ring_ + guard; }
    /** Offset of the counter for atomics. */
    [[nodiscard]] uint64_t counter() const { return (guarded() + guard - 1) / guard * guard; }
    [[nodiscard]] uint64_t memory() const { return counter() + sizeof(uint64_t); }

private:
    [[nodiscard]] Random random_of(uint64_t number) const { return Random(key_ + mix(number)); }
    uint32_t draw_length(uint64_t number, Random &random) const;
    bool draw_imm(const Message &m);

    const Plan plan_;
    const uint64_t key_;
    const uint64_t ring_;
    uint64_t number_ = 0;
    uint64_t position_ = 0;
    uint64_t imm_end_ = 0;
};

} // namespace traffic
