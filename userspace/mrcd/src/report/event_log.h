// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Recent events of the module, for people who wonder what it saw.
 */
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "mrcnl/types.h"

namespace mrcd
{

/** One event, or several similar events. */
struct KernelEvent {
    uint64_t time_ns = 0; ///< of the last event, since 1970
    uint64_t count = 1;
    std::string text; ///< of the first event
};

/**
 * Keeps the last events. A plane that fails takes thousands of EVs and QPs with it: similar events
 * within some seconds of each other become one entry. May be used by several threads.
 */
class EventLog
{
public:
    static constexpr size_t kept = 100;
    static constexpr uint64_t together_ns = 10'000'000'000;

    /** @param monotonic_ns now, of the clock of events @param wall_ns now, since 1970 */
    void add(const mrcnl::Event &event, uint64_t monotonic_ns, uint64_t wall_ns);

    /** The entries, oldest first. */
    std::vector<KernelEvent> events() const;

private:
    struct Entry {
        std::string kind; ///< events of equal kind are similar
        KernelEvent event;
    };

    mutable std::mutex mutex_;
    std::deque<Entry> entries_;
};

} // namespace mrcd
