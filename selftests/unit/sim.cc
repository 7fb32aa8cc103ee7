// SPDX-License-Identifier: GPL-2.0-only
#include "sim.h"

#include "sim_requester.h"
#include "sim_responder.h"

#include <exception>

namespace
{

constexpr u64 kEventsMax = 2000000;
constexpr u64 kPatienceNs = 3600ull * 1000000000;

/// A run: two hosts, the fabric between them, and a QP.
class Sim
{
public:
    explicit Sim(const SimConfig &config)
        : world(config), fabric(world),
          work(world), host{{world, fabric, kReq, [this] { pump(); }},
                            {world, fabric, kResp, [this] { host[kResp].arm(); }}},
          requester(world, fabric, host[kReq], work), responder(world, host[kResp], work),
          evStates(host[kReq].end.evs.size(), MRC_EV_GOOD)
    {
        host[kReq].connect(host[kResp]);
        host[kResp].connect(host[kReq]);
        requester.connect(responder);
        responder.connect(requester);
        for (SimHost &h : host)
            h.setPorts(allPorts(), allPorts());
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
    SimWork work;
    SimHost host[2];
    SimRequester requester;
    SimResponder responder;
    std::vector<int> evStates; ///< after the event before

    u32 allPorts() const { return (1u << world.c.planes) - 1; }

    void pump() { requester.pump(); }

    void loop()
    {
        const SimConfig &c = world.c;
        if (c.outageAt) {
            world.clock.at(c.start + c.outageAt, [this] { planesChanged(true); });
            world.clock.at(c.start + c.outageEnds, [this] { planesChanged(false); });
        }
        pump();
        for (u64 events = 1; !world.clock.idle() && !requester.hasEnded(); ++events) {
            world.clock.step();
            noteEvStates();
            simCheck(events < kEventsMax && world.elapsed() < kPatienceNs, "no progress");
        }
        requester.checkEnd();
        if (!requester.hasEnded())
            responder.checkEnd();
    }

    void planesChanged(bool down)
    {
        fabric.setPlanesDown(down);
        if (world.c.carrier) {
            const u32 dead = down ? (1u << world.c.outagePlanes) - 1 : 0;
            for (SimHost &h : host)
                h.setPorts(allPorts() & ~dead, allPorts());
            requester.heedPorts();
        }
        pump();
        host[kResp].arm();
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

    /// Only answered probes, or a loss that was none, bring an EV back, but where the floor, or a
    /// search, takes one of which data has told.
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
