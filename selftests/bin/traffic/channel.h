// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file channel.h
 * What the two ends tell each other besides the traffic: JSON over a unix
 * socket, which reaches across network namespaces.
 */
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "../fd.h"

namespace traffic
{

class Channel
{
public:
    /** Waits for the one client. Throws std::system_error. */
    static Channel listen(const std::string &path);
    /** Tries for some seconds: the server may be starting. Throws std::system_error. */
    static Channel connect(const std::string &path);

    /** Sends. False: the other end is gone. */
    bool send(const nlohmann::json &message);
    /** Waits. Throws std::runtime_error if the other end is gone or sends nonsense. */
    nlohmann::json receive();
    /** Does not wait: none if nothing is there. Otherwise as receive(). */
    std::optional<nlohmann::json> poll();
    [[nodiscard]] int fd() const { return fd_.get(); }

private:
    explicit Channel(Fd fd) : fd_(std::move(fd)) {}
    std::optional<nlohmann::json> read(int flags);

    Fd fd_;
};

} // namespace traffic
