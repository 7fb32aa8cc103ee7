// SPDX-License-Identifier: GPL-2.0-only
#include "watch/fault_finder.h"

#include <algorithm>
#include <utility>

namespace mrcd
{

namespace
{

using Kind = Element::Kind;

constexpr uint64_t ms = 1'000'000;
constexpr uint64_t second = 1000 * ms;
constexpr uint64_t look_ns = 100 * ms; // the longest time between two ticks
constexpr uint64_t detour_interval_ns = 20 * ms;
constexpr uint64_t batch_ns = 2 * ms;  // probes due this soon are sent in the same batch
constexpr uint64_t doubt_ns = 10 * ms; // the longest time while something is in doubt
constexpr uint64_t settle_ns = 300 * ms;
constexpr uint64_t carrier_settles_ns = 3 * second; // time for neighbours and routes to come back
constexpr unsigned asks_most = 3;
constexpr uint64_t tried_probes = 10; // per loop, before knows() is true
constexpr size_t detours_most = 3;
constexpr uint64_t detour_probes = 4;
constexpr uint64_t certain_run = 10;
constexpr size_t of_late = 20;
constexpr size_t well_percent = 10;
constexpr uint32_t data_share = 10;    // one in so many probes is long,
constexpr uint32_t data_rate_most = 1; // but no more than so many a second

/**
 * Do the newest probes contradict the verdict? Then more are sent at once, until the verdict is
 * clear.
 */
bool changing(const LoopHistory &loop)
{
    switch (loop.verdict()) {
    case Verdict::alive:
        return loop.lost_in_a_row();
    case Verdict::dead:
        return loop.answered_in_a_row();
    default:
        return true;
    }
}

/** Does a finding about a whole plane explain a finding about one of its T1s? */
bool explains(const Finding &wide, const Finding &narrow)
{
    return wide.element.plane == narrow.element.plane && whole_plane(wide.element) &&
           (wide.cause != Cause::mtu || narrow.cause == Cause::mtu);
}

bool same_place(const Element &a, const Element &b)
{
    return a.plane == b.plane && whole_plane(a) == whole_plane(b) &&
           (whole_plane(a) || a.t1 == b.t1);
}

} // namespace

FaultFinder::FaultFinder(const Fabric &fabric, uint64_t seed)
    : fabric_(fabric), lost_after_ns_(fabric.watch.lost_after * ms),
      data_every_(std::max<uint32_t>(data_share, fabric.watch.rate / data_rate_most)), random_(seed)
{
    const uint64_t interval_ns = second / fabric_.watch.rate;

    for (uint8_t plane = 1; plane <= fabric_.planes; plane++) {
        Plane &p = planes_[plane];
        p.uplink = add_track(uplink_loop(fabric_, plane), interval_ns, 0);
        tracks_.at(p.uplink).carries_data = true;
        // A fabric of one rack sends nothing by T1s.
        if (fabric_.racks.size() == 1)
            continue;
        for (const uint32_t t1 : own_t1s(fabric_, plane)) {
            p.t1[t1] = add_track(trunk_loop(fabric_, plane, t1), interval_ns, 0);
            tracks_.at(p.t1[t1]).carries_data = true;
        }
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

/**
 * Counts probes that are too late as lost. A lost long probe tells something about its length only
 * if the short probe right before it came back.
 */
void FaultFinder::expire(Track &track, uint64_t now_ns)
{
    const auto too_late = [&](const Stream &stream) {
        return !stream.in_flight.empty() &&
               stream.in_flight.front().sent_ns + lost_after_ns_ <= now_ns;
    };

    while (too_late(track.probes)) {
        track.probes.in_flight.pop_front();
        track.probes.history.lost(now_ns);
    }
    while (too_late(track.data)) {
        if (track.data.in_flight.front().witnessed)
            track.data.history.lost(now_ns);
        track.data.in_flight.pop_front();
    }
}

void FaultFinder::send_due(uint32_t id, Track &track, uint64_t now_ns, ProbeSender &sender)
{
    if (track.due_ns > now_ns + batch_ns)
        return;
    track.probes.in_flight.push_back({++track.sequence, now_ns});
    track.due_ns = now_ns + track.interval_ns * 3 / 4 + random_() % (track.interval_ns / 2);
    sender.send(track.loop, {id, track.sequence});
    if (track.carries_data && data_bytes_)
        send_data(id, track, now_ns, sender);
}

/**
 * Sends a long probe now and then: few of them, so that they cost little, and not on all loops at
 * the same time.
 */
void FaultFinder::send_data(uint32_t id, Track &track, uint64_t now_ns, ProbeSender &sender)
{
    const LoopHistory &probes = track.probes.history;
    const bool dead = probes.verdict() == Verdict::dead;
    // When a dead loop begins to answer, data must pass it before it is used again.
    if (dead ? !probes.answered_in_a_row()
             : track.sequence < track.next_data && !changing(track.data.history))
        return;
    track.next_data =
        track.sequence + data_every_ / 2 + static_cast<uint32_t>(random_() % (data_every_ + 1));
    track.data.in_flight.push_back({track.sequence, now_ns});
    sender.send(track.loop, {id, track.sequence, data_bytes_});
}

/** When the length of data packets changes, forgets what probes of the old length have shown. */
void FaultFinder::look_at_data(uint16_t bytes)
{
    const uint16_t before = std::exchange(data_bytes_, bytes);

    if (!before || before == bytes)
        return;
    for (auto &[id, track] : tracks_)
        track.data = Stream(fabric_.watch);
}

/**
 * When a loop by a T1 loses long probes, sends one by the T0 soon, to learn whether the host's link
 * is to blame.
 */
void FaultFinder::hasten_data(Plane &plane)
{
    Track &uplink = tracks_.at(plane.uplink);

    if (uplink.data.history.verdict() == Verdict::dead)
        return;
    for (const auto &[t1, track] : plane.t1)
        if (data(track).lost_in_a_row() &&
            uplink.data.history.answered_ns() <= data(track).losing_since_ns())
            uplink.next_data = 0;
}

uint64_t FaultFinder::next_due(uint64_t now_ns) const
{
    const auto expires = [&](uint64_t next, const Stream &stream) {
        return stream.in_flight.empty()
                   ? next
                   : std::min(next, stream.in_flight.front().sent_ns + lost_after_ns_);
    };
    const bool doubtful = std::any_of(planes_.begin(), planes_.end(), [&](const auto &plane) {
        return in_doubt(plane.second, now_ns);
    });
    uint64_t next = now_ns + (doubtful ? doubt_ns : look_ns);

    for (const auto &[id, track] : tracks_) {
        next = std::min(next, track.due_ns);
        next = expires(expires(next, track.probes), track.data);
    }
    return std::max(next, now_ns + batch_ns);
}

uint64_t FaultFinder::tick(uint64_t now_ns, ProbeSender &sender)
{
    for (auto &[id, track] : tracks_)
        expire(track, now_ns);
    look_at_data(sender.data_bytes());
    for (auto &[number, plane] : planes_) {
        look_at_carrier(number, plane, now_ns, sender);
        hasten_data(plane);
        ask_neighbor(number, plane, now_ns, sender);
        doubt(number, plane, now_ns);
    }
    for (auto &[id, track] : tracks_)
        send_due(id, track, now_ns, sender);
    sender.flush();
    evaluate(now_ns);
    return next_due(now_ns);
}

void FaultFinder::answered(const LoopProbe &probe, uint64_t now_ns)
{
    const auto at = tracks_.find(probe.id);

    if (at == tracks_.end())
        return;
    Track &track = at->second;
    const bool is_long = probe.bytes != short_probe_bytes;
    if (is_long && probe.bytes != data_bytes_)
        return;
    Stream &stream = is_long ? track.data : track.probes;
    auto &in_flight = stream.in_flight;
    const auto same = [&](const InFlight &other) { return other.sequence == probe.sequence; };
    const auto found = std::find_if(in_flight.begin(), in_flight.end(), same);
    if (found == in_flight.end())
        return;
    // The arrival time is converted from another clock, and may be too early.
    const uint64_t rtt_ns = now_ns - std::min(now_ns, found->sent_ns);
    // All probes of a loop take the same path in order: those before this one will not come any
    // more.
    for (auto before = in_flight.begin(); before != found; ++before)
        if (!is_long || before->witnessed)
            stream.history.lost(now_ns);
    stream.history.answered(now_ns, rtt_ns);
    in_flight.erase(in_flight.begin(), found + 1);
    if (is_long)
        return;
    for (InFlight &companion : track.data.in_flight)
        companion.witnessed |= same(companion);
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
        tracks_.at(plane.uplink).probes.history.start_anew();
    plane.carrier = carrier;
    // So that the link has to prove itself like any other.
    if (!carrier)
        tracks_.at(plane.uplink).probes.history.die(now_ns);
}

/** Does no probe of the plane come back, by whatever T1? */
bool FaultFinder::silent(const Plane &plane) const
{
    const LoopHistory &uplink = history(plane.uplink);

    return plane.carrier && uplink.verdict() == Verdict::dead &&
           uplink.lost_in_a_row() >= fabric_.watch.dead_after &&
           std::none_of(plane.t1.begin(), plane.t1.end(), [&](const auto &t1) {
               return history(t1.second).answered_ns() > uplink.losing_since_ns();
           });
}

/** Were more than @p percent of the last @p probes probes of the loops that are alive lost? */
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
 * Does a loop lose all probes while the others of its plane lose few? Then the path that they share
 * is not to blame. If the others lose some, this loop must lose longer, because its losses might be
 * chance.
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

/** Asks the T0 of a silent plane whether it answers itself. */
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

/**
 * Starts and ends doubts about T1s whose loops are dead. Losses seen through a bad uplink are no
 * evidence.
 */
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

/**
 * Starts loops around the link, by T1s that work at this moment. If there are none, the next tick
 * may find some.
 */
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

/**
 * Settles a doubt. One probe that comes back around the link proves that the T1 lives. If none does
 * although the control loop works, the T1 is dead.
 */
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
    // Loops that exist always yield a result, however late. Without any, the wait is limited.
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
        return !plane.carrier ||
               (tried(plane.uplink) && !in_doubt(plane, now_ns) && !data_open(plane) &&
                std::all_of(plane.t1.begin(), plane.t1.end(),
                            [&](const auto &t1) { return tried(t1.second); }));
    });
}

/** Has something failed whose cause will be clear in a moment? Then ticks come soon. */
bool FaultFinder::in_doubt(const Plane &plane, uint64_t now_ns) const
{
    if (silent(plane))
        return !plane.neighbor &&
               (!plane.asks || now_ns < plane.asked_ns + asks_most * lost_after_ns_);
    return std::any_of(plane.doubts.begin(), plane.doubts.end(),
                       [](const auto &doubt) { return !doubt.second.settled; });
}

/**
 * Does a loop lose long probes while short ones come back? If short ones were lost recently as
 * well, it takes a longer run, because the losses might be chance.
 */
bool FaultFinder::loses_data(uint32_t track) const
{
    const LoopHistory &probes = history(track);
    const uint64_t run = data(track).lost_in_a_row();

    if (data(track).verdict() != Verdict::dead || run < fabric_.watch.dead_after ||
        probes.verdict() != Verdict::alive || probes.lost_in_a_row())
        return false;
    const size_t lost = probes.lost_of_last(of_late);
    return run < certain_run ? !lost : lost * 100 <= of_late * well_percent;
}

/** Is it still unknown for some loop whether probes as long as data come back? */
bool FaultFinder::data_open(const Plane &plane) const
{
    const LoopHistory &uplink = data(plane.uplink);
    const auto open = [&](uint32_t track) {
        return data(track).verdict() == Verdict::unknown &&
               history(track).verdict() == Verdict::alive;
    };

    return data_bytes_ && (open(plane.uplink) ||
                           std::any_of(plane.t1.begin(), plane.t1.end(), [&](const auto &t1) {
                               return open(t1.second) ||
                                      (loses_data(t1.second) && uplink.verdict() != Verdict::dead &&
                                       uplink.answered_ns() <= data(t1.second).losing_since_ns());
                           }));
}

/** The track of the loop that shows whether an element is broken. */
uint32_t FaultFinder::track_of(const Element &element) const
{
    const Plane &plane = planes_.at(element.plane);

    return whole_plane(element) ? plane.uplink : plane.t1.at(element.t1);
}

/** The history that shows a finding. */
const LoopHistory &FaultFinder::evidence_of(const Finding &finding) const
{
    const uint32_t track = track_of(finding.element);

    return finding.cause == Cause::mtu ? data(track) : history(track);
}

/** The histories that showed the faults count as dead, as they would by now. */
void FaultFinder::recall(std::vector<Fault> faults, uint64_t now_ns)
{
    faults_ = std::move(faults);
    for (const Fault &fault : faults_) {
        Track &track = tracks_.at(track_of(fault.finding.element));
        (fault.finding.cause == Cause::mtu ? track.data : track.probes).history.die(now_ns);
    }
    mark_denied();
}

/** Is the loop that showed a finding alive again? */
bool FaultFinder::over(const Finding &finding) const
{
    if (whole_plane(finding.element) && !planes_.at(finding.element.plane).carrier)
        return false;
    return evidence_of(finding).verdict() != Verdict::dead;
}

/**
 * Adds a fault. A known fault of the same element stays, unless it was a loss of long packets and
 * now nothing passes. A fault of the whole plane replaces the faults that it explains.
 */
void FaultFinder::add_fault(Finding finding, uint64_t now_ns)
{
    const auto known = std::find_if(faults_.begin(), faults_.end(), [&](const Fault &fault) {
        return same_place(fault.finding.element, finding.element);
    });

    if (known != faults_.end() &&
        (known->finding.cause != Cause::mtu || finding.cause == Cause::mtu))
        return;
    if (known != faults_.end())
        faults_.erase(known);
    std::erase_if(faults_, [&](const Fault &fault) { return explains(finding, fault.finding); });
    const uint64_t lost = evidence_of(finding).lost_in_a_row();
    faults_.push_back({std::move(finding), now_ns, lost});
}

void FaultFinder::find_in_plane(uint8_t number, const Plane &plane, uint64_t now_ns)
{
    const LoopHistory &uplink = history(plane.uplink);
    const bool lossy = uplink.verdict() == Verdict::dead && uplink.lossy();

    const bool certain = silent(plane) && !in_doubt(plane, now_ns);

    // Losses seen without carrier say nothing about a link that has had carrier for long. And a
    // link is not to blame if the T0 answers by it after all.
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

/**
 * Finds elements that lose long packets. A link to a T1 is blamed only if a long probe came back by
 * the T0 after the T1's were first lost: then the host's link is not to blame.
 */
void FaultFinder::find_holes(uint8_t number, const Plane &plane, uint64_t now_ns)
{
    const LoopHistory &uplink = data(plane.uplink);
    const auto add = [&](std::optional<uint32_t> t1) {
        add_fault(locate_hole(fabric_, number, t1, short_probe_bytes, data_bytes_), now_ns);
    };

    if (!plane.carrier)
        return;
    if (loses_data(plane.uplink))
        return add(std::nullopt);
    for (const auto &[t1, track] : plane.t1)
        if (loses_data(track) && uplink.verdict() == Verdict::alive && !uplink.lost_in_a_row() &&
            uplink.answered_ns() > data(track).losing_since_ns())
            add(t1);
}

/**
 * Updates the faults. An element that begins to answer and is a fault stays a fault until it has
 * answered for long enough. An element that is no fault does not become one by that.
 */
void FaultFinder::evaluate(uint64_t now_ns)
{
    std::erase_if(faults_, [&](const Fault &fault) { return over(fault.finding); });
    for (const auto &[number, plane] : planes_) {
        find_in_plane(number, plane, now_ns);
        find_at_t1s(number, plane, now_ns);
        find_holes(number, plane, now_ns);
    }
    mark_denied();
}

/** How many T1s of a plane the file denies, themselves or their links to this host's T0. */
size_t FaultFinder::denied_by_file(uint8_t number, const Plane &plane) const
{
    const uint32_t t0 = own_t0(fabric_, number);

    return static_cast<size_t>(std::count_if(plane.t1.begin(), plane.t1.end(), [&](const auto &t1) {
        return fabric_.denied.t1.contains(t1.first) ||
               fabric_.denied.trunks.contains({t0, t1.first});
    }));
}

/** Decides which faults are denied, in the order in which they were found. */
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

std::string FaultFinder::recovery(const Finding &finding) const
{
    if (finding.cause == Cause::mtu && evidence_of(finding).verdict() == Verdict::unknown)
        return "the length of data packets has changed";
    return std::to_string(evidence_of(finding).answered_in_a_row()) +
           (finding.cause == Cause::mtu
                ? " probes of " + std::to_string(data_bytes_) + " bytes in a row came back"
                : " probes in a row came back");
}

std::set<uint8_t> FaultFinder::alive_planes() const
{
    std::set<uint8_t> alive;

    for (const auto &[number, plane] : planes_) {
        const auto lives = [&](const auto &t1) {
            return history(t1.second).verdict() == Verdict::alive;
        };
        if (history(plane.uplink).verdict() == Verdict::alive &&
            (plane.t1.empty() || std::any_of(plane.t1.begin(), plane.t1.end(), lives)))
            alive.insert(number);
    }
    return alive;
}

std::vector<LoopReport> FaultFinder::loops() const
{
    std::vector<LoopReport> reports;

    for (const auto &[number, plane] : planes_) {
        reports.push_back({number, std::nullopt, &history(plane.uplink), &data(plane.uplink)});
        for (const auto &[t1, track] : plane.t1)
            reports.push_back({number, t1, &history(track), &data(track)});
    }
    return reports;
}

} // namespace mrcd
