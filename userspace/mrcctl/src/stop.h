// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Wait functions for commands that run until they are told to end.
 */
#pragma once

#include <array>
#include <csignal>
#include <cstdint>

namespace mrcctl
{

/**
 * While an object exists, SIGINT and SIGTERM end the waits below, and do nothing else. There must
 * be only one at a time.
 */
class StopSignals
{
public:
    StopSignals();
    ~StopSignals();
    StopSignals(const StopSignals &) = delete;
    StopSignals &operator=(const StopSignals &) = delete;

private:
    std::array<struct sigaction, 2> handlers_{}; ///< previous handlers
    sigset_t mask_{};
};

/** Has one of these signals come? Then the rest of a batch must not run. */
bool told_to_stop();

/**
 * Wait until a descriptor can be read from.
 *
 * @return false: a signal came
 * @throw Failure
 */
bool wait_readable(int fd);

/** Wait for @p ns nanoseconds. @return false: a signal came */
bool wait_for(uint64_t ns);

} // namespace mrcctl
