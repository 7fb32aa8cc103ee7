// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Sends probes: UDP datagrams to this host itself, with the way out and back as their
 * destination address.
 */
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include <netinet/in.h>

#include "host/descriptor.h"
#include "host/netdev.h"
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
     * @param netdevs of planes 1, 2, ...
     */
    UdpSender(const mrcnl::Address &sid, std::vector<std::string> netdevs,
              std::vector<mrcnl::Address> neighbors);

    void send(const ProbeLoop &loop, uint32_t id, uint32_t sequence) override;
    void flush() override;
    bool carrier(uint8_t plane) override;
    void ask(uint8_t plane) override;

    /** Tells of what has come back, with the time at which the kernel got it. */
    void receive(FaultFinder &watch);

private:
    /** What a probe carries. It never leaves this host's hands: host byte order. */
    struct Payload {
        std::array<uint8_t, 16> key;
        uint32_t id;
        uint32_t sequence;
    };
    struct Datagram {
        sockaddr_in6 to;
        Payload payload;
    };
    struct Plane {
        std::string name;   ///< of its netdev
        NetdevState netdev; ///< as it was seen last
        uint64_t seen_ns = 0;
        mrcnl::Address neighbor; ///< SID of the T0
        Descriptor probes;
        uint16_t port = 0;             ///< of probes
        std::vector<Datagram> waiting; ///< to be sent together
        Descriptor question;           ///< to the T0 itself
    };

    void look_at_netdev(Plane &plane);
    bool open(Plane &plane);
    static void flush(Plane &plane);
    void receive_probes(Plane &plane, FaultFinder &watch);

    mrcnl::Address sid_;
    std::array<uint8_t, 16> key_{};
    std::vector<Plane> planes_;
    NetdevFinder netdevs_;
};

/** Now, of the clock that FaultFinder is told. ns */
uint64_t monotonic_ns();

/** Now, since 1970. ns */
uint64_t wall_ns();

} // namespace mrcd
