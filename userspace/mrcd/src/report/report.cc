// SPDX-License-Identifier: GPL-2.0-only
#include "report/report.h"

#include <algorithm>

namespace mrcd
{

namespace
{

LoopSummary summary(const LoopReport &loop, uint16_t data_bytes)
{
    const LoopHistory &history = *loop.history;
    const LoopHistory &data = *loop.data;

    return {history.verdict(),
            history.sent(),
            history.lost(),
            history.recent(),
            history.recent_lost(),
            history.srtt_ns(),
            history.rtt_spread(),
            history.recent_rtts(),
            {data_bytes, data.verdict(), data.sent(), data.lost()}};
}

std::vector<PlaneReport> planes(const Fabric &fabric, const FaultFinder &finder)
{
    std::vector<PlaneReport> list;

    for (const LoopReport &loop : finder.loops()) {
        if (loop.t1) {
            list.back().t1.push_back(
                {fabric.t1[*loop.t1].name, summary(loop, finder.data_bytes())});
            continue;
        }
        list.push_back({loop.plane,
                        fabric.local.planes[loop.plane - 1u],
                        fabric.t0[own_t0(fabric, loop.plane)].name,
                        finder.carrier(loop.plane),
                        summary(loop, finder.data_bytes()),
                        {}});
    }
    return list;
}

std::vector<FaultReport> faults(const ReportSource &source)
{
    std::vector<FaultReport> list;

    for (const Fault &fault : source.finder->faults()) {
        const Element &element = fault.finding.element;
        list.push_back({to_string(source.fabric, element), element.kind, fault.finding.cause,
                        element.plane, source.wall_ns - (source.monotonic_ns - fault.since_ns),
                        fault.finding.evidence, fault.lost, fault.denied});
    }
    return list;
}

std::vector<std::string> denied(const Fabric &fabric)
{
    std::vector<std::string> names;

    for (const uint32_t t0 : fabric.denied.t0)
        names.push_back(fabric.t0[t0].name);
    for (const uint32_t t1 : fabric.denied.t1)
        names.push_back(fabric.t1[t1].name);
    for (const auto &[t0, t1] : fabric.denied.trunks)
        names.push_back(fabric.t0[t0].name + "-" + fabric.t1[t1].name);
    return names;
}

/** A kernel that does not answer leaves the state unknown. */
Health judge(const std::vector<Problem> &problems, bool knows)
{
    if (std::any_of(problems.begin(), problems.end(),
                    [](const Problem &problem) { return problem.kind != ProblemKind::kernel; }))
        return Health::not_well;
    return problems.empty() && knows ? Health::well : Health::unknown;
}

} // namespace

Report make_report(ReportSource source)
{
    const Fabric &fabric = source.fabric;
    Report report;

    report.device = fabric.local.device;
    report.host = fabric.hosts[fabric.local.host].name;
    report.status = std::move(source.status);
    report.as_planned = source.as_planned;
    report.health = judge(source.problems, source.knows);
    report.time_ns = source.wall_ns;
    report.file = source.file;
    report.denied = denied(fabric);
    for (const Host &host : fabric.hosts)
        report.hosts[host.gid] = host.name;
    report.decisions.assign(source.decisions.begin(), source.decisions.end());
    if (source.finder) {
        report.planes = planes(fabric, *source.finder);
        report.faults = faults(source);
    }
    report.problems = std::move(source.problems);
    return report;
}

} // namespace mrcd
