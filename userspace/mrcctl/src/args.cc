// SPDX-License-Identifier: GPL-2.0-only
#include "args.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>
#include <string_view>
#include <utility>

namespace mrcctl
{

namespace
{

std::string join(const std::vector<const char *> &words)
{
    std::string line;

    for (const char *word : words)
        line += (line.empty() ? "" : ", ") + std::string(word);
    return line;
}

} // namespace

size_t match(const std::string &text, std::span<const char *const> words, const char *what)
{
    std::vector<const char *> candidates;
    size_t found = 0;

    for (size_t i = 0; i < words.size(); i++) {
        if (words[i] == text)
            return i;
        if (text.empty() || !std::string_view(words[i]).starts_with(text))
            continue;
        candidates.push_back(words[i]);
        found = i;
    }
    if (candidates.empty())
        throw UsageError("unknown " + std::string(what) + " '" + text + "'");
    if (candidates.size() > 1)
        throw UsageError(std::string(what) + " '" + text + "' is ambiguous: " + join(candidates));
    return found;
}

std::vector<std::string> split(const std::string &text, char separator)
{
    std::vector<std::string> parts;
    std::istringstream in(text);
    std::string part;

    while (std::getline(in, part, separator))
        parts.push_back(part);
    if (text.empty() || text.back() == separator)
        parts.emplace_back();
    return parts;
}

std::string Args::take(const char *what)
{
    if (empty())
        throw UsageError(std::string(what) + " is missing");
    return words_[next_++];
}

size_t Args::take_word(std::span<const char *const> words, const char *what)
{
    return match(take(what), words, what);
}

bool Args::accept(const char *word)
{
    if (empty() || peek().empty() || !std::string_view(word).starts_with(peek()))
        return false;
    next_++;
    return true;
}

void Args::expect(const char *word)
{
    if (empty())
        throw UsageError("'" + std::string(word) + "' is missing");
    if (!accept(word))
        throw UsageError("'" + std::string(word) + "' expected, not '" + peek() + "'");
}

uint64_t Args::take_number(const char *what, uint64_t min, uint64_t max)
{
    const std::string text = take(what);
    const bool hex = text.starts_with("0x") || text.starts_with("0X");
    const char *first = text.data() + (hex ? 2 : 0);
    const char *last = text.data() + text.size();
    uint64_t number = 0;
    const auto [end, err] = std::from_chars(first, last, number, hex ? 16 : 10);

    if (err == std::errc::invalid_argument || end != last)
        throw UsageError(std::string(what) + ": '" + text + "' is not a number");
    if (err != std::errc() || number < min || number > max)
        throw UsageError(std::string(what) + " must be " + std::to_string(min) + " to " +
                         std::to_string(max) + ", not " + text);
    return number;
}

uint64_t Args::take_seconds(const char *what, double min, double max)
{
    const std::string text = take(what);
    const char *last = text.data() + text.size();
    double seconds = 0;
    const auto [end, err] = std::from_chars(text.data(), last, seconds, std::chars_format::fixed);

    if (err == std::errc::invalid_argument || end != last || std::isnan(seconds))
        throw UsageError(std::string(what) + ": '" + text + "' is not a number");
    if (err != std::errc() || seconds < min || seconds > max) {
        std::ostringstream limits;

        limits << min << " to " << max;
        throw UsageError(std::string(what) + " must be " + limits.str() + " seconds, not " + text);
    }
    return static_cast<uint64_t>(seconds * 1e9);
}

uint64_t Args::take_quantity(const char *what, std::span<const mrcnl::QuantityUnit> units,
                             const char *like, uint64_t min, uint64_t max)
{
    const std::string text = take(what);
    const auto value = mrcnl::quantity_of(text, units);

    if (!value)
        throw UsageError(std::string(what) + ": '" + text + "' is not a " + like);
    if (*value < static_cast<double>(min) || *value > static_cast<double>(max))
        throw UsageError(std::string(what) + " must be " +
                         mrcnl::quantity_text(min, units.first(1)) + " to " +
                         mrcnl::quantity_text(max, units.first(1)) + ", not " + text);
    return static_cast<uint64_t>(*value);
}

uint64_t Args::take_time(const char *what, uint64_t min, uint64_t max)
{
    return take_quantity(what, mrcnl::time_units, mrcnl::time_like, min, max);
}

uint64_t Args::take_rate(const char *what, uint64_t min, uint64_t max)
{
    return take_quantity(what, mrcnl::rate_units, mrcnl::rate_like, min, max);
}

uint64_t Args::take_fraction(const char *what, uint64_t min, uint64_t max)
{
    const std::string text = take(what);
    const char *last = text.data() + text.size();
    double number = 0;
    const auto [end, err] = std::from_chars(text.data(), last, number, std::chars_format::fixed);

    if (err == std::errc::invalid_argument || end != last || std::isnan(number))
        throw UsageError(std::string(what) + ": '" + text + "' is not a number");
    const double value = std::round(number * mrcnl::millionths);
    if (err != std::errc() || value < static_cast<double>(min) || value > static_cast<double>(max))
        throw UsageError(std::string(what) + " must be " + mrcnl::fraction_text(min) + " to " +
                         mrcnl::fraction_text(max) + ", not " + text);
    return static_cast<uint64_t>(value);
}

bool Args::take_on_off(const char *what)
{
    static constexpr const char *words[] = {"off", "on"};
    const std::string text = take(what);

    for (size_t i = 0; i < 2; i++)
        if (text == words[i])
            return i != 0;
    throw UsageError(std::string(what) + " must be on or off, not '" + text + "'");
}

mrcnl::Address Args::take_address(const char *what)
{
    const std::string text = take(what);
    const auto address = mrcnl::Address::parse(text);

    if (!address)
        throw UsageError(std::string(what) + ": '" + text + "' is not an IPv6 address");
    return *address;
}

mrcnl::Prefix Args::take_prefix(const char *what)
{
    const std::string text = take(what);
    const auto prefix = mrcnl::Prefix::parse(text);

    if (!prefix)
        throw UsageError(std::string(what) + ": '" + text + "' is not an IPv6 prefix");
    return *prefix;
}

void Args::finish() const
{
    if (!empty())
        throw UsageError("unexpected argument '" + peek() + "'");
}

} // namespace mrcctl
