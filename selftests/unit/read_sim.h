// SPDX-License-Identifier: GPL-2.0-only
//
// Simulates a QP whose two ends both write, send, READ and execute atomics in each other's memory,
// over a network that loses, repeats, delays and reorders packets, in simulated time. The ends use
// the engine as the transport layer does.
#pragma once

#include <array>
#include <cstdint>
#include <string>

/// The settings of one end. Its requests are about the memory of the other end.
struct ReadSimEnd {
    int requests = 50;
    std::uint32_t readsMax = 16; ///< READs and atomics that it may have under way
    int bad = -1;                ///< this request has a key that the other end refuses; -1: none
    bool readsFirst = false;     ///< it posts no receive while one of its READs is open
    std::uint64_t closesNs = 0;  ///< its program ends the QP then; 0: never
    std::uint32_t psn = 0;       ///< the first PSN that it sends
    std::uint16_t msn = 0;       ///< the first message number
};

/// The behaviour of the network and of the two ends. Probabilities are 0..1.
struct ReadSimConfig {
    std::uint64_t seed = 1;
    ReadSimEnd end[2];
    int paths = 4;
    double loss = 0;                          ///< a packet of a message gets lost
    double pathLoss = 0;                      ///< additional loss on the first of several paths
    double trimmed = 0;                       ///< a packet of a message arrives as its head
    double ctlLoss = 0;                       ///< an answer or a probe gets lost
    double dup = 0;                           ///< either arrives twice, the second time late
    std::uint64_t skewNs = 5000;              ///< additional delay per path
    std::uint64_t jitterNs = 2000;            ///< random delay per packet
    double nack = 0;                          ///< an end refuses a packet with a NACK
    double unsent = 0;                        ///< a packet does not leave its host
    std::uint64_t copyNs = 0;                 ///< placing a packet takes up to this
    std::uint64_t answerNs = 0;               ///< packets that come within this may share an answer
    std::array<int, 6> mix{2, 1, 0, 3, 1, 2}; ///< weights of requests, in the order of ReadKind
    double fence = 0;                         ///< a request has a fence though it needs none
    double rest = 0;                          ///< the program rests after a request,
    std::uint64_t restNs = 0;                 ///< for at most this long
    std::size_t receives = 64;                ///< receives that the program keeps posted,
    std::uint64_t repostNs = 0;               ///< a new one at most this long after one was taken
    std::uint32_t depth = 32;                 ///< open requests, a power of two
    std::uint32_t immMax = 8;                 ///< requests that take a receive and are in flight
    std::uint32_t windowUnits = 1;            ///< MPR of an end's requester
    std::uint32_t takenUnits = 1;             ///< MPR of its responder
    std::uint32_t cwnd = 64;                  ///< packets in flight, at most
    std::uint32_t mtu = 64;
    std::uint32_t maxPackets = 6; ///< per message
    std::uint64_t timeoutNs = 1000000;
};

/// The results of a run. @c error is empty when all checks held.
struct ReadSimReport {
    std::string error;
    std::uint64_t packets = 0;   ///< packets of messages sent, retransmissions included
    std::uint64_t resent = 0;    ///< retransmissions
    std::uint64_t responses = 0; ///< of these, packets of responses
    std::uint64_t lost = 0;      ///< packets that the network lost
    std::uint64_t dups = 0;      ///< packets of messages that arrived again
    std::uint64_t reads = 0;     ///< READs that have completed
    std::uint64_t atomics = 0;   ///< atomics that have completed
    std::uint64_t naks = 0;      ///< NAKs that ended the QP
    std::uint64_t ends = 0;      ///< ends that were told that the other end has closed
    std::uint64_t trims = 0;     ///< trimmed packets
    std::uint64_t fences = 0;    ///< requests with a fence
    std::uint64_t held = 0;      ///< READs and atomics whose response found no slot at once
    std::uint64_t nakWaits = 0;  ///< answers in which a NAK waited for responses
    std::uint64_t probes = 0;    ///< Reliability Probes
    std::uint64_t timeouts = 0;  ///< packets held to be lost because of their timeout
    std::uint64_t waits = 0;     ///< messages that waited for a receive
    std::uint64_t starved = 0;   ///< SEND packets that found no receive
    std::uint64_t underWay = 0;  ///< the most READs and atomics of an end at a time
    std::uint64_t elapsedNs = 0; ///< until the last request completed
};

/// Runs the QP to its end, or until the first check fails.
ReadSimReport readSimulate(const ReadSimConfig &config);
