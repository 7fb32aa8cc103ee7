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

namespace mrcd
{

namespace
{

constexpr uint64_t ns_per_s = 1'000'000'000;
constexpr int receive_buffer = 1 << 20;
constexpr uint16_t closed_port = 33434; // traceroute's
constexpr uint8_t routing_type = 4;     // segments
constexpr uint64_t look_again_ns = 20'000'000;
constexpr int receive_most = 4096; // in one go, whoever sends more

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

bool bind_to(const Descriptor &fd, const std::string &netdev)
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
 * What a socket sends takes a way of two segments from now on: the second one is where it
 * arrives. Only a socket's option may have segments, a message's may not.
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

/** When the kernel got a datagram, of the monotonic clock. */
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
        // Unless somebody has set the clock meanwhile.
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

UdpSender::UdpSender(const mrcnl::Address &sid, std::vector<std::string> netdevs,
                     std::vector<mrcnl::Address> neighbors)
    : sid_(sid), planes_(netdevs.size())
{
    for (size_t i = 0; i < planes_.size(); i++) {
        planes_[i].name = std::move(netdevs[i]);
        planes_[i].neighbor = neighbors[i];
    }
    std::random_device random;
    std::generate(key_.begin(), key_.end(), [&] { return static_cast<uint8_t>(random()); });
}

/** A socket stays with a netdev that is gone, and with one that has another name now. */
void UdpSender::look_at_netdev(Plane &plane)
{
    const uint64_t now = monotonic_ns();

    if (plane.seen_ns && now < plane.seen_ns + look_again_ns)
        return;
    const NetdevState netdev = netdevs_.find(plane.name).value_or(NetdevState{});
    if (netdev.index != plane.netdev.index)
        plane.probes = Descriptor();
    plane.netdev = netdev;
    plane.seen_ns = now;
}

bool UdpSender::open(Plane &plane)
{
    const sockaddr_in6 own = socket_address(sid_, 0);
    Descriptor fd(socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));

    if (!plane.netdev.index || !fd || !bind_to(fd, plane.name) ||
        !set(fd.get(), IPPROTO_UDP, UDP_NO_CHECK6_TX, 1) ||
        !set(fd.get(), IPPROTO_UDP, UDP_NO_CHECK6_RX, 1) ||
        !set(fd.get(), SOL_SOCKET, SO_TIMESTAMPNS, 1) ||
        bind(fd.get(), reinterpret_cast<const sockaddr *>(&own), sizeof(own)))
        return false;
    set(fd.get(), SOL_SOCKET, SO_RCVBUFFORCE, receive_buffer);
    plane.port = port_of(fd.get());
    plane.probes = std::move(fd);
    return true;
}

void UdpSender::send(const ProbeLoop &loop, uint32_t id, uint32_t sequence)
{
    Plane &plane = planes_[loop.plane - 1u];

    if (!plane.probes && !open(plane))
        return;
    const Datagram probe{socket_address(loop.carriers.back(), plane.port), {key_, id, sequence}};
    if (loop.carriers.size() == 1) {
        plane.waiting.push_back(probe);
        return;
    }
    // Without its way it would come straight home.
    if (!set_way(plane.probes.get(), loop.carriers.front(), loop.carriers.back()))
        return;
    sendto(plane.probes.get(), &probe.payload, sizeof(probe.payload), MSG_DONTWAIT,
           reinterpret_cast<const sockaddr *>(&probe.to), sizeof(probe.to));
    clear_way(plane.probes.get());
}

/** In one call, if all can be sent. */
void UdpSender::flush(Plane &plane)
{
    const size_t count = plane.waiting.size();
    std::vector<iovec> parts(count);
    std::vector<mmsghdr> messages(count);

    for (size_t i = 0; i < count; i++) {
        Datagram &probe = plane.waiting[i];
        parts[i] = {&probe.payload, sizeof(probe.payload)};
        messages[i].msg_hdr.msg_name = &probe.to;
        messages[i].msg_hdr.msg_namelen = sizeof(probe.to);
        messages[i].msg_hdr.msg_iov = &parts[i];
        messages[i].msg_hdr.msg_iovlen = 1;
    }
    for (size_t done = 0; done < count;) {
        const int sent = sendmmsg(plane.probes.get(), &messages[done],
                                  static_cast<unsigned>(count - done), MSG_DONTWAIT);
        // One that cannot be sent is lost; those behind it are not.
        done += sent > 0 ? static_cast<size_t>(sent) : 1;
    }
    plane.waiting.clear();
}

void UdpSender::flush()
{
    for (Plane &plane : planes_)
        flush(plane);
}

bool UdpSender::carrier(uint8_t plane)
{
    look_at_netdev(planes_[plane - 1u]);
    return planes_[plane - 1u].netdev.carrier;
}

/** By a datagram to a port where nobody listens: it says so. */
void UdpSender::ask(uint8_t number)
{
    Plane &plane = planes_[number - 1u];
    const auto next = netdevs_.next_hop(plane.neighbor, plane.netdev.index);
    Descriptor fd(socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));

    if (!next || !fd || !bind_to(fd, plane.name))
        return;
    sockaddr_in6 to = socket_address(*next, closed_port);
    to.sin6_scope_id = plane.netdev.index;
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
        const ssize_t length = recvmsg(plane.probes.get(), &message, MSG_DONTWAIT);
        if (length < 0 && errno != EINTR && errno != ECONNREFUSED)
            return;
        if (length == sizeof(payload) && payload.key == key_)
            watch.answered(payload.id, payload.sequence, arrival_ns(message));
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
            plane.question = Descriptor();
        }
    }
}

} // namespace mrcd
