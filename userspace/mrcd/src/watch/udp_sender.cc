// SPDX-License-Identifier: GPL-2.0-only
#include "watch/udp_sender.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <random>

#include <arpa/inet.h>
#include <linux/seg6.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "plan/planner.h"
#include "watch/data_packet.h"

namespace mrcd
{

namespace
{

constexpr uint64_t ns_per_s = 1'000'000'000;
constexpr int socket_buffer = 1 << 20;  // bytes of probes, for sending and for receiving
constexpr uint16_t closed_port = 33434; // traceroute's first port
constexpr uint8_t routing_type = 4;     // segments
constexpr int ecn_capable = 2;          // ECT(0)
constexpr int receive_most = 4096;      // at a time, however many arrive

uint64_t clock_ns(clockid_t clock)
{
    timespec now{};

    clock_gettime(clock, &now);
    return static_cast<uint64_t>(now.tv_sec) * ns_per_s + static_cast<uint64_t>(now.tv_nsec);
}

sockaddr_in6 socket_address(const mrcnl::Address &address, uint16_t port)
{
    sockaddr_in6 at{};

    at.sin6_family = AF_INET6;
    at.sin6_port = htons(port);
    memcpy(&at.sin6_addr, address.bytes.data(), address.bytes.size());
    return at;
}

bool set(int fd, int level, int option, int value)
{
    return !setsockopt(fd, level, option, &value, sizeof(value));
}

bool bind_to(const mrcnl::Descriptor &fd, const std::string &netdev)
{
    return !setsockopt(fd.get(), SOL_SOCKET, SO_BINDTODEVICE, netdev.c_str(),
                       static_cast<socklen_t>(netdev.size()));
}

uint16_t port_of(int fd)
{
    sockaddr_in6 at{};
    socklen_t length = sizeof(at);

    getsockname(fd, reinterpret_cast<sockaddr *>(&at), &length);
    return ntohs(at.sin6_port);
}

/**
 * Makes all that a socket sends take a path of two segments; the second one is the destination.
 * Only a socket option can have segments, the control data of a message cannot.
 */
bool set_way(int fd, const mrcnl::Address &first, const mrcnl::Address &last)
{
    std::array<uint8_t, sizeof(ipv6_sr_hdr) + 2 * sizeof(in6_addr)> option{};
    auto *header = reinterpret_cast<ipv6_sr_hdr *>(option.data());

    header->hdrlen = option.size() / 8 - 1;
    header->type = routing_type;
    header->segments_left = header->first_segment = 1;
    memcpy(&header->segments[1], first.bytes.data(), first.bytes.size());
    memcpy(&header->segments[0], last.bytes.data(), last.bytes.size());
    return !setsockopt(fd, IPPROTO_IPV6, IPV6_RTHDR, option.data(), option.size());
}

void clear_way(int fd)
{
    setsockopt(fd, IPPROTO_IPV6, IPV6_RTHDR, nullptr, 0);
}

/** The time at which the kernel received a datagram, by the monotonic clock. */
uint64_t arrival_ns(msghdr &message)
{
    const uint64_t wall = wall_ns();
    const uint64_t now = monotonic_ns();

    for (cmsghdr *c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c)) {
        timespec at{};
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPNS)
            continue;
        memcpy(&at, CMSG_DATA(c), sizeof(at));
        const uint64_t ns =
            static_cast<uint64_t>(at.tv_sec) * ns_per_s + static_cast<uint64_t>(at.tv_nsec);
        // The difference is wrong if somebody has set the clock in between.
        return ns <= wall && wall - ns < ns_per_s ? now - (wall - ns) : now;
    }
    return now;
}

} // namespace

uint64_t monotonic_ns()
{
    return clock_ns(CLOCK_MONOTONIC);
}

uint64_t wall_ns()
{
    return clock_ns(CLOCK_REALTIME);
}

UdpSender::UdpSender(const mrcnl::Address &sid, std::vector<std::string> planes,
                     std::vector<mrcnl::Address> neighbors, const NetdevTable &netdevs)
    : sid_(sid), planes_(planes.size()), netdevs_(netdevs)
{
    for (size_t i = 0; i < planes_.size(); i++) {
        planes_[i].name = std::move(planes[i]);
        planes_[i].neighbor = neighbors[i];
    }
    std::random_device random;
    std::generate(key_.begin(), key_.end(), [&] { return static_cast<uint8_t>(random()); });
}

/**
 * Opens the socket of a plane. A probe that is too long for a switch must be lost: it is not
 * fragmented, and does not shorten later ones.
 */
bool UdpSender::open(Plane &plane)
{
    const sockaddr_in6 own = socket_address(sid_, 0);
    mrcnl::Descriptor fd(socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));

    if (!plane.index || !fd || !bind_to(fd, plane.name) ||
        !set(fd.get(), IPPROTO_UDP, UDP_NO_CHECK6_TX, 1) ||
        !set(fd.get(), IPPROTO_UDP, UDP_NO_CHECK6_RX, 1) ||
        !set(fd.get(), SOL_SOCKET, SO_TIMESTAMPNS, 1) ||
        !set(fd.get(), IPPROTO_IPV6, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_INTERFACE) ||
        bind(fd.get(), reinterpret_cast<const sockaddr *>(&own), sizeof(own)))
        return false;
    set(fd.get(), SOL_SOCKET, SO_RCVBUFFORCE, socket_buffer);
    set(fd.get(), SOL_SOCKET, SO_SNDBUFFORCE, socket_buffer);
    set(fd.get(), IPPROTO_IPV6, IPV6_TCLASS, traffic_class_);
    plane.port = port_of(fd.get());
    plane.probes = std::move(fd);
    return true;
}

/**
 * Marks probes like data, and as ECN-capable, so that switches with long queues mark them instead
 * of dropping them.
 */
void UdpSender::mark(uint8_t dscp)
{
    const int traffic_class = dscp << 2 | ecn_capable;

    if (traffic_class == traffic_class_)
        return;
    traffic_class_ = traffic_class;
    for (const Plane &plane : planes_)
        if (plane.probes)
            set(plane.probes.get(), IPPROTO_IPV6, IPV6_TCLASS, traffic_class);
}

void UdpSender::send(const ProbeLoop &loop, const LoopProbe &sent)
{
    Plane &plane = planes_[loop.plane - 1u];

    if (!plane.probes && !open(plane))
        return;
    const Datagram probe{socket_address(loop.carriers.back(), plane.port),
                         {key_, sent.id, sent.sequence, sent.bytes}};
    if (loop.carriers.size() == 1) {
        plane.waiting.push_back(probe);
        return;
    }
    // Without its segments the probe would come straight home.
    if (!set_way(plane.probes.get(), loop.carriers.front(), loop.carriers.back()))
        return;
    sendto(plane.probes.get(), &probe.payload, sizeof(probe.payload), MSG_DONTWAIT,
           reinterpret_cast<const sockaddr *>(&probe.to), sizeof(probe.to));
    clear_way(plane.probes.get());
}

/** Sends the waiting probes of a plane, in one call if possible. */
void UdpSender::flush(Plane &plane)
{
    static std::array<char, data_packet_bytes(UINT16_MAX)> nothing{};
    const size_t count = plane.waiting.size();
    std::vector<std::array<iovec, 2>> parts(count);
    std::vector<mmsghdr> messages(count);

    for (size_t i = 0; i < count; i++) {
        Datagram &probe = plane.waiting[i];
        parts[i] = {iovec{&probe.payload, sizeof(probe.payload)},
                    iovec{nothing.data(), probe.payload.bytes - short_probe_bytes}};
        messages[i].msg_hdr.msg_name = &probe.to;
        messages[i].msg_hdr.msg_namelen = sizeof(probe.to);
        messages[i].msg_hdr.msg_iov = parts[i].data();
        messages[i].msg_hdr.msg_iovlen = parts[i].size();
    }
    for (size_t done = 0; done < count;) {
        const int sent = sendmmsg(plane.probes.get(), &messages[done],
                                  static_cast<unsigned>(count - done), MSG_DONTWAIT);
        // A probe that cannot be sent is lost; those behind it are not.
        done += sent > 0 ? static_cast<size_t>(sent) : 1;
    }
    plane.waiting.clear();
}

void UdpSender::flush()
{
    for (Plane &plane : planes_)
        flush(plane);
}

std::unique_ptr<ProbeSender> make_udp_sender(const Fabric &fabric, const NetdevTable &netdevs)
{
    std::vector<mrcnl::Address> neighbors;

    for (uint8_t plane = 1; plane <= fabric.planes; plane++)
        neighbors.push_back(carrier(fabric.block, {fabric.t0[own_t0(fabric, plane)].usid}));
    return std::make_unique<UdpSender>(
        carrier(fabric.block, {fabric.hosts[fabric.local.host].usid}), fabric.local.planes,
        std::move(neighbors), netdevs);
}

/**
 * Also closes the socket of a netdev that is gone or has another name now, because the socket would
 * stay bound to it.
 */
bool UdpSender::carrier(uint8_t number)
{
    Plane &plane = planes_[number - 1u];
    const NetdevTable::Netdev *netdev = netdevs_.find(plane.name);
    const uint32_t index = netdev ? netdev->index : 0;

    if (index != plane.index)
        plane.probes = mrcnl::Descriptor();
    plane.index = index;
    return netdev && netdev->carrier;
}

uint16_t UdpSender::data_bytes()
{
    uint32_t least = 0;

    for (const Plane &plane : planes_)
        if (const NetdevTable::Netdev *netdev = netdevs_.find(plane.name))
            least = least ? std::min(least, netdev->mtu) : netdev->mtu;
    return data_packet_bytes(least);
}

/** Sends the T0 a datagram to a closed port, which it answers with an ICMP error. */
void UdpSender::ask(uint8_t number)
{
    Plane &plane = planes_[number - 1u];
    const auto next = routes_.next_hop(plane.neighbor, plane.index);
    mrcnl::Descriptor fd(socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));

    if (!next || !fd || !bind_to(fd, plane.name))
        return;
    sockaddr_in6 to = socket_address(*next, closed_port);
    to.sin6_scope_id = plane.index;
    if (connect(fd.get(), reinterpret_cast<const sockaddr *>(&to), sizeof(to)))
        return;
    ::send(fd.get(), "", 0, MSG_DONTWAIT);
    plane.question = std::move(fd);
}

void UdpSender::receive_probes(Plane &plane, FaultFinder &watch)
{
    for (int left = receive_most; left > 0; left--) {
        Payload payload{};
        iovec data{&payload, sizeof(payload)};
        alignas(cmsghdr) std::array<uint8_t, CMSG_SPACE(sizeof(timespec))> control{};
        msghdr message{};
        message.msg_iov = &data;
        message.msg_iovlen = 1;
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        const ssize_t length = recvmsg(plane.probes.get(), &message, MSG_DONTWAIT | MSG_TRUNC);
        if (length < 0 && errno != EINTR && errno != ECONNREFUSED)
            return;
        if (length >= static_cast<ssize_t>(sizeof(payload)) && payload.key == key_ &&
            static_cast<size_t>(length) + headers == payload.bytes)
            watch.answered({payload.id, payload.sequence, static_cast<uint16_t>(payload.bytes)},
                           arrival_ns(message));
    }
}

void UdpSender::receive(FaultFinder &watch)
{
    for (size_t i = 0; i < planes_.size(); i++) {
        Plane &plane = planes_[i];
        char byte = 0;
        if (plane.probes)
            receive_probes(plane, watch);
        if (plane.question && recv(plane.question.get(), &byte, 1, MSG_DONTWAIT) < 0 &&
            (errno == ECONNREFUSED || errno == EACCES)) {
            watch.neighbor_answered(static_cast<uint8_t>(i + 1));
            plane.question = mrcnl::Descriptor();
        }
    }
}

} // namespace mrcd
