// SPDX-License-Identifier: GPL-2.0-only
#include "report/reporter.h"

#include <cerrno>
#include <set>

#include "report/metrics.h"
#include "report/page.h"
#include "report/status.h"
#include "watch/udp_sender.h"

namespace mrcd
{

namespace
{

constexpr uint64_t fresh_ns = 500'000'000; // how long a look serves all requests

WebPage busy()
{
    return {.status = 503, .body = "mrcd is busy\n"};
}

std::function<WebPage()> fixed(const char *type, std::string_view body)
{
    return [type, body] { return WebPage{200, type, std::string(body)}; };
}

} // namespace

Reporter::Reporter(std::string device, OpenKernel open, Latest latest, const EventLog &events,
                   Log &log)
    : device_(std::move(device)), open_(std::move(open)), latest_(std::move(latest)),
      events_(events), log_(log)
{
}

Reporter::~Reporter() = default;

void Reporter::listen_at(const WebAddress &address)
{
    if (address == address_ && (web_ || !address.port))
        return;
    if (!address.port) {
        retire();
        address_ = address;
        return;
    }
    // A server on another port stays until the new one runs. On the same port it must end first.
    if (address.port == address_.port && web_) {
        retire();
        leaving_.wait();
    }
    auto web = start(address);
    const std::string problem = web ? "" : "no status page: " + web.error().message();
    if (!problem.empty() && problem != problem_)
        log_.write(Level::warning, problem);
    problem_ = problem;
    if (!web)
        return;
    retire();
    web_ = std::move(*web);
    address_ = address;
    log_.write(Level::info, "status page at http://" + to_string(address) + "/");
}

mrcnl::Result<std::unique_ptr<Web>> Reporter::start(const WebAddress &address)
{
    return Web::start(address, {{"/", fixed("text/html; charset=utf-8", page_html)},
                                {"/page.css", fixed("text/css; charset=utf-8", page_css)},
                                {"/page.js", fixed("text/javascript; charset=utf-8", page_js)},
                                {"/status.json", [this] { return status(); }},
                                {"/metrics", [this] { return metrics(); }}});
}

/** Ends the server in another thread. It takes seconds, and links must be watched in that time. */
void Reporter::retire()
{
    if (web_)
        leaving_ =
            std::async(std::launch::async, [web = std::move(web_)]() mutable { web.reset(); });
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
    snapshot_ = std::move(*snapshot);
    return {};
}

/** Reads the EVs of the peers that are shown. */
void Reporter::read_evs()
{
    std::set<mrcnl::Address> gids;

    if (!kernel_ || !snapshot_->peers || evs_)
        return;
    for (const mrcnl::Peer &peer : peers_to_show(*snapshot_->peers))
        gids.insert(peer.key.remote_gid);
    evs_.emplace();
    for (const mrcnl::Address &gid : gids)
        if (const auto evs = kernel_->peer_evs(device_, gid))
            evs_->insert(evs_->end(), evs->begin(), evs->end());
}

/** @return false: the daemon has made no report lately */
bool Reporter::look()
{
    if (taken_ns_ && monotonic_ns() < taken_ns_ + fresh_ns)
        return true;
    auto report = latest_();
    if (!report)
        return false;
    report_ = std::move(report);
    snapshot_.reset();
    evs_.reset();
    const auto read = read_module();
    error_ = read ? mrcnl::Error{} : read.error();
    // The next module may be a new one.
    if (!read && error_.code != ENODEV)
        kernel_.reset();
    taken_ns_ = monotonic_ns();
    return true;
}

WebPage Reporter::metrics()
{
    const std::lock_guard guard(mutex_);

    if (!look())
        return busy();
    return {200, "text/plain; version=0.0.4; charset=utf-8",
            mrcd::metrics(*report_, snapshot_ ? &*snapshot_ : nullptr)};
}

WebPage Reporter::status()
{
    const std::lock_guard guard(mutex_);

    if (!look())
        return busy();
    if (!snapshot_)
        return {200, "application/json", status_json(*report_, events_.events(), error_)};
    read_evs();
    return {200, "application/json",
            status_json(*report_, events_.events(), *snapshot_,
                        evs_.value_or(std::vector<mrcnl::PeerEv>()))};
}

} // namespace mrcd
