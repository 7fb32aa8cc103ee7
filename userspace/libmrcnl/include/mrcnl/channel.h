// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/**
 * @file
 * Carrying messages to the kernel and back. An interface, so that encoding and
 * decoding can be tested without a kernel.
 */
#pragma once

#include <memory>
#include <vector>

#include "mrcnl/message.h"
#include "mrcnl/result.h"

namespace mrcnl
{

/** What a dump brought. */
struct Dump {
    std::vector<Reply> replies;
    bool interrupted = false; ///< something changed meanwhile: the whole is inconsistent
};

/** Messages of the multicast group, as they come. */
struct Arrivals {
    std::vector<Reply> messages;
    bool overrun = false; ///< the kernel had to drop some
};

/** Messages sent to the groups that were subscribed to. */
class MessageStream
{
public:
    virtual ~MessageStream() = default;
    [[nodiscard]] virtual int fd() const = 0;
    /** Wait until something has come. @return false: it has not, for so many ms */
    virtual bool wait(int timeout) = 0;
    /** Whatever waits; does not block. */
    virtual Result<Arrivals> receive() = 0;
};

class Channel
{
public:
    virtual ~Channel() = default;

    /** Send a request, wait until the kernel has done it. Return: its answers, often none. */
    virtual Result<std::vector<Reply>> transact(const Request &request) = 0;

    /** Ask for all objects of a kind. */
    virtual Result<Dump> dump(const Request &request) = 0;

    /** @param groups what the module does not have of them is left out, but for the first */
    virtual Result<std::unique_ptr<MessageStream>>
    subscribe(std::span<const char *const> groups) = 0;
};

/**
 * Open a channel to the kernel, in the network namespace of this thread.
 *
 * The module is not loaded for it: who asks what there is does not undo an rmmod.
 *
 * @return ENOENT when the kernel does not have the family
 */
Result<std::unique_ptr<Channel>> open_channel();

} // namespace mrcnl
