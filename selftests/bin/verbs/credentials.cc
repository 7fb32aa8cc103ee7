// SPDX-License-Identifier: GPL-2.0-only
/* A program that has a QP may go on posting, whatever rights the posting thread loses. */
#include <cerrno>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

#include "fixture.h"

namespace verbs
{

struct Change {
    const char *name;
    long (*make)();
};

namespace
{

// Called without the C library, which would change all threads: each thread changes only itself.

long no_change()
{
    return 0;
}

long give_up_root()
{
    return syscall(SYS_setresuid, 65534, 65534, 65534);
}

long give_up_capabilities()
{
    __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    __user_cap_data_struct none[2] = {};

    return syscall(SYS_capset, &header, none);
}

long take_a_keyring()
{
    return syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr) < 0 ? -1 : 0;
}

/** Runs in a thread of its own, after that change. */
template <typename Body>
void after(const Change &change, Body body)
{
    std::thread([&] {
        ASSERT_EQ(change.make(), 0) << change.name << ": " << errno;
        body();
    }).join();
}

} // namespace

class Credentials : public Pair, public ::testing::WithParamInterface<Change>
{
};

TEST_P(Credentials, OfWhoPostsMayHaveChanged)
{
    ASSERT_NO_FATAL_FAILURE(make_connected());
    after(GetParam(), [&] {
        EXPECT_EQ(ibv_req_notify_cq(a->send_cq.get(), 0), 0);
        ASSERT_EQ(post(*a, *b, {.id = 7, .length = 5000}), 0);
        const auto sent = wait_completions(a->send_cq.get(), 1);
        ASSERT_EQ(sent.size(), 1u);
        EXPECT_EQ(sent[0].status, IBV_WC_SUCCESS);
        EXPECT_EQ(sent[0].wr_id, 7u);
        ASSERT_NO_FATAL_FAILURE(fence());
    });
}

/* In this mode the kernel must be told of receives, too. */
TEST_P(Credentials, OfWhoPostsToAQpInErrorMayHaveChanged)
{
    ASSERT_NO_FATAL_FAILURE(make_connected());
    ASSERT_EQ(a->to_state(IBV_QPS_ERR), 0);
    after(GetParam(), [&] {
        ASSERT_EQ(post_receives(*a, 1, 8), 0);
        ASSERT_EQ(post(*a, *b, {.id = 9, .length = 1}), 0);
        const auto received = wait_completions(a->recv_cq.get(), 1);
        const auto sent = wait_completions(a->send_cq.get(), 1);
        ASSERT_EQ(received.size(), 1u);
        ASSERT_EQ(sent.size(), 1u);
        EXPECT_EQ(received[0].status, IBV_WC_WR_FLUSH_ERR);
        EXPECT_EQ(sent[0].status, IBV_WC_WR_FLUSH_ERR);
    });
}

INSTANTIATE_TEST_SUITE_P(Of, Credentials,
                         ::testing::Values(Change{"none", no_change}, Change{"user", give_up_root},
                                           Change{"capabilities", give_up_capabilities},
                                           Change{"keyring", take_a_keyring}),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace verbs
