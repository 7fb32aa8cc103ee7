// SPDX-License-Identifier: GPL-2.0-only
#include "snapshot.h"

#include <algorithm>
#include <cerrno>
#include <map>
#include <utility>

namespace mrcctl
{

namespace
{

/** Keeps the lists that the kernel returns, or its error. */
class Keeper
{
public:
    template <typename T>
    void operator()(std::vector<T> &list, mrcnl::Result<std::vector<T>> answer)
    {
        if (answer)
            list = std::move(*answer);
        else if (answer.error().code != ENODEV && !error_)
            error_ = answer.error();
    }

    const std::optional<mrcnl::Error> &error() const { return error_; }

private:
    std::optional<mrcnl::Error> error_;
};

bool lacks_port_evs(const mrcnl::Peer &peer)
{
    return peer.evs && peer.port_evs.empty();
}

void count(mrcnl::PortEvs &evs, const mrcnl::PeerEv &ev)
{
    evs.evs++;
    evs.good += ev.state == mrcnl::EvState::good;
    evs.spare += ev.spare;
    evs.skip += ev.state == mrcnl::EvState::skip;
    evs.held += ev.state == mrcnl::EvState::held;
    evs.assumed_bad += ev.state == mrcnl::EvState::assumed_bad;
    evs.denied += ev.state == mrcnl::EvState::denied;
}

/** Counts EVs by port, for modules without MRC_NL_CAPABILITY_PORT_EVS. */
void count_by_port(std::vector<mrcnl::Peer> &peers, const std::vector<mrcnl::PeerEv> &evs)
{
    using Key = std::pair<uint32_t, mrcnl::PeerKey>;
    std::map<Key, std::map<uint8_t, mrcnl::PortEvs>> counts;

    for (const mrcnl::PeerEv &ev : evs) {
        mrcnl::PortEvs &port = counts[{ev.device.index, ev.key}][ev.port];

        port.port = ev.port;
        count(port, ev);
    }
    for (mrcnl::Peer &peer : peers) {
        if (!lacks_port_evs(peer))
            continue;
        for (const auto &[port, port_evs] : counts[{peer.device.index, peer.key}])
            peer.port_evs.push_back(port_evs);
    }
}

} // namespace

mrcnl::Result<Snapshot> take_snapshot(mrcnl::Kernel &kernel,
                                      const std::optional<std::string> &device, uint64_t time)
{
    Snapshot snapshot;
    Keeper keep;

    snapshot.time = time;
    keep(snapshot.planes, kernel.planes(device));
    keep(snapshot.peers, kernel.peers(device, std::nullopt));
    keep(snapshot.qps, kernel.qps(device));
    if (std::any_of(snapshot.peers.begin(), snapshot.peers.end(), lacks_port_evs)) {
        std::vector<mrcnl::PeerEv> evs;

        keep(evs, kernel.peer_evs(device, std::nullopt));
        count_by_port(snapshot.peers, evs);
    }
    if (keep.error())
        return *keep.error();
    return snapshot;
}

mrcnl::Result<std::vector<mrcnl::PeerEv>> take_peer_evs(mrcnl::Kernel &kernel,
                                                        const std::optional<std::string> &device)
{
    std::vector<mrcnl::PeerEv> evs;
    Keeper keep;

    keep(evs, kernel.peer_evs(device, std::nullopt));
    if (keep.error())
        return *keep.error();
    return evs;
}

} // namespace mrcctl
