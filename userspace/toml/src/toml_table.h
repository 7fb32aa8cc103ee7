// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Reads a TOML table key by key, with a type and a range for each, and collects complaints.
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

#include "complaint.h"

namespace mrctoml
{

/** The range of a key's value. */
struct Range {
    double min;
    double max;
};

/** What a program calls some kinds of values in its complaints. */
struct Kinds {
    const char *whole; ///< a number that must be whole
    const char *fraction;
    const char *boolean;
};

/** Reads a table. A value that is missing or wrong is added to the complaints, and left out. */
class TomlTable
{
public:
    using Strings = std::vector<std::pair<std::string, const toml::node *>>;

    /**
     * @param table outlives this, as @p kinds and @p complaints do
     * @param path for people: "hosts.h1"
     */
    TomlTable(const toml::table &table, std::string path, const Kinds &kinds,
              Complaints &complaints)
        : table_(table), path_(std::move(path)), kinds_(kinds), complaints_(complaints)
    {
    }

    /** Reads a whole number. @return nothing when it is missing or wrong */
    std::optional<int64_t> whole(const char *key, int64_t min, int64_t max, bool needed = true);

    /** Reads a whole number. @p value stays as it is when the number is missing or wrong. */
    template <class T>
    void integer(const char *key, int64_t min, int64_t max, T &value)
    {
        if (const auto found = whole(key, min, max, false))
            value = static_cast<T>(*found);
    }

    /** Reads a number with or without a fraction, times @p unit, rounded. */
    template <class T>
    void scaled(const char *key, Range range, double unit, T &value)
    {
        if (const toml::node *node = find(key))
            if (const auto found = number_of(key, *node, range))
                value = static_cast<T>(static_cast<uint64_t>(*found * unit + 0.5));
    }

    /** Reads true or false. @return nothing when it is missing or wrong */
    std::optional<bool> boolean(const char *key);
    void boolean(const char *key, bool &value) { value = boolean(key).value_or(value); }

    /** Reads one of several words: @p value becomes its index. */
    template <class T>
    void word(const char *key, const std::vector<std::string> &words, T &value)
    {
        if (const auto found = index_of(key, words))
            value = static_cast<T>(*found);
    }

    /** Reads a text, which may be empty. @return nothing when it is missing or wrong */
    std::optional<std::string> string(const char *key, bool needed = false);

    /**
     * Reads a text that must not be empty.
     *
     * @param missing the value when the key is missing; nothing: the key must not be missing
     * @return empty when the text is wrong, or missing though it must not be
     */
    std::string filled(const char *key, const std::optional<std::string> &missing = {});

    /** Reads a list of strings. @return nothing when it is missing or one string is wrong */
    std::optional<Strings> strings(const char *key, bool needed);

    /** Reads a list of whole numbers. @return nothing when it is missing or wrong */
    std::optional<std::vector<uint32_t>> integers(const char *key, int64_t max);

    /** Reads a list of two numbers. @return nothing when it is missing or wrong */
    std::optional<std::pair<double, double>> pair(const char *key, Range range);

    /** Finds a list. @return null when it is missing or wrong */
    const toml::array *array(const char *key, bool needed = false);

    /** Finds a table. @return an empty one when it is missing or wrong */
    TomlTable table(const char *key, bool needed = false);

    /** Calls @p each for each table in the table of this key. */
    void tables(const char *key, bool needed,
                const std::function<void(const std::string &, TomlTable &)> &each);

    /** Calls @p each for each table in the list of this key. */
    void tables(const char *key, const std::function<void(TomlTable &)> &each);

    /** Calls @p each for all keys and their values; none of the keys then counts as unknown. */
    void all(const std::function<void(const std::string &, const toml::node &)> &each);

    /** Finds a value of whatever kind. @return null when it is missing */
    const toml::node *find(const char *key, bool needed = false);

    /** Complains about the value of this key, or about the whole table if it has no such key. */
    void complain(const char *key, const std::string &text);
    void complain_at(const toml::node &node, const std::string &text);

    /** Complains that the value of this key is not @p wanted. */
    void complain_kind(const char *key, const std::string &wanted, const toml::node &node);

    /** Complains about keys that nothing has read. */
    void finish();

    bool has(const char *key) const { return table_.contains(key); }
    uint32_t line() const { return table_.source().begin.line; }

private:
    std::string kind_of(const toml::node &node) const;
    std::optional<double> number_of(const char *key, const toml::node &node, Range range);
    std::optional<size_t> index_of(const char *key, const std::vector<std::string> &words);

    const toml::table &table_;
    std::string path_;
    const Kinds &kinds_;
    Complaints &complaints_;
    std::set<std::string, std::less<>> known_;
};

} // namespace mrctoml
