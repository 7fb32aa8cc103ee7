// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * mrc_ctl_modify_ev_profile() and mrc_ctl_query_ev_profile(): the states of a profile, and the
 * attributes that each state accepts.
 */
#include <algorithm>

#include "base/edge.h"
#include "ctl/ev_array.h"
#include "ctl/ev_profile.h"
#include "ctl/wire_ev.h"

namespace mrc
{

namespace
{

using Attr = mrc_ctl_ev_profile_attr;

constexpr int states = MRC_CTL_EV_PROFILE_STATE | MRC_CTL_EV_PROFILE_CUR_STATE;
constexpr int lists = MRC_CTL_EV_PROFILE_FMT_ID | MRC_CTL_EV_PROFILE_COUNT;
constexpr int online =
    MRC_CTL_EV_PROFILE_EVENT_MASK | MRC_CTL_EV_PROFILE_EV_OP | MRC_CTL_EV_PROFILE_EV_FIELDS_OP;
constexpr int all = states | lists | online | MRC_CTL_EV_PROFILE_MODE |
                    MRC_CTL_EV_PROFILE_MIN_ACTIVE | MRC_CTL_EV_PROFILE_VENDOR_CFG;
constexpr std::initializer_list<mrc_ctl_ev_op> ev_ops = {
    MRC_CTL_EV_OP_REPLACE_EV, MRC_CTL_EV_OP_MODIFY_EV_STATE, MRC_CTL_EV_OP_QUERY_EV_STATE,
    MRC_CTL_EV_OP_QUERY_EV_ARRAY};
constexpr uint32_t auto_count = 128; ///< as in the kernel's own profile
constexpr int known_events = MRC_CTL_EV_GOOD | MRC_CTL_EV_ASSUMED_BAD;

bool is_query(const Attr &attr, int mask)
{
    return mask & MRC_CTL_EV_PROFILE_EV_OP && (attr.ev_op.op == MRC_CTL_EV_OP_QUERY_EV_STATE ||
                                               attr.ev_op.op == MRC_CTL_EV_OP_QUERY_EV_ARRAY);
}

int get_fields(const EvProfile &profile, Attr &attr)
{
    auto &op = attr.ev_fields_op;
    const int count = static_cast<int>(profile.fields.size());
    const bool fits = op.field_count >= count;

    op.field_count = count;
    if (fits)
        std::copy(profile.fields.begin(), profile.fields.end(), op.fields);
    return fits ? 0 : E2BIG;
}

/** A change of a profile. It is made to a copy first. */
class Edit
{
public:
    Edit(Controller &controller, uint64_t id, EvProfile &profile)
        : controller_(controller), id_(id), profile_(profile)
    {
    }

    int apply(Attr &attr, int mask);

private:
    int go_offline();
    int begin(const Attr &attr, int mask);
    int configure(const Attr &attr, int mask);
    int set_count(uint32_t count);
    int set_fields(const Attr &attr);
    void list_evs();
    int operate(Attr &attr, int mask);
    int go_online();
    int publish(bool replace);
    int modify_online(Attr &attr, int mask);
    int save_with(const EvProfile::Before &before);
    int announce(const Attr &attr);
    std::optional<FormatProfile> format() const;
    int save() const { return mrc::save(controller_, id_, profile_); }

    Controller &controller_;
    uint64_t id_;
    EvProfile &profile_;
};

std::optional<FormatProfile> Edit::format() const
{
    FormatProfile format;

    if (profile_.mode == MRC_CTL_EV_MODE_AUTO || format_of(controller_, profile_, format))
        return std::nullopt;
    return format;
}

int Edit::go_offline()
{
    const int error = error_of(controller_.kernel().delete_ev_profile(controller_.device(), id_));

    if (error)
        return error;
    profile_.state = MRC_CTL_PROFILE_OFFLINE;
    return save();
}

/** Leave INIT. */
int Edit::begin(const Attr &attr, int mask)
{
    const bool has_fields = mask & MRC_CTL_EV_PROFILE_EV_FIELDS_OP &&
                            attr.ev_fields_op.op == MRC_CTL_EV_FIELDS_OP_MODIFY_FIELDS;

    if (!(mask & MRC_CTL_EV_PROFILE_MODE))
        return EINVAL;
    if (attr.ev_mode != MRC_CTL_EV_MODE_AUTO && (mask & lists) != lists)
        return EINVAL;
    if (attr.ev_mode == MRC_CTL_EV_MODE_GEN && !has_fields)
        return EINVAL;
    std::vector<uint64_t> ids;
    if (const int error = ev_profile_ids(controller_, ids))
        return error;
    if (ids.size() >= profiles_most)
        return E2BIG;
    profile_ = {};
    profile_.state = MRC_CTL_PROFILE_OFFLINE;
    return 0;
}

/** Adapt the list to mode and count. In mode EXP it keeps its EVs. */
void Edit::list_evs()
{
    if (profile_.mode == MRC_CTL_EV_MODE_EXP)
        profile_.evs.resize(profile_.count);
    else
        profile_.evs.clear();
}

int Edit::set_count(uint32_t count)
{
    const auto info = controller_.kernel().info();

    if (!info)
        return api_error(info.error());
    if (!count)
        return EINVAL;
    if (count > info->ev_max)
        return E2BIG;
    profile_.count = count;
    return 0;
}

/** Set the fields. EVs are checked against them when the profile goes ONLINE. */
int Edit::set_fields(const Attr &attr)
{
    const auto &op = attr.ev_fields_op;
    const auto format = this->format();

    if (profile_.mode == MRC_CTL_EV_MODE_AUTO || !format)
        return EINVAL;
    if (op.field_count > static_cast<int>(format->widths.size()))
        return E2BIG;
    EvFields fields(op.fields, op.fields + op.field_count);
    if (!fields_fit(fields, format->widths))
        return EINVAL;
    if (profile_.mode == MRC_CTL_EV_MODE_GEN && fields.empty())
        return EINVAL;
    profile_.fields = std::move(fields);
    return 0;
}

/** Set all attributes except operations, in OFFLINE. */
int Edit::configure(const Attr &attr, int mask)
{
    constexpr int remakes = MRC_CTL_EV_PROFILE_MODE | MRC_CTL_EV_PROFILE_COUNT;

    if (mask & MRC_CTL_EV_PROFILE_MODE)
        profile_.mode = attr.ev_mode;
    if (mask & MRC_CTL_EV_PROFILE_FMT_ID) {
        profile_.format = attr.ev_fmt_profile_id;
        profile_.foreign.reset();
    }
    if (mask & MRC_CTL_EV_PROFILE_FMT_ID && profile_.mode != MRC_CTL_EV_MODE_AUTO && !format())
        return EINVAL;
    if (mask & MRC_CTL_EV_PROFILE_COUNT)
        if (const int error = set_count(attr.ev_count))
            return error;
    if (mask & MRC_CTL_EV_PROFILE_MIN_ACTIVE)
        profile_.min_active = attr.ev_min_active;
    if (mask & MRC_CTL_EV_PROFILE_EVENT_MASK)
        profile_.event_mask = attr.ev_event_mask;
    if (profile_.min_active.value_or(0) > (profile_.count ? profile_.count : auto_count))
        return EINVAL;
    if (mask & remakes)
        list_evs();
    return 0;
}

/** Run the operations. If one fails, the entries before the failure stay done. */
int Edit::operate(Attr &attr, int mask)
{
    EvArray array(controller_, id_, profile_, format());
    int error = 0;

    if (mask & MRC_CTL_EV_PROFILE_EV_FIELDS_OP) {
        if (attr.ev_fields_op.op == MRC_CTL_EV_FIELDS_OP_QUERY_FIELDS)
            return get_fields(profile_, attr);
        error = set_fields(attr);
        if (!error && profile_.mode == MRC_CTL_EV_MODE_GEN)
            profile_.evs.clear();
        return error;
    }
    if (!(mask & MRC_CTL_EV_PROFILE_EV_OP))
        return 0;
    return is_query(attr, mask) ? array.query(attr) : array.change(attr);
}

/** Send the profile with its EVs to the kernel. @param replace it is ONLINE already */
int Edit::publish(bool replace)
{
    const auto format = this->format();
    mrcnl::EvProfileSpec spec;

    spec.id = id_;
    if (profile_.min_active)
        spec.min_active = static_cast<uint16_t>(*profile_.min_active);
    if (profile_.mode == MRC_CTL_EV_MODE_AUTO) {
        spec.mode = mrcnl::EvMode::automatic;
        spec.format = mrcnl::EvFormat::stev;
        spec.count = static_cast<uint16_t>(profile_.count ? profile_.count : auto_count);
    } else if (format) {
        spec.format = kernel_format(format->mode);
    } else {
        return EINVAL;
    }
    for (const EvSlot &slot : profile_.evs) {
        const auto ev = spec_of(slot, profile_.fields, *format);
        if (!is_populated(slot.ev) || !ev)
            return EINVAL;
        spec.evs.push_back(*ev);
    }
    spec.alias = profile_.alias;
    // The program does not know of active, and may have reduced the number of EVs.
    spec.active = static_cast<uint16_t>(std::min<size_t>(
        profile_.active, spec.count.value_or(static_cast<uint16_t>(spec.evs.size()))));
    return error_of(controller_.kernel().put_ev_profile(controller_.device(), spec, replace));
}

/** Save first: even if this is interrupted, a profile in the kernel must have a file. */
int Edit::go_online()
{
    const bool listed = profile_.mode != MRC_CTL_EV_MODE_AUTO;

    if (listed && (!profile_.min_active || !profile_.event_mask))
        return EINVAL;
    if (const int error = make_evs(controller_, id_, profile_))
        return error;
    profile_.state = MRC_CTL_PROFILE_ONLINE;
    if (const int error = save())
        return error;
    const int error = publish(false);
    if (error) {
        profile_.state = MRC_CTL_PROFILE_OFFLINE;
        save();
    }
    return error;
}

/** During the change the file has both the old and the new EVs, as the kernel may have either. */
int Edit::modify_online(Attr &attr, int mask)
{
    const bool new_fields = mask & MRC_CTL_EV_PROFILE_EV_FIELDS_OP &&
                            attr.ev_fields_op.op == MRC_CTL_EV_FIELDS_OP_MODIFY_FIELDS;
    const EvProfile::Before before{profile_.fields, profile_.evs};

    if (mask & ~states & ~MRC_CTL_EV_PROFILE_VENDOR_CFG & ~online)
        return EINVAL;
    if (mask & MRC_CTL_EV_PROFILE_EVENT_MASK)
        profile_.event_mask = attr.ev_event_mask;
    if (new_fields) {
        if (const int error = operate(attr, mask))
            return error;
        if (const int error = make_evs(controller_, id_, profile_))
            return error;
        if (const int error = save_with(before))
            return error;
        if (const int error = publish(true)) {
            profile_.fields = before.fields;
            profile_.evs = before.evs;
            save();
            return error;
        }
        return save();
    }
    // A profile made by other means needs a file only for its event mask.
    const bool ours = !profile_.foreign && mask & MRC_CTL_EV_PROFILE_EV_OP && !is_query(attr, mask);
    if (ours)
        if (const int error = announce(attr))
            return error;
    const int error = operate(attr, mask);
    if (!ours && !(mask & MRC_CTL_EV_PROFILE_EVENT_MASK))
        return error;
    const int saved = save();
    return error ? error : saved;
}

int Edit::save_with(const EvProfile::Before &before)
{
    profile_.before = before;
    const int error = save();
    profile_.before.reset();
    return error;
}

/** Save the EVs as they will be if no entry fails, together with the EVs of before. */
int Edit::announce(const Attr &attr)
{
    if (attr.ev_op.op != MRC_CTL_EV_OP_REPLACE_EV)
        return 0;
    EvProfile after = profile_;
    after.state = MRC_CTL_PROFILE_OFFLINE;
    EvArray(controller_, id_, after, format()).change(attr);
    after.state = MRC_CTL_PROFILE_ONLINE;
    after.before = EvProfile::Before{profile_.fields, profile_.evs};
    return mrc::save(controller_, id_, after);
}

int Edit::apply(Attr &attr, int mask)
{
    const auto from = profile_.state;
    const auto to = mask & MRC_CTL_EV_PROFILE_STATE ? attr.profile_state : from;
    const int rest = mask & ~states & ~MRC_CTL_EV_PROFILE_VENDOR_CFG;

    if ((mask & MRC_CTL_EV_PROFILE_CUR_STATE && attr.cur_profile_state != from) ||
        !may_step(from, to) || (to == MRC_CTL_PROFILE_INIT && rest))
        return EINVAL;
    if (to == MRC_CTL_PROFILE_INIT)
        return from == to ? 0 : forget_ev_profile(controller_, id_);
    if (from == MRC_CTL_PROFILE_ONLINE && to == from)
        return modify_online(attr, mask);
    if (from == MRC_CTL_PROFILE_INIT)
        if (const int error = begin(attr, mask))
            return error;
    if (const int error = configure(attr, mask))
        return error;
    if (from == MRC_CTL_PROFILE_ONLINE)
        if (const int error = go_offline())
            return error;
    const int error = operate(attr, mask);
    // Entries that are done stay done, but a profile that was in INIT stays in INIT.
    if (error && from == MRC_CTL_PROFILE_INIT)
        return error;
    if (const int saved = save())
        return saved;
    if (error || to == MRC_CTL_PROFILE_OFFLINE)
        return error;
    return go_online();
}

void get_scalars(const EvProfile &profile, Attr &attr, int mask)
{
    if (mask & MRC_CTL_EV_PROFILE_STATE)
        attr.profile_state = profile.state;
    if (mask & MRC_CTL_EV_PROFILE_CUR_STATE)
        attr.cur_profile_state = profile.state;
    if (mask & MRC_CTL_EV_PROFILE_MODE)
        attr.ev_mode = profile.mode;
    if (mask & MRC_CTL_EV_PROFILE_FMT_ID)
        attr.ev_fmt_profile_id = profile.format;
    if (mask & MRC_CTL_EV_PROFILE_COUNT)
        attr.ev_count = profile.count;
    if (mask & MRC_CTL_EV_PROFILE_MIN_ACTIVE)
        attr.ev_min_active = profile.min_active.value_or(0);
    if (mask & MRC_CTL_EV_PROFILE_EVENT_MASK)
        attr.ev_event_mask = profile.event_mask.value_or(0);
    if (mask & MRC_CTL_EV_PROFILE_VENDOR_CFG)
        std::fill(std::begin(attr.vendor_cfg), std::end(attr.vendor_cfg), uint8_t{0});
}

/** Check what does not depend on the profile's state: the mask, operations and pointers. */
bool sound(const Attr *attr, int mask)
{
    if (!attr || (mask & ~all))
        return false;
    if (mask & MRC_CTL_EV_PROFILE_EV_OP) {
        const auto &op = attr->ev_op;
        if (mask & MRC_CTL_EV_PROFILE_EV_FIELDS_OP || !one_of(op.op, ev_ops) ||
            op.entry_count < 0 || (op.entry_count && !op.entries))
            return false;
    }
    if (mask & MRC_CTL_EV_PROFILE_EV_FIELDS_OP) {
        const auto &op = attr->ev_fields_op;
        if (!one_of(op.op,
                    {MRC_CTL_EV_FIELDS_OP_MODIFY_FIELDS, MRC_CTL_EV_FIELDS_OP_QUERY_FIELDS}) ||
            op.field_count < 0 || (op.field_count && !op.fields))
            return false;
    }
    return true;
}

bool may_change(const Attr &attr, int mask)
{
    if (!states_sound(attr, mask, MRC_CTL_EV_PROFILE_STATE, MRC_CTL_EV_PROFILE_CUR_STATE) ||
        (mask & MRC_CTL_EV_PROFILE_MODE && !one_of(attr.ev_mode, ev_modes)))
        return false;
    if (mask & MRC_CTL_EV_PROFILE_EVENT_MASK && attr.ev_event_mask & ~known_events)
        return false;
    return !(mask & MRC_CTL_EV_PROFILE_VENDOR_CFG) || nothing_added(attr.vendor_cfg);
}

int modify(Controller &controller, uint64_t id, Attr &attr, int mask)
{
    EvProfile profile;

    if (const int error = load(controller, id, profile))
        return error;
    return Edit(controller, id, profile).apply(attr, mask);
}

int query(Controller &controller, uint64_t id, Attr &attr, int mask)
{
    EvProfile profile;

    if (const int error = load(controller, id, profile))
        return error;
    get_scalars(profile, attr, mask);
    if (mask & MRC_CTL_EV_PROFILE_EV_FIELDS_OP)
        return attr.ev_fields_op.op == MRC_CTL_EV_FIELDS_OP_QUERY_FIELDS ? get_fields(profile, attr)
                                                                         : EINVAL;
    if (!(mask & MRC_CTL_EV_PROFILE_EV_OP))
        return 0;
    return is_query(attr, mask) ? EvArray(controller, id, profile, std::nullopt).query(attr)
                                : EINVAL;
}

} // namespace

} // namespace mrc

MRC_EXPORT int mrc_ctl_modify_ev_profile(mrc_context *mrc_ctx, uint64_t ev_profile_id,
                                         mrc_ctl_ev_profile_attr *attr, int attr_mask)
{
    return mrc::zero_or_minus([&] {
        if (!mrc::sound(attr, attr_mask) || !mrc::may_change(*attr, attr_mask))
            return EINVAL;
        if (!ev_profile_id)
            return EPERM;
        return mrc::controlled(mrc_ctx, true, [&](mrc::Controller &controller) {
            return mrc::modify(controller, ev_profile_id, *attr, attr_mask);
        });
    });
}

MRC_EXPORT int mrc_ctl_query_ev_profile(mrc_context *mrc_ctx, uint64_t ev_profile_id,
                                        mrc_ctl_ev_profile_attr *attr, int attr_mask)
{
    return mrc::zero_or_minus([&] {
        if (!mrc::sound(attr, attr_mask))
            return EINVAL;
        return mrc::controlled(mrc_ctx, false, [&](mrc::Controller &controller) {
            return mrc::query(controller, ev_profile_id, *attr, attr_mask);
        });
    });
}
