// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * What must change for the kernel to have what is planned, step by step.
 */
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plan/planner.h"
#include "plan/state.h"

namespace mrcd
{

/** An EV to be denied or allowed. */
struct EvDenial {
    uint64_t profile = 0;
    uint16_t index = 0;
    bool deny = false;
};

/** One request to the kernel, or why there is none. */
struct Step {
    /** What becomes of the object. */
    enum class Kind {
        add,
        replace,
        remove,
        wait,    ///< nothing: the netdev that is needed does not exist yet
        conflict ///< nothing: somebody must decide
    };

    Kind kind = Kind::add;
    std::string object; ///< noun, as mrcctl has it: "route"
    std::string what;   ///< which one, and what it is to be: "fd00::2/128 ev-profile 258"
    std::function<mrcnl::Result<void>(Target &)> apply{}; ///< unless it waits or conflicts
    std::string part{};                                   ///< steps that others need; see needs
    std::optional<std::string> needs{}; ///< a part of which no step was refused, "": no step at all
    bool last = false;                  ///< what comes behind it must be worked out anew
    bool in_place = false;              ///< a conflict, but something is there: nothing is missing
    std::optional<EvDenial> ev{};       ///< if it is about one
};

/**
 * The steps from a state to the plan, none when it is as planned.
 *
 * What traffic uses is there before it is named, and goes when it is named no more: planes
 * and profiles, then routes, then what is left over, the other way round. EVs are allowed
 * before others are denied. What is as planned is not touched, nor are profiles that QPs use.
 */
std::vector<Step> difference(const State &state, const Plan &plan, System &system);

/** "+ route fd00::2/128 ev-profile 258", "! waits for netdev eth3" */
std::string to_string(const Step &step);

} // namespace mrcd
