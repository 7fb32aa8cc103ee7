// SPDX-License-Identifier: GPL-2.0-only
#include "daemon.h"

#include <algorithm>
#include <cerrno>

#include "file/fabric_file.h"
#include "report/health.h"

namespace mrcd
{

namespace
{

constexpr uint64_t check_ms = 10000; // somebody may have changed what tells of no change
constexpr uint64_t retry_ms = 100;   // at first, then twice as long each time
constexpr uint64_t away_ms = 1000;   // nobody tells when the module comes

std::string waiting(const std::string &netdevs)
{
    return "waits for netdev " + netdevs;
}

std::string status_of(const Outcome &outcome)
{
    std::string netdevs;

    if (!outcome.refusals.empty())
        return outcome.refusals[0].message();
    for (const std::string &netdev : outcome.waits)
        netdevs += (netdevs.empty() ? "" : ", ") + netdev;
    return netdevs.empty() ? as_planned : waiting(netdevs);
}

} // namespace

/** The fabric of the file, if it is one to follow. */
std::optional<Fabric> Daemon::read()
{
    const auto text = read_();

    problem_.clear();
    if (!text) {
        complain(file_ + ": " + text.error().message());
        return std::nullopt;
    }
    auto result = read_fabric(*text, host_name_);
    if (const auto *complaints = std::get_if<Complaints>(&result)) {
        for (const Complaint &complaint : *complaints)
            complain(to_string(file_, complaint));
        return std::nullopt;
    }
    auto &fabric = std::get<Fabric>(result);
    if (plan_ && fabric.local.device != plan_->device) {
        complain(file_ + ": the device cannot change while mrcd runs: restart it");
        return std::nullopt;
    }
    return std::move(fabric);
}

/** The first one is told to who asked for it. */
void Daemon::complain(const std::string &text)
{
    log_.write(Level::error, text);
    if (problem_.empty())
        problem_ = text;
}

void Daemon::make_plan_anew()
{
    Fabric fabric = *fabric_;

    fabric.denied.add(found_);
    plan_ = make_plan(fabric);
    plan_->keep_denials = keep_denials_;
    // Whatever was waited for before: this is new.
    wait_ms_ = 0;
    last_done_.clear();
}

void Daemon::keep_denials(bool on)
{
    keep_denials_ = on;
    plan_->keep_denials = on;
}

bool Daemon::deny(const Denials &found)
{
    if (found == found_)
        return false;
    found_ = found;
    make_plan_anew();
    return true;
}

bool Daemon::load()
{
    auto fabric = read();

    if (!fabric) {
        if (plan_)
            log_.write(Level::warning, file_ + ": not taken, all stays as it was planned before");
        return false;
    }
    // Indices may mean other switches now: who found faults finds them again.
    fabric_ = std::move(*fabric);
    found_ = {};
    make_plan_anew();
    log_.write(Level::info, file_ + ": " + std::to_string(plan_->ev_profiles.size()) +
                                " EV profiles, " + std::to_string(plan_->routes.size()) +
                                " routes");
    return true;
}

bool Daemon::open()
{
    auto kernel = open_();

    if (!kernel) {
        report_closed(kernel.error());
        return false;
    }
    auto events = (*kernel)->events();
    if (!events) {
        report_closed(events.error());
        return false;
    }
    kernel_ = std::move(*kernel);
    events_ = std::move(*events);
    return true;
}

void Daemon::report_closed(const mrcnl::Error &error)
{
    status_ = error.code == ENOENT ? "the module is not loaded" : "module: " + error.message();
    if (!told_.contains(status_))
        log_.write(Level::warning, status_);
    told_ = {status_};
}

/** Each once, until it is over. */
void Daemon::report(const Outcome &outcome)
{
    std::set<std::string> now;
    const auto tell = [&](Level level, const std::string &text) {
        if (now.insert(text).second && !told_.contains(text))
            log_.write(level, text);
    };

    for (const Refusal &refusal : outcome.refusals)
        tell(Level::warning, refusal.message());
    for (const std::string &netdev : outcome.waits)
        tell(Level::notice, waiting(netdev));
    told_ = std::move(now);
    status_ = status_of(outcome);
}

void Daemon::report(const EvChange &evs)
{
    Log::Fields fields{{"DEVICE", plan_->device}};

    if (evs.empty())
        return;
    add_fields(fields, evs);
    log_.record(Level::notice, "~ " + to_string(evs), fields);
}

/** Steps that are taken again and again show that somebody works against them. */
Daemon::Again Daemon::again_after(const Outcome &outcome)
{
    const bool repeated = !outcome.done.empty() && outcome.done == last_done_;

    last_done_ = outcome.done;
    if (repeated || (outcome.done.empty() && !outcome.refusals.empty())) {
        wait_ms_ = std::clamp(2 * wait_ms_, retry_ms, check_ms);
        return {repeated ? wait_ms_ : rest_ms, wait_ms_};
    }
    wait_ms_ = 0;
    if (outcome.done.empty())
        return {rest_ms, check_ms};
    return {rest_ms, outcome.cut ? 0 : retry_ms};
}

Daemon::Again Daemon::work()
{
    if (!kernel_ && !open())
        return {rest_ms, away_ms};
    Target target{*kernel_, system_};
    EvChange evs;
    // One by one they would drown what they are done for.
    const Outcome outcome = converge(target, *plan_, [&](const Step &step) {
        if (step.ev)
            (step.ev->deny ? evs.denied : evs.allowed)[step.ev->profile].push_back(step.ev->index);
        else
            log_.write(Level::notice, to_string(step));
    });
    report(evs);
    if (outcome.module_gone) {
        reopen();
        report_closed(outcome.refusals[0].error);
    } else {
        report(outcome);
    }
    return again_after(outcome);
}

} // namespace mrcd
