// SPDX-License-Identifier: GPL-2.0-only
#include "report/metrics.h"

#include <algorithm>
#include <array>
#include <map>

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

namespace mrcd
{

namespace
{

using Labels = std::vector<prometheus::ClientMetric::Label>;

constexpr double ns_per_s = 1e9;

/** Metric families, in the order in which they were first used. */
class Collection
{
public:
    /** @param device label of all metrics */
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

/** Metrics of a loop's probes that are as long as data. */
void add_data(Collection &all, const DataSummary &data, const Labels &labels)
{
    if (!data.bytes)
        return;
    if (data.verdict != Verdict::unknown)
        all.gauge("mrc_link_passes_data", "Whether probes that are as long as data come back.",
                  labels, data.verdict == Verdict::alive);
    all.counter("mrc_link_data_probes_total", "Probes as long as data, sent over this path.",
                labels, real(data.sent));
    all.counter("mrc_link_data_probes_lost_total",
                "Probes as long as data that did not come back, when short ones did.", labels,
                real(data.lost));
}

/** Metrics of a loop by the T0 of a plane, or on to a T1. */
void add_loop(Collection &all, const LoopSummary &loop, const Labels &labels)
{
    if (loop.verdict != Verdict::unknown)
        all.gauge("mrc_link_alive",
                  "Whether probes come back: over the T0, or over the T0 and the T1.", labels,
                  loop.verdict == Verdict::alive);
    all.counter("mrc_link_probes_total", "Probes sent over this path.", labels, real(loop.sent));
    all.counter("mrc_link_probes_lost_total", "Probes that did not come back.", labels,
                real(loop.lost));
    if (loop.srtt_ns)
        all.gauge("mrc_link_rtt_seconds", "Smoothed round-trip time of probes.", labels,
                  real(loop.srtt_ns) / ns_per_s);
    add_data(all, loop.data, labels);
    // There are none when the last hundred probes were lost.
    if (!loop.spread.max)
        return;
    for (const auto &[of, rtt_ns] :
         {std::pair{"min", loop.spread.min}, std::pair{"median", loop.spread.median},
          std::pair{"max", loop.spread.max}}) {
        Labels more = labels;
        more.push_back({"of", of});
        all.gauge("mrc_link_recent_rtt_seconds",
                  "Round-trip times of the last probes: the shortest, the median, the longest.",
                  std::move(more), real(rtt_ns) / ns_per_s);
    }
}

void add_links(Collection &all, const Report &report)
{
    for (const PlaneReport &plane : report.planes) {
        const std::string number = std::to_string(plane.port);
        Labels labels = {{"plane", number}, {"t0", plane.t0}};
        all.gauge("mrc_plane_carrier", "Whether the plane's netdev has carrier.",
                  {{"plane", number}, {"netdev", plane.ifname}}, plane.carrier);
        labels.push_back({"t1", ""});
        add_loop(all, plane.loop, labels);
        for (const T1Report &t1 : plane.t1) {
            labels.back().value = t1.name;
            add_loop(all, t1.loop, labels);
        }
    }
}

void add_faults(Collection &all, const Report &report)
{
    // Without probes no fault can be found.
    if (report.planes.empty())
        return;
    all.gauge("mrc_faults", "Elements of the fabric that mrcd considers broken.", {},
              real(report.faults.size()));
    for (const FaultReport &fault : report.faults)
        all.gauge("mrc_fault", "1 for each element that mrcd considers broken.",
                  {{"element", fault.element},
                   {"kind", name_of(fault.kind)},
                   {"cause", name_of(fault.cause)},
                   {"plane", std::to_string(fault.port)},
                   {"denied", fault.denied ? "true" : "false"}},
                  1);
}

/** The metrics of the file have the names that other programs use for theirs. */
void add_file(Collection &all, const FileState &file)
{
    all.gauge("mrc_config_last_reload_successful",
              "Whether mrcd accepted the file when it last read it.", {}, file.problem.empty());
    all.gauge("mrc_config_last_reload_success_timestamp_seconds",
              "When mrcd read the file that it follows, in seconds since 1970.", {},
              real(file.taken_ns) / ns_per_s);
    all.gauge("mrc_config_info", "1, with a hash of the file that mrcd follows.",
              {{"hash", file.hash}}, 1);
}

void add_health(Collection &all, const Report &report)
{
    all.gauge("mrc_as_planned", "Whether the device is as mrcd's file plans it.",
              {{"host", report.host}}, report.as_planned);
    for (const Health state : {Health::well, Health::not_well, Health::unknown})
        all.gauge("mrc_health", "1 for the state that mrcctl health shows.",
                  {{"state", name_of(state)}}, report.health == state);
    all.gauge("mrc_problems", "Problems that mrcctl health lists.", {},
              real(report.problems.size()));
    for (const Problem &problem : report.problems)
        all.gauge("mrc_problem", "1 for each problem that mrcctl health lists.",
                  {{"kind", name_of(problem.kind)},
                   {"plane", problem.port ? std::to_string(problem.port) : ""},
                   {"what", problem.what}},
                  1);
    add_file(all, report.file);
    add_faults(all, report);
    add_links(all, report);
}

void add_plane(Collection &all, const mrcnl::Plane &plane)
{
    const Labels labels = {{"plane", std::to_string(plane.port)}, {"netdev", plane.ifname}};
    const mrcnl::PlaneStats &stats = plane.stats;
    const auto count = [&](const char *name, const char *help, uint64_t value) {
        all.counter(name, help, labels, real(value));
    };

    all.gauge("mrc_plane_up", "Whether packets are sent over this plane.", labels,
              plane.admin_up && plane.oper_up);
    count("mrc_plane_tx_packets_total", "Packets sent.", stats.tx_packets);
    count("mrc_plane_tx_bytes_total", "Bytes sent.", stats.tx_bytes);
    count("mrc_plane_tx_errors_total", "Packets that could not be sent.", stats.tx_errors);
    count("mrc_plane_rx_packets_total", "Packets received.", stats.rx_packets);
    count("mrc_plane_rx_bytes_total", "Bytes received.", stats.rx_bytes);
    count("mrc_plane_rx_ce_total", "Packets received that switches had marked.", stats.rx_ce);
}

/** Sums over all peers: there may be thousands of them. */
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

std::string name_of(const std::map<mrcnl::Address, std::string> &hosts, const mrcnl::Address &gid)
{
    const auto host = hosts.find(gid);

    return host == hosts.end() ? "" : host->second;
}

/** Metrics of the windows to a peer. If all windows have ended, only their counters. */
void add_windows(Collection &all, const mrcnl::PeerCongestion &congestion, const Labels &labels)
{
    all.counter("mrc_peer_trims_total", "Packets that switches have trimmed.", labels,
                real(congestion.counts.trims));
    if (!congestion.contexts)
        return;
    all.gauge("mrc_peer_cwnd_bytes", "Sum of the congestion windows.", labels,
              real(congestion.cwnd));
    all.gauge("mrc_peer_max_cwnd_bytes", "Limit of the sum of the congestion windows.", labels,
              real(congestion.max_cwnd));
    all.gauge("mrc_peer_delay_seconds", "Delay of round trips beyond those of an empty network.",
              labels, real(congestion.delay) / ns_per_s);
    all.gauge("mrc_peer_target_delay_seconds",
              "Target of the delay beyond the round trips of an empty network.", labels,
              real(congestion.target_delay) / ns_per_s);
}

/**
 * Metrics of single peers: of those with windows of algorithm nscc. If there are too many, only the
 * first ones, which stay the same.
 */
void add_steered_peers(Collection &all, const std::vector<mrcnl::Peer> &peers,
                       const std::map<mrcnl::Address, std::string> &hosts)
{
    size_t left = metrics_peers_max;

    for (const mrcnl::Peer &peer : peers) {
        if (!peer.congestion)
            continue;
        if (!left--)
            return;
        const Labels labels = {{"host", name_of(hosts, peer.key.remote_gid)},
                               {"remote_gid", peer.key.remote_gid.text()},
                               {"local_gid", peer.key.local_gid.text()},
                               {"ev_profile", std::to_string(peer.key.ev_profile)}};
        all.counter("mrc_peer_tx_packets_total", "Packets sent.", labels, real(peer.tx_packets));
        all.counter("mrc_peer_marked_total", "Marks that the peer has echoed.", labels,
                    real(peer.marked));
        add_windows(all, *peer.congestion, labels);
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
    all.gauge("mrc_qp_inflight_packets", "Packets of all QPs that are in flight.", {},
              real(inflight));
    all.gauge("mrc_qp_window_packets",
              "Packets for which the PSN windows of all QPs in RTS have room.", {}, real(window));
    all.gauge("mrc_qp_memory_bytes", "Kernel memory of all QPs.", {}, real(memory));
    add_rtts(all, qps);
}

void add_cc_profiles(Collection &all, const std::vector<mrcnl::CcProfile> &profiles)
{
    for (const mrcnl::CcProfile &profile : profiles)
        if (profile.window)
            all.gauge("mrc_cc_window_bytes",
                      "Most bytes that a QP may have in flight, by CC profile.",
                      {{"cc_profile", std::to_string(profile.id)}}, *profile.window);
}

void add_snapshot(Collection &all, const Report &report, const Snapshot &snapshot)
{
    if (snapshot.planes)
        for (const mrcnl::Plane &plane : *snapshot.planes)
            add_plane(all, plane);
    if (snapshot.peers) {
        add_peers(all, *snapshot.peers);
        add_steered_peers(all, *snapshot.peers, report.hosts);
    }
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

std::string metrics(const Report &report, const Snapshot *snapshot)
{
    Collection all(report.device);

    all.gauge("mrc_device_up", "Whether the module has the device.", {}, snapshot != nullptr);
    add_health(all, report);
    if (snapshot)
        add_snapshot(all, report, *snapshot);
    return all.text();
}

} // namespace mrcd
