// SPDX-License-Identifier: GPL-2.0-only
//
// The loop with the model for a kernel, and real signals.

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <stdexcept>

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "daemon_rig.h"
#include "event_loop.h"
#include "model_host.h"

namespace mrcd::test::event_loop_test
{
namespace
{

/** The host of a rig, with a descriptor that reports changes. */
class LoopSystem : public System
{
public:
    explicit LoopSystem(System &inner) : inner_(inner), fd_(eventfd(0, EFD_CLOEXEC)) {}
    ~LoopSystem() override { close(fd_); }
    LoopSystem(const LoopSystem &) = delete;
    LoopSystem &operator=(const LoopSystem &) = delete;

    std::function<void(int)> each_look = [](int) {}; ///< called with the number of looks
    bool overrun = false;                            ///< the next events are incomplete
    std::atomic<int> reads = 0;                      ///< times that all netdevs were read

    uint32_t netdev(const std::string &name) override { return inner_.netdev(name); }
    Result<std::map<Address, HeldAddress>> addresses(const std::string &netdev) override
    {
        each_look(++looks_);
        return inner_.addresses(netdev);
    }
    Result<void> add_address(const std::string &netdev, const Prefix &address) override
    {
        return inner_.add_address(netdev, address);
    }
    Result<void> delete_address(const std::string &netdev, const Prefix &address) override
    {
        return inner_.delete_address(netdev, address);
    }
    Result<void> add_device(const std::string &device, const std::string &anchor) override
    {
        return inner_.add_device(device, anchor);
    }
    Result<Descriptor> lock(uint32_t device) override { return inner_.lock(device); }
    int fd() const override { return fd_; }
    bool drain(NetdevTable &) override
    {
        uint64_t count = 0;
        EXPECT_EQ(read(fd_, &count, sizeof(count)), static_cast<ssize_t>(sizeof(count)));
        return !std::exchange(overrun, false);
    }
    Result<NetdevTable> read_netdevs() override
    {
        reads++;
        return inner_.read_netdevs();
    }
    void wake()
    {
        const uint64_t one = 1;
        EXPECT_EQ(write(fd_, &one, sizeof(one)), static_cast<ssize_t>(sizeof(one)));
    }

private:
    System &inner_;
    int fd_;
    int looks_ = 0;
};

struct LoopRig {
    DaemonRig rig;
    LoopSystem system{rig.model.system};
    Daemon daemon{[this] { return rig.open(); }, system,   "f",
                  [this] { return rig.read(); }, "nobody", rig.log};

    int run(Beside beside = {})
    {
        hold_signals();
        if (!daemon.load())
            return -1;
        return run_event_loop(daemon, system, rig.log, beside);
    }
};

TEST(EventLoop, EndsBySignal)
{
    LoopRig loop;

    loop.system.each_look = [](int looks) {
        if (looks == 3)
            kill(getpid(), SIGTERM);
    };
    EXPECT_EQ(loop.run(), EXIT_SUCCESS);
    EXPECT_EQ(loop.rig.model.kernel.route_map.size(), 2u);
}

/** The signal came before the loop existed. */
TEST(EventLoop, AHangUpIsNotLost)
{
    LoopRig loop;

    hold_signals();
    raise(SIGHUP);
    raise(SIGPIPE);
    loop.system.each_look = [&](int) {
        if (loop.rig.reads == 2)
            kill(getpid(), SIGTERM);
    };
    EXPECT_EQ(loop.run(), EXIT_SUCCESS);
    EXPECT_EQ(loop.rig.reads, 2);
}

TEST(EventLoop, AnExceptionEndsIt)
{
    for (const int when : {1, 3}) {
        LoopRig loop;
        loop.system.each_look = [&](int looks) {
            if (looks == when)
                throw std::runtime_error("of the test");
        };
        EXPECT_EQ(loop.run(), EXIT_FAILURE);
        EXPECT_EQ(loop.rig.log.lines.back(), "ends: of the test");
    }
}

/** Without a change, the daemon would look only every ten seconds. */
TEST(EventLoop, LooksWhenTheHostChanges)
{
    LoopRig loop;

    loop.system.each_look = [&](int looks) {
        if (looks == 3 && loop.rig.model.kernel.route_map.size() == 2)
            loop.system.wake();
        if (looks == 4)
            kill(getpid(), SIGTERM);
    };
    EXPECT_EQ(loop.run(), EXIT_SUCCESS);
}

/** Everybody gets the same report, which is made regularly. */
TEST(EventLoop, MakesReports)
{
    LoopRig loop;
    LinkWatch links(loop.rig.log);
    ReportBoard board;
    ModelKernel seen; // used by another thread
    Observer observer([&] { return std::shared_ptr<Kernel>(std::shared_ptr<Kernel>(), &seen); },
                      [] {
                          return Result<std::unique_ptr<HostView>>(
                              std::unique_ptr<HostView>(std::make_unique<ModelView>()));
                      });
    ProblemHistory problems("", "", loop.rig.log);

    loop.rig.text += "[watch]\nrate = 0\n";
    seen.exists = true;
    seen.plane_ifindex = {{1, 1}, {2, 2}};
    seen.planes_down = {2};
    loop.system.each_look = [&](int) {
        const auto report = board.get();
        if (report && report->health == Health::not_well && report->as_planned)
            kill(getpid(), SIGTERM);
        loop.system.wake();
    };
    EXPECT_EQ(loop.run({&links, -1, nullptr, &board, &observer, &problems, nullptr}), EXIT_SUCCESS);
    const auto report = board.get();
    ASSERT_TRUE(report);
    EXPECT_EQ(report->device, "mrc0");
    EXPECT_EQ(report->file.hash, hash_of_text(loop.rig.text));
    ASSERT_GE(report->problems.size(), 1u);
    const bool named =
        std::any_of(report->problems.begin(), report->problems.end(), [](const Problem &problem) {
            return problem.what == "plane 2 (eth2) is set down";
        });
    EXPECT_TRUE(named);
}

/** Lost events make the loop read the netdevs once, even without a link watch. */
TEST(EventLoop, NetdevsAreReadAgainWhenSomethingWasLost)
{
    LoopRig loop;

    loop.system.each_look = [&](int looks) {
        if (looks == 3) {
            EXPECT_EQ(loop.system.reads, 1) << "at first";
            loop.system.overrun = true;
            loop.system.wake();
        }
        if (looks == 4)
            loop.system.wake();
        if (looks == 5)
            kill(getpid(), SIGTERM);
    };
    EXPECT_EQ(loop.run(), EXIT_SUCCESS);
    EXPECT_EQ(loop.system.reads, 2);
}

/**
 * Answers probes at once, except those by a dead switch. Lets the test look each time it is used.
 */
class TimelessSender : public ProbeSender
{
public:
    explicit TimelessSender(std::function<void()> look) : look_(std::move(look)) {}

    static inline std::optional<uint16_t> dead; ///< uSID

    void send(const ProbeLoop &loop, const LoopProbe &probe) override
    {
        for (const Address &carrier : loop.carriers)
            for (size_t i = 4; i < carrier.bytes.size(); i += 2)
                if (dead && (carrier.bytes[i] << 8 | carrier.bytes[i + 1]) == *dead)
                    return;
        sent_.push_back(probe);
    }
    bool carrier(uint8_t) override { return true; }
    uint16_t data_bytes() override { return 4228; }
    void ask(uint8_t) override {}
    void receive(FaultFinder &finder) override
    {
        for (const LoopProbe &probe : std::exchange(sent_, {}))
            finder.answered(probe, monotonic_ns());
        look_();
    }

private:
    std::function<void()> look_;
    std::vector<LoopProbe> sent_;
};

/** A system whose netdevs are being configured by a slow program: all requests for them wait. */
class HeldSystem
{
public:
    explicit HeldSystem(LoopSystem &system)
    {
        system.each_look = [this](int) {
            std::unique_lock lock(mutex_);
            waiting_ = held_;
            go_.wait(lock, [this] { return !held_; });
            waiting_ = false;
        };
    }
    void hold() { set(true); }
    void let_go() { set(false); }
    bool somebody_waits()
    {
        const std::lock_guard guard(mutex_);
        return waiting_;
    }

private:
    void set(bool held)
    {
        {
            const std::lock_guard guard(mutex_);
            held_ = held;
        }
        go_.notify_all();
    }

    std::mutex mutex_;
    std::condition_variable go_;
    bool held_ = false;
    bool waiting_ = false;
};

/** The number of denied EVs in plane 1. */
size_t denied_in_plane_1(const ModelKernel &kernel)
{
    size_t count = 0;

    for (const auto &[id, profile] : kernel.profiles)
        for (const mrcnl::EvSpec &ev : profile.spec.evs)
            count += ev.denied && ev.port == 1;
    return count;
}

/** Links are watched, and faults are denied, even while the current pass waits. */
TEST(EventLoop, WhoeverHoldsNetdevsBlindsNobody)
{
    enum { starts, waits_for_pass, waits_for_denial, ends } at = starts;
    constexpr uint64_t patience_ns = 60'000'000'000;
    const uint64_t begin = monotonic_ns();
    LoopRig loop;
    HeldSystem held(loop.system);
    bool waited = false;
    LinkWatch *watch = nullptr;

    TimelessSender::dead.reset();
    const auto look = [&] {
        const bool planned = loop.daemon.status() == "as planned";
        if (at == starts && watch->knows() && planned) {
            held.hold();
            loop.system.wake();
            at = waits_for_pass;
        } else if (at == waits_for_pass && held.somebody_waits()) {
            const Fabric &fabric = loop.daemon.fabric();
            EXPECT_EQ(denied_in_plane_1(loop.rig.model.kernel), 0u);
            TimelessSender::dead = fabric.t0[own_t0(fabric, 1)].usid;
            at = waits_for_denial;
        } else if (at == waits_for_denial && denied_in_plane_1(loop.rig.model.kernel)) {
            waited = held.somebody_waits();
            at = ends;
        }
        if (at == ends || monotonic_ns() > begin + patience_ns) {
            held.let_go();
            kill(getpid(), SIGTERM);
        }
    };
    LinkWatch links(loop.rig.log, "", [&](const Fabric &, const NetdevTable &) {
        return std::make_unique<TimelessSender>(look);
    });
    watch = &links;
    loop.rig.text += "[watch]\nrate = 100\n";
    EXPECT_EQ(loop.run({.links = &links}), EXIT_SUCCESS);
    EXPECT_EQ(at, ends);
    EXPECT_TRUE(waited) << "the denial did not need the pass";
    EXPECT_GT(denied_in_plane_1(loop.rig.model.kernel), 0u);
}

} // namespace
} // namespace mrcd::test::event_loop_test
