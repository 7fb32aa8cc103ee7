// SPDX-License-Identifier: GPL-2.0-only
//
// Simulates two hosts with requesters and responders made of the protocol engine, joined by a
// network that loses, duplicates, reorders and marks packets, in simulated time. The hosts use the
// engine as the transport layer does.
#pragma once

#include <cstdint>
#include <set>
#include <string>

/// The behaviour of the network and of the two ends. Probabilities are 0..1.
struct SimConfig {
    std::uint64_t seed = 1;
    int planes = 4;
    int evsPerPlane = 4;
    int minActive = 0;
    int active = 0;     ///< EVs in rotation; 0: all
    double loss = 0;    ///< a data packet gets lost, on any path
    double evLoss = 0;  ///< additional loss on the first EV only
    double ctlLoss = 0; ///< a SACK, ACK, NACK, probe or its answer gets lost
    double dup = 0;     ///< a data packet arrives twice, the second time late
    double ce = 0;      ///< a data packet is marked
    double nack = 0;    ///< the responder refuses a packet with a NACK
    double trimmed = 0; ///< a data packet arrives as its head, in class control: a NACK reports it
    std::uint64_t busyNs = 0;     ///< the responder refuses all packets with a NACK for this long,
    std::uint64_t busyPeriod = 0; ///< again after each such period
    double unsent = 0;            ///< a data packet does not leave its host
    std::uint64_t queueNs = 0;    ///< of two queues that share a path, one is later by this
    int classes = 1; ///< queues of a path: control, retransmissions, data; the last ones share one
    std::uint64_t serveNs = 0;       ///< time that a packet takes in its queue; 0: nothing waits
    double slowCopy = 0;             ///< placing a packet takes up to 100 us
    std::uint64_t copyNs = 0;        ///< otherwise placing a packet takes up to this
    double lateReceive = 0;          ///< a WriteImm finds no receive
    std::uint64_t lateReceiveNs = 0; ///< for at most this long
    double sends = 0;                ///< a message is a SEND
    std::size_t receives = 8;        ///< receives that the program keeps posted for them,
    std::uint64_t repostNs = 0;      ///< a new one at most this long after one was taken
    double refused = 0;   ///< a packet must not be executed; the first such packet ends the QP
    double forged = 0;    ///< a data packet is followed by a forged SACK
    bool fifo = true;     ///< packets of one path keep their order
    bool carrier = false; ///< an outage of a plane is seen at once, else never,
    std::uint64_t peerTellsNs = 0;  ///< or only by the answering host, which reports it after this
    std::uint64_t outageAt = 0;     ///< ns after the start; 0: no outage
    std::uint64_t outageEnds = 0;   ///< ns after the start
    int outagePlanes = 1;           ///< planes 1..n fail
    int holeEvs = 0;                ///< the first n EVs swallow all packets, silently,
    std::uint64_t holeAt = 0;       ///< from this time after the start
    std::uint64_t holeNs = 0;       ///< for this long
    std::uint64_t holePeriod = 0;   ///< and again after this period; 0: once
    std::uint64_t evProbeUntil = 0; ///< EVs are probed at least this long, with messages or without
    std::uint64_t skewNs = 5000;    ///< additional delay per plane
    std::uint32_t windowUnits = 1;  ///< MPR
    std::uint32_t cwnd = 64;        ///< packets in flight, at most
    bool nscc = false;              ///< the window is NSCC's, which measures the RTT
    std::uint32_t sackPackets = 256;  ///< packets since the last SACK that make the next one due
    bool counts = true;               ///< SACKs say how many packets lie beyond the cumulative PSN
    std::uint32_t immMax = 8;         ///< WriteImm messages in flight
    std::uint32_t psn = 0;            ///< the first PSN
    std::uint32_t seq = 0;            ///< first transmission number
    std::uint64_t start = 1000000000; ///< the clock's first value
    std::uint64_t timeoutNs = 1000000;
    int qps = 1;              ///< between the same hosts, whose paths they share
    int lateQps = 0;          ///< the first n QPs are not known to the host that answers
    std::uint64_t lateNs = 0; ///< for this long
    int messages = 60;        ///< per QP
    int slots = 8;            ///< regions of remote memory, used in turn
    std::uint32_t mtu = 32;
    std::uint32_t maxPackets = 12; ///< per message
};

/// The results of a run. @c error is empty when all checks held.
struct SimReport {
    std::string error;
    std::uint64_t packets = 0; ///< PSNs used
    std::uint64_t sent = 0;    ///< data packets sent, retransmissions included
    std::uint64_t resent = 0;
    std::uint64_t unsent = 0;  ///< data packets that did not leave their host
    std::uint64_t nacks = 0;   ///< NACKs of either kind
    std::uint64_t dropped = 0; ///< data packets that the network lost
    std::uint64_t spurious = 0;
    std::uint64_t sacks = 0;
    std::uint64_t dups = 0; ///< duplicates that reached the responder
    std::uint64_t marked = 0;
    std::uint64_t timeouts = 0;  ///< packets held to be lost because of their timeout
    std::uint64_t probes = 0;    ///< Reliability Probes of a silent tail
    std::uint64_t probeLost = 0; ///< packets held to be lost because of the answer to a probe
    std::uint64_t waits = 0;     ///< messages that had to wait for a receive
    std::uint64_t starved = 0;   ///< SEND packets that found no receive
    std::uint64_t naks = 0;    ///< NAKs that reached the requester: at most one, which ends the QP
    std::uint64_t evAcked = 0; ///< packets that were counted for the EV on which they arrived
    std::uint64_t evProbes = 0;
    std::uint64_t evsLost = 0;     ///< times that an EV became ASSUMED_BAD
    std::uint64_t evsReturned = 0; ///< times that probes brought one back
    std::uint64_t evsCleared = 0;  ///< times that a loss turned out to be none
    std::uint64_t evsHeard = 0;    ///< times that an EV came back because an answer came by it
    std::uint64_t evsBad = 0;      ///< ASSUMED_BAD at the end
    std::set<int> lostEvs;         ///< EVs that have been ASSUMED_BAD
    std::uint64_t elapsedNs = 0;
};

/// Runs the connections to their end, or until the first check fails.
SimReport simulate(const SimConfig &config);
