// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file report.h
 * The results of a run.
 */
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "times.h"

namespace traffic
{

struct Report {
    /** Problems that are kept as text; all are counted. */
    static constexpr size_t keep = 10;

    uint64_t messages_sent = 0;
    uint64_t bytes_sent = 0;
    uint64_t messages_verified = 0;
    uint64_t bytes_verified = 0;
    /** Bytes that were read back and were right. */
    uint64_t bytes_read = 0;
    uint64_t immediates = 0;
    uint64_t problem_count = 0;
    double seconds = 0;
    /** Completions with an error, by the name of their status. */
    std::map<std::string, uint64_t> errors;
    std::map<std::string, uint64_t> async_events;
    std::vector<std::string> problems;
    /** Times from the posting of a signalled request to the poll of its completion. */
    Times completions;

    /** Reports something that must not happen: the run has failed. */
    void problem(const std::string &what)
    {
        problem_count++;
        if (problems.size() < keep) {
            problems.push_back(what);
        }
    }
    [[nodiscard]] bool good() const { return problem_count == 0; }
};
inline void to_json(nlohmann::json &json, const Report &r)
{
    json = {{"messages_sent", r.messages_sent},
            {"bytes_sent", r.bytes_sent},
            {"messages_verified", r.messages_verified},
            {"bytes_verified", r.bytes_verified},
            {"bytes_read", r.bytes_read},
            {"immediates", r.immediates},
            {"problem_count", r.problem_count},
            {"seconds", r.seconds},
            {"errors", r.errors},
            {"async_events", r.async_events},
            {"problems", r.problems},
            {"completions", r.completions}};
}

} // namespace traffic
