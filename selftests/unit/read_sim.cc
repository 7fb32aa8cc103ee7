// SPDX-License-Identifier: GPL-2.0-only
#include "read_sim_end.h"

#include <exception>

namespace
{

constexpr u64 kEventsMax = 1000000;
constexpr u64 kPatienceNs = 600ull * 1000000000;

/// A run: two ends, and a network each way.
class ReadSim
{
public:
    explicit ReadSim(const ReadSimConfig &config)
        : world(config), net{ReadNet(world), ReadNet(world)}, work{{world, world.c.end[0]},
                                                                   {world, world.c.end[1]}},
          end{{world, net[0], 0, work[0], work[1]}, {world, net[1], 1, work[1], work[0]}}
    {
        for (int i : {0, 1})
            net[i].connect([this, i](const ReadPacket &p) { end[!i].arrived(p); });
    }

    ReadSimReport run()
    {
        try {
            loop();
        } catch (const std::exception &e) {
            world.report.error = e.what();
        }
        return world.report;
    }

private:
    ReadWorld world;
    ReadNet net[2];
    ReadWork work[2];
    ReadEnd end[2];

    bool anyIsBad() const { return world.c.end[0].bad >= 0 || world.c.end[1].bad >= 0; }

    /// Until nothing is left to happen: a QP without requests must come to rest.
    void loop()
    {
        u64 events = 0;
        for (ReadEnd &e : end)
            e.pump();
        while (!world.clock.idle()) {
            world.clock.step();
            simCheck(++events < kEventsMax && world.elapsed() < kPatienceNs, "no progress");
        }
        checkEnd();
    }

    void checkEnd() const
    {
        if (anyIsBad())
            simCheck(world.report.naks == 1 && end[0].hasEnded() && end[1].hasEnded(), "no NAK");
        else
            for (const ReadEnd &e : end)
                if (!e.hasEnded())
                    e.checkEnd();
    }
};

} // namespace

ReadSimReport readSimulate(const ReadSimConfig &config)
{
    return ReadSim(config).run();
}
