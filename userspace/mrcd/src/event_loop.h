// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * What the daemon waits for: an sd-event loop.
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

/** What the loop does beside, where it is given. */
struct Beside {
    LinkWatch *links = nullptr;
    int listener = -1; ///< control_socket()
    Reporter *reporter = nullptr;
    ReportBoard *board = nullptr; ///< gets reports
    Observer *observer = nullptr;
    ProblemHistory *problems = nullptr;
    EventLog *events = nullptr; ///< gets what the module tells
};

/** Before anything else: SIGHUP waits for the loop, SIGPIPE ends nothing. */
void hold_signals();

/**
 * Runs until SIGTERM or SIGINT: SIGHUP reads the file anew; a change of netdevs, addresses
 * or of the module's objects has the daemon look again. Tells systemd that it is ready, what
 * it is at, and that it lives, if systemd asks. An exception is logged and ends it.
 *
 * @param daemon has loaded its file
 * @return exit status
 */
int run_event_loop(Daemon &daemon, System &system, Log &log, Beside beside = {});

} // namespace mrcd
