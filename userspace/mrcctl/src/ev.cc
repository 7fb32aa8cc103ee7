// SPDX-License-Identifier: GPL-2.0-only
#include "command.h"
#include "objects.h"
#include "owner.h"

namespace mrcctl
{

namespace
{

constexpr const char ev_help[] =
    "Usage: mrcctl ev [ show [ DEV [ ev-profile ID ] ] ]\n"
    "       mrcctl ev { deny | allow } DEV ev-profile ID index N\n"
    "Denies an EV, or readmits it, for all peers. mrcctl -d peer shows the states of EVs.\n";

uint64_t take_profile(Context &context, const std::optional<std::string> &device, Args &args)
{
    args.expect("ev-profile");
    return take_ev_profile(context, device, args);
}

/** The switches that an EV leads through, where they have names. */
void print_switches(Printer &p, const Names &names, const mrcnl::EvSpec &ev)
{
    std::vector<std::string> switches;

    if (const auto *sid = std::get_if<mrcnl::EvSid>(&ev.path))
        switches = names.switches(sid->sid);
    else if (const auto *via = std::get_if<mrcnl::EvVia>(&ev.path))
        switches = names.switches(via->via);
    if (!switches.empty())
        p.list("switch", switches);
}

void show_ev(Context &context, Args &args)
{
    const auto device = optional_device(args);
    std::optional<uint64_t> profile;
    Printer &p = context.printer;

    if (!args.empty())
        profile = take_profile(context, device, args);
    args.finish();
    for (const mrcnl::Ev &ev : value_of(context.kernel().evs(device, profile))) {
        p.begin_object();
        p.hidden("dev-index", ev.device.index);
        p.bare("dev-name", ev.device.name, Color::name);
        print_object(p, context.names(ev.device.name), ev);
        p.end_object();
    }
}

/** mrcd has the last word on the EVs of its plan. */
void warn_of_daemon(Context &context, const std::string &device, uint64_t profile, bool deny)
{
    const Told &told = context.told(device);
    const std::string who = "mrcd looks after " + device + " and ";

    if (!told.daemon)
        return;
    if (told.names && !told.names->plans(profile))
        context.warn(who + "has no part in this EV profile: the EV stays " +
                     (deny ? "denied" : "allowed"));
    else if (deny)
        context.warn(who + "soon allows this EV again, unless it denies it itself; what is not to "
                           "be used belongs in its file, under denied");
    else
        context.warn(who + "soon denies this EV again, if its file or its probes say so");
}

void set_ev(Context &context, Args &args, bool deny)
{
    const std::string device = args.take("device");
    const uint64_t profile = take_profile(context, device, args);

    args.expect("index");
    const auto index = static_cast<uint16_t>(args.take_number("index", 0, UINT16_MAX));
    args.finish();
    value_of(kernel_for(context, {}).deny_ev(device, profile, index, deny));
    warn_of_daemon(context, device, profile, deny);
}

void deny_ev(Context &context, Args &args)
{
    set_ev(context, args, true);
}

void allow_ev(Context &context, Args &args)
{
    set_ev(context, args, false);
}

constexpr Command ev_commands[] = {{"show", show_ev}, {"deny", deny_ev}, {"allow", allow_ev}};

void print_segments(Printer &p, const mrcnl::EvSegments &path)
{
    std::vector<std::string> texts;

    for (const mrcnl::Address &segment : path.segments)
        texts.push_back(segment.text());
    if (p.options().json) {
        p.enter("encap");
        p.list("srh", texts);
        p.flag("reduced", path.reduced);
        p.leave();
    } else {
        p.list("segs", texts);
        p.flag("reduced", path.reduced);
    }
}

} // namespace

const Object ev_object{"ev", ev_help, ev_commands};

void print_ev(Printer &p, const mrcnl::EvSpec &ev)
{
    p.number("port", ev.port);
    if (const auto *sid = std::get_if<mrcnl::EvSid>(&ev.path))
        p.text("sid", sid->sid.text());
    else if (const auto *via = std::get_if<mrcnl::EvVia>(&ev.path))
        p.text("via", via->via.text());
    else if (const auto *segments = std::get_if<mrcnl::EvSegments>(&ev.path))
        print_segments(p, *segments);
    else if (const auto *table = std::get_if<mrcnl::EvTable>(&ev.path))
        p.number("table", table->table);
    else if (const auto *value = std::get_if<mrcnl::EvValue>(&ev.path))
        p.hex("value", value->value);
    p.flag("denied", ev.denied, Color::bad);
}

void print_object(Printer &p, const Names &names, const mrcnl::Ev &ev)
{
    print_ev_profile(p, names, ev.ev_profile);
    p.number("index", ev.index);
    print_switches(p, names, ev.spec);
    print_ev(p, ev.spec);
}

bool usable(mrcnl::EvState state)
{
    return state == mrcnl::EvState::good || state == mrcnl::EvState::skip;
}

Color color_of(mrcnl::EvState state)
{
    switch (state) {
    case mrcnl::EvState::good:
        return Color::good;
    case mrcnl::EvState::skip:
    case mrcnl::EvState::held:
        return Color::warn;
    default:
        return Color::bad;
    }
}

} // namespace mrcctl
