// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The running daemon: keeps the host as planned, whatever comes and goes.
 */
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "file/file_state.h"
#include "host/log.h"
#include "host/module.h"
#include "host/system.h"
#include "plan/ev_change.h"
#include "plan/planner.h"
#include "plan/reconciler.h"

namespace mrcd
{

/** What decides, apart from what waits: one call per thing that happens. */
class Daemon
{
public:
    /** Reads a file. @return its text, or nothing and an errno. */
    using ReadFile = std::function<mrcnl::Result<std::string>()>;

    /** When to call work() again, in ms. */
    struct Again {
        uint64_t soonest = 0; ///< whatever happens
        uint64_t latest = 0;  ///< though nothing happens
    };
    static constexpr uint64_t rest_ms = 50; ///< the least there is between two passes

    /** @param system @param log outlive this */
    Daemon(OpenKernel open, System &system, std::string file, ReadFile read, std::string host_name,
           Log &log)
        : open_(std::move(open)), system_(system), file_(std::move(file)), read_(std::move(read)),
          host_name_(std::move(host_name)), log_(log)
    {
    }

    /**
     * Reads the file (anew). One that is wrong is told of, and what was planned stays; so does
     * the name of the device, whose socket is held.
     */
    bool load();

    /** The planned one; only after load() was true. */
    [[nodiscard]] const std::string &device() const { return plan_->device; }
    /** As the file has it; only after load() was true. */
    [[nodiscard]] const Fabric &fabric() const { return *fabric_; }
    /** What became of the file when it was read last. */
    [[nodiscard]] const FileState &file() const { return file_state_; }

    /** Sees whether the file is another one now than the one that was read last. */
    void look_at_file();

    /**
     * What is not to be used, beside what the file denies. It is denied at once, whatever the pass
     * at hand waits for; what is to be used again waits for the next one.
     *
     * @return whether that changes the plan
     */
    bool deny(const Denials &found);

    /**
     * While this is on nothing that is denied is allowed again: a predecessor may have found
     * what is not known yet.
     */
    void keep_denials(bool on);

    /**
     * A pass: what there is to do, and then what has become of it. Performing it may have to wait
     * for the kernel for seconds.
     */
    class Pass
    {
        friend class Daemon;
        Plan plan_;
        uint64_t version_ = 0;
        unsigned openings_ = 0;
        std::shared_ptr<mrcnl::Kernel> kernel_;
        std::shared_ptr<mrcnl::Kernel> urgent_;
        std::unique_ptr<mrcnl::EventStream> events_;
        mrcnl::Error closed_; ///< why the module cannot be asked; code 0: it can
        bool others_ = false; ///< another controller has the device
        EvChange evs_;
        Outcome outcome_;
    };

    /** What is to be done now. Only after load() was true. */
    Pass begin();
    /**
     * Brings the host nearer to the plan, and logs each step. The only call for another thread, one
     * at a time.
     */
    void perform(Pass &pass);
    Again finish(Pass pass);

    /** All of it. */
    Again work();

    /** What the device marks packets with data with; nothing: not known yet. */
    [[nodiscard]] std::optional<uint8_t> dscp_data() const { return dscp_data_; }

    /** The module's events, when it was opened since they were asked for last; else null. */
    std::unique_ptr<mrcnl::EventStream> take_events() { return std::move(events_); }

    /** What was opened is of no use any more: work() is to open the module anew. */
    void reopen();

    /** One line for people: what it is at. */
    [[nodiscard]] std::string status() const;

    /** Is all as planned, by a file that was taken? */
    [[nodiscard]] bool as_planned() const;

    /** What it has come to. */
    [[nodiscard]] const Progress &progress() const { return progress_; }

private:
    std::optional<Fabric> read();
    void complain(const std::string &text);
    void make_plan_anew();
    mrcnl::Result<void> open(Pass &pass) const;
    bool lock(Pass &pass);
    void report_closed(const mrcnl::Error &error);
    void report(const Outcome &outcome);
    void report(const EvChange &evs);
    Again again_after(const Outcome &outcome);

    OpenKernel open_;
    System &system_;
    std::string file_;
    ReadFile read_;
    std::string host_name_;
    Log &log_;
    std::shared_ptr<mrcnl::Kernel> kernel_; ///< for passes; null: the module is away
    std::shared_ptr<mrcnl::Kernel> urgent_; ///< for what cannot wait for them
    std::unique_ptr<mrcnl::EventStream> events_;
    mrcnl::Descriptor lock_;         ///< passes only
    std::optional<uint32_t> locked_; ///< the device that it is for; passes only
    bool others_ = false;            ///< another controller had the device in the last pass
    std::optional<Fabric> fabric_;
    Denials found_; ///< to be denied, by no file
    bool keep_denials_ = false;
    std::optional<Plan> plan_;
    PlanVersion version_;
    std::optional<uint8_t> dscp_data_;
    FileState file_state_;
    std::string read_hash_; ///< of what was read last
    Progress progress_;
    std::string status_ = "has just been started";
    std::optional<std::chrono::steady_clock::time_point> begun_; ///< the pass at hand
    unsigned openings_ = 0;              ///< how often what was opened was of no use any more
    std::set<std::string> told_;         ///< what is wrong still
    std::vector<std::string> last_done_; ///< steps of the pass before
    uint64_t wait_ms_ = 0;
};

} // namespace mrcd
