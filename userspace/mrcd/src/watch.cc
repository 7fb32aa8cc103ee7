// SPDX-License-Identifier: GPL-2.0-only
#include "watch.h"

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
constexpr uint64_t lost_after_ns = 50 * ms;
constexpr uint64_t batch_ns = 2 * ms;  // what is due that soon goes along
constexpr uint64_t doubt_ns = 10 * ms; // how often to look then
constexpr uint64_t settle_ns = 300 * ms;
constexpr unsigned asks_most = 3;
constexpr uint64_t asking_ns = asks_most * lost_after_ns;
constexpr size_t detours_most = 3;
constexpr uint64_t detour_probes = 4;

bool whole_plane(const Element &element)
{
    return element.kind == Kind::host_link || element.kind == Kind::t0;
}

} // namespace

Watch::Watch(const Fabric &fabric, uint64_t seed) : fabric_(fabric), random_(seed)
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

uint32_t Watch::add_track(ProbeLoop loop, uint64_t interval, uint64_t now_ns)
{
    Track &track = tracks_[next_id_];

    track.loop = std::move(loop);
    track.interval_ns = interval;
    track.due_ns = now_ns + random_() % interval;
    return next_id_++;
}

/** What was sent before the one that is too late is too late as well. */
void Watch::expire(Track &track, uint64_t now_ns)
{
    while (!track.in_flight.empty() && track.in_flight.front().sent_ns + lost_after_ns <= now_ns) {
        track.in_flight.pop_front();
        track.history.lost(now_ns);
    }
}

void Watch::send_due(uint32_t id, Track &track, uint64_t now_ns, ProbeSender &sender)
{
    if (track.due_ns > now_ns + batch_ns)
        return;
    track.in_flight.push_back({++track.sequence, now_ns});
    track.due_ns = now_ns + track.interval_ns * 3 / 4 + random_() % (track.interval_ns / 2);
    sender.send(track.loop, id, track.sequence);
}

uint64_t Watch::next_due(uint64_t now_ns) const
{
    const bool doubtful = std::any_of(planes_.begin(), planes_.end(), [&](const auto &plane) {
        return in_doubt(plane.second, now_ns);
    });
    uint64_t next = now_ns + (doubtful ? doubt_ns : look_ns);

    for (const auto &[id, track] : tracks_) {
        next = std::min(next, track.due_ns);
        if (!track.in_flight.empty())
            next = std::min(next, track.in_flight.front().sent_ns + lost_after_ns);
    }
    return std::max(next, now_ns + batch_ns);
}

uint64_t Watch::tick(uint64_t now_ns, ProbeSender &sender)
{
    for (auto &[id, track] : tracks_)
        expire(track, now_ns);
    for (auto &[number, plane] : planes_) {
        plane.carrier = sender.carrier(number);
        ask_neighbor(number, plane, now_ns, sender);
        doubt(number, plane, now_ns);
    }
    for (auto &[id, track] : tracks_)
        send_due(id, track, now_ns, sender);
    evaluate(now_ns);
    return next_due(now_ns);
}

void Watch::answered(uint32_t id, uint32_t sequence, uint64_t now_ns)
{
    const auto at = tracks_.find(id);

    if (at == tracks_.end())
        return;
    auto &in_flight = at->second.in_flight;
    const auto probe = std::find_if(in_flight.begin(), in_flight.end(),
                                    [&](const InFlight &p) { return p.sequence == sequence; });
    if (probe == in_flight.end())
        return;
    at->second.history.answered(now_ns, now_ns - probe->sent_ns);
    in_flight.erase(probe);
}

void Watch::neighbor_answered(uint8_t plane)
{
    const auto at = planes_.find(plane);

    if (at != planes_.end() && at->second.asked_ns)
        at->second.neighbor = true;
}

/** While the loop by a T0 is dead, whether it answers by itself. */
void Watch::ask_neighbor(uint8_t number, Plane &plane, uint64_t now_ns, ProbeSender &sender)
{
    if (history(plane.uplink).verdict() != Verdict::dead || !plane.carrier) {
        plane.asked_ns = 0;
        plane.asks = 0;
        plane.neighbor = false;
        return;
    }
    if (plane.neighbor || plane.asks >= asks_most)
        return;
    if (plane.asks && now_ns < plane.asked_ns + plane.asks * lost_after_ns)
        return;
    if (!plane.asks)
        plane.asked_ns = now_ns;
    plane.asks++;
    sender.ask(number);
}

/** Looks past the links whose loops are dead, while the plane is alive. */
void Watch::doubt(uint8_t number, Plane &plane, uint64_t now_ns)
{
    for (const auto &[t1, track] : plane.t1) {
        const auto at = plane.doubts.find(t1);
        if (history(track).verdict() == Verdict::dead && at == plane.doubts.end())
            begin_doubt(number, plane, t1, now_ns);
        if (at == plane.doubts.end())
            continue;
        if (history(track).verdict() == Verdict::dead) {
            settle(at->second, now_ns);
            continue;
        }
        for (const auto &[past, control] : at->second.tracks) {
            tracks_.erase(past);
            tracks_.erase(control);
        }
        plane.doubts.erase(at);
    }
}

void Watch::begin_doubt(uint8_t number, Plane &plane, uint32_t t1, uint64_t now_ns)
{
    std::vector<uint32_t> by;

    for (const auto &[other, track] : plane.t1)
        if (history(track).verdict() == Verdict::alive && !history(track).lost_in_a_row())
            by.push_back(other);
    Doubt &doubt = plane.doubts[t1];
    doubt.since_ns = now_ns;
    for (Detour &way : detours(fabric_, number, t1, by, detours_most))
        doubt.tracks.emplace_back(add_track(std::move(way.past), detour_interval_ns, now_ns),
                                  add_track(std::move(way.control), detour_interval_ns, now_ns));
}

/** One probe that comes back past the link proves the T1; none does if ways like them work. */
void Watch::settle(Doubt &doubt, uint64_t now_ns)
{
    bool some_dead = false;
    bool open = false;

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
    if (doubt.past != Verdict::alive && open && now_ns < doubt.since_ns + settle_ns)
        return;
    if (doubt.past != Verdict::alive && some_dead)
        doubt.past = Verdict::dead;
    doubt.settled = true;
    for (const auto &[past, control] : doubt.tracks) {
        tracks_.erase(past);
        tracks_.erase(control);
    }
    doubt.tracks.clear();
}

/** Something has gone, and what it is will be clear in a moment. */
bool Watch::in_doubt(const Plane &plane, uint64_t now_ns) const
{
    const LoopHistory &uplink = history(plane.uplink);

    if (!plane.carrier)
        return false;
    if (uplink.verdict() == Verdict::dead)
        return !plane.neighbor && now_ns < plane.asked_ns + asking_ns;
    return uplink.lost_in_a_row() ||
           std::any_of(plane.doubts.begin(), plane.doubts.end(),
                       [](const auto &doubt) { return !doubt.second.settled; });
}

PlaneEvidence Watch::evidence(const Plane &plane) const
{
    PlaneEvidence evidence;

    evidence.carrier = plane.carrier;
    evidence.uplink = history(plane.uplink).verdict();
    evidence.neighbor = plane.neighbor ? Verdict::alive : Verdict::dead;
    for (const auto &[t1, track] : plane.t1) {
        const auto doubt = plane.doubts.find(t1);
        evidence.trunks[t1] = {history(track).verdict(),
                               doubt == plane.doubts.end() ? Verdict::unknown : doubt->second.past};
    }
    return evidence;
}

/** Planes in doubt keep the faults that they have. */
void Watch::evaluate(uint64_t now_ns)
{
    for (const auto &[number, plane] : planes_) {
        if (in_doubt(plane, now_ns))
            continue;
        std::vector<Finding> found = locate(fabric_, number, evidence(plane));
        std::erase_if(faults_, [&, plane_number = number](const Fault &fault) {
            if (fault.finding.element.plane != plane_number)
                return false;
            return !std::erase_if(found, [&](const Finding &finding) {
                return finding.element == fault.finding.element;
            });
        });
        for (Finding &finding : found)
            faults_.push_back({std::move(finding), now_ns});
    }
    mark_denied();
}

/** In the order in which they were found. */
void Watch::mark_denied()
{
    std::map<uint8_t, size_t> denied_t1s;
    size_t denied_planes = 0;

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

Denials Watch::denials() const
{
    Denials denials;

    for (const Fault &fault : faults_) {
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

std::vector<LoopReport> Watch::loops() const
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
