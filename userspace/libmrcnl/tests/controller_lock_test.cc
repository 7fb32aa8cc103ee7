// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "mrcnl/controller_lock.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace mrcnl
{

namespace
{

class ControllerLockTest : public testing::Test
{
protected:
    void SetUp() override
    {
        char name[] = "/tmp/mrc-lock-XXXXXX";

        ASSERT_TRUE(mkdtemp(name));
        folder_ = name;
        setenv("MRC_CTL_DIR", (folder_ + "/ctl").c_str(), 1);
    }
    void TearDown() override
    {
        unsetenv("MRC_CTL_DIR");
        std::filesystem::remove_all(folder_);
    }

    std::string folder_;
};

TEST_F(ControllerLockTest, OneHasIt)
{
    auto first = lock_controller(3);

    ASSERT_TRUE(first) << first.error().message();
    const auto second = lock_controller(3);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, EBUSY);
    EXPECT_TRUE(lock_controller(4)) << "of another device";
    *first = Descriptor();
    EXPECT_TRUE(lock_controller(3)) << "when the first one has ended";
}

TEST_F(ControllerLockTest, WhatHasItMayRunOthers)
{
    const auto first = lock_controller(3);

    ASSERT_TRUE(first);
    EXPECT_TRUE(fcntl(first->get(), F_GETFD) & FD_CLOEXEC) << "they do not keep it";
}

TEST_F(ControllerLockTest, NoPlaceForIt)
{
    setenv("MRC_CTL_DIR", (folder_ + "/none/ctl").c_str(), 1);
    const auto refused = lock_controller(3);

    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ENOENT);
    EXPECT_NE(refused.error().message().find("/none/ctl/3.lock"), std::string::npos);
}

TEST_F(ControllerLockTest, ALinkIsNotFollowed)
{
    ASSERT_EQ(mkdir((folder_ + "/ctl").c_str(), 0755), 0);
    ASSERT_EQ(symlink("/dev/null", (folder_ + "/ctl/3.lock").c_str()), 0);
    const auto refused = lock_controller(3);

    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ELOOP);
}

TEST(ControllerFolder, IsTheSystems)
{
    unsetenv("MRC_CTL_DIR");
    EXPECT_EQ(controller_folder(), "/run/mrc/ctl");
    setenv("MRC_CTL_DIR", "", 1);
    EXPECT_EQ(controller_folder(), "/run/mrc/ctl");
    unsetenv("MRC_CTL_DIR");
}

} // namespace

} // namespace mrcnl
