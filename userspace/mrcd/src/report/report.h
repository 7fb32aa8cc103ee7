// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The report on this host. It is made once for each look, and never changed: mrcctl, Prometheus,
 * browsers and the log all get the same report.
 */
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "file/file_state.h"
#include "report/problem.h"
#include "watch/decision_log.h"
#include "watch/fault_finder.h"

namespace mrcd
{

/** The results of a loop's probes that are as long as data. */
struct DataSummary {
    uint16_t bytes = 0; ///< of the packets; 0: there are no such probes
    Verdict verdict = Verdict::unknown;
    uint64_t sent = 0;
    uint64_t lost = 0;
};

/** The results of a loop's probes. */
struct LoopSummary {
    Verdict verdict = Verdict::unknown;
    uint64_t sent = 0;
    uint64_t lost = 0;
    size_t recent = 0; ///< number of the last probes
    size_t recent_lost = 0;
    uint64_t srtt_ns = 0;
    RttSpread spread;
    std::vector<uint32_t> rtts_ns; ///< of the last probes, oldest first; 0: lost
    DataSummary data;
};

/** The loop by a T1. */
struct T1Report {
    std::string name;
    LoopSummary loop;
};

/** A plane that is probed. */
struct PlaneReport {
    uint8_t port = 0;
    std::string ifname;
    std::string t0;
    bool carrier = false;
    LoopSummary loop;
    std::vector<T1Report> t1;
};

struct FaultReport {
    std::string element;
    Element::Kind kind = Element::Kind::host_link;
    Cause cause = Cause::silence;
    uint8_t port = 0;
    uint64_t since_ns = 0; ///< since 1970
    std::string evidence;
    uint64_t lost = 0;
    bool denied = false;
};

struct Report {
    std::string device;
    std::string host;
    std::string status; ///< of the configuration, for people
    bool as_planned = false;
    Health health = Health::unknown;
    uint64_t time_ns = 0; ///< since 1970
    FileState file;
    std::vector<Problem> problems;
    std::vector<PlaneReport> planes; ///< empty: nothing is probed
    std::vector<FaultReport> faults;
    std::vector<std::string> denied; ///< by the file
    std::vector<Decision> decisions;
    std::map<mrcnl::Address, std::string> hosts; ///< names by GID
};

/** The sources of a report, all of one moment. */
struct ReportSource {
    const Fabric &fabric;
    const FaultFinder *finder = nullptr; ///< null: nothing is probed
    bool knows = true;                   ///< there was enough time to find what is broken
    const std::deque<Decision> &decisions;
    const FileState &file;
    std::string status;
    bool as_planned = false;
    std::vector<Problem> problems; ///< with since_ns
    uint64_t monotonic_ns = 0;     ///< now, of the clock of the finder
    uint64_t wall_ns = 0;          ///< now, since 1970
};

Report make_report(ReportSource source);

/** Holds the last report. May be used by several threads. */
class ReportBoard
{
public:
    void put(Report report)
    {
        auto made = std::make_shared<const Report>(std::move(report));
        const std::lock_guard guard(mutex_);
        latest_ = std::move(made);
    }

    /** @return null: there is none yet */
    std::shared_ptr<const Report> get() const
    {
        const std::lock_guard guard(mutex_);
        return latest_;
    }

private:
    mutable std::mutex mutex_;
    std::shared_ptr<const Report> latest_;
};

} // namespace mrcd
