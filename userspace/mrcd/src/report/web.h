// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * A small HTTP server: pages to be read, and nothing else.
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

/** What a page is. */
struct WebPage {
    int status = 200;
    const char *type = "text/plain; charset=utf-8";
    std::string body;
};

/** Listens from its making to its end, in threads of its own. */
class Web
{
public:
    /** Page by path. Called in several threads at once. */
    using Pages = std::map<std::string, std::function<WebPage()>, std::less<>>;

    /** @return why not */
    static mrcnl::Result<std::unique_ptr<Web>> start(const WebAddress &address, Pages pages);

    /** Waits for answers that are under way. */
    ~Web();
    Web(const Web &) = delete;
    Web &operator=(const Web &) = delete;

    /** @param method, @param path of a request */
    WebPage answer(const std::string &method, const std::string &path) const;

    /**
     * Whether it may be called so. On a loopback address it has no name but "localhost": another
     * one was made to mean this host, so that a page from elsewhere can read ours.
     *
     * @param host as the request has it, with a port or without; null: it has none
     */
    bool goes_by(const char *host) const;

private:
    Web(Pages pages, bool loopback);

    Pages pages_;
    bool loopback_;
    mg_context *context_ = nullptr;
};

} // namespace mrcd
