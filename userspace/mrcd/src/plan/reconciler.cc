// SPDX-License-Identifier: GPL-2.0-only
#include "plan/reconciler.h"

#include <cerrno>
#include <set>

namespace mrcd
{

namespace
{

/** One attempt. */
class Attempt
{
public:
    Attempt(Target &target, const std::function<void(const Step &)> &each)
        : target_(target), each_(each)
    {
    }

    void take(const Step &step);
    Outcome &outcome() { return outcome_; }

private:
    void refuse(const Step &step, const mrcnl::Error &error);

    Target &target_;
    const std::function<void(const Step &)> &each_;
    std::set<std::string> refused_; ///< parts
    Outcome outcome_;
};

void Attempt::refuse(const Step &step, const mrcnl::Error &error)
{
    outcome_.refusals.push_back({to_string(step), error});
    refused_.insert({step.part, ""});
}

void Attempt::take(const Step &step)
{
    if (step.needs && refused_.contains(*step.needs))
        return;
    if (step.kind == Step::Kind::wait)
        return outcome_.waits.push_back(step.what);
    if (step.kind == Step::Kind::conflict)
        return refuse(step, {});
    const auto applied = step.apply(target_);
    if (!applied)
        return refuse(step, applied.error());
    outcome_.done.push_back(to_string(step));
    each_(step);
}

} // namespace

std::string Refusal::message() const
{
    return error.code ? step + ": " + error.message() : step;
}

Outcome converge(Target &target, const Plan &plan, const std::function<void(const Step &)> &each)
{
    const auto state = read_state(target, plan);
    Attempt attempt(target, each);
    Outcome &outcome = attempt.outcome();

    if (!state) {
        outcome.module_gone = state.error().code == ENOENT;
        outcome.refusals.push_back({"read " + plan.device, state.error()});
        return std::move(outcome);
    }
    for (const Step &step : difference(*state, plan, target.system)) {
        attempt.take(step);
        if (step.last) {
            outcome.cut = true;
            break;
        }
    }
    return std::move(outcome);
}

} // namespace mrcd
