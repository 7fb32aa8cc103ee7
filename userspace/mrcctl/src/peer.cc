// SPDX-License-Identifier: GPL-2.0-only
#include <map>

#include "command.h"
#include "objects.h"

namespace mrcctl
{

namespace
{

constexpr const char help[] =
    "Usage: mrcctl peer [ show [ DEV ] [ remote GID ] ]\n"
    "Remote GIDs in use, and the states of the EVs towards them. Option -d lists each EV,\n"
    "option -s adds counters.\n";

/** EVs by peer, in the order of the kernel. */
using EvsByPeer = std::map<std::pair<uint32_t, mrcnl::PeerKey>, std::vector<mrcnl::PeerEv>>;

EvsByPeer group(std::vector<mrcnl::PeerEv> evs)
{
    EvsByPeer groups;

    for (mrcnl::PeerEv &ev : evs)
        groups[{ev.device.index, ev.key}].push_back(std::move(ev));
    return groups;
}

void print_counters(Printer &p, uint64_t tx_packets, uint64_t lost, uint64_t marked)
{
    p.number("tx-packets", tx_packets);
    p.number("lost", lost);
    p.number("marked", marked);
}

void print_evs(Printer &p, const std::vector<mrcnl::PeerEv> &evs)
{
    p.begin_list("peer-ev");
    for (const mrcnl::PeerEv &ev : evs) {
        p.begin_object();
        p.number("index", ev.index);
        p.number("port", ev.port);
        p.text("state", to_string(ev.state), color_of(ev.state));
        if (ev.value)
            p.hex("value", *ev.value);
        print_counters(p, ev.tx_packets, ev.lost, ev.marked);
        p.end_object();
    }
    p.end_list();
}

void print_peer(Printer &p, const mrcnl::Peer &peer, const EvsByPeer &evs)
{
    p.begin_object();
    p.hidden("dev-index", peer.device.index);
    p.bare("dev-name", peer.device.name, Color::name);
    p.text("remote-gid", peer.key.remote_gid.text());
    p.text("local-gid", peer.key.local_gid.text());
    p.number("ev-profile", peer.key.ev_profile);
    p.flag("loopback", peer.loopback);
    p.line();
    p.number("evs", peer.evs);
    p.number("evs-good", peer.evs_good);
    p.number("evs-skip", peer.evs_skip);
    p.number("evs-assumed-bad", peer.evs_assumed_bad);
    p.number("evs-denied", peer.evs_denied);
    p.number("min-active", peer.min_active);
    p.ports("local-ports", peer.local_ports);
    if (p.options().details || p.options().json)
        p.ports("remote-ports", peer.remote_ports);
    if (p.options().statistics) {
        p.line();
        print_counters(p, peer.tx_packets, peer.lost, peer.marked);
    }
    const auto found = evs.find({peer.device.index, peer.key});
    if (p.options().details)
        print_evs(p, found == evs.end() ? std::vector<mrcnl::PeerEv>() : found->second);
    p.end_object();
}

void show(Context &context, Args &args)
{
    const auto device = optional_device(args, "remote");
    std::optional<mrcnl::Address> remote;
    EvsByPeer evs;

    if (!args.empty()) {
        args.expect("remote");
        remote = args.take_address("remote");
    }
    args.finish();
    const auto peers = value_of(context.kernel().peers(device, remote));
    if (context.printer.options().details)
        evs = group(value_of(context.kernel().peer_evs(device, remote)));
    for (const mrcnl::Peer &peer : peers)
        print_peer(context.printer, peer, evs);
}

constexpr Command commands[] = {{"show", show}};

} // namespace

const Object peer_object{"peer", help, commands};

} // namespace mrcctl
