// SPDX-License-Identifier: GPL-2.0-only
#include "stop.h"

#include <cerrno>
#include <cstring>
#include <poll.h>

#include "args.h"

namespace mrcctl
{

namespace
{

constexpr std::array signals = {SIGINT, SIGTERM};

volatile sig_atomic_t stop;
const sigset_t *let_in; ///< signal mask of waits; null: the present one

void on_signal(int)
{
    stop = 1;
}

/** Like ppoll(2), and returns -1 for any signal. */
int wait(pollfd *descriptors, nfds_t count, const timespec *timeout)
{
    const int ready = ppoll(descriptors, count, timeout, let_in);

    if (ready < 0 && errno != EINTR)
        throw Failure(strerror(errno));
    return ready;
}

} // namespace

/**
 * Blocks the signals first: a signal that comes between two waits stays pending until the next
 * wait.
 */
StopSignals::StopSignals()
{
    struct sigaction action {
    };
    sigset_t blocked{};

    action.sa_handler = on_signal;
    sigemptyset(&blocked);
    for (const int signal : signals)
        sigaddset(&blocked, signal);
    sigprocmask(SIG_BLOCK, &blocked, &mask_);
    for (size_t i = 0; i < signals.size(); i++)
        sigaction(signals[i], &action, &handlers_[i]);
    let_in = &mask_;
}

StopSignals::~StopSignals()
{
    let_in = nullptr;
    for (size_t i = 0; i < signals.size(); i++)
        sigaction(signals[i], &handlers_[i], nullptr);
    sigprocmask(SIG_SETMASK, &mask_, nullptr);
}

bool told_to_stop()
{
    return stop;
}

bool wait_readable(int fd)
{
    pollfd ready{fd, POLLIN, 0};

    while (!stop)
        if (wait(&ready, 1, nullptr) > 0)
            return true;
    return false;
}

bool wait_for(uint64_t ns)
{
    constexpr uint64_t second = 1'000'000'000;
    const timespec timeout{static_cast<time_t>(ns / second), static_cast<long>(ns % second)};

    wait(nullptr, 0, &timeout);
    return !stop;
}

} // namespace mrcctl
