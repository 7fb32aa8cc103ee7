// SPDX-License-Identifier: GPL-2.0-only
#include "contract.h"

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>

#include <linux/mrc.h>

#include "text.h"

using namespace mrcnl;

namespace contract
{

namespace
{

const std::string stranger = "mrc9"; // no device

/** Sends requests, and writes down the answers. */
class Script
{
public:
    Script(Kernel &asked, const Host &where)
        : kernel(asked), device(where.device), host_(where), before_(state(asked, where.device))
    {
    }

    Kernel &kernel;
    const std::string device;

    uint32_t ifindex(const std::string &netdev) const { return host_.ifindex(netdev); }

    void ask(const std::string &request, const Result<void> &answer)
    {
        write(request, answer ? "ok" : text(answer.error()));
    }
    template <typename T>
    void ask(const std::string &request, const Result<T> &answer)
    {
        write(request, answer ? text(*answer) : text(answer.error()));
    }
    template <typename T>
    void ask(const std::string &request, const Result<std::vector<T>> &answer)
    {
        write(request, answer ? std::to_string(answer->size()) : text(answer.error()));
    }
    /** A list whose order matters. */
    void list(const std::string &request, const Result<std::vector<Route>> &answer)
    {
        ask(request, answer);
        if (answer)
            for (const Route &route : *answer)
                lines.push_back("    " + text(route));
    }

    std::vector<std::string> lines;

private:
    void write(const std::string &request, const std::string &answer)
    {
        auto now = state(kernel, device);

        lines.push_back(request + " -> " + answer);
        differ(before_, now, "    - ");
        differ(now, before_, "    + ");
        before_ = std::move(now);
    }

    /** Entries that only the first list has. */
    void differ(const std::vector<std::string> &one, const std::vector<std::string> &other,
                const std::string &mark)
    {
        for (const std::string &line : one)
            if (std::find(other.begin(), other.end(), line) == other.end())
                lines.push_back(mark + line);
    }

    const Host &host_;
    std::vector<std::string> before_;
};

Address address(const std::string &text)
{
    return Address::parse(text).value();
}

Prefix prefix(const std::string &text)
{
    return Prefix::parse(text).value();
}

// ---- the device ------------------------------------------------------------------------------

/** @{ The values at the limits of a setting, and beyond them if its type has such values. */
template <typename T, typename Settings>
std::vector<T> values_of(const Setting &setting, std::optional<T> Settings::*)
{
    std::vector<T> values;

    for (const uint64_t value : {setting.min - 1, setting.min, setting.max, setting.max + 1})
        if (value <= std::numeric_limits<T>::max())
            values.push_back(static_cast<T>(value));
    return values;
}

std::vector<Address> values_of(const Setting &, std::optional<Address> DeviceSettings::*)
{
    return {address("fd00::9"), address("ff02::1"), address("::1"), address("::")};
}
/** @} */

void set_each(Script &s)
{
    for_each_setting([&](const Setting &setting, auto member) {
        for (const auto value : values_of(setting, member)) {
            DeviceSettings change;

            change.*member = value;
            s.ask(text(setting, value), s.kernel.set_device(s.device, change));
        }
    });
}

void set_several(Script &s)
{
    DeviceSettings change;

    s.ask("nothing", s.kernel.set_device(s.device, change));
    change.burst = 4;
    change.hop_limit = 7;
    s.ask("burst 4 hop-limit 7", s.kernel.set_device(s.device, change));
    change.burst = 5;
    change.hop_limit = 0;
    s.ask("burst 5 hop-limit 0", s.kernel.set_device(s.device, change));
    change.mpr = 0;
    change.burst = 0;
    s.ask("burst 0 hop-limit 0 mpr 0", s.kernel.set_device(s.device, change));
    s.ask("of a stranger, burst 0", s.kernel.set_device(stranger, change));
    change = {.burst = 5, .udp_port = taken_port};
    s.ask("burst 5 udp-port " + std::to_string(taken_port), s.kernel.set_device(s.device, change));
    change = {.burst = 5, .tunnel_source = address("ff02::1")};
    s.ask("burst 5 tunnel-source ff02::1", s.kernel.set_device(s.device, change));
}

void devices(Script &s)
{
    const auto first = s.kernel.device(s.device);

    s.ask("info", s.kernel.info());
    s.ask("devices", s.kernel.devices());
    s.ask("device", first);
    s.ask("a stranger", s.kernel.device(stranger));
    s.ask("a name that is too long", s.kernel.device(std::string(64, 'x')));
    s.ask("of a stranger, nothing", s.kernel.set_device(stranger, {}));
    set_each(s);
    s.ask("udp-port " + std::to_string(taken_port),
          s.kernel.set_device(s.device, {.udp_port = taken_port}));
    set_several(s);
    if (first)
        s.ask("as it was", s.kernel.set_device(s.device, first->settings));
}

// ---- planes ----------------------------------------------------------------------------------

void add_plane(Script &s, const std::string &netdev, std::optional<uint8_t> port = {})
{
    s.ask("add " + netdev + (port ? " port " + std::to_string(*port) : ""),
          s.kernel.add_plane(s.device, port, s.ifindex(netdev)));
}

void set_plane(Script &s, uint8_t port, std::optional<bool> up)
{
    s.ask("set " + std::to_string(port) +
              (!up   ? " as it is"
               : *up ? " up"
                     : " down"),
          s.kernel.set_plane(s.device, port, up));
}

void delete_plane(Script &s, uint8_t port)
{
    s.ask("delete " + std::to_string(port), s.kernel.delete_plane(s.device, port));
}

void planes_that_cannot_be(Script &s)
{
    add_plane(s, "eth1", 0);
    add_plane(s, "eth1", 33);
    add_plane(s, "tiny");
    add_plane(s, "lo");
    s.ask("add netdev 0", s.kernel.add_plane(s.device, 1, 0));
    s.ask("add netdev 0 port 33", s.kernel.add_plane(s.device, 33, 0));
    s.ask("add netdev 99999", s.kernel.add_plane(s.device, 1, 99999));
    s.ask("to a stranger, eth1", s.kernel.add_plane(stranger, 1, s.ifindex("eth1")));
    s.ask("to a stranger, eth1 port 33", s.kernel.add_plane(stranger, 33, s.ifindex("eth1")));
}

void planes(Script &s)
{
    planes_that_cannot_be(s);
    add_plane(s, "eth2", 2);
    add_plane(s, "eth1");
    add_plane(s, "eth3");
    add_plane(s, "eth3");
    add_plane(s, "eth1", 2);
    delete_plane(s, 3);
    add_plane(s, "eth3", 1);
    add_plane(s, "tiny", 1);
    add_plane(s, "eth3", 32);
    for (const uint8_t port : {0, 7, 33})
        set_plane(s, port, false);
    for (const bool up : {false, false, true, true})
        set_plane(s, 2, up);
    set_plane(s, 1, false);
    s.ask("planes", s.kernel.planes(s.device));
    s.ask("planes of a stranger", s.kernel.planes(stranger));
    s.ask("of a stranger, set", s.kernel.set_plane(stranger, 1, true));
    s.ask("of a stranger, delete", s.kernel.delete_plane(stranger, 1));
    for (const uint8_t port : {0, 7, 33, 1, 1, 2, 32})
        delete_plane(s, port);
}

// ---- EV profiles -----------------------------------------------------------------------------

/** Adds, or replaces, and writes down the answer. */
void put(Script &s, const EvProfileSpec &spec, bool replace = false)
{
    std::string words = (replace ? "set " : "add ") + std::to_string(spec.id) + " " +
                        to_string(spec.format) + " " + to_string(spec.mode);

    if (spec.min_active)
        words += " min-active " + std::to_string(*spec.min_active);
    if (spec.active)
        words += " active " + std::to_string(*spec.active);
    words += called(spec.alias);
    if (spec.count)
        words += " count " + std::to_string(*spec.count);
    if (spec.evs.size() > 3)
        words += ", " + std::to_string(spec.evs.size()) + " EVs";
    else
        for (const EvSpec &ev : spec.evs)
            words += ", " + text(ev);
    s.ask(words, s.kernel.put_ev_profile(s.device, spec, replace));
}

void delete_profile(Script &s, uint64_t id)
{
    s.ask("delete " + std::to_string(id), s.kernel.delete_ev_profile(s.device, id));
}

EvProfileSpec listed(uint64_t id, std::vector<EvSpec> evs, EvFormat format = EvFormat::srv6)
{
    return {.id = id, .format = format, .evs = std::move(evs)};
}

EvProfileSpec drawn(uint64_t id, EvFormat format, std::optional<uint16_t> count)
{
    return {.id = id, .format = format, .mode = EvMode::automatic, .count = count};
}

EvSpec by_sid(const std::string &sid, uint8_t port = 1)
{
    return {port, EvSid{address(sid)}, false};
}

EvSpec by_via(const std::string &via, uint8_t port = 1)
{
    return {port, EvVia{address(via)}, false};
}

EvSpec by_value(uint32_t value)
{
    return {1, EvValue{value}, false};
}

const char *const good_sid = "fcbb:0:1:101:2::";
const char *const good_via = "fcbb:0:1:101::";

/** Each EV alone in a profile, which is removed if it was taken. */
void put_alone(Script &s, const EvSpec &ev, EvFormat format = EvFormat::srv6)
{
    put(s, listed(5, {ev}, format));
    if (s.kernel.ev_profile(s.device, 5))
        delete_profile(s, 5);
}

void sids(Script &s)
{
    for (const char *sid :
         {good_sid, "::", "::1", "ff02::1", "fe80::1", "::ffff:1.2.3.4", "::1.2.3.4"})
        put_alone(s, by_sid(sid));
    for (const char *via : {good_via, "::", "::1", "ff02::1", "fe80::1", "::ffff:1.2.3.4",
                            "fcbb:0:1:2:3:4:5:6", "fcbb:0:1:0:3::", "fcbb::"})
        put_alone(s, by_via(via));
    for (const uint32_t table : {0u, 1u, ~0u})
        put_alone(s, {1, EvTable{table}, false});
    for (const uint8_t port : {0, 32, 33})
        put_alone(s, by_sid(good_sid, port));
}

void segments(Script &s)
{
    for (const bool reduced : {false, true}) {
        put_alone(s, {1, EvSegments{{address("fc00::1"), address("fc00::2")}, reduced}, false});
        put_alone(s, {1, EvSegments{{address("fc00::1")}, reduced}, false});
        put_alone(s, {1, EvSegments{{address("ff02::1"), address("fc00::2")}, reduced}, false});
        put_alone(s, {1, EvSegments{{address("::")}, reduced}, false});
        put_alone(s, {1, EvSegments{{address("fc00::1"), address("ff02::1")}, reduced}, false});
    }
    put_alone(s, {1, EvSegments{{}, false}, false});
    put_alone(s, {1, EvSegments{std::vector<Address>(128, address("fc00::1")), false}, false});
}

/** Paths that do not belong to a format. */
void wrong_formats(Script &s)
{
    for (const EvFormat format : {EvFormat::stev, EvFormat::udp}) {
        for (const uint32_t value : {0u, 65535u, 65536u, ~0u})
            put_alone(s, by_value(value), format);
        put_alone(s, by_sid(good_sid), format);
        put_alone(s, by_via(good_via), format);
        put_alone(s, {1, EvTable{1}, false}, format);
        put_alone(s, {1, EvSegments{{address("fc00::1")}, false}, false}, format);
        put_alone(s, {1, std::monostate{}, false}, format);
    }
    put_alone(s, by_value(1));
    put_alone(s, {1, std::monostate{}, false});
}

void drawn_profiles(Script &s)
{
    for (const EvFormat format : {EvFormat::stev, EvFormat::udp, EvFormat::srv6})
        put(s, drawn(5, format, 8));
    delete_profile(s, 5);
    for (const uint16_t count : {0, 1, 256, 257}) {
        put(s, drawn(6, EvFormat::stev, count));
        delete_profile(s, 6);
    }
    put(s, drawn(6, EvFormat::stev, {}));
    EvProfileSpec both = drawn(6, EvFormat::stev, 8);
    both.evs = {by_value(1)};
    put(s, both);
    both.mode = EvMode::explicit_list;
    put(s, both);
    both.evs.clear();
    put(s, both);
}

void floors(Script &s)
{
    EvProfileSpec spec = listed(5, {by_sid(good_sid), by_sid(good_sid, 2)});

    for (const uint16_t least : {0, 2, 3, 256, 257}) {
        spec.min_active = least;
        put(s, spec, least != 0);
    }
    spec.min_active = 1;
    for (const uint16_t active : {0, 2, 3, 257}) {
        spec.active = active;
        put(s, spec, true);
    }
    spec.min_active = 3;
    put(s, spec, true);
    spec = listed(5, std::vector<EvSpec>(9, by_sid(good_sid)));
    put(s, spec, true);
    delete_profile(s, 5);
}

const std::string aliases[] = {"rack 3, left",       "\xc3\xa4", "",        std::string(64, 'a'),
                               std::string(65, 'a'), "a\n",      "\x1b[1m", "\x7f"};

void profile_aliases(Script &s)
{
    EvProfileSpec spec = drawn(5, EvFormat::udp, 4);

    put(s, spec);
    for (const std::string &alias : aliases) {
        spec.alias = alias;
        put(s, spec, true);
    }
    put(s, listed(5, {by_sid(good_sid)}), true);
    delete_profile(s, 5);
}

/** Of two mistakes the kernel reports the one that it looks for first. */
void profiles_of_faults(Script &s)
{
    put(s, listed(0, {by_sid(good_sid)}));
    put(s, listed(0, {by_sid(good_sid)}), true);
    put(s, listed(0, {by_sid("::")}), true);
    put(s, listed(0, {}), true);
    put(s, listed(5, {by_sid(good_sid)}), true);
    put(s, listed(5, {by_sid("::")}), true);
    put(s, listed(5, {by_sid(good_sid), by_sid("::"), by_sid(good_sid, 33)}));
    put(s, listed(5, {by_sid(good_sid, 40), by_value(1)}));
    put(s, listed(5, {by_value(1), by_sid(good_sid, 0)}));
    s.ask("to a stranger", s.kernel.put_ev_profile(stranger, listed(5, {by_sid("::")}), false));
    s.ask("to a stranger, port 0",
          s.kernel.put_ev_profile(stranger, listed(5, {by_sid("::", 0)}), false));
}

void ev_profiles(Script &s)
{
    profiles_of_faults(s);
    // Grouped by port, and in the listed order within a port.
    put(s, listed(5, {by_sid(good_sid, 2), by_sid("fcbb:0:3::", 1), by_via(good_via, 2)}));
    put(s, listed(5, {by_sid(good_sid)}));
    put(s, listed(5, {by_sid("fcbb:0:3::")}), true);
    put(s, listed(~0ull, {by_sid(good_sid)}));
    put(s, listed(7, std::vector<EvSpec>(257, by_sid(good_sid))));
    put(s, listed(7, {}));
    s.ask("get 5", s.kernel.ev_profile(s.device, 5));
    s.ask("get 0", s.kernel.ev_profile(s.device, 0));
    s.ask("get 7", s.kernel.ev_profile(s.device, 7));
    s.ask("get of a stranger", s.kernel.ev_profile(stranger, 5));
    s.ask("profiles", s.kernel.ev_profiles(s.device));
    s.ask("profiles of a stranger", s.kernel.ev_profiles(stranger));
    for (const uint64_t id : {uint64_t{0}, uint64_t{7}, uint64_t{5}, uint64_t{5}, ~uint64_t{0}})
        delete_profile(s, id);
    s.ask("of a stranger, delete", s.kernel.delete_ev_profile(stranger, 5));
}

void paths(Script &s)
{
    sids(s);
    segments(s);
    wrong_formats(s);
}

void draws(Script &s)
{
    drawn_profiles(s);
    floors(s);
    profile_aliases(s);
}

// ---- EVs -------------------------------------------------------------------------------------

void deny(Script &s, uint64_t id, uint16_t index, bool denied)
{
    s.ask((denied ? "deny " : "allow ") + std::to_string(id) + "/" + std::to_string(index),
          s.kernel.deny_ev(s.device, {id, index}, denied));
}

std::string at(uint64_t id, std::optional<uint32_t> version)
{
    return std::to_string(id) + (version ? " version " + std::to_string(*version) : "");
}

std::string at(const EvPlace &place)
{
    return at(place.ev_profile, place.version) + " index " + std::to_string(place.index);
}

void add_ev(Script &s, uint64_t id, const EvSpec &ev, std::optional<uint32_t> version = {})
{
    s.ask("add to " + at(id, version) + ": " + text(ev),
          s.kernel.add_ev(s.device, id, ev, version));
}

void replace_ev(Script &s, const EvPlace &place, const EvSpec &ev)
{
    s.ask("replace in " + at(place) + ": " + text(ev), s.kernel.replace_ev(s.device, place, ev));
}

void delete_ev(Script &s, const EvPlace &place)
{
    s.ask("delete from " + at(place), s.kernel.delete_ev(s.device, place));
}

/** The reasons for which a single EV is refused: those of a profile's EVs, except its name. */
void bad_evs(Script &s)
{
    for (const char *sid : {"::", "ff02::1", "fe80::1"})
        add_ev(s, 5, by_sid(sid));
    for (const char *via : {"::1", "fcbb:0:1:2:3:4:5:6"})
        add_ev(s, 5, by_via(via));
    for (const EvSpec &ev :
         {by_value(7), EvSpec{1, EvTable{0}, false}, EvSpec{0, EvTable{1}, false},
          EvSpec{33, EvTable{1}, false}, EvSpec{1, EvSegments{}, false},
          EvSpec{1, EvSegments{{address("ff02::1")}, false}, false},
          EvSpec{1, std::monostate{}, false}})
        add_ev(s, 5, ev);
    put(s, listed(7, {by_value(1)}, EvFormat::udp));
    for (const EvSpec &ev : {by_value(65535), by_value(65536), by_sid(good_sid)})
        add_ev(s, 7, ev);
    delete_profile(s, 7);
}

void edits(Script &s)
{
    EvProfileSpec tight = listed(7, {by_sid("fcbb:0:5::"), by_sid("fcbb:0:6::")});

    put(s, listed(5, {by_sid("fcbb:0:1::", 2)}));
    const uint32_t first = s.kernel.ev_profile(s.device, 5)->version;
    add_ev(s, 5, by_sid("fcbb:0:2::", 1));
    add_ev(s, 5, by_sid("fcbb:0:3::", 2), first + 1);
    add_ev(s, 5, by_sid("fcbb:0:4::", 2), first + 1);
    replace_ev(s, {5, 1}, by_via(good_via, 2));
    replace_ev(s, {5, 1, first + 3}, by_sid("fcbb:0:7::", 3));
    replace_ev(s, {5, 0}, by_sid("fcbb:0:8::", 2));
    replace_ev(s, {5, 2}, by_sid("fcbb:0:9::", 2));
    replace_ev(s, {5, 2}, by_sid("fcbb:0:a::", 1));
    replace_ev(s, {5, 2}, by_sid("fcbb:0:b::", 3));
    for (const EvPlace &place :
         {EvPlace{5, 3}, {5, 256}, {5, 0, first + 3}, {0, 0}, {6, 0}, {9, 0}}) {
        replace_ev(s, place, by_sid(good_sid));
        delete_ev(s, place);
    }
    for (const uint64_t id : {0, 6, 9}) {
        add_ev(s, id, by_sid(good_sid));
        add_ev(s, id, by_value(1));
    }
    bad_evs(s);
    const uint32_t version = s.kernel.ev_profile(s.device, 5)->version;
    s.ask("deny 5/0, an older version", s.kernel.deny_ev(s.device, {5, 0, version - 1}, true));
    s.ask("deny 5/0, this version", s.kernel.deny_ev(s.device, {5, 0, version}, true));
    delete_ev(s, {5, 1, version});
    delete_ev(s, {5, 0});
    delete_ev(s, {5, 0});
    tight.min_active = 2;
    put(s, tight);
    delete_ev(s, {7, 0});
    tight.min_active = 0;
    tight.active = 2;
    put(s, tight, true);
    delete_ev(s, {7, 0});
    s.ask("of a stranger, delete", s.kernel.delete_ev(stranger, {5, 0}));
    for (const uint64_t id : {5, 7})
        delete_profile(s, id);
    put(s, listed(5, {by_sid("fcbb:0:1::")}));
    s.ask("deny 5/0, of a version before it was deleted",
          s.kernel.deny_ev(s.device, {5, 0, version}, true));
    delete_profile(s, 5);
}

void evs(Script &s)
{
    EvSpec denied = by_sid("fcbb:0:3::");

    denied.denied = true;
    put(s, listed(5, {by_sid(good_sid), denied}));
    put(s, drawn(6, EvFormat::stev, 4));
    deny(s, 5, 0, true);
    deny(s, 5, 0, true);
    deny(s, 5, 1, false);
    for (const uint16_t index : {2, 255, 256, 65535})
        deny(s, 5, index, true);
    for (const uint64_t id : {0, 6, 7})
        deny(s, id, 0, true);
    deny(s, 7, 256, true);
    s.ask("of a stranger, deny", s.kernel.deny_ev(stranger, {5, 0}, true));
    for (const uint64_t id : {0, 5, 6, 7})
        s.ask("EVs of " + std::to_string(id), s.kernel.evs(s.device, id));
    s.ask("EVs of 7 on all devices", s.kernel.evs({}, 7));
    s.ask("EVs of a stranger", s.kernel.evs(stranger, {}));
    put(s, listed(5, {by_sid(good_sid)}), true);
    delete_profile(s, 5);
    edits(s);
    delete_profile(s, 6);
}

// ---- CC profiles -----------------------------------------------------------------------------

void put_cc(Script &s, uint64_t id, const std::string &algorithm, uint32_t window,
            bool replace = false)
{
    s.ask((replace ? "set " : "add ") + std::to_string(id) + " '" + algorithm + "' window " +
              std::to_string(window),
          s.kernel.put_cc_profile(s.device, {{}, id, algorithm, window}, replace));
}

void put_nscc(Script &s, const std::string &what, uint64_t id, const CcSettings &settings,
              bool replace = true)
{
    CcProfile profile{.id = id, .algorithm = "nscc"};

    profile.settings = settings;
    s.ask((replace ? "set " : "add ") + std::to_string(id) + " 'nscc'" + what,
          s.kernel.put_cc_profile(s.device, profile, replace));
}

void nscc_settings(Script &s)
{
    for_each_setting<CcSettings>([&](const Setting &setting, auto member) {
        for (const auto value : values_of(setting, member)) {
            CcSettings settings;

            settings.*member = value;
            put_nscc(s, " " + text(setting, value), 2, settings);
        }
    });
}

/** A setting of another algorithm is refused; a setting that is not named gets its default. */
void nscc(Script &s)
{
    const CcSettings some{.rate = 1'000'000'000, .gamma = 0};
    CcProfile mixed{{}, 2, "nscc", 8192};

    put_nscc(s, "", 2, {});
    put_nscc(s, " rate 1000000000 gamma 0", 2, some, false);
    put_nscc(s, "", 2, {}, false);
    put_nscc(s, "", 0, {});
    put_nscc(s, " gamma 1000001", 0, {.gamma = 1'000'001});
    nscc_settings(s);
    s.ask("set 2 'nscc' window 8192", s.kernel.put_cc_profile(s.device, mixed, true));
    mixed.algorithm = "none";
    for_each_setting<CcSettings>([&](const Setting &setting, auto member) {
        mixed.settings = {};
        mixed.settings.*member = values_of(setting, member)[1];
        s.ask(std::string("set 2 'none' window 8192 with ") + setting.name,
              s.kernel.put_cc_profile(s.device, mixed, true));
    });
    mixed.settings = some;
    mixed.algorithm = "NSCC";
    s.ask("set 2 'NSCC' window 8192 with some", s.kernel.put_cc_profile(s.device, mixed, true));
    s.ask("set 2 'none'", s.kernel.put_cc_profile(s.device, {{}, 2, "none", {}}, true));
    put_cc(s, 2, "none", 8192, true);
    put_nscc(s, "", 2, {});
    s.ask("get 2", s.kernel.cc_profile(s.device, 2));
}

void cc_aliases(Script &s)
{
    for (const std::string &alias : aliases)
        s.ask("set 1 'none' window 8192" + called(alias),
              s.kernel.put_cc_profile(s.device, {{}, 1, "none", 8192, {}, alias}, true));
}

void cc_profiles(Script &s)
{
    constexpr uint32_t least = 8192, most = 256u << 20;

    put_cc(s, 0, "none", least);
    put_cc(s, 0, "none", least, true);
    put_cc(s, 1, "none", least, true);
    for (const char *algorithm :
         {"", "NONE", "no-such-algorithm", "an-algorithm-of-a-name-too-long"})
        put_cc(s, 1, algorithm, least);
    for (const uint32_t window : {0u, least - 1, most + 1, ~0u})
        put_cc(s, 1, "none", window);
    put_cc(s, 0, "no", 0);
    put_cc(s, 1, "no", 0);
    put_cc(s, 1, "none", least);
    put_cc(s, 1, "none", most);
    put_cc(s, 1, "none", most, true);
    cc_aliases(s);
    put_cc(s, ~0ull, "none", least);
    nscc(s);
    for (const uint64_t id : {0, 1, 2})
        s.ask("get " + std::to_string(id), s.kernel.cc_profile(s.device, id));
    s.ask("get of a stranger", s.kernel.cc_profile(stranger, 1));
    s.ask("to a stranger", s.kernel.put_cc_profile(stranger, {{}, 1, "no", 0}, false));
    s.ask("of a stranger, delete", s.kernel.delete_cc_profile(stranger, 1));
    s.ask("profiles of a stranger", s.kernel.cc_profiles(stranger));
    for (const uint64_t id : {uint64_t{0}, uint64_t{2}, uint64_t{1}, uint64_t{1}, ~uint64_t{0}})
        s.ask("delete " + std::to_string(id), s.kernel.delete_cc_profile(s.device, id));
}

// ---- routes ----------------------------------------------------------------------------------

void put_route(Script &s, const Route &route, bool replace = false)
{
    s.ask((replace ? "replace " : "add ") + text(route),
          s.kernel.put_route(s.device, route, replace));
}

void delete_route(Script &s, const std::string &which)
{
    s.ask("delete " + which, s.kernel.delete_route(s.device, prefix(which)));
}

Route to(const std::string &where, uint64_t ev_profile, uint64_t cc_profile = 0, uint16_t usid = 0)
{
    return {{}, prefix(where), ev_profile, cc_profile, usid};
}

void bad_routes(Script &s)
{
    put_route(s, to("fd00::1/64", 5));
    put_route(s, to("fd00::1/64", 9, 9));
    put_route(s, to("fd00::/64", 9));
    put_route(s, to("fd00::/64", 5, 9));
    put_route(s, to("fd00::/64", 9, 9));
    put_route(s, to("fd00::/64", 6));
    put_route(s, to("fd00::1/64", 6));
    put_route(s, {{}, {address("fd00::"), 129}, 5, 0, 0});
    put_route(s, {{}, {address("fd00::1"), 255}, 9, 9, 0});
    s.ask("to a stranger", s.kernel.put_route(stranger, to("fd00::1/64", 9), false));
    for (const char *which : {"fd00::/64", "fd00::1/64"})
        delete_route(s, which);
    s.ask("delete fd00::/129", s.kernel.delete_route(s.device, {address("fd00::"), 129}));
    s.ask("of a stranger, delete", s.kernel.delete_route(stranger, prefix("fd00::/64")));
}

void matches(Script &s)
{
    for (const char *gid : {"fd00::3", "fd00::9", "fd00:1::", "fe80::1", "::", "ff02::1"})
        s.ask("match " + std::string(gid), s.kernel.match_route(s.device, address(gid)));
    s.ask("match of a stranger", s.kernel.match_route(stranger, address("fd00::1")));
    s.list("routes", s.kernel.routes(s.device));
    s.ask("routes of a stranger", s.kernel.routes(stranger));
}

/** What routes name cannot be deleted. */
void uses(Script &s)
{
    delete_profile(s, 5);
    s.ask("delete CC profile 1", s.kernel.delete_cc_profile(s.device, 1));
    s.ask("delete CC profile 0", s.kernel.delete_cc_profile(s.device, 0));
    put(s, listed(5, {by_via(good_via)}), true);
    put_route(s, to("fd00::/64", 5), true);
    put_cc(s, 1, "none", 16384, true);
}

void routes(Script &s)
{
    put(s, listed(5, {by_sid(good_sid)}));
    put(s, listed(6, {by_sid(good_sid), by_via(good_via)}));
    put_cc(s, 1, "none", 8192);
    bad_routes(s);
    put_route(s, to("fd00::/64", 5));
    put_route(s, to("fd00::/64", 6, 0, 7));
    put_route(s, to("fd00::9/128", 6, 1, 0xf002));
    put_route(s, to("fd00::2/128", 0));
    put_route(s, to("fd00::/10", 5, 1), true);
    put_route(s, to("fd00::1/128", 5));
    matches(s);
    put_route(s, to("::/0", 5, 0, 3));
    put_route(s, to("fd00::/64", 5, 1), true);
    s.ask("match fd01::", s.kernel.match_route(s.device, address("fd01::")));
    uses(s);
    for (const char *which : {"fd00::9/128", "fd00::2/128", "fd00::1/128", "fd00::/64", "fd00::/64",
                              "fd00::/10", "::/0"})
        delete_route(s, which);
    delete_profile(s, 5);
    delete_profile(s, 6);
    s.ask("delete CC profile 1", s.kernel.delete_cc_profile(s.device, 1));
}

// ---- owners ------------------------------------------------------------------------------------

constexpr uint8_t stranger_owner = 16;

/** The owner of all requests from now on. */
void act_as(Script &s, Owner owner, bool claim = true)
{
    s.lines.push_back((owner ? "as " + owner_name(*owner) : "as one who says nothing") +
                      (owner && !claim ? ", who takes all" : ""));
    s.kernel.act_as(owner, claim);
}

/** Each kind of change to existing objects. */
void change_all(Script &s)
{
    set_plane(s, 1, std::nullopt);
    set_plane(s, 1, false);
    set_plane(s, 1, true);
    put(s, listed(5, {by_sid(good_sid), by_sid(good_sid, 2)}), true);
    deny(s, 5, 0, true);
    put_cc(s, 1, "none", 16384, true);
    put_route(s, to("fd00::/64", 5, 1), true);
}

void delete_all(Script &s)
{
    delete_profile(s, 5);
    delete_route(s, "fd00::/64");
    delete_profile(s, 5);
    s.ask("delete CC profile 1", s.kernel.delete_cc_profile(s.device, 1));
    delete_plane(s, 1);
}

void add_all(Script &s)
{
    add_plane(s, "eth1", 1);
    put(s, listed(5, {by_sid(good_sid)}));
    put_cc(s, 1, "none", 8192);
    put_route(s, to("fd00::/64", 5, 1));
}

/**
 * A request that names an owner changes and deletes that owner's objects and those of nobody; a
 * request that names none, all.
 */
void owners(Script &s)
{
    act_as(s, MRC_NL_OWNER_MRCD);
    add_all(s);
    change_all(s);
    act_as(s, stranger_owner);
    add_all(s);
    change_all(s);
    delete_all(s);
    act_as(s, std::nullopt);
    change_all(s);
    act_as(s, MRC_NL_OWNER_MRCD);
    delete_all(s);
    act_as(s, std::nullopt);
    add_all(s);
    act_as(s, stranger_owner);
    change_all(s);
    s.ask("match fd00::1", s.kernel.match_route(s.device, address("fd00::1")));
    act_as(s, MRC_NL_OWNER_MRCD, false);
    delete_all(s);
    change_all(s);
    act_as(s, MRC_NL_OWNER_ADMIN);
    put(s, listed(0, {by_sid(good_sid)}), true);
    put_route(s, to("fd00::/65", 5), true);
    delete_route(s, "fd00::/65");
    act_as(s, std::nullopt);
    delete_all(s);
}

// ---- what traffic makes ------------------------------------------------------------------------

void probe(Script &s, const std::string &words, const ProbeRequest &request)
{
    const auto answer = s.kernel.probe(s.device, request);

    s.ask("probe " + words, answer ? Result<void>() : Result<void>(answer.error()));
}

void raw_probe(Script &s, const std::string &words, const RawProbeRequest &request)
{
    const auto answer = s.kernel.probe_raw(s.device, request);

    s.ask("raw probe " + words, answer ? Result<void>() : Result<void>(answer.error()));
}

void raw_probes(Script &s)
{
    const Address gid = address("fd00::1");
    const EvSpec way{.port = 1, .path = EvValue{1}};

    for (const char *bad : {"::", "ff02::1", "::ffff:1.2.3.4"})
        raw_probe(s, bad, {.to = {gid, address(bad)}, .ev = way});
    raw_probe(s, "to 65", {.to = std::vector<Address>(65, gid), .ev = way});
    for (const uint16_t count : {0, 257})
        raw_probe(s, "count " + std::to_string(count), {.to = {gid}, .ev = way, .count = count});
    raw_probe(s, "129 to each of two", {.to = {gid, gid}, .ev = way, .count = 129});
    raw_probe(s, "DSCP 64", {.to = {gid}, .ev = way, .dscp = 64});
    for (const uint64_t limit : {0ull, 10'000'000'001ull})
        raw_probe(s, "limit " + std::to_string(limit), {.to = {gid}, .ev = way, .limit = limit});
    raw_probe(s, "by no plane", {.to = {gid}, .ev = way});
}

void traffic(Script &s)
{
    const Address gid = address("fd00::1");

    s.ask("peers", s.kernel.peers(s.device, {}));
    s.ask("peers to one", s.kernel.peers(s.device, gid));
    s.ask("peers of a stranger", s.kernel.peers(stranger, {}));
    s.ask("EVs of peers", s.kernel.peer_evs(s.device, gid));
    s.ask("EVs of peers of a stranger", s.kernel.peer_evs(stranger, {}));
    s.ask("QPs", s.kernel.qps(s.device));
    s.ask("QPs of a stranger", s.kernel.qps(stranger));
    for (const uint32_t qpn : {0u, 17u, 0xffffffu, 0x1000000u}) {
        const auto qp = s.kernel.qp(s.device, qpn);

        s.ask("QP " + std::to_string(qpn), qp ? Result<void>() : Result<void>(qp.error()));
    }
    for (const char *bad : {"::", "ff02::1", "::ffff:1.2.3.4"})
        probe(s, bad, {.remote_gid = address(bad)});
    for (const uint32_t timeout : {0u, 10001u})
        probe(s, "timeout " + std::to_string(timeout), {.remote_gid = gid, .timeout = timeout});
    probe(s, "EV 256", {.remote_gid = gid, .evs = {0, 256}});
    probe(s, "from a strange GID", {.remote_gid = gid, .local_gid = address("fd09::1")});
    raw_probes(s);
}

using Topic = void (*)(Script &);
const std::map<std::string, Topic> all{{"cc-profiles", cc_profiles},
                                       {"devices", devices},
                                       {"draws", draws},
                                       {"ev-profiles", ev_profiles},
                                       {"evs", evs},
                                       {"owners", owners},
                                       {"paths", paths},
                                       {"planes", planes},
                                       {"routes", routes},
                                       {"traffic", traffic}};

} // namespace

const std::vector<std::string> &topics()
{
    static const std::vector<std::string> names = [] {
        std::vector<std::string> found;

        for (const auto &[name, topic] : all)
            found.push_back(name);
        return found;
    }();
    return names;
}

std::vector<std::string> ask(Kernel &kernel, const Host &host, const std::string &topic)
{
    Script script(kernel, host);

    all.at(topic)(script);
    return script.lines;
}

} // namespace contract
