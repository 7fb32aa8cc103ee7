// SPDX-License-Identifier: GPL-2.0-only
#include "watch/decision_log.h"

#include <algorithm>

#include "watch/fault_memory.h"

namespace mrcd
{

namespace
{

/** Does all traffic over @p narrow also use @p wide? */
bool covers(const Element &wide, const Element &narrow)
{
    return wide.plane == narrow.plane &&
           (whole_plane(wide) || (!whole_plane(narrow) && wide.t1 == narrow.t1));
}

} // namespace

std::vector<Fault>::iterator DecisionLog::known(const Element &element)
{
    return std::find_if(known_.begin(), known_.end(),
                        [&](const Fault &fault) { return fault.finding.element == element; });
}

void DecisionLog::look_at(const Fabric &fabric)
{
    const std::vector<Fault> before = known_;
    std::vector<Fault> kept_faults;

    for (Fault fault : before) {
        const Element &was = fault.finding.element;
        const auto element = find_element(fabric, was.kind, to_string(fabric_, was));
        if (!element) {
            end(was, {}, "the file no longer has it");
            continue;
        }
        fault.finding.element = *element;
        kept_faults.push_back(std::move(fault));
    }
    known_ = std::move(kept_faults);
    fabric_ = fabric;
    evs_ = planned_evs(fabric);
}

/** The EVs of the plan whose denial has changed. The kernel may already have them so. */
EvChange DecisionLog::change_since(const Denials &before) const
{
    Denials was = fabric_.denied;
    Denials is = fabric_.denied;
    EvChange change;

    was.add(before);
    is.add(denials_of(known_));
    for (const PlannedEv &ev : evs_) {
        const bool denied = passes(ev.path, is);
        if (denied != passes(ev.path, was))
            (denied ? change.denied : change.allowed)[ev.profile].push_back(ev.index);
    }
    return change;
}

void DecisionLog::say(const char *verdict, const std::string &what, const Finding &finding,
                      const EvChange &evs)
{
    const std::string name = to_string(fabric_, finding.element);
    const std::string changed = to_string(evs);
    const std::string text = name + ' ' + what + ": " + finding.evidence +
                             (changed.empty() ? changed : " (" + changed + ')');
    const bool good = verdict == std::string("allowed") || verdict == std::string("over");
    Log::Fields fields{
        {"DEVICE", fabric_.local.device},        {"ELEMENT", name},
        {"KIND", name_of(finding.element.kind)}, {"PLANE", std::to_string(finding.element.plane)},
        {"CAUSE", name_of(finding.cause)},       {"VERDICT", verdict},
        {"EVIDENCE", finding.evidence}};

    add_fields(fields, evs);
    decisions_.push_back({now_(), text});
    if (decisions_.size() > kept)
        decisions_.pop_front();
    log_.record(good ? Level::notice : Level::warning, text, fields);
}

void DecisionLog::begin(const Fault &fault)
{
    const Denials before = denials_of(known_);
    const auto at = known(fault.finding.element);
    const bool same = at != known_.end() && at->denied == fault.denied &&
                      at->finding.cause == fault.finding.cause;

    if (at == known_.end())
        known_.push_back(fault);
    else
        *at = fault;
    if (same)
        return;
    if (fault.denied)
        say("denied", "is denied", fault.finding, change_since(before));
    else
        say("not-denied", "is not denied, because too few planes or T1s would be left",
            fault.finding, change_since(before));
}

/** Logs that a fault is over. Its EVs may still be denied for another reason. */
void DecisionLog::end(const Element &element, const std::vector<Fault> &faults,
                      const std::string &why)
{
    const auto at = known(element);
    const Fault fault = *at;
    const Denials before = denials_of(known_);
    const auto other = std::find_if(faults.begin(), faults.end(), [&](const Fault &that) {
        return covers(that.finding.element, element);
    });
    const bool explained = other != faults.end();
    const Finding finding{
        element, explained ? to_string(fabric_, other->finding.element) + " explains it" : why,
        fault.finding.cause};

    known_.erase(at);
    if (fault.denied && !(explained && other->denied))
        say("allowed", "is allowed again", finding, change_since(before));
    else
        say("over", "is no longer a fault", finding, change_since(before));
}

void DecisionLog::update(const std::vector<Fault> &faults, bool certain, const Recovery &recovery)
{
    const std::vector<Fault> before = known_;

    // New faults come first: a fault that replaces another one must not make the log say that the
    // element is allowed.
    for (const Fault &fault : faults)
        begin(fault);
    for (const Fault &fault : before) {
        const Element &element = fault.finding.element;
        if (certain && std::none_of(faults.begin(), faults.end(), [&](const Fault &other) {
                return other.finding.element == element;
            }))
            end(element, faults, recovery(fault.finding));
    }
}

} // namespace mrcd
