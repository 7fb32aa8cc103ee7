// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Runs against the kernel of this machine. It has the family that lists all families. */
#include "family.h"

#include <cerrno>
#include <memory>

#include <gtest/gtest.h>
#include <linux/genetlink.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>

#include "netlink_channel.h"

namespace mrcnl::family_test
{

namespace
{

class FamilyTest : public ::testing::Test
{
protected:
    void SetUp() override
    {
        ASSERT_TRUE(sock);
        ASSERT_EQ(genl_connect(sock.get()), 0);
    }

    Socket sock{nl_socket_alloc()};
};

TEST_F(FamilyTest, IsFoundWithItsGroups)
{
    const auto control = find_family(sock.get(), "nlctrl");

    ASSERT_TRUE(control) << control.error().message();
    EXPECT_EQ(control->id, GENL_ID_CTRL);
    EXPECT_TRUE(control->groups.contains("notify"));
}

TEST_F(FamilyTest, OneThatIsNotThereIsNot)
{
    for (const char *name : {"", "nlctr", "nlctrl2", "no such family"}) {
        const auto none = find_family(sock.get(), name);
        ASSERT_FALSE(none) << name;
        EXPECT_EQ(none.error().code, ENOENT) << name;
    }
    EXPECT_TRUE(find_family(sock.get(), "nlctrl")) << "the socket is of use still";
}

} // namespace

} // namespace mrcnl::family_test
