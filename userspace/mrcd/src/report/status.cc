// SPDX-License-Identifier: GPL-2.0-only
#include "report/status.h"

#include <algorithm>
#include <map>

#include "report/report_json.h"

namespace mrcd
{

namespace
{

using Json = nlohmann::ordered_json;

Json planes(const std::vector<mrcnl::Plane> &planes)
{
    Json list = Json::array();

    for (const mrcnl::Plane &plane : planes)
        list.push_back({{"port", plane.port},
                        {"ifname", plane.ifname},
                        {"up", plane.admin_up && plane.oper_up},
                        {"tx-packets", plane.stats.tx_packets},
                        {"tx-bytes", plane.stats.tx_bytes},
                        {"rx-packets", plane.stats.rx_packets},
                        {"rx-bytes", plane.stats.rx_bytes},
                        {"rx-ce", plane.stats.rx_ce}});
    return list;
}

Json qps(const std::vector<mrcnl::Qp> &qps)
{
    Json states = Json::object();

    for (const mrcnl::Qp &qp : qps) {
        Json &count = states[to_string(qp.state)];
        count = count.is_null() ? 1 : count.get<unsigned>() + 1;
    }
    return states;
}

/** The letters of the EVs by port, in the order of their indices. */
Json pictures(const mrcnl::Peer &peer, const std::vector<mrcnl::PeerEv> &evs)
{
    std::map<uint8_t, std::map<uint16_t, char>> ports;
    Json object = Json::object();

    for (const mrcnl::PeerEv &ev : evs)
        if (ev.key == peer.key)
            ports[ev.port][ev.index] = mrcnl::letter_of(ev.state, ev.spare);
    for (const auto &[port, letters] : ports) {
        std::string picture;
        for (const auto &[index, state] : letters)
            picture += state;
        object[std::to_string(port)] = picture;
    }
    return object;
}

Json list_of(const std::vector<KernelEvent> &events)
{
    Json list = Json::array();

    for (const KernelEvent &event : events)
        list.push_back({{"time-ns", event.time_ns}, {"count", event.count}, {"text", event.text}});
    return list;
}

bool all_good(const mrcnl::Peer &peer)
{
    return peer.evs_good + peer.evs_skip == peer.evs;
}

} // namespace

std::vector<mrcnl::Peer> peers_to_show(std::vector<mrcnl::Peer> peers)
{
    std::stable_sort(peers.begin(), peers.end(), [](const mrcnl::Peer &a, const mrcnl::Peer &b) {
        if (all_good(a) != all_good(b))
            return all_good(b);
        return a.tx_packets > b.tx_packets;
    });
    if (peers.size() > peers_shown)
        peers.resize(peers_shown);
    return peers;
}

std::string status_json(const Report &report, const std::vector<KernelEvent> &events,
                        const Snapshot &snapshot, const std::vector<mrcnl::PeerEv> &evs)
{
    Json object = {{"health", to_json(report)}, {"event", list_of(events)}};

    if (snapshot.planes)
        object["plane"] = planes(*snapshot.planes);
    if (snapshot.qps)
        object["qp"] = qps(*snapshot.qps);
    if (!snapshot.peers)
        return text_of(object);
    object["peers"] = snapshot.peers->size();
    object["peer"] = Json::array();
    for (const mrcnl::Peer &peer : peers_to_show(*snapshot.peers))
        object["peer"].push_back({{"remote-gid", peer.key.remote_gid.text()},
                                  {"ev-profile", peer.key.ev_profile},
                                  {"tx-packets", peer.tx_packets},
                                  {"lost", peer.lost},
                                  {"ev", pictures(peer, evs)}});
    return text_of(object);
}

std::string status_json(const Report &report, const std::vector<KernelEvent> &events,
                        const mrcnl::Error &error)
{
    return text_of(
        {{"health", to_json(report)}, {"event", list_of(events)}, {"error", error.message()}});
}

} // namespace mrcd
