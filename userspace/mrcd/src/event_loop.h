// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The daemon's main loop, with sd-event.
 */
#pragma once

#include "daemon.h"
#include "report/observer.h"
#include "report/problem_history.h"
#include "report/report.h"
#include "report/reporter.h"
#include "watch/link_watch.h"

namespace mrcd
{

/** Optional parts that the loop also runs. */
struct Beside {
    LinkWatch *links = nullptr;
    int listener = -1; ///< control_socket()
    Reporter *reporter = nullptr;
    ReportBoard *board = nullptr; ///< receives reports
    Observer *observer = nullptr;
    ProblemHistory *problems = nullptr;
    EventLog *events = nullptr; ///< receives the module's events
};

/**
 * Blocks SIGHUP until the loop takes it, and makes SIGPIPE harmless. To be called before anything
 * else.
 */
void hold_signals();

/**
 * Runs until SIGTERM or SIGINT. SIGHUP makes it read the file anew. A change of netdevs, addresses
 * or of the module's objects makes the daemon look again. Tells systemd that mrcd is ready, what it
 * is doing, and, if systemd asks, that it lives. An exception is logged and ends the loop.
 *
 * @param daemon has loaded its file
 * @return exit status
 */
int run_event_loop(Daemon &daemon, System &system, Log &log, Beside beside = {});

} // namespace mrcd
