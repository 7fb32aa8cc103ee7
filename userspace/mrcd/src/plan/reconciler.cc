// SPDX-License-Identifier: GPL-2.0-only
#include "plan/reconciler.h"

#include <algorithm>
#include <cerrno>
#include <set>

namespace mrcd
{

namespace
{

class Attempt
{
public:
    Attempt(Target &target, PlanVersion &version, uint64_t number,
            const std::function<void(const Step &)> &each)
        : target_(target), version_(version), number_(number), each_(each)
    {
    }

    /** @return false: the plan is no longer the one to follow, and the step was not taken */
    bool take(const Step &step);
    Outcome &outcome() { return outcome_; }

private:
    void refuse(const Step &step, const mrcnl::Error &error);
    std::optional<mrcnl::Result<void>> apply(const Step &step);

    Target &target_;
    PlanVersion &version_;
    uint64_t number_;
    const std::function<void(const Step &)> &each_;
    std::set<std::string> refused_; ///< parts
    Outcome outcome_;
};

void Attempt::refuse(const Step &step, const mrcnl::Error &error)
{
    outcome_.refusals.push_back({to_string(step), error, step.object, step.what});
    if (!step.in_place)
        refused_.insert({step.part, ""});
}

/**
 * Takes a step. Steps that change EVs never wait for other programs, and run with the lock held, so
 * that a thread that makes a new plan waits for them. All other steps may take seconds, and run
 * without it.
 */
std::optional<mrcnl::Result<void>> Attempt::apply(const Step &step)
{
    std::unique_lock lock(version_.mutex);

    if (version_.number != number_)
        return std::nullopt;
    if (step.object != "ev" && step.object != "ev-profile")
        lock.unlock();
    return step.apply(target_);
}

bool Attempt::take(const Step &step)
{
    if (step.needs && refused_.contains(*step.needs))
        return true;
    if (step.kind == Step::Kind::wait) {
        outcome_.waits.push_back(step.what);
        return true;
    }
    if (step.kind == Step::Kind::conflict) {
        refuse(step, {});
        return true;
    }
    const auto applied = apply(step);
    if (!applied)
        return false;
    if (!*applied) {
        refuse(step, applied->error());
        return true;
    }
    outcome_.done.push_back(to_string(step));
    each_(step);
    return true;
}

/** Does the plan deny an EV of the same port and path? */
bool denies(const mrcnl::EvProfileSpec &profile, const mrcnl::EvSpec &ev)
{
    return std::any_of(profile.evs.begin(), profile.evs.end(), [&](const mrcnl::EvSpec &planned) {
        return planned.denied && planned.port == ev.port && planned.path == ev.path;
    });
}

} // namespace

std::string Refusal::message() const
{
    return error.code ? step + ": " + error.message() : step;
}

Outcome converge(Target &target, const Plan &plan, PlanVersion &version, uint64_t number,
                 const std::function<void(const Step &)> &each)
{
    const auto state = read_state(target, plan);
    Attempt attempt(target, version, number, each);
    Outcome &outcome = attempt.outcome();

    if (!state) {
        outcome.module_gone = state.error().code == ENOENT;
        outcome.refusals.push_back({"read " + plan.device, state.error(), "", ""});
        return std::move(outcome);
    }
    if (state->device)
        outcome.dscp_data = state->dscp_data;
    for (const Step &step : difference(*state, plan, target.system)) {
        outcome.cut = !attempt.take(step) || step.last;
        if (outcome.cut)
            break;
    }
    return std::move(outcome);
}

EvChange deny_evs(mrcnl::Kernel &kernel, const Plan &plan)
{
    const auto evs = kernel.evs(plan.device, std::nullopt);
    EvChange change;

    if (!evs)
        return change;
    for (const mrcnl::Ev &ev : *evs) {
        const auto profile = plan.ev_profiles.find(ev.ev_profile);
        const auto *way = std::get_if<mrcnl::EvVia>(&ev.spec.path);
        // In profiles that have left the plan, EVs that old QPs use are denied as well.
        const bool wanted = profile != plan.ev_profiles.end()
                                ? denies(profile->second, ev.spec)
                                : way && plan.denied.denies(ev.spec.port, way->via) == true;
        if (wanted && !ev.spec.denied &&
            kernel.deny_ev(plan.device, {ev.ev_profile, ev.index, ev.version}, true))
            change.denied[ev.ev_profile].push_back(ev.index);
    }
    return change;
}

} // namespace mrcd
