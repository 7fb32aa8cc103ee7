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
#include "watch/udp_sender.h"

namespace mrcd
{

/** Watches the links of this host. */
class LinkWatch
{
public:
    /** @param log outlives this */
    explicit LinkWatch(Log &log);

    /**
     * What to watch from now on, if the fabric says so. What is known of links stays when they
     * are the same ones.
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

    /** For "mrcctl health". @param status of the configuration */
    std::string health(const std::string &status) const;

    /** What the faults deny, for another process; see found.h. */
    std::string found();

private:
    Fabric fabric_;
    std::unique_ptr<FaultFinder> watch_;
    std::unique_ptr<UdpSender> sender_;
    bool knows_ = false; ///< of these links, from then on
    DecisionLog decisions_;
};

} // namespace mrcd
