// SPDX-License-Identifier: GPL-2.0-only
#include <algorithm>

#include "command.h"
#include "health_entry.h"
#include "objects.h"

namespace mrcctl
{

namespace
{

using Json = nlohmann::ordered_json;

constexpr const char health_help[] =
    "Usage: mrcctl health [ show [ DEV ] ]\n"
    "Shows whether all is well: what is wrong, since when, and what mends it, as mrcd reports;\n"
    "and how many planes, links, peers and EVs there are. Without mrcd, shows only the kernel's\n"
    "part. Option -d shows each plane, link and peer, and the decisions of mrcd.\n"
    "Exit status: 0 well, 1 not well, 2 not known.\n";

constexpr size_t lines_most = 16; // of each kind, without -d

std::string string_of(const Json &object, const char *key)
{
    const auto at = object.find(key);

    return at != object.end() && at->is_string() ? at->get<std::string>() : "";
}

uint64_t number_of(const Json &object, const char *key)
{
    const auto at = object.find(key);

    return at != object.end() && at->is_number_unsigned() ? at->get<uint64_t>() : 0;
}

/** The objects in a list. Other elements are left out. */
std::vector<Json> list_of(const Json &object, const char *key)
{
    const auto at = object.find(key);
    std::vector<Json> list;

    if (at != object.end() && at->is_array())
        std::copy_if(at->begin(), at->end(), std::back_inserter(list),
                     [](const Json &element) { return element.is_object(); });
    return list;
}

Color color_of_health(Health health)
{
    if (health == Health::well)
        return Color::good;
    return health == Health::unknown ? Color::warn : Color::bad;
}

Color color_of_verdict(const std::string &verdict)
{
    if (verdict == "alive")
        return Color::good;
    return verdict == "dead" ? Color::bad : Color::warn;
}

/** Prints "alive rtt 210 us lost 0/100". */
void print_loop(Printer &p, const Json &loop)
{
    const std::string verdict = string_of(loop, "verdict");

    p.plain(verdict, color_of_verdict(verdict));
    if (number_of(loop, "rtt-ns"))
        p.plain("rtt " + duration_text(number_of(loop, "rtt-ns")));
    p.plain("lost " + std::to_string(number_of(loop, "recent-lost")) + "/" +
            std::to_string(number_of(loop, "recent")));
}

void print_probed_plane(Printer &p, const Json &plane)
{
    p.line();
    p.plain("plane " + std::to_string(number_of(plane, "port")) + " " + string_of(plane, "ifname") +
            " " + string_of(plane, "t0"));
    if (!plane.value("carrier", true))
        p.plain("no carrier", Color::bad);
    print_loop(p, plane);
    for (const Json &t1 : list_of(plane, "t1")) {
        p.line();
        p.plain("  " + string_of(t1, "name"));
        print_loop(p, t1);
    }
}

void print_fault(Printer &p, const Json &fault, uint64_t now)
{
    const uint64_t since = std::min(number_of(fault, "since-ns"), now);

    p.line();
    p.plain("fault " + string_of(fault, "element"), Color::bad);
    p.plain("for " + duration_text(now - since) +
            (fault.value("denied", false)
                 ? ", denied: "
                 : ", not denied, because too few planes or T1s would be left: ") +
            string_of(fault, "evidence"));
}

void print_problem(Printer &p, const Json &problem, uint64_t now)
{
    const uint64_t since = number_of(problem, "since-ns");
    const std::string mend = string_of(problem, "mend");

    p.line();
    p.plain(string_of(problem, "what"), Color::bad);
    // On a first look it is not known since when.
    p.plain((since ? "for " + duration_text(now - std::min(since, now)) : "now") + ": " +
            string_of(problem, "seen"));
    if (mend.empty())
        return;
    p.line();
    p.plain("  mend: " + mend);
}

/** "3/4": loops that are alive, of all. */
std::string alive_of(const std::vector<Json> &loops)
{
    const auto alive = std::count_if(loops.begin(), loops.end(), [](const Json &loop) {
        return string_of(loop, "verdict") == "alive";
    });

    return std::to_string(alive) + "/" + std::to_string(loops.size());
}

/** Prints how many objects there are, and how many of them are well. */
void print_counts(Printer &p, const HealthEntry &entry)
{
    const std::vector<Json> planes = list_of(entry.said, "plane");
    std::vector<Json> t1s;
    mrcnl::Peer sum;

    for (const Json &plane : planes) {
        const std::vector<Json> more = list_of(plane, "t1");
        t1s.insert(t1s.end(), more.begin(), more.end());
    }
    p.line();
    if (!planes.empty())
        p.plain("alive: planes " + alive_of(planes) + ", paths over T1s " + alive_of(t1s) + ";");
    const auto in_trouble = std::count_if(
        entry.kernel.peers.begin(), entry.kernel.peers.end(),
        [](const mrcnl::Peer &peer) { return peer.evs_good + peer.evs_skip < peer.evs; });
    p.plain("peers " + std::to_string(entry.kernel.peers.size()) + ", " +
            std::to_string(in_trouble) + " of them with EVs out of use");
}

void print_denied_by_file(Printer &p, const Json &said)
{
    const Json &denied = said["denied"];

    if (denied.empty())
        return;
    p.line();
    p.plain("denied by the file:");
    for (const Json &name : denied)
        if (name.is_string())
            p.plain(name.get<std::string>());
}

/** Prints the report, for people. */
void print_said(Printer &p, const HealthEntry &entry, uint64_t now)
{
    const Json &said = entry.said;

    for (const Json &problem : list_of(said, "problem"))
        print_problem(p, problem, now);
    print_counts(p, entry);
    print_denied_by_file(p, said);
    if (!p.options().details)
        return;
    for (const Json &plane : list_of(said, "plane"))
        print_probed_plane(p, plane);
    for (const Json &fault : list_of(said, "fault"))
        print_fault(p, fault, now);
    for (const Json &decision : list_of(said, "decision")) {
        p.line();
        p.plain(time_text(static_cast<int64_t>(number_of(decision, "time-ns"))) + " " +
                string_of(decision, "text"));
    }
}

/** @return how many elements of a list are shown: all with -d or for JSON */
size_t shown_of(const Printer &p, size_t size)
{
    return p.options().json || p.options().details ? size : std::min(size, lines_most);
}

void print_rest(Printer &p, size_t hidden)
{
    if (!hidden)
        return;
    p.line();
    p.plain("and " + std::to_string(hidden) + " more, which -d shows");
}

/** Prints denied EVs of explicit profiles. Other profiles have none. */
void print_denied_evs(Printer &p, const std::vector<mrcnl::Ev> &evs)
{
    const size_t shown = shown_of(p, evs.size());

    p.begin_list("ev");
    for (size_t i = 0; i < shown; i++) {
        p.begin_object();
        p.number("ev-profile", evs[i].ev_profile);
        p.number("index", evs[i].index);
        print_ev(p, evs[i].spec);
        p.end_object();
    }
    p.end_list();
    print_rest(p, evs.size() - shown);
}

/** Prints EVs that are not usable, and since when. */
void print_peer_evs(Context &context, const std::vector<mrcnl::PeerEv> &evs)
{
    Printer &p = context.printer;

    p.begin_list("peer-ev");
    for (const mrcnl::PeerEv &ev : evs) {
        if (usable(ev.state))
            continue;
        p.begin_object();
        p.plain("  ev");
        p.number("index", ev.index);
        p.number("port", ev.port);
        p.text("state", to_string(ev.state), color_of(ev.state));
        print_changed(p, ev.changed, context.moment());
        p.end_object();
    }
    p.end_list();
}

void print_peer(Context &context, const mrcnl::Peer &peer, const std::vector<mrcnl::PeerEv> &evs)
{
    Printer &p = context.printer;

    p.begin_object();
    p.plain("peer");
    p.bare("remote-gid", peer.key.remote_gid.text());
    p.number("ev-profile", peer.key.ev_profile);
    print_ev_counts(p, peer);
    print_peer_evs(context, evs);
    p.end_object();
}

/** Prints peers with EVs that are not usable; with -d, all peers. */
void print_peers(Context &context, const HealthEntry &entry)
{
    Printer &p = context.printer;
    std::vector<mrcnl::Peer> peers = entry.kernel.peers;
    EvsByPeer evs;

    if (!p.options().details)
        std::erase_if(peers, [](const mrcnl::Peer &peer) {
            return peer.evs_good + peer.evs_skip == peer.evs;
        });
    if (!peers.empty())
        if (auto all = context.kernel().peer_evs(entry.device, std::nullopt))
            evs = group(std::move(*all));
    const size_t shown = shown_of(p, peers.size());
    p.begin_list("peer");
    for (size_t i = 0; i < shown; i++)
        print_peer(context, peers[i], evs[{peers[i].device.index, peers[i].key}]);
    p.end_list();
    print_rest(p, peers.size() - shown);
}

/** Prints the kernel's part. If mrcd has reported, text needs it only with -d. */
void print_kernel_half(Context &context, const HealthEntry &entry)
{
    Printer &p = context.printer;

    if (entry.daemon && !p.options().json && !p.options().details)
        return;
    if (p.options().json)
        p.enter("kernel");
    p.hidden("error", entry.kernel.error);
    p.begin_list("plane");
    for (const mrcnl::Plane &plane : entry.kernel.planes) {
        p.begin_object();
        print_plane(p, plane);
        p.end_object();
    }
    p.end_list();
    print_denied_evs(p, entry.kernel.denied);
    p.hidden("peers", entry.kernel.peers.size());
    print_peers(context, entry);
    if (p.options().json)
        p.leave();
}

void print_entry(Context &context, const HealthEntry &entry)
{
    Printer &p = context.printer;
    const std::string host = string_of(entry.said, "host");
    const std::string status = string_of(entry.said, "status");

    p.begin_object();
    p.hidden("version", 1);
    p.bare("dev-name", entry.device.empty() && !p.options().json ? "-" : entry.device, Color::name);
    p.hidden("daemon", entry.daemon);
    p.hidden("state", to_string(entry.health));
    p.members(entry.said.dump(-1, ' ', false, Json::error_handler_t::replace));
    if (!host.empty())
        p.plain(host);
    p.plain(entry.health == Health::unknown ? "not known"
            : entry.health == Health::well  ? "well"
                                            : "not well",
            color_of_health(entry.health));
    if (status != "as planned")
        p.plain("(" + status + ")");
    if (!p.options().json)
        print_said(p, entry, context.wall());
    print_kernel_half(context, entry);
    p.end_object();
}

/** "not well" counts more than "unknown". */
int exit_status_of(const std::vector<HealthEntry> &entries)
{
    const auto any = [&](Health health) {
        return std::any_of(entries.begin(), entries.end(),
                           [&](const HealthEntry &entry) { return entry.health == health; });
    };

    if (any(Health::not_well))
        return 1;
    return any(Health::unknown) ? 2 : 0;
}

void show_health(Context &context, Args &args)
{
    const auto named = optional_device(args);

    args.finish();
    const std::vector<HealthEntry> entries = health_entries(context, named);
    for (const HealthEntry &entry : entries)
        print_entry(context, entry);
    context.exit_status = std::max(context.exit_status, exit_status_of(entries));
}

constexpr Command health_commands[] = {{"show", show_health}};

} // namespace

const Object health_object{"health", health_help, health_commands};

} // namespace mrcctl
