// SPDX-License-Identifier: GPL-2.0-only
#include "stop.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <poll.h>

#include "args.h"

namespace mrcctl
{

namespace
{

volatile sig_atomic_t stop;

void on_signal(int)
{
    stop = 1;
}

/** From now on signals that end a command wait. @return those that are let in meanwhile */
sigset_t catch_signals()
{
    struct sigaction action {
    };
    sigset_t blocked{};
    sigset_t before{};

    action.sa_handler = on_signal;
    sigemptyset(&blocked);
    for (const int signal : {SIGINT, SIGTERM}) {
        sigaction(signal, &action, nullptr);
        sigaddset(&blocked, signal);
    }
    sigprocmask(SIG_BLOCK, &blocked, &before);
    return before;
}

/** As ppoll(2), but -1 for signals that do not end the command as well. */
int wait(pollfd *descriptors, nfds_t count, const timespec *timeout)
{
    static const sigset_t mask = catch_signals();
    const int ready = ppoll(descriptors, count, timeout, &mask);

    if (ready < 0 && errno != EINTR)
        throw Failure(strerror(errno));
    return ready;
}

} // namespace

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
