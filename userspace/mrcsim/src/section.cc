// SPDX-License-Identifier: GPL-2.0-only
#include "section.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace mrcsim
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
    if (node.is_boolean())
        return "true or false";
    return node.is_number() ? "a number" : "something else";
}

std::string text_of(double value)
{
    std::ostringstream text;

    text.precision(12);
    text << value;
    return text.str();
}

std::string text_of(Range range)
{
    return text_of(range.min) + " to " + text_of(range.max);
}

} // namespace

void Section::complain_at(const toml::node &node, const std::string &text)
{
    complaints_.push_back({node.source().begin.line, path_.empty() ? text : path_ + ": " + text});
}

void Section::complain(const char *key, const std::string &text)
{
    const toml::node *node = table_.get(key);

    complain_at(node ? *node : table_, std::string(key) + ": " + text);
}

const toml::node *Section::find(const char *key)
{
    known_.insert(key);
    return table_.get(key);
}

std::optional<int64_t> Section::whole(const char *key, int64_t min, int64_t max)
{
    const toml::node *node = find(key);

    if (!node)
        return std::nullopt;
    const auto value = node->value_exact<int64_t>();
    if (!value)
        complain(key, "must be a whole number, not " + kind_of(*node));
    else if (*value < min || *value > max)
        complain(key, "must be " + std::to_string(min) + " to " + std::to_string(max) + ", not " +
                          std::to_string(*value));
    else
        return value;
    return std::nullopt;
}

std::optional<double> Section::number_of(const char *key, const toml::node &node, Range range)
{
    if (!node.is_number()) {
        complain(key, "must be a number, not " + kind_of(node));
        return std::nullopt;
    }
    const double value = *node.value<double>();
    // NaN is in no range.
    if (value >= range.min && value <= range.max)
        return value;
    complain(key, "must be " + text_of(range) + ", not " + text_of(value));
    return std::nullopt;
}

std::optional<double> Section::number(const char *key, Range range)
{
    const toml::node *node = find(key);

    return node ? number_of(key, *node, range) : std::nullopt;
}

void Section::boolean(const char *key, bool &value)
{
    const toml::node *node = find(key);

    if (!node)
        return;
    if (const auto found = node->value_exact<bool>())
        value = *found;
    else
        complain(key, "must be true or false, not " + kind_of(*node));
}

std::optional<std::string> Section::string(const char *key)
{
    const toml::node *node = find(key);

    if (!node)
        return std::nullopt;
    auto value = node->value_exact<std::string>();
    if (!value)
        complain(key, "must be a string, not " + kind_of(*node));
    return value;
}

std::optional<size_t> Section::index_of(const char *key, const std::vector<std::string> &words)
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

const toml::array *Section::array(const char *key)
{
    const toml::node *node = find(key);

    if (node && !node->is_array())
        complain(key, "must be a list, not " + kind_of(*node));
    return node ? node->as_array() : nullptr;
}

std::optional<std::vector<uint32_t>> Section::integers(const char *key, int64_t max)
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

std::optional<std::pair<double, double>> Section::pair(const char *key, Range range)
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

Section Section::table(const char *key)
{
    const toml::node *node = find(key);

    if (node && !node->is_table())
        complain(key, "must be a table, not " + kind_of(*node));
    const bool usable = node && node->is_table();
    return {usable ? *node->as_table() : nothing, path_.empty() ? key : path_ + "." + key,
            complaints_};
}

void Section::tables(const char *key, const std::function<void(Section &)> &each)
{
    const toml::array *list = array(key);

    if (!list)
        return;
    for (const toml::node &node : *list) {
        if (!node.is_table()) {
            complain_at(node, std::string(key) + ": must be tables, not " + kind_of(node));
            continue;
        }
        Section one(*node.as_table(), key, complaints_);
        each(one);
        one.finish();
    }
}

void Section::all(const std::function<void(const std::string &, const toml::node &)> &each)
{
    for (const auto &[key, node] : table_) {
        const std::string name(key.str());
        known_.insert(name);
        each(name, node);
    }
}

void Section::finish()
{
    for (const auto &[key, node] : table_)
        if (!known_.contains(key.str()))
            complain_at(node, "unknown key '" + std::string(key.str()) + "'");
}

} // namespace mrcsim
