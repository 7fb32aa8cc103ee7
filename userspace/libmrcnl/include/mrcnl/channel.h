// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * Carries messages to the kernel and back. An interface, so that encoding and decoding can be
 * tested without a kernel.
 */
#pragma once

#include <memory>
#include <vector>

#include "mrcnl/message.h"
#include "mrcnl/result.h"

namespace mrcnl
{

/** The replies to a dump. */
struct Dump {
    std::vector<Reply> replies;
    bool interrupted = false; ///< objects changed during the dump: the replies do not fit together
};

/** Messages of the multicast groups that have arrived. */
struct Arrivals {
    std::vector<Reply> messages;
    bool overrun = false; ///< the kernel dropped some messages
};

/** The messages of the subscribed multicast groups. */
class MessageStream
{
public:
    virtual ~MessageStream() = default;
    [[nodiscard]] virtual int fd() const = 0;
    /** Wait for a message, at most @p timeout ms. @return false: none has arrived */
    virtual bool wait(int timeout) = 0;
    /** Takes the messages that have arrived. Does not block. */
    virtual Result<Arrivals> receive() = 0;
};

class Channel
{
public:
    virtual ~Channel() = default;

    /**
     * Send a request and wait until the kernel has processed it. @return the answers, often none
     */
    virtual Result<std::vector<Reply>> transact(const Request &request) = 0;

    /** Ask for all objects of a kind. */
    virtual Result<Dump> dump(const Request &request) = 0;

    /** @param groups the first must exist. Others that the module does not have are left out */
    virtual Result<std::unique_ptr<MessageStream>>
    subscribe(std::span<const char *const> groups) = 0;
};

/**
 * Open a channel to the kernel, in the network namespace of this thread.
 *
 * This does not load the module: a program that only looks must not undo an rmmod.
 *
 * @return ENOENT when the kernel does not have the family
 */
Result<std::unique_ptr<Channel>> open_channel();

} // namespace mrcnl
