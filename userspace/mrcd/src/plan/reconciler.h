// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Makes the kernel have what is planned.
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

/** A step that the kernel refused or that is none to take, or that the state could not be read. */
struct Refusal {
    std::string step;   ///< as to_string() has it
    mrcnl::Error error; ///< code 0: the step says it
    std::string object; ///< of the step; empty: there was none
    std::string what;

    /** One line for people. */
    [[nodiscard]] std::string message() const;
};

/** What all attempts have come to. */
struct Progress {
    std::vector<Refusal> refusals; ///< of the last one
    std::string undone_step;       ///< has to be taken again and again; empty: none
};

/**
 * Which plan is the one to follow. Whoever makes another one while one is followed in another
 * thread says so here, and from then on nothing is denied or allowed by the old one.
 */
struct PlanVersion {
    std::mutex mutex; ///< held while an EV is denied or allowed
    uint64_t number = 0;
};

/** What one attempt came to. */
struct Outcome {
    std::vector<std::string> done; ///< steps, as to_string() has them
    std::vector<Refusal> refusals;
    std::vector<std::string> waits;   ///< netdevs that do not exist
    bool cut = false;                 ///< there may be more to do: what, must be worked out anew
    std::optional<uint8_t> dscp_data; ///< of the device, if there is one
    bool module_gone = false; ///< nothing can be asked of the kernel until it is opened anew
    /** Nothing is missing. */
    [[nodiscard]] bool converged() const { return refusals.empty() && waits.empty() && !cut; }
};

/**
 * Reads the state and takes the steps to the plan. A refused step does not keep the others,
 * unless they need it.
 *
 * Nothing is remembered between calls: whoever was ended in between, and whoever else changed
 * something, it goes on from what there is.
 *
 * @param version of plans; when it is not @p number any more, no other step is taken
 * @param each told of each step taken
 */
Outcome converge(Target &target, const Plan &plan, PlanVersion &version, uint64_t number,
                 const std::function<void(const Step &)> &each);

/**
 * Denies the EVs of the device that the plan denies, by what they are, and does nothing else: it
 * waits for nobody who configures netdevs.
 *
 * @return those that are denied now and were not; what is refused is converge()'s to tell
 */
EvChange deny_evs(mrcnl::Kernel &kernel, const Plan &plan);

} // namespace mrcd
