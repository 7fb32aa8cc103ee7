// SPDX-License-Identifier: GPL-2.0-only
#include "network.h"

#include <algorithm>

#include "endpoint.h"
#include "line_rate.h"

namespace mrcsim
{

namespace
{

constexpr uint32_t nic_queue = 2;          // packets per port: one that leaves, and the next
constexpr uint32_t software_queue = 1000;  // packets that a qdisc holds
constexpr uint32_t software_burst = 8;     // packets of an skb
constexpr uint32_t software_rx_batch = 16; // packets of an aggregate
constexpr Time software_rx_hold = 20 * microsecond;
constexpr uint32_t software_timeout = 14; // the module's default
constexpr uint32_t software_exp = 3;
constexpr uint64_t nic_timeout_rtts = 10;

uint64_t fraction(uint64_t of, uint64_t millionths)
{
    return of * millionths / millionth;
}

uint64_t base_rtt_ns(const Scenario &scenario, const Fabric &fabric)
{
    const LinkState link = {.byte_time = byte_time_of(scenario.link.mbps)};
    const uint64_t links = fabric.longest_way();
    const Time there = link.serialization(wire_bytes(write_headers, scenario.transport.mtu, 0));
    const Time back = link.serialization(wire_bytes(MRC_SACK_LEN, 0, 0));
    const Time wires = 2 * (links * scenario.link.delay + (links - 1) * scenario.link.switch_delay);

    return (links * (there + back) + wires) / nanosecond;
}

/** A host's own ports neither mark nor trim: the arbiter keeps them short. */
QueueLimits limits_of(const QueueSettings &queue, Tier tier, uint64_t bdp)
{
    QueueLimits limits = {.drop = ~0ull, .control_drop = ~0ull};
    const bool last_hop = tier == Tier::t0_down;

    if (tier == Tier::host_up)
        return limits;
    limits.last_hop = last_hop;
    limits.trim = fraction(bdp, last_hop && queue.trim ? queue.trim_last_hop : queue.trim);
    limits.drop = fraction(bdp, queue.drop);
    limits.control_drop = bdp;
    limits.trimmed_bytes = queue.trim_bytes + ethernet_bytes - 14;
    if (last_hop && !queue.mark_last_hop)
        return limits;
    limits.mark_from = fraction(bdp, queue.mark_from);
    limits.mark_all = fraction(bdp, queue.mark_all);
    return limits;
}

mrc_cc_params cc_params(const Scenario &scenario, uint64_t base_rtt)
{
    const uint32_t packet = mrc_sendq_bytes_max(scenario.transport.mtu);
    mrc_cc_params params{};

    params.mtu = (packet + MRC_TX_BYTES_UNIT - 1) / MRC_TX_BYTES_UNIT * MRC_TX_BYTES_UNIT;
    if (!scenario.transport.nscc) {
        params.algorithm = MRC_CC_NONE;
        params.max_cwnd =
            std::min<uint32_t>(scenario.transport.window ? scenario.transport.window
                                                         : scenario.transport.mpr * params.mtu,
                               MRC_CC_CWND_MAX);
        return params;
    }
    params.algorithm = MRC_CC_NSCC;
    params.rate = scenario.link.mbps * scenario.fabric.planes * (1'000'000 / 8);
    params.base_rtt_ns = static_cast<u32>(base_rtt);
    params.gamma = MRC_CC_GAMMA_DEFAULT;
    params.max_md_jump = MRC_CC_MD_JUMP_DEFAULT;
    params.qa_gate = MRC_CC_QA_GATE_DEFAULT;
    params.trimming = scenario.queue.trim != 0;
    params.ecn_absent = scenario.transport.ecn_absent;
    return params;
}

/** The smallest exponent whose time is no less than nic_timeout_rtts round trips. */
uint32_t nic_timeout(uint64_t base_rtt)
{
    uint32_t exponent = 0;

    while (exponent < MRC_TIMEOUT_MAX && 1024ull << exponent < nic_timeout_rtts * base_rtt)
        exponent++;
    return exponent;
}

void derive_endpoint(const Scenario &scenario, Derived &d)
{
    const TransportSettings &transport = scenario.transport;
    const bool nic = transport.timing == EndpointTiming::nic;
    const uint32_t timeout =
        transport.timeout.value_or(nic ? nic_timeout(d.base_rtt_ns) : software_timeout);

    d.timing = mrc_timing_software;
    if (nic)
        mrc_timing_nic(&d.timing, d.base_rtt_ns);
    d.retries.timeout_ns = 1024ull << timeout;
    d.retries.linear = MRC_LINEAR_MAX;
    d.retries.exp = nic ? MRC_EXP_MAX : software_exp;
    d.sack_bytes = transport.sack_bytes.value_or(nic ? MRC_SACK_BYTES_MIN : MRC_SACK_BYTES_DEFAULT);
    d.rx_batch = transport.rx_batch.value_or(nic ? 1 : software_rx_batch);
    d.rx_hold = nic ? 2 * d.base_rtt_ns * nanosecond : software_rx_hold;
    d.burst = transport.burst.value_or(nic ? 1 : software_burst);
    d.host_queue = nic ? nic_queue * scenario.fabric.planes : software_queue;
}

Port make_port(const Network &network, uint32_t port)
{
    const PortPlace place = network.fabric.place(port);
    Port made;

    made.link.byte_time = byte_time_of(network.scenario.link.mbps);
    made.node = place.node;
    made.peer = place.peer;
    made.peer_cell = network.cell_of(place.peer);
    made.tier = place.tier;
    made.plane = static_cast<uint8_t>(place.plane);
    return made;
}

} // namespace

Derived derive(const Scenario &scenario, const Fabric &fabric)
{
    Derived d;

    d.base_rtt_ns = base_rtt_ns(scenario, fabric);
    d.plane_bdp = scenario.link.mbps * d.base_rtt_ns / 8000;
    d.lookahead = scenario.link.delay + scenario.link.switch_delay;
    for (unsigned tier = 0; tier < tiers; tier++)
        d.limits[tier] = limits_of(scenario.queue, static_cast<Tier>(tier), d.plane_bdp);
    d.cc = cc_params(scenario, d.base_rtt_ns);
    derive_endpoint(scenario, d);
    return d;
}

Network::Network(const Scenario &what, uint32_t cell_count)
    : scenario(what), fabric(what.fabric), cells(cell_count), derived(derive(scenario, fabric)),
      flows(make_flows(scenario, fabric)), faults(make_faults(scenario, fabric)),
      endpoints(fabric.hosts()), requesters(flows.size()), responders(flows.size())
{
    ports.reserve(fabric.ports());
    for (uint32_t port = 0; port < fabric.ports(); port++)
        ports.push_back(make_port(*this, port));
}

Network::~Network() = default;

} // namespace mrcsim
