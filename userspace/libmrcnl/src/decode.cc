// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "decode.h"

#include <type_traits>

#include <linux/mrc.h>
#include <linux/seg6_iptunnel.h>

#include "mrcnl/members.h"
#include "srh.h"

namespace mrcnl
{

namespace
{

/** @tparam T type of the attribute's value; bool: a flag */
template <typename T>
T read(const Attributes &a, int type)
{
    if constexpr (std::is_same_v<T, bool>)
        return a.has(type);
    else if constexpr (std::is_same_v<T, std::string>)
        return a.string(type);
    else if constexpr (std::is_same_v<T, Address>)
        return a.address(type);
    else if constexpr (std::is_same_v<T, uint64_t>)
        return a.u64(type);
    else if constexpr (std::is_same_v<T, uint32_t>)
        return a.u32(type);
    else if constexpr (std::is_same_v<T, uint16_t>)
        return a.u16(type);
    else
        return a.u8(type);
}

EvPath decode_path(const Attributes &a)
{
    if (a.has(MRC_A_EV_SID))
        return EvSid{a.address(MRC_A_EV_SID)};
    if (a.has(MRC_A_EV_VIA))
        return EvVia{a.address(MRC_A_EV_VIA)};
    if (a.has(MRC_A_EV_TABLE))
        return EvTable{a.u32(MRC_A_EV_TABLE)};
    if (a.has(MRC_A_EV_ENCAP)) {
        const Attributes encap(a.bytes(MRC_A_EV_ENCAP), SEG6_IPTUNNEL_SRH);

        return decode_segments(encap.bytes(SEG6_IPTUNNEL_SRH)).value_or(EvSegments{});
    }
    if (a.has(MRC_A_EV_VALUE))
        return EvValue{a.u32(MRC_A_EV_VALUE)};
    return std::monostate{};
}

/**
 * Decodes members that are not in the lists, because none of them is just the value of one
 * attribute.
 */
template <typename T>
void decode_others(const Attributes &, T &)
{
}

void decode_others(const Attributes &a, Plane &plane)
{
    plane.admin_up = a.u8(MRC_A_PLANE_ADMIN_STATE) == MRC_NL_PLANE_STATE_UP;
    plane.oper_up = a.u8(MRC_A_PLANE_OPER_STATE) == MRC_NL_PLANE_STATE_UP;
}

void decode_others(const Attributes &a, EvSpec &spec)
{
    spec.path = decode_path(a);
}

template <typename Set, typename T>
T decode(const Attributes &a);

template <typename, typename T, typename Wire>
T decode_as(const Attributes &a, Value<Wire> value)
{
    static_assert(sizeof(T) == sizeof(Wire), "the member has another size than the attribute");
    return static_cast<T>(read<Wire>(a, value.number));
}

template <typename Set, typename T>
T decode_as(const Attributes &a, Part)
{
    return decode<Set, T>(a);
}

template <typename, typename T, typename Set>
T decode_as(const Attributes &a, Nested<Set> nest)
{
    return decode<Set, T>(Attributes(a.bytes(nest.number), Set::max));
}

template <typename Set, typename From, typename T>
void decode_member(const Attributes &a, From from, T &member)
{
    member = decode_as<Set, T>(a, from);
}

template <typename Set, typename From, typename T>
void decode_member(const Attributes &a, From from, std::optional<T> &member)
{
    if (a.has(from.number))
        member = decode_as<Set, T>(a, from);
}

template <typename, typename Set, typename T>
void decode_member(const Attributes &a, Nested<Set> nest, std::vector<T> &member)
{
    for (const auto inside : a.all(nest.number))
        member.push_back(decode<Set, T>(Attributes(inside, Set::max)));
}

/** Decodes a struct from the list of its members. */
template <typename Set, typename T>
T decode(const Attributes &a)
{
    T object{};

    for_each_member<Set, T>(
        [&](auto from, auto member) { decode_member<Set>(a, from, object.*member); });
    decode_others(a, object);
    return object;
}

template <typename Set, typename T>
T decode(const Reply &reply)
{
    return decode<Set, T>(Attributes(reply.attributes, Set::max));
}

DeviceEvent decode_device_event(const Reply &reply)
{
    auto event = decode<DeviceSet, DeviceEvent>(reply);

    event.added = reply.command == MRC_CMD_DEVICE_ADD_NTF;
    return event;
}

} // namespace

Info decode_info(const Reply &reply)
{
    return decode<InfoSet, Info>(reply);
}

Device decode_device(const Reply &reply)
{
    return decode<DeviceSet, Device>(reply);
}

Plane decode_plane(const Reply &reply)
{
    return decode<PlaneSet, Plane>(reply);
}

EvProfile decode_ev_profile(const Reply &reply)
{
    return decode<EvProfileSet, EvProfile>(reply);
}

Ev decode_ev(const Reply &reply)
{
    return decode<EvSet, Ev>(reply);
}

CcProfile decode_cc_profile(const Reply &reply)
{
    return decode<CcProfileSet, CcProfile>(reply);
}

Route decode_route(const Reply &reply)
{
    return decode<RouteSet, Route>(reply);
}

RouteMatch decode_route_match(const Reply &reply)
{
    return decode<RouteSet, RouteMatch>(reply);
}

Peer decode_peer(const Reply &reply)
{
    return decode<PeerSet, Peer>(reply);
}

PeerEv decode_peer_ev(const Reply &reply)
{
    return decode<PeerEvSet, PeerEv>(reply);
}

Probe decode_probe(const Reply &reply)
{
    return decode<ProbeSet, Probe>(reply);
}

Qp decode_qp(const Reply &reply)
{
    return decode<QpSet, Qp>(reply);
}

std::optional<Event> decode_event(const Reply &reply)
{
    switch (reply.command) {
    case MRC_CMD_DEVICE_ADD_NTF:
    case MRC_CMD_DEVICE_DEL_NTF:
        return decode_device_event(reply);
    case MRC_CMD_PLANE_NTF:
        return decode<PlaneSet, PlaneEvent>(reply);
    case MRC_CMD_PEER_EV_NTF:
        return decode<PeerEvSet, PeerEvEvent>(reply);
    case MRC_CMD_PEER_PORTS_NTF:
        return decode<PeerSet, PeerPortsEvent>(reply);
    case MRC_CMD_QP_NTF:
        return decode<QpSet, QpEvent>(reply);
    case MRC_CMD_DEVICE_NTF:
        return decode<DeviceSet, SettingsEvent>(reply);
    case MRC_CMD_EV_PROFILE_NTF:
        return decode<EvProfileSet, ConfigEvent<EvProfile>>(reply);
    case MRC_CMD_EV_NTF:
        return decode<EvSet, EvEvent>(reply);
    case MRC_CMD_CC_PROFILE_NTF:
        return decode<CcProfileSet, ConfigEvent<CcProfile>>(reply);
    case MRC_CMD_ROUTE_NTF:
        return decode<RouteSet, ConfigEvent<Route>>(reply);
    default:
        return std::nullopt;
    }
}

} // namespace mrcnl
