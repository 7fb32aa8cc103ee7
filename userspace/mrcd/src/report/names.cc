// SPDX-License-Identifier: GPL-2.0-only
#include "report/names.h"

#include <nlohmann/json.hpp>

#include "plan/planner.h"

namespace mrcd
{

std::string names_json(const Fabric &fabric)
{
    using Json = nlohmann::ordered_json;
    const std::vector<uint64_t> ids = profile_ids(fabric.racks);
    Json object = {{"version", 1},
                   {"block", fabric.block.text()},
                   {"ev-profile", Json::object()},
                   {"host", Json::object()},
                   {"switch", Json::object()}};

    for (size_t rack = 0; rack < ids.size(); rack++)
        object["ev-profile"][std::to_string(ids[rack])] = fabric.racks[rack];
    for (const Host &host : fabric.hosts)
        object["host"][host.gid.text()] = host.name;
    for (const T0 &t0 : fabric.t0)
        object["switch"][std::to_string(t0.usid)] = t0.name;
    for (const T1 &t1 : fabric.t1)
        object["switch"][std::to_string(t1.usid)] = t1.name;
    return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace mrcd
