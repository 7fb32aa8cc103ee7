// SPDX-License-Identifier: GPL-2.0-only
#include <algorithm>

#include "command.h"
#include "objects.h"

namespace mrcctl
{

namespace
{

constexpr const char peer_help[] =
    "Usage: mrcctl peer [ show [ DEV ] [ remote GID ] [ ev-profile ID ] [ ev-state STATE ] ]\n"
    "STATE := { good | spare | skip | held | assumed-bad | denied | bad }\n"
    "Shows the remote GIDs in use, and a letter for each EV towards them, by port: G good, R good\n"
    "but in reserve (spare), S skip, H held, B assumed bad, D denied; a port is marked down if it\n"
    "is down here, peer-down if it is down at the peer. Options -d and -s list each EV, with its\n"
    "counters and the time of its last change of state; -d adds EV bits; -s adds sums per peer,\n"
    "and the sums of its congestion windows if nscc steers them. With ev-state, shows only EVs in\n"
    "this state, and their peers; bad means held, assumed-bad or denied.\n";

constexpr const char *state_words[] = {"good",        "spare",  "skip", "held",
                                       "assumed-bad", "denied", "bad"};
enum class Wanted { good, spare, skip, held, assumed_bad, denied, bad };
static_assert(std::size(state_words) == static_cast<size_t>(Wanted::bad) + 1);

/** The peers to show. */
struct PeerFilter {
    std::optional<std::string> device;
    std::optional<mrcnl::Address> remote;
    std::optional<uint64_t> ev_profile;
    std::optional<Wanted> ev_state;
};

bool matches(const mrcnl::PeerEv &ev, Wanted wanted)
{
    switch (wanted) {
    case Wanted::good:
        return ev.state == mrcnl::EvState::good && !ev.spare;
    case Wanted::spare:
        return ev.state == mrcnl::EvState::good && ev.spare;
    case Wanted::skip:
        return ev.state == mrcnl::EvState::skip;
    case Wanted::held:
        return ev.state == mrcnl::EvState::held;
    case Wanted::assumed_bad:
        return ev.state == mrcnl::EvState::assumed_bad;
    case Wanted::denied:
        return ev.state == mrcnl::EvState::denied;
    case Wanted::bad:
        break;
    }
    return !usable(ev.state);
}

/** The counters that peers and EVs share. */
struct Counters {
    uint64_t tx_packets = 0;
    uint64_t acked = 0;
    uint64_t marked = 0;
    uint64_t lost = 0;
    uint64_t probed = 0;
};

void print_counters(Printer &p, const Counters &c)
{
    p.number("tx-packets", c.tx_packets);
    p.number("acked", c.acked);
    p.number("marked", c.marked);
    p.number("lost", c.lost);
    p.number("probed", c.probed);
}

void print_evs(Printer &p, const std::vector<mrcnl::PeerEv> &evs, const Moment &now)
{
    p.begin_list("peer-ev");
    for (const mrcnl::PeerEv &ev : evs) {
        p.begin_object();
        p.number("index", ev.index);
        p.number("port", ev.port);
        p.text("state", to_string(ev.state), color_of(ev.state));
        p.flag("spare", ev.spare);
        if (ev.value && p.options().details)
            p.hex("value", *ev.value);
        print_counters(p, {ev.tx_packets, ev.acked, ev.marked, ev.lost, ev.probed});
        print_changed(p, ev.changed, now);
        p.end_object();
    }
    p.end_list();
}

/** "port 2 down GGBG": one plane, a letter per EV. */
std::string plane_picture(const mrcnl::Peer &peer, uint8_t port, const std::string &letters)
{
    const uint32_t bit = 1u << ((port - 1) % 32);
    std::string text = "port " + std::to_string(port) + " ";

    if (!(peer.local_ports & bit))
        text += "down ";
    if (!(peer.remote_ports & bit))
        text += "peer-down ";
    return text + letters;
}

/** Prints all planes, as many side by side as fit on a line. Text only. */
void print_picture(Printer &p, const mrcnl::Peer &peer, const std::vector<mrcnl::PeerEv> &evs)
{
    constexpr size_t width = 90;
    std::map<uint8_t, std::string> letters;
    size_t used = width;

    for (const mrcnl::PeerEv &ev : evs)
        letters[ev.port] += mrcnl::letter_of(ev.state, ev.spare);
    for (const auto &[port, states] : letters) {
        std::string plane = plane_picture(peer, port, states);

        if (used + plane.size() >= width) {
            p.line();
            used = 0;
        } else {
            plane.insert(0, 1, ' ');
        }
        p.plain(plane);
        used += plane.size() + 1;
    }
}

/** Prints the EVs by port. JSON only: text has a picture of them. */
void print_port_evs(Printer &p, const std::vector<mrcnl::PortEvs> &ports)
{
    p.begin_list("port-evs");
    for (const mrcnl::PortEvs &evs : ports) {
        p.begin_object();
        p.number("port", evs.port);
        p.number("evs", evs.evs);
        p.number("good", evs.good - std::min(evs.spare, evs.good));
        p.number("spare", evs.spare);
        p.number("skip", evs.skip);
        p.number("held", evs.held);
        p.number("assumed-bad", evs.assumed_bad);
        p.number("denied", evs.denied);
        p.end_object();
    }
    p.end_list();
}

/** @param listed EVs that -d and -s list */
void print_peer(Context &context, const mrcnl::Peer &peer, const std::vector<mrcnl::PeerEv> &evs,
                const std::vector<mrcnl::PeerEv> &listed, const Moment &now)
{
    Printer &p = context.printer;

    p.begin_object();
    p.hidden("dev-index", peer.device.index);
    p.bare("dev-name", peer.device.name, Color::name);
    const Names &names = context.names(peer.device.name);
    print_remote(p, names, peer.key.remote_gid);
    p.text("local-gid", peer.key.local_gid.text());
    print_ev_profile(p, names, peer.key.ev_profile);
    if (peer.usid)
        p.hex("usid", peer.usid, 4);
    p.flag("loopback", peer.loopback);
    p.line();
    print_ev_counts(p, peer);
    p.number("min-active", peer.min_active);
    p.ports("local-ports", peer.local_ports);
    p.ports("remote-ports", peer.remote_ports);
    if (p.options().statistics) {
        p.line();
        print_counters(p, {peer.tx_packets, peer.acked, peer.marked, peer.lost, peer.probed});
    }
    if (peer.congestion && p.options().statistics)
        print_peer_congestion(p, *peer.congestion);
    if (p.options().json)
        print_port_evs(p, peer.port_evs);
    print_picture(p, peer, evs);
    if (p.options().details || p.options().statistics)
        print_evs(p, listed, now);
    p.end_object();
}

PeerFilter take_peer_filter(Context &context, Args &args)
{
    static constexpr const char *words[] = {"remote", "ev-profile", "ev-state"};
    PeerFilter filter;

    filter.device = optional_device(args, words);
    while (!args.empty()) {
        switch (args.take_word(words, "keyword")) {
        case 0:
            filter.remote = take_remote(context, filter.device, args);
            break;
        case 1:
            filter.ev_profile = take_ev_profile(context, filter.device, args);
            break;
        default:
            filter.ev_state = static_cast<Wanted>(args.take_word(state_words, "ev-state"));
        }
    }
    return filter;
}

void show_peer(Context &context, const PeerFilter &filter, const mrcnl::Peer &peer,
               const std::vector<mrcnl::PeerEv> &evs, const Moment &now)
{
    std::vector<mrcnl::PeerEv> listed = evs;

    if (filter.ev_profile && peer.key.ev_profile != *filter.ev_profile)
        return;
    if (filter.ev_state) {
        std::erase_if(listed, [&](const auto &ev) { return !matches(ev, *filter.ev_state); });
        if (listed.empty())
            return;
    }
    print_peer(context, peer, evs, listed, now);
}

void show_peers(Context &context, Args &args)
{
    const PeerFilter filter = take_peer_filter(context, args);
    const PrintOptions &options = context.printer.options();
    EvsByPeer evs;

    const Moment now = context.moment();
    const auto peers = value_of(context.kernel().peers(filter.device, filter.remote));
    if (!options.json || options.details || options.statistics || filter.ev_state)
        evs = group(value_of(context.kernel().peer_evs(filter.device, filter.remote)));
    for (const mrcnl::Peer &peer : peers)
        show_peer(context, filter, peer, evs[{peer.device.index, peer.key}], now);
}

constexpr Command peer_commands[] = {{"show", show_peers}};

} // namespace

const Object peer_object{"peer", peer_help, peer_commands};

EvsByPeer group(std::vector<mrcnl::PeerEv> evs)
{
    EvsByPeer groups;

    for (mrcnl::PeerEv &ev : evs)
        groups[{ev.device.index, ev.key}].push_back(std::move(ev));
    return groups;
}

uint32_t good_but_spares(const mrcnl::Peer &peer)
{
    return peer.evs_good - std::min(peer.evs_spare, peer.evs_good);
}

void print_ev_counts(Printer &p, const mrcnl::Peer &peer)
{
    p.number("evs", peer.evs);
    p.number("evs-good", good_but_spares(peer));
    p.number("evs-spare", peer.evs_spare);
    p.number("evs-skip", peer.evs_skip);
    p.number("evs-held", peer.evs_held);
    p.number("evs-assumed-bad", peer.evs_assumed_bad);
    p.number("evs-denied", peer.evs_denied);
}

void print_peer_congestion(Printer &p, const mrcnl::PeerCongestion &c)
{
    p.enter("congestion");
    p.number("contexts", c.contexts);
    p.number("qps", c.qps);
    p.bytes("cwnd", c.cwnd);
    p.bytes("cwnd-lowest", c.cwnd_lowest);
    p.bytes("cwnd-highest", c.cwnd_highest);
    p.bytes("max-cwnd", c.max_cwnd);
    p.bytes("inflight", c.inflight);
    print_rtt(p, "base-rtt", c.base_rtt);
    print_rtt(p, "delay", c.delay);
    print_rtt(p, "target-delay", c.target_delay);
    print_congestion_counts(p, c.counts);
    p.leave();
}

void print_changed(Printer &p, uint64_t changed, const Moment &now)
{
    p.plain("changed");
    if (!changed) {
        p.plain("never");
        return;
    }
    p.hidden("changed-ns", now.wall_of(changed));
    p.plain(duration_text(now.monotonic - std::min(changed, now.monotonic)) + " ago");
}

} // namespace mrcctl
