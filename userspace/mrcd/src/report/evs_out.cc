// SPDX-License-Identifier: GPL-2.0-only
#include "report/evs_out.h"

#include <algorithm>
#include <cstdio>
#include <set>

namespace mrcd
{

namespace
{

constexpr size_t names_most = 3;

/** Is the port up at both ends, and has it an EV that is not denied? */
bool is_up(const mrcnl::Peer &peer, const mrcnl::PortEvs &evs)
{
    const uint32_t bit = 1u << ((evs.port - 1u) % 32);

    return peer.local_ports & peer.remote_ports & bit && evs.evs > evs.denied;
}

bool is_out(const mrcnl::PortEvs &evs)
{
    return !evs.good && !evs.skip;
}

mrcnl::PortHistory history_of(const mrcnl::Peer &peer, uint8_t port)
{
    for (const mrcnl::PortHistory &history : peer.port_history)
        if (history.port == port)
            return history;
    return {};
}

uint64_t since(const EvsOut &out, const std::vector<EvsOut> &before)
{
    for (const EvsOut &old : before)
        if (old.plane == out.plane && old.key == out.key && old.since_ns &&
            old.history.acked == out.history.acked)
            return std::min(old.since_ns, out.history.changed);
    return out.history.changed;
}

/** "3.4 s" */
std::string seconds(uint64_t ns)
{
    char text[32];

    snprintf(text, sizeof(text), "%.1f s", static_cast<double>(ns) / 1e9);
    return text;
}

std::string name_of(const Fabric &fabric, const mrcnl::Address &gid)
{
    const auto host = std::find_if(fabric.hosts.begin(), fabric.hosts.end(),
                                   [&](const Host &one) { return one.gid == gid; });

    return host == fabric.hosts.end() ? gid.text() : host->name;
}

/** "h2, h3, h4 and 5 more" */
std::string list_of(const std::set<std::string> &names)
{
    std::string text;
    size_t told = 0;

    for (const std::string &name : names) {
        if (told == names_most)
            return text + " and " + std::to_string(names.size() - told) + " more";
        text += (told++ ? ", " : "") + name;
    }
    return text;
}

} // namespace

std::vector<EvsOut> find_evs_out(const std::vector<mrcnl::Peer> &peers,
                                 const std::map<uint8_t, uint8_t> &plane_of,
                                 const std::vector<EvsOut> &before)
{
    std::vector<EvsOut> found;

    for (const mrcnl::Peer &peer : peers) {
        const auto up = std::count_if(peer.port_evs.begin(), peer.port_evs.end(),
                                      [&](const auto &evs) { return is_up(peer, evs); });
        for (const mrcnl::PortEvs &evs : peer.port_evs) {
            const auto plane = plane_of.find(evs.port);
            if (plane == plane_of.end() || !is_up(peer, evs) || !is_out(evs))
                continue;
            EvsOut out{plane->second,
                       static_cast<uint8_t>(up),
                       peer.key,
                       static_cast<uint64_t>(evs.evs - evs.denied),
                       0,
                       history_of(peer, evs.port)};
            out.since_ns = since(out, before);
            found.push_back(std::move(out));
        }
    }
    return found;
}

std::string seen_of(const std::vector<const EvsOut *> &out, size_t peers, const Fabric &fabric,
                    uint64_t now_ns)
{
    std::set<std::string> names;
    std::set<mrcnl::PeerKey> keys;
    std::set<std::string> reasons;
    mrcnl::PortHistory sum;
    uint64_t evs = 0;

    for (const EvsOut *one : out) {
        names.insert(name_of(fabric, one->key.remote_gid));
        keys.insert(one->key);
        reasons.insert(one->history.reason.empty() ? "new" : one->history.reason);
        sum.heard = std::max(sum.heard, one->history.heard);
        sum.tx_packets += one->history.tx_packets;
        sum.acked += one->history.acked;
        sum.lost += one->history.lost;
        sum.probed += one->history.probed;
        evs += one->evs;
    }
    return "towards " + list_of(names) + " (" + std::to_string(keys.size()) + " of " +
           std::to_string(peers) + " peers), though probes over its links come back; " +
           (sum.heard ? "the last packet that arrived was sent " +
                            seconds(now_ns - std::min(sum.heard, now_ns)) + " ago"
                      : "no packet has ever arrived") +
           "; " + std::to_string(evs) + " EVs (" + list_of(reasons) +
           "): " + std::to_string(sum.tx_packets) + " packets sent, " + std::to_string(sum.acked) +
           " arrived, " + std::to_string(sum.lost) + " lost, " + std::to_string(sum.probed) +
           " probes";
}

} // namespace mrcd
