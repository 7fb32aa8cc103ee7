// SPDX-License-Identifier: GPL-2.0-only
#include "report/health.h"

#include <nlohmann/json.hpp>

namespace mrcd
{

namespace
{

using Json = nlohmann::ordered_json;

constexpr uint64_t ns_per_us = 1000;

const char *name_of(Verdict verdict)
{
    static constexpr const char *names[] = {"unknown", "alive", "dead"};

    return names[static_cast<size_t>(verdict)];
}

/** In us, for there are many. */
Json rtts(const LoopHistory &history)
{
    Json list = Json::array();

    for (const uint32_t rtt_ns : history.recent_rtts())
        list.push_back((rtt_ns + ns_per_us - 1) / ns_per_us);
    return list;
}

void add_history(Json &object, const LoopHistory &history)
{
    const RttSpread spread = history.rtt_spread();

    object["verdict"] = name_of(history.verdict());
    object["sent"] = history.sent();
    object["lost"] = history.lost();
    object["recent"] = history.recent();
    object["recent-lost"] = history.recent_lost();
    object["rtt"] = history.srtt_ns();
    object["rtt-min"] = spread.min;
    object["rtt-median"] = spread.median;
    object["rtt-max"] = spread.max;
    object["history"] = rtts(history);
}

/** What is as long as data; nothing where that is not probed. */
void add_data(Json &object, const Health &health, const LoopHistory &history)
{
    if (health.watch->data_bytes())
        object["data"] = {{"bytes", health.watch->data_bytes()},
                          {"verdict", name_of(history.verdict())},
                          {"sent", history.sent()},
                          {"lost", history.lost()}};
}

Json planes(const Health &health)
{
    Json list = Json::array();

    for (const LoopReport &loop : health.watch->loops()) {
        if (loop.t1) {
            Json t1 = {{"name", health.fabric.t1[*loop.t1].name}};
            add_history(t1, *loop.history);
            add_data(t1, health, *loop.data);
            list.back()["t1"].push_back(std::move(t1));
            continue;
        }
        Json plane = {{"port", loop.plane},
                      {"ifname", health.fabric.local.planes[loop.plane - 1u]},
                      {"carrier", health.watch->carrier(loop.plane)},
                      {"t0", health.fabric.t0[own_t0(health.fabric, loop.plane)].name}};
        add_history(plane, *loop.history);
        add_data(plane, health, *loop.data);
        plane["t1"] = Json::array();
        list.push_back(std::move(plane));
    }
    return list;
}

Json faults(const Health &health)
{
    Json list = Json::array();

    for (const Fault &fault : health.watch->faults())
        list.push_back({{"element", to_string(health.fabric, fault.finding.element)},
                        {"kind", name_of(fault.finding.element.kind)},
                        {"cause", name_of(fault.finding.cause)},
                        {"port", fault.finding.element.plane},
                        {"since", health.wall_ns - (health.monotonic_ns - fault.since_ns)},
                        {"evidence", fault.finding.evidence},
                        {"lost", fault.lost},
                        {"denied", fault.denied}});
    return list;
}

/** What the file denies. */
Json denied(const Fabric &fabric)
{
    Json list = Json::array();

    for (const uint32_t t0 : fabric.denied.t0)
        list.push_back(fabric.t0[t0].name);
    for (const uint32_t t1 : fabric.denied.t1)
        list.push_back(fabric.t1[t1].name);
    for (const auto &[t0, t1] : fabric.denied.trunks)
        list.push_back(fabric.t0[t0].name + "-" + fabric.t1[t1].name);
    return list;
}

} // namespace

const char *name_of(Element::Kind kind)
{
    static constexpr const char *names[] = {"host-link", "t0", "trunk", "t1"};

    return names[static_cast<size_t>(kind)];
}

std::string to_json(const Health &health)
{
    const bool watched = health.watch;
    Json object = {{"dev-name", health.fabric.local.device},
                   {"host", health.fabric.hosts[health.fabric.local.host].name},
                   {"status", health.status},
                   {"time", health.wall_ns},
                   {"plane", watched ? planes(health) : Json::array()},
                   {"fault", watched ? faults(health) : Json::array()},
                   {"denied", denied(health.fabric)},
                   {"decision", Json::array()}};

    for (const Decision &decision : health.decisions)
        object["decision"].push_back({{"time", decision.time_ns}, {"text", decision.text}});
    return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace mrcd
