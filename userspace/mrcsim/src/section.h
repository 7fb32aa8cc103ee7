// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Reads a table of a scenario key by key, each with its type, range and unit, and complains about
 * what is wrong.
 */
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <toml++/toml.h>

#include "scenario.h"

namespace mrcsim
{

/** The range of a key's value. */
struct Range {
    double min;
    double max;
};

/** Reads a table. For each wrong value it adds a complaint, and leaves the variable as it was. */
class Section
{
public:
    /**
     * @param table must outlive this object
     * @param path for people: "transport.evs"
     */
    Section(const toml::table &table, std::string path, std::vector<Complaint> &complaints)
        : table_(table), path_(std::move(path)), complaints_(complaints)
    {
    }

    /** A whole number. */
    template <class T>
    void integer(const char *key, int64_t min, int64_t max, T &value)
    {
        if (const auto found = whole(key, min, max))
            value = static_cast<T>(*found);
    }

    /** A number with or without a fraction, times @p unit, rounded. */
    template <class T>
    void scaled(const char *key, Range range, double unit, T &value)
    {
        if (const auto found = number(key, range))
            value = static_cast<T>(static_cast<uint64_t>(*found * unit + 0.5));
    }

    void boolean(const char *key, bool &value);

    /** Reads one of several words: @p value becomes its index. */
    template <class T>
    void word(const char *key, const std::vector<std::string> &words, T &value)
    {
        if (const auto found = index_of(key, words))
            value = static_cast<T>(*found);
    }

    std::optional<std::string> string(const char *key);

    /** A list of whole numbers; nothing if it is missing or wrong. */
    std::optional<std::vector<uint32_t>> integers(const char *key, int64_t max);

    /** A list of two numbers. */
    std::optional<std::pair<double, double>> pair(const char *key, Range range);

    /** The list of a key, or nothing. */
    const toml::array *array(const char *key);

    /** The table of a key, or an empty one. */
    Section table(const char *key);

    /** Calls @p each for the tables of a list of tables. */
    void tables(const char *key, const std::function<void(Section &)> &each);

    /** Calls @p each for all keys and their values; none of the keys then counts as unknown. */
    void all(const std::function<void(const std::string &, const toml::node &)> &each);

    bool has(const char *key) const { return table_.contains(key); }
    bool empty() const { return table_.empty(); }
    void complain(const char *key, const std::string &text);
    void complain_at(const toml::node &node, const std::string &text);

    /** Complains about keys that were never read. */
    void finish();

private:
    const toml::node *find(const char *key);
    std::optional<int64_t> whole(const char *key, int64_t min, int64_t max);
    std::optional<double> number(const char *key, Range range);
    std::optional<double> number_of(const char *key, const toml::node &node, Range range);
    std::optional<size_t> index_of(const char *key, const std::vector<std::string> &words);

    const toml::table &table_;
    std::string path_;
    std::vector<Complaint> &complaints_;
    std::set<std::string, std::less<>> known_;
};

} // namespace mrcsim
