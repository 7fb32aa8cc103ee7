// SPDX-License-Identifier: GPL-2.0-only
//
// Simulated time: a queue of events, and timers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

/// Events in the order of their time. Events of the same time run in the order in which they were
/// added.
class SimClock
{
public:
    using What = std::function<void()>;

    explicit SimClock(std::uint64_t start) : now(start) {}

    std::uint64_t now; ///< ns

    void at(std::uint64_t time, What what)
    {
        events.push_back({std::max(time, now), order++, std::move(what)});
        std::push_heap(events.begin(), events.end());
    }

    bool idle() const { return events.empty(); }

    /// Runs the next event. There must be one.
    void step()
    {
        std::pop_heap(events.begin(), events.end());
        const Event next = std::move(events.back());
        events.pop_back();
        now = next.time;
        next.what();
    }

    void run(std::uint64_t until)
    {
        while (!idle() && events.front().time <= until)
            step();
        now = until;
    }

private:
    struct Event {
        std::uint64_t time;
        std::uint64_t order;
        What what;

        bool operator<(const Event &other) const
        {
            return std::tie(time, order) > std::tie(other.time, other.order);
        }
    };

    std::vector<Event> events; ///< a heap
    std::uint64_t order = 0;
};

/// A timer that is set to the earliest of the requested times.
class SimTimer
{
public:
    SimTimer(SimClock &clock, SimClock::What what) : clock(clock), what(std::move(what)) {}
    SimTimer(const SimTimer &) = delete;
    SimTimer &operator=(const SimTimer &) = delete;

    void arm(std::uint64_t time)
    {
        if (armed && armed <= time)
            return;
        armed = std::max(time, clock.now);
        clock.at(armed, [this, mine = armed] {
            if (armed != mine)
                return;
            armed = 0;
            what();
        });
    }

private:
    SimClock &clock;
    SimClock::What what;
    std::uint64_t armed = 0; ///< 0: not set
};
