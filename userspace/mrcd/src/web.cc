// SPDX-License-Identifier: GPL-2.0-only
#include "web.h"

#include <array>
#include <cerrno>

#include <civetweb.h>

namespace mrcd
{

namespace
{

/** Where the server's first complaint goes while this thread starts one. */
thread_local std::string *complaint = nullptr;

int on_message(const mg_connection *, const char *message)
{
    if (complaint && complaint->empty())
        *complaint = message;
    return 1;
}

/** Scripts, styles and data from here only; nobody frames it, nobody guesses types. */
constexpr std::array<std::pair<const char *, const char *>, 5> headers = {{
    {"Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cache-Control", "no-store"},
    {"Connection", "close"},
}};

int on_request(mg_connection *connection, void *web)
{
    const mg_request_info *request = mg_get_request_info(connection);
    const std::string method = request->request_method;
    const WebPage page = static_cast<const Web *>(web)->answer(method, request->local_uri);
    const std::string length = std::to_string(page.body.size());

    mg_response_header_start(connection, page.status);
    mg_response_header_add(connection, "Content-Type", page.type, -1);
    mg_response_header_add(connection, "Content-Length", length.c_str(), -1);
    for (const auto &[name, value] : headers)
        mg_response_header_add(connection, name, value, -1);
    mg_response_header_send(connection);
    if (method != "HEAD")
        mg_write(connection, page.body.data(), page.body.size());
    return page.status;
}

} // namespace

std::string to_string(const WebAddress &address)
{
    const bool colons = address.address.find(':') != std::string::npos;

    return (colons ? "[" + address.address + "]" : address.address) + ":" +
           std::to_string(address.port);
}

WebPage Web::answer(const std::string &method, const std::string &path) const
{
    const auto page = pages_.find(path);

    if (page == pages_.end())
        return {.status = 404, .body = "there is no such page\n"};
    if (method != "GET" && method != "HEAD")
        return {.status = 405, .body = "pages are to be read\n"};
    try {
        return page->second();
    } catch (const std::exception &error) {
        return {.status = 500, .body = std::string(error.what()) + "\n"};
    }
}

mrcnl::Result<std::unique_ptr<Web>> Web::start(const WebAddress &address, Pages pages)
{
    const std::string port = to_string(address);
    // Two answers at once, the others wait; who says nothing for long is sent away.
    std::array<const char *, 13> options = {
        "listening_ports",   port.c_str(), "num_threads",      "2",  "request_timeout_ms", "3000",
        "linger_timeout_ms", "0",          "connection_queue", "16", "max_request_size",   "4096"};
    std::string problem;
    mg_callbacks callbacks{};
    mg_init_data init{&callbacks, nullptr, options.data()};
    std::unique_ptr<Web> web(new Web(std::move(pages)));

    callbacks.log_message = on_message;
    complaint = &problem;
    web->context_ = mg_start2(&init, nullptr);
    complaint = nullptr;
    if (!web->context_)
        return mrcnl::Error{EADDRNOTAVAIL, problem, {}};
    mg_set_request_handler(web->context_, "**", on_request, web.get());
    return web;
}

Web::Web(Pages pages) : pages_(std::move(pages))
{
    mg_init_library(MG_FEATURES_DEFAULT);
}

Web::~Web()
{
    if (context_)
        mg_stop(context_);
    mg_exit_library();
}

} // namespace mrcd
