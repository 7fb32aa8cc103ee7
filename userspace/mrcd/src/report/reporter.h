// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Serves mrcd's status page and metrics over HTTP.
 */
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "host/log.h"
#include "host/module.h"
#include "report/event_log.h"
#include "report/report.h"
#include "report/snapshot.h"
#include "report/web.h"

namespace mrcd
{

/**
 * Serves the paths "/" (a page for people), "/status.json" (the data of that page) and "/metrics"
 * (for Prometheus).
 *
 * Answers are made in threads of the server, from the module and from the last report.
 */
class Reporter
{
public:
    /** The last report; null: the daemon is busy. Called in other threads. */
    using Latest = std::function<std::shared_ptr<const Report>()>;

    /** @param events @param log outlive this */
    Reporter(std::string device, OpenKernel open, Latest latest, const EventLog &events, Log &log);
    ~Reporter();

    /**
     * Listens at an address from now on. A failure is logged once. To be called again now and then,
     * because the host may get the address later.
     */
    void listen_at(const WebAddress &address);

    WebPage metrics();
    WebPage status();

private:
    bool look();
    mrcnl::Result<void> read_module();
    void read_evs();
    mrcnl::Result<std::unique_ptr<Web>> start(const WebAddress &address);
    void retire();

    std::string device_;
    OpenKernel open_;
    Latest latest_;
    const EventLog &events_;
    Log &log_;
    std::mutex mutex_; ///< protects what follows, up to problem_
    std::shared_ptr<mrcnl::Kernel> kernel_;
    std::shared_ptr<const Report> report_;
    std::optional<Snapshot> snapshot_;
    std::optional<std::vector<mrcnl::PeerEv>> evs_; ///< of the peers on the page
    mrcnl::Error error_;                            ///< why snapshot_ is empty
    uint64_t taken_ns_ = 0;
    WebAddress address_;  ///< of web_
    std::string problem_; ///< that was logged
    // Last members: they call into the others, and so must be destroyed first.
    std::future<void> leaving_;
    std::unique_ptr<Web> web_;
};

} // namespace mrcd
