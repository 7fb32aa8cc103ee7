// SPDX-License-Identifier: GPL-2.0-only
/** @file A host with something to report of each kind. */
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "daemon_rig.h"
#include "fabrics.h"
#include "report/event_log.h"
#include "report/report.h"
#include "watch/fault_finder.h"

namespace mrcd::test
{

/** A sender by which nothing comes back by T1s, and plane 2 has no carrier. */
class PartlySender : public ProbeSender
{
public:
    explicit PartlySender(const Fabric &fabric) : alive_(uplink_loop(fabric, 1)) {}

    std::vector<LoopProbe> sent; ///< probes that will come back

    void send(const ProbeLoop &loop, const LoopProbe &probe) override
    {
        if (loop == alive_)
            sent.push_back(probe);
    }
    uint16_t data_bytes() override { return 4228; }
    bool carrier(uint8_t plane) override { return plane == 1; }
    void ask(uint8_t) override {}

private:
    ProbeLoop alive_;
};

struct ReportRig {
    static constexpr uint64_t second = 1'000'000'000;

    DaemonRig rig;
    Fabric fabric = fabric_of(small_file);
    FaultFinder watch{fabric, 1};
    std::string status = "as planned";
    FileState file{"/etc/mrc/mrcd.toml", "0123456789abcdef", 1'699'999'000 * second, "", 0, false};
    std::vector<Problem> problems = {
        {ProblemKind::plane, 1, "plane 1 (eth1) is set down", "by <hand>",
         "mrcctl plane set mrc0 port 1 up", 1'700'000'040 * second},
        {ProblemKind::fault, 2, "h1-p2t0r1 is broken", "no carrier", "", 1'700'000'003 * second}};
    std::deque<Decision> decisions = {
        {1'700'000'000 * second, "h1-p2t0r1 is denied: <no carrier>"}};
    uint64_t now = second;
    EventLog events;

    ReportRig()
    {
        add_events();
        ModelKernel &kernel = rig.model.kernel;
        PartlySender sender(fabric);

        while (now < 4 * second) {
            const uint64_t next = watch.tick(now, sender);
            for (const auto &probe : std::exchange(sender.sent, {}))
                watch.answered(probe, now + second / 1000);
            now = next;
        }
        kernel.exists = true;
        kernel.plane_ifindex = {{1, 1}, {2, 2}};
        kernel.stats = {.tx_packets = 1000,
                        .tx_bytes = 4'096'000,
                        .tx_errors = 1,
                        .rx_packets = 500,
                        .rx_bytes = 2'048'000,
                        .rx_ce = 3};
        kernel.counters = {{"retransmitted_packets", 7}};
        add_peer(1, 3, 100);
        add_peer(2, 0, 900);
        steer(kernel.more_peers.back());
        kernel.qp_list.resize(3);
        for (Qp &qp : kernel.qp_list) {
            qp.state = QpState::rts;
            qp.inflight = 10;
            qp.mpr_tx = 8;
            qp.memory = 1000;
            qp.srtt = 2'000'000;
        }
        kernel.qp_list[2].state = QpState::err;
        kernel.cc[1] = {{}, 1, "none", 1 << 20};
    }

    /** Adds the events of plane 2 going down, with three EVs. */
    void add_events()
    {
        PlaneEvent plane;
        PeerEvEvent ev;

        plane.plane.port = ev.port = 2;
        plane.plane.ifname = "eth2";
        plane.time = ev.time = second;
        events.add(plane, second, 1'700'000'000 * second);
        ev.key.remote_gid = *Address::parse("fd00:6d72:63::1");
        ev.state = EvState::assumed_bad;
        ev.reason = "<loss>";
        for (ev.index = 5; ev.index < 8; ev.index++) {
            ev.time += second;
            events.add(ev, 5 * second, 1'700'000'004 * second);
        }
    }

    /**
     * Adds a peer with four EVs in each of two planes, and @p bad ones of them in the second plane.
     */
    /** Gives a peer two windows of algorithm nscc. */
    static void steer(Peer &peer)
    {
        peer.marked = 40;
        peer.congestion = {.contexts = 2,
                           .qps = 9,
                           .cwnd = 102528,
                           .max_cwnd = 1500000,
                           .delay = 7'500'000,
                           .target_delay = 75'000'000,
                           .counts = {.trims = 6}};
    }

    void add_peer(uint8_t number, uint16_t bad, uint64_t packets)
    {
        Peer peer;

        peer.key.remote_gid = *Address::parse("fd00:6d72:63::" + std::to_string(number));
        peer.evs = 8;
        peer.evs_assumed_bad = bad;
        peer.evs_denied = 1;
        peer.evs_good = static_cast<uint16_t>(8 - 1 - bad);
        peer.tx_packets = packets;
        rig.model.kernel.more_peers.push_back(peer);
        for (uint16_t i = 0; i < 8; i++) {
            PeerEv ev;
            ev.key = peer.key;
            ev.index = i;
            ev.port = static_cast<uint8_t>(1 + i / 4);
            if (i == 0)
                ev.state = EvState::denied;
            else if (i >= 8 - bad)
                ev.state = EvState::assumed_bad;
            rig.model.kernel.peer_ev_list.push_back(ev);
        }
    }

    /** A report of a later time, so that times differ. */
    Report report(const FaultFinder *finder) const
    {
        return make_report({fabric, finder, true, decisions, file, status, status == "as planned",
                            problems, now + 94 * second, 1'700'000'100 * second});
    }
    Report report() const { return report(&watch); }
};

} // namespace mrcd::test
