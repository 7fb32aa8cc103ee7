// SPDX-License-Identifier: GPL-2.0-only
#include "watch/found.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace mrcd
{

namespace
{

using Json = nlohmann::ordered_json;

/** The index of the node of a name, if there is one. */
template <typename Node>
std::optional<uint32_t> find(const std::vector<Node> &nodes, const Json &name)
{
    const auto at = std::find_if(nodes.begin(), nodes.end(),
                                 [&](const Node &node) { return name == node.name; });

    if (at == nodes.end())
        return std::nullopt;
    return static_cast<uint32_t>(at - nodes.begin());
}

template <typename Node>
std::set<uint32_t> find_all(const std::vector<Node> &nodes, const Json &names)
{
    std::set<uint32_t> found;

    for (const Json &name : names)
        if (const auto index = find(nodes, name))
            found.insert(*index);
    return found;
}

} // namespace

std::string to_json(const Found &found, const Fabric &fabric)
{
    Json object = {{"known", found.known},
                   {"t0", Json::array()},
                   {"t1", Json::array()},
                   {"link", Json::array()}};

    for (const uint32_t t0 : found.denied.t0)
        object["t0"].push_back(fabric.t0[t0].name);
    for (const uint32_t t1 : found.denied.t1)
        object["t1"].push_back(fabric.t1[t1].name);
    for (const auto &[t0, t1] : found.denied.trunks)
        object["link"].push_back(Json::array({fabric.t0[t0].name, fabric.t1[t1].name}));
    return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<Found> read_found(const std::string &json, const Fabric &fabric)
{
    const Json object = Json::parse(json, nullptr, false);
    Found found;

    try {
        found.known = object.at("known").get<bool>();
        found.denied.t0 = find_all(fabric.t0, object.at("t0"));
        found.denied.t1 = find_all(fabric.t1, object.at("t1"));
        for (const Json &link : object.at("link")) {
            const auto t0 = find(fabric.t0, link.at(0));
            const auto t1 = find(fabric.t1, link.at(1));
            if (t0 && t1)
                found.denied.trunks.insert({*t0, *t1});
        }
    } catch (const Json::exception &) {
        return std::nullopt;
    }
    return found;
}

} // namespace mrcd
