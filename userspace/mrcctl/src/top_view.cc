// SPDX-License-Identifier: GPL-2.0-only
#include "top_view.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <initializer_list>
#include <utility>

#include "clock.h"
#include "objects.h"
#include "table.h"

namespace mrcctl
{

namespace
{

/** Numbers of rows of the tables: planes, peers, QPs. */
using Rows = std::array<size_t, 3>;

void print_evs(Printer &p, const EvCount &evs)
{
    p.number("evs", evs.all);
    p.number("evs-good", evs.good);
    p.number("evs-spare", evs.spare);
}

/** Names and members of a rate. */
template <typename Rate>
using Values = std::initializer_list<std::pair<const char *, double Rate::*>>;

template <typename Rate>
void print_values(Printer &p, const Rate &rate, Values<Rate> values)
{
    for (const auto &[name, value] : values)
        p.hidden_decimal(name, rate.*value);
}

template <typename Rate>
void print_rate(Printer &p, const std::optional<Rate> &rate, Values<Rate> values)
{
    if (!rate)
        return;
    p.enter("per-second");
    print_values(p, *rate, values);
    p.leave();
}

void print_plane_json(Printer &p, const PlaneActivity &activity)
{
    p.begin_object();
    print_plane(p, activity.plane);
    print_evs(p, activity.evs);
    print_rate(p, activity.rate,
               {{"tx-packets", &PlaneRate::tx_packets},
                {"tx-bytes", &PlaneRate::tx_bytes},
                {"tx-errors", &PlaneRate::tx_errors},
                {"rx-packets", &PlaneRate::rx_packets},
                {"rx-bytes", &PlaneRate::rx_bytes},
                {"rx-ce", &PlaneRate::rx_ce}});
    p.end_object();
}

void print_ports_json(Printer &p, const EvsByPort &ports)
{
    p.begin_list("plane");
    for (const auto &[port, evs] : ports) {
        p.begin_object();
        p.number("port", port);
        print_evs(p, evs);
        p.end_object();
    }
    p.end_list();
}

void print_peer_rates(Printer &p, const PeerActivity &activity)
{
    if (!activity.rate)
        return;
    p.enter("per-second");
    print_values(p, *activity.rate,
                 {{"tx-packets", &PeerRate::tx_packets},
                  {"acked", &PeerRate::acked},
                  {"marked", &PeerRate::marked},
                  {"lost", &PeerRate::lost},
                  {"probed", &PeerRate::probed}});
    if (activity.congestion)
        print_values(p, *activity.congestion,
                     {{"fast", &CongestionRate::fast},
                      {"proportional", &CongestionRate::proportional},
                      {"fair", &CongestionRate::fair},
                      {"hold", &CongestionRate::hold},
                      {"decrease", &CongestionRate::decrease},
                      {"cuts", &CongestionRate::cuts},
                      {"quick-adapts", &CongestionRate::quick_adapts},
                      {"trims", &CongestionRate::trims},
                      {"penalties", &CongestionRate::penalties}});
    p.leave();
}

void print_peer_json(Printer &p, const PeerActivity &activity, const Names &names)
{
    const mrcnl::Peer &peer = activity.peer;

    p.begin_object();
    p.hidden("dev-index", peer.device.index);
    p.bare("dev-name", peer.device.name);
    print_remote(p, names, peer.key.remote_gid);
    p.text("local-gid", peer.key.local_gid.text());
    print_ev_profile(p, names, peer.key.ev_profile);
    print_evs(p, {peer.evs, good_but_spares(peer), peer.evs_spare});
    print_ports_json(p, activity.evs);
    if (peer.congestion)
        print_peer_congestion(p, *peer.congestion);
    print_peer_rates(p, activity);
    p.end_object();
}

void print_qp_json(Printer &p, const QpActivity &activity, const Names &names)
{
    const mrcnl::Qp &qp = activity.qp;

    p.begin_object();
    p.hidden("dev-index", qp.device.index);
    p.bare("dev-name", qp.device.name);
    p.number("qpn", qp.qpn);
    p.text("state", to_string(qp.state));
    if (qp.pid)
        p.number("pid", qp.pid);
    if (qp.connection) {
        p.number("dest-qpn", qp.connection->dest_qpn);
        print_remote(p, names, qp.connection->remote_gid);
    }
    p.number("inflight", qp.inflight);
    p.number("lost", qp.lost);
    p.number("mpr-tx", qp.mpr_tx);
    if (qp.srtt)
        p.duration("srtt", qp.srtt);
    print_rate(p, activity.rate,
               {{"tx-packets", &QpRate::tx_packets},
                {"rx-packets", &QpRate::rx_packets},
                {"rtx-packets", &QpRate::rtx_packets}});
    p.end_object();
}

/** Three significant digits and a unit: "0", "0.25", "12.3k". */
std::string amount_text(double amount)
{
    constexpr std::array units = {"", "k", "M", "G", "T"};
    std::array<char, 32> text{};
    size_t unit = 0;

    if (amount == 0)
        return "0";
    for (; amount >= 999.5 && unit + 1 < units.size(); unit++)
        amount /= 1000;
    const int decimals = amount < 9.995 ? 2 : amount < 99.95 ? 1 : 0;
    snprintf(text.data(), text.size(), "%.*f%s", decimals, amount, units[unit]);
    return text.data();
}

/** A rate; "-" if there is none. */
template <typename Rate>
Cell rate_cell(const std::optional<Rate> &rate, double Rate::*member, Color color = Color::none)
{
    if (!rate)
        return {"-"};
    return {amount_text((*rate).*member), (*rate).*member > 0 ? color : Color::none};
}

Cell gigabits_cell(const std::optional<PlaneRate> &rate, double PlaneRate::*bytes)
{
    std::array<char, 32> text{};

    if (!rate)
        return {"-"};
    snprintf(text.data(), text.size(), "%.3f", (*rate).*bytes * 8 / 1e9);
    return {text.data()};
}

Cell plane_state_cell(const mrcnl::Plane &plane)
{
    if (!plane.admin_up)
        return {"off", Color::warn};
    return plane.oper_up ? Cell{"up", Color::good} : Cell{"down", Color::bad};
}

/** "12/16": good EVs of all; "-" if there are no EVs. */
Cell evs_cell(const EvCount &evs)
{
    if (!evs.all)
        return {"-"};
    const uint32_t good = evs.good + evs.spare;
    return {std::to_string(good) + "/" + std::to_string(evs.all),
            good == evs.all ? Color::none : Color::warn};
}

/** "1:16 2:12/16": EVs by port; only one number if all are good. */
Cell ports_cell(const EvsByPort &ports)
{
    Cell cell;

    for (const auto &[port, evs] : ports) {
        cell.text += (cell.text.empty() ? "" : " ") + std::to_string(port) + ":";
        if (evs.good + evs.spare < evs.all) {
            cell.text += std::to_string(evs.good + evs.spare) + "/";
            cell.color = Color::warn;
        }
        cell.text += std::to_string(evs.all);
    }
    return cell.text.empty() ? Cell{"-"} : cell;
}

void print_planes(Printer &p, const Activity &activity, size_t rows, size_t width)
{
    Table table({{"DEV", true, 0, Cut::end},
                 {"PORT"},
                 {"NETDEV", true, 0, Cut::end},
                 {"STATE", true},
                 {"TX Gb/s", false, 7},
                 {"TX/s", false, 5},
                 {"RX Gb/s", false, 7},
                 {"RX/s", false, 5},
                 {"CE/s", false, 5},
                 {"ERR/s", false, 5},
                 {"EVS"}});

    for (size_t i = 0; i < rows; i++) {
        const auto &[plane, evs, rate] = activity.planes[i];

        table.add({{plane.device.name, Color::name},
                   {std::to_string(plane.port)},
                   {plane.ifname.empty() ? "-" : plane.ifname},
                   plane_state_cell(plane),
                   gigabits_cell(rate, &PlaneRate::tx_bytes),
                   rate_cell(rate, &PlaneRate::tx_packets),
                   gigabits_cell(rate, &PlaneRate::rx_bytes),
                   rate_cell(rate, &PlaneRate::rx_packets),
                   rate_cell(rate, &PlaneRate::rx_ce, Color::warn),
                   rate_cell(rate, &PlaneRate::tx_errors, Color::bad),
                   evs_cell(evs)});
    }
    table.print(p, width);
}

std::string name_or(const std::string &name, const std::string &number)
{
    return name.empty() ? number : name;
}

/** "98.3k/750k": the sum of the windows, and of their limits. */
Cell cwnd_cell(const std::optional<mrcnl::PeerCongestion> &congestion)
{
    if (!congestion || !congestion->contexts)
        return {"-"};
    return {amount_text(static_cast<double>(congestion->cwnd)) + "/" +
            amount_text(static_cast<double>(congestion->max_cwnd))};
}

Cell delay_cell(const std::optional<mrcnl::PeerCongestion> &congestion)
{
    if (!congestion || !congestion->contexts)
        return {"-"};
    const bool late = congestion->delay > congestion->target_delay;
    return {duration_text(congestion->delay), late ? Color::warn : Color::none};
}

Cell base_rtt_cell(const std::optional<mrcnl::PeerCongestion> &congestion)
{
    if (!congestion || !congestion->contexts || !congestion->base_rtt)
        return {"-"};
    return {duration_text(congestion->base_rtt)};
}

/**
 * "62/5/20/13": percent of the SACKs in each quadrant. Fast increase counts as proportional, too.
 */
Cell quadrants_cell(const std::optional<CongestionRate> &rate)
{
    const CongestionRate &r = rate.value_or(CongestionRate{});
    const double all = r.fast + r.proportional + r.fair + r.hold + r.decrease;
    std::array<char, 32> text{};

    if (all <= 0)
        return {"-"};
    snprintf(text.data(), text.size(), "%.0f/%.0f/%.0f/%.0f", 100 * (r.fast + r.proportional) / all,
             100 * r.fair / all, 100 * r.hold / all, 100 * r.decrease / all);
    return {text.data()};
}

/** The columns of windows that are shown. */
enum class Windows {
    none,   ///< no window of algorithm nscc
    size,   ///< some peers have such windows: show their sizes
    signals ///< also show the signals of the network
};

std::vector<Column> peer_columns(Windows windows)
{
    std::vector<Column> columns{
        {"DEV", true, 0, Cut::end}, {"PEER", true, 0, Cut::begin}, {"EV-PROFILE"},
        {"TX/s", false, 5},         {"LOST/s", false, 5},          {"MARKED/s", false, 5}};

    if (windows != Windows::none) {
        columns.push_back({"CWND", false, 11});
        columns.push_back({"DELAY", false, 9});
    }
    if (windows == Windows::signals)
        columns.insert(columns.end(), {{"BASE", false, 9},
                                       {"TRIM/s", false, 5},
                                       {"QA/s", false, 5},
                                       {"P/F/H/D %", false, 11}});
    columns.push_back({"EVS BY PORT", true, 0, Cut::end});
    return columns;
}

std::vector<Cell> peer_cells(const PeerActivity &activity, const Names &names, Windows windows)
{
    const auto &[peer, evs, rate, congestion] = activity;
    std::vector<Cell> cells{
        {peer.device.name, Color::name},
        {name_or(names.host(peer.key.remote_gid), peer.key.remote_gid.text())},
        {name_or(names.ev_profile(peer.key.ev_profile), std::to_string(peer.key.ev_profile))},
        rate_cell(rate, &PeerRate::tx_packets),
        rate_cell(rate, &PeerRate::lost, Color::bad),
        rate_cell(rate, &PeerRate::marked, Color::warn)};

    if (windows != Windows::none) {
        cells.push_back(cwnd_cell(peer.congestion));
        cells.push_back(delay_cell(peer.congestion));
    }
    if (windows == Windows::signals)
        cells.insert(cells.end(),
                     {base_rtt_cell(peer.congestion),
                      rate_cell(congestion, &CongestionRate::trims, Color::warn),
                      rate_cell(congestion, &CongestionRate::quick_adapts, Color::warn),
                      quadrants_cell(congestion)});
    cells.push_back(ports_cell(evs));
    return cells;
}

void print_peers(Printer &p, const Activity &activity, const NamesOf &names, size_t rows,
                 size_t width)
{
    const bool steered =
        std::any_of(activity.peers.begin(), activity.peers.end(),
                    [](const auto &peer) { return peer.peer.congestion.has_value(); });
    const Windows windows = !steered                 ? Windows::none
                            : p.options().statistics ? Windows::signals
                                                     : Windows::size;
    Table table(peer_columns(windows));

    for (size_t i = 0; i < rows; i++) {
        const PeerActivity &peer = activity.peers[i];

        table.add(peer_cells(peer, names(peer.peer.device.name), windows));
    }
    table.print(p, width);
}

/** Packets in flight, and the PSN window. */
Cell inflight_cell(const mrcnl::Qp &qp)
{
    return {std::to_string(qp.inflight) + "/" + std::to_string(qp.mpr_tx * mrcnl::mpr_unit)};
}

void print_qps(Printer &p, const Activity &activity, const NamesOf &names, size_t rows,
               size_t width)
{
    Table table({{"DEV", true, 0, Cut::end},
                 {"QP"},
                 {"STATE", true},
                 {"PEER", true, 0, Cut::begin},
                 {"TX/s", false, 5},
                 {"RX/s", false, 5},
                 {"RTX/s", false, 5},
                 {"INFLIGHT", false, 9},
                 {"SRTT", false, 9},
                 {"PID"}});

    for (size_t i = 0; i < rows; i++) {
        const auto &[qp, rate] = activity.qps[i];
        const Names &of = names(qp.device.name);

        table.add({{qp.device.name, Color::name},
                   {std::to_string(qp.qpn)},
                   {to_string(qp.state), color_of(qp.state)},
                   {qp.connection ? name_or(of.host(qp.connection->remote_gid),
                                            qp.connection->remote_gid.text())
                                  : "-"},
                   rate_cell(rate, &QpRate::tx_packets),
                   rate_cell(rate, &QpRate::rx_packets),
                   rate_cell(rate, &QpRate::rtx_packets, Color::bad),
                   inflight_cell(qp),
                   {qp.srtt ? duration_text(qp.srtt) : "-"},
                   {qp.pid ? std::to_string(qp.pid) : "-"}});
    }
    table.print(p, width);
}

/** Shares the rows of a window evenly among the tables that want more than fits. */
Rows share(const Rows &wanted, const Window &window)
{
    const size_t tables = wanted.size() - std::count(wanted.begin(), wanted.end(), 0);
    // The summary line, the headings, the free row.
    const size_t used = 2 + tables;
    size_t left = window.rows - std::min(window.rows, used);
    Rows shown{};

    while (left && shown != wanted)
        for (size_t i = 0; i < shown.size(); i++)
            if (left && shown[i] < wanted[i]) {
                shown[i]++;
                left--;
            }
    return shown;
}

/** "4 planes", or "3 of 4 planes" */
std::string count_text(size_t shown, size_t all, const char *what)
{
    const std::string text = std::to_string(all) + " " + what + (all == 1 ? "" : "s");

    return shown < all ? std::to_string(shown) + " of " + text : text;
}

void print_summary(Printer &p, const Activity &activity, const Rows &shown, int64_t time,
                   size_t width)
{
    const std::string interval = activity.interval ? duration_text(activity.interval) : "-";
    const std::string text = time_text(time) + "  " + interval + "  " +
                             count_text(shown[0], activity.planes.size(), "plane") + ", " +
                             count_text(shown[1], activity.peers.size(), "peer") + ", " +
                             count_text(shown[2], activity.qps.size(), "QP");

    p.begin_object();
    p.plain(width ? cut_text(text, width, Cut::end) : text);
    p.end_object();
}

} // namespace

void print_activity_json(Printer &p, const Activity &activity, uint64_t time, const NamesOf &names)
{
    p.begin_object();
    p.hidden("time-ns", time);
    p.hidden("interval-ns", activity.interval);
    p.begin_list("plane");
    for (const PlaneActivity &plane : activity.planes)
        print_plane_json(p, plane);
    p.end_list();
    p.begin_list("peer");
    for (const PeerActivity &peer : activity.peers)
        print_peer_json(p, peer, names(peer.peer.device.name));
    p.end_list();
    p.begin_list("qp");
    for (const QpActivity &qp : activity.qps)
        print_qp_json(p, qp, names(qp.qp.device.name));
    p.end_list();
    p.end_object();
}

void print_activity_text(Printer &p, const Activity &activity, int64_t time,
                         const std::optional<Window> &window, const NamesOf &names)
{
    const Rows all = {activity.planes.size(), activity.peers.size(), activity.qps.size()};
    const Rows rows = window ? share(all, *window) : all;
    const size_t width = window ? window->columns : 0;

    print_summary(p, activity, rows, time, width);
    print_planes(p, activity, rows[0], width);
    print_peers(p, activity, names, rows[1], width);
    print_qps(p, activity, names, rows[2], width);
}

} // namespace mrcctl
