// SPDX-License-Identifier: GPL-2.0-only
//
// The loop with the model for a kernel, and real signals.

#include <csignal>
#include <stdexcept>

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "daemon_rig.h"
#include "event_loop.h"

namespace mrcd::test
{
namespace
{

/** The host of a rig, with a descriptor and a tongue. */
class LoopSystem : public System
{
public:
    explicit LoopSystem(System &inner) : inner_(inner), fd_(eventfd(0, EFD_CLOEXEC)) {}
    ~LoopSystem() override { close(fd_); }
    LoopSystem(const LoopSystem &) = delete;
    LoopSystem &operator=(const LoopSystem &) = delete;

    std::function<void(int)> each_look = [](int) {}; ///< told how many there were

    uint32_t netdev(const std::string &name) override { return inner_.netdev(name); }
    Result<std::map<Address, uint8_t>> addresses(const std::string &netdev) override
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
    int fd() const override { return fd_; }
    void drain() override
    {
        uint64_t count = 0;
        EXPECT_EQ(read(fd_, &count, sizeof(count)), static_cast<ssize_t>(sizeof(count)));
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

    int run()
    {
        hold_signals();
        if (!daemon.load())
            return -1;
        return run_event_loop(daemon, system, rig.log);
    }
};

TEST(EventLoop, EndsBySignal)
{
    LoopRig loop;

    loop.system.each_look = [](int looks) {
        if (looks == 3)
            raise(SIGTERM);
    };
    EXPECT_EQ(loop.run(), EXIT_SUCCESS);
    EXPECT_EQ(loop.rig.model.kernel.route_map.size(), 2u);
}

/** It came before there was a loop. */
TEST(EventLoop, AHangUpIsNotLost)
{
    LoopRig loop;

    hold_signals();
    raise(SIGHUP);
    raise(SIGPIPE);
    loop.system.each_look = [&](int) {
        if (loop.rig.reads == 2)
            raise(SIGTERM);
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

/** As planned it would look every ten seconds only. */
TEST(EventLoop, LooksWhenTheHostChanges)
{
    LoopRig loop;

    loop.system.each_look = [&](int looks) {
        if (looks == 3 && loop.rig.model.kernel.route_map.size() == 2)
            loop.system.wake();
        if (looks == 4)
            raise(SIGTERM);
    };
    EXPECT_EQ(loop.run(), EXIT_SUCCESS);
}

} // namespace
} // namespace mrcd::test
