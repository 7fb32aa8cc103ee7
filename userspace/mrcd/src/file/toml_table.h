// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * A TOML table that is read key by key, each with its type and range, and complained about.
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

/** Line of a node. */
uint32_t line_of(const toml::node &node);

/** Reads a table. What is missing or wrong is added to the complaints, and left out. */
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

    /** A number of this key, nothing when it is missing or wrong. */
    std::optional<int64_t> integer(const char *key, int64_t min, int64_t max, bool needed = true);

    /**
     * A number with a unit of this key, which is a string, nothing when it is missing or wrong.
     *
     * @param like what it looks like, for people
     */
    std::optional<uint64_t> quantity(const char *key, std::span<const mrcnl::QuantityUnit> units,
                                     const char *like, uint64_t min, uint64_t max);

    /**
     * A number of this key, with a fraction or without, nothing when it is missing or wrong.
     *
     * @return millionths, as @p min and @p max are
     */
    std::optional<uint64_t> fraction(const char *key, uint64_t min, uint64_t max);

    /** True or false, nothing when it is missing or wrong. */
    std::optional<bool> boolean(const char *key);

    /** Which of these words a key has, nothing when it is missing or wrong. */
    std::optional<uint64_t> word(const char *key, std::span<const char *const> words);

    /** A text of this key; empty when it is wrong, or missing though it must not be. */
    std::string string(const char *key, std::optional<std::string> missing = {});

    /** The strings of a list, nothing when it is missing or one of them is wrong. */
    std::optional<Strings> strings(const char *key, bool needed);

    /** The list of a key, null when it is missing or wrong. */
    const toml::array *array(const char *key, bool needed);

    /** Calls @p each for the tables in the table of this key. */
    void tables(const char *key, bool needed,
                const std::function<void(const std::string &, TomlTable &)> &each);

    /** The table of a key, or an empty one. */
    TomlTable table(const char *key, bool needed);

    /** Complains about this key's value, or about the table if it has no such key. */
    void complain(const char *key, const std::string &text);
    void complain_at(const toml::node &node, const std::string &text);

    /** Complains about keys that nobody asked for. */
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
