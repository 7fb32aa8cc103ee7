// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * When the daemon looks next.
 */
#pragma once

#include <algorithm>
#include <cstdint>

namespace mrcd
{

/** All in ms, of one clock. */
class Pace
{
public:
    /** A pass ended. The next one comes after @p soonest at the earliest, @p latest at the last. */
    void passed(uint64_t now, uint64_t soonest, uint64_t latest)
    {
        passed_ = now;
        soonest_ = now + soonest;
        next_ = now + std::max(soonest, latest);
    }

    /**
     * There is news that cannot wait for as long as the last pass asked for.
     *
     * @param rest the least there is between two passes
     */
    void hurry(uint64_t now, uint64_t rest)
    {
        soonest_ = std::min(soonest_, passed_ + rest);
        hasten(now, 0);
    }

    /** Something happened: a pass in @p wait, or sooner, if one was due before. */
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
