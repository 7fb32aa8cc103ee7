// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The running daemon: makes the host follow the plan, and keeps it so.
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

/** The decisions of mrcd, without the waiting: the event loop makes one call per event. */
class Daemon
{
public:
    /** Reads a file. @return its text, or nothing and an errno. */
    using ReadFile = std::function<mrcnl::Result<std::string>()>;

    /** When to call work() again, in ms from now. */
    struct Again {
        uint64_t soonest = 0; ///< not before, whatever happens
        uint64_t latest = 0;  ///< at the latest, even if nothing happens
    };
    static constexpr uint64_t rest_ms = 50; ///< the shortest time between two passes

    /** @param system @param log outlive this */
    Daemon(OpenKernel open, System &system, std::string file, ReadFile read, std::string host_name,
           Log &log)
        : open_(std::move(open)), system_(system), file_(std::move(file)), read_(std::move(read)),
          host_name_(std::move(host_name)), log_(log)
    {
    }

    /**
     * Reads the file, for the first time or anew. A wrong file is logged, and the old plan stays.
     * The name of the device stays as well, because its socket is held.
     */
    bool load();

    /** The device of the plan; only after load() was true. */
    [[nodiscard]] const std::string &device() const { return plan_->device; }
    /** The fabric that the file describes; only after load() was true. */
    [[nodiscard]] const Fabric &fabric() const { return *fabric_; }
    /** The result of the last attempt to read the file. */
    [[nodiscard]] const FileState &file() const { return file_state_; }

    /** Checks whether the file has changed since it was last read. */
    void look_at_file();

    /**
     * Sets what must not be used, in addition to what the file denies. New denials take effect at
     * once, even while a pass waits for the kernel. Allowing something again waits for the next
     * pass.
     *
     * @return whether that changes the plan
     */
    bool deny(const Denials &found);

    /**
     * While this is on, nothing that is denied is allowed again: the mrcd process before this one
     * may have found faults that are not known yet.
     */
    void keep_denials(bool on);

    /**
     * One pass: the work to do, and then its result. Performing it may have to wait seconds for the
     * kernel.
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

    /** Works out what must be done now. Only after load() was true. */
    Pass begin();
    /**
     * Brings the host nearer to the plan, and logs each step. The only function that may be called
     * in another thread, one call at a time.
     */
    void perform(Pass &pass);
    Again finish(Pass pass);

    /** A whole pass: begin(), perform() and finish(). */
    Again work();

    /** The DSCP with which the device marks data packets; nothing: not known yet. */
    [[nodiscard]] std::optional<uint8_t> dscp_data() const { return dscp_data_; }

    /** The event stream of the module if the module was opened since the last call; else null. */
    std::unique_ptr<mrcnl::EventStream> take_events() { return std::move(events_); }

    /** Makes the next pass open the module anew, because the open one is of no use any more. */
    void reopen();

    /** One line for people that says what the daemon is doing. */
    [[nodiscard]] std::string status() const;

    /** Is all as planned, by a file that was accepted? */
    [[nodiscard]] bool as_planned() const;

    /** The result of all passes up to now. */
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
    std::shared_ptr<mrcnl::Kernel> kernel_; ///< used by passes; null: the module is not loaded
    std::shared_ptr<mrcnl::Kernel> urgent_; ///< for requests that cannot wait for a pass
    std::unique_ptr<mrcnl::EventStream> events_;
    mrcnl::Descriptor lock_;         ///< used by passes only
    std::optional<uint32_t> locked_; ///< the device that lock_ is for; used by passes only
    bool others_ = false;            ///< another controller had the device in the last pass
    std::optional<Fabric> fabric_;
    Denials found_; ///< must be denied, though the file does not say so
    bool keep_denials_ = false;
    std::optional<Plan> plan_;
    PlanVersion version_;
    std::optional<uint8_t> dscp_data_;
    FileState file_state_;
    std::string read_hash_; ///< of the text that was read last
    Progress progress_;
    std::string status_ = "has just been started";
    std::optional<std::chrono::steady_clock::time_point> begun_; ///< start of the current pass
    unsigned openings_ = 0;                                      ///< times that reopen() was called
    std::set<std::string> told_;         ///< problems that were logged and still exist
    std::vector<std::string> last_done_; ///< steps of the previous pass
    uint64_t wait_ms_ = 0;
};

} // namespace mrcd
