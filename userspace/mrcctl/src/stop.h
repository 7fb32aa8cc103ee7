// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Waiting, in commands that go on until they are told to end.
 */
#pragma once

#include <array>
#include <csignal>
#include <cstdint>

namespace mrcctl
{

/** While it exists, SIGINT and SIGTERM end the waits below, and nothing else. One at a time. */
class StopSignals
{
public:
    StopSignals();
    ~StopSignals();
    StopSignals(const StopSignals &) = delete;
    StopSignals &operator=(const StopSignals &) = delete;

private:
    std::array<struct sigaction, 2> handlers_{}; ///< that there were before
    sigset_t mask_{};
};

/** Whether one of them has come: what follows in a batch is not wanted any more. */
bool told_to_stop();

/**
 * Wait until a descriptor can be read from.
 *
 * @return false: told to end
 * @throw Failure
 */
bool wait_readable(int fd);

/** Wait for @p ns nanoseconds. @return false: told to end */
bool wait_for(uint64_t ns);

} // namespace mrcctl
