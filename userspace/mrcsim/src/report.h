// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The results of a run: figures, for which a scenario may expect bounds, and everything else as
 * JSON.
 */
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "network.h"
#include "stats.h"

namespace mrcsim
{

/** The name of a figure, and whether more of it is better. */
struct FigureName {
    const char *name;
    bool more_is_better;
};

/** All figures, see Documentation/developer/simulation.md. */
const std::vector<FigureName> &figure_names();

/** Values of the figures. */
using Figures = std::map<std::string, double>;

/** The cost of a run. Equal runs may differ in it. */
struct Cost {
    double cpu_seconds = 0;
    double wall_seconds = 0;
    uint64_t memory_kib = 0; ///< highest use
};

/** A run that has ended, in numbers. */
class Report
{
public:
    Report(const Network &network, const Stats &stats, const Cost &cost);

    const Figures &figures() const { return figures_; }
    uint64_t digest() const { return digest_; }

    /** Expectations that were not met, each as "goodput-min is 0.95, not 0.97 or more". */
    std::vector<std::string> missed() const;

    nlohmann::ordered_json json() const;

private:
    void measure_flows();
    void measure_sinks();
    void measure_requesters();
    void measure_queues();
    void measure_evs();
    double rate_of(uint32_t flow) const;
    double others_of(uint32_t flow) const;
    nlohmann::ordered_json totals() const;
    nlohmann::ordered_json flows() const;
    nlohmann::ordered_json queues() const;
    nlohmann::ordered_json curves() const;
    nlohmann::ordered_json settings() const;

    const Network &network_;
    const Stats &stats_;
    const Cost cost_;
    Figures figures_;
    uint64_t digest_ = 0;
};

} // namespace mrcsim
