// SPDX-License-Identifier: GPL-2.0-only
#include "report/web.h"

#include <array>
#include <cerrno>

#include <arpa/inet.h>
#include <civetweb.h>

namespace mrcd
{

namespace
{

/** Receives the first error message of a server that this thread starts. */
thread_local std::string *complaint = nullptr;

int on_message(const mg_connection *, const char *message)
{
    if (complaint && complaint->empty())
        *complaint = message;
    return 1;
}

/** Only scripts, styles and data from this server; no framing by other pages; no guessed types. */
constexpr std::array<std::pair<const char *, const char *>, 5> headers = {{
    {"Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cache-Control", "no-store"},
    {"Connection", "close"},
}};

int on_request(mg_connection *connection)
{
    const mg_request_info *request = mg_get_request_info(connection);
    const auto *web = static_cast<const Web *>(mg_get_user_data(mg_get_context(connection)));
    const std::string method = request->request_method;
    const WebPage page =
        web->goes_by(mg_get_header(connection, "Host"))
            ? web->answer(method, request->local_uri)
            : WebPage{.status = 403, .body = "use localhost or an IPv4 address as the host\n"};
    const std::string length = std::to_string(page.body.size());

    // Also, the connection closes after the answer, instead of waiting for more requests.
    mg_disable_connection_keep_alive(connection);
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
    return address.address + ":" + std::to_string(address.port);
}

bool Web::goes_by(const char *host) const
{
    if (!loopback_ || !host)
        return true;
    const std::string text(host);
    const std::string name = text.substr(0, text.find(':'));
    in_addr parsed{};
    return name == "localhost" || inet_pton(AF_INET, name.c_str(), &parsed) == 1;
}

WebPage Web::answer(const std::string &method, const std::string &path) const
{
    const auto page = pages_.find(path);

    if (page == pages_.end())
        return {.status = 404, .body = "there is no such page\n"};
    if (method != "GET" && method != "HEAD")
        return {.status = 405, .body = "only GET and HEAD are allowed\n"};
    try {
        return page->second();
    } catch (const std::exception &error) {
        return {.status = 500, .body = std::string(error.what()) + "\n"};
    }
}

mrcnl::Result<std::unique_ptr<Web>> Web::start(const WebAddress &address, Pages pages)
{
    const std::string port = to_string(address);
    // Browsers keep connections that they do not use: idle clients are disconnected soon.
    std::array<const char *, 9> options = {
        "listening_ports",    port.c_str(), "num_threads",      "8",
        "request_timeout_ms", "3000",       "connection_queue", "16"};
    std::string problem;
    mg_callbacks callbacks{};
    std::unique_ptr<Web> web(new Web(std::move(pages), address.address.starts_with("127.")));
    mg_init_data init{&callbacks, web.get(), options.data()};

    callbacks.log_message = on_message;
    callbacks.begin_request = on_request;
    complaint = &problem;
    web->context_ = mg_start2(&init, nullptr);
    complaint = nullptr;
    if (!web->context_)
        return mrcnl::Error{EADDRNOTAVAIL, problem, {}};
    return web;
}

Web::Web(Pages pages, bool loopback) : pages_(std::move(pages)), loopback_(loopback)
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
