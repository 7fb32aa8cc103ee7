// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Sends probes: UDP datagrams to this host itself, with the way out and back as their
 * destination address.
 */
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <netinet/in.h>

#include "host/netdev.h"
#include "host/netdev_table.h"
#include "mrcnl/descriptor.h"
#include "watch/fault_finder.h"

namespace mrcd
{

/**
 * A socket per plane, bound to its netdev. What cannot be sent is as good as lost: there may be
 * no netdev, no address or no route yet.
 *
 * Switches rewrite the destination address under way, so there is no UDP checksum. A random key
 * in each probe keeps others from answering in our name.
 */
class UdpSender : public ProbeSender
{
public:
    /**
     * @param sid of this host, from and to which probes go
     * @param planes names of the netdevs of planes 1, 2, ...
     * @param netdevs outlives this
     */
    UdpSender(const mrcnl::Address &sid, std::vector<std::string> planes,
              std::vector<mrcnl::Address> neighbors, const NetdevTable &netdevs);

    void send(const ProbeLoop &loop, const LoopProbe &probe) override;
    void flush() override;
    bool carrier(uint8_t plane) override;
    uint16_t data_bytes() override;
    void ask(uint8_t plane) override;

    void mark(uint8_t dscp) override;

    /** With the time at which the kernel got it. */
    void receive(FaultFinder &watch) override;

private:
    /** What a probe carries. It never leaves this host's hands: host byte order. */
    struct Payload {
        std::array<uint8_t, 16> key;
        uint32_t id;
        uint32_t sequence;
        uint32_t bytes; ///< of the packet: nothing of it was lost
    };
    struct Datagram {
        sockaddr_in6 to;
        Payload payload;
    };
    static constexpr uint16_t headers = 40 + 8; ///< IPv6 and UDP
    static_assert(headers + sizeof(Payload) == short_probe_bytes);
    struct Plane {
        std::string name;        ///< of its netdev
        uint32_t index = 0;      ///< of the netdev that its sockets are bound to
        mrcnl::Address neighbor; ///< SID of the T0
        mrcnl::Descriptor probes;
        uint16_t port = 0;             ///< of probes
        std::vector<Datagram> waiting; ///< to be sent together
        mrcnl::Descriptor question;    ///< to the T0 itself
    };

    bool open(Plane &plane);
    static void flush(Plane &plane);
    void receive_probes(Plane &plane, FaultFinder &watch);

    mrcnl::Address sid_;
    std::array<uint8_t, 16> key_{};
    int traffic_class_ = 0;
    std::vector<Plane> planes_;
    const NetdevTable &netdevs_;
    NetdevFinder routes_;
};

/** That of this host of a fabric. @param netdevs outlives it */
std::unique_ptr<ProbeSender> make_udp_sender(const Fabric &fabric, const NetdevTable &netdevs);

/** Now, of the clock that FaultFinder is told. ns */
uint64_t monotonic_ns();

/** Now, since 1970. ns */
uint64_t wall_ns();

} // namespace mrcd
