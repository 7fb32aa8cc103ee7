// SPDX-License-Identifier: GPL-2.0-only
#include "file/toml_table.h"

#include <algorithm>
#include <cmath>

namespace mrcd
{

namespace
{

const toml::table nothing;

std::string kind_of(const toml::node &node)
{
    if (node.is_table())
        return "a table";
    if (node.is_array())
        return "a list";
    if (node.is_string())
        return "a string";
    return node.is_integer() ? "a number" : "something else";
}

} // namespace

uint32_t line_of(const toml::node &node)
{
    return node.source().begin.line;
}

void TomlTable::complain_at(const toml::node &node, const std::string &text)
{
    complaints_.push_back({line_of(node), path_.empty() ? text : path_ + ": " + text});
}

void TomlTable::complain(const char *key, const std::string &text)
{
    const toml::node *node = table_.get(key);

    complain_at(node ? *node : table_, std::string(key) + ": " + text);
}

const toml::node *TomlTable::find(const char *key, bool needed)
{
    const toml::node *node = table_.get(key);

    known_.insert(key);
    if (!node && needed)
        complain(key, "is missing");
    return node;
}

std::optional<int64_t> TomlTable::integer(const char *key, int64_t min, int64_t max, bool needed)
{
    const toml::node *node = find(key, needed);

    if (!node)
        return std::nullopt;
    const auto value = node->value_exact<int64_t>();
    if (!value)
        complain(key, "must be a number, not " + kind_of(*node));
    else if (*value < min || *value > max)
        complain(key, "must be " + std::to_string(min) + " to " + std::to_string(max) + ", not " +
                          std::to_string(*value));
    else
        return *value;
    return std::nullopt;
}

std::optional<uint64_t> TomlTable::quantity(const char *key,
                                            std::span<const mrcnl::QuantityUnit> units,
                                            const char *like, uint64_t min, uint64_t max)
{
    const toml::node *node = find(key, false);

    if (!node)
        return std::nullopt;
    const auto text = node->value_exact<std::string>();
    const auto value = text ? mrcnl::quantity_of(*text, units) : std::nullopt;
    if (!text)
        complain(key, "must be a string with a " + std::string(like) + ", not " + kind_of(*node));
    else if (!value)
        complain(key, "'" + *text + "' is not a " + like);
    else if (*value < static_cast<double>(min) || *value > static_cast<double>(max))
        complain(key, "must be " + mrcnl::quantity_text(min, units) + " to " +
                          mrcnl::quantity_text(max, units) + ", not " + *text);
    else
        return static_cast<uint64_t>(*value);
    return std::nullopt;
}

std::optional<uint64_t> TomlTable::fraction(const char *key, uint64_t min, uint64_t max)
{
    const toml::node *node = find(key, false);

    if (!node)
        return std::nullopt;
    const auto number = node->value<double>();
    const double value = std::round(number.value_or(0) * mrcnl::millionths);
    if (!number || !node->is_number())
        complain(key, "must be a number, not " + kind_of(*node));
    else if (!(value >= static_cast<double>(min) && value <= static_cast<double>(max)))
        complain(key, "must be " + mrcnl::fraction_text(min) + " to " + mrcnl::fraction_text(max));
    else
        return static_cast<uint64_t>(value);
    return std::nullopt;
}

std::optional<bool> TomlTable::boolean(const char *key)
{
    const toml::node *node = find(key, false);
    const auto value = node ? node->value_exact<bool>() : std::nullopt;

    if (node && !value)
        complain(key, "must be true or false, not " + kind_of(*node));
    return value;
}

std::optional<uint64_t> TomlTable::word(const char *key, std::span<const char *const> words)
{
    const std::string text = string(key, "");
    const auto found = std::find(words.begin(), words.end(), text);
    std::string known;

    if (text.empty())
        return std::nullopt;
    if (found != words.end())
        return found - words.begin();
    for (const char *one : words)
        known += (known.empty() ? "\"" : " or \"") + std::string(one) + "\"";
    complain(key, "'" + text + "' is unknown: use " + known);
    return std::nullopt;
}

std::string TomlTable::string(const char *key, std::optional<std::string> missing)
{
    const toml::node *node = find(key, !missing);

    if (!node)
        return missing.value_or("");
    const auto value = node->value_exact<std::string>();
    if (!value)
        complain(key, "must be a string, not " + kind_of(*node));
    else if (value->empty())
        complain(key, "is empty");
    return value.value_or("");
}

const toml::array *TomlTable::array(const char *key, bool needed)
{
    const toml::node *node = find(key, needed);

    if (node && !node->is_array())
        complain(key, "must be a list, not " + kind_of(*node));
    return node ? node->as_array() : nullptr;
}

std::optional<TomlTable::Strings> TomlTable::strings(const char *key, bool needed)
{
    Strings found;
    const toml::array *list = array(key, needed);

    if (!list)
        return std::nullopt;
    for (const toml::node &node : *list) {
        if (const auto value = node.value_exact<std::string>())
            found.emplace_back(*value, &node);
        else
            complain_at(node, std::string(key) + ": must be strings, not " + kind_of(node));
    }
    if (found.size() != list->size())
        return std::nullopt;
    return found;
}

TomlTable TomlTable::table(const char *key, bool needed)
{
    const toml::node *node = find(key, needed);

    if (node && !node->is_table())
        complain(key, "must be a table, not " + kind_of(*node));
    const bool usable = node && node->is_table();
    return {usable ? *node->as_table() : nothing, path_.empty() ? key : path_ + "." + key,
            complaints_};
}

void TomlTable::tables(const char *key, bool needed,
                       const std::function<void(const std::string &, TomlTable &)> &each)
{
    const TomlTable all = table(key, needed);

    for (const auto &[name, node] : all.table_) {
        const std::string text(name.str());
        if (text.empty()) {
            complain_at(node, std::string(key) + ": a name is empty");
            continue;
        }
        if (!node.is_table()) {
            complain_at(node,
                        std::string(key) + "." + text + ": must be a table, not " + kind_of(node));
            continue;
        }
        TomlTable one(*node.as_table(), all.path_ + "." + text, complaints_);
        each(text, one);
        one.finish();
    }
}

void TomlTable::finish()
{
    for (const auto &[key, node] : table_)
        if (!known_.contains(key.str()))
            complain_at(node, "unknown key '" + std::string(key.str()) + "'");
}

} // namespace mrcd
