// SPDX-License-Identifier: GPL-2.0-only
#include "activity.h"

#include <algorithm>
#include <tuple>

namespace mrcctl
{

namespace
{

auto key_of(const mrcnl::Plane &plane)
{
    return std::tuple(plane.device.index, plane.port, plane.ifindex);
}

auto key_of(const mrcnl::Peer &peer)
{
    return std::tuple(peer.device.index, peer.key);
}

auto key_of(const mrcnl::Qp &qp)
{
    return std::tuple(qp.device.index, qp.qpn);
}

/** Makes two values of a counter into a rate, and notices those that have gone back. */
class Meter
{
public:
    explicit Meter(uint64_t interval) : seconds_(static_cast<double>(interval) / 1e9) {}

    double operator()(uint64_t before, uint64_t now)
    {
        valid_ = valid_ && seconds_ > 0 && now >= before;
        return valid_ ? static_cast<double>(now - before) / seconds_ : 0;
    }

    template <typename Rate>
    std::optional<Rate> checked(const Rate &rate) const
    {
        return valid_ ? std::optional(rate) : std::nullopt;
    }

private:
    double seconds_;
    bool valid_ = true;
};

std::optional<PlaneRate> rate_between(const mrcnl::Plane &before, const mrcnl::Plane &now,
                                      uint64_t interval)
{
    const mrcnl::PlaneStats &a = before.stats;
    const mrcnl::PlaneStats &b = now.stats;
    Meter rate(interval);

    return rate.checked(PlaneRate{rate(a.tx_packets, b.tx_packets), rate(a.tx_bytes, b.tx_bytes),
                                  rate(a.tx_errors, b.tx_errors), rate(a.rx_packets, b.rx_packets),
                                  rate(a.rx_bytes, b.rx_bytes), rate(a.rx_ce, b.rx_ce)});
}

std::optional<PeerRate> rate_between(const mrcnl::Peer &a, const mrcnl::Peer &b, uint64_t interval)
{
    Meter rate(interval);

    return rate.checked(PeerRate{rate(a.tx_packets, b.tx_packets), rate(a.acked, b.acked),
                                 rate(a.marked, b.marked), rate(a.lost, b.lost),
                                 rate(a.probed, b.probed)});
}

std::optional<QpRate> rate_between(const mrcnl::Qp &a, const mrcnl::Qp &b, uint64_t interval)
{
    Meter rate(interval);

    return rate.checked(QpRate{rate(a.tx_packets, b.tx_packets), rate(a.rx_packets, b.rx_packets),
                               rate(a.rtx_packets, b.rtx_packets)});
}

/** Objects as they were, to be found by those that are. */
template <typename T>
class Former
{
public:
    explicit Former(const std::vector<T> &objects)
    {
        for (const T &object : objects)
            by_key_.emplace(key_of(object), &object);
    }

    auto rate(const T &now, uint64_t interval) const
    {
        const auto before = by_key_.find(key_of(now));

        return before == by_key_.end() ? decltype(rate_between(now, now, interval))()
                                       : rate_between(*before->second, now, interval);
    }

private:
    std::map<decltype(key_of(std::declval<T>())), const T *> by_key_;
};

void add(EvCount &count, const mrcnl::PortEvs &evs)
{
    const uint16_t spare = std::min(evs.spare, evs.good);

    count.all += evs.evs;
    count.good += evs.good - spare;
    count.spare += spare;
}

/** EVs, by peer and by plane. */
struct EvCounts {
    std::map<std::tuple<uint32_t, mrcnl::PeerKey>, EvsByPort> by_peer;
    std::map<std::tuple<uint32_t, uint8_t>, EvCount> by_plane;

    explicit EvCounts(const std::vector<mrcnl::Peer> &peers)
    {
        for (const mrcnl::Peer &peer : peers) {
            for (const mrcnl::PortEvs &evs : peer.port_evs) {
                add(by_peer[key_of(peer)][evs.port], evs);
                add(by_plane[{peer.device.index, evs.port}], evs);
            }
        }
    }
};

double value(const PlaneRate &rate, Sort key)
{
    return key == Sort::lost ? rate.tx_errors : rate.tx_bytes + rate.rx_bytes;
}

double value(const PeerRate &rate, Sort key)
{
    return key == Sort::lost ? rate.lost : rate.tx_packets;
}

double value(const QpRate &rate, Sort key)
{
    return key == Sort::lost ? rate.rtx_packets : rate.tx_packets + rate.rx_packets;
}

template <typename Rate>
double value(const std::optional<Rate> &rate, Sort key)
{
    return rate ? value(*rate, key) : 0;
}

/** @param member of each object: that of the kernel */
template <typename T, typename Object>
void sort(std::vector<T> &objects, Object T::*member, Sort key)
{
    std::sort(objects.begin(), objects.end(),
              [&](const T &a, const T &b) { return key_of(a.*member) < key_of(b.*member); });
    if (key == Sort::name)
        return;
    std::stable_sort(objects.begin(), objects.end(), [&](const T &a, const T &b) {
        return value(a.rate, key) > value(b.rate, key);
    });
}

} // namespace

Activity activity_between(const Snapshot &before, const Snapshot &now)
{
    const uint64_t interval = now.time - std::min(before.time, now.time);
    const Former planes(before.planes);
    const Former peers(before.peers);
    const Former qps(before.qps);
    EvCounts evs(now.peers);
    Activity activity;

    activity.interval = interval;
    for (const mrcnl::Plane &plane : now.planes)
        activity.planes.push_back(
            {plane, evs.by_plane[{plane.device.index, plane.port}], planes.rate(plane, interval)});
    for (const mrcnl::Peer &peer : now.peers)
        activity.peers.push_back({peer, std::move(evs.by_peer[{peer.device.index, peer.key}]),
                                  peers.rate(peer, interval)});
    for (const mrcnl::Qp &qp : now.qps)
        activity.qps.push_back({qp, qps.rate(qp, interval)});
    return activity;
}

void sort(Activity &activity, Sort key)
{
    sort(activity.planes, &PlaneActivity::plane, key);
    sort(activity.peers, &PeerActivity::peer, key);
    sort(activity.qps, &QpActivity::qp, key);
}

} // namespace mrcctl
