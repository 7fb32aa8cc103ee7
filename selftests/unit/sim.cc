// SPDX-License-Identifier: GPL-2.0-only
#include "sim.h"

#include "sim_requester.h"
#include "sim_responder.h"

#include <algorithm>
#include <exception>
#include <memory>

namespace
{

constexpr u64 kEventsMax = 2000000;
constexpr u64 kPatienceNs = 3600ull * 1000000000;

struct Qp {
    Qp(SimWorld &world, SimFabric &fabric, SimHost *host, u64 late)
        : work(world), requester(world, fabric, host[kReq], work),
          responder(world, host[kResp], work, late)
    {
        requester.connect(responder);
        responder.connect(requester);
    }

    SimWork work;
    SimRequester requester;
    SimResponder responder;

    void checkEnd() const
    {
        requester.checkEnd();
        if (!requester.hasEnded())
            responder.checkEnd();
    }
};

/// A run: two hosts, the fabric between them, and their QPs.
class Sim
{
public:
    explicit Sim(const SimConfig &config)
        : world(config), fabric(world), host{{world, fabric, kReq, [this] { pump(); }},
                                             {world, fabric, kResp, [this] { host[kResp].arm(); }}},
          evStates(host[kReq].end.evs.size(), MRC_EV_GOOD)
    {
        host[kReq].connect(host[kResp]);
        host[kResp].connect(host[kReq]);
        for (SimHost &h : host)
            h.setPorts(allPorts(), allPorts());
        for (int i = 0; i < world.c.qps; ++i)
            qps.push_back(std::make_unique<Qp>(world, fabric, host,
                                               i < world.c.lateQps ? world.c.lateNs : 0));
    }

    SimReport run()
    {
        try {
            loop();
        } catch (const std::exception &e) {
            world.report.error = e.what();
        }
        world.report.evsBad = host[kReq].end.set.bad;
        return world.report;
    }

private:
    SimWorld world;
    SimFabric fabric;
    SimHost host[2];
    std::vector<std::unique_ptr<Qp>> qps;
    std::vector<int> evStates; ///< states after the previous event

    u32 allPorts() const { return (1u << world.c.planes) - 1; }

    void pump()
    {
        for (auto &qp : qps)
            qp->requester.pump();
    }

    bool allHaveEnded() const
    {
        return std::all_of(qps.begin(), qps.end(),
                           [](const auto &qp) { return qp->requester.hasEnded(); });
    }

    void loop()
    {
        const SimConfig &c = world.c;
        if (c.outageAt) {
            world.clock.at(c.start + c.outageAt, [this] { planesChanged(true); });
            world.clock.at(c.start + c.outageEnds, [this] { planesChanged(false); });
        }
        pump();
        for (u64 events = 1; !world.clock.idle() && !allHaveEnded(); ++events) {
            world.clock.step();
            noteEvStates();
            simCheck(events < kEventsMax * qps.size() && world.elapsed() < kPatienceNs,
                     "no progress");
        }
        for (const auto &qp : qps)
            qp->checkEnd();
    }

    void planesChanged(bool down)
    {
        const SimConfig &c = world.c;
        const u32 up = allPorts() & ~(down ? (1u << c.outagePlanes) - 1 : 0);
        fabric.setPlanesDown(down);
        if (c.carrier || c.peerTellsNs)
            host[kResp].setPorts(up, allPorts());
        if (c.peerTellsNs)
            world.clock.at(world.now() + c.peerTellsNs, [this, up] { heedPorts(allPorts(), up); });
        else if (c.carrier)
            heedPorts(up, allPorts());
        pump();
        host[kResp].arm();
    }

    void heedPorts(u32 local, u32 remote)
    {
        host[kReq].setPorts(local, remote);
        for (auto &qp : qps)
            qp->requester.heedPorts();
    }

    void noteEvStates()
    {
        const auto &evs = host[kReq].end.evs;
        for (u16 ev = 0; ev < evs.size(); ++ev) {
            const bool was = evStates[ev] == MRC_EV_ASSUMED_BAD;
            const bool is = evs[ev].state == MRC_EV_ASSUMED_BAD;
            evStates[ev] = evs[ev].state;
            if (!was && is) {
                ++world.report.evsLost;
                world.report.lostEvs.insert(ev);
            } else if (was && !is) {
                noteReturn(evs[ev]);
            }
        }
    }

    /// Only answered probes, or a loss that was none, bring an EV back. The exception: the floor,
    /// or a search, takes an EV that data has reported.
    void noteReturn(const mrc_ev_entry &e)
    {
        if (e.why == MRC_EV_WHY_PROBES_ANSWERED) {
            ++world.report.evsReturned;
        } else if (e.why == MRC_EV_WHY_LATE) {
            ++world.report.evsCleared;
        } else {
            simCheck(e.why == MRC_EV_WHY_HEARD || e.state == MRC_EV_HELD, "EV back without probes");
            ++world.report.evsHeard;
        }
    }
};

} // namespace

SimReport simulate(const SimConfig &config)
{
    return Sim(config).run();
}
