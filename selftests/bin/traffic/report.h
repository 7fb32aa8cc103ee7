// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file report.h
 * What came of a run.
 */
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace traffic
{

struct Report {
    /** Problems kept as text; all are counted. */
    static constexpr size_t keep = 10;

    uint64_t messages_sent = 0;
    uint64_t bytes_sent = 0;
    uint64_t messages_verified = 0;
    uint64_t bytes_verified = 0;
    uint64_t immediates = 0;
    uint64_t problem_count = 0;
    double seconds = 0;
    /** Completions with an error, by the name of their status. */
    std::map<std::string, uint64_t> errors;
    std::map<std::string, uint64_t> async_events;
    std::vector<std::string> problems;

    /** Something that must not happen: the run has failed. */
    void problem(const std::string &what)
    {
        problem_count++;
        if (problems.size() < keep) {
            problems.push_back(what);
        }
    }
    [[nodiscard]] bool good() const { return problem_count == 0; }
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Report, messages_sent, bytes_sent, messages_verified,
                                   bytes_verified, immediates, problem_count, seconds, errors,
                                   async_events, problems)

} // namespace traffic
