// SPDX-License-Identifier: GPL-2.0-only
#include "daemon.h"

#include <algorithm>
#include <cerrno>

#include "file/fabric_file.h"
#include "watch/udp_sender.h"

namespace mrcd
{

namespace
{

constexpr uint64_t check_ms = 10000;    // for changes that no event reports
constexpr uint64_t retry_ms = 100;      // the first wait, doubled each time
constexpr uint64_t away_ms = 1000;      // no event reports that the module was loaded
constexpr std::chrono::seconds slow{2}; // a pass that takes longer is reported
constexpr const char *nothing_left = "as planned";

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
    return netdevs.empty() ? nothing_left : waiting(netdevs);
}

} // namespace

/** Reads the file. @return the fabric; nothing when the file is refused */
std::optional<Fabric> Daemon::read()
{
    const auto text = read_();

    file_state_.name = file_;
    file_state_.problem.clear();
    file_state_.changed = false;
    read_hash_ = text ? hash_of_text(*text) : "";
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
        complain(file_ + ": the device cannot change while mrcd runs: restart mrcd");
        return std::nullopt;
    }
    return std::move(fabric);
}

/** Logs a complaint. The first one also goes into reports. */
void Daemon::complain(const std::string &text)
{
    log_.write(Level::error, text);
    if (file_state_.problem.empty())
        file_state_.problem = text;
    file_state_.refused_ns = wall_ns();
}

void Daemon::make_plan_anew()
{
    Fabric fabric = *fabric_;

    fabric.denied.add(found_);
    plan_ = make_plan(fabric);
    plan_->keep_denials = keep_denials_;
    {
        const std::lock_guard guard(version_.mutex);
        version_.number++;
    }
    // A new plan must not wait as long as the old one did.
    wait_ms_ = 0;
    last_done_.clear();
}

void Daemon::reopen()
{
    kernel_.reset();
    urgent_.reset();
    openings_++;
}

std::string Daemon::status() const
{
    using std::chrono::seconds;
    const auto since = begun_ ? std::chrono::steady_clock::now() - *begun_ : seconds(0);
    std::string text = status_;

    if (since >= slow)
        text = "the kernel has not answered for " +
               std::to_string(std::chrono::duration_cast<seconds>(since).count()) +
               " s: another program is configuring netdevs";
    return file_state_.problem.empty() ? text
                                       : file_state_.problem + "; by the previous file: " + text;
}

bool Daemon::as_planned() const
{
    return status() == nothing_left;
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
    if (urgent_ && !others_)
        report(deny_evs(*urgent_, *plan_));
    return true;
}

bool Daemon::load()
{
    auto fabric = read();

    if (!fabric) {
        if (plan_)
            log_.write(Level::warning, file_ + ": refused; the previous plan stays in force");
        return false;
    }
    // Indices may mean other switches in the new file. deny() sets the known faults again, by name.
    fabric_ = std::move(*fabric);
    found_ = {};
    file_state_.hash = read_hash_;
    file_state_.taken_ns = wall_ns();
    file_state_.refused_ns = 0;
    make_plan_anew();
    log_.write(Level::info, file_ + ": " + std::to_string(plan_->ev_profiles.size()) +
                                " EV profiles, " + std::to_string(plan_->routes.size()) +
                                " routes");
    return true;
}

mrcnl::Result<void> Daemon::open(Pass &pass) const
{
    auto kernel = open_();
    auto urgent = kernel ? open_() : mrcnl::Result<std::shared_ptr<mrcnl::Kernel>>(kernel.error());

    if (!urgent)
        return urgent.error();
    auto events = (*kernel)->events(false);
    if (!events)
        return events.error();
    pass.kernel_ = std::move(*kernel);
    pass.urgent_ = std::move(*urgent);
    pass.events_ = std::move(*events);
    return {};
}

void Daemon::look_at_file()
{
    const auto text = read_();

    file_state_.changed = (text ? hash_of_text(*text) : "") != read_hash_;
}

void Daemon::report_closed(const mrcnl::Error &error)
{
    progress_ = {};
    status_ = error.code == ENOENT ? "the module is not loaded" : "module: " + error.message();
    if (!told_.contains(status_))
        log_.write(Level::warning, status_);
    told_ = {status_};
}

/** Logs each refusal and each wait once, until it is over. */
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
    progress_.refusals = outcome.refusals;
}

void Daemon::report(const EvChange &evs)
{
    Log::Fields fields{{"DEVICE", plan_->device}};

    if (evs.empty())
        return;
    add_fields(fields, evs);
    log_.record(Level::notice, "~ " + to_string(evs), fields);
}

/**
 * Decides when the next pass comes. If the same steps are taken again and again, another program
 * undoes them.
 */
Daemon::Again Daemon::again_after(const Outcome &outcome)
{
    const bool repeated = !outcome.done.empty() && outcome.done == last_done_;

    last_done_ = outcome.done;
    progress_.undone_step = repeated ? outcome.done[0] : "";
    if (repeated || (outcome.done.empty() && !outcome.refusals.empty())) {
        wait_ms_ = std::clamp(2 * wait_ms_, retry_ms, check_ms);
        return {repeated ? wait_ms_ : rest_ms, wait_ms_};
    }
    wait_ms_ = 0;
    if (outcome.done.empty())
        return {rest_ms, check_ms};
    return {rest_ms, outcome.cut ? 0 : retry_ms};
}

Daemon::Pass Daemon::begin()
{
    Pass pass;

    pass.plan_ = *plan_;
    begun_ = std::chrono::steady_clock::now();
    pass.version_ = version_.number;
    pass.openings_ = openings_;
    pass.kernel_ = kernel_;
    pass.urgent_ = urgent_;
    return pass;
}

/**
 * Becomes the controller of the device, if the device exists. If the lock's file cannot be created,
 * mrcd goes on without it.
 *
 * @return false: another controller has the device
 */
bool Daemon::lock(Pass &pass)
{
    const auto device = pass.kernel_->device(pass.plan_.device);

    if (!device || device->device.index == locked_)
        return true;
    auto lock = system_.lock(device->device.index);
    if (!lock && lock.error().code == EBUSY) {
        pass.others_ = true;
        pass.outcome_.refusals.push_back(
            {"configure " + pass.plan_.device, lock.error(), "device", pass.plan_.device});
        return false;
    }
    if (!lock)
        log_.write(Level::warning,
                   "cannot lock the device against other controllers: " + lock.error().message());
    else
        lock_ = std::move(*lock);
    locked_ = device->device.index;
    return true;
}

void Daemon::perform(Pass &pass)
{
    if (!pass.kernel_) {
        const auto opened = open(pass);
        if (!opened) {
            pass.closed_ = opened.error();
            return;
        }
    }
    if (!lock(pass))
        return;
    Target target{*pass.kernel_, system_};
    EvChange &evs = pass.evs_;
    // Changed EVs are logged together: one line each would drown the rest.
    pass.outcome_ = converge(target, pass.plan_, version_, pass.version_, [&](const Step &step) {
        if (step.ev)
            (step.ev->deny ? evs.denied : evs.allowed)[step.ev->profile].push_back(step.ev->index);
        else
            log_.write(Level::notice, to_string(step));
    });
}

Daemon::Again Daemon::finish(Pass pass)
{
    begun_.reset();
    others_ = pass.others_;
    if (pass.closed_.code) {
        report_closed(pass.closed_);
        return {rest_ms, away_ms};
    }
    if (pass.openings_ == openings_) {
        kernel_ = std::move(pass.kernel_);
        urgent_ = std::move(pass.urgent_);
        if (pass.events_)
            events_ = std::move(pass.events_);
    }
    report(pass.evs_);
    if (pass.outcome_.module_gone) {
        reopen();
        report_closed(pass.outcome_.refusals[0].error);
    } else {
        report(pass.outcome_);
        dscp_data_ = pass.outcome_.dscp_data ? pass.outcome_.dscp_data : dscp_data_;
    }
    // The pass followed an old plan.
    if (pass.version_ != version_.number)
        return {rest_ms, 0};
    return again_after(pass.outcome_);
}

Daemon::Again Daemon::work()
{
    Pass pass = begin();

    perform(pass);
    return finish(std::move(pass));
}

} // namespace mrcd
