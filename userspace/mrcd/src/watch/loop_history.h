// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The history of the probes of one loop.
 */
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "file/fabric.h"

namespace mrcd
{

/** The state of a loop, as its probes show it. */
enum class Verdict { unknown, alive, dead };

/** The spread of several round-trip times, in ns. */
struct RttSpread {
    uint32_t min = 0;
    uint32_t median = 0;
    uint32_t max = 0;
};

/**
 * The last probes of a loop, and a verdict with hysteresis. The loop is dead after a number of
 * losses in a row (Watching::dead_after), or when half of the last twenty probes are lost. It is
 * alive again after a number of answers in a row (Watching::alive_after). That number doubles each
 * time the loop dies within a minute of having come back, up to eight times the number.
 */
class LoopHistory
{
public:
    static constexpr size_t kept = 100;

    /** @param watching has the numbers of losses and answers */
    explicit LoopHistory(const Watching &watching)
        : dead_run_(watching.dead_after), alive_run_(watching.alive_after)
    {
    }

    /** A probe came back after @p rtt_ns. */
    void answered(uint64_t now_ns, uint64_t rtt_ns);
    /** A probe did not come back in time. */
    void lost(uint64_t now_ns);
    /** Something else shows that no probe can come back. */
    void die(uint64_t now_ns);
    /** Forgets the losses in a row up to now. A dead loop stays dead. */
    void start_anew() { lost_run_ = 0; }

    [[nodiscard]] Verdict verdict() const { return verdict_; }
    [[nodiscard]] uint64_t sent() const { return sent_; }
    [[nodiscard]] uint64_t lost() const { return lost_; }
    /** The last probes, at most #kept: how many there are, and how many of them were lost. */
    [[nodiscard]] size_t recent() const { return recent_; }
    [[nodiscard]] size_t recent_lost() const;
    [[nodiscard]] size_t lost_of_last(size_t n) const;
    /** Round-trip times of the last probes in ns, oldest first; 0: lost. */
    [[nodiscard]] std::vector<uint32_t> recent_rtts() const;
    /** Spread of the round-trip times of the last probes that came back; zeros: none did. */
    [[nodiscard]] RttSpread rtt_spread() const;
    /** Round-trip time smoothed by an eighth; 0: no probe has come back yet. */
    [[nodiscard]] uint64_t srtt_ns() const { return srtt_ns_; }
    /** How many probes in a row came back, since the last loss or since the loop died. */
    [[nodiscard]] uint64_t answered_in_a_row() const { return answered_run_; }
    /** How many probes were lost since the last answer. */
    [[nodiscard]] uint64_t lost_in_a_row() const { return lost_run_; }
    /** When the first of the losses in a row was noticed. */
    [[nodiscard]] uint64_t losing_since_ns() const { return losing_since_ns_; }
    /** When the last answer came. */
    [[nodiscard]] uint64_t answered_ns() const { return answered_ns_; }
    /** Is the loop dead though some probes come back, because half of the last twenty are lost? */
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
    uint64_t needed_ = 0; ///< answers in a row that make it alive again
    uint64_t revived_ns_ = 0;
    uint64_t losing_since_ns_ = 0;
    uint64_t answered_ns_ = 0;
    uint64_t srtt_ns_ = 0;
    Verdict verdict_ = Verdict::unknown;
};

} // namespace mrcd
