// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Changes the kernel's objects until they are as planned.
 */
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "plan/difference.h"
#include "plan/ev_change.h"

namespace mrcd
{

/** A step that the kernel refused, or that waits for a person; or a failure to read the state. */
struct Refusal {
    std::string step;   ///< as to_string() has it
    mrcnl::Error error; ///< code 0: the step itself says why
    std::string object; ///< of the step; empty: there was no step
    std::string what;

    /** One line for people. */
    [[nodiscard]] std::string message() const;
};

/** The result of all attempts up to now. */
struct Progress {
    std::vector<Refusal> refusals; ///< of the last attempt
    std::string undone_step;       ///< a step that must be taken again and again; empty: none
};

/**
 * The number of the plan to follow. A thread that makes a new plan while another thread follows an
 * old one changes it. From then on, the old plan denies and allows nothing.
 */
struct PlanVersion {
    std::mutex mutex; ///< held while an EV is denied or allowed
    uint64_t number = 0;
};

/** The result of one attempt. */
struct Outcome {
    std::vector<std::string> done; ///< steps, as to_string() has them
    std::vector<Refusal> refusals;
    std::vector<std::string> waits;   ///< netdevs that do not exist
    bool cut = false;                 ///< there may be more steps, which must be worked out anew
    std::optional<uint8_t> dscp_data; ///< of the device; empty: there is no device
    bool module_gone = false; ///< the kernel must be opened anew before it can be asked again
    /** Is all done? */
    [[nodiscard]] bool converged() const { return refusals.empty() && waits.empty() && !cut; }
};

/**
 * Reads the state and takes the steps to the plan. A refused step stops only steps that need it.
 *
 * Nothing is remembered between calls. Each call starts from the present state, even if mrcd was
 * killed in between or somebody else changed something.
 *
 * @param version number of the plan to follow; when it differs from @p number, no further step is
 *        taken
 * @param each called for each step that was taken
 */
Outcome converge(Target &target, const Plan &plan, PlanVersion &version, uint64_t number,
                 const std::function<void(const Step &)> &each);

/**
 * Denies the EVs of the device that the plan denies, according to their values, and does nothing
 * else. It never waits for programs that are configuring netdevs.
 *
 * @return the EVs that are newly denied; converge() reports refusals
 */
EvChange deny_evs(mrcnl::Kernel &kernel, const Plan &plan);

} // namespace mrcd
