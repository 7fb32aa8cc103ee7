// SPDX-License-Identifier: GPL-2.0-only
#include "drive_local.h"

#include <algorithm>
#include <barrier>
#include <thread>

#include "endpoint.h"

namespace mrcsim
{

LocalDriver::LocalDriver(Network &network, uint32_t threads)
    : network_(network), threads_(std::min(threads, network.cells))
{
    for (uint32_t i = 0; i < network.cells; i++)
        cells_.push_back(std::make_unique<Cell>(network, i));
}

Stats LocalDriver::stats() const
{
    Stats sum;

    for (const auto &cell : cells_)
        sum.add(cell->stats());
    return sum;
}

void LocalDriver::run(const Progress &progress)
{
    if (threads_ == 1)
        run_alone(progress);
    else
        run_together(progress);
}

/** Runs the cells of a thread. The packets that they had for other cells have been taken before. */
void LocalDriver::work(uint32_t thread, Time until)
{
    for (uint32_t i = thread; i < cells_.size(); i += threads_) {
        for (uint32_t other = 0; other < cells_.size(); other++)
            cells_[i]->left(other);
        cells_[i]->run(until);
    }
}

void LocalDriver::exchange(uint32_t thread)
{
    for (uint32_t i = thread; i < cells_.size(); i += threads_)
        for (const auto &from : cells_)
            cells_[i]->take(from->leaving(i));
}

/** The end of the next window: one lookahead after the first event in any cell. */
Time LocalDriver::next_window(Time until) const
{
    Time first = never;

    for (const auto &cell : cells_)
        first = std::min(first, cell->earliest());
    if (first == never)
        return network_.scenario.run.end;
    return std::min(std::max(first, until) + network_.derived.lookahead, network_.scenario.run.end);
}

void LocalDriver::run_alone(const Progress &progress)
{
    const Time end = network_.scenario.run.end;

    for (Time until = 0; until < end;) {
        until = next_window(until);
        work(0, until);
        exchange(0);
        if (progress)
            progress(until, end);
    }
}

void LocalDriver::run_together(const Progress &progress)
{
    const Time end = network_.scenario.run.end;
    Time until = next_window(0);
    bool over = false;
    const auto ready = [&]() noexcept {
        if (progress)
            progress(until, end);
        over = until >= end;
        until = next_window(until);
    };
    std::barrier worked(threads_);
    std::barrier exchanged(threads_, ready);
    const auto part = [&](uint32_t thread) {
        while (!over) {
            work(thread, until);
            worked.arrive_and_wait();
            exchange(thread);
            exchanged.arrive_and_wait();
        }
    };
    std::vector<std::jthread> others;

    for (uint32_t i = 1; i < threads_; i++)
        others.emplace_back(part, i);
    part(0);
}

} // namespace mrcsim
