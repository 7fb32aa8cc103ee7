// SPDX-License-Identifier: GPL-2.0-only
#include <algorithm>
#include <array>

#include "command.h"
#include "objects.h"

namespace mrcctl
{

namespace
{

constexpr const char qp_help[] =
    "Usage: mrcctl qp [ show [ DEV ] [ qpn N ] [ remote GID ] [ state STATE ]\n"
    "                 [ ev-profile ID ] [ pid PID ] ]\n"
    "STATE := { reset | init | rtr | rts | sqd | sqe | err }\n"
    "Shows all QPs, or those that meet all conditions. Option -s adds progress, option -d the\n"
    "settings. Only administrators see PSNs.\n";

constexpr uint64_t max_qpn = 0xffffff;
constexpr uint8_t longest_timeout = 53; // power of two, in 1.024 us: the most that 64 bits hold

void print_progress(Printer &p, const mrcnl::Qp &qp)
{
    p.line();
    if (qp.psns) {
        p.number("psn-una", qp.psns->una);
        p.number("psn-nxt", qp.psns->nxt);
        p.number("psn-cack", qp.psns->cack);
    }
    p.number("inflight", qp.inflight);
    p.number("lost", qp.lost);
    print_rtt(p, "srtt", qp.srtt);
    print_rtt(p, "min-rtt", qp.min_rtt);
    p.line();
    p.number("tx-packets", qp.tx_packets);
    p.number("rx-packets", qp.rx_packets);
    p.number("rtx-packets", qp.rtx_packets);
    p.bytes("memory", qp.memory);
}

void print_congestion(Printer &p, const mrcnl::Congestion &c)
{
    p.enter("congestion");
    p.bytes("cwnd", c.cwnd);
    p.bytes("max-cwnd", c.max_cwnd);
    p.bytes("inflight", c.inflight);
    p.number("qps", c.qps);
    print_rtt(p, "base-rtt", c.base_rtt);
    print_rtt(p, "delay", c.delay);
    print_rtt(p, "target-delay", c.target_delay);
    print_congestion_counts(p, c.counts);
    p.leave();
}

void print_settings(Printer &p, const mrcnl::Qp &qp)
{
    p.line();
    p.number("mpr-tx", qp.mpr_tx);
    p.number("mpr-rx", qp.mpr_rx);
    p.number("wimm-tx", qp.wimm_tx);
    p.number("wimm-rx", qp.wimm_rx);
    p.duration("timeout", 1024ull << std::min<uint8_t>(qp.timeout, longest_timeout));
    p.number("linear-retries", qp.linear_retries);
    p.number("exp-retries", qp.exp_retries);
}

void print_connection(Printer &p, const Names &names, const mrcnl::QpConnection &connection)
{
    p.number("dest-qpn", connection.dest_qpn);
    p.text("local-gid", connection.local_gid.text());
    print_remote(p, names, connection.remote_gid);
    p.bytes("mtu", connection.mtu);
}

void print_qp(Context &context, const mrcnl::Qp &qp)
{
    Printer &p = context.printer;
    const Names &names = context.names(qp.device.name);

    p.begin_object();
    p.hidden("dev-index", qp.device.index);
    p.bare("dev-name", qp.device.name, Color::name);
    p.number("qpn", qp.qpn);
    p.text("state", to_string(qp.state), color_of(qp.state));
    if (qp.pid)
        p.number("pid", qp.pid);
    if (qp.connection)
        print_connection(p, names, *qp.connection);
    print_ev_profile(p, names, qp.ev_profile);
    p.number("cc-profile", qp.cc_profile);
    if (p.options().statistics || p.options().json)
        print_progress(p, qp);
    if (qp.congestion && (p.options().statistics || p.options().json))
        print_congestion(p, *qp.congestion);
    if (p.options().details || p.options().json)
        print_settings(p, qp);
    p.end_object();
}

/** The QPs to show. */
struct QpFilter {
    std::optional<std::string> device;
    std::optional<uint32_t> qpn;
    std::optional<mrcnl::Address> remote;
    std::optional<mrcnl::QpState> state;
    std::optional<uint64_t> ev_profile;
    std::optional<uint32_t> pid;

    [[nodiscard]] bool wants(const mrcnl::Qp &qp) const
    {
        return (!qpn || qp.qpn == *qpn) &&
               (!remote || (qp.connection && qp.connection->remote_gid == *remote)) &&
               (!state || qp.state == *state) && (!ev_profile || qp.ev_profile == *ev_profile) &&
               (!pid || qp.pid == *pid);
    }
};

mrcnl::QpState take_state(Args &args)
{
    static constexpr std::array states{
        mrcnl::QpState::reset, mrcnl::QpState::init, mrcnl::QpState::rtr, mrcnl::QpState::rts,
        mrcnl::QpState::sqd,   mrcnl::QpState::sqe,  mrcnl::QpState::err};
    std::array<const char *, states.size()> words{};

    std::transform(states.begin(), states.end(), words.begin(),
                   [](mrcnl::QpState state) { return to_string(state); });
    return states[args.take_word(words, "state")];
}

QpFilter take_qp_filter(Context &context, Args &args)
{
    static constexpr const char *words[] = {"qpn", "remote", "state", "ev-profile", "pid"};
    QpFilter filter;

    filter.device = optional_device(args, words);
    while (!args.empty()) {
        switch (args.take_word(words, "keyword")) {
        case 0:
            filter.qpn = static_cast<uint32_t>(args.take_number("qpn", 0, max_qpn));
            break;
        case 1:
            filter.remote = take_remote(context, filter.device, args);
            break;
        case 2:
            filter.state = take_state(args);
            break;
        case 3:
            filter.ev_profile = take_ev_profile(context, filter.device, args);
            break;
        default:
            filter.pid = static_cast<uint32_t>(args.take_number("pid", 1, UINT32_MAX));
        }
    }
    return filter;
}

/** A QP that is named by its device and number must exist. */
std::vector<mrcnl::Qp> qps(mrcnl::Kernel &kernel, const QpFilter &filter)
{
    if (filter.device && filter.qpn)
        return {value_of(kernel.qp(*filter.device, *filter.qpn))};
    return value_of(kernel.qps(filter.device));
}

void show_qps(Context &context, Args &args)
{
    const QpFilter filter = take_qp_filter(context, args);

    for (const mrcnl::Qp &qp : qps(context.kernel(), filter))
        if (filter.wants(qp))
            print_qp(context, qp);
}

constexpr Command qp_commands[] = {{"show", show_qps}};

} // namespace

const Object qp_object{"qp", qp_help, qp_commands};

void print_rtt(Printer &p, const char *key, uint64_t ns)
{
    if (ns)
        p.duration(key, ns);
    else
        p.plain(std::string(key) + " -");
}

void print_congestion_counts(Printer &p, const mrcnl::CongestionCounts &counts)
{
    p.line();
    p.number("fast", counts.fast);
    p.number("proportional", counts.proportional);
    p.number("fair", counts.fair);
    p.number("hold", counts.hold);
    p.number("decrease", counts.decrease);
    p.number("cuts", counts.cuts);
    p.number("quick-adapts", counts.quick_adapts);
    p.number("trims", counts.trims);
    p.number("penalties", counts.penalties);
}

Color color_of(mrcnl::QpState state)
{
    if (state == mrcnl::QpState::rts || state == mrcnl::QpState::rtr)
        return Color::good;
    return state == mrcnl::QpState::err ? Color::bad : Color::none;
}

} // namespace mrcctl
