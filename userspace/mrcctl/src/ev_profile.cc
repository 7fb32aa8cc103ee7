// SPDX-License-Identifier: GPL-2.0-only
#include "alias.h"
#include "ev_spec.h"
#include "objects.h"
#include "owner.h"

namespace mrcctl
{

namespace
{

constexpr const char ev_profile_help[] =
    "Usage: mrcctl ev-profile [ show [ DEV [ ID ] ] ]\n"
    "       mrcctl ev-profile { add | set } DEV ID [ format { srv6 | stev | udp } ]\n"
    "                         [ min-active N ] [ active N ] { mode auto count N | EV... }\n"
    "                         [ alias NAME ] [ owner OWNER ]\n"
    "       mrcctl ev-profile del DEV ID [ owner OWNER ]\n"
    "EV := ev port N { sid ADDRESS | via ADDRESS | segs ADDRESS[,ADDRESS]... [ reduced ] |\n"
    "                  table TABLE | value VALUE } [ denied ]\n"
    "Command set replaces a profile that exists; traffic goes on. EVs are sorted by port.\n"
    "Of a peer's EVs, active are in use at a time, equally many of each port; the others are\n"
    "spares. The default of active is 0, which means all.\n"
    "A profile that has an alias may be named by its alias; set without alias removes it.\n"
    "Without format, the EVs decide: value means stev, and so does mode auto.\n";

void print_profile(Context &context, const mrcnl::EvProfile &profile)
{
    Printer &p = context.printer;

    p.begin_object();
    p.hidden("dev-index", profile.device.index);
    p.bare("dev-name", profile.device.name, Color::name);
    print_object(p, context.names(profile.device.name), profile);
    p.end_object();
}

void show_ev_profile(Context &context, Args &args)
{
    const auto device = optional_device(args);

    if (device && !args.empty()) {
        const uint64_t id = take_ev_profile(context, device, args);

        args.finish();
        print_profile(context, value_of(context.kernel().ev_profile(*device, id)));
        return;
    }
    args.finish();
    for (const mrcnl::EvProfile &profile : value_of(context.kernel().ev_profiles(device)))
        print_profile(context, profile);
}

void put_ev_profile(Context &context, Args &args, bool replace, mrcnl::Owner otherwise)
{
    const std::string device = args.take("device");
    mrcnl::Owner owner;
    const mrcnl::EvProfileSpec spec =
        take_ev_profile_spec(take_ev_profile(context, device, args), args, owner);

    args.finish();
    require_alias(context, spec.alias);
    value_of(kernel_for(context, owner, otherwise).put_ev_profile(device, spec, replace));
}

void del_ev_profile(Context &context, Args &args)
{
    const std::string device = args.take("device");
    const uint64_t id = take_ev_profile(context, device, args);
    const mrcnl::Owner owner = take_owner(args);

    args.finish();
    value_of(kernel_for(context, owner).delete_ev_profile(device, id));
}

constexpr Command ev_profile_commands[] = {
    {"show", show_ev_profile},
    {"add", [](Context &context, Args &args) { put_ev_profile(context, args, false, by_hand); }},
    {"set", [](Context &context, Args &args) { put_ev_profile(context, args, true, {}); }},
    {"del", del_ev_profile}};

} // namespace

void print_id(Printer &p, const Names &names, const mrcnl::EvProfile &profile)
{
    print_ev_profile(p, names, profile.id);
}

void print_object(Printer &p, const Names &names, const mrcnl::EvProfile &profile)
{
    print_id(p, names, profile);
    print_alias(p, profile.alias);
    p.text("format", to_string(profile.format));
    p.text("mode", to_string(profile.mode));
    p.number("count", profile.count);
    p.number("min-active", profile.min_active);
    if (profile.active)
        p.number("active", profile.active);
    else
        p.hidden("active", profile.active);
    p.number("denied", profile.denied);
    print_owner(p, profile.owner);
    if (p.options().details || p.options().json)
        p.number("version", profile.version);
}

const Object ev_profile_object{"ev-profile", ev_profile_help, ev_profile_commands};

} // namespace mrcctl
