// SPDX-License-Identifier: GPL-2.0-only
#include "watcher.h"

#include <algorithm>

#include "planner.h"

namespace mrcd
{

namespace
{

/** Equal in all that loops depend on. */
bool same_links(const Fabric &a, const Fabric &b)
{
    return a.block == b.block && a.planes == b.planes && a.racks == b.racks && a.t0 == b.t0 &&
           a.t1 == b.t1 && a.missing == b.missing && a.watch == b.watch &&
           a.local.planes == b.local.planes && a.hosts[a.local.host] == b.hosts[b.local.host];
}

bool same(const Fault &a, const Fault &b)
{
    return a.finding.element == b.finding.element && a.denied == b.denied;
}

bool among(const Fault &fault, const std::vector<Fault> &faults)
{
    return std::any_of(faults.begin(), faults.end(),
                       [&](const Fault &other) { return same(fault, other); });
}

} // namespace

void Watcher::look_at(const Fabric &fabric)
{
    const bool known = watch_ && same_links(fabric_, fabric);
    std::vector<mrcnl::Address> neighbors;

    fabric_ = fabric;
    if (known) {
        watch_->set_denied(fabric.denied);
        return;
    }
    known_.clear();
    watch_.reset();
    sender_.reset();
    if (!fabric_.watch.rate)
        return;
    for (uint8_t plane = 1; plane <= fabric_.planes; plane++)
        neighbors.push_back(carrier(fabric_.block, {fabric_.t0[own_t0(fabric_, plane)].usid}));
    knows_ = false;
    watch_ = std::make_unique<Watch>(fabric_, wall_ns());
    sender_ = std::make_unique<UdpSender>(
        carrier(fabric_.block, {fabric_.hosts[fabric_.local.host].usid}), fabric_.local.planes,
        std::move(neighbors));
}

bool Watcher::knows()
{
    knows_ = knows_ || !watch_ || watch_->knows(monotonic_ns());
    return knows_;
}

uint64_t Watcher::tick()
{
    if (!watch_)
        return UINT64_MAX;
    sender_->receive(*watch_);
    const uint64_t next = watch_->tick(monotonic_ns(), *sender_);
    log_changes();
    return next;
}

void Watcher::decide(const std::string &text, const Fault &fault)
{
    const std::string name = to_string(fabric_, fault.finding.element);

    decisions_.push_back({wall_ns(), name + text});
    if (decisions_.size() > decisions_kept)
        decisions_.pop_front();
    log_.decide(name + text, {{"DEVICE", fabric_.local.device},
                              {"ELEMENT", name},
                              {"PLANE", std::to_string(fault.finding.element.plane)},
                              {"EVIDENCE", fault.finding.evidence}});
}

/** Each decision once. */
void Watcher::log_changes()
{
    const std::vector<Fault> &faults = watch_->faults();

    // The plane is denied still, for another reason.
    const auto covered = [&](const Fault &fault) {
        return std::any_of(faults.begin(), faults.end(), [&](const Fault &other) {
            return other.denied && whole_plane(other.finding.element) &&
                   other.finding.element.plane == fault.finding.element.plane;
        });
    };

    for (const Fault &fault : known_)
        if (std::none_of(faults.begin(), faults.end(), [&](const Fault &other) {
                return fault.finding.element == other.finding.element;
            }))
            decide(fault.denied && !covered(fault) ? " is allowed again" : " is no fault any more",
                   fault);
    for (const Fault &fault : faults)
        if (!among(fault, known_))
            decide(
                (fault.denied ? " is denied: " : " is not denied, for too little would be left: ") +
                    fault.finding.evidence,
                fault);
    known_ = faults;
}

std::string Watcher::health(const std::string &status) const
{
    return to_json({fabric_, watch_.get(), status, decisions_, monotonic_ns(), wall_ns()});
}

} // namespace mrcd
