// SPDX-License-Identifier: GPL-2.0-only
#include "loop_history.h"

#include <algorithm>

namespace mrcd
{

namespace
{

constexpr size_t dead_window = 20;
constexpr uint64_t alive_runs_most = 8;
constexpr uint64_t flap_ns = 60'000'000'000;

} // namespace

void LoopHistory::add(bool lost)
{
    ring_[next_] = lost;
    next_ = (next_ + 1) % kept;
    recent_ = std::min(recent_ + 1, kept);
    sent_++;
    lost_ += lost;
}

size_t LoopHistory::lost_of_last(size_t n) const
{
    size_t count = 0;

    for (size_t i = 1; i <= std::min(n, recent_); i++)
        count += ring_[(next_ + kept - i) % kept];
    return count;
}

size_t LoopHistory::recent_lost() const
{
    return lost_of_last(kept);
}

bool LoopHistory::lossy() const
{
    return lost_run_ < dead_run_ && lost_of_last(dead_window) >= dead_window / 2;
}

void LoopHistory::answered(uint64_t now_ns, uint64_t rtt_ns)
{
    add(false);
    last_rtt_ns_ = rtt_ns;
    srtt_ns_ = srtt_ns_ ? srtt_ns_ - srtt_ns_ / 8 + rtt_ns / 8 : rtt_ns;
    lost_run_ = 0;
    answered_ns_ = now_ns;
    answered_run_++;
    if (verdict_ == Verdict::unknown)
        verdict_ = Verdict::alive;
    if (verdict_ == Verdict::dead && answered_run_ >= needed_) {
        verdict_ = Verdict::alive;
        revived_ns_ = now_ns;
    }
}

void LoopHistory::lost(uint64_t now_ns)
{
    add(true);
    if (!lost_run_++)
        losing_since_ns_ = now_ns;
    answered_run_ = 0;
    if (lost_run_ >= dead_run_ || lost_of_last(dead_window) >= dead_window / 2)
        die(now_ns);
}

void LoopHistory::die(uint64_t now_ns)
{
    answered_run_ = 0;
    if (verdict_ == Verdict::dead)
        return;
    verdict_ = Verdict::dead;
    needed_ = revived_ns_ && now_ns - revived_ns_ < flap_ns
                  ? std::min(2 * needed_, alive_runs_most * alive_run_)
                  : alive_run_;
}

} // namespace mrcd
