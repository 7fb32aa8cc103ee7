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

/** Makes a rate from two values of a counter, and notices counters that have gone back. */
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

std::optional<CongestionRate> congestion_between(const std::optional<mrcnl::PeerCongestion> &before,
                                                 const std::optional<mrcnl::PeerCongestion> &now,
                                                 uint64_t interval)
{
    if (!before || !now)
        return std::nullopt;
    const mrcnl::CongestionCounts &a = before->counts;
    const mrcnl::CongestionCounts &b = now->counts;
    Meter rate(interval);

    return rate.checked(CongestionRate{rate(a.fast, b.fast), rate(a.proportional, b.proportional),
                                       rate(a.fair, b.fair), rate(a.hold, b.hold),
                                       rate(a.decrease, b.decrease), rate(a.cuts, b.cuts),
                                       rate(a.quick_adapts, b.quick_adapts), rate(a.trims, b.trims),
                                       rate(a.penalties, b.penalties)});
}

std::optional<QpRate> rate_between(const mrcnl::Qp &a, const mrcnl::Qp &b, uint64_t interval)
{
    Meter rate(interval);

    return rate.checked(QpRate{rate(a.tx_packets, b.tx_packets), rate(a.rx_packets, b.rx_packets),
                               rate(a.rtx_packets, b.rtx_packets)});
}

/** Finds the former state of objects. Fast if both snapshots have nearly the same order. */
template <typename T>
class Former
{
public:
    explicit Former(const std::vector<T> &objects) : objects_(objects) {}

    /** The former state of an object, or nullptr. */
    const T *find(const T &now)
    {
        const auto key = key_of(now);

        if (next_ < objects_.size() && key_of(objects_[next_]) == key)
            return &objects_[next_++];
        if (by_key_.empty())
            for (size_t i = 0; i < objects_.size(); i++)
                by_key_.emplace(key_of(objects_[i]), i);
        const auto before = by_key_.find(key);
        if (before == by_key_.end())
            return nullptr;
        next_ = before->second + 1;
        return &objects_[before->second];
    }

    auto rate(const T &now, uint64_t interval)
    {
        const T *before = find(now);

        return before ? rate_between(*before, now, interval)
                      : decltype(rate_between(now, now, interval))();
    }

private:
    const std::vector<T> &objects_;
    size_t next_ = 0;
    std::map<decltype(key_of(std::declval<T>())), size_t> by_key_;
};

void add(EvCount &count, const mrcnl::PortEvs &evs)
{
    const uint16_t spare = std::min(evs.spare, evs.good);

    count.all += evs.evs;
    count.good += evs.good - spare;
    count.spare += spare;
}

EvsByPort evs_of(const mrcnl::Peer &peer)
{
    EvsByPort by_port;

    for (const mrcnl::PortEvs &evs : peer.port_evs)
        add(by_port[evs.port], evs);
    return by_port;
}

/** The EVs of all peers, by device and port. */
std::map<std::tuple<uint32_t, uint8_t>, EvCount> evs_of(const std::vector<mrcnl::Peer> &peers)
{
    std::map<std::tuple<uint32_t, uint8_t>, EvCount> by_plane;

    for (const mrcnl::Peer &peer : peers)
        for (const mrcnl::PortEvs &evs : peer.port_evs)
            add(by_plane[{peer.device.index, evs.port}], evs);
    return by_plane;
}

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

/** @param member the kernel's object in each element */
template <typename T, typename Object>
void sort(std::vector<T> &objects, Object T::*member, Sort key)
{
    std::sort(objects.begin(), objects.end(), [&](const T &a, const T &b) {
        const double of_a = key == Sort::name ? 0 : value(a.rate, key);
        const double of_b = key == Sort::name ? 0 : value(b.rate, key);

        return of_a != of_b ? of_a > of_b : key_of(a.*member) < key_of(b.*member);
    });
}

} // namespace

Activity activity_between(const Snapshot &before, const Snapshot &now)
{
    const uint64_t interval = now.time - std::min(before.time, now.time);
    Former planes(before.planes);
    Former peers(before.peers);
    Former qps(before.qps);
    auto evs = evs_of(now.peers);
    Activity activity;

    activity.interval = interval;
    for (const mrcnl::Plane &plane : now.planes)
        activity.planes.push_back(
            {plane, evs[{plane.device.index, plane.port}], planes.rate(plane, interval)});
    for (const mrcnl::Peer &peer : now.peers) {
        PeerActivity one{peer, evs_of(peer), std::nullopt, std::nullopt};

        if (const mrcnl::Peer *former = peers.find(peer)) {
            one.rate = rate_between(*former, peer, interval);
            one.congestion = congestion_between(former->congestion, peer.congestion, interval);
        }
        activity.peers.push_back(std::move(one));
    }
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
