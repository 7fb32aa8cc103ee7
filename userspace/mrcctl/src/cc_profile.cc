// SPDX-License-Identifier: GPL-2.0-only
#include "alias.h"
#include "objects.h"
#include "owner.h"
#include "setting.h"

namespace mrcctl
{

namespace
{

constexpr const char cc_profile_help[] =
    "Usage: mrcctl cc-profile [ show [ DEV [ ID ] ] ]\n"
    "       mrcctl cc-profile { add | set } DEV ID algorithm none window BYTES\n"
    "                         [ alias NAME ] [ owner OWNER ]\n"
    "       mrcctl cc-profile { add | set } DEV ID algorithm nscc [ SETTING... ]\n"
    "                         [ alias NAME ] [ owner OWNER ]\n"
    "       mrcctl cc-profile del DEV ID [ owner OWNER ]\n"
    "SETTING := " MRCNL_CC_SETTING_GRAMMAR "\n"
    "Algorithm none keeps at most BYTES of each QP in flight; nscc steers the window by signals\n"
    "of the network. TIME: 12us; RATE: 400gbit; X: 0.8. A profile that has an alias may be named\n"
    "by its alias. Command set resets all that it does not name: the alias, and each setting.\n";

void print_derived(Printer &p, const mrcnl::CcDerived &derived)
{
    if (derived == mrcnl::CcDerived())
        return;
    p.enter("derived");
    p.plain("derived");
    print_settings(p, derived, false);
    p.leave();
}

void print_profile(Printer &p, const mrcnl::CcProfile &profile)
{
    p.begin_object();
    p.hidden("dev-index", profile.device.index);
    p.bare("dev-name", profile.device.name, Color::name);
    print_object(p, Names(), profile);
    print_derived(p, profile.derived);
    p.end_object();
}

void show_cc_profile(Context &context, Args &args)
{
    const auto device = optional_device(args);

    if (device && !args.empty()) {
        const uint64_t id = take_cc_profile(context, *device, args);

        args.finish();
        print_profile(context.printer, value_of(context.kernel().cc_profile(*device, id)));
        return;
    }
    args.finish();
    for (const mrcnl::CcProfile &profile : value_of(context.kernel().cc_profiles(device)))
        print_profile(context.printer, profile);
}

/** Takes settings, up to the word "owner". */
void take_settings(Args &args, mrcnl::CcProfile &profile)
{
    std::vector<const char *> names = names_of_settings<mrcnl::CcSettings>();

    names.insert(names.end(), {"window", "alias"});
    while (!args.empty() && !std::string_view("owner").starts_with(args.peek())) {
        const std::string name = names[args.take_word(names, "setting")];

        if (name == "window")
            profile.window = static_cast<uint32_t>(args.take_number("window", 1, UINT32_MAX));
        else if (name == "alias")
            profile.alias = take_alias(args);
        else
            take_setting(args, name, profile.settings);
    }
    if (profile.algorithm == "none" && !profile.window)
        throw UsageError("window is missing");
}

void put_cc_profile(Context &context, Args &args, bool replace, mrcnl::Owner otherwise)
{
    const std::string device = args.take("device");
    mrcnl::CcProfile profile;

    profile.id = take_cc_profile(context, device, args);
    args.expect("algorithm");
    profile.algorithm = args.take("algorithm");
    take_settings(args, profile);
    const mrcnl::Owner owner = take_owner(args);
    args.finish();
    require_alias(context, profile.alias);
    if (profile.algorithm == "nscc")
        require(context, MRC_NL_CAPABILITY_NSCC, "algorithm nscc");
    value_of(kernel_for(context, owner, otherwise).put_cc_profile(device, profile, replace));
}

void del_cc_profile(Context &context, Args &args)
{
    const std::string device = args.take("device");
    const uint64_t id = take_cc_profile(context, device, args);
    const mrcnl::Owner owner = take_owner(args);

    args.finish();
    value_of(kernel_for(context, owner).delete_cc_profile(device, id));
}

constexpr Command cc_profile_commands[] = {
    {"show", show_cc_profile},
    {"add", [](Context &context, Args &args) { put_cc_profile(context, args, false, by_hand); }},
    {"set", [](Context &context, Args &args) { put_cc_profile(context, args, true, {}); }},
    {"del", del_cc_profile}};

} // namespace

void print_id(Printer &p, const Names &, const mrcnl::CcProfile &profile)
{
    p.number("cc-profile", profile.id);
}

void print_object(Printer &p, const Names &names, const mrcnl::CcProfile &profile)
{
    print_id(p, names, profile);
    print_alias(p, profile.alias);
    p.text("algorithm", profile.algorithm);
    if (profile.window)
        p.bytes("window", *profile.window);
    print_settings(p, profile.settings, true);
    if (p.options().details || p.options().json)
        print_settings(p, profile.settings, false);
    print_owner(p, profile.owner);
}

const Object cc_profile_object{"cc-profile", cc_profile_help, cc_profile_commands};

} // namespace mrcctl
