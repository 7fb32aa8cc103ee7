// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Decides when the daemon looks at the host next.
 */
#pragma once

#include <algorithm>
#include <cstdint>

namespace mrcd
{

/** All times are in ms of the same clock. */
class Pace
{
public:
    /**
     * A pass ended. The next pass starts @p soonest ms from now at the earliest, @p latest at the
     * latest.
     */
    void passed(uint64_t now, uint64_t soonest, uint64_t latest)
    {
        passed_ = now;
        soonest_ = now + soonest;
        next_ = now + std::max(soonest, latest);
    }

    /**
     * Something happened that cannot wait as long as the last pass asked for.
     *
     * @param rest the shortest time between two passes
     */
    void hurry(uint64_t now, uint64_t rest)
    {
        soonest_ = std::min(soonest_, passed_ + rest);
        hasten(now, 0);
    }

    /** Something happened: the next pass starts in @p wait ms, or earlier if it was due earlier. */
    void hasten(uint64_t now, uint64_t wait)
    {
        next_ = std::min(next_, std::max(now + wait, soonest_));
    }

    uint64_t next() const { return next_; }

private:
    uint64_t passed_ = 0;
    uint64_t soonest_ = 0;
    uint64_t next_ = 0;
};

} // namespace mrcd
