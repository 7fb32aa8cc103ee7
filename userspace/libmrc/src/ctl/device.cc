// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Ports of a device, and the attributes of a device for a controller.
 */
#include "app/device.h"

#include <algorithm>

#include "base/edge.h"
#include "ctl/controller.h"
#include "ctl/ev_profile.h"
#include "ctl/nscc.h"

namespace mrc
{

namespace
{

constexpr uint8_t last_port = 31; ///< last port in a mask of 32 bits where bit n is port n

const char *algorithms[] = {nscc_name, nullptr};

/** Count the EVs of all profiles, except those of mode AUTO. @return 0 or an errno value */
int count_evs(Controller &controller, uint32_t &count)
{
    const auto kernel = controller.kernel().ev_profiles(controller.device());

    if (!kernel)
        return api_error(kernel.error());
    for (const mrcnl::EvProfile &profile : *kernel)
        count += profile.mode == mrcnl::EvMode::explicit_list ? profile.count : 0;
    for (const uint64_t id : stored_ev_profile_ids(controller)) {
        if (std::any_of(kernel->begin(), kernel->end(),
                        [&](const mrcnl::EvProfile &profile) { return profile.id == id; }))
            continue;
        EvProfile profile;
        if (const int error = load(controller, id, profile))
            return error;
        count += profile.mode == MRC_CTL_EV_MODE_AUTO ? 0 : profile.count;
    }
    return 0;
}

int query_planes(Controller &controller, uint32_t &mask)
{
    const auto planes = controller.kernel().planes(controller.device());

    if (!planes)
        return api_error(planes.error());
    for (const mrcnl::Plane &plane : *planes)
        if (plane.port <= last_port)
            mask |= 1u << plane.port;
    return 0;
}

int describe(Controller &controller, mrc_ctl_device_attr &attr)
{
    const auto info = controller.kernel().info();
    uint32_t taken = 0;

    if (!info)
        return api_error(info.error());
    if (const int error = count_evs(controller, taken))
        return error;
    attr.mrc_ctl_protocol_version = MRC_CTL_PROTOCOL_VERSION_1;
    attr.ev.ev_max_fmt_profiles = profiles_most;
    attr.ev.ev_max_profiles = profiles_most;
    attr.ev.ev_max_count = profiles_most * info->ev_max;
    attr.ev.ev_free_count = attr.ev.ev_max_count - std::min(taken, attr.ev.ev_max_count);
    attr.ev.ev_max_count_profile = info->ev_max;
    attr.ev.ev_count_align = 1;
    attr.ev.ev_max_width = ev_bits_most;
    attr.ev.ev_fmt_mode_mask =
        MRC_CTL_EV_FMT_MODE_STEV | MRC_CTL_EV_FMT_MODE_SRV6 | MRC_CTL_EV_FMT_MODE_UDP;
    attr.ev.ev_mode_mask = MRC_CTL_EV_MODE_AUTO | MRC_CTL_EV_MODE_EXP | MRC_CTL_EV_MODE_GEN;
    attr.cc.cc_max_profiles = profiles_most;
    attr.cc.algorithms = algorithms;
    attr.opt_attr = MRC_CTL_OPT_CAP_EV_PROFILE_MODIFY_ONLINE |
                    MRC_CTL_OPT_CAP_CC_PROFILE_MODIFY_ONLINE | MRC_CTL_OPT_CAP_EV_EVENT |
                    MRC_CTL_OPT_CAP_EP_OP_EV_PROBE;
    return query_planes(controller, attr.phy_port_mask);
}

/** @return 0; ENOTSUP: it is not an MRC device; or another errno value */
int query_ctl(ibv_context *device, mrc_ctl_device_attr *attr)
{
    mrc_abi_device_attr abi;

    if (!device || !attr)
        return EINVAL;
    *attr = {};
    if (const int error = query_device(device, abi))
        return error;
    Controller controller(device->device->name);
    if (const int error = controller.begin(false))
        return error;
    return describe(controller, *attr);
}

int query_ctl_ex(ibv_context *device, mrc_ctl_device_attr *attr, int *supported)
{
    if (!supported)
        return EINVAL;
    *supported = 0;
    const int error = query_ctl(device, attr);
    if (error)
        return error == ENOTSUP ? 0 : error;
    *supported = 1;
    return 0;
}

int query_port(Controller &controller, uint8_t port, mrc_ctl_port_attr &attr, int mask)
{
    const auto planes = controller.kernel().planes(controller.device());

    if (!planes)
        return api_error(planes.error());
    const auto plane = std::find_if(planes->begin(), planes->end(),
                                    [&](const mrcnl::Plane &known) { return known.port == port; });
    if (plane == planes->end())
        return EINVAL;
    if (mask & MRC_CTL_PORT_ADMIN_STATE)
        attr.port_admin_state =
            plane->admin_up ? MRC_CTL_PORT_ADMIN_ENABLED : MRC_CTL_PORT_ADMIN_DISABLED;
    return 0;
}

/** Change a plane without becoming its owner: other programs make and delete planes. */
int modify_port(Controller &controller, uint8_t port, const mrc_ctl_port_attr &attr, int mask)
{
    mrc_ctl_port_attr now;

    if (const int error = query_port(controller, port, now, mask))
        return error;
    if (!(mask & MRC_CTL_PORT_ADMIN_STATE))
        return 0;
    const bool up = attr.port_admin_state == MRC_CTL_PORT_ADMIN_ENABLED;
    return error_of(controller.as_nobody(
        [&](mrcnl::Kernel &kernel) { return kernel.set_plane(controller.device(), port, up); }));
}

bool sound(const mrc_ctl_port_attr *attr, int mask)
{
    return attr && !(mask & ~MRC_CTL_PORT_ADMIN_STATE);
}

} // namespace

} // namespace mrc

MRC_EXPORT int mrc_ctl_query_device(ibv_context *context, mrc_ctl_device_attr *ctl_attr)
{
    return mrc::zero_or_minus([&] { return mrc::query_ctl(context, ctl_attr); });
}

MRC_EXPORT int mrc_ctl_query_device_ex(ibv_context *context, mrc_context *mcontext,
                                       mrc_ctl_device_attr *ctl_attr, int *supported)
{
    return mrc::zero_or_minus([&] {
        if (mcontext && !mrc::is(mcontext))
            return EINVAL;
        return mrc::query_ctl_ex(context, ctl_attr, supported);
    });
}

MRC_EXPORT int mrc_ctl_query_port(mrc_context *context, uint8_t port_num, mrc_ctl_port_attr *attr,
                                  int attr_mask)
{
    return mrc::zero_or_minus([&] {
        if (!mrc::sound(attr, attr_mask))
            return EINVAL;
        return mrc::controlled(context, false, [&](mrc::Controller &controller) {
            return mrc::query_port(controller, port_num, *attr, attr_mask);
        });
    });
}

MRC_EXPORT int mrc_ctl_modify_port(mrc_context *context, uint8_t port_num, mrc_ctl_port_attr *attr,
                                   int attr_mask)
{
    return mrc::zero_or_minus([&] {
        if (!mrc::sound(attr, attr_mask) ||
            (attr_mask & MRC_CTL_PORT_ADMIN_STATE &&
             !mrc::one_of(attr->port_admin_state,
                          {MRC_CTL_PORT_ADMIN_DISABLED, MRC_CTL_PORT_ADMIN_ENABLED})))
            return EINVAL;
        return mrc::controlled(context, true, [&](mrc::Controller &controller) {
            return mrc::modify_port(controller, port_num, *attr, attr_mask);
        });
    });
}
