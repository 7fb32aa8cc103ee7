// SPDX-License-Identifier: GPL-2.0-only
#include "toml_table.h"

#include <algorithm>
#include <sstream>

namespace mrctoml
{

namespace
{

const toml::table nothing;

std::string text_of(double value)
{
    std::ostringstream text;

    text.precision(12);
    text << value;
    return text.str();
}

} // namespace

std::string TomlTable::kind_of(const toml::node &node) const
{
    if (node.is_table())
        return "a table";
    if (node.is_array())
        return "a list";
    if (node.is_string())
        return "a string";
    if (node.is_boolean())
        return kinds_.boolean;
    if (node.is_floating_point())
        return kinds_.fraction;
    return node.is_integer() ? "a number" : "something else";
}

void TomlTable::complain_at(const toml::node &node, const std::string &text)
{
    complaints_.push_back({node.source().begin.line, path_.empty() ? text : path_ + ": " + text});
}

void TomlTable::complain(const char *key, const std::string &text)
{
    const toml::node *node = table_.get(key);

    complain_at(node ? *node : table_, std::string(key) + ": " + text);
}

void TomlTable::complain_kind(const char *key, const std::string &wanted, const toml::node &node)
{
    complain(key, "must be " + wanted + ", not " + kind_of(node));
}

const toml::node *TomlTable::find(const char *key, bool needed)
{
    const toml::node *node = table_.get(key);

    known_.insert(key);
    if (!node && needed)
        complain(key, "is missing");
    return node;
}

std::optional<int64_t> TomlTable::whole(const char *key, int64_t min, int64_t max, bool needed)
{
    const toml::node *node = find(key, needed);

    if (!node)
        return std::nullopt;
    const auto value = node->value_exact<int64_t>();
    if (!value)
        complain_kind(key, kinds_.whole, *node);
    else if (*value < min || *value > max)
        complain(key, "must be " + std::to_string(min) + " to " + std::to_string(max) + ", not " +
                          std::to_string(*value));
    else
        return value;
    return std::nullopt;
}

std::optional<double> TomlTable::number_of(const char *key, const toml::node &node, Range range)
{
    if (!node.is_number()) {
        complain_kind(key, "a number", node);
        return std::nullopt;
    }
    const double value = *node.value<double>();
    // NaN is in no range.
    if (value >= range.min && value <= range.max)
        return value;
    complain(key, "must be " + text_of(range.min) + " to " + text_of(range.max) + ", not " +
                      text_of(value));
    return std::nullopt;
}

std::optional<bool> TomlTable::boolean(const char *key)
{
    const toml::node *node = find(key);
    const auto value = node ? node->value_exact<bool>() : std::nullopt;

    if (node && !value)
        complain_kind(key, "true or false", *node);
    return value;
}

std::optional<size_t> TomlTable::index_of(const char *key, const std::vector<std::string> &words)
{
    const auto found = string(key);
    std::string all;

    if (!found)
        return std::nullopt;
    const auto at = std::find(words.begin(), words.end(), *found);
    if (at != words.end())
        return at - words.begin();
    for (const std::string &one : words)
        all += (all.empty() ? "" : ", ") + one;
    complain(key, "must be one of " + all + ", not '" + *found + "'");
    return std::nullopt;
}

std::optional<std::string> TomlTable::string(const char *key, bool needed)
{
    const toml::node *node = find(key, needed);
    auto value = node ? node->value_exact<std::string>() : std::nullopt;

    if (node && !value)
        complain_kind(key, "a string", *node);
    return value;
}

std::string TomlTable::filled(const char *key, const std::optional<std::string> &missing)
{
    const auto value = string(key, !missing);

    if (value && value->empty())
        complain(key, "is empty");
    return value.value_or(has(key) ? "" : missing.value_or(""));
}

const toml::array *TomlTable::array(const char *key, bool needed)
{
    const toml::node *node = find(key, needed);

    if (node && !node->is_array())
        complain_kind(key, "a list", *node);
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

std::optional<std::vector<uint32_t>> TomlTable::integers(const char *key, int64_t max)
{
    const toml::array *list = array(key);
    std::vector<uint32_t> found;

    if (!list)
        return std::nullopt;
    for (const toml::node &node : *list) {
        const auto value = node.value_exact<int64_t>();
        if (!value || *value < 0 || *value > max) {
            complain(key, "must have whole numbers, 0 to " + std::to_string(max));
            return std::nullopt;
        }
        found.push_back(static_cast<uint32_t>(*value));
    }
    return found;
}

std::optional<std::pair<double, double>> TomlTable::pair(const char *key, Range range)
{
    const toml::array *list = array(key);

    if (!list)
        return std::nullopt;
    if (list->size() != 2) {
        complain(key, "must have two numbers");
        return std::nullopt;
    }
    const auto first = number_of(key, (*list)[0], range);
    const auto second = number_of(key, (*list)[1], range);
    if (!first || !second)
        return std::nullopt;
    return std::pair(*first, *second);
}

TomlTable TomlTable::table(const char *key, bool needed)
{
    const toml::node *node = find(key, needed);

    if (node && !node->is_table())
        complain_kind(key, "a table", *node);
    const bool usable = node && node->is_table();
    return {usable ? *node->as_table() : nothing, path_.empty() ? key : path_ + "." + key, kinds_,
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
        TomlTable one(*node.as_table(), all.path_ + "." + text, kinds_, complaints_);
        each(text, one);
        one.finish();
    }
}

void TomlTable::tables(const char *key, const std::function<void(TomlTable &)> &each)
{
    const toml::array *list = array(key);

    if (!list)
        return;
    for (const toml::node &node : *list) {
        if (!node.is_table()) {
            complain_at(node, std::string(key) + ": must be tables, not " + kind_of(node));
            continue;
        }
        TomlTable one(*node.as_table(), key, kinds_, complaints_);
        each(one);
        one.finish();
    }
}

void TomlTable::all(const std::function<void(const std::string &, const toml::node &)> &each)
{
    for (const auto &[key, node] : table_) {
        const std::string name(key.str());
        known_.insert(name);
        each(name, node);
    }
}

void TomlTable::finish()
{
    for (const auto &[key, node] : table_)
        if (!known_.contains(key.str()))
            complain_at(node, "unknown key '" + std::string(key.str()) + "'");
}

} // namespace mrctoml
