// SPDX-License-Identifier: GPL-2.0-only
#include "report/metrics.h"

#include <algorithm>
#include <array>
#include <map>

#include <nlohmann/json.hpp>
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include "report/health.h"

namespace mrcd
{

namespace
{

using Json = nlohmann::json;
using Labels = std::vector<prometheus::ClientMetric::Label>;

constexpr double ns_per_s = 1e9;

/** Families in the order in which they are begun. */
class Collection
{
public:
    /** @param device label of all of them */
    explicit Collection(std::string device) : device_(std::move(device)) {}

    void gauge(const std::string &name, const char *help, Labels labels, double value)
    {
        add(name, help, prometheus::MetricType::Gauge, std::move(labels)).gauge.value = value;
    }

    void counter(const std::string &name, const char *help, Labels labels, double value)
    {
        add(name, help, prometheus::MetricType::Counter, std::move(labels)).counter.value = value;
    }

    std::string text() const { return prometheus::TextSerializer().Serialize(families_); }

private:
    prometheus::ClientMetric &add(const std::string &name, const char *help,
                                  prometheus::MetricType type, Labels labels)
    {
        const auto [known, added] = index_.try_emplace(name, families_.size());

        if (added)
            families_.push_back({name, help, type, {}});
        prometheus::ClientMetric &metric = families_[known->second].metric.emplace_back();
        metric.label.push_back({"device", device_});
        metric.label.insert(metric.label.end(), labels.begin(), labels.end());
        return metric;
    }

    std::string device_;
    std::vector<prometheus::MetricFamily> families_;
    std::map<std::string, size_t> index_;
};

template <typename Number>
double real(Number number)
{
    return static_cast<double>(number);
}

/** Probes of a loop that are as long as data. */
void add_data(Collection &all, const Json &data, const Labels &labels)
{
    const std::string verdict = data.at("verdict");

    if (verdict != "unknown")
        all.gauge("mrc_link_passes_data", "Whether probes that are as long as data come back.",
                  labels, verdict == "alive");
    all.counter("mrc_link_data_probes_total", "Probes as long as data, sent by this way.", labels,
                data.at("sent").get<double>());
    all.counter("mrc_link_data_probes_lost_total",
                "Probes as long as data that did not come back, when short ones did.", labels,
                data.at("lost").get<double>());
}

/** A loop: of a plane by its T0, or further to a T1. */
void add_loop(Collection &all, const Json &loop, const Labels &labels)
{
    const std::string verdict = loop.at("verdict");

    if (verdict != "unknown")
        all.gauge("mrc_link_alive", "Whether probes come back: by the T0, or by it and the T1.",
                  labels, verdict == "alive");
    all.counter("mrc_link_probes_total", "Probes sent by this way.", labels,
                loop.at("sent").get<double>());
    all.counter("mrc_link_probes_lost_total", "Probes that did not come back.", labels,
                loop.at("lost").get<double>());
    if (const double rtt = loop.at("rtt"); rtt > 0)
        all.gauge("mrc_link_rtt_seconds", "Smoothed round-trip time of probes.", labels,
                  rtt / ns_per_s);
    if (loop.contains("data"))
        add_data(all, loop.at("data"), labels);
    // Gone when the last hundred were lost.
    if (!loop.at("rtt-max").get<uint64_t>())
        return;
    for (const char *of : {"min", "median", "max"}) {
        Labels more = labels;
        more.push_back({"of", of});
        all.gauge("mrc_link_recent_rtt_seconds",
                  "Round-trip times of the last probes: the shortest, the median, the longest.",
                  std::move(more), loop.at(std::string("rtt-") + of).get<double>() / ns_per_s);
    }
}

void add_links(Collection &all, const Json &health)
{
    for (const Json &plane : health.at("plane")) {
        const std::string number = std::to_string(plane.at("port").get<unsigned>());
        Labels labels = {{"plane", number}, {"t0", plane.at("t0")}};
        all.gauge("mrc_plane_carrier", "Whether the plane's netdev has carrier.",
                  {{"plane", number}, {"netdev", plane.at("ifname")}},
                  plane.at("carrier").get<bool>());
        labels.push_back({"t1", ""});
        add_loop(all, plane, labels);
        for (const Json &t1 : plane.at("t1")) {
            labels.back().value = t1.at("name");
            add_loop(all, t1, labels);
        }
    }
}

void add_health(Collection &all, const Json &health)
{
    all.gauge("mrc_as_planned", "Whether the device is as mrcd's file plans it.",
              {{"host", health.at("host")}}, health.at("status") == as_planned);
    // Whoever does not look finds nothing.
    if (health.at("plane").empty())
        return;
    all.gauge("mrc_faults", "Elements of the fabric that mrcd holds to be broken.", {},
              real(health.at("fault").size()));
    for (const Json &fault : health.at("fault"))
        all.gauge("mrc_fault", "1 for each element that mrcd holds to be broken.",
                  {{"element", fault.at("element")},
                   {"kind", fault.at("kind")},
                   {"cause", fault.at("cause")},
                   {"plane", std::to_string(fault.at("port").get<unsigned>())},
                   {"denied", fault.at("denied").get<bool>() ? "true" : "false"}},
                  1);
    add_links(all, health);
}

void add_plane(Collection &all, const mrcnl::Plane &plane)
{
    const Labels labels = {{"plane", std::to_string(plane.port)}, {"netdev", plane.ifname}};
    const mrcnl::PlaneStats &stats = plane.stats;
    const auto count = [&](const char *name, const char *help, uint64_t value) {
        all.counter(name, help, labels, real(value));
    };

    all.gauge("mrc_plane_up", "Whether packets are sent by this plane.", labels,
              plane.admin_up && plane.oper_up);
    count("mrc_plane_tx_packets_total", "Packets sent.", stats.tx_packets);
    count("mrc_plane_tx_bytes_total", "Bytes sent.", stats.tx_bytes);
    count("mrc_plane_tx_errors_total", "Packets that could not be sent.", stats.tx_errors);
    count("mrc_plane_rx_packets_total", "Packets received.", stats.rx_packets);
    count("mrc_plane_rx_bytes_total", "Bytes received.", stats.rx_bytes);
    count("mrc_plane_rx_ce_total", "Packets received that switches had marked.", stats.rx_ce);
}

/** Over all peers: there may be thousands. */
void add_peers(Collection &all, const std::vector<mrcnl::Peer> &peers)
{
    static constexpr std::array states = {std::pair{"good", &mrcnl::Peer::evs_good},
                                          std::pair{"skip", &mrcnl::Peer::evs_skip},
                                          std::pair{"held", &mrcnl::Peer::evs_held},
                                          std::pair{"assumed-bad", &mrcnl::Peer::evs_assumed_bad},
                                          std::pair{"denied", &mrcnl::Peer::evs_denied}};

    all.gauge("mrc_peers", "Peers that QPs are connected to.", {}, real(peers.size()));
    for (const auto &[state, member] : states) {
        uint64_t sum = 0;
        for (const mrcnl::Peer &peer : peers)
            sum += peer.*member;
        all.gauge("mrc_evs", "EVs towards all peers, by state.", {{"state", state}}, real(sum));
    }
}

void add_rtts(Collection &all, const std::vector<mrcnl::Qp> &qps)
{
    std::vector<uint64_t> rtts;

    for (const mrcnl::Qp &qp : qps)
        if (qp.srtt)
            rtts.push_back(qp.srtt);
    if (rtts.empty())
        return;
    std::sort(rtts.begin(), rtts.end());
    constexpr const char *help = "Smoothed round-trip time of QPs: the median and the longest.";
    all.gauge("mrc_qp_rtt_seconds", help, {{"of", "median"}},
              real(rtts[rtts.size() / 2]) / ns_per_s);
    all.gauge("mrc_qp_rtt_seconds", help, {{"of", "max"}}, real(rtts.back()) / ns_per_s);
}

void add_qps(Collection &all, const std::vector<mrcnl::Qp> &qps)
{
    std::map<std::string, uint64_t> states;
    uint64_t inflight = 0;
    uint64_t window = 0;
    uint64_t memory = 0;

    for (const mrcnl::QpState state :
         {mrcnl::QpState::reset, mrcnl::QpState::init, mrcnl::QpState::rtr, mrcnl::QpState::rts,
          mrcnl::QpState::sqd, mrcnl::QpState::sqe, mrcnl::QpState::err})
        states[to_string(state)] = 0;
    for (const mrcnl::Qp &qp : qps) {
        states[to_string(qp.state)]++;
        inflight += qp.inflight;
        window += qp.state == mrcnl::QpState::rts ? qp.mpr_tx * mrcnl::mpr_unit : 0;
        memory += qp.memory;
    }
    for (const auto &[state, count] : states)
        all.gauge("mrc_qps", "QPs, by state.", {{"state", state}}, real(count));
    all.gauge("mrc_qp_inflight_packets", "Packets of all QPs that are on their way.", {},
              real(inflight));
    all.gauge("mrc_qp_window_packets", "What the PSN windows of all QPs in RTS have room for.", {},
              real(window));
    all.gauge("mrc_qp_memory_bytes", "Kernel memory of all QPs.", {}, real(memory));
    add_rtts(all, qps);
}

void add_cc_profiles(Collection &all, const std::vector<mrcnl::CcProfile> &profiles)
{
    for (const mrcnl::CcProfile &profile : profiles)
        all.gauge("mrc_cc_window_bytes", "What a QP has in flight at most, by its CC profile.",
                  {{"cc_profile", std::to_string(profile.id)}}, profile.window);
}

void add_snapshot(Collection &all, const Snapshot &snapshot)
{
    if (snapshot.planes)
        for (const mrcnl::Plane &plane : *snapshot.planes)
            add_plane(all, plane);
    if (snapshot.peers)
        add_peers(all, *snapshot.peers);
    if (snapshot.qps)
        add_qps(all, *snapshot.qps);
    if (snapshot.cc_profiles)
        add_cc_profiles(all, *snapshot.cc_profiles);
    for (const mrcnl::Counter &counter : snapshot.device.counters)
        all.counter("mrc_" + counter.name + "_total",
                    "The device's counter of this name, see Documentation/counters.md.", {},
                    real(counter.value));
}

} // namespace

std::string metrics(const std::string &health, const Snapshot *snapshot)
{
    const Json parsed = Json::parse(health);
    Collection all(parsed.at("dev-name"));

    all.gauge("mrc_device_up", "Whether the module has the device.", {}, snapshot != nullptr);
    add_health(all, parsed);
    if (snapshot)
        add_snapshot(all, *snapshot);
    return all.text();
}

} // namespace mrcd
