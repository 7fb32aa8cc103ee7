// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Runs a FaultFinder with real sockets and a real clock, and logs its decisions.
 */
#pragma once

#include <cstdint>
#include <functional>
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
    /** Makes the sender of a host's probes. @param netdevs outlives the sender */
    using MakeSender = std::function<std::unique_ptr<ProbeSender>(const Fabric &fabric,
                                                                  const NetdevTable &netdevs)>;

    /**
     * @param log outlives this
     * @param memory file in which faults are kept for the next mrcd process; empty: none
     */
    explicit LinkWatch(Log &log, const std::string &memory = "",
                       MakeSender make_sender = make_udp_sender);

    /**
     * The netdevs, which the caller must keep up to date. Nothing is probed before they are known.
     */
    NetdevTable &netdevs() { return netdevs_; }

    /**
     * Sets what to watch from now on, if the fabric has links that are probed. The history of the
     * links stays if they are the same as before. Faults are carried over by name, and hold until
     * their elements have proved themselves.
     */
    void look_at(const Fabric &fabric);

    /** Sets the DSCP of probes to that of data packets. @param dscp 0 to 63 */
    void mark(uint8_t dscp);

    /** Has there been enough time to find what is broken? */
    bool knows();

    /**
     * Takes the answers that have arrived, and sends the probes that are due.
     *
     * @return ns of the monotonic clock at which it must be called again, or earlier when netdevs
     *         change. UINT64_MAX: there is nothing to watch yet
     */
    uint64_t tick();

    /** The elements that the faults deny. */
    [[nodiscard]] Denials denials() const { return watch_ ? watch_->denials() : Denials{}; }

    /** For reports. @return null: nothing is probed */
    [[nodiscard]] const FaultFinder *finder() const { return watch_.get(); }
    [[nodiscard]] const std::deque<Decision> &decisions() const { return decisions_.decisions(); }

    /** The elements that the faults deny, for another process; see found.h. */
    std::string found();

private:
    [[nodiscard]] Origin origin() const;

    Fabric fabric_;
    NetdevTable netdevs_;
    std::unique_ptr<FaultFinder> watch_;
    MakeSender make_sender_;
    std::unique_ptr<ProbeSender> sender_;
    uint8_t dscp_ = 0;
    bool knows_ = false; ///< the answer of knows() once it was true, as long as the links stay
    DecisionLog decisions_;
    FaultMemory memory_;
    std::string boot_ = boot_id();
};

} // namespace mrcd
