// SPDX-License-Identifier: GPL-2.0-only
#include "report/report_json.h"

namespace mrcd
{

namespace
{

using Json = nlohmann::ordered_json;

constexpr uint64_t ns_per_us = 1000;

/** Round-trip times in us, to keep them short: there are many. */
Json rtts(const LoopSummary &loop)
{
    Json list = Json::array();

    for (const uint32_t rtt_ns : loop.rtts_ns)
        list.push_back((rtt_ns + ns_per_us - 1) / ns_per_us);
    return list;
}

void add_loop(Json &object, const LoopSummary &loop)
{
    object["verdict"] = name_of(loop.verdict);
    object["sent"] = loop.sent;
    object["lost"] = loop.lost;
    object["recent"] = loop.recent;
    object["recent-lost"] = loop.recent_lost;
    object["rtt-ns"] = loop.srtt_ns;
    object["rtt-min-ns"] = loop.spread.min;
    object["rtt-median-ns"] = loop.spread.median;
    object["rtt-max-ns"] = loop.spread.max;
    object["history-us"] = rtts(loop);
    if (loop.data.bytes)
        object["data"] = {{"bytes", loop.data.bytes},
                          {"verdict", name_of(loop.data.verdict)},
                          {"sent", loop.data.sent},
                          {"lost", loop.data.lost}};
}

Json planes(const Report &report)
{
    Json list = Json::array();

    for (const PlaneReport &plane : report.planes) {
        Json object = {{"port", plane.port},
                       {"ifname", plane.ifname},
                       {"carrier", plane.carrier},
                       {"t0", plane.t0}};
        add_loop(object, plane.loop);
        object["t1"] = Json::array();
        for (const T1Report &t1 : plane.t1) {
            Json one = {{"name", t1.name}};
            add_loop(one, t1.loop);
            object["t1"].push_back(std::move(one));
        }
        list.push_back(std::move(object));
    }
    return list;
}

Json faults(const Report &report)
{
    Json list = Json::array();

    for (const FaultReport &fault : report.faults)
        list.push_back({{"element", fault.element},
                        {"kind", name_of(fault.kind)},
                        {"cause", name_of(fault.cause)},
                        {"port", fault.port},
                        {"since-ns", fault.since_ns},
                        {"evidence", fault.evidence},
                        {"lost", fault.lost},
                        {"denied", fault.denied}});
    return list;
}

Json problems(const Report &report)
{
    Json list = Json::array();

    for (const Problem &problem : report.problems)
        list.push_back({{"kind", name_of(problem.kind)},
                        {"port", problem.port},
                        {"what", problem.what},
                        {"seen", problem.seen},
                        {"since-ns", problem.since_ns},
                        {"mend", problem.mend}});
    return list;
}

Json file(const FileState &file)
{
    return {{"name", file.name},         {"hash", file.hash},
            {"taken-ns", file.taken_ns}, {"refused-ns", file.refused_ns},
            {"problem", file.problem},   {"changed", file.changed}};
}

} // namespace

const char *name_of(Verdict verdict)
{
    static constexpr const char *names[] = {"unknown", "alive", "dead"};

    return names[static_cast<size_t>(verdict)];
}

Json to_json(const Report &report)
{
    Json object = {{"version", report_version}, {"dev-name", report.device},
                   {"host", report.host},       {"state", name_of(report.health)},
                   {"status", report.status},   {"time-ns", report.time_ns},
                   {"file", file(report.file)}, {"problem", problems(report)},
                   {"plane", planes(report)},   {"fault", faults(report)},
                   {"denied", report.denied},   {"decision", Json::array()}};

    for (const Decision &decision : report.decisions)
        object["decision"].push_back({{"time-ns", decision.time_ns}, {"text", decision.text}});
    return object;
}

std::string text_of(const Json &json)
{
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace mrcd
