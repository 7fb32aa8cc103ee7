// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Logs and keeps each decision about broken links, once.
 */
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "host/log.h"
#include "plan/ev_change.h"
#include "plan/planner.h"
#include "watch/fault_finder.h"

namespace mrcd
{

/** A decision and its reason. */
struct Decision {
    uint64_t time_ns = 0; ///< since 1970
    std::string text;
};

/** The decisions of one host. */
class DecisionLog
{
public:
    /** How many decisions are kept for reports. */
    static constexpr size_t kept = 100;

    /** Says why an element is no longer broken. */
    using Recovery = std::function<std::string(const Finding &)>;

    /** @param log outlives this. @param now ns since 1970 */
    DecisionLog(Log &log, std::function<uint64_t()> now) : log_(log), now_(std::move(now)) {}

    /** Sets the fabric from now on. Faults of elements that exist in the new fabric stay known. */
    void look_at(const Fabric &fabric);

    /**
     * Sets what is broken now.
     *
     * @param certain true: a known fault that is not in @p faults is over. False: it may be found
     *        again
     */
    void update(const std::vector<Fault> &faults, bool certain, const Recovery &recovery);

    [[nodiscard]] const std::deque<Decision> &decisions() const { return decisions_; }

private:
    std::vector<Fault>::iterator known(const Element &element);
    void begin(const Fault &fault);
    void end(const Element &element, const std::vector<Fault> &faults, const std::string &why);
    [[nodiscard]] EvChange change_since(const Denials &before) const;
    void say(const char *verdict, const std::string &what, const Finding &finding,
             const EvChange &evs);

    Log &log_;
    std::function<uint64_t()> now_;
    Fabric fabric_;
    std::vector<PlannedEv> evs_;
    std::vector<Fault> known_; ///< faults that were logged
    std::deque<Decision> decisions_;
};

} // namespace mrcd
