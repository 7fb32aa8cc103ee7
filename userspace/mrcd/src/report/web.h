// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * A small HTTP server with read-only pages.
 */
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "mrcnl/result.h"

struct mg_context;

namespace mrcd
{

/** Where to listen. */
struct WebAddress {
    std::string address; ///< IPv4, of this host
    uint16_t port = 0;   ///< 0: nowhere
    bool operator==(const WebAddress &) const = default;
};

/** "127.0.0.1:9867" */
std::string to_string(const WebAddress &address);

/** The answer to a request. */
struct WebPage {
    int status = 200;
    const char *type = "text/plain; charset=utf-8";
    std::string body;
};

/** Listens from start() until it is destroyed, in threads of its own. */
class Web
{
public:
    /** Functions that make pages, by path. Called in several threads at once. */
    using Pages = std::map<std::string, std::function<WebPage()>, std::less<>>;

    /** Starts to listen. @return an error: why it cannot */
    static mrcnl::Result<std::unique_ptr<Web>> start(const WebAddress &address, Pages pages);

    /** Waits for the answers that are being made. */
    ~Web();
    Web(const Web &) = delete;
    Web &operator=(const Web &) = delete;

    /** Makes the answer to a request. @param method, @param path of the request */
    WebPage answer(const std::string &method, const std::string &path) const;

    /**
     * Is the host name of a request acceptable? On a loopback address only addresses and
     * "localhost" are. Any other name was made to point at this host, so that somebody else's page
     * can read ours.
     *
     * @param host as the request has it, with or without a port; null: it has none
     */
    bool goes_by(const char *host) const;

private:
    Web(Pages pages, bool loopback);

    Pages pages_;
    bool loopback_;
    mg_context *context_ = nullptr;
};

} // namespace mrcd
