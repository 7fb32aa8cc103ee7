// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The driver of cells in one process: threads, and a barrier after each lookahead.
 */
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "cell.h"
#include "network.h"

namespace mrcsim
{

/** Is called with the progress of a run; may be empty. */
using Progress = std::function<void(Time now, Time end)>;

/** All cells of a run, from its start to its end. */
class LocalDriver
{
public:
    /** @param threads at least 1; at most one per cell is used */
    LocalDriver(Network &network, uint32_t threads);

    void run(const Progress &progress);

    /** Sums over all cells. */
    Stats stats() const;

private:
    void run_alone(const Progress &progress);
    void run_together(const Progress &progress);
    void work(uint32_t thread, Time until);
    void exchange(uint32_t thread);
    Time next_window(Time until) const;

    Network &network_;
    uint32_t threads_;
    std::vector<std::unique_ptr<Cell>> cells_;
};

} // namespace mrcsim
