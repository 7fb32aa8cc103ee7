// SPDX-License-Identifier: GPL-2.0-only
#include "feature.h"

#include <gtest/gtest.h>

#include "fake_host.h"

namespace mrcctl::feature_test
{
namespace
{

struct FeatureTest : testing::Test {
    Feature feature(const std::string &name)
    {
        for (const Feature &found : host_features(host))
            if (found.name == name)
                return found;
        return {"none", Status::unknown, {}, {}};
    }

    test::FakeHost host;
};

TEST_F(FeatureTest, BareHost)
{
    host.libibverbs.clear();
    EXPECT_EQ(feature("kernel").value, "6.1.0-test");
    EXPECT_EQ(feature("module").status, Status::missing);
    EXPECT_NE(feature("module").hint.find("modules_install"), std::string::npos);
    EXPECT_EQ(feature("ib-uverbs").status, Status::missing);
    EXPECT_EQ(feature("seg6").status, Status::unknown);
    EXPECT_EQ(feature("libibverbs").status, Status::missing);
    EXPECT_EQ(feature("rdma-rxe").name, "none");
}

TEST_F(FeatureTest, ModuleInstalledAndLoaded)
{
    host.file("/lib/modules/6.1.0-test/modules.dep", "kernel/a.ko:\nupdates/mrc.ko: kernel/a.ko\n");
    EXPECT_EQ(feature("module").value, "not loaded");
    EXPECT_EQ(feature("module").hint, "modprobe mrc");
    host.file("/sys/module/mrc/version", "0.1.0\n");
    EXPECT_EQ(feature("module").status, Status::ok);
    EXPECT_EQ(feature("module").value, "loaded, version 0.1.0");
}

TEST_F(FeatureTest, Seg6ByTheKernelsFunctions)
{
    host.file("/proc/kallsyms", "0 T start_kernel\n0 T seg6_do_srh_encap_red\n");
    EXPECT_EQ(feature("seg6").status, Status::missing);
    host.file("/proc/kallsyms", "0 T start_kernel\n0 T seg6_do_srh_encap\n");
    EXPECT_EQ(feature("seg6").status, Status::ok);
}

TEST_F(FeatureTest, RxeIsNoted)
{
    host.file("/sys/module/rdma_rxe/refcnt", "0\n");
    EXPECT_EQ(feature("rdma-rxe").status, Status::note);
}

TEST_F(FeatureTest, PrivateAbi)
{
    host.library("34");
    EXPECT_EQ(private_abi(host.root + host.libibverbs), 34u);
    host.library("64");
    EXPECT_EQ(private_abi(host.root + host.libibverbs), 64u);
    host.library("");
    EXPECT_FALSE(private_abi(host.root + host.libibverbs));
    EXPECT_FALSE(private_abi(host.root + "/none"));
}

TEST_F(FeatureTest, ProviderByConfiguration)
{
    host.library("34");
    EXPECT_EQ(feature("provider").status, Status::missing);
    host.file("/usr/lib/x/libibverbs/libmrc-rdmav34.so");
    EXPECT_EQ(feature("provider").status, Status::missing) << "no line in /etc/libibverbs.d";
    host.file("/etc/libibverbs.d/other.driver", "driver other\n");
    host.file("/etc/libibverbs.d/mrc.driver", "driver mrc\n");
    EXPECT_EQ(feature("provider").status, Status::ok);
    EXPECT_EQ(feature("provider").value, "/usr/lib/x/libibverbs/libmrc-rdmav34.so");
}

TEST_F(FeatureTest, ProviderByAbsolutePath)
{
    host.library("34");
    host.file("/opt/mrc/libmrc-rdmav34.so");
    host.rdmav_drivers = "rxe:/opt/mrc/libmrc";
    EXPECT_EQ(feature("provider").value, "/opt/mrc/libmrc-rdmav34.so");
    host.rdmav_drivers = "/opt/none/libmrc;/opt/mrc/libmrc";
    EXPECT_EQ(feature("provider").status, Status::ok);
    host.rdmav_drivers = "/opt/mrc/libother";
    EXPECT_EQ(feature("provider").status, Status::missing);
}

TEST_F(FeatureTest, ProviderForAnotherRdmaCore)
{
    host.library("57");
    host.file("/etc/libibverbs.d/mrc.driver", "driver mrc\n");
    host.file("/usr/lib/x/libibverbs/libmrc-rdmav34.so");
    EXPECT_EQ(feature("provider").status, Status::missing);
    EXPECT_EQ(feature("provider").value,
              "libibverbs on this host needs provider ABI 57; installed: 34 "
              "(/usr/lib/x/libibverbs/libmrc-rdmav34.so)");
    host.file("/opt/mrc/libmrc-rdmav59.so");
    host.rdmav_drivers = "/opt/mrc/libmrc:/opt/mrc/librxe";
    EXPECT_EQ(feature("provider").value,
              "libibverbs on this host needs provider ABI 57; installed: 59 "
              "(/opt/mrc/libmrc-rdmav59.so), 34 (/usr/lib/x/libibverbs/libmrc-rdmav34.so)");
    host.file("/opt/mrc/libmrc-rdmav57.so");
    EXPECT_EQ(feature("provider").value, "/opt/mrc/libmrc-rdmav57.so");
}

TEST_F(FeatureTest, ProviderWithoutItsLine)
{
    host.library("57");
    host.file("/usr/lib/x/libibverbs/libmrc-rdmav57.so");
    EXPECT_EQ(feature("provider").value, "libmrc-rdmav57.so not found");
}

TEST_F(FeatureTest, WhatTheModuleTells)
{
    const auto none = module_features({"0.1.0", "crc32-pclmul", true, 32, 256, 16}, {});
    const auto some = module_features({}, {mrcnl::Device{{1, "mrc0"}}, mrcnl::Device{{2, "mrc1"}}});

    EXPECT_EQ(none[0].value, "crc32-pclmul");
    EXPECT_EQ(none[2].status, Status::note);
    EXPECT_NE(none[2].hint.find("rdma link add"), std::string::npos);
    EXPECT_EQ(some[2].value, "mrc0, mrc1");
}

struct NetworkTest : testing::Test {
    NetworkTest() { plane = {{1, "mrc0"}, 2, 7, "eth1"}; }

    /** Makes the netdev of the plane, which has carrier, a port of @p master. */
    void enslave(const std::string &master) const
    {
        host.file("/sys/class/net/eth1/operstate", "up\n");
        std::filesystem::create_symlink("../" + master, host.root + "/sys/class/net/eth1/master");
    }

    [[nodiscard]] std::vector<Feature> features() const
    {
        return network_features(host, {device}, {plane});
    }

    test::FakeHost host;
    mrcnl::Device device{{1, "mrc0"}};
    mrcnl::Plane plane;
};

TEST_F(NetworkTest, NothingToSay)
{
    device.counters = {{"rx_drop_filtered", 0}, {"rx_drop_no_socket", 0}};
    EXPECT_TRUE(features().empty());
}

TEST_F(NetworkTest, PortOfABridge)
{
    enslave("br0");
    ASSERT_EQ(features().size(), 1u);
    EXPECT_EQ(features()[0].name, "master");
    EXPECT_EQ(features()[0].value, "mrc0 port 2: eth1 is a port of br0, which takes its packets");
}

TEST_F(NetworkTest, PortOfAVrf)
{
    enslave("red");
    plane.oper_up = true;
    host.file("/proc/sys/net/ipv4/udp_l3mdev_accept", "0\n");
    ASSERT_EQ(features().size(), 1u);
    EXPECT_EQ(features()[0].hint, "sysctl -w net.ipv4.udp_l3mdev_accept=1");
    host.file("/proc/sys/net/ipv4/udp_l3mdev_accept", "1\n");
    EXPECT_TRUE(features().empty());
}

TEST_F(NetworkTest, WhatThisHostHasDropped)
{
    device.counters = {{"rx_drop_filtered", 3}, {"rx_drop_no_socket", 4}};
    ASSERT_EQ(features().size(), 2u);
    EXPECT_EQ(features()[0].value,
              "mrc0: netfilter on this host has dropped 3 packets for the device");
    EXPECT_EQ(features()[1].value, "mrc0: no UDP socket has received 4 packets for the device");
}

} // namespace
} // namespace mrcctl::feature_test
