// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
//
// Questions to an mrcd that is a thread at the other end of a real socket.
#include "mrcnl/daemon.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <fstream>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace mrcnl::daemon_test
{
namespace
{

const std::string device = "daemon" + std::to_string(getpid());

/** Listens at the socket of the device's mrcd. */
int listen_as_daemon()
{
    const std::string name = "mrcd/" + device;
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    sockaddr_un at{};

    at.sun_family = AF_UNIX;
    name.copy(at.sun_path + 1, name.size());
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    EXPECT_EQ(bind(fd, reinterpret_cast<sockaddr *>(&at), length), 0);
    EXPECT_EQ(listen(fd, 1), 0);
    return fd;
}

/** Takes a request, and answers it with these pieces. @return the request */
std::string answer_one(int listener, const std::vector<std::string> &pieces)
{
    const int fd = accept(listener, nullptr, nullptr);
    std::string question(64, '\0');

    const ssize_t got = recv(fd, question.data(), question.size(), 0);
    EXPECT_GE(got, 0);
    question.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
    for (const std::string &piece : pieces)
        EXPECT_EQ(send(fd, piece.data(), piece.size(), 0), static_cast<ssize_t>(piece.size()));
    close(fd);
    return question;
}

TEST(Daemon, AnswersInPieces)
{
    const int listener = listen_as_daemon();
    std::string question;
    std::thread daemon([&] {
        question = answer_one(listener, {"as ", std::string(40000, '-'), " planned"});
    });
    const auto answer = ask_daemon(device, "status");

    shutdown(listener, SHUT_RDWR); // the client may never have connected
    daemon.join();
    close(listener);
    EXPECT_EQ(question, "status");
    ASSERT_TRUE(answer) << answer.error().message();
    EXPECT_EQ(*answer, "as " + std::string(40000, '-') + " planned");
}

TEST(Daemon, IsNotThere)
{
    const auto answer = ask_daemon(device, "status");

    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, ECONNREFUSED);
    EXPECT_EQ(answer.error().text, "no mrcd looks after " + device);
}

TEST(Daemon, IsFoundWithoutItsDevice)
{
    const auto found = [] {
        const auto all = watched_devices();
        return std::find(all.begin(), all.end(), device) != all.end();
    };
    EXPECT_FALSE(found());
    const int listener = listen_as_daemon();
    EXPECT_TRUE(found());
    close(listener);
    EXPECT_FALSE(found());
}

TEST(Daemon, OfOddSocketsNoneIsFound)
{
    const std::string table = testing::TempDir() + "/mrcnl_unix_" + std::to_string(getpid());

    std::ofstream(table) << "Num       RefCount Protocol Flags    Type St Inode Path\n"
                            "0000: 00000002 00000000 00010000 0005 01 1 @mrcd/mrc1\n"
                            "0000: 00000002 00000000 00010000 0005 01 2 @mrcd/mrc0\n"
                            "0000: 00000002 00000000 00010000 0005 01 3 @mrcd/mrc0\n"
                            "0000: 00000003 00000000 00000000 0005 03 4 @mrcd/connected\n"
                            "0000: 00000002 00000000 00010000 0005 01 5 /mrcd/file\n"
                            "0000: 00000002 00000000 00010000 0005 01 6 @mrcd/\n"
                            "0000: 00000002 00000000 00010000 0005 01 7 @mrcd/\033[2J\n"
                            "0000: 00000002 00000000 00010000 0005 01 8 @mrcd/"
                         << std::string(64, 'x') << "\n"
                         << "0000: 00000002\n\n";
    EXPECT_EQ(watched_devices(table), (std::vector<std::string>{"mrc0", "mrc1"}));
    unlink(table.c_str());
    EXPECT_TRUE(watched_devices(table).empty());
}

TEST(Daemon, CannotBeAskedWithoutDescriptors)
{
    rlimit before{};

    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
    const rlimit none{0, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
    const auto answer = ask_daemon(device, "status");
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, EMFILE);
}

} // namespace
} // namespace mrcnl::daemon_test
