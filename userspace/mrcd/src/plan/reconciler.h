// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Makes the kernel have what is planned.
 */
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "plan/difference.h"

namespace mrcd
{

/** A step that the kernel refused or that is none to take, or that the state could not be read. */
struct Refusal {
    std::string step;   ///< as to_string() has it
    mrcnl::Error error; ///< code 0: the step says it

    /** One line for people. */
    std::string message() const;
};

/** What one attempt came to. */
struct Outcome {
    std::vector<std::string> done; ///< steps, as to_string() has them
    std::vector<Refusal> refusals;
    std::vector<std::string> waits; ///< netdevs that do not exist
    bool cut = false;               ///< there may be more to do: what, must be worked out anew
    bool module_gone = false;       ///< nothing can be asked of the kernel until it is opened anew
    /** Nothing is missing. */
    bool converged() const { return refusals.empty() && waits.empty() && !cut; }
};

/**
 * Reads the state and takes the steps to the plan. A refused step does not keep the others,
 * unless they need it.
 *
 * Nothing is remembered between calls: whoever was ended in between, and whoever else changed
 * something, it goes on from what there is.
 *
 * @param each told of each step taken
 */
Outcome converge(Target &target, const Plan &plan, const std::function<void(const Step &)> &each);

} // namespace mrcd
