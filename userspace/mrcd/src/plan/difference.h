// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Works out the steps that lead from the kernel's state to the plan.
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

/** One request to the kernel, or the reason why there is none. */
struct Step {
    /** What happens to the object. */
    enum class Kind {
        add,
        replace,
        remove,
        wait,    ///< nothing: a netdev that it needs does not exist yet
        conflict ///< nothing: a person must decide
    };

    Kind kind = Kind::add;
    std::string object; ///< noun, as mrcctl has it: "route"
    std::string what;   ///< which object, and its new value: "fd00::2/128 ev-profile 258"
    std::function<mrcnl::Result<void>(Target &)> apply{}; ///< empty for wait and conflict
    std::string part{};                                   ///< the part that other steps can need
    std::optional<std::string> needs{}; ///< skipped if a step of this part was refused; "": of any
    bool last = false;                  ///< the steps behind it must be worked out anew
    bool in_place = false; ///< the conflict is about an object that exists: nothing is missing
    std::optional<EvDenial> ev{}; ///< the EV that it denies or allows
};

/**
 * The steps from a state to the plan; none when the state is as planned.
 *
 * Objects are made before other objects refer to them, and deleted after that: first planes and
 * profiles, then routes, then what is left over, in the opposite order. EVs are allowed before
 * others are denied. Objects that are as planned are not touched, and neither are profiles that QPs
 * use.
 */
std::vector<Step> difference(const State &state, const Plan &plan, System &system);

/** "+ route fd00::2/128 ev-profile 258", "! waits for netdev eth3" */
std::string to_string(const Step &step);

} // namespace mrcd
