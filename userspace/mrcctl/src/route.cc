// SPDX-License-Identifier: GPL-2.0-only
#include "alias.h"
#include "objects.h"
#include "owner.h"

namespace mrcctl
{

namespace
{

constexpr const char route_help[] =
    "Usage: mrcctl route [ show [ DEV ] ]\n"
    "       mrcctl route { add | replace } DEV PREFIX ev-profile ID [ cc-profile ID ]\n"
    "              [ usid USID ] [ owner OWNER ]\n"
    "       mrcctl route del DEV PREFIX [ owner OWNER ]\n"
    "       mrcctl route get DEV GID\n"
    "Routes map remote GIDs to profiles, for QPs that name none themselves; the longest\n"
    "prefix wins. Command get shows which route a GID takes. USID is the host's uSID: EVs with\n"
    "via end at the host's switch, and packets go on from there to this uSID.\n";

constexpr uint8_t host_length = 128; // of a prefix

void print_prefix(Printer &p, const mrcnl::Prefix &prefix)
{
    if (p.options().json) {
        p.hidden("prefix", prefix.address.text());
        p.hidden("prefix-len", prefix.length);
    } else {
        p.plain(prefix.text());
    }
}

/** Prints the name of the host that a route leads to, if it has one. */
void print_host(Printer &p, const Names &names, const mrcnl::Address &gid)
{
    const std::string host = names.host(gid);

    if (!host.empty())
        p.text("host", host);
}

/** Prints the profiles of a route, or of the answer to a look-up. */
template <typename Route>
void print_profiles(Printer &p, const Names &names, const Route &route)
{
    print_ev_profile(p, names, route.ev_profile);
    p.number("cc-profile", route.cc_profile);
    if (route.usid)
        p.hex("usid", route.usid, 4);
    print_owner(p, route.owner);
}

void show_route(Context &context, Args &args)
{
    const auto device = optional_device(args);
    Printer &p = context.printer;

    args.finish();
    for (const mrcnl::Route &route : value_of(context.kernel().routes(device))) {
        p.begin_object();
        p.hidden("dev-index", route.device.index);
        p.bare("dev-name", route.device.name, Color::name);
        print_object(p, context.names(route.device.name), route);
        p.end_object();
    }
}

void put_route(Context &context, Args &args, bool replace, mrcnl::Owner otherwise)
{
    const std::string device = args.take("device");
    mrcnl::Route route;

    route.prefix = args.take_prefix("prefix");
    args.expect("ev-profile");
    route.ev_profile = take_ev_profile(context, device, args);
    if (args.accept("cc-profile"))
        route.cc_profile = take_cc_profile(context, device, args);
    if (args.accept("usid"))
        route.usid = static_cast<uint16_t>(args.take_number("usid", 1, UINT16_MAX));
    const mrcnl::Owner owner = take_owner(args);
    args.finish();
    value_of(kernel_for(context, owner, otherwise).put_route(device, route, replace));
}

void del_route(Context &context, Args &args)
{
    const std::string device = args.take("device");
    const mrcnl::Prefix prefix = args.take_prefix("prefix");
    const mrcnl::Owner owner = take_owner(args);

    args.finish();
    value_of(kernel_for(context, owner).delete_route(device, prefix));
}

void get_route(Context &context, Args &args)
{
    const std::string device = args.take("device");
    const mrcnl::Address gid = take_remote(context, device, args);
    Printer &p = context.printer;

    args.finish();
    const mrcnl::RouteMatch match = value_of(context.kernel().match_route(device, gid));
    p.begin_object();
    p.hidden("dev-index", match.device.index);
    p.bare("dev-name", match.device.name, Color::name);
    const Names &names = context.names(match.device.name);
    p.text("gid", match.gid.text());
    print_host(p, names, match.gid);
    if (match.prefix) {
        p.plain("by");
        print_prefix(p, *match.prefix);
    } else {
        p.plain("by default");
    }
    print_profiles(p, names, match);
    p.end_object();
}

constexpr Command route_commands[] = {
    {"show", show_route},
    {"add", [](Context &context, Args &args) { put_route(context, args, false, by_hand); }},
    {"replace", [](Context &context, Args &args) { put_route(context, args, true, {}); }},
    {"del", del_route},
    {"get", get_route}};

} // namespace

void print_id(Printer &p, const Names &names, const mrcnl::Route &route)
{
    print_prefix(p, route.prefix);
    if (route.prefix.length == host_length)
        print_host(p, names, route.prefix.address);
}

void print_object(Printer &p, const Names &names, const mrcnl::Route &route)
{
    print_id(p, names, route);
    print_profiles(p, names, route);
}

const Object route_object{"route", route_help, route_commands};

} // namespace mrcctl
