// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Reads the words of a command line: objects, commands, keywords and their values, as ip(8) does.
 * Words may be abbreviated as long as they stay unambiguous.
 */
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "mrcnl/quantity.h"
#include "mrcnl/types.h"

namespace mrcctl
{

/** The command line is wrong. Exit status 1. */
class UsageError : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

/** The kernel or the system refuses. Exit status 2. */
class Failure : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

/**
 * Find the word that @p text stands for.
 *
 * @param what kind of word, for the message
 * @return index in @p words
 * @throw UsageError unknown or ambiguous
 */
size_t match(const std::string &text, std::span<const char *const> words, const char *what);

/** Splits @p text at each separator. */
std::vector<std::string> split(const std::string &text, char separator);

/** A walk over the words of a command. */
class Args
{
public:
    explicit Args(std::vector<std::string> words) : words_(std::move(words)) {}

    [[nodiscard]] bool empty() const { return next_ == words_.size(); }
    [[nodiscard]] const std::string &peek() const { return words_[next_]; }

    /** The next word. @throw UsageError "WHAT is missing" */
    std::string take(const char *what);

    /** Takes the next word as one of @p words. @return index */
    size_t take_word(std::span<const char *const> words, const char *what);

    /** Takes the next word when it is @p word (or an abbreviation of it). */
    bool accept(const char *word);

    /** Takes @p word, which must come now. */
    void expect(const char *word);

    /** Takes a number, decimal or 0x hexadecimal, within bounds. */
    uint64_t take_number(const char *what, uint64_t min, uint64_t max);
    /** Takes seconds, with or without a fraction. @return ns */
    uint64_t take_seconds(const char *what, double min, double max);
    /** Takes a time with its unit: ns, us, ms or s. @return ns */
    uint64_t take_time(const char *what, uint64_t min, uint64_t max);
    /**
     * Takes a rate with its unit: bit, kbit, mbit, gbit or tbit a second. @return bytes a second
     */
    uint64_t take_rate(const char *what, uint64_t min, uint64_t max);
    /** Takes a number with or without a fraction. @return millionths */
    uint64_t take_fraction(const char *what, uint64_t min, uint64_t max);
    bool take_on_off(const char *what);
    mrcnl::Address take_address(const char *what);
    mrcnl::Prefix take_prefix(const char *what);

    /** @throw UsageError when words are left */
    void finish() const;

private:
    /**
     * Takes a number with its unit.
     *
     * @param units the smallest one first
     * @param like examples, for people
     */
    uint64_t take_quantity(const char *what, std::span<const mrcnl::QuantityUnit> units,
                           const char *like, uint64_t min, uint64_t max);

    std::vector<std::string> words_;
    size_t next_ = 0;
};

} // namespace mrcctl
