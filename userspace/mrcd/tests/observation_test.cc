// SPDX-License-Identifier: GPL-2.0-only
//
// Looking at a host: what is seen of it, and by whom it is looked at.

#include "report/observation.h"

#include <atomic>
#include <cerrno>
#include <climits>
#include <thread>

#include <gtest/gtest.h>

#include "fabrics.h"
#include "model_host.h"
#include "report/observer.h"
#include "watch/udp_sender.h"

namespace mrcd::test::observation_test
{
namespace
{

struct LookRig {
    ModelView host;
    ModelKernel kernel;
    Fabric fabric = fabric_of(small_file);

    LookRig()
    {
        kernel.exists = true;
        kernel.plane_ifindex = {{1, 1}, {2, 2}};
    }
    Observation look(const Observation *before = nullptr)
    {
        return observe(host, &kernel, fabric, before);
    }
};

TEST(Observation, HasWhatTheDeviceNeeds)
{
    LookRig rig;

    rig.kernel.planes_down = {2};
    rig.host.all["eth1"].mtu = 1500;
    const Observation seen = rig.look();
    EXPECT_EQ(seen.error.code, 0);
    EXPECT_EQ(seen.module_error.code, 0);
    EXPECT_EQ(seen.module, (ModuleState{true, "1.0"}));
    EXPECT_TRUE(seen.device);
    EXPECT_EQ(seen.anchor, (NetdevView{9, true, true, 9000}));
    ASSERT_EQ(seen.planes.size(), 2u);
    EXPECT_EQ(seen.planes[0].netdev, (NetdevView{1, true, true, 1500}));
    EXPECT_EQ(seen.planes[0].routed, true);
    EXPECT_EQ(seen.planes[0].gateway, Address::parse("fe80::1"));
    EXPECT_TRUE(seen.planes[0].in_module->admin_up);
    EXPECT_FALSE(seen.planes[1].in_module->admin_up);
    EXPECT_EQ(seen.sysctls, rig.host.sysctls) << "of all, of the anchor and of planes";
}

TEST(Observation, SaysWhatIsNotThere)
{
    LookRig rig;

    rig.host.all.erase("eth2");
    rig.host.all.erase("mrc");
    rig.host.all["eth1"].up = false;
    rig.kernel.exists = false;
    const Observation seen = rig.look();
    EXPECT_FALSE(seen.device);
    EXPECT_EQ(seen.module_error.code, 0);
    EXPECT_FALSE(seen.anchor);
    EXPECT_FALSE(seen.planes[1].netdev);
    EXPECT_EQ(seen.planes[0].routed, std::nullopt) << "not asked";
    EXPECT_FALSE(observe(rig.host, nullptr, rig.fabric).device);
    rig.kernel.loaded = false;
    EXPECT_EQ(rig.look().module_error.code, ENOENT);
}

/** The command that mends the route needs the gateway. */
TEST(Observation, RemembersTheGatewayOfARouteThatIsGone)
{
    LookRig rig;
    const Observation before = rig.look();

    rig.host.no_route = {2};
    const Observation seen = rig.look(&before);
    EXPECT_EQ(seen.planes[1].routed, false);
    EXPECT_EQ(seen.planes[1].gateway, Address::parse("fe80::2"));
    EXPECT_EQ(rig.look(&seen).planes[1].gateway, Address::parse("fe80::2"));
    EXPECT_EQ(rig.look().planes[1].gateway, std::nullopt);
}

TEST(Observation, SaysThatItCouldNotLook)
{
    LookRig rig;

    rig.host.error = EIO;
    EXPECT_EQ(rig.look().error.code, EIO);
}

/** Runs against the kernel of this machine, whatever it has. */
TEST(HostView, LooksAtThisHost)
{
    const auto host = open_host_view();

    ASSERT_TRUE(host) << host.error().message();
    const auto netdevs = (*host)->netdevs();
    ASSERT_TRUE(netdevs) << netdevs.error().message();
    ASSERT_TRUE(netdevs->contains("lo"));
    const NetdevView lo = netdevs->at("lo");
    EXPECT_GT(lo.index, 0u);
    EXPECT_GE(lo.mtu, 1280u);
    const auto there = (*host)->route(*Address::parse("::1"), lo.index);
    ASSERT_TRUE(there) << there.error().message();
    EXPECT_FALSE(there->exists) << "what is local is not forwarded";
    const auto nowhere = (*host)->route(*Address::parse("fd12:3456:789a::1"), 0x7fffffff);
    EXPECT_TRUE(!nowhere || !nowhere->exists);
    EXPECT_EQ((*host)->sysctl("net/no/such/number"), std::nullopt);
}

/** A view whose requests can be blocked. */
class SlowView : public ModelView
{
public:
    explicit SlowView(std::atomic<bool> &held) : held_(held) {}
    Result<std::map<std::string, NetdevView>> netdevs() override
    {
        while (held_)
            std::this_thread::yield();
        return ModelView::netdevs();
    }

private:
    std::atomic<bool> &held_;
};

TEST(Observer, IsWaitedForByNobody)
{
    std::atomic<bool> held = true;
    const Fabric fabric = fabric_of(small_file);
    ModelKernel kernel;
    {
        Observer observer(
            [&] { return std::shared_ptr<Kernel>(std::shared_ptr<Kernel>(), &kernel); },
            [&]() -> Result<std::unique_ptr<HostView>> {
                return std::unique_ptr<HostView>(std::make_unique<SlowView>(held));
            });
        EXPECT_FALSE(observer.latest()) << "nobody said what to look at";
        observer.look_at(fabric);
        EXPECT_FALSE(observer.latest());
        held = false;
        while (!observer.latest())
            std::this_thread::yield();
        EXPECT_EQ(observer.latest()->planes.size(), 2u);
        EXPECT_LE(observer.latest()->taken_ns, monotonic_ns());
        held = true;
        observer.look_at(fabric);
        EXPECT_FALSE(observer.latest()) << "that was of another file";
        held = false;
    }
}

/** An observer on a host whose views and kernels are counted. */
struct ObserverRig {
    std::atomic<int> begun = 0; ///< looks that have begun
    std::atomic<int> may_end = INT_MAX;
    std::atomic<int> host_error = 0;
    int hosts = 0; ///< number of opened views
    int kernels = 0;
    ModelKernel kernel;
    Fabric fabric = fabric_of(small_file);

    class View : public ModelView
    {
    public:
        explicit View(ObserverRig &rig) : rig_(rig) {}
        Result<std::map<std::string, NetdevView>> netdevs() override
        {
            const int number = ++rig_.begun;
            while (number > rig_.may_end)
                std::this_thread::yield();
            error = rig_.host_error;
            return ModelView::netdevs();
        }

    private:
        ObserverRig &rig_;
    };

    // The last member: it must end before the objects that it uses.
    Observer observer{[this]() -> Result<std::shared_ptr<Kernel>> {
                          kernels++;
                          if (!kernel.loaded)
                              return Error{ENOENT, "", ""};
                          return std::shared_ptr<Kernel>(std::shared_ptr<Kernel>(), &kernel);
                      },
                      [this]() -> Result<std::unique_ptr<HostView>> {
                          hosts++;
                          return std::unique_ptr<HostView>(std::make_unique<View>(*this));
                      }};

    /** The next observation. */
    Observation look()
    {
        observer.look_at(fabric);
        while (!observer.latest())
            std::this_thread::yield();
        return *observer.latest();
    }
};

TEST(Observer, ALookByAnotherFileIsNone)
{
    ObserverRig rig;

    rig.may_end = 0;
    rig.observer.look_at(rig.fabric);
    while (!rig.begun)
        std::this_thread::yield();
    rig.observer.look_at(fabric_of(large_file(2, 2, 4, 2)));
    rig.may_end = 1;
    while (rig.begun < 2)
        std::this_thread::yield();
    EXPECT_FALSE(rig.observer.latest());
    rig.may_end = INT_MAX;
    while (!rig.observer.latest())
        std::this_thread::yield();
    EXPECT_EQ(rig.observer.latest()->planes.size(), 4u);
}

TEST(Observer, OpensAnewWhatDidNotAnswer)
{
    ObserverRig rig;

    rig.kernel.exists = true;
    for (int i = 0; i < 2; i++)
        EXPECT_TRUE(rig.look().device);
    EXPECT_EQ(rig.kernels, 1);
    rig.kernel.loaded = false;
    EXPECT_EQ(rig.look().module_error.code, ENOENT) << "it did not answer";
    EXPECT_EQ(rig.look().module_error.code, ENOENT) << "it could not be opened";
    rig.kernel.loaded = true;
    EXPECT_TRUE(rig.look().device);
    EXPECT_EQ(rig.kernels, 3);
    EXPECT_EQ(rig.hosts, 1);
    rig.host_error = EIO;
    EXPECT_EQ(rig.look().error.code, EIO);
    rig.host_error = 0;
    EXPECT_EQ(rig.look().error.code, 0);
    EXPECT_EQ(rig.hosts, 2);
}

} // namespace
} // namespace mrcd::test::observation_test
