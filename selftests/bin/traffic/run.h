// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file run.h
 * One end's run, from the agreement with the other end to the report.
 */
#pragma once

#include <memory>
#include <vector>

#include "channel.h"
#include "endpoint.h"
#include "receiver.h"
#include "report.h"
#include "sender.h"

namespace traffic
{

class Run
{
public:
    Run(const Options &options, Channel channel);
    /** Throws std::exception if the run cannot be set up. */
    Report run();

private:
    static Plan agree(const Options &options, Channel &channel);
    [[nodiscard]] bool sends() const;
    [[nodiscard]] bool receives() const;
    nlohmann::json hear();
    void prepare();
    void loop();
    bool step();
    bool poll_sends();
    bool poll_receives();
    bool poll_channel();
    bool poll_async();
    bool post();
    void obey(const nlohmann::json &message);
    void send_credits(bool idle);
    void stop_if_wanted();
    [[nodiscard]] Clock::duration spare_time() const;
    void wait();
    void check_wakeup(bool woken);
    void note_error(const ibv_wc &wc, bool of_sender);
    [[nodiscard]] bool finished();
    [[nodiscard]] bool expected_end() const;
    void check_stall(bool moved);
    [[nodiscard]] Clock::duration running() const { return Clock::now() - start_; }

    const Options options_;
    Channel channel_;
    const Plan plan_;
    Report report_;
    std::unique_ptr<Endpoint> endpoint_;
    std::vector<std::unique_ptr<Sender>> senders_;
    std::vector<std::unique_ptr<Receiver>> receivers_;
    Clock::time_point start_;
    Clock::time_point moved_;
    Clock::time_point credits_sent_;
    bool stopped_ = false;
    bool told_done_ = false;
    bool other_done_ = false;
    bool other_gone_ = false;
};

/** SIGTERM and SIGINT ask the run to end in good order. */
void catch_signals();

} // namespace traffic
