// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * A watch at work: with sockets and a clock, and with what it decides logged.
 */
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "watch/decision_log.h"
#include "watch/fault_finder.h"
#include "watch/fault_memory.h"
#include "watch/udp_sender.h"

namespace mrcd
{

/** Watches the links of this host. */
class LinkWatch
{
public:
    /**
     * @param log outlives this
     * @param memory file for what is found, which holds for the next one as well; empty: none
     */
    explicit LinkWatch(Log &log, const std::string &memory = "");

    /**
     * What to watch from now on, if the fabric says so. What is known of links stays when they
     * are the same ones; what is broken stays so by its name, until it has proved itself.
     */
    void look_at(const Fabric &fabric);

    /** Has it had the time to find what is broken? */
    bool knows();

    /**
     * Takes what came back, and sends what is due.
     *
     * @return ns of the monotonic clock when it wants to be called again
     */
    uint64_t tick();

    /** What the faults deny. */
    Denials denials() const { return watch_ ? watch_->denials() : Denials{}; }

    /** For who reports. @return null: nothing is probed */
    const FaultFinder *finder() const { return watch_.get(); }
    const std::deque<Decision> &decisions() const { return decisions_.decisions(); }

    /** What the faults deny, for another process; see found.h. */
    std::string found();

private:
    Origin origin() const;

    Fabric fabric_;
    std::unique_ptr<FaultFinder> watch_;
    std::unique_ptr<UdpSender> sender_;
    bool knows_ = false; ///< of these links, from then on
    DecisionLog decisions_;
    FaultMemory memory_;
    std::string boot_ = boot_id();
};

} // namespace mrcd
