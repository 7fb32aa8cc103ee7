// SPDX-License-Identifier: GPL-2.0-only
//
// Requests over the real socket, of clients that behave and of some that do not.

#include <cstddef>
#include <thread>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "control.h"

namespace mrcd::test::control_test
{
namespace
{

class ControlTest : public testing::Test
{
protected:
    void SetUp() override
    {
        auto listener = control_socket(device_);
        ASSERT_TRUE(listener) << listener.error().message();
        listener_ = std::move(*listener);
        ASSERT_GE(sd_event_new(&event_), 0);
        ASSERT_GE(control_.start(event_, listener_.get(),
                                 [this](const std::string &request, bool privileged) {
                                     requests_.push_back(request);
                                     privileged_ = privileged;
                                     return answer_;
                                 }),
                  0);
    }
    void TearDown() override
    {
        control_ = Control();
        sd_event_unref(event_);
    }

    /** A client that is connected. */
    mrcnl::Descriptor client() const
    {
        const std::string name = "mrcd/" + device_;
        mrcnl::Descriptor fd(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        sockaddr_un at{};

        at.sun_family = AF_UNIX;
        name.copy(at.sun_path + 1, name.size());
        const auto length =
            static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
        EXPECT_EQ(connect(fd.get(), reinterpret_cast<sockaddr *>(&at), length), 0);
        return fd;
    }

    /** Runs until nothing is left to do. */
    void run() const
    {
        while (sd_event_run(event_, 0) > 0)
            ;
    }

    /** All that arrives; "" if nothing does, or the connection has ended. */
    static std::string take(const mrcnl::Descriptor &fd)
    {
        std::string all;
        std::string piece(65536, 0);

        for (ssize_t got; (got = recv(fd.get(), piece.data(), piece.size(), 0)) > 0;)
            all.append(piece, 0, static_cast<size_t>(got));
        return all;
    }

    const std::string device_ = "control" + std::to_string(getpid());
    mrcnl::Descriptor listener_;
    sd_event *event_ = nullptr;
    Control control_;
    std::string answer_ = "as planned";
    std::vector<std::string> requests_;
    bool privileged_ = false; ///< of the last client
};

TEST_F(ControlTest, AnswersEachClientOnce)
{
    const mrcnl::Descriptor one = client();
    const mrcnl::Descriptor two = client();

    send(one.get(), "status", 6, 0);
    send(two.get(), "health", 6, 0);
    run();
    EXPECT_EQ(take(one), "as planned");
    EXPECT_EQ(take(two), "as planned");
    EXPECT_EQ(requests_, (std::vector<std::string>{"status", "health"}));
    EXPECT_TRUE(privileged_) << "it is us";
    EXPECT_LT(send(one.get(), "status", 6, MSG_NOSIGNAL), 0) << "the connection has ended";
}

TEST_F(ControlTest, AnswersAreAsLongAsTheyAre)
{
    const mrcnl::Descriptor fd = client();

    answer_ = std::string(100000, 'x');
    send(fd.get(), "health", 6, 0);
    run();
    EXPECT_EQ(take(fd), answer_);
}

TEST_F(ControlTest, ClientsThatSayNothingKeepNobodyFromAnAnswer)
{
    std::vector<mrcnl::Descriptor> silent;

    for (int i = 0; i < 40; i++) {
        silent.push_back(client());
        run();
    }
    {
        const mrcnl::Descriptor gone = client();
    }
    const mrcnl::Descriptor fd = client();
    send(fd.get(), "status", 6, 0);
    run();
    EXPECT_EQ(take(fd), "as planned");
    EXPECT_EQ(requests_.size(), 1u);
    EXPECT_LT(send(silent[0].get(), "status", 6, MSG_NOSIGNAL), 0) << "it has had its time";
}

/** Everybody may ask. The user of a client is fixed when it connects. */
TEST_F(ControlTest, OthersAreNotPrivileged)
{
    mrcnl::Descriptor fd;

    // Only root can change its user.
    if (geteuid())
        return;
    privileged_ = true;
    // The system call changes one thread only, libc's function all threads.
    std::thread([&] {
        ASSERT_EQ(syscall(SYS_setresuid, 12345, 12345, 12345), 0);
        fd = client();
    }).join();
    send(fd.get(), "status", 6, 0);
    run();
    EXPECT_EQ(take(fd), "as planned");
    EXPECT_FALSE(privileged_);
}

TEST_F(ControlTest, RequestsAreCutNotBelieved)
{
    const mrcnl::Descriptor fd = client();
    const std::string request(5000, 'a');

    send(fd.get(), request.data(), request.size(), 0);
    run();
    EXPECT_EQ(requests_, std::vector<std::string>{std::string(256, 'a')});
}

} // namespace
} // namespace mrcd::test::control_test
