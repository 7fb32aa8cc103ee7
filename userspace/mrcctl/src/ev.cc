// SPDX-License-Identifier: GPL-2.0-only
#include "command.h"
#include "ev_spec.h"
#include "objects.h"
#include "owner.h"

namespace mrcctl
{

namespace
{

constexpr const char ev_help[] =
    "Usage: mrcctl ev [ show [ DEV [ ev-profile ID ] ] ]\n"
    "       mrcctl ev { deny | allow | del } DEV ev-profile ID index N [ version V ]\n"
    "       mrcctl ev add DEV ev-profile ID EV [ version V ]\n"
    "       mrcctl ev replace DEV ev-profile ID index N EV [ version V ]\n"
    "EV := port N { sid ADDRESS | via ADDRESS | segs ADDRESS[,ADDRESS]... [ reduced ] |\n"
    "               table TABLE | value VALUE } [ denied ]\n"
    "Commands deny and allow change an EV for all peers. Command add puts an EV behind the others\n"
    "of its port, replace puts one in the place of another, del takes one out. What is known of\n"
    "the other EVs stays, but their indices may change. With version, a command applies only if\n"
    "the profile still has this version, which show -d prints. mrcctl -d peer shows the states\n"
    "of EVs.\n";

uint64_t take_profile(Context &context, const std::optional<std::string> &device, Args &args)
{
    args.expect("ev-profile");
    return take_ev_profile(context, device, args);
}

/** Prints the names of the switches on the path of an EV, if they have any. */
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

/** Warns that mrcd decides about the EVs of its plan. */
void warn_of_daemon(Context &context, const std::string &device, uint64_t profile, bool deny)
{
    const Told &told = context.told(device);
    const std::string who = "mrcd looks after " + device + " and ";

    if (!told.daemon)
        return;
    if (told.names && !told.names->plans(profile))
        context.warn(who + "does not plan this EV profile: the EV stays " +
                     (deny ? "denied" : "allowed"));
    else if (deny)
        context.warn(who + "will allow this EV again, unless mrcd itself denies the EV; to keep a "
                           "path out of use, name its switch or link in mrcd's file, under [deny]");
    else
        context.warn(who + "will deny this EV again, if mrcd's file or its probes say so");
}

uint16_t take_index(Args &args)
{
    args.expect("index");
    return static_cast<uint16_t>(args.take_number("index", 0, UINT16_MAX));
}

/** Takes "version", which ends the words of a change. */
std::optional<uint32_t> take_version(Context &context, Args &args)
{
    std::optional<uint32_t> version;

    if (args.accept("version"))
        version = static_cast<uint32_t>(args.take_number("version", 0, UINT32_MAX));
    args.finish();
    if (version)
        require(context, MRC_NL_CAPABILITY_EDIT_EVS, "versions of EV profiles");
    return version;
}

void set_ev(Context &context, Args &args, bool deny)
{
    const std::string device = args.take("device");
    mrcnl::EvPlace place;

    place.ev_profile = take_profile(context, device, args);
    place.index = take_index(args);
    place.version = take_version(context, args);
    value_of(kernel_for(context, {}).deny_ev(device, place, deny));
    warn_of_daemon(context, device, place.ev_profile, deny);
}

mrcnl::Kernel &kernel_to_edit(Context &context)
{
    require(context, MRC_NL_CAPABILITY_EDIT_EVS, "changes of single EVs");
    return kernel_for(context, {});
}

/** Warns that mrcd undoes changes of profiles of its plan. */
void warn_of_plan(Context &context, const std::string &device, uint64_t profile)
{
    const Told &told = context.told(device);

    if (told.daemon && (!told.names || told.names->plans(profile)))
        context.warn("mrcd looks after " + device +
                     " and will replace this EV profile, if mrcd's plan has it");
}

void add_ev(Context &context, Args &args)
{
    const std::string device = args.take("device");
    const uint64_t profile = take_profile(context, device, args);
    const mrcnl::EvSpec ev = take_ev_spec(args);
    const auto version = take_version(context, args);

    value_of(kernel_to_edit(context).add_ev(device, profile, ev, version));
    warn_of_plan(context, device, profile);
}

void replace_ev(Context &context, Args &args)
{
    const std::string device = args.take("device");
    mrcnl::EvPlace place;

    place.ev_profile = take_profile(context, device, args);
    place.index = take_index(args);
    const mrcnl::EvSpec ev = take_ev_spec(args);
    place.version = take_version(context, args);
    value_of(kernel_to_edit(context).replace_ev(device, place, ev));
    warn_of_plan(context, device, place.ev_profile);
}

void del_ev(Context &context, Args &args)
{
    const std::string device = args.take("device");
    mrcnl::EvPlace place;

    place.ev_profile = take_profile(context, device, args);
    place.index = take_index(args);
    place.version = take_version(context, args);
    value_of(kernel_to_edit(context).delete_ev(device, place));
    warn_of_plan(context, device, place.ev_profile);
}

constexpr Command ev_commands[] = {
    {"show", show_ev},
    {"deny", [](Context &context, Args &args) { set_ev(context, args, true); }},
    {"allow", [](Context &context, Args &args) { set_ev(context, args, false); }},
    {"add", add_ev},
    {"replace", replace_ev},
    {"del", del_ev}};

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
    if (ev.version && (p.options().details || p.options().json))
        p.number("version", *ev.version);
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
