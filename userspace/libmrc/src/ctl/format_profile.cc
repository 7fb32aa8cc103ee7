// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "ctl/format_profile.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/edge.h"
#include "ctl/ev_profile.h"
#include "ctl/stored_enum.h"

namespace mrc
{

// A namespace, because other kinds of profiles have functions of the same names.
namespace format_profile
{

namespace
{

constexpr const char *kind = "format";
constexpr int states = MRC_CTL_EV_FMT_PROFILE_STATE | MRC_CTL_EV_FMT_PROFILE_CUR_STATE;
constexpr int all =
    states | MRC_CTL_EV_FMT_PROFILE_MODE | MRC_CTL_EV_FMT_PROFILE_OP | MRC_CTL_EV_FMT_VENDOR_CFG;

using Attr = mrc_ctl_ev_fmt_profile_attr;

int save(const Controller &controller, uint64_t id, const FormatProfile &format)
{
    return controller.store().write(
        kind, id, {{"state", format.state}, {"mode", format.mode}, {"widths", format.widths}});
}

int set_fields(FormatProfile &format, const Attr &attr)
{
    const auto &op = attr.ev_fmt_op;
    EvFormatWidths widths;

    if (op.fmt_field_count < 1 || !op.fmt_fields)
        return EINVAL;
    if (op.fmt_field_count > static_cast<int>(ev_bits_most))
        return E2BIG;
    for (int i = 0; i < op.fmt_field_count; i++) {
        if (!op.fmt_fields[i].width)
            return EINVAL;
        widths.push_back(op.fmt_fields[i].width);
    }
    format.widths = std::move(widths);
    return 0;
}

int get_fields(const FormatProfile &format, Attr &attr)
{
    auto &op = attr.ev_fmt_op;
    const int count = static_cast<int>(format.widths.size());
    const bool fits = op.fmt_field_count >= count;

    if (op.fmt_field_count < 0 || (fits && count && !op.fmt_fields))
        return EINVAL;
    op.fmt_field_count = count;
    for (int i = 0; fits && i < count; i++)
        op.fmt_fields[i].width = format.widths[static_cast<size_t>(i)];
    return fits ? 0 : E2BIG;
}

/** Set the attributes that OFFLINE accepts. */
int configure(FormatProfile &format, Attr &attr, int mask)
{
    if (mask & MRC_CTL_EV_FMT_PROFILE_MODE)
        format.mode = attr.ev_fmt_mode;
    if (mask & MRC_CTL_EV_FMT_PROFILE_OP) {
        const bool set = attr.ev_fmt_op.op == MRC_CTL_EV_FMT_OP_MODIFY_FIELDS;
        const int error = set ? set_fields(format, attr) : get_fields(format, attr);
        if (error)
            return error;
    }
    return total_width(format.widths) > width_of(format.mode) ? E2BIG : 0;
}

int forget(const Controller &controller, uint64_t id)
{
    return controller.store().remove(kind, id);
}

/** Check that no EV profile that is ONLINE uses the format. @return 0, EBUSY or another error */
int leave_online(Controller &controller, uint64_t id)
{
    std::vector<uint64_t> profiles;

    if (const int error = ev_profile_ids(controller, profiles))
        return error;
    for (const uint64_t profile : profiles) {
        EvProfile user;
        const int error = load(controller, profile, user);

        if (error && error != EBADMSG)
            return error;
        if (!error && user.state == MRC_CTL_PROFILE_ONLINE && user.mode != MRC_CTL_EV_MODE_AUTO &&
            !user.foreign && user.format == id)
            return EBUSY;
    }
    return 0;
}

int modify_online(const FormatProfile &format, Attr &attr, int rest)
{
    if (!rest)
        return 0;
    if (rest != MRC_CTL_EV_FMT_PROFILE_OP || attr.ev_fmt_op.op != MRC_CTL_EV_FMT_OP_QUERY_FIELDS)
        return EINVAL;
    return get_fields(format, attr);
}

int modify(Controller &controller, uint64_t id, Attr &attr, int mask)
{
    const int rest = mask & ~states & ~MRC_CTL_EV_FMT_VENDOR_CFG;
    FormatProfile format;

    if (const int error = load(controller, id, format))
        return error;
    const auto from = format.state;
    const auto to = mask & MRC_CTL_EV_FMT_PROFILE_STATE ? attr.profile_state : from;
    if ((mask & MRC_CTL_EV_FMT_PROFILE_CUR_STATE && attr.cur_profile_state != from) ||
        !may_step(from, to) || (to == MRC_CTL_PROFILE_INIT && rest))
        return EINVAL;
    if (to == MRC_CTL_PROFILE_INIT)
        return forget(controller, id);
    if (from == MRC_CTL_PROFILE_ONLINE && to == MRC_CTL_PROFILE_ONLINE)
        return modify_online(format, attr, rest);
    if (from == MRC_CTL_PROFILE_INIT && !(mask & MRC_CTL_EV_FMT_PROFILE_MODE))
        return EINVAL;
    if (from == MRC_CTL_PROFILE_INIT && controller.store().ids(kind).size() >= profiles_most)
        return E2BIG;
    if (from == MRC_CTL_PROFILE_ONLINE)
        if (const int error = leave_online(controller, id))
            return error;
    if (const int error = configure(format, attr, mask))
        return error;
    if (to == MRC_CTL_PROFILE_ONLINE && format.widths.empty())
        return EINVAL;
    format.state = to;
    return save(controller, id, format);
}

int query(Controller &controller, uint64_t id, Attr &attr, int mask)
{
    FormatProfile format;

    if (const int error = load(controller, id, format))
        return error;
    if (mask & MRC_CTL_EV_FMT_PROFILE_STATE)
        attr.profile_state = format.state;
    if (mask & MRC_CTL_EV_FMT_PROFILE_CUR_STATE)
        attr.cur_profile_state = format.state;
    if (mask & MRC_CTL_EV_FMT_PROFILE_MODE)
        attr.ev_fmt_mode = format.mode;
    if (mask & MRC_CTL_EV_FMT_VENDOR_CFG)
        std::fill(std::begin(attr.vendor_cfg), std::end(attr.vendor_cfg), uint8_t{0});
    if (!(mask & MRC_CTL_EV_FMT_PROFILE_OP))
        return 0;
    return attr.ev_fmt_op.op == MRC_CTL_EV_FMT_OP_QUERY_FIELDS ? get_fields(format, attr) : EINVAL;
}

/** @return false: save() did not write this */
bool format_from(const nlohmann::json &json, FormatProfile &format)
{
    if (!read_enum(json.at("state"), profile_states, format.state) ||
        !read_enum(json.at("mode"), format_modes, format.mode))
        return false;
    json.at("widths").get_to(format.widths);
    return format.state != MRC_CTL_PROFILE_INIT &&
           total_width(format.widths) <= width_of(format.mode) &&
           (format.state != MRC_CTL_PROFILE_ONLINE || !format.widths.empty());
}

/** Check what does not depend on the profile's state. */
bool sound(const Attr *attr, int mask)
{
    if (!attr || (mask & ~all))
        return false;
    return !(mask & MRC_CTL_EV_FMT_PROFILE_OP) ||
           one_of(attr->ev_fmt_op.op,
                  {MRC_CTL_EV_FMT_OP_MODIFY_FIELDS, MRC_CTL_EV_FMT_OP_QUERY_FIELDS});
}

bool may_change(const Attr &attr, int mask)
{
    return states_sound(attr, mask, MRC_CTL_EV_FMT_PROFILE_STATE,
                        MRC_CTL_EV_FMT_PROFILE_CUR_STATE) &&
           (!(mask & MRC_CTL_EV_FMT_PROFILE_MODE) || is_mode(attr.ev_fmt_mode)) &&
           (!(mask & MRC_CTL_EV_FMT_VENDOR_CFG) || nothing_added(attr.vendor_cfg));
}

} // namespace

} // namespace format_profile

bool is_mode(const mrc_ctl_ev_fmt_mode &mode)
{
    return one_of(mode, format_modes);
}

size_t width_of(mrc_ctl_ev_fmt_mode mode)
{
    switch (mode) {
    case MRC_CTL_EV_FMT_MODE_STEV:
        return 32;
    case MRC_CTL_EV_FMT_MODE_SRV6:
        return 256;
    case MRC_CTL_EV_FMT_MODE_UDP:
        return 16;
    }
    return 0;
}

int load(const Controller &controller, uint64_t id, FormatProfile &format)
{
    nlohmann::json stored;
    const int error = controller.store().read(format_profile::kind, id, stored);

    format = {};
    if (error)
        return error == ENOENT ? 0 : error;
    try {
        return format_profile::format_from(stored, format) ? 0 : EBADMSG;
    } catch (const nlohmann::json::exception &) {
        return EBADMSG;
    }
}

} // namespace mrc

MRC_EXPORT int mrc_ctl_modify_ev_fmt_profile(mrc_context *mrc_ctx, uint64_t ev_fmt_profile_id,
                                             mrc_ctl_ev_fmt_profile_attr *attr, int attr_mask)
{
    return mrc::zero_or_minus([&] {
        if (!mrc::format_profile::sound(attr, attr_mask) ||
            !mrc::format_profile::may_change(*attr, attr_mask))
            return EINVAL;
        return mrc::controlled(mrc_ctx, true, [&](mrc::Controller &controller) {
            return mrc::format_profile::modify(controller, ev_fmt_profile_id, *attr, attr_mask);
        });
    });
}

MRC_EXPORT int mrc_ctl_query_ev_fmt_profile(mrc_context *mrc_ctx, uint64_t ev_fmt_profile_id,
                                            mrc_ctl_ev_fmt_profile_attr *attr, int attr_mask)
{
    return mrc::zero_or_minus([&] {
        if (!mrc::format_profile::sound(attr, attr_mask))
            return EINVAL;
        return mrc::controlled(mrc_ctx, false, [&](mrc::Controller &controller) {
            return mrc::format_profile::query(controller, ev_fmt_profile_id, *attr, attr_mask);
        });
    });
}
