// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The scenario to simulate. Defaults are those of Documentation/developer/simulation.md. Times are
 * in ps, fractions in millionths.
 */
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "clock.h"
#include "complaint.h"
#include "fabric.h"
#include "port.h"

namespace mrcsim
{

/** [link] */
struct LinkSettings {
    uint64_t mbps = 100'000;
    Time delay = 500 * nanosecond;
    Time switch_delay = 225 * nanosecond;
};

/** [queue]: fractions of what a plane holds in a base RTT (plane BDP). */
struct QueueSettings {
    uint64_t mark_from = 200'000;
    uint64_t mark_all = 800'000; ///< 0: nothing is marked
    bool mark_last_hop = false;
    bool again_first = false;  ///< retransmissions have a class of their own, before data
    uint64_t trim = millionth; ///< 0: nothing is trimmed
    uint64_t trim_last_hop = 1'500'000;
    uint64_t drop = 4 * uint64_t{millionth};
    uint32_t trim_bytes = 128; ///< of a frame, without preamble, gap and what else Ethernet adds
};

/** The kind of endpoint: its timing. */
enum class EndpointTiming : uint8_t { nic, software };

/** transport.evs: the EVs to one destination, over all planes together. */
struct EvSettings {
    uint32_t in_rotation = 128;
    uint32_t spares = 32;
    uint32_t min_active = 32;
};

/** [transport]; members without a value follow from the timing. */
struct TransportSettings {
    EndpointTiming timing = EndpointTiming::nic;
    bool nscc = true;
    uint32_t window = 0;     ///< bytes of the fixed window without NSCC; 0: as many as PSNs carry
    bool ecn_absent = false; ///< NSCC treats delay as a mark
    EvSettings evs;
    uint32_t mtu = 4096;
    uint32_t mpr = 1024;                ///< packets
    uint32_t message = 1u << 20;        ///< bytes of a request
    std::optional<uint32_t> sack_bytes; ///< threshold
    std::optional<uint32_t> rx_batch;   ///< packets that are answered together
    std::optional<uint32_t> burst;      ///< packets on one EV in a row
    std::optional<uint32_t> timeout;    ///< exponent, as verbs have it
};

/** The kinds of [[traffic]]. */
enum class TrafficKind : uint8_t { permutation, incast, matrix };

/** A flow between two hosts. */
struct FlowEntry {
    uint32_t source = 0;
    uint32_t destination = 0;
    uint64_t bytes = 0; ///< 0: until the end
    Time start = 0;
};

/** [[traffic]] */
struct TrafficSettings {
    TrafficKind kind = TrafficKind::permutation;
    uint64_t bytes = 0; ///< of a QP; 0: until the end
    uint32_t qps = 1;   ///< between two hosts
    uint32_t load = 0;  ///< millionths of the line rate that each host offers; 0: all it can
    Time start = 0;
    Time spread = 0;              ///< starts are random within this time
    uint32_t senders = 7;         ///< incast
    uint32_t groups = 1;          ///< incast
    bool victim = false;          ///< incast: the first sender also has a flow to another host
    std::vector<FlowEntry> flows; ///< matrix
};

/** A [[fault]]: what is wrong with links, and when. */
struct FaultSettings {
    Time at = 0;
    std::optional<Time> until; ///< none: until the end
    Tier tier = Tier::t0_up;   ///< t0_up: links between switches, both ways; host_up: hosts' links
    uint32_t count = 1;
    Time spacing = 0;
    uint64_t seed = 1;
    std::vector<uint32_t> named; ///< plane, rack and T1, or plane and host; empty: drawn
    bool dead = false;
    bool carrier = true;        ///< hosts see the carrier of their links
    uint32_t loss = 0;          ///< millionths
    uint32_t speed = millionth; ///< millionths of the rate
};

/** [run] */
struct RunSettings {
    Time end = 200 * microsecond;
    std::optional<Time> from; ///< goodput counts from this time on; none: a third of the run
    uint64_t seed = 1;
    uint32_t samples = 100; ///< points of curves
};

/** Bound of a figure: see report.h. */
struct Expectation {
    std::string figure;
    bool at_least = false;
    double bound = 0;
};

/** A scenario. */
struct Scenario {
    std::string name;
    FabricShape fabric;
    LinkSettings link;
    QueueSettings queue;
    TransportSettings transport;
    std::vector<TrafficSettings> traffic;
    std::vector<FaultSettings> faults;
    RunSettings run;
    std::vector<Expectation> expect;
};

using mrctoml::Complaint;
using mrctoml::Complaints;

/** The scenario, or all complaints about it. */
struct ScenarioResult {
    std::optional<Scenario> scenario;
    Complaints complaints;
};

/** A "section.key=value" of the command line. */
using Override = std::pair<std::string, std::string>;

/**
 * Reads a scenario.
 * @param text TOML
 * @param folder that has the files that the scenario names
 */
ScenarioResult read_scenario(const std::string &text, const std::string &folder,
                             const std::vector<Override> &overrides);

} // namespace mrcsim
