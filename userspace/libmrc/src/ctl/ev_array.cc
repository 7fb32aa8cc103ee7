// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "ctl/ev_array.h"

#include <algorithm>
#include <cerrno>

#include "ctl/wire_ev.h"

namespace mrc
{

namespace
{

constexpr uint8_t ports = 32;

bool is_state(mrc_ctl_ev_state state)
{
    return state == MRC_CTL_EV_GOOD || state == MRC_CTL_EV_DENIED;
}

/** As the kernel does it: an EV that changes its port becomes the last EV of its new port. */
void replace_in_list(std::vector<mrcnl::EvSpec> &evs, size_t at, const mrcnl::EvSpec &by)
{
    if (evs[at].port == by.port) {
        evs[at] = by;
        return;
    }
    evs.erase(evs.begin() + static_cast<std::ptrdiff_t>(at));
    const auto next = std::find_if(evs.begin(), evs.end(),
                                   [&](const mrcnl::EvSpec &ev) { return ev.port > by.port; });
    evs.insert(next, by);
}

} // namespace

std::optional<mrcnl::EvSpec> spec_of(const EvSlot &slot, const EvFields &fields,
                                     const FormatProfile &format)
{
    const auto wire = expand(bits_of(slot.ev), fields, format.widths);

    if (!wire || !slot.ev.port || slot.ev.port > ports)
        return std::nullopt;
    return mrcnl::EvSpec{slot.ev.port, path_of(format.mode, *wire), slot.denied};
}

/** A HELD EV has lost packets, too, but is in use because there are not enough better EVs. */
bool is_bad(mrcnl::EvState state)
{
    return state == mrcnl::EvState::assumed_bad || state == mrcnl::EvState::held;
}

std::vector<size_t> EvArray::found(const mrc_ctl_ev &ev) const
{
    std::vector<size_t> slots;

    for (size_t i = 0; i < profile_.evs.size(); i++)
        if (same_ev(profile_.evs[i].ev, ev))
            slots.push_back(i);
    return slots;
}

std::optional<mrcnl::EvSpec> EvArray::spec_of(const EvSlot &slot) const
{
    if (!format_)
        return std::nullopt;
    return mrc::spec_of(slot, profile_.fields, *format_);
}

int EvArray::replace_in_kernel(size_t slot, const EvSlot &by)
{
    const auto spec = spec_of(by);
    const mrcnl::EvPlace place{id_, profile_.places[slot], profile_.version};
    std::vector<mrcnl::EvSpec> evs;

    if (!spec)
        return EINVAL;
    const int error = error_of(controller_.kernel().replace_ev(controller_.device(), place, *spec));
    if (error)
        return error;
    for (const uint16_t at : profile_.places)
        evs.push_back(profile_.kernel_evs[at]);
    evs[slot] = *spec;
    profile_.version++;
    profile_.evs[slot] = by;
    replace_in_list(profile_.kernel_evs, place.index, *spec);
    profile_.places = places_of(evs, profile_.kernel_evs).value();
    return 0;
}

int EvArray::replace_at(size_t slot, const EvSlot &by)
{
    if (profile_.state == MRC_CTL_PROFILE_ONLINE)
        return replace_in_kernel(slot, by);
    if (is_populated(by.ev) && !spec_of(by))
        return EINVAL;
    profile_.evs[slot] = by;
    return 0;
}

int EvArray::replace(const Entry &entry)
{
    const EvSlot by{entry.ev_new, entry.state == MRC_CTL_EV_DENIED};
    auto slots = found(entry.ev);

    if ((entry.state && !is_state(entry.state)) ||
        entry.flags & ~static_cast<uint32_t>(MRC_CTL_EV_OP_F_ALL_COPIES))
        return EINVAL;
    if (slots.empty())
        return ENOENT;
    if (!(entry.flags & MRC_CTL_EV_OP_F_ALL_COPIES))
        slots.resize(1);
    for (const size_t slot : slots)
        if (const int error = replace_at(slot, by))
            return error;
    return 0;
}

int EvArray::set_state(const Entry &entry)
{
    const bool deny = entry.state == MRC_CTL_EV_DENIED;
    const auto slots = found(entry.ev);

    if (!is_state(entry.state))
        return EINVAL;
    if (slots.empty() || !is_populated(entry.ev))
        return ENOENT;
    for (const size_t slot : slots) {
        if (profile_.state == MRC_CTL_PROFILE_ONLINE) {
            const mrcnl::EvPlace place{id_, profile_.places[slot], profile_.version};
            if (const int error =
                    error_of(controller_.kernel().deny_ev(controller_.device(), place, deny)))
                return error;
        }
        profile_.evs[slot].denied = deny;
    }
    return 0;
}

int EvArray::change(const mrc_ctl_ev_profile_attr &attr)
{
    const bool replaces = attr.ev_op.op == MRC_CTL_EV_OP_REPLACE_EV;

    if (replaces && profile_.mode != MRC_CTL_EV_MODE_EXP)
        return EINVAL;
    if (const int error = make_evs(controller_, id_, profile_))
        return error;
    for (int i = 0; i < attr.ev_op.entry_count; i++) {
        const Entry &entry = attr.ev_op.entries[i];
        if (const int error = replaces ? replace(entry) : set_state(entry))
            return error;
    }
    return 0;
}

/** Read the states that EVs have to the peers. An EV is bad if it is bad to one peer. */
int EvArray::learn_states()
{
    if (profile_.state != MRC_CTL_PROFILE_ONLINE || profile_.mode == MRC_CTL_EV_MODE_AUTO)
        return 0;
    const auto evs = controller_.kernel().peer_evs(controller_.device(), std::nullopt);
    if (!evs)
        return api_error(evs.error());
    for (const mrcnl::PeerEv &ev : *evs)
        if (ev.key.ev_profile == id_ && is_bad(ev.state))
            bad_.insert(ev.index);
    return 0;
}

mrc_ctl_ev_state EvArray::state_of(size_t slot) const
{
    if (profile_.evs[slot].denied)
        return MRC_CTL_EV_DENIED;
    if (profile_.state != MRC_CTL_PROFILE_ONLINE)
        return MRC_CTL_EV_UNKNOWN;
    return bad_.contains(profile_.places[slot]) ? MRC_CTL_EV_ASSUMED_BAD : MRC_CTL_EV_GOOD;
}

/** Of equal EVs, the worst state counts. */
int EvArray::query_state(Entry &entry)
{
    const auto slots = found(entry.ev);

    if (slots.empty() || !is_populated(entry.ev))
        return ENOENT;
    entry.state = state_of(slots[0]);
    for (const size_t slot : slots)
        if (state_of(slot) == MRC_CTL_EV_ASSUMED_BAD)
            entry.state = MRC_CTL_EV_ASSUMED_BAD;
    return 0;
}

int EvArray::query(mrc_ctl_ev_profile_attr &attr)
{
    auto &op = attr.ev_op;

    if (const int error = make_evs(controller_, id_, profile_))
        return error;
    if (const int error = learn_states())
        return error;
    if (op.op == MRC_CTL_EV_OP_QUERY_EV_STATE) {
        for (int i = 0; i < op.entry_count; i++)
            if (const int error = query_state(op.entries[i]))
                return error;
        return 0;
    }
    const int count = static_cast<int>(profile_.evs.size());
    const bool fits = op.entry_count >= count;
    op.entry_count = count;
    for (int i = 0; fits && i < count; i++) {
        const size_t slot = static_cast<size_t>(i);
        op.entries[i].ev = profile_.evs[slot].ev;
        op.entries[i].state = state_of(slot);
    }
    return fits ? 0 : E2BIG;
}

} // namespace mrc
