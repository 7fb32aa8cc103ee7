// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Since when something is wrong, over restarts as well, and who is told of it.
 */
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/log.h"
#include "report/problem.h"

namespace mrcd
{

class ProblemHistory
{
public:
    /** @param file where it is kept; empty: nowhere. @param log outlives this */
    ProblemHistory(std::string file, std::string boot, Log &log)
        : file_(std::move(file)), boot_(std::move(boot)), log_(log)
    {
    }

    /** What a predecessor has left, if it is to be believed. @param now_ns since 1970 */
    void recall(uint64_t now_ns);

    /**
     * Fills in since when each is there, and logs those that are new or over, but for those that
     * others log: the file, steps and faults.
     *
     * @param now_ns since 1970
     */
    void update(std::vector<Problem> &problems, uint64_t now_ns);

private:
    void keep(uint64_t now_ns);

    std::string file_;
    std::string boot_;
    Log &log_;
    std::map<std::string, uint64_t> since_; ///< ns since 1970, by what
    std::optional<std::map<std::string, uint64_t>> written_;
    uint64_t written_ns_ = 0;
};

} // namespace mrcd
