// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * What became of the probes of one loop.
 */
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "file/fabric.h"

namespace mrcd
{

/** What a loop's probes say. */
enum class Verdict { unknown, alive, dead };

/** Of several round-trip times, in ns. */
struct RttSpread {
    uint32_t min = 0;
    uint32_t median = 0;
    uint32_t max = 0;
};

/**
 * The last probes of a loop, and a verdict with hysteresis: dead after so many in a row that did
 * not come back, or half of the last twenty; alive again after so many in a row that did, and
 * twice as many each time it died within a minute of that, up to eight times as many.
 */
class LoopHistory
{
public:
    static constexpr size_t kept = 100;

    /** @param watching says how many are so many */
    explicit LoopHistory(const Watching &watching)
        : dead_run_(watching.dead_after), alive_run_(watching.alive_after)
    {
    }

    /** A probe came back after @p rtt_ns. */
    void answered(uint64_t now_ns, uint64_t rtt_ns);
    /** A probe did not come back in time. */
    void lost(uint64_t now_ns);
    /** It is known by other means that nothing comes back. */
    void die(uint64_t now_ns);
    /** What was lost in a row up to now is no sign any more. It stays dead if it is. */
    void start_anew() { lost_run_ = 0; }

    [[nodiscard]] Verdict verdict() const { return verdict_; }
    [[nodiscard]] uint64_t sent() const { return sent_; }
    [[nodiscard]] uint64_t lost() const { return lost_; }
    /** Of the last ones, at most #kept: how many there are, and were lost. */
    [[nodiscard]] size_t recent() const { return recent_; }
    [[nodiscard]] size_t recent_lost() const;
    [[nodiscard]] size_t lost_of_last(size_t n) const;
    /** Round-trip times of the last ones in ns, oldest first; 0: lost. */
    [[nodiscard]] std::vector<uint32_t> recent_rtts() const;
    /** Of those of them that came back; zeros: none did. */
    [[nodiscard]] RttSpread rtt_spread() const;
    /** Smoothed by an eighth; 0: none came back yet. */
    [[nodiscard]] uint64_t srtt_ns() const { return srtt_ns_; }
    /** How many in a row came back since it was dead or lost one, up to now. */
    [[nodiscard]] uint64_t answered_in_a_row() const { return answered_run_; }
    /** How many in a row were lost, up to now. */
    [[nodiscard]] uint64_t lost_in_a_row() const { return lost_run_; }
    /** When the first of them was found to be lost. */
    [[nodiscard]] uint64_t losing_since_ns() const { return losing_since_ns_; }
    /** When the last one that came back did. */
    [[nodiscard]] uint64_t answered_ns() const { return answered_ns_; }
    /** Dead, though some come back: half of the last twenty are lost. */
    [[nodiscard]] bool lossy() const;

private:
    void add(uint32_t rtt_ns);

    uint64_t dead_run_;
    uint64_t alive_run_;
    std::array<uint32_t, kept> ring_{}; ///< round-trip times in ns; 0: lost
    size_t next_ = 0;
    size_t recent_ = 0;
    uint64_t sent_ = 0;
    uint64_t lost_ = 0;
    uint64_t lost_run_ = 0;
    uint64_t answered_run_ = 0;
    uint64_t needed_ = 0; ///< answers in a row that bring it back
    uint64_t revived_ns_ = 0;
    uint64_t losing_since_ns_ = 0;
    uint64_t answered_ns_ = 0;
    uint64_t srtt_ns_ = 0;
    Verdict verdict_ = Verdict::unknown;
};

} // namespace mrcd
