// SPDX-License-Identifier: GPL-2.0-only
#include "run.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <stdexcept>

namespace traffic
{

namespace
{

constexpr int poll_batch = 32;
constexpr int wait_ms = 1000;
/** How much an idle end verifies before it says so: each such message wakes the other end. */
constexpr auto credit_pause = std::chrono::milliseconds(20);

volatile std::sig_atomic_t signalled = 0;

void on_signal(int /*number*/)
{
    signalled = 1;
}

void set_nonblocking(int fd)
{
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

timespec to_timespec(Clock::duration d)
{
    const auto ns =
        std::max<int64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(d).count(), 0);

    return {ns / 1000000000, ns % 1000000000};
}

bool readable(int fd, int timeout_ms)
{
    pollfd p = {fd, POLLIN, 0};

    return ::poll(&p, 1, timeout_ms) > 0;
}

size_t index_of(const ibv_wc &wc)
{
    return wc.wr_id >> wr_id_shift;
}

} // namespace

void catch_signals()
{
    struct sigaction action = {};

    action.sa_handler = on_signal;
    sigaction(SIGTERM, &action, nullptr);
    sigaction(SIGINT, &action, nullptr);
}

Run::Run(const Options &options, Channel channel)
    : options_(options), channel_(std::move(channel)), plan_(agree(options, channel_))
{
}

Plan Run::agree(const Options &options, Channel &channel)
{
    if (options.role == Role::Server) {
        return channel.receive().get<Plan>();
    }
    channel.send(options.plan);
    return options.plan;
}

bool Run::sends() const
{
    return plan_.both_directions || options_.role == Role::Client;
}

bool Run::receives() const
{
    return plan_.both_directions || options_.role == Role::Server;
}

/** The other end's next message, while the run is being arranged. */
nlohmann::json Run::hear()
{
    nlohmann::json message = channel_.receive();

    if (message.contains("abort")) {
        throw std::runtime_error("the other end: " + message.at("abort").get<std::string>());
    }
    return message;
}

void Run::prepare()
{
    const unsigned int out = options_.role == Role::Client ? 0 : 1;
    const Schedule size_only(plan_, 0, 0);

    endpoint_ = std::make_unique<Endpoint>(options_, plan_, receives() ? size_only.memory() : 0);
    channel_.send(endpoint_->describe());
    const nlohmann::json other = hear();
    endpoint_->connect(other);
    for (uint32_t i = 0; i < plan_.qps; i++) {
        if (receives()) {
            receivers_.push_back(
                std::make_unique<Receiver>(*endpoint_, plan_, report_, 1 - out, i));
        }
        if (sends()) {
            senders_.push_back(std::make_unique<Sender>(*endpoint_, plan_, report_, out, i,
                                                        other.at("rq_depth").get<uint32_t>()));
        }
    }
    set_nonblocking(endpoint_->comp_channel()->fd);
    set_nonblocking(endpoint_->context()->async_fd);
    channel_.send({{"ready", true}});
    hear().at("ready");
}

void Run::note_error(const ibv_wc &wc, bool of_sender)
{
    const std::string name = ibv_wc_status_str(wc.status);

    report_.errors[name]++;
    if (plan_.expect_error.empty()) {
        report_.problem(std::string(of_sender ? "request" : "receive") + " of QP " +
                        std::to_string(index_of(wc)) + " ended with " + name);
    }
}

bool Run::poll_sends()
{
    std::array<ibv_wc, poll_batch> wcs{};
    const int n = ibv_poll_cq(endpoint_->send_cq(), poll_batch, wcs.data());

    if (n < 0) {
        throw std::runtime_error("ibv_poll_cq of sends failed");
    }
    for (int i = 0; i < n; i++) {
        const ibv_wc &wc = wcs[static_cast<size_t>(i)];
        if (wc.status != IBV_WC_SUCCESS) {
            note_error(wc, true);
        }
        if (index_of(wc) >= senders_.size() || endpoint_->qp(index_of(wc))->qp_num != wc.qp_num) {
            throw std::runtime_error("completion of a request that was never posted");
        }
        senders_[index_of(wc)]->complete(wc);
    }
    return n > 0;
}

bool Run::poll_receives()
{
    std::array<ibv_wc, poll_batch> wcs{};
    const int n = ibv_poll_cq(endpoint_->recv_cq(), poll_batch, wcs.data());

    if (n < 0) {
        throw std::runtime_error("ibv_poll_cq of receives failed");
    }
    for (int i = 0; i < n; i++) {
        const ibv_wc &wc = wcs[static_cast<size_t>(i)];
        if (wc.status != IBV_WC_SUCCESS) {
            note_error(wc, false);
            continue;
        }
        if (index_of(wc) >= receivers_.size() || !(wc.opcode & IBV_WC_RECV) ||
            endpoint_->qp(index_of(wc))->qp_num != wc.qp_num) {
            throw std::runtime_error("completion of a receive that cannot be");
        }
        receivers_[index_of(wc)]->immediate(wc);
    }
    return n > 0;
}

bool Run::poll_async()
{
    ibv_async_event event{};
    bool moved = false;

    while (readable(endpoint_->context()->async_fd, 0) &&
           ibv_get_async_event(endpoint_->context(), &event) == 0) {
        report_.async_events[ibv_event_type_str(event.event_type)]++;
        ibv_ack_async_event(&event);
        moved = true;
    }
    return moved;
}

void Run::obey(const nlohmann::json &message)
{
    if (message.contains("credit")) {
        for (const auto &c : message.at("credit")) {
            senders_.at(c.at(0))->credit(c.at(1), c.at(2));
        }
    } else if (message.contains("stop")) {
        signalled = 1;
    } else if (message.contains("done")) {
        other_done_ = true;
    } else if (message.contains("abort")) {
        throw std::runtime_error("the other end: " + message.at("abort").get<std::string>());
    }
}

bool Run::poll_channel()
{
    bool moved = false;

    if (other_gone_) {
        return false;
    }
    try {
        while (auto message = channel_.poll()) {
            obey(*message);
            // An end that fails waits for its flushed requests alone.
            moved = true;
            if (other_done_) {
                break;
            }
        }
    } catch (const std::runtime_error &) {
        if (plan_.expect_error.empty() || options_.role != Role::Client) {
            throw;
        }
        other_gone_ = true;
    }
    return moved;
}

void Run::send_credits(bool idle)
{
    nlohmann::json credits = nlohmann::json::array();

    for (size_t i = 0; i < receivers_.size(); i++) {
        if (receivers_[i]->credit_due(idle)) {
            credits.push_back({i, receivers_[i]->position(), receivers_[i]->imms()});
        }
    }
    if (!credits.empty()) {
        channel_.send({{"credit", credits}});
        credits_sent_ = Clock::now();
    }
}

void Run::stop_if_wanted()
{
    const bool over = plan_.seconds && running() >= std::chrono::seconds(plan_.seconds);

    if (stopped_ || !(over || signalled)) {
        return;
    }
    stopped_ = true;
    if (!over) {
        channel_.send({{"stop", true}});
    }
    for (auto &sender : senders_) {
        sender->stop();
    }
}

bool Run::post()
{
    bool moved = false;

    for (auto &sender : senders_) {
        moved = sender->post(running()) || moved;
    }
    return moved;
}

/** A completion was found without an event: its event may be on its way, but must come. */
void Run::check_wakeup(bool woken)
{
    if (!woken && !readable(endpoint_->comp_channel()->fd, 10 * wait_ms)) {
        report_.problem("completions came without a completion event");
    }
}

/** How long nothing has to be done, unless an event comes. */
Clock::duration Run::spare_time() const
{
    Clock::duration least = std::chrono::milliseconds(wait_ms);

    for (const auto &sender : senders_) {
        least = std::min(least, sender->due() - running());
    }
    if (plan_.seconds && !stopped_) {
        least = std::min(least, std::chrono::seconds(plan_.seconds) - running());
    }
    const bool owed = std::any_of(receivers_.begin(), receivers_.end(),
                                  [](const auto &receiver) { return receiver->owes_credit(); });
    return owed ? std::min(least, credits_sent_ + credit_pause - Clock::now()) : least;
}

/** Sleeps until something may have happened. */
void Run::wait()
{
    std::array<pollfd, 3> fds = {{{endpoint_->comp_channel()->fd, POLLIN, 0},
                                  {endpoint_->context()->async_fd, POLLIN, 0},
                                  {other_gone_ ? -1 : channel_.fd(), POLLIN, 0}}};

    ibv_req_notify_cq(endpoint_->send_cq(), 0);
    ibv_req_notify_cq(endpoint_->recv_cq(), 0);
    // Completions from before the request for an event make none.
    if (poll_sends() || poll_receives()) {
        return;
    }
    const timespec timeout = to_timespec(spare_time());
    const int n = ::ppoll(fds.data(), fds.size(), &timeout, nullptr);
    if (n == 0 && (poll_sends() || poll_receives())) {
        check_wakeup(false);
    }
    ibv_cq *cq = nullptr;
    void *cq_context = nullptr;
    while (ibv_get_cq_event(endpoint_->comp_channel(), &cq, &cq_context) == 0) {
        ibv_ack_cq_events(cq, 1);
    }
}

bool Run::step()
{
    bool moved = poll_sends();

    moved = poll_receives() || moved;
    moved = poll_channel() || moved;
    moved = poll_async() || moved;
    stop_if_wanted();
    moved = post() || moved;
    send_credits(!moved && Clock::now() - credits_sent_ >= credit_pause);
    return moved;
}

/** Whether the QPs of the client have ended as they should. */
bool Run::expected_end() const
{
    return !plan_.expect_error.empty() && options_.role == Role::Client &&
           std::all_of(senders_.begin(), senders_.end(),
                       [](const auto &sender) { return sender->failed(); });
}

bool Run::finished()
{
    if (expected_end()) {
        channel_.send({{"done", true}});
        return true;
    }
    const bool done = std::all_of(senders_.begin(), senders_.end(),
                                  [](const auto &sender) { return sender->done(); }) &&
                      std::all_of(receivers_.begin(), receivers_.end(),
                                  [](const auto &receiver) { return receiver->done(); });
    if (done && !told_done_) {
        send_credits(true);
        channel_.send({{"done", true}});
        told_done_ = true;
    }
    return other_done_ && (done || !plan_.expect_error.empty());
}

void Run::check_stall(bool moved)
{
    if (moved) {
        moved_ = Clock::now();
        return;
    }
    if (Clock::now() - moved_ < std::chrono::seconds(options_.stall)) {
        return;
    }
    nlohmann::json state;
    for (const auto &sender : senders_) {
        state["senders"].push_back(sender->state());
    }
    for (const auto &receiver : receivers_) {
        state["receivers"].push_back(receiver->state());
    }
    throw std::runtime_error("nothing moves: " + state.dump());
}

void Run::loop()
{
    start_ = moved_ = Clock::now();
    while (!finished()) {
        const bool moved = step();
        check_stall(moved);
        if (!moved) {
            wait();
        }
    }
    report_.seconds = std::chrono::duration<double>(running()).count();
}

Report Run::run()
{
    try {
        prepare();
        loop();
        for (auto &receiver : receivers_) {
            if (plan_.expect_error.empty()) {
                receiver->verify_untouched();
            }
        }
        for (auto &sender : senders_) {
            const bool client = options_.role == Role::Client;
            if (client && !plan_.expects(sender->first_error())) {
                report_.problem("a QP ended with status " + std::to_string(sender->first_error()));
            }
        }
        for (const auto &[event, count] : report_.async_events) {
            if (plan_.expect_error.empty() && event.starts_with("QP")) {
                report_.problem("asynchronous event: " + event);
            }
        }
    } catch (const std::exception &e) {
        report_.problem(e.what());
        channel_.send({{"abort", e.what()}});
    }
    return report_;
}

} // namespace traffic
