// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Sends probes: UDP datagrams whose destination address is a source-routed path from this host back
 * to itself.
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
 * Has a socket per plane, bound to its netdev. A probe that cannot be sent counts as lost: the
 * netdev, an address or a route may not exist yet.
 *
 * Probes have no UDP checksum, because switches rewrite the destination address on the path. A
 * random key in each probe keeps others from forging answers.
 */
class UdpSender : public ProbeSender
{
public:
    /**
     * @param sid of this host, source and final destination of probes
     * @param planes names of the netdevs of planes 1, 2, ...
     * @param neighbors SIDs of the T0s of these planes
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

    /** Takes the answers, with the times at which the kernel received them. */
    void receive(FaultFinder &watch) override;

private:
    /** The payload of a probe, in host byte order: only this host reads it. */
    struct Payload {
        std::array<uint8_t, 16> key;
        uint32_t id;
        uint32_t sequence;
        uint32_t bytes; ///< length of the packet, to detect one that was cut short
    };
    struct Datagram {
        sockaddr_in6 to;
        Payload payload;
    };
    static constexpr uint16_t headers = 40 + 8; ///< IPv6 and UDP
    static_assert(headers + sizeof(Payload) == short_probe_bytes);
    struct Plane {
        std::string name;        ///< of its netdev
        uint32_t index = 0;      ///< of the netdev that the sockets are bound to
        mrcnl::Address neighbor; ///< SID of the T0
        mrcnl::Descriptor probes;
        uint16_t port = 0;             ///< source and destination port of probes
        std::vector<Datagram> waiting; ///< probes to be sent together
        mrcnl::Descriptor question;    ///< socket with which the T0 itself is asked
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

/** Makes the sender of this host. @param netdevs outlives it */
std::unique_ptr<ProbeSender> make_udp_sender(const Fabric &fabric, const NetdevTable &netdevs);

/** The time now, of the clock of FaultFinder. ns */
uint64_t monotonic_ns();

/** The time now, since 1970. ns */
uint64_t wall_ns();

} // namespace mrcd
