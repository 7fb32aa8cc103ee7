// SPDX-License-Identifier: GPL-2.0-only
#include "names.h"

#include <algorithm>
#include <charconv>

#include <nlohmann/json.hpp>

namespace mrcctl
{

namespace
{

constexpr unsigned names_version = 1;
constexpr size_t name_most = 128;
constexpr size_t block_bytes = 4;

/** Reads a whole text as a decimal number. */
template <typename T>
std::optional<T> number_of(const std::string &text)
{
    T number = 0;
    const auto [end, err] = std::from_chars(text.data(), text.data() + text.size(), number);

    if (err != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return number;
}

/** The members of an object whose keys and names are valid. */
template <typename Key, typename Read>
std::map<Key, std::string> names_in(const nlohmann::json &object, const char *key, Read read)
{
    std::map<Key, std::string> names;
    const auto at = object.find(key);

    if (at == object.end() || !at->is_object())
        return names;
    for (const auto &[text, name] : at->items()) {
        const auto value = read(text);

        if (value && name.is_string() && usable_name(name.template get_ref<const std::string &>()))
            names[*value] = name.template get<std::string>();
    }
    return names;
}

template <typename Key>
std::string find(const std::map<Key, std::string> &names, const Key &key)
{
    const auto at = names.find(key);

    return at == names.end() ? std::string() : at->second;
}

template <typename Key>
std::optional<Key> find_key(const std::map<Key, std::string> &names, const std::string &name)
{
    const auto at = std::find_if(names.begin(), names.end(),
                                 [&](const auto &entry) { return entry.second == name; });

    if (at == names.end())
        return std::nullopt;
    return at->first;
}

} // namespace

bool usable_name(const std::string &name)
{
    return !name.empty() && name.size() <= name_most && !starts_with_digit(name) &&
           std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c <= '~'; });
}

bool starts_with_digit(const std::string &text)
{
    return !text.empty() && text[0] >= '0' && text[0] <= '9';
}

std::optional<Names> Names::parse(const std::string &json)
{
    const nlohmann::json object = nlohmann::json::parse(json, nullptr, false);
    Names names;

    if (!object.is_object() || object.value("version", nlohmann::json()) != names_version)
        return std::nullopt;
    names.racks_ = names_in<uint64_t>(object, "ev-profile", number_of<uint64_t>);
    names.hosts_ = names_in<mrcnl::Address>(object, "host", mrcnl::Address::parse);
    names.switches_ = names_in<uint16_t>(object, "switch", number_of<uint16_t>);
    const nlohmann::json planned = object.value("ev-profile", nlohmann::json::object());
    for (const auto &[id, name] : planned.items())
        if (const auto number = number_of<uint64_t>(id))
            names.planned_.insert(*number);
    const auto block = object.find("block");
    if (block != object.end() && block->is_string())
        names.block_ = mrcnl::Address::parse(block->get<std::string>()).value_or(mrcnl::Address{});
    return names;
}

std::string Names::ev_profile(uint64_t id) const
{
    return find(racks_, id);
}

std::string Names::host(const mrcnl::Address &gid) const
{
    return find(hosts_, gid);
}

std::vector<std::string> Names::switches(const mrcnl::Address &sid) const
{
    std::vector<std::string> names;

    if (!std::equal(sid.bytes.begin(), sid.bytes.begin() + block_bytes, block_.bytes.begin()))
        return names;
    for (size_t at = block_bytes; at + 1 < sid.bytes.size(); at += 2) {
        const auto usid = static_cast<uint16_t>(sid.bytes[at] << 8 | sid.bytes[at + 1]);
        std::string name = find(switches_, usid);

        if (name.empty())
            break;
        names.push_back(std::move(name));
    }
    return names;
}

std::optional<uint64_t> Names::ev_profile_of(const std::string &rack) const
{
    return find_key(racks_, rack);
}

std::optional<mrcnl::Address> Names::gid_of(const std::string &host) const
{
    return find_key(hosts_, host);
}

void print_ev_profile(Printer &p, const Names &names, uint64_t id)
{
    const std::string name = names.ev_profile(id);

    if (name.empty() || p.options().json)
        p.number("ev-profile", id);
    else
        p.text("ev-profile", name);
    if (!name.empty())
        p.hidden("ev-profile-name", name);
}

void print_remote(Printer &p, const Names &names, const mrcnl::Address &gid)
{
    const std::string host = names.host(gid);

    p.text("remote-gid", gid.text());
    if (!host.empty())
        p.text("remote-host", host);
}

} // namespace mrcctl
