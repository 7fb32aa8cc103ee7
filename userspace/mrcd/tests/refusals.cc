// SPDX-License-Identifier: GPL-2.0-only
#include "refusals.h"

#include <cerrno>
#include <optional>

#include <netinet/in.h>

namespace mrcd::test::refusals
{

using namespace mrcnl;

namespace
{

constexpr unsigned ports = 32, evs_most = 256, alias_most = 64;

/** A setting that is left out is in range. */
template <typename T>
Result<void> range(const std::optional<T> &value, uint64_t least, uint64_t most,
                   const std::string &attribute)
{
    return value ? refusals::range(*value, least, most, attribute) : Result<void>();
}

/** Instead of an index: the request is about one EV, whose attributes are the request's own. */
constexpr size_t alone = SIZE_MAX;

/** "ev 3" for the third EV of a request. */
std::string ev_name(size_t index, const char *attribute = nullptr)
{
    if (index == alone)
        return attribute ? attribute : "";
    return "ev " + std::to_string(index + 1) + (attribute ? std::string(": ") + attribute : "");
}

/** The check that libmrcnl makes itself. */
Result<void> check_length(const EvPath &path, size_t index)
{
    const auto *list = std::get_if<EvSegments>(&path);

    if (list && (list->segments.empty() || list->segments.size() > max_segments))
        return Error{EINVAL, "a segment list has 1 to 127 segments", ev_name(index, "encap")};
    return {};
}

Result<void> ev_range(const EvSpec &ev, size_t index)
{
    const auto *table = std::get_if<EvTable>(&ev.path);

    return first({refusals::range(ev.port, 1, ports, ev_name(index, "port")),
                  table ? refusals::range(table->table, 1, UINT32_MAX, ev_name(index, "table"))
                        : Result<void>()});
}

const in6_addr *in6(const Address &address)
{
    return reinterpret_cast<const in6_addr *>(address.bytes.data());
}

bool no_unicast(const Address &address)
{
    return address.unspecified() || IN6_IS_ADDR_MULTICAST(in6(address));
}

Result<void> check_sid(const Address &sid, const std::string &attribute)
{
    if (no_unicast(sid) || IN6_IS_ADDR_LOOPBACK(in6(sid)) || IN6_IS_ADDR_LINKLOCAL(in6(sid)) ||
        IN6_IS_ADDR_V4MAPPED(in6(sid)))
        return Error{EINVAL, "mrc: SID is not a routable unicast address", attribute};
    return {};
}

/** Has a uSID carrier of a 32-bit block room behind its last uSID, and no hole? */
bool has_room(const Address &carrier)
{
    bool ended = false;

    for (size_t at = 4; at < carrier.bytes.size(); at += 2) {
        const bool empty = !carrier.bytes[at] && !carrier.bytes[at + 1];

        if (ended && !empty)
            return false;
        ended = ended || empty;
    }
    return ended;
}

Result<void> check_via(const Address &via, const std::string &attribute)
{
    const auto sid = check_sid(via, attribute);

    if (sid && !has_room(via))
        return Error{EINVAL, "mrc: no room for the host's uSID", attribute};
    return sid;
}

Result<void> check_srv6(const EvPath &path, size_t index)
{
    if (std::get_if<EvValue>(&path))
        return Error{EINVAL, "mrc: SRv6 EVs have no value", ev_name(index, "value")};
    if (std::get_if<std::monostate>(&path))
        return Error{EINVAL, "mrc: an SRv6 EV has either sid, via, encap or table", ev_name(index)};
    if (const auto *sid = std::get_if<EvSid>(&path))
        return check_sid(sid->sid, ev_name(index, "sid"));
    if (const auto *via = std::get_if<EvVia>(&path))
        return check_via(via->via, ev_name(index, "via"));
    const auto *list = std::get_if<EvSegments>(&path);
    if (list && no_unicast(list->segments.front()))
        return Error{EINVAL, "First segment is not a unicast address", ev_name(index, "encap")};
    return {};
}

/** The attribute of a path that exists only in SRv6. */
const char *srv6_attribute(const EvPath &path)
{
    if (std::get_if<EvSid>(&path))
        return "sid";
    if (std::get_if<EvVia>(&path))
        return "via";
    if (std::get_if<EvSegments>(&path))
        return "encap";
    return std::get_if<EvTable>(&path) ? "table" : nullptr;
}

Result<void> check_value(const EvPath &path, EvFormat format, size_t index)
{
    const auto *value = std::get_if<EvValue>(&path);

    if (const char *wrong = srv6_attribute(path))
        return Error{EINVAL, "mrc: only SRv6 EVs take this attribute", ev_name(index, wrong)};
    if (!value)
        return Error{EINVAL, "mrc: EV without a value", ev_name(index)};
    if (format == EvFormat::udp && value->value > UINT16_MAX)
        return Error{EINVAL, "mrc: the value of a UDP EV is a source port: at most 65535",
                     ev_name(index, "value")};
    return {};
}

/** Checks that the request has the EVs that its mode needs. */
Result<void> check_mode(const EvProfileSpec &spec)
{
    const bool drawn = spec.mode == EvMode::automatic;

    if (spec.evs.size() > evs_most)
        return Error{EINVAL, "mrc: an EV profile has at most 256 EVs", ev_name(evs_most)};
    if (drawn && !spec.evs.empty())
        return Error{EINVAL, "mrc: mode auto draws its EVs and takes no list", ev_name(0)};
    if (drawn && !spec.count)
        return Error{EINVAL, "mrc: mode auto needs a count", ""};
    if (!drawn && spec.evs.empty())
        return Error{EINVAL, "mrc: mode explicit needs EVs", ""};
    if (!drawn && spec.count)
        return Error{EINVAL, "mrc: only mode auto takes a count", "count"};
    return {};
}

Result<void> check_path(const EvPath &path, EvFormat format, size_t index)
{
    return format == EvFormat::srv6 ? check_srv6(path, index) : check_value(path, format, index);
}

Result<void> check_evs(const EvProfileSpec &spec)
{
    for (size_t i = 0; i < spec.evs.size(); i++)
        if (const auto answer = check_path(spec.evs[i].path, spec.format, i); !answer)
            return answer;
    return {};
}

/** Checks of an alias beyond the netlink policy. */
Result<void> check_alias(const std::string &alias)
{
    for (const char c : alias)
        if ((c > 0 && c < ' ') || c == '\x7f')
            return Error{EINVAL, "mrc: control character in the alias", "alias"};
    return {};
}

/** Checks of the profile as a whole. */
Result<void> check_whole(const EvProfileSpec &spec)
{
    if (spec.min_active.value_or(0) > count(spec))
        return Error{EINVAL, "mrc: min-active exceeds the number of EVs", "min-active"};
    if (spec.active.value_or(0) > count(spec))
        return Error{EINVAL, "mrc: active exceeds the number of EVs", "active"};
    if (const auto alias = check_alias(spec.alias); !alias)
        return alias;
    if (spec.mode == EvMode::automatic && spec.format == EvFormat::srv6)
        return Error{EINVAL, "mrc: SRv6 EVs cannot be drawn: list them", "format"};
    if (!spec.id)
        return Error{EPERM, "mrc: EV profile 0 is the automatic one and cannot be changed", "id"};
    return {};
}

/** Checks for missing settings, and for settings of another algorithm. */
Result<void> check_algorithm(const CcProfile &profile)
{
    Result<void> answer;

    if (profile.algorithm == "nscc" && profile.window)
        return Error{EINVAL, "mrc: only algorithm none takes a window", "window"};
    if (profile.algorithm != "none")
        return {};
    for_each_setting<CcSettings>([&](const Setting &setting, auto member) {
        if (answer && profile.settings.*member)
            answer = Error{EINVAL, "mrc: only algorithm nscc takes this setting", setting.name};
    });
    if (answer && !profile.window)
        answer = Error{EINVAL, "mrc: window is missing", ""};
    return answer;
}

} // namespace

Result<void> first(std::initializer_list<Result<void>> answers)
{
    for (const auto &answer : answers)
        if (!answer)
            return answer;
    return {};
}

Result<void> range(uint64_t value, uint64_t least, uint64_t most, const std::string &attribute)
{
    if (value < least || value > most)
        return Error{ERANGE, "integer out of range", attribute};
    return {};
}

Result<void> name_range(const std::string &name, size_t most, const std::string &attribute)
{
    if (name.size() > most)
        return Error{EINVAL, "Attribute failed policy validation", attribute};
    return {};
}

/** Checks the ranges of settings that are numbers. */
template <typename Settings>
Result<void> ranges_of(const Settings &change)
{
    Result<void> answer;

    for_each_setting<Settings>([&](const Setting &setting, auto member) {
        if constexpr (!std::is_same_v<decltype(member), std::optional<Address> Settings::*>)
            if (answer)
                answer = range(change.*member, setting.min, setting.max, setting.name);
    });
    return answer;
}

Result<void> ranges(const DeviceSettings &change)
{
    return ranges_of(change);
}

Result<void> ranges(const EvProfileSpec &spec)
{
    Result<void> answer;

    for (size_t i = 0; answer && i < spec.evs.size(); i++)
        answer = check_length(spec.evs[i].path, i);
    if (answer)
        answer = first({range(spec.min_active, 0, evs_most, "min-active"),
                        range(spec.active, 0, evs_most, "active"),
                        range(spec.count, 1, evs_most, "count")});
    for (size_t i = 0; answer && i < spec.evs.size(); i++)
        answer = ev_range(spec.evs[i], i);
    return answer ? name_range(spec.alias, alias_most, "alias") : answer;
}

Result<void> ranges(const EvSpec &ev)
{
    return first({check_length(ev.path, alone), ev_range(ev, alone)});
}

Result<void> ranges(const CcProfile &profile)
{
    return first({name_range(profile.algorithm, 15, "algorithm"), ranges_of(profile.settings),
                  name_range(profile.alias, alias_most, "alias")});
}

Result<void> ranges(const ProbeRequest &request)
{
    for (size_t i = 0; i < request.evs.size(); i++)
        if (const auto answer = refusals::range(request.evs[i], 0, evs_most - 1, ev_name(i));
            !answer)
            return answer;
    return range(request.timeout, 1, 10000, "timeout");
}

Result<void> ranges(const RawProbeRequest &request)
{
    return first({range(request.count, 1, evs_most, "count"), range(request.dscp, 0, 63, "dscp"),
                  range(request.limit, 1, 10'000'000'000, "limit")});
}

Result<void> check(const DeviceSettings &change)
{
    if (change.tunnel_source && IN6_IS_ADDR_MULTICAST(in6(*change.tunnel_source)))
        return Error{EINVAL, "mrc: not a unicast address", "tunnel-source"};
    return {};
}

Result<void> check(const EvProfileSpec &spec)
{
    return first({check_mode(spec), check_evs(spec), check_whole(spec)});
}

Result<void> check(const EvSpec &ev, EvFormat format)
{
    return check_path(ev.path, format, alone);
}

Result<void> check(const CcProfile &profile)
{
    if (const auto algorithm = check_algorithm(profile); !algorithm)
        return algorithm;
    if (!profile.id)
        return Error{EPERM, "mrc: CC profile 0 is built in and cannot be changed", "id"};
    if (profile.algorithm != "none" && profile.algorithm != "nscc")
        return Error{EOPNOTSUPP, "mrc: unknown congestion-control algorithm", "algorithm"};
    if (profile.window && (*profile.window < 8u << 10 || *profile.window > 256u << 20))
        return Error{ERANGE, "mrc: window must be 8 KiB to 256 MiB", "window"};
    return check_alias(profile.alias);
}

Result<void> check(const Prefix &prefix)
{
    for (size_t bit = prefix.length; bit < 128; bit++)
        if (prefix.address.bytes[bit / 8] & (0x80 >> bit % 8))
            return Error{EINVAL, "mrc: host bits of the prefix are not zero", "prefix"};
    return {};
}

Result<void> check(const ProbeRequest &request)
{
    if (no_unicast(request.remote_gid) || IN6_IS_ADDR_V4MAPPED(in6(request.remote_gid)))
        return Error{EINVAL, "mrc: not a GID that a QP can connect to", "remote-gid"};
    return {};
}

Result<void> check(const RawProbeRequest &request)
{
    constexpr size_t most = 64;

    for (size_t i = 0; i < request.to.size(); i++) {
        const std::string name = "to " + std::to_string(i + 1);

        if (no_unicast(request.to[i]) || IN6_IS_ADDR_V4MAPPED(in6(request.to[i])))
            return Error{EINVAL, "mrc: not a GID that a QP can connect to", name};
        if (i == most)
            return Error{E2BIG, "mrc: more than 64 destinations", name};
    }
    if (request.to.size() * request.count.value_or(1) > evs_most)
        return Error{E2BIG, "mrc: more than 256 probes", "count"};
    return {};
}

uint16_t count(const EvProfileSpec &spec)
{
    return spec.mode == EvMode::automatic ? spec.count.value_or(0)
                                          : static_cast<uint16_t>(spec.evs.size());
}

} // namespace mrcd::test::refusals
