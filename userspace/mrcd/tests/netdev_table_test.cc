// SPDX-License-Identifier: GPL-2.0-only
//
// Netdevs by what the kernel tells of them.

#include <cstring>
#include <memory>

#include <gtest/gtest.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netlink/msg.h>

#include "host/netdev_table.h"
#include "host/owned.h"

namespace mrcd::test::netdev_table_test
{
namespace
{

/** A message of the kernel about a netdev. Members name the parts to leave out. */
struct Telling {
    int index = 7;
    std::string name = "eth1";
    unsigned flags = IFF_UP | IFF_RUNNING;
    uint32_t mtu = 9000;
    std::vector<std::string> others{};
    uint16_t type = RTM_NEWLINK;
    uint8_t family = AF_UNSPEC;
    bool whole = true; ///< false: without an MTU, as in scan results of wireless netdevs

    Owned<nl_msg> message() const
    {
        Owned<nl_msg> msg(nlmsg_alloc_simple(type, 0));
        ifinfomsg info{};

        info.ifi_family = family;
        info.ifi_index = index;
        info.ifi_flags = flags;
        nlmsg_append(msg.get(), &info, sizeof(info), NLMSG_ALIGNTO);
        nla_put_string(msg.get(), IFLA_IFNAME, name.c_str());
        if (whole)
            nla_put_u32(msg.get(), IFLA_MTU, mtu);
        nlattr *list = others.empty() ? nullptr : nla_nest_start(msg.get(), IFLA_PROP_LIST);
        for (const std::string &other : others)
            nla_put_string(msg.get(), IFLA_ALT_IFNAME, other.c_str());
        if (list)
            nla_nest_end(msg.get(), list);
        return msg;
    }
};

void tell(NetdevTable &table, const Telling &telling)
{
    table.take(nlmsg_hdr(telling.message().get()));
}

TEST(NetdevTable, KnowsWhatItIsTold)
{
    NetdevTable table;

    EXPECT_EQ(table.find("eth1"), nullptr);
    tell(table, {.others = {"enp1s0", "uplink"}});
    ASSERT_NE(table.find("eth1"), nullptr);
    EXPECT_EQ(*table.find("eth1"),
              (NetdevTable::Netdev{7, true, true, 9000, {"eth1", "enp1s0", "uplink"}}));
    EXPECT_EQ(table.find("uplink"), table.find("eth1"));
    tell(table, {.flags = IFF_UP, .mtu = 1500, .others = {"uplink"}});
    EXPECT_FALSE(table.find("eth1")->carrier);
    EXPECT_EQ(table.find("eth1")->mtu, 1500u);
    EXPECT_EQ(table.find("enp1s0"), nullptr) << "a name that it has no more";
    tell(table, {.type = RTM_DELLINK});
    EXPECT_EQ(table.find("eth1"), nullptr);
    EXPECT_EQ(table.find("uplink"), nullptr);
}

/** A netdev takes the name of another one, in two steps. */
TEST(NetdevTable, NamesAreThoseOfTheLastThatGotThem)
{
    NetdevTable table;

    tell(table, {.index = 7, .name = "eth1"});
    tell(table, {.index = 8, .name = "eth2"});
    tell(table, {.index = 8, .name = "eth1"});
    tell(table, {.index = 7, .name = "old"});
    EXPECT_EQ(table.find("eth1")->index, 8u);
    EXPECT_EQ(table.find("old")->index, 7u);
    EXPECT_EQ(table.find("eth2"), nullptr);
    tell(table, {.index = 7, .type = RTM_DELLINK});
    EXPECT_EQ(table.find("eth1")->index, 8u);
}

/** Bridges use the same type of message to report that a port has left them. */
TEST(NetdevTable, PartsOfNetdevsSayNothing)
{
    NetdevTable table;

    tell(table, {.others = {"uplink"}});
    tell(table, {.flags = 0, .family = AF_BRIDGE});
    tell(table, {.type = RTM_DELLINK, .family = AF_BRIDGE});
    tell(table, {.flags = 0, .whole = false});
    tell(table, {.flags = 0, .type = RTM_NEWADDR});
    tell(table, {.index = 0});
    tell(table, {.index = -1});
    ASSERT_NE(table.find("uplink"), nullptr);
    EXPECT_TRUE(table.find("eth1")->carrier);
}

TEST(NetdevTable, MessagesThatAreCutShortSayNothing)
{
    const auto whole = Telling{.others = {"uplink"}}.message();
    const nlmsghdr *at = nlmsg_hdr(whole.get());

    for (uint32_t length = sizeof(nlmsghdr); length < at->nlmsg_len; length++) {
        // A copy on the heap, so that sanitizers see reads behind its end.
        const auto copy = std::make_unique<char[]>(length);
        NetdevTable table;
        memcpy(copy.get(), at, length);
        reinterpret_cast<nlmsghdr *>(copy.get())->nlmsg_len = length;
        table.take(reinterpret_cast<const nlmsghdr *>(copy.get()));
        EXPECT_EQ(table.find("uplink"), nullptr) << length;
    }
}

/** Events that arrive while all netdevs are read may be newer or older than what is read. */
TEST(NetdevTable, WhatComesWhileAllAreReadCounts)
{
    NetdevTable table;
    NetdevTable all;

    tell(table, {.index = 5, .name = "gone"});
    EXPECT_FALSE(table.known());
    table.expect();
    tell(table, {.flags = IFF_UP});
    tell(table, {.index = 9, .name = "new"});
    EXPECT_FALSE(table.find("eth1")->carrier) << "it counts meanwhile, too";
    tell(all, {});
    tell(all, {.index = 8, .name = "eth2"});
    table.renew(all);
    EXPECT_TRUE(table.known());
    EXPECT_EQ(table.find("gone"), nullptr) << "nobody told of its end";
    EXPECT_FALSE(table.find("eth1")->carrier);
    EXPECT_NE(table.find("eth2"), nullptr);
    EXPECT_NE(table.find("new"), nullptr);
    table.expect();
    table.renew(all);
    EXPECT_TRUE(table.find("eth1")->carrier) << "and only once";
    EXPECT_EQ(table.find("new"), nullptr);
}

/** Otherwise the table would grow for ever, and old states would come back. */
TEST(NetdevTable, WhatWasToldBeforeOrLaterIsNotKept)
{
    NetdevTable table;
    NetdevTable all;

    tell(all, {});
    table.expect();
    tell(table, {.flags = IFF_UP});
    table.expect();
    table.renew(all);
    EXPECT_TRUE(table.find("eth1")->carrier) << "they are read anew";
    tell(table, {.flags = IFF_UP});
    table.renew(all);
    EXPECT_TRUE(table.find("eth1")->carrier) << "nobody expected them any more";
}

} // namespace
} // namespace mrcd::test::netdev_table_test
