// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "ctl/ev_events.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "base/edge.h"
#include "ctl/ev_array.h"
#include "ctl/ev_profile.h"

namespace mrc
{

namespace
{

/** Bad EVs are read again at this interval: when a peer goes, no event reports its EVs as good. */
constexpr uint64_t look_ns = 1'000'000'000;

/** CLOCK_MONOTONIC, the clock of the kernel's events. */
uint64_t now_ns()
{
    using namespace std::chrono;
    return static_cast<uint64_t>(
        duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count());
}

} // namespace

mrc_ctl_ev_state EvEvents::Watched::state() const
{
    if (denied)
        return MRC_CTL_EV_DENIED;
    return bad.empty() ? MRC_CTL_EV_GOOD : MRC_CTL_EV_ASSUMED_BAD;
}

int EvEvents::see(Seen &seen)
{
    seen.read_ns = now_ns();
    auto evs = controller_.kernel().peer_evs(controller_.device(), std::nullopt);

    if (!evs)
        return api_error(evs.error());
    seen.evs = std::move(*evs);
    return 0;
}

/** Read a profile's table as of @p seen. Events report all later changes. */
int EvEvents::read_table(uint64_t id, const Seen &seen, Table &table)
{
    EvProfile profile;

    table.read_ns = seen.read_ns;
    if (const int error = load(controller_, id, profile))
        return error;
    table.evs.resize(profile.places.size());
    for (size_t i = 0; i < profile.places.size(); i++) {
        Watched &watched = table.evs[profile.places[i]];
        watched.ev = profile.evs[i].ev;
        watched.denied = profile.evs[i].denied;
    }
    for (const mrcnl::PeerEv &ev : seen.evs)
        if (ev.key.ev_profile == id && ev.index < table.evs.size() && is_bad(ev.state))
            table.evs[ev.index].bad.insert(ev.key);
    return 0;
}

int EvEvents::mask_of(uint64_t id)
{
    const auto known = masks_.find(id);

    if (known != masks_.end())
        return known->second;
    return masks_[id] = event_mask_of(controller_, id);
}

/** Queue an event if the state is new. If the queue is full, catch_up() tries again later. */
void EvEvents::tell(uint64_t id, Watched &ev)
{
    const auto state = ev.state();

    if (state == ev.told)
        return;
    if (mask_of(id) & state) {
        if (queue_.size() >= capacity_) {
            lost_ = true;
            return;
        }
        queue_.push_back({id, ev.ev, lost_, state});
        lost_ = false;
    }
    ev.told = state;
}

void EvEvents::catch_up()
{
    for (auto &[id, table] : tables_)
        for (Watched &ev : table.evs)
            tell(id, ev);
}

/** Read a profile again, and report EVs that have changed. A new EV was GOOD at first. */
int EvEvents::renew(uint64_t id, const Seen &seen)
{
    Table table;

    if (const int error = read_table(id, seen, table))
        return error;
    std::vector<Watched> &before = tables_[id].evs;
    for (Watched &ev : table.evs) {
        const auto old = std::find_if(before.begin(), before.end(), [&](const Watched &known) {
            return same_ev(known.ev, ev.ev);
        });
        if (old == before.end())
            continue;
        ev.told = old->told;
        before.erase(old);
    }
    tables_[id] = std::move(table);
    for (Watched &ev : tables_[id].evs)
        tell(id, ev);
    return 0;
}

/** Read all stale profiles again; skip a profile that has gone, or whose file is broken. */
int EvEvents::renew_stale()
{
    Seen seen;
    int failed = 0;

    if (stale_.empty())
        return 0;
    if (const int error = see(seen))
        return error;
    for (auto id = stale_.begin(); id != stale_.end();) {
        const int error = renew(*id, seen);

        if (error && error != EBADMSG && error != ENOENT) {
            failed = error;
            id++;
            continue;
        }
        if (error)
            tables_.erase(*id);
        id = stale_.erase(id);
    }
    return failed;
}

/** Find all profiles, and mark them all as stale. */
int EvEvents::find_profiles()
{
    const auto profiles = controller_.kernel().ev_profiles(controller_.device());
    std::set<uint64_t> there;

    if (!profiles)
        return api_error(profiles.error());
    for (const mrcnl::EvProfile &profile : *profiles)
        if (profile.mode == mrcnl::EvMode::explicit_list)
            there.insert(profile.id);
    std::erase_if(tables_, [&](const auto &table) { return !there.contains(table.first); });
    stale_ = std::move(there);
    all_stale_ = false;
    return 0;
}

int EvEvents::open()
{
    const std::lock_guard lock(lock_);

    if (const int error = controller_.begin(false))
        return error;
    // Listen before the profiles are read, or changes in between would be missed.
    auto stream = controller_.kernel().events(true);
    if (!stream)
        return api_error(stream.error());
    stream_ = std::move(*stream);
    looked_ns_ = now_ns();
    if (const int error = find_profiles())
        return error;
    if (const int error = renew_stale())
        return error;
    // States of before are not events.
    for (auto &[id, table] : tables_)
        for (Watched &ev : table.evs)
            ev.told = ev.state();
    queue_.clear();
    masks_.clear();
    lost_ = false;
    return 0;
}

EvEvents::Watched *EvEvents::watched(uint64_t id, uint16_t index, uint64_t time)
{
    const auto table = tables_.find(id);

    if (table == tables_.end() || time < table->second.read_ns ||
        index >= table->second.evs.size() || stale_.contains(id))
        return nullptr;
    return &table->second.evs[index];
}

void EvEvents::on_peer_ev(const mrcnl::PeerEvEvent &event)
{
    Watched *ev = watched(event.key.ev_profile, event.index, event.time);

    if (!ev)
        return;
    if (is_bad(event.state))
        ev->bad.insert(event.key);
    else
        ev->bad.erase(event.key);
    tell(event.key.ev_profile, *ev);
}

void EvEvents::on_ev(const mrcnl::EvEvent &event)
{
    Watched *ev = watched(event.ev.ev_profile, event.ev.index, event.time);

    if (!ev)
        return;
    ev->denied = event.ev.spec.denied;
    tell(event.ev.ev_profile, *ev);
}

/** The indices mean other EVs now, so events of its EVs are dropped until it is read again. */
void EvEvents::on_profile(const mrcnl::ConfigEvent<mrcnl::EvProfile> &event)
{
    const auto table = tables_.find(event.is.id);

    if (table != tables_.end() && event.time < table->second.read_ns)
        return;
    if (!event.gone && event.is.mode == mrcnl::EvMode::explicit_list) {
        stale_.insert(event.is.id);
        return;
    }
    tables_.erase(event.is.id);
    stale_.erase(event.is.id);
}

bool EvEvents::is_ours(const mrcnl::Event &event) const
{
    const mrcnl::DeviceRef *device = mrcnl::device_of(event);

    return device && controller_.is(*device);
}

void EvEvents::on(const mrcnl::Event &event)
{
    if (std::holds_alternative<mrcnl::Overrun>(event)) {
        lost_ = all_stale_ = true;
        return;
    }
    if (!is_ours(event) || all_stale_)
        return;
    if (const auto *of_peer = std::get_if<mrcnl::PeerEvEvent>(&event))
        on_peer_ev(*of_peer);
    else if (const auto *of_ev = std::get_if<mrcnl::EvEvent>(&event))
        on_ev(*of_ev);
}

/** Mark profiles with bad EVs as stale, at most once in look_ns. */
void EvEvents::look_again()
{
    const auto is_bad_somewhere = [](const Watched &ev) { return !ev.bad.empty(); };
    const uint64_t now = now_ns();

    if (now - looked_ns_ < look_ns)
        return;
    looked_ns_ = now;
    for (const auto &[id, table] : tables_)
        if (std::any_of(table.evs.begin(), table.evs.end(), is_bad_somewhere))
            stale_.insert(id);
}

int EvEvents::drain()
{
    std::vector<mrcnl::Event> events;
    const auto received =
        stream_->receive([&](const mrcnl::Event &event) { events.push_back(event); });

    if (!received)
        return api_error(received.error());
    // Profiles first: an EV's event with a new index may come before the event of its profile.
    for (const mrcnl::Event &event : events)
        if (const auto *of = std::get_if<mrcnl::ConfigEvent<mrcnl::EvProfile>>(&event);
            of && is_ours(event))
            on_profile(*of);
    for (const mrcnl::Event &event : events)
        on(event);
    look_again();
    if (all_stale_)
        if (const int error = find_profiles())
            return error;
    const int error = renew_stale();
    if (lost_ && queue_.size() < capacity_)
        catch_up();
    return error;
}

int EvEvents::poll(std::span<mrc_ctl_ev_event> events)
{
    const std::lock_guard lock(lock_);
    size_t taken = 0;

    if (const int error = controller_.begin(false))
        return -error;
    masks_.clear();
    const int error = drain();
    if (error && queue_.empty())
        return -error;
    for (; taken < events.size() && !queue_.empty(); taken++) {
        events[taken] = queue_.front();
        queue_.pop_front();
    }
    return static_cast<int>(taken);
}

namespace
{

int refuse_poll(ibv_cq *, int, ibv_wc *)
{
    return -EINVAL;
}

/** A verbs CQ that refuses to be polled, because mrc_poll_cq() does not check its argument. */
ibv_cq *no_cq()
{
    static ibv_context context = [] {
        ibv_context none{};
        none.ops.poll_cq = refuse_poll;
        return none;
    }();
    static ibv_cq cq = [] {
        ibv_cq none{};
        none.context = &context;
        return none;
    }();
    return &cq;
}

mrc_cq *create(mrc_context *context, int cqe, const mrc_comp_channel *channel)
{
    if (!is(context) || cqe < 1)
        return refused(EINVAL);
    if (channel)
        return refused(ENOTSUP);
    auto cq = std::make_unique<mrc_cq>();
    cq->kind = Kind::ev_event_cq;
    cq->cq = no_cq();
    cq->context = context;
    cq->ev_events =
        std::make_shared<EvEvents>(context->device->device->name, static_cast<size_t>(cqe));
    if (const int error = cq->ev_events->open())
        return refused(error);
    const std::lock_guard lock(context->lock);
    context->ev_event_cqs.insert(cq.get());
    return cq.release();
}

/** @param stride bytes of an event in the program's array */
int poll(mrc_cq *cq, int entries, void *events, size_t stride)
{
    if (!cq || cq->kind != Kind::ev_event_cq || entries < 0 || (entries && !events))
        return -EINVAL;
    std::vector<mrc_ctl_ev_event> found(
        std::min(static_cast<size_t>(entries), cq->ev_events->capacity()));
    const int count = cq->ev_events->poll(found);
    for (int i = 0; i < count; i++)
        memcpy(static_cast<char *>(events) + static_cast<size_t>(i) * stride,
               &found[static_cast<size_t>(i)], stride);
    return count;
}

/** Bytes of an event in version 1.0.0, where it had no state. */
constexpr size_t stride_v100 = 48;

static_assert(sizeof(mrc_ctl_ev_event) == 56 && offsetof(mrc_ctl_ev_event, state) == stride_v100);

template <typename Body>
int negative_errno(Body body)
{
    int result = 0;
    const int error = errno_value([&] {
        result = body();
        return 0;
    });
    return error ? -error : result;
}

} // namespace

} // namespace mrc

MRC_EXPORT mrc_cq *mrc_ctl_create_ev_event_cq(mrc_context *mrc_ctx, int cqe, void *,
                                              mrc_comp_channel *channel, int)
{
    return mrc::pointer([&] { return mrc::create(mrc_ctx, cqe, channel); });
}

MRC_EXPORT int mrc_ctl_poll_ev_event(mrc_cq *ev_cq, int num_entries, mrc_ctl_ev_event *ev_event)
{
    return mrc::negative_errno(
        [&] { return mrc::poll(ev_cq, num_entries, ev_event, sizeof(*ev_event)); });
}

MRC_EXPORT int mrc_ctl_poll_ev_event_v100(mrc_cq *ev_cq, int num_entries, void *ev_event)
{
    return mrc::negative_errno(
        [&] { return mrc::poll(ev_cq, num_entries, ev_event, mrc::stride_v100); });
}
