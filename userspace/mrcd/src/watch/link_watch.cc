// SPDX-License-Identifier: GPL-2.0-only
#include "watch/link_watch.h"

#include "watch/found.h"

namespace mrcd
{

namespace
{

/** Are two fabrics equal in all that loops depend on? */
bool same_links(const Fabric &a, const Fabric &b)
{
    return a.block == b.block && a.planes == b.planes && a.racks == b.racks && a.t0 == b.t0 &&
           a.t1 == b.t1 && a.missing == b.missing && a.watch == b.watch &&
           a.local.planes == b.local.planes && a.hosts[a.local.host] == b.hosts[b.local.host];
}

} // namespace

LinkWatch::LinkWatch(Log &log, const std::string &memory, MakeSender make_sender)
    : make_sender_(std::move(make_sender)), decisions_(log, wall_ns), memory_(memory, log)
{
}

Origin LinkWatch::origin() const
{
    return {boot_, fabric_.hosts[fabric_.local.host].name, monotonic_ns()};
}

void LinkWatch::look_at(const Fabric &fabric)
{
    const bool known = watch_ && same_links(fabric_, fabric);
    const bool first = fabric_.hosts.empty();
    std::vector<NamedFault> found;

    if (watch_)
        found = named(watch_->faults(), fabric_);
    fabric_ = fabric;
    if (first)
        found = memory_.recall(origin());
    decisions_.look_at(fabric);
    if (known) {
        watch_->set_denied(fabric.denied);
        return;
    }
    watch_.reset();
    sender_.reset();
    if (!fabric_.watch.rate)
        return decisions_.update({}, true,
                                 [](const Finding &) { return "links are no longer probed"; });
    knows_ = false;
    watch_ = std::make_unique<FaultFinder>(fabric_, wall_ns());
    watch_->recall(recalled(found, fabric_), monotonic_ns());
    sender_ = make_sender_(fabric_, netdevs_);
    sender_->mark(dscp_);
}

void LinkWatch::mark(uint8_t dscp)
{
    dscp_ = dscp;
    if (sender_)
        sender_->mark(dscp);
}

bool LinkWatch::knows()
{
    knows_ = knows_ || !watch_ || watch_->knows(monotonic_ns());
    return knows_;
}

uint64_t LinkWatch::tick()
{
    if (!watch_ || !netdevs_.known())
        return UINT64_MAX;
    sender_->receive(*watch_);
    const uint64_t next = watch_->tick(monotonic_ns(), *sender_);
    // Kept before the faults are acted on, so that they are known even if mrcd is killed in
    // between.
    memory_.keep(named(watch_->faults(), fabric_), origin());
    decisions_.update(watch_->faults(), knows(),
                      [&](const Finding &finding) { return watch_->recovery(finding); });
    return next;
}

std::string LinkWatch::found()
{
    return to_json(Found{knows(), denials()}, fabric_);
}

} // namespace mrcd
