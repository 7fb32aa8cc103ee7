// SPDX-License-Identifier: GPL-2.0-only
#include <cerrno>

#include <nlohmann/json.hpp>

#include "command.h"
#include "objects.h"

namespace mrcctl
{

namespace
{

using Json = nlohmann::ordered_json;

constexpr const char help[] =
    "Usage: mrcctl health [ show [ DEV ] ]\n"
    "Planes, links, faults, what is denied for them and why, as mrcd has found by probing; and\n"
    "EVs towards the peers in use. Without mrcd: what the kernel knows, with each EV that is\n"
    "denied or assumed bad. Option -d: each link, and what mrcd has decided.\n";

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

/** The objects of a list. What else there may be is left out. */
std::vector<Json> list_of(const Json &object, const char *key)
{
    const auto at = object.find(key);
    std::vector<Json> list;

    if (at != object.end() && at->is_array())
        std::copy_if(at->begin(), at->end(), std::back_inserter(list),
                     [](const Json &element) { return element.is_object(); });
    return list;
}

Color color_of_verdict(const std::string &verdict)
{
    if (verdict == "alive")
        return Color::good;
    return verdict == "dead" ? Color::bad : Color::warn;
}

/** "alive rtt 210us lost 0/100" */
void print_loop(Printer &p, const Json &loop)
{
    const std::string verdict = string_of(loop, "verdict");

    p.plain(verdict, color_of_verdict(verdict));
    if (number_of(loop, "rtt"))
        p.plain("rtt " + duration_text(number_of(loop, "rtt")));
    p.plain("lost " + std::to_string(number_of(loop, "recent-lost")) + "/" +
            std::to_string(number_of(loop, "recent")));
}

void print_plane(Printer &p, const Json &plane)
{
    const std::vector<Json> t1s = list_of(plane, "t1");
    const bool details = p.options().details;
    size_t alive = 0;

    p.line();
    p.plain("plane " + std::to_string(number_of(plane, "port")) + " " + string_of(plane, "ifname") +
            " " + string_of(plane, "t0"));
    if (!plane.value("carrier", true))
        p.plain("no carrier", Color::bad);
    print_loop(p, plane);
    for (const Json &t1 : t1s)
        alive += string_of(t1, "verdict") == "alive";
    if (!t1s.empty())
        p.plain("T1s " + std::to_string(alive) + "/" + std::to_string(t1s.size()),
                alive == t1s.size() ? Color::none : Color::bad);
    for (const Json &t1 : t1s) {
        if (!details)
            break;
        p.line();
        p.plain("  " + string_of(t1, "name"));
        print_loop(p, t1);
    }
}

void print_fault(Printer &p, const Json &fault, uint64_t now)
{
    const uint64_t since = std::min(number_of(fault, "since"), now);

    p.line();
    p.plain("fault " + string_of(fault, "element"), Color::bad);
    p.plain("for " + duration_text(now - since) +
            (fault.value("denied", false) ? ", denied: "
                                          : ", not denied, for too little would be left: ") +
            string_of(fault, "evidence"));
}

/** What mrcd says, for people. */
void print_text(Printer &p, const Json &health, uint64_t now)
{
    const std::string status = string_of(health, "status");

    p.plain(string_of(health, "host"));
    p.plain(status, status == "as planned" ? Color::good : Color::warn);
    for (const Json &plane : list_of(health, "plane"))
        print_plane(p, plane);
    for (const Json &fault : list_of(health, "fault"))
        print_fault(p, fault, now);
    if (const auto denied = health.find("denied"); denied != health.end() && !denied->empty()) {
        p.line();
        p.plain("denied by the file:");
        for (const Json &name : *denied)
            if (name.is_string())
                p.plain(name.get<std::string>());
    }
    for (const Json &decision : list_of(health, "decision")) {
        if (!p.options().details)
            break;
        p.line();
        p.plain(time_text(static_cast<int64_t>(number_of(decision, "time"))) + " " +
                string_of(decision, "text"));
    }
}

/** Without mrcd. */
void print_planes(Context &context, const std::string &device)
{
    Printer &p = context.printer;

    p.plain("no mrcd looks after it", Color::warn);
    p.begin_list("plane");
    for (const mrcnl::Plane &plane : value_of(context.kernel().planes(device))) {
        p.begin_object();
        mrcctl::print_plane(p, plane);
        p.end_object();
    }
    p.end_list();
}

/** Of explicit profiles: others have none. */
void print_denied(Context &context, const std::string &device)
{
    Printer &p = context.printer;

    p.begin_list("ev");
    for (const mrcnl::Ev &ev : value_of(context.kernel().evs(device, std::nullopt))) {
        if (!ev.spec.denied)
            continue;
        p.begin_object();
        p.number("ev-profile", ev.ev_profile);
        p.number("index", ev.index);
        print_ev(p, ev.spec);
        p.end_object();
    }
    p.end_list();
}

/** Those that are not usable, and since when. */
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

/** @param details what mrcd would tell the reasons of: each EV that is not usable */
void print_peers(Context &context, const std::string &device, bool details)
{
    Printer &p = context.printer;
    const auto peers = value_of(context.kernel().peers(device, std::nullopt));
    EvsByPeer evs;

    if (details)
        evs = group(value_of(context.kernel().peer_evs(device, std::nullopt)));
    p.begin_list("peer");
    for (const mrcnl::Peer &peer : peers) {
        p.begin_object();
        p.plain("peer");
        p.bare("remote-gid", peer.key.remote_gid.text());
        p.number("ev-profile", peer.key.ev_profile);
        p.number("evs", peer.evs);
        p.number("evs-good", peer.evs_good);
        p.number("evs-held", peer.evs_held);
        p.number("evs-assumed-bad", peer.evs_assumed_bad);
        p.number("evs-denied", peer.evs_denied);
        if (details)
            print_peer_evs(context, evs[{peer.device.index, peer.key}]);
        p.end_object();
    }
    p.end_list();
}

void print_device(Context &context, const std::string &device)
{
    const auto answer = context.daemon(device, "health");
    Printer &p = context.printer;

    if (!answer && answer.error().code != ECONNREFUSED)
        throw Failure("mrcd: " + answer.error().message());
    p.begin_object();
    p.bare("dev-name", device, Color::name);
    p.hidden("daemon", answer ? 1 : 0);
    if (!answer) {
        print_planes(context, device);
        print_denied(context, device);
    } else if (!p.members(*answer)) {
        throw Failure("mrcd: its answer makes no sense");
    } else if (!p.options().json) {
        print_text(p, Json::parse(*answer), context.wall());
    }
    print_peers(context, device, !answer);
    p.end_object();
}

void show(Context &context, Args &args)
{
    const auto named = optional_device(args);

    args.finish();
    if (named) {
        value_of(context.kernel().device(*named));
        print_device(context, *named);
        return;
    }
    for (const mrcnl::Device &device : value_of(context.kernel().devices()))
        print_device(context, device.device.name);
}

constexpr Command commands[] = {{"show", show}};

} // namespace

const Object health_object{"health", help, commands};

} // namespace mrcctl
