// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The socket at which mrcctl asks mrcd. Its name is abstract, and belongs to mrcd's network
 * namespace.
 */
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>

#include <systemd/sd-event.h>

#include "mrcnl/descriptor.h"
#include "mrcnl/result.h"

namespace mrcd
{

/**
 * Opens the control socket of a device, listening. The process that has it manages the device. The
 * socket vanishes with its last descriptor.
 *
 * @return EADDRINUSE: another process has it
 */
mrcnl::Result<mrcnl::Descriptor> control_socket(const std::string &device);

/**
 * Answers requests: the client sends one message; the answer may be several, and then the
 * connection ends.
 */
class Control
{
public:
    /** @param privileged the client is root, or the user that mrcd runs as. @return the answer */
    using Answer = std::function<std::string(const std::string &request, bool privileged)>;

    /**
     * Starts to accept. @param event, @param listener outlive this. @return 0 or a negative errno
     */
    int start(sd_event *event, int listener, Answer answer);

private:
    struct Unref {
        void operator()(sd_event_source *source) const { sd_event_source_unref(source); }
    };
    struct Client {
        mrcnl::Descriptor fd;
        std::unique_ptr<sd_event_source, Unref> source;
    };

    static int on_connect(sd_event_source *, int fd, uint32_t, void *self);
    static int on_request(sd_event_source *, int fd, uint32_t, void *self);
    void admit(int fd);
    void reply(int fd);

    sd_event *event_ = nullptr;
    Answer answer_;
    std::deque<Client> clients_;
};

} // namespace mrcd
