// SPDX-License-Identifier: GPL-2.0-only
#include "watch/loop_history.h"

#include <algorithm>

namespace mrcd
{

namespace
{

constexpr size_t dead_window = 20;
constexpr uint64_t alive_runs_most = 8;
constexpr uint64_t flap_ns = 60'000'000'000;

} // namespace

/** @param rtt_ns 0: lost */
void LoopHistory::add(uint32_t rtt_ns)
{
    ring_[next_] = rtt_ns;
    next_ = (next_ + 1) % kept;
    recent_ = std::min(recent_ + 1, kept);
    sent_++;
    lost_ += !rtt_ns;
}

size_t LoopHistory::lost_of_last(size_t n) const
{
    size_t count = 0;

    for (size_t i = 1; i <= std::min(n, recent_); i++)
        count += !ring_[(next_ + kept - i) % kept];
    return count;
}

size_t LoopHistory::recent_lost() const
{
    return lost_of_last(kept);
}

std::vector<uint32_t> LoopHistory::recent_rtts() const
{
    std::vector<uint32_t> rtts;

    rtts.reserve(recent_);
    for (size_t i = recent_; i > 0; i--)
        rtts.push_back(ring_[(next_ + kept - i) % kept]);
    return rtts;
}

RttSpread LoopHistory::rtt_spread() const
{
    std::vector<uint32_t> rtts = recent_rtts();

    std::erase(rtts, 0);
    if (rtts.empty())
        return {};
    std::sort(rtts.begin(), rtts.end());
    return {rtts.front(), rtts[rtts.size() / 2], rtts.back()};
}

bool LoopHistory::lossy() const
{
    return lost_run_ < dead_run_ && lost_of_last(dead_window) >= dead_window / 2;
}

void LoopHistory::answered(uint64_t now_ns, uint64_t rtt_ns)
{
    // A probe that came back must not count as lost, however short its round trip was.
    add(static_cast<uint32_t>(std::clamp<uint64_t>(rtt_ns, 1, UINT32_MAX)));
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
    add(0);
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
