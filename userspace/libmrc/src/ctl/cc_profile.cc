// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * CC profiles. For a profile that is ONLINE the kernel's state counts; others are in files.
 */
#include <algorithm>
#include <cstring>

#include "base/edge.h"
#include "ctl/controller.h"
#include "ctl/nscc.h"
#include "ctl/stored_enum.h"

namespace mrc
{

// A namespace, because other kinds of profiles have functions of the same names.
namespace cc_profile
{

namespace
{

using Attr = mrc_ctl_cc_profile_attr;

constexpr const char *kind = "cc";
constexpr uint32_t fixed_window = 1 << 20; ///< bytes
constexpr int states = MRC_CTL_CC_PROFILE_STATE | MRC_CTL_CC_PROFILE_CUR_STATE;
constexpr int all = states | MRC_CTL_CC_PROFILE_ALGORITHM | MRC_CTL_CC_PROFILE_CONFIG |
                    MRC_CTL_CC_PROFILE_VENDOR_CFG;

struct CcProfile {
    mrc_ctl_profile_state state = MRC_CTL_PROFILE_INIT;
    bool nscc = false;       ///< false: no algorithm
    bool configured = false; ///< it has all that ONLINE needs
    bool in_kernel = false;
    mrcnl::CcProfile is; ///< as the kernel has it or will have it
};

int read(const Controller &controller, uint64_t id, CcProfile &profile)
{
    nlohmann::json json;
    const int error = controller.store().read(kind, id, json);

    if (error)
        return error == ENOENT ? 0 : error;
    try {
        if (!read_enum(json.at("state"), profile_states, profile.state))
            return EBADMSG;
        json.at("nscc").get_to(profile.nscc);
        json.at("configured").get_to(profile.configured);
        json.at("alias").get_to(profile.is.alias);
        if (json.contains("window"))
            profile.is.window = json["window"].get<uint32_t>();
        settings_from(json.at("settings"), profile.is.settings);
    } catch (const nlohmann::json::exception &) {
        return EBADMSG;
    }
    return 0;
}

int save(const Controller &controller, uint64_t id, const CcProfile &profile)
{
    nlohmann::json json{{"state", profile.state},
                        {"nscc", profile.nscc},
                        {"configured", profile.configured},
                        {"alias", profile.is.alias},
                        {"settings", json_of(profile.is.settings)}};

    if (profile.is.window)
        json["window"] = *profile.is.window;
    return controller.store().write(kind, id, json);
}

int load(Controller &controller, uint64_t id, CcProfile &profile)
{
    const auto now = controller.kernel().cc_profile(controller.device(), id);

    if (!now && now.error().code != ENOENT)
        return api_error(now.error());
    if (now) {
        profile = {MRC_CTL_PROFILE_ONLINE, now->algorithm == "nscc", true, true, *now};
        return 0;
    }
    const int error = read(controller, id, profile);
    if (profile.state == MRC_CTL_PROFILE_ONLINE)
        profile.state = MRC_CTL_PROFILE_OFFLINE;
    return error;
}

int publish(Controller &controller, uint64_t id, const CcProfile &profile)
{
    mrcnl::CcProfile wanted = profile.is;

    if (profile.nscc)
        wanted.window.reset();
    else
        wanted.settings = {};
    if (!profile.nscc && !wanted.window)
        wanted.window = fixed_window;
    wanted.id = id;
    wanted.algorithm = profile.nscc ? "nscc" : "none";
    return error_of(
        controller.kernel().put_cc_profile(controller.device(), wanted, profile.in_kernel));
}

int take_algorithm(CcProfile &profile, const char *algorithm)
{
    if (algorithm && strcmp(algorithm, nscc_name) != 0)
        return EINVAL;
    profile.nscc = algorithm;
    profile.configured = !algorithm;
    profile.is.settings = {};
    return 0;
}

/** Settings for which the configuration has no field are not changed. */
int take_config(CcProfile &profile, const void *config)
{
    if (!profile.nscc)
        return config ? EINVAL : 0;
    if (!config)
        return EINVAL;
    profile.configured = true;
    return to_settings(*static_cast<const mrc_ctl_cc_nscc_cfg *>(config), profile.is.settings)
               ? 0
               : EINVAL;
}

int configure(CcProfile &profile, const Attr &attr, int mask)
{
    if (mask & MRC_CTL_CC_PROFILE_ALGORITHM)
        if (const int error = take_algorithm(profile, attr.algorithm))
            return error;
    return mask & MRC_CTL_CC_PROFILE_CONFIG ? take_config(profile, attr.cc_config) : 0;
}

/** Refuses while QPs use the profile: the kernel itself would delete a profile in use by number. */
int leave_online(Controller &controller, uint64_t id)
{
    const auto qps = controller.kernel().qps(controller.device());

    if (!qps)
        return api_error(qps.error());
    for (const mrcnl::Qp &qp : *qps)
        if (qp.cc_profile == id &&
            (qp.state == mrcnl::QpState::rtr || qp.state == mrcnl::QpState::rts))
            return EBUSY;
    return error_of(controller.kernel().delete_cc_profile(controller.device(), id));
}

int go_online(Controller &controller, uint64_t id, CcProfile &profile)
{
    if (!profile.configured)
        return EINVAL;
    profile.state = MRC_CTL_PROFILE_ONLINE;
    if (const int error = save(controller, id, profile))
        return error;
    const int error = publish(controller, id, profile);
    if (error) {
        profile.state = MRC_CTL_PROFILE_OFFLINE;
        save(controller, id, profile);
    }
    return error;
}

int modify_online(Controller &controller, uint64_t id, CcProfile &profile, const Attr &attr,
                  int rest)
{
    if (rest & ~MRC_CTL_CC_PROFILE_CONFIG)
        return EINVAL;
    if (!rest)
        return 0;
    if (const int error = take_config(profile, attr.cc_config))
        return error;
    return profile.nscc ? publish(controller, id, profile) : 0;
}

int modify(Controller &controller, uint64_t id, const Attr &attr, int mask)
{
    const int rest = mask & ~states & ~MRC_CTL_CC_PROFILE_VENDOR_CFG;
    CcProfile profile;

    if (const int error = load(controller, id, profile))
        return error;
    const auto from = profile.state;
    const auto to = mask & MRC_CTL_CC_PROFILE_STATE ? attr.profile_state : from;
    if ((mask & MRC_CTL_CC_PROFILE_CUR_STATE && attr.cur_profile_state != from) ||
        !may_step(from, to) || (to == MRC_CTL_PROFILE_INIT && rest))
        return EINVAL;
    if (to == MRC_CTL_PROFILE_INIT)
        return from == to ? 0 : controller.store().remove(kind, id);
    if (from == MRC_CTL_PROFILE_ONLINE && to == from)
        return modify_online(controller, id, profile, attr, rest);
    if (from == MRC_CTL_PROFILE_INIT && !(mask & MRC_CTL_CC_PROFILE_ALGORITHM))
        return EINVAL;
    if (from == MRC_CTL_PROFILE_INIT && controller.store().ids(kind).size() >= profiles_most)
        return E2BIG;
    if (const int error = configure(profile, attr, mask))
        return error;
    if (from == MRC_CTL_PROFILE_ONLINE)
        if (const int error = leave_online(controller, id))
            return error;
    if (to == MRC_CTL_PROFILE_ONLINE)
        return go_online(controller, id, profile);
    profile.state = to;
    return save(controller, id, profile);
}

/** Return the configuration in the program's memory, or in ours. */
void give_config(Controller &controller, uint64_t id, const CcProfile &profile, Attr &attr)
{
    if (!profile.nscc) {
        if (!attr.cc_config)
            controller.lent.erase(id);
        return;
    }
    const mrc_ctl_cc_nscc_cfg config = config_of(profile.is);
    if (!attr.cc_config) {
        auto &lent = controller.lent[id];
        lent = std::make_unique<mrc_ctl_cc_nscc_cfg>();
        attr.cc_config = lent.get();
    }
    *static_cast<mrc_ctl_cc_nscc_cfg *>(const_cast<void *>(attr.cc_config)) = config;
}

int query(Controller &controller, uint64_t id, Attr &attr, int mask)
{
    CcProfile profile;

    if (const int error = load(controller, id, profile))
        return error;
    if (mask & MRC_CTL_CC_PROFILE_STATE)
        attr.profile_state = profile.state;
    if (mask & MRC_CTL_CC_PROFILE_CUR_STATE)
        attr.cur_profile_state = profile.state;
    if (mask & MRC_CTL_CC_PROFILE_ALGORITHM)
        attr.algorithm = profile.nscc ? nscc_name : nullptr;
    if (mask & MRC_CTL_CC_PROFILE_CONFIG)
        give_config(controller, id, profile, attr);
    if (mask & MRC_CTL_CC_PROFILE_VENDOR_CFG)
        std::fill(std::begin(attr.vendor_cfg), std::end(attr.vendor_cfg), uint8_t{0});
    return 0;
}

bool sound(const Attr *attr, int mask)
{
    return attr && !(mask & ~all);
}

bool may_change(const Attr &attr, int mask)
{
    return states_sound(attr, mask, MRC_CTL_CC_PROFILE_STATE, MRC_CTL_CC_PROFILE_CUR_STATE) &&
           (!(mask & MRC_CTL_CC_PROFILE_VENDOR_CFG) || nothing_added(attr.vendor_cfg));
}

} // namespace

} // namespace cc_profile

} // namespace mrc

MRC_EXPORT int mrc_ctl_modify_cc_profile(mrc_context *mrc_ctx, uint64_t cc_profile_id,
                                         mrc_ctl_cc_profile_attr *attr, int attr_mask)
{
    return mrc::zero_or_minus([&] {
        if (!mrc::cc_profile::sound(attr, attr_mask) ||
            !mrc::cc_profile::may_change(*attr, attr_mask))
            return EINVAL;
        if (!cc_profile_id)
            return EPERM;
        return mrc::controlled(mrc_ctx, true, [&](mrc::Controller &controller) {
            return mrc::cc_profile::modify(controller, cc_profile_id, *attr, attr_mask);
        });
    });
}

MRC_EXPORT int mrc_ctl_query_cc_profile(mrc_context *mrc_ctx, uint64_t cc_profile_id,
                                        mrc_ctl_cc_profile_attr *attr, int attr_mask)
{
    return mrc::zero_or_minus([&] {
        if (!mrc::cc_profile::sound(attr, attr_mask))
            return EINVAL;
        return mrc::controlled(mrc_ctx, false, [&](mrc::Controller &controller) {
            return mrc::cc_profile::query(controller, cc_profile_id, *attr, attr_mask);
        });
    });
}
