// SPDX-License-Identifier: GPL-2.0-only
#include <algorithm>

#include "command.h"
#include "objects.h"

namespace mrcctl
{

namespace
{

constexpr const char help[] =
    "Usage: mrcctl peer [ show [ DEV ] [ remote GID ] ]\n"
    "Remote GIDs in use, and a letter per EV towards them, by port: G good, g good but\n"
    "spare, S skip, B assumed bad, D denied; down and peer-down mark ports that are. Options -d\n"
    "and -s list each EV, with its counters and when its state changed; -d adds EV bits, -s sums\n"
    "per peer.\n";

/** What peers and EVs count. */
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

char letter_of(const mrcnl::PeerEv &ev)
{
    switch (ev.state) {
    case mrcnl::EvState::good:
        return ev.spare ? 'g' : 'G';
    case mrcnl::EvState::skip:
        return 'S';
    case mrcnl::EvState::held:
        return 'H';
    case mrcnl::EvState::assumed_bad:
        return 'B';
    case mrcnl::EvState::denied:
        return 'D';
    }
    return '?';
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

/** All planes, as many side by side as fit on a line. Text only. */
void print_picture(Printer &p, const mrcnl::Peer &peer, const std::vector<mrcnl::PeerEv> &evs)
{
    constexpr size_t width = 90;
    std::map<uint8_t, std::string> letters;
    size_t used = width;

    for (const mrcnl::PeerEv &ev : evs)
        letters[ev.port] += letter_of(ev);
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

void print_peer(Printer &p, const mrcnl::Peer &peer, const std::vector<mrcnl::PeerEv> &evs,
                const Moment &now)
{
    p.begin_object();
    p.hidden("dev-index", peer.device.index);
    p.bare("dev-name", peer.device.name, Color::name);
    p.text("remote-gid", peer.key.remote_gid.text());
    p.text("local-gid", peer.key.local_gid.text());
    p.number("ev-profile", peer.key.ev_profile);
    if (peer.usid)
        p.hex("usid", peer.usid, 4);
    p.flag("loopback", peer.loopback);
    p.line();
    p.number("evs", peer.evs);
    p.number("evs-good", peer.evs_good);
    p.number("evs-spare", peer.evs_spare);
    p.number("evs-skip", peer.evs_skip);
    p.number("evs-held", peer.evs_held);
    p.number("evs-assumed-bad", peer.evs_assumed_bad);
    p.number("evs-denied", peer.evs_denied);
    p.number("min-active", peer.min_active);
    p.ports("local-ports", peer.local_ports);
    p.ports("remote-ports", peer.remote_ports);
    if (p.options().statistics) {
        p.line();
        print_counters(p, {peer.tx_packets, peer.acked, peer.marked, peer.lost, peer.probed});
    }
    print_picture(p, peer, evs);
    if (p.options().details || p.options().statistics)
        print_evs(p, evs, now);
    p.end_object();
}

void show(Context &context, Args &args)
{
    const auto device = optional_device(args, "remote");
    const PrintOptions &options = context.printer.options();
    std::optional<mrcnl::Address> remote;
    EvsByPeer evs;

    if (!args.empty()) {
        args.expect("remote");
        remote = args.take_address("remote");
    }
    args.finish();
    const Moment now = context.moment();
    const auto peers = value_of(context.kernel().peers(device, remote));
    if (!options.json || options.details || options.statistics)
        evs = group(value_of(context.kernel().peer_evs(device, remote)));
    for (const mrcnl::Peer &peer : peers)
        print_peer(context.printer, peer, evs[{peer.device.index, peer.key}], now);
}

constexpr Command commands[] = {{"show", show}};

} // namespace

const Object peer_object{"peer", help, commands};

EvsByPeer group(std::vector<mrcnl::PeerEv> evs)
{
    EvsByPeer groups;

    for (mrcnl::PeerEv &ev : evs)
        groups[{ev.device.index, ev.key}].push_back(std::move(ev));
    return groups;
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
