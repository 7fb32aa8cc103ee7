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
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <toml++/toml.h>

#include "mrcnl/quantity.h"

#include "file/fabric_file.h"

namespace mrcd
{

/** The line that a node is on. */
uint32_t line_of(const toml::node &node);

/** Reads a table. A value that is missing or wrong is added to the complaints, and left out. */
class TomlTable
{
public:
    using Strings = std::vector<std::pair<std::string, const toml::node *>>;

    /**
     * @param table outlives this
     * @param path for people: "hosts.h1"
     */
    TomlTable(const toml::table &table, std::string path, Complaints &complaints)
        : table_(table), path_(std::move(path)), complaints_(complaints)
    {
    }

    /** Reads a number. @return nothing when it is missing or wrong */
    std::optional<int64_t> integer(const char *key, int64_t min, int64_t max, bool needed = true);

    /**
     * Reads a string that is a number with a unit.
     *
     * @param like examples of such a number, for people
     * @return nothing when it is missing or wrong
     */
    std::optional<uint64_t> quantity(const char *key, std::span<const mrcnl::QuantityUnit> units,
                                     const char *like, uint64_t min, uint64_t max);

    /**
     * Reads a number with or without a fraction.
     *
     * @return millionths, as @p min and @p max are; nothing when it is missing or wrong
     */
    std::optional<uint64_t> fraction(const char *key, uint64_t min, uint64_t max);

    /** Reads true or false. @return nothing when it is missing or wrong */
    std::optional<bool> boolean(const char *key);

    /** Reads one of some words. @return its index; nothing when it is missing or wrong */
    std::optional<uint64_t> word(const char *key, std::span<const char *const> words);

    /**
     * Reads a text.
     *
     * @param missing the value when the key is missing; empty: the key must not be missing
     * @return empty when the text is wrong, or missing though it must not be
     */
    std::string string(const char *key, std::optional<std::string> missing = {});

    /** Reads a list of strings. @return nothing when it is missing or one string is wrong */
    std::optional<Strings> strings(const char *key, bool needed);

    /** Finds a list. @return null when it is missing or wrong */
    const toml::array *array(const char *key, bool needed);

    /** Calls @p each for each table in the table of this key. */
    void tables(const char *key, bool needed,
                const std::function<void(const std::string &, TomlTable &)> &each);

    /** Finds a table. @return an empty one when it is missing or wrong */
    TomlTable table(const char *key, bool needed);

    /** Complains about the value of this key, or about the whole table if it has no such key. */
    void complain(const char *key, const std::string &text);
    void complain_at(const toml::node &node, const std::string &text);

    /** Complains about keys that nothing has read. */
    void finish();

    uint32_t line() const { return line_of(table_); }

private:
    const toml::node *find(const char *key, bool needed);

    const toml::table &table_;
    std::string path_;
    Complaints &complaints_;
    std::set<std::string, std::less<>> known_;
};

} // namespace mrcd
