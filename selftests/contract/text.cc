// SPDX-License-Identifier: GPL-2.0-only
#include "text.h"

#include <algorithm>
#include <cstring>

using namespace mrcnl;

namespace contract
{

namespace
{

std::string path(const EvPath &path)
{
    if (const auto *value = std::get_if<EvValue>(&path))
        return " value " + std::to_string(value->value);
    if (const auto *sid = std::get_if<EvSid>(&path))
        return " sid " + sid->sid.text();
    if (const auto *via = std::get_if<EvVia>(&path))
        return " via " + via->via.text();
    if (const auto *table = std::get_if<EvTable>(&path))
        return " table " + std::to_string(table->table);
    std::string line;
    if (const auto *list = std::get_if<EvSegments>(&path)) {
        line = list->reduced ? " reduced" : " segments";
        if (list->segments.size() > 3)
            return line + " (" + std::to_string(list->segments.size()) + ")";
        for (const Address &segment : list->segments)
            line += " " + segment.text();
    }
    return line;
}

/** " owner NAME", or nothing where none is said, as in requests. */
std::string owned(const Owner &owner)
{
    return owner ? " owner " + owner_name(*owner) : "";
}

/** The settings that have a value, as numbers. */
std::string of_algorithm(const CcSettings &settings)
{
    std::string line;

    for_each_setting<CcSettings>([&](const Setting &setting, auto member) {
        if (settings.*member)
            line += " " + text(setting, *(settings.*member));
    });
    return line;
}

template <typename T>
void add(std::vector<std::string> &lines, const Result<std::vector<T>> &listed)
{
    if (!listed) {
        lines.push_back("no list: " + text(listed.error()));
        return;
    }
    for (const T &one : *listed)
        lines.push_back(text(one));
}

} // namespace

/** Control characters of a terminal do not belong into a file of answers. */
std::string called(const std::string &alias)
{
    std::string text = alias.empty() ? "" : " alias " + alias;

    std::replace_if(
        text.begin(), text.end(), [](char c) { return (c > 0 && c < ' ') || c == '\x7f'; }, '?');
    return text;
}

std::string text(const Error &error)
{
    const char *name = strerrorname_np(error.code);

    return (name ? name : std::to_string(error.code)) + std::string(" ") + error.message();
}

// Without what differs between builds and machines.
std::string text(const Info &info)
{
    return "module port-max " + std::to_string(info.port_max) + " ev-max " +
           std::to_string(info.ev_max) + " burst-max " + std::to_string(info.burst_max) +
           " capabilities " + std::to_string(info.capabilities);
}

std::vector<std::string> settings(const Device &device)
{
    std::vector<std::string> lines{"on " + device.ifname};

    for_each_setting([&](const Setting &setting, auto member) {
        const auto &value = device.settings.*member;

        lines.push_back(value ? text(setting, *value) : std::string(setting.name) + " ?");
    });
    lines.push_back("ports-up " + std::to_string(device.ports_up));
    lines.push_back("qps " + std::to_string(device.qps));
    return lines;
}

std::string text(const Device &device)
{
    std::string line = device.device.name;

    for (const std::string &setting : settings(device))
        line += " " + setting;
    return line;
}

std::string text(const Plane &plane)
{
    return "plane " + std::to_string(plane.port) + " " + plane.ifname + " admin " +
           (plane.admin_up ? "up" : "down") + " oper " + (plane.oper_up ? "up" : "down") +
           owned(plane.owner);
}

std::string text(const EvProfile &profile)
{
    return "ev-profile " + std::to_string(profile.id) + " " + to_string(profile.format) + " " +
           to_string(profile.mode) + " min-active " + std::to_string(profile.min_active) +
           " active " + std::to_string(profile.active) + " count " + std::to_string(profile.count) +
           " version " + std::to_string(profile.version) + " denied " +
           std::to_string(profile.denied) + owned(profile.owner) + called(profile.alias);
}

std::string text(const EvSpec &ev)
{
    return "port " + std::to_string(ev.port) + path(ev.path) + (ev.denied ? " denied" : "");
}

std::string text(const Ev &ev)
{
    return "ev " + std::to_string(ev.ev_profile) + "/" + std::to_string(ev.index) + " " +
           text(ev.spec);
}

std::string text(const CcProfile &profile)
{
    return "cc-profile " + std::to_string(profile.id) + " " + profile.algorithm +
           (profile.window ? " window " + std::to_string(*profile.window) : "") +
           of_algorithm(profile.settings) + owned(profile.owner) + called(profile.alias);
}

std::string text(const Route &route)
{
    return "route " + route.prefix.text() + " ev-profile " + std::to_string(route.ev_profile) +
           " cc-profile " + std::to_string(route.cc_profile) + " usid " +
           std::to_string(route.usid) + owned(route.owner);
}

std::string text(const RouteMatch &match)
{
    return (match.prefix ? "by " + match.prefix->text() : "by none") + " ev-profile " +
           std::to_string(match.ev_profile) + " cc-profile " + std::to_string(match.cc_profile) +
           " usid " + std::to_string(match.usid) + owned(match.owner);
}

std::vector<std::string> state(Kernel &kernel, const std::string &device)
{
    std::vector<std::string> lines;
    const auto one = kernel.device(device);

    lines = one ? settings(*one) : std::vector{"no device: " + text(one.error())};
    add(lines, kernel.planes(device));
    add(lines, kernel.ev_profiles(device));
    add(lines, kernel.evs(device, {}));
    add(lines, kernel.cc_profiles(device));
    add(lines, kernel.routes(device));
    return lines;
}

} // namespace contract
