// SPDX-License-Identifier: GPL-2.0-only
//
// What is asked of this host: files, locks, netlink. Nothing here changes it.

#include <cerrno>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "control.h"
#include "fabrics.h"
#include "file/read_file.h"
#include "host/netdev.h"
#include "host/system.h"
#include "watch/udp_sender.h"

namespace mrcd::test::host_test
{
namespace
{

TEST(Host, FilesAreReadOrSaidWhyNot)
{
    const std::string name = testing::TempDir() + "mrcd_file." + std::to_string(getpid());
    const std::string text(200000, 'x');

    EXPECT_EQ(read_file(name).error().code, ENOENT);
    EXPECT_EQ(read_file(testing::TempDir()).error().code, EISDIR);
    std::ofstream(name) << text;
    EXPECT_EQ(*read_file(name), text);
    unlink(name.c_str());
}

TEST(Host, ADeviceHasOneSocket)
{
    const std::string device = "test" + std::to_string(getpid());

    {
        const auto lock = control_socket(device);
        ASSERT_TRUE(lock);
        const auto second = control_socket(device);
        ASSERT_FALSE(second);
        EXPECT_EQ(second.error().code, EADDRINUSE);
        EXPECT_EQ(second.error().message(), "another mrcd looks after this device");
        EXPECT_TRUE(control_socket(device + "0")) << "each device has its own";
    }
    EXPECT_TRUE(control_socket(device)) << "nothing is left of it";
    EXPECT_FALSE(control_socket(std::string(200, 'x')));
}

TEST(Host, EachQuestionGetsItsOwnAnswer)
{
    const mrcnl::Address self = *mrcnl::Address::parse("::1");

    if (!NetdevFinder().find("lo"))
        GTEST_SKIP() << "no loopback netdev";
    for (int i = 0; i < 3; i++) {
        // A finder without any known netdev.
        NetdevFinder finder;
        EXPECT_FALSE(finder.next_hop(self, 0)) << "nobody stands between";
        EXPECT_EQ(finder.find("lo"), 1u);
        EXPECT_EQ(finder.find("there-is-none"), 0u);
    }
}

/** Sends every other probe to an unreachable address, and the others to this host. */
class HalfSender : public ProbeSender
{
public:
    explicit HalfSender(UdpSender &inner) : inner_(inner) {}

    uint32_t good = 0;
    uint32_t bad = 0;

    void send(const ProbeLoop &loop, const LoopProbe &probe) override
    {
        ProbeLoop other = loop;
        // A link-local address cannot be reached without a scope.
        const char *to = (good + bad) % 2 ? "::1" : "fe80::1";

        (good + bad) % 2 ? good++ : bad++;
        other.carriers = {*mrcnl::Address::parse(to)};
        inner_.send(other, probe);
    }
    void flush() override { inner_.flush(); }
    bool carrier(uint8_t) override { return true; }
    uint16_t data_bytes() override { return 4228; }
    void ask(uint8_t) override {}

private:
    UdpSender &inner_;
};

uint64_t answered(const FaultFinder &watch)
{
    uint64_t count = 0;

    for (const LoopReport &loop : watch.loops())
        count += loop.history->sent() + loop.data->sent();
    return count;
}

/** All probes are sent together, long and short. */
TEST(Host, AProbeThatCannotBeSentCostsNoOther)
{
    const mrcnl::Address self = *mrcnl::Address::parse("::1");
    const std::vector<mrcnl::Address> neighbors(2, self);
    NetdevTable netdevs;
    UdpSender udp(self, {"lo", "lo"}, neighbors, netdevs);
    HalfSender sender(udp);
    FaultFinder watch(fabric_of(large_file(2, 2, 2, 16)), 1);

    const auto system = open_system();
    if (!system)
        GTEST_SKIP() << system.error().message();
    netdevs.renew(*(*system)->read_netdevs());
    if (!udp.carrier(1) || !udp.carrier(2))
        GTEST_SKIP() << "no loopback netdev";
    // By then each probe has been due once. There is only one tick, so that no probe is given up.
    watch.tick(monotonic_ns(), sender);
    ASSERT_EQ(sender.good + sender.bad, 68u);
    for (int tries = 0; tries < 3000 && answered(watch) < sender.good; tries++) {
        udp.receive(watch);
        usleep(10000);
    }
    EXPECT_EQ(answered(watch), sender.good);
    EXPECT_EQ(sender.good, 34u);
}

TEST(Host, ErrorsAreTheKernels)
{
    const auto system = open_system();
    if (!system)
        GTEST_SKIP() << system.error().message();

    ASSERT_TRUE((*system)->addresses("lo"));
    EXPECT_TRUE((*system)->addresses("there-is-none")->empty());
    const auto refused =
        (*system)->delete_address("lo", *mrcnl::Prefix::parse("2001:db8:1234:5678::1/128"));
    ASSERT_FALSE(refused);
    EXPECT_TRUE(refused.error().code == EADDRNOTAVAIL || refused.error().code == EPERM)
        << refused.error().message();
}

} // namespace
} // namespace mrcd::test::host_test
