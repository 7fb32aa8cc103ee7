// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Remembers since when each problem exists, across restarts of mrcd, and logs problems that begin
 * and end.
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

    /**
     * Reads what an earlier mrcd process left, unless it is not credible. @param now_ns since 1970
     */
    void recall(uint64_t now_ns);

    /**
     * Fills in since when each problem exists, and logs problems that are new or over. Problems
     * with the file, steps and faults are logged elsewhere.
     *
     * @param now_ns since 1970
     */
    void update(std::vector<Problem> &problems, uint64_t now_ns);

private:
    void keep(uint64_t now_ns);

    std::string file_;
    std::string boot_;
    Log &log_;
    std::map<std::string, uint64_t> since_; ///< ns since 1970, by Problem::what
    std::optional<std::map<std::string, uint64_t>> written_;
    uint64_t written_ns_ = 0;
};

} // namespace mrcd
