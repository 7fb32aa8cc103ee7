// SPDX-License-Identifier: GPL-2.0-only
#include "reporter.h"

#include <cerrno>

#include "metrics.h"
#include "page.h"
#include "status.h"
#include "udp_sender.h"

namespace mrcd
{

namespace
{

constexpr uint64_t fresh_ns = 500'000'000; // however many ask

WebPage busy()
{
    return {.status = 503, .body = "mrcd is busy\n"};
}

std::function<WebPage()> fixed(const char *type, std::string_view body)
{
    return [type, body] { return WebPage{200, type, std::string(body)}; };
}

} // namespace

Reporter::Reporter(std::string device, Daemon::OpenKernel open, Health health, Log &log)
    : device_(std::move(device)), open_(std::move(open)), health_(std::move(health)), log_(log)
{
}

Reporter::~Reporter() = default;

void Reporter::listen_at(const WebAddress &address)
{
    // What does not work is tried again when the file is read again.
    if (address == address_ && web_)
        return;
    web_.reset();
    address_ = address;
    if (!address.port)
        return;
    auto web = Web::start(address, {{"/", fixed("text/html; charset=utf-8", page_html)},
                                    {"/page.css", fixed("text/css; charset=utf-8", page_css)},
                                    {"/page.js", fixed("text/javascript; charset=utf-8", page_js)},
                                    {"/status.json", [this] { return status(); }},
                                    {"/metrics", [this] { return metrics(); }}});
    if (!web) {
        log_.write(Level::warning, "no status page: " + web.error().message());
        return;
    }
    web_ = std::move(*web);
    log_.write(Level::info, "status page at http://" + to_string(address) + "/");
}

mrcnl::Result<void> Reporter::read_module()
{
    if (!kernel_) {
        auto kernel = open_();
        if (!kernel)
            return kernel.error();
        kernel_ = std::move(*kernel);
    }
    auto snapshot = take_snapshot(*kernel_, device_);
    if (!snapshot)
        return snapshot.error();
    evs_.clear();
    for (const mrcnl::Peer &peer : peers_to_show(snapshot->peers)) {
        auto evs = kernel_->peer_evs(device_, peer.key.remote_gid);
        if (!evs)
            return evs.error();
        evs_.insert(evs_.end(), evs->begin(), evs->end());
    }
    snapshot_ = std::move(*snapshot);
    return {};
}

/** @return false: the daemon does not say */
bool Reporter::look()
{
    const uint64_t now = monotonic_ns();

    if (taken_ns_ && now < taken_ns_ + fresh_ns)
        return true;
    auto text = health_();
    if (!text)
        return false;
    text_ = std::move(*text);
    taken_ns_ = now;
    snapshot_.reset();
    const auto read = read_module();
    error_ = read ? mrcnl::Error{} : read.error();
    // The module may have been another one.
    if (!read)
        kernel_.reset();
    return true;
}

WebPage Reporter::metrics()
{
    const std::lock_guard guard(mutex_);

    if (!look())
        return busy();
    return {200, "text/plain; version=0.0.4; charset=utf-8",
            mrcd::metrics(text_, snapshot_ ? &*snapshot_ : nullptr)};
}

WebPage Reporter::status()
{
    const std::lock_guard guard(mutex_);

    if (!look())
        return busy();
    return {200, "application/json",
            snapshot_ ? status_json(text_, *snapshot_, evs_) : status_json(text_, error_)};
}

} // namespace mrcd
