// SPDX-License-Identifier: GPL-2.0-only
#include "workload.h"

#include <numeric>
#include <utility>

#include "random.h"

namespace mrcsim
{

namespace
{

/** Makes flows of one [[traffic]]. */
class Maker
{
public:
    Maker(const Scenario &scenario, const Fabric &fabric, uint32_t index, std::vector<Flow> &flows)
        : seed_(scenario.run.seed), traffic_(scenario.traffic[index]), index_(index),
          fabric_(fabric), flows_(flows)
    {
    }

    void make()
    {
        switch (traffic_.kind) {
        case TrafficKind::permutation:
            permutation();
            break;
        case TrafficKind::incast:
            incast();
            break;
        case TrafficKind::matrix:
            for (const FlowEntry &entry : traffic_.flows)
                add({entry.source, entry.destination, index_, entry.destination, false,
                     entry.bytes ? entry.bytes : traffic_.bytes, entry.start});
        }
    }

private:
    void add(Flow flow)
    {
        flow.start += traffic_.start;
        for (uint32_t i = 0; i < traffic_.qps; i++) {
            Flow one = flow;
            if (traffic_.spread)
                one.start += random(seed_, entity(Draw::start, flows_.size()), 0) % traffic_.spread;
            flows_.push_back(one);
        }
    }

    /** Sattolo's algorithm: one ring of all hosts, so that nobody sends to itself. */
    void permutation()
    {
        std::vector<uint32_t> to(fabric_.hosts());

        std::iota(to.begin(), to.end(), 0);
        for (uint32_t i = fabric_.hosts() - 1; i > 0; i--)
            std::swap(to[i], to[random_below(seed_, entity(Draw::permutation, index_), i, i)]);
        for (uint32_t host = 0; host < fabric_.hosts(); host++)
            add({host, to[host], index_, to[host], false, traffic_.bytes, 0});
    }

    /** Hosts of a group are far from each other, in as many racks as there are. */
    uint32_t member(uint32_t group, uint32_t i) const
    {
        const uint32_t size = traffic_.senders + 1 + (traffic_.victim ? 1 : 0);
        const uint32_t at = group * size + i;
        const uint32_t rack = at % fabric_.racks();

        return rack * fabric_.shape().t0_down + at / fabric_.racks();
    }

    void incast()
    {
        for (uint32_t group = 0; group < traffic_.groups; group++) {
            const uint32_t sink = member(group, 0);
            for (uint32_t i = 1; i <= traffic_.senders; i++)
                add({member(group, i), sink, index_, sink, false, traffic_.bytes, 0});
            if (!traffic_.victim)
                continue;
            const uint32_t other = member(group, traffic_.senders + 1);
            add({member(group, 1), other, index_, other, true, traffic_.bytes, 0});
        }
    }

    uint64_t seed_;
    const TrafficSettings &traffic_;
    uint32_t index_;
    const Fabric &fabric_;
    std::vector<Flow> &flows_;
};

} // namespace

std::vector<Flow> make_flows(const Scenario &scenario, const Fabric &fabric)
{
    std::vector<Flow> flows;

    for (uint32_t i = 0; i < scenario.traffic.size(); i++)
        Maker(scenario, fabric, i, flows).make();
    return flows;
}

} // namespace mrcsim
