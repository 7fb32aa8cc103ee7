// SPDX-License-Identifier: GPL-2.0-only
#include "watch/fault_finder.h"

#include <algorithm>

namespace mrcd
{

namespace
{

using Kind = Element::Kind;

constexpr uint64_t ms = 1'000'000;
constexpr uint64_t second = 1000 * ms;
constexpr uint64_t look_ns = 100 * ms; // at least so often
constexpr uint64_t detour_interval_ns = 20 * ms;
constexpr uint64_t batch_ns = 2 * ms;  // what is due that soon goes along
constexpr uint64_t doubt_ns = 10 * ms; // how often to look then
constexpr uint64_t settle_ns = 300 * ms;
constexpr uint64_t carrier_settles_ns = 3 * second; // for neighbours and routes to come back
constexpr unsigned asks_most = 3;
constexpr uint64_t tried_probes = 10; // of each loop, until it is known what is broken
constexpr size_t detours_most = 3;
constexpr uint64_t detour_probes = 4;
constexpr uint64_t certain_run = 10;
constexpr size_t of_late = 20;
constexpr size_t well_percent = 10;

} // namespace

FaultFinder::FaultFinder(const Fabric &fabric, uint64_t seed)
    : fabric_(fabric), lost_after_ns_(fabric.watch.lost_after * ms), random_(seed)
{
    const uint64_t interval_ns = second / fabric_.watch.rate;

    for (uint8_t plane = 1; plane <= fabric_.planes; plane++) {
        Plane &p = planes_[plane];
        p.uplink = add_track(uplink_loop(fabric_, plane), interval_ns, 0);
        // Who has no other rack has no use for T1s.
        for (const uint32_t t1 : own_t1s(fabric_, plane))
            if (fabric_.racks.size() > 1)
                p.t1[t1] = add_track(trunk_loop(fabric_, plane, t1), interval_ns, 0);
    }
}

uint32_t FaultFinder::add_track(ProbeLoop loop, uint64_t interval, uint64_t now_ns)
{
    Track &track = tracks_.try_emplace(next_id_, fabric_.watch).first->second;

    track.loop = std::move(loop);
    track.interval_ns = interval;
    track.due_ns = now_ns + random_() % interval;
    return next_id_++;
}

/** What was sent before the one that is too late is too late as well. */
void FaultFinder::expire(Track &track, uint64_t now_ns)
{
    while (!track.in_flight.empty() && track.in_flight.front().sent_ns + lost_after_ns_ <= now_ns) {
        track.in_flight.pop_front();
        track.history.lost(now_ns);
    }
}

void FaultFinder::send_due(uint32_t id, Track &track, uint64_t now_ns, ProbeSender &sender)
{
    if (track.due_ns > now_ns + batch_ns)
        return;
    track.in_flight.push_back({++track.sequence, now_ns});
    track.due_ns = now_ns + track.interval_ns * 3 / 4 + random_() % (track.interval_ns / 2);
    sender.send(track.loop, id, track.sequence);
}

uint64_t FaultFinder::next_due(uint64_t now_ns) const
{
    const bool doubtful = std::any_of(planes_.begin(), planes_.end(), [&](const auto &plane) {
        return in_doubt(plane.second, now_ns);
    });
    uint64_t next = now_ns + (doubtful ? doubt_ns : look_ns);

    for (const auto &[id, track] : tracks_) {
        next = std::min(next, track.due_ns);
        if (!track.in_flight.empty())
            next = std::min(next, track.in_flight.front().sent_ns + lost_after_ns_);
    }
    return std::max(next, now_ns + batch_ns);
}

uint64_t FaultFinder::tick(uint64_t now_ns, ProbeSender &sender)
{
    for (auto &[id, track] : tracks_)
        expire(track, now_ns);
    for (auto &[number, plane] : planes_) {
        look_at_carrier(number, plane, now_ns, sender);
        ask_neighbor(number, plane, now_ns, sender);
        doubt(number, plane, now_ns);
    }
    for (auto &[id, track] : tracks_)
        send_due(id, track, now_ns, sender);
    sender.flush();
    evaluate(now_ns);
    return next_due(now_ns);
}

void FaultFinder::answered(uint32_t id, uint32_t sequence, uint64_t now_ns)
{
    const auto at = tracks_.find(id);

    if (at == tracks_.end())
        return;
    auto &in_flight = at->second.in_flight;
    const auto probe = std::find_if(in_flight.begin(), in_flight.end(),
                                    [&](const InFlight &p) { return p.sequence == sequence; });
    if (probe == in_flight.end())
        return;
    // Two clocks were compared to know when it came.
    const uint64_t rtt_ns = now_ns - std::min(now_ns, probe->sent_ns);
    // They go one way: those before it will not come any more.
    for (auto before = in_flight.begin(); before != probe; ++before)
        at->second.history.lost(now_ns);
    at->second.history.answered(now_ns, rtt_ns);
    in_flight.erase(in_flight.begin(), probe + 1);
}

void FaultFinder::neighbor_answered(uint8_t plane)
{
    const auto at = planes_.find(plane);

    if (at != planes_.end() && at->second.asks)
        at->second.neighbor = true;
}

void FaultFinder::look_at_carrier(uint8_t number, Plane &plane, uint64_t now_ns,
                                  ProbeSender &sender)
{
    const bool carrier = sender.carrier(number);

    if (carrier != plane.carrier)
        plane.carrier_ns = now_ns;
    if (carrier && !plane.carrier)
        tracks_.at(plane.uplink).history.start_anew();
    plane.carrier = carrier;
    // So that it has to prove itself like any other link.
    if (!carrier)
        tracks_.at(plane.uplink).history.die(now_ns);
}

/** Nothing at all comes back of it, by whatever T1. */
bool FaultFinder::silent(const Plane &plane) const
{
    const LoopHistory &uplink = history(plane.uplink);

    return plane.carrier && uplink.verdict() == Verdict::dead &&
           uplink.lost_in_a_row() >= fabric_.watch.dead_after &&
           std::none_of(plane.t1.begin(), plane.t1.end(), [&](const auto &t1) {
               return history(t1.second).answered_ns() > uplink.losing_since_ns();
           });
}

/** Of the last probes of the loops that are alive, more than so many were lost. */
bool FaultFinder::others_lost(const Plane &plane, size_t probes, size_t percent) const
{
    size_t sent = 0;
    size_t lost = 0;
    const auto add = [&](const LoopHistory &loop) {
        if (loop.verdict() != Verdict::alive)
            return;
        sent += std::min(probes, loop.recent());
        lost += loop.lost_of_last(probes);
    };

    add(history(plane.uplink));
    for (const auto &[t1, track] : plane.t1)
        add(history(track));
    return lost * 100 > sent * percent;
}

/**
 * A loop loses all, and the others little: it is not the way they share. When they lose some, it
 * must lose longer, for that might be chance.
 */
bool FaultFinder::lost_alone(const Plane &plane, const LoopHistory &loop) const
{
    const LoopHistory &uplink = history(plane.uplink);
    const uint64_t run = loop.lost_in_a_row();

    return loop.verdict() == Verdict::dead && run >= fabric_.watch.dead_after &&
           uplink.verdict() == Verdict::alive && !uplink.lost_in_a_row() &&
           !others_lost(plane, run + 1, well_percent) &&
           !others_lost(plane, of_late, run < certain_run ? 0 : well_percent);
}

/** Whether the T0 of a silent plane answers by itself. */
void FaultFinder::ask_neighbor(uint8_t number, Plane &plane, uint64_t now_ns, ProbeSender &sender)
{
    if (!silent(plane)) {
        plane.asks = 0;
        plane.neighbor = false;
        return;
    }
    if (plane.neighbor || plane.asks >= asks_most ||
        (plane.asks && now_ns < plane.asked_ns + plane.asks * lost_after_ns_))
        return;
    if (!plane.asks)
        plane.asked_ns = now_ns;
    plane.asks++;
    sender.ask(number);
}

/** Looks past the links whose loops are dead. What is seen through a bad uplink is no evidence. */
void FaultFinder::doubt(uint8_t number, Plane &plane, uint64_t now_ns)
{
    const LoopHistory &uplink = history(plane.uplink);

    for (const auto &[t1, track] : plane.t1) {
        const LoopHistory &loop = history(track);
        const auto at = plane.doubts.find(t1);
        if (at != plane.doubts.end() &&
            (loop.verdict() != Verdict::dead || uplink.verdict() == Verdict::dead)) {
            forget(at->second);
            plane.doubts.erase(at);
        } else if (at != plane.doubts.end()) {
            look_past(number, plane, t1, at->second, now_ns);
            settle(at->second, now_ns);
        } else if (lost_alone(plane, loop)) {
            plane.doubts[t1].since_ns = now_ns;
        }
    }
}

void FaultFinder::forget(Doubt &doubt)
{
    for (const auto &[past, control] : doubt.tracks) {
        tracks_.erase(past);
        tracks_.erase(control);
    }
    doubt.tracks.clear();
}

/** By T1s that work at this moment; there may be some in the next one. */
void FaultFinder::look_past(uint8_t number, Plane &plane, uint32_t t1, Doubt &doubt,
                            uint64_t now_ns)
{
    std::vector<uint32_t> by;

    if (doubt.settled || !doubt.tracks.empty())
        return;
    for (const auto &[other, track] : plane.t1)
        if (history(track).verdict() == Verdict::alive && !history(track).lost_in_a_row())
            by.push_back(other);
    for (Detour &way : detours(fabric_, number, t1, by, detours_most, random_()))
        doubt.tracks.emplace_back(add_track(std::move(way.past), detour_interval_ns, now_ns),
                                  add_track(std::move(way.control), detour_interval_ns, now_ns));
}

/** One probe that comes back past the link proves the T1; none does if ways like them work. */
void FaultFinder::settle(Doubt &doubt, uint64_t now_ns)
{
    bool some_dead = false;
    bool open = doubt.tracks.empty();

    if (doubt.settled)
        return;
    for (const auto &[past, control] : doubt.tracks) {
        const LoopHistory &way = history(past);
        const bool works = history(control).verdict() == Verdict::alive;
        if (way.sent() > way.lost())
            doubt.past = Verdict::alive;
        some_dead |= works && way.lost() >= detour_probes;
        open |= way.sent() < detour_probes || history(control).sent() < detour_probes;
    }
    // Ways that there are come to their results, however late; some may never be there.
    if (doubt.past != Verdict::alive && open &&
        (!doubt.tracks.empty() || now_ns < doubt.since_ns + settle_ns))
        return;
    if (doubt.past != Verdict::alive && some_dead)
        doubt.past = Verdict::dead;
    doubt.settled = true;
    forget(doubt);
}

bool FaultFinder::knows(uint64_t now_ns) const
{
    const auto tried = [&](uint32_t track) { return history(track).sent() >= tried_probes; };

    return std::all_of(planes_.begin(), planes_.end(), [&](const auto &at) {
        const Plane &plane = at.second;
        return !plane.carrier || (tried(plane.uplink) && !in_doubt(plane, now_ns) &&
                                  std::all_of(plane.t1.begin(), plane.t1.end(),
                                              [&](const auto &t1) { return tried(t1.second); }));
    });
}

/** Something has gone, and what it is will be clear in a moment: look soon. */
bool FaultFinder::in_doubt(const Plane &plane, uint64_t now_ns) const
{
    if (silent(plane))
        return !plane.neighbor &&
               (!plane.asks || now_ns < plane.asked_ns + asks_most * lost_after_ns_);
    return std::any_of(plane.doubts.begin(), plane.doubts.end(),
                       [](const auto &doubt) { return !doubt.second.settled; });
}

/** That shows whether it is broken. */
const LoopHistory &FaultFinder::loop_of(const Element &element) const
{
    const Plane &plane = planes_.at(element.plane);

    return history(whole_plane(element) ? plane.uplink : plane.t1.at(element.t1));
}

/** The loop that showed it is alive again. */
bool FaultFinder::over(const Element &element) const
{
    if (whole_plane(element) && !planes_.at(element.plane).carrier)
        return false;
    return loop_of(element).verdict() != Verdict::dead;
}

/** What is known of an element stays; what is found of the whole plane explains the rest. */
void FaultFinder::add_fault(Finding finding, uint64_t now_ns)
{
    const auto same_place = [&](const Fault &fault) {
        const Element &a = fault.finding.element;
        const Element &b = finding.element;
        return a.plane == b.plane && whole_plane(a) == whole_plane(b) &&
               (whole_plane(a) || a.t1 == b.t1);
    };

    if (std::any_of(faults_.begin(), faults_.end(), same_place))
        return;
    if (whole_plane(finding.element))
        std::erase_if(faults_, [&](const Fault &fault) {
            return fault.finding.element.plane == finding.element.plane;
        });
    const uint64_t lost = loop_of(finding.element).lost_in_a_row();
    faults_.push_back({std::move(finding), now_ns, lost});
}

void FaultFinder::find_in_plane(uint8_t number, const Plane &plane, uint64_t now_ns)
{
    const LoopHistory &uplink = history(plane.uplink);
    const bool lossy = uplink.verdict() == Verdict::dead && uplink.lossy();

    const bool certain = silent(plane) && !in_doubt(plane, now_ns);

    // What was seen while there was no carrier says nothing about a link that has had it for long,
    // nor is a link to blame by which the T0 answers after all.
    const bool settled = now_ns > plane.carrier_ns + carrier_settles_ns;
    if (certain)
        std::erase_if(faults_, [&](const Fault &fault) {
            const Element &element = fault.finding.element;
            if (element.plane != number)
                return false;
            return fault.since_ns < plane.carrier_ns
                       ? settled
                       : plane.neighbor && element.kind == Element::Kind::host_link;
        });
    if (!plane.carrier || lossy || certain)
        add_fault(locate_in_plane(fabric_, number, {plane.carrier, plane.neighbor, lossy}), now_ns);
}

void FaultFinder::find_at_t1s(uint8_t number, const Plane &plane, uint64_t now_ns)
{
    for (const auto &[t1, doubt] : plane.doubts)
        if (doubt.settled && lost_alone(plane, history(plane.t1.at(t1))))
            add_fault(locate_at_t1(fabric_, number, t1, doubt.past), now_ns);
}

/** What is on its way back stays a fault until it has proved itself, but becomes none. */
void FaultFinder::evaluate(uint64_t now_ns)
{
    std::erase_if(faults_, [&](const Fault &fault) { return over(fault.finding.element); });
    for (const auto &[number, plane] : planes_) {
        find_in_plane(number, plane, now_ns);
        find_at_t1s(number, plane, now_ns);
    }
    mark_denied();
}

/** Of a plane's T1s, those that the file denies, or the links to them. */
size_t FaultFinder::denied_by_file(uint8_t number, const Plane &plane) const
{
    const uint32_t t0 = own_t0(fabric_, number);

    return static_cast<size_t>(std::count_if(plane.t1.begin(), plane.t1.end(), [&](const auto &t1) {
        return fabric_.denied.t1.contains(t1.first) ||
               fabric_.denied.trunks.contains({t0, t1.first});
    }));
}

/** In the order in which they were found. */
void FaultFinder::mark_denied()
{
    std::map<uint8_t, size_t> denied_t1s;
    size_t denied_planes = 0;

    if (faults_.empty())
        return;
    for (const auto &[number, plane] : planes_) {
        denied_t1s[number] = denied_by_file(number, plane);
        denied_planes += fabric_.denied.t0.contains(own_t0(fabric_, number));
    }
    for (Fault &fault : faults_) {
        const Element &element = fault.finding.element;
        if (whole_plane(element)) {
            fault.denied = denied_planes + 1 < planes_.size();
            denied_planes += fault.denied;
            continue;
        }
        const size_t all = planes_.at(element.plane).t1.size();
        size_t &gone = denied_t1s[element.plane];
        fault.denied = gone + 1 + std::max<size_t>((all + 3) / 4, 1) <= all;
        gone += fault.denied;
    }
}

Denials denials_of(const std::vector<Fault> &faults)
{
    Denials denials;

    for (const Fault &fault : faults) {
        const Element &element = fault.finding.element;
        if (!fault.denied)
            continue;
        if (whole_plane(element))
            denials.t0.insert(element.t0);
        else if (element.kind == Kind::t1)
            denials.t1.insert(element.t1);
        else
            denials.trunks.insert({element.t0, element.t1});
    }
    return denials;
}

std::string FaultFinder::recovery(const Element &element) const
{
    return std::to_string(loop_of(element).answered_in_a_row()) + " probes in a row came back";
}

std::vector<LoopReport> FaultFinder::loops() const
{
    std::vector<LoopReport> reports;

    for (const auto &[number, plane] : planes_) {
        reports.push_back({number, std::nullopt, &history(plane.uplink)});
        for (const auto &[t1, track] : plane.t1)
            reports.push_back({number, t1, &history(track)});
    }
    return reports;
}

} // namespace mrcd
