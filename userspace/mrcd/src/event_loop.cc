// SPDX-License-Identifier: GPL-2.0-only
#include "event_loop.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <memory>
#include <optional>
#include <system_error>

#include <sys/epoll.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>

#include "control.h"
#include "host/worker.h"
#include "pace.h"
#include "report/diagnosis.h"
#include "report/names.h"
#include "report/report_json.h"

namespace mrcd
{

namespace
{

constexpr uint64_t us_per_ms = 1000;
constexpr uint64_t ns_per_us = 1000;
constexpr uint64_t accuracy_us = 1000;
constexpr uint64_t settle_ms = 20;  // wait, so that several changes make one pass
constexpr uint64_t again_ms = 1000; // next attempt after netdevs could not be read
constexpr uint64_t look_ms = 500;
constexpr uint64_t looks_per_file = 2;

struct Free {
    void operator()(sd_event *event) const { sd_event_unref(event); }
    void operator()(sd_event_source *source) const { sd_event_source_disable_unref(source); }
};
using Source = std::unique_ptr<sd_event_source, Free>;

void block(std::initializer_list<int> numbers)
{
    sigset_t signals;

    sigemptyset(&signals);
    for (const int number : numbers)
        sigaddset(&signals, number);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

/** The time now, of the timer's clock. */
uint64_t now_ms()
{
    const auto now = std::chrono::steady_clock::now().time_since_epoch();

    return static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

/** Holds the event sources, and handles the events. */
class EventLoop
{
public:
    EventLoop(Daemon &daemon, System &system, Log &log, Beside beside)
        : daemon_(daemon), system_(system), log_(log), beside_(beside)
    {
    }

    int run();

private:
    int set_up();
    int add_input(int fd, sd_event_io_handler_t handler);
    NetdevTable &netdevs() { return beside_.links ? beside_.links->netdevs() : netdevs_; }
    void read_netdevs();
    void take_netdevs(const mrcnl::Result<NetdevTable> &all);
    void read_host();
    void watch_module(std::unique_ptr<mrcnl::EventStream> stream);
    void look_in(uint64_t ms);
    void hurry();
    void arm();
    void work();
    void worked(Daemon::Pass pass);
    bool reload();
    void read_module();
    void remember(const mrcnl::Event &event);
    int set_up_beside();
    void follow_file();
    void report();
    void publish();
    void look();
    void watch();
    std::string answer(const std::string &request, bool privileged);

    template <typename Do>
    int guard(Do what) noexcept;

    static int on_timer(sd_event_source *, uint64_t, void *self);
    static int on_watch(sd_event_source *, uint64_t, void *self);
    static int on_look(sd_event_source *, uint64_t, void *self);
    static int on_reload(sd_event_source *, const signalfd_siginfo *, void *self);
    static int on_host(sd_event_source *, int, uint32_t, void *self);
    static int on_worker(sd_event_source *, int, uint32_t, void *self);
    static int on_module(sd_event_source *, int, uint32_t, void *self);

    Daemon &daemon_;
    System &system_;
    Log &log_;
    Beside beside_;
    Pace pace_;
    bool working_ = false;  ///< a pass is running
    bool wanted_ = false;   ///< another pass must follow
    bool ready_ = false;    ///< systemd was told that mrcd is ready
    NetdevTable netdevs_;   ///< used without a LinkWatch
    bool reading_ = false;  ///< netdevs are being read
    bool outdated_ = false; ///< events about netdevs were lost, so they must be read again
    std::unique_ptr<sd_event, Free> event_;
    Source timer_;
    Source watch_timer_;
    Source look_timer_;
    uint64_t looks_ = 0;
    bool knows_ = false; ///< LinkWatch::knows() when last called
    Control control_;
    std::unique_ptr<mrcnl::EventStream> module_;
    Source module_source_; ///< of module_, and destroyed before it
    std::optional<Worker> worker_;
};

/**
 * Runs a handler, and ends the loop on an exception: none may pass through sd-event, which is C.
 */
template <typename Do>
int EventLoop::guard(Do what) noexcept
{
    try {
        what();
        return 0;
    } catch (const std::exception &error) {
        log_.write(Level::error, std::string("ends: ") + error.what());
    }
    return sd_event_exit(event_.get(), EXIT_FAILURE);
}

void EventLoop::arm()
{
    sd_event_source_set_time(timer_.get(), pace_.next() * us_per_ms);
    sd_event_source_set_enabled(timer_.get(), SD_EVENT_ONESHOT);
}

void EventLoop::look_in(uint64_t ms)
{
    pace_.hasten(now_ms(), ms);
    arm();
}

/**
 * Starts a pass soon. A program that undoes mrcd's steps makes passes wait for seconds, but a new
 * fault must not wait.
 */
void EventLoop::hurry()
{
    pace_.hurry(now_ms(), Daemon::rest_ms);
    arm();
}

/** Starts a pass. The parts that may wait for the kernel run in the worker's thread. */
void EventLoop::work()
{
    wanted_ = working_;
    if (working_)
        return;
    working_ = true;
    if (!netdevs().known() || outdated_)
        read_netdevs();
    const auto pass = std::make_shared<Daemon::Pass>(daemon_.begin());
    worker_->start([this, pass] {
        daemon_.perform(*pass);
        return [this, pass] { worked(std::move(*pass)); };
    });
}

void EventLoop::worked(Daemon::Pass pass)
{
    const Daemon::Again again = daemon_.finish(std::move(pass));

    working_ = false;
    if (auto events = daemon_.take_events())
        watch_module(std::move(events));
    sd_notifyf(0, "STATUS=%s", daemon_.status().c_str());
    report();
    if (beside_.links && daemon_.dscp_data())
        beside_.links->mark(*daemon_.dscp_data());
    pace_.passed(now_ms(), again.soonest, again.latest);
    if (wanted_)
        pace_.hasten(now_ms(), 0);
    arm();
    if (ready_)
        return;
    ready_ = true;
    sd_notify(0, "READY=1");
    if (beside_.links)
        watch();
}

/** Starts to read all netdevs anew. */
void EventLoop::read_netdevs()
{
    outdated_ = reading_;
    if (reading_)
        return;
    reading_ = true;
    netdevs().expect();
    worker_->start([this] {
        auto all = std::make_shared<mrcnl::Result<NetdevTable>>(system_.read_netdevs());
        return [this, all] { take_netdevs(*all); };
    });
}

void EventLoop::take_netdevs(const mrcnl::Result<NetdevTable> &all)
{
    reading_ = false;
    if (!all) {
        outdated_ = true;
        log_.write(Level::warning, "netdevs: " + all.error().message());
        return look_in(again_ms);
    }
    netdevs().renew(*all);
    if (outdated_)
        read_netdevs();
    if (beside_.links)
        watch();
}

void EventLoop::read_host()
{
    if (!system_.drain(netdevs()))
        read_netdevs();
    look_in(settle_ms);
    if (beside_.links)
        watch();
}

bool EventLoop::reload()
{
    sd_notify(0, "RELOADING=1");
    const bool taken = daemon_.load();
    sd_notify(0, "READY=1");
    if (taken)
        follow_file();
    pace_.passed(now_ms(), Daemon::rest_ms, 0);
    arm();
    return taken;
}

/** Makes a report, and puts it on the board. */
void EventLoop::publish()
{
    static const std::vector<Fault> no_faults;
    const Fabric &fabric = daemon_.fabric();
    const LinkWatch &links = *beside_.links;
    const auto seen = beside_.observer ? beside_.observer->latest() : nullptr;
    const FaultFinder *finder = links.finder();
    const uint64_t now_ns = monotonic_ns();
    const uint64_t time_ns = wall_ns();
    std::vector<Problem> problems =
        diagnose({fabric, daemon_.file(), daemon_.progress(), seen.get(),
                  finder ? finder->faults() : no_faults, now_ns, time_ns, MRC_VERSION,
                  finder ? finder->alive_planes() : std::set<uint8_t>()});

    // Before the first pass has ended, objects are missing that the pass will make.
    if (beside_.problems && ready_)
        beside_.problems->update(problems, time_ns);
    beside_.board->put(make_report({fabric, finder, knows_ && (seen || !beside_.observer),
                                    links.decisions(), daemon_.file(), daemon_.status(),
                                    daemon_.as_planned(), std::move(problems), now_ns, time_ns}));
}

/** Makes a report twice a second, so that it is fresh for programs that ask every second. */
void EventLoop::look()
{
    if (!beside_.board || !beside_.links)
        return;
    if (++looks_ % looks_per_file == 0)
        daemon_.look_at_file();
    publish();
    sd_event_source_set_time(look_timer_.get(), (now_ms() + look_ms) * us_per_ms);
    sd_event_source_set_enabled(look_timer_.get(), SD_EVENT_ONESHOT);
}

/** Makes the optional parts follow the new file. */
void EventLoop::follow_file()
{
    if (beside_.observer)
        beside_.observer->look_at(daemon_.fabric());
    if (beside_.links) {
        beside_.links->look_at(daemon_.fabric());
        watch();
    }
    report();
}

/** Called after each pass, too: the address to listen at may exist by then. */
void EventLoop::report()
{
    const Reporting &report = daemon_.fabric().report;

    if (beside_.reporter)
        beside_.reporter->listen_at({report.address, report.port});
}

/**
 * Runs the watch, and denies at once what it has found broken. Not before `ready_`: until the first
 * pass has set up this host's addresses, no probe can come back.
 */
void EventLoop::watch()
{
    const uint64_t next_ns = ready_ ? beside_.links->tick() : UINT64_MAX;
    const bool changed = daemon_.deny(beside_.links->denials());
    const bool knows = beside_.links->knows();

    if (changed || knows != knows_)
        hurry();
    knows_ = knows;
    daemon_.keep_denials(!knows);
    if (next_ns == UINT64_MAX)
        return;
    sd_event_source_set_time(watch_timer_.get(), next_ns / ns_per_us);
    sd_event_source_set_enabled(watch_timer_.get(), SD_EVENT_ONESHOT);
}

/** Answers a request of mrcctl. */
std::string EventLoop::answer(const std::string &request, bool privileged)
{
    if (request == "status")
        return daemon_.status();
    if (request == "health" && beside_.board && beside_.links) {
        publish();
        return text_of(to_json(*beside_.board->get()));
    }
    if (request == "names")
        return names_json(daemon_.fabric());
    if (request == "denials" && beside_.links)
        return beside_.links->found();
    if (request != "reload")
        return "mrcd: no such request";
    if (!privileged)
        return "only root may reload the file";
    return reload() ? "ok" : daemon_.file().problem;
}

/** Keeps events of this device for the status page. */
void EventLoop::remember(const mrcnl::Event &event)
{
    const mrcnl::DeviceRef *const device = mrcnl::device_of(event);

    if (beside_.events && (!device || device->name == daemon_.device()))
        beside_.events->add(event, monotonic_ns(), wall_ns());
}

/**
 * Reads the module's events. A change of a device or plane starts a pass; a change of EVs and QPs
 * does not, because mrcd does not control it.
 */
void EventLoop::read_module()
{
    bool look = false;
    const auto received = module_->receive([&](const mrcnl::Event &event) {
        remember(event);
        look |= std::holds_alternative<mrcnl::Overrun>(event) ||
                std::holds_alternative<mrcnl::DeviceEvent>(event) ||
                std::holds_alternative<mrcnl::PlaneEvent>(event);
    });

    if (!received) {
        log_.write(Level::warning, "events: " + received.error().message());
        module_source_.reset();
        daemon_.reopen();
    }
    if (look || !received)
        look_in(settle_ms);
}

int EventLoop::on_timer(sd_event_source *, uint64_t, void *self)
{
    auto *loop = static_cast<EventLoop *>(self);

    return loop->guard([&] { loop->work(); });
}

int EventLoop::on_watch(sd_event_source *, uint64_t, void *self)
{
    auto *loop = static_cast<EventLoop *>(self);

    return loop->guard([&] { loop->watch(); });
}

int EventLoop::on_look(sd_event_source *, uint64_t, void *self)
{
    auto *loop = static_cast<EventLoop *>(self);

    return loop->guard([&] { loop->look(); });
}

int EventLoop::on_reload(sd_event_source *, const signalfd_siginfo *, void *self)
{
    auto *loop = static_cast<EventLoop *>(self);

    return loop->guard([&] { loop->reload(); });
}

int EventLoop::on_host(sd_event_source *, int, uint32_t, void *self)
{
    auto *loop = static_cast<EventLoop *>(self);

    return loop->guard([&] { loop->read_host(); });
}

int EventLoop::on_worker(sd_event_source *, int, uint32_t, void *self)
{
    auto *loop = static_cast<EventLoop *>(self);

    return loop->guard([&] { loop->worker_->finish(); });
}

int EventLoop::on_module(sd_event_source *, int, uint32_t, void *self)
{
    auto *loop = static_cast<EventLoop *>(self);

    return loop->guard([&] { loop->read_module(); });
}

void EventLoop::watch_module(std::unique_ptr<mrcnl::EventStream> stream)
{
    sd_event_source *source = nullptr;

    module_source_.reset();
    module_ = std::move(stream);
    const int err = sd_event_add_io(event_.get(), &source, module_->fd(), EPOLLIN, on_module, this);
    if (err < 0)
        throw std::system_error(-err, std::generic_category(), "events");
    module_source_.reset(source);
}

int EventLoop::set_up_beside()
{
    sd_event_source *timer = nullptr;
    int err = 0;

    if (beside_.links)
        err = sd_event_add_time(event_.get(), &timer, CLOCK_MONOTONIC, 0, accuracy_us, on_watch,
                                this);
    watch_timer_.reset(timer);
    timer = nullptr;
    if (err >= 0)
        err =
            sd_event_add_time(event_.get(), &timer, CLOCK_MONOTONIC, 0, accuracy_us, on_look, this);
    look_timer_.reset(timer);
    if (err >= 0 && beside_.listener >= 0)
        err = control_.start(event_.get(), beside_.listener,
                             [this](const std::string &request, bool privileged) {
                                 std::string text;
                                 guard([&] { text = answer(request, privileged); });
                                 return text;
                             });
    return err;
}

int EventLoop::add_input(int fd, sd_event_io_handler_t handler)
{
    return sd_event_add_io(event_.get(), nullptr, fd, EPOLLIN, handler, this);
}

int EventLoop::set_up()
{
    sd_event *event = nullptr;
    sd_event_source *timer = nullptr;
    int err = sd_event_new(&event);

    event_.reset(event);
    if (err >= 0)
        err = sd_event_add_time(event, &timer, CLOCK_MONOTONIC, 0, accuracy_us, on_timer, this);
    timer_.reset(timer);
    for (const int number : {SIGTERM, SIGINT})
        if (err >= 0)
            err = sd_event_add_signal(event, nullptr, number, nullptr, nullptr);
    if (err >= 0)
        err = sd_event_add_signal(event, nullptr, SIGHUP, on_reload, this);
    if (err >= 0)
        err = add_input(system_.fd(), on_host);
    if (err >= 0)
        err = add_input(worker_->fd(), on_worker);
    if (err >= 0)
        err = set_up_beside();
    if (err >= 0)
        err = sd_event_set_watchdog(event, true);
    return err;
}

int EventLoop::run()
{
    block({SIGTERM, SIGINT, SIGHUP});
    worker_.emplace();
    int err = set_up();
    if (err >= 0) {
        guard([&] {
            follow_file();
            work();
        });
        err = sd_event_loop(event_.get());
        sd_notify(0, "STOPPING=1");
    }
    if (err < 0)
        log_.write(Level::error, std::string("event loop: ") + strerror(-err));
    return err ? EXIT_FAILURE : EXIT_SUCCESS;
}

} // namespace

void hold_signals()
{
    block({SIGHUP});
    signal(SIGPIPE, SIG_IGN);
}

int run_event_loop(Daemon &daemon, System &system, Log &log, Beside beside)
{
    return EventLoop(daemon, system, log, beside).run();
}

} // namespace mrcd
