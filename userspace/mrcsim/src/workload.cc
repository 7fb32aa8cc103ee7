// SPDX-License-Identifier: GPL-2.0-only
#include "workload.h"

#include <numeric>
#include <utility>

#include "line_rate.h"
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
        const double rate = line_rate(scenario) * traffic_.load / millionth / traffic_.qps;

        if (traffic_.load)
            pace_ = static_cast<Time>(scenario.transport.message / rate * 1e12);
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
        flow.pace = pace_;
        for (uint32_t i = 0; i < traffic_.qps; i++) {
            Flow one = flow;
            if (traffic_.spread)
                one.start += random(seed_, entity(Draw::start, flows_.size()), 0) % traffic_.spread;
            flows_.push_back(one);
        }
    }

    /** Sattolo's algorithm: one ring of all hosts, so that no host sends to itself. */
    void permutation()
    {
        std::vector<uint32_t> to(fabric_.hosts());

        std::iota(to.begin(), to.end(), 0);
        for (uint32_t i = fabric_.hosts() - 1; i > 0; i--)
            std::swap(to[i], to[random_below(seed_, entity(Draw::permutation, index_), i, i)]);
        for (uint32_t host = 0; host < fabric_.hosts(); host++)
            add({host, to[host], index_, to[host], false, traffic_.bytes, 0});
    }

    /** A host that is in no group yet, in @p rack or the next rack that has one. */
    uint32_t free_host(uint32_t rack)
    {
        while (taken_[rack % fabric_.racks()] == fabric_.shape().t0_down)
            rack++;
        rack %= fabric_.racks();
        return rack * fabric_.shape().t0_down + taken_[rack]++;
    }

    /**
     * A sender for a group: in another rack than the sink as long as there are hosts, all racks in
     * turn.
     */
    uint32_t free_sender(uint32_t sink_rack, uint32_t i)
    {
        const uint32_t others = fabric_.racks() - 1;

        for (uint32_t n = 0; n < others; n++) {
            const uint32_t rack = (sink_rack + 1 + (i + n) % others) % fabric_.racks();
            if (taken_[rack] < fabric_.shape().t0_down)
                return free_host(rack);
        }
        return free_host(sink_rack);
    }

    void incast()
    {
        taken_.assign(fabric_.racks(), 0);
        for (uint32_t group = 0; group < traffic_.groups; group++) {
            const uint32_t sink = free_host(group % fabric_.racks());
            const uint32_t rack = fabric_.rack_of(sink);
            const auto first = static_cast<uint32_t>(flows_.size());
            for (uint32_t i = 0; i < traffic_.senders; i++)
                add({free_sender(rack, i), sink, index_, sink, false, traffic_.bytes, 0});
            if (!traffic_.victim)
                continue;
            const uint32_t other = free_sender(rack, traffic_.senders);
            add({flows_[first].source, other, index_, other, true, traffic_.bytes, 0});
        }
    }

    Time pace_ = 0;
    std::vector<uint32_t> taken_; ///< hosts of each rack that are in a group
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
