// SPDX-License-Identifier: GPL-2.0-only
#include "report.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "line_rate.h"
#include "percentile.h"
#include "requester.h"
#include "responder.h"

namespace mrcsim
{

namespace
{

using Json = nlohmann::ordered_json;

constexpr const char *tier_names[tiers] = {"host-up", "t0-up", "t1-down", "t0-down"};
constexpr const char *drop_names[drops] = {"queue", "control", "link", "loss"};

double seconds(Time time)
{
    return static_cast<double>(time) / 1e12;
}

double microseconds(Time time)
{
    return static_cast<double>(time) / 1e6;
}

/** Rounds to as many digits as matter to a reader. */
double rounded(double value)
{
    return std::round(value * 1e6) / 1e6;
}

std::string brief(double value)
{
    std::ostringstream text;

    text.precision(6);
    text << value;
    return text.str();
}

std::string hex(uint64_t value)
{
    std::ostringstream text;

    text << std::hex << value;
    return text.str();
}

} // namespace

const std::vector<FigureName> &figure_names()
{
    static const std::vector<FigureName> names = {{"goodput-min", true},
                                                  {"goodput-mean", true},
                                                  {"goodput-max", true},
                                                  {"goodput-total", true},
                                                  {"goodput-low", true},
                                                  {"sink-min", true},
                                                  {"sink-mean", true},
                                                  {"jain-min", true},
                                                  {"victim-min", true},
                                                  {"completed", true},
                                                  {"completion-p50-us", false},
                                                  {"completion-p99-us", false},
                                                  {"completion-max-us", false},
                                                  {"timeouts", false},
                                                  {"inferred", false},
                                                  {"spurious", false},
                                                  {"lost-mean", false},
                                                  {"lost-max", false},
                                                  {"again", false},
                                                  {"trimmed-share", false},
                                                  {"trims-untold", false},
                                                  {"marked-share", false},
                                                  {"dropped", false},
                                                  {"failed", false},
                                                  {"probes", false},
                                                  {"queue-t0-up-p50", false},
                                                  {"queue-t0-up-p99", false},
                                                  {"queue-t1-down-p50", false},
                                                  {"queue-t1-down-p99", false},
                                                  {"queue-t0-down-p50", false},
                                                  {"queue-t0-down-p99", false},
                                                  {"queue-t0-down-mean", false},
                                                  {"evs-bad-end", false},
                                                  {"evs-bad-max", false},
                                                  {"hops-per-cpu-second", true}};
    return names;
}

Report::Report(const Network &network, const Stats &stats, const Cost &cost)
    : network_(network), stats_(stats), cost_(cost), digest_(stats.digest)
{
    for (const Requester *requester : network.requesters)
        digest_ += requester->digest();
    for (const Responder *responder : network.responders)
        digest_ += responder->digest();
    measure_flows();
    measure_sinks();
    measure_requesters();
    measure_queues();
    measure_evs();
    figures_["hops-per-cpu-second"] =
        cost.cpu_seconds > 0 ? static_cast<double>(stats.hops) / cost.cpu_seconds : 0;
}

/** Goodput of a flow while it had something to send, as a part of the line rate of a host. */
double Report::rate_of(uint32_t flow) const
{
    const Scenario &scenario = network_.scenario;
    const Responder &responder = *network_.responders[flow];
    const Time from = std::max(*scenario.run.from, network_.flows[flow].start);
    const bool over = network_.flows[flow].bytes == responder.bytes() && responder.bytes();
    const Time until = over ? responder.last() : scenario.run.end;

    if (until <= from)
        return 0;
    return static_cast<double>(responder.counted()) / seconds(until - from) / line_rate(scenario);
}

/** Sum of rate_of() of the flows from the same host to other destinations. */
double Report::others_of(uint32_t flow) const
{
    double sum = 0;

    for (uint32_t other = 0; other < network_.flows.size(); other++)
        if (network_.flows[other].source == network_.flows[flow].source &&
            network_.flows[other].destination != network_.flows[flow].destination)
            sum += rate_of(other);
    return sum;
}

void Report::measure_flows()
{
    std::vector<double> rates;
    std::vector<double> completions;
    std::map<uint32_t, double> victims; // per host: its victims' part of the remaining rate

    for (uint32_t flow = 0; flow < network_.flows.size(); flow++) {
        const Time completed = network_.requesters[flow]->completed();
        rates.push_back(rate_of(flow));
        if (network_.flows[flow].victim)
            victims[network_.flows[flow].source] += rates.back() / (1 - others_of(flow));
        if (completed != never)
            completions.push_back(microseconds(completed - network_.flows[flow].start));
    }
    std::sort(rates.begin(), rates.end());
    std::sort(completions.begin(), completions.end());
    figures_["goodput-min"] = percentile(rates, 0);
    figures_["goodput-mean"] = mean(rates);
    figures_["goodput-max"] = percentile(rates, 100);
    figures_["goodput-total"] = mean(rates) * static_cast<double>(rates.size());
    figures_["completed"] = static_cast<double>(completions.size());
    for (const auto &[host, part] : victims) {
        double &least = figures_.try_emplace("victim-min", part).first->second;
        least = std::min(least, part);
    }
    if (completions.empty())
        return;
    figures_["completion-p50-us"] = percentile(completions, 50);
    figures_["completion-p99-us"] = percentile(completions, 99);
    figures_["completion-max-us"] = percentile(completions, 100);
}

/** Measures the sum of the flows to one host, and how equal they are. */
void Report::measure_sinks()
{
    std::map<uint32_t, std::vector<double>> sinks;
    std::vector<double> sums;
    double fairness = 1;

    for (uint32_t flow = 0; flow < network_.flows.size(); flow++)
        if (!network_.flows[flow].victim)
            sinks[network_.flows[flow].group].push_back(rate_of(flow));
    for (const auto &[host, rates] : sinks) {
        sums.push_back(mean(rates) * static_cast<double>(rates.size()));
        fairness = std::min(fairness, jain(rates));
    }
    std::sort(sums.begin(), sums.end());
    figures_["sink-min"] = percentile(sums, 0);
    figures_["sink-mean"] = mean(sums);
    figures_["jain-min"] = fairness;
}

void Report::measure_requesters()
{
    RequesterCounts sum;
    double failed = 0;
    double lost_max = 0;
    double lost = 0;

    for (const Requester *requester : network_.requesters) {
        const RequesterCounts &c = requester->counts();
        const double own = static_cast<double>(c.inferred + c.timeouts + c.ports);
        sum.sent += c.sent;
        sum.timeouts += c.timeouts;
        sum.inferred += c.inferred;
        sum.spurious += c.spurious;
        sum.again += c.again;
        sum.probes += c.probes;
        failed += requester->failed();
        lost += own;
        lost_max = std::max(lost_max, own);
    }
    uint64_t untold = 0;
    for (const Responder *responder : network_.responders)
        untold += responder->untold();
    figures_["trims-untold"] = static_cast<double>(untold);
    const auto sent = std::max<double>(static_cast<double>(stats_.counted_sent), 1);
    uint64_t dropped = 0;
    for (const uint64_t one : stats_.dropped)
        dropped += one;
    figures_["timeouts"] = static_cast<double>(sum.timeouts);
    figures_["inferred"] = static_cast<double>(sum.inferred);
    figures_["spurious"] = static_cast<double>(sum.spurious);
    figures_["again"] = static_cast<double>(sum.again);
    figures_["probes"] = static_cast<double>(sum.probes);
    figures_["failed"] = failed;
    figures_["lost-mean"] = lost / static_cast<double>(network_.flows.size());
    figures_["lost-max"] = lost_max;
    figures_["trimmed-share"] = static_cast<double>(stats_.counted_trimmed) / sent;
    figures_["marked-share"] = static_cast<double>(stats_.counted_marked) / sent;
    figures_["dropped"] = static_cast<double>(dropped);
}

void Report::measure_queues()
{
    for (size_t tier = static_cast<size_t>(Tier::t0_up); tier < tiers; tier++) {
        const std::string name = std::string("queue-") + tier_names[tier];
        const auto &bins = stats_.queue[tier];
        double sum = 0;
        double count = 0;
        for (size_t bin = 0; bin < queue_bins; bin++) {
            sum += static_cast<double>(bin * bins[bin]);
            count += static_cast<double>(bins[bin]);
        }
        figures_[name + "-p50"] =
            static_cast<double>(percentile_bin(bins, 50)) / queue_bins_per_bdp;
        figures_[name + "-p99"] =
            static_cast<double>(percentile_bin(bins, 99)) / queue_bins_per_bdp;
        if (static_cast<Tier>(tier) == Tier::t0_down)
            figures_[name + "-mean"] = count > 0 ? sum / count / queue_bins_per_bdp : 0;
    }
}

/**
 * Measures curves: the number of bad EVs, and the least goodput of all flows together in a sample
 * that counts.
 */
void Report::measure_evs()
{
    const RunSettings &run = network_.scenario.run;
    const Time sample = (run.end + run.samples - 1) / run.samples;
    const double whole = line_rate(network_.scenario) * seconds(sample);
    int64_t bad = 0;
    int64_t most = 0;
    double low = -1;

    for (size_t i = 0; i < stats_.samples.size(); i++) {
        bad += stats_.samples[i].ev_change[static_cast<size_t>(EvCount::bad)];
        most = std::max(most, bad);
        if (i * sample < *run.from || (i + 1) * sample > run.end)
            continue;
        const double part = static_cast<double>(stats_.samples[i].bytes) / whole /
                            static_cast<double>(network_.flows.size());
        low = low < 0 ? part : std::min(low, part);
    }
    figures_["evs-bad-end"] = static_cast<double>(bad);
    figures_["evs-bad-max"] = static_cast<double>(most);
    figures_["goodput-low"] = std::max(low, 0.0);
}

std::vector<std::string> Report::missed() const
{
    std::vector<std::string> missed;

    for (const Expectation &e : network_.scenario.expect) {
        const auto at = figures_.find(e.figure);
        if (at == figures_.end()) {
            missed.push_back(e.figure + " does not exist in this run");
            continue;
        }
        // Bounds apply to the printed value, which is rounded.
        const double value = rounded(at->second);
        if (e.at_least ? value < e.bound : value > e.bound)
            missed.push_back(e.figure + " is " + brief(value) + ", not " + brief(e.bound) +
                             (e.at_least ? " or more" : " or less"));
    }
    return missed;
}

// ---- JSON

Json Report::settings() const
{
    const Derived &d = network_.derived;
    const Scenario &s = network_.scenario;

    return {{"planes", s.fabric.planes},
            {"endpoints", s.fabric.endpoints},
            {"t0-down", s.fabric.t0_down},
            {"t0-up", s.fabric.t0_up},
            {"gbps", static_cast<double>(s.link.mbps) / 1000},
            {"timing", s.transport.timing == EndpointTiming::nic ? "nic" : "software"},
            {"cc", s.transport.nscc ? "uet-1.0-nscc" : "none"},
            {"ecn", s.transport.ecn_absent ? "absent" : "present"},
            {"us", microseconds(s.run.end)},
            {"from-us", microseconds(*s.run.from)},
            {"seed", s.run.seed},
            {"flows", network_.flows.size()},
            {"base-rtt-ns", d.base_rtt_ns},
            {"plane-bdp", d.plane_bdp},
            {"line-rate-gbps", rounded(line_rate(s) * 8 / 1e9)},
            {"timeout-ns", d.retries.timeout_ns},
            {"sack-bytes", d.sack_bytes},
            {"rx-batch", d.rx_batch},
            {"burst", d.burst}};
}

Json Report::totals() const
{
    Json dropped;
    Json trimmed;
    Json marked;

    for (size_t i = 0; i < drops; i++)
        dropped[drop_names[i]] = stats_.dropped[i];
    for (size_t tier = 0; tier < tiers; tier++) {
        trimmed[tier_names[tier]] = stats_.trimmed[tier];
        marked[tier_names[tier]] = stats_.marked[tier];
    }
    return {{"packets", stats_.packets}, {"data", stats_.data}, {"again", stats_.again},
            {"arrived", stats_.arrived}, {"hops", stats_.hops}, {"events", stats_.events},
            {"dropped", dropped},        {"trimmed", trimmed},  {"marked", marked}};
}

Json Report::flows() const
{
    Json all = Json::array();

    for (uint32_t flow = 0; flow < network_.flows.size(); flow++) {
        const Flow &f = network_.flows[flow];
        const Requester &requester = *network_.requesters[flow];
        const RequesterCounts &c = requester.counts();
        Json one = {{"source", f.source},
                    {"destination", f.destination},
                    {"goodput", rounded(rate_of(flow))},
                    {"bytes", network_.responders[flow]->bytes()},
                    {"sent", c.sent},
                    {"again", c.again},
                    {"lost", c.inferred + c.timeouts + c.ports},
                    {"trims", c.trims},
                    {"spurious", c.spurious}};
        if (requester.completed() != never)
            one["completion-us"] = rounded(microseconds(requester.completed() - f.start));
        all.push_back(std::move(one));
    }
    return all;
}

Json Report::queues() const
{
    Json all;

    for (size_t tier = 0; tier < tiers; tier++)
        all[tier_names[tier]] = stats_.queue[tier];
    all["bins-per-bdp"] = queue_bins_per_bdp;
    return all;
}

Json Report::curves() const
{
    const RunSettings &run = network_.scenario.run;
    const Time sample = (run.end + run.samples - 1) / run.samples;
    std::array<int64_t, ev_counts> evs{};
    Json goodput = Json::array();
    Json bad = Json::array();
    Json held = Json::array();

    for (const Sample &s : stats_.samples) {
        for (size_t i = 0; i < ev_counts; i++)
            evs[i] += s.ev_change[i];
        goodput.push_back(rounded(static_cast<double>(s.bytes) * 8 / seconds(sample) / 1e9));
        bad.push_back(evs[static_cast<size_t>(EvCount::bad)]);
        held.push_back(evs[static_cast<size_t>(EvCount::held)]);
    }
    return {{"sample-us", microseconds(sample)},
            {"goodput-gbps", goodput},
            {"evs-bad", bad},
            {"evs-held", held}};
}

Json Report::json() const
{
    Json figures;

    for (const auto &[name, value] : figures_)
        figures[name] = rounded(value);
    return {{"scenario", network_.scenario.name},
            {"settings", settings()},
            {"figures", figures},
            {"missed", missed()},
            {"totals", totals()},
            {"flows", flows()},
            {"queues", queues()},
            {"curves", curves()},
            {"digest", hex(digest_)},
            {"cells", network_.cells},
            {"cpu-seconds", rounded(cost_.cpu_seconds)},
            {"wall-seconds", rounded(cost_.wall_seconds)},
            {"memory-kib", cost_.memory_kib}};
}

} // namespace mrcsim
