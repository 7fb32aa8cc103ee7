// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "mrcnl/daemon.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include "mrcnl/descriptor.h"

namespace mrcnl
{

namespace
{

constexpr timeval patience{5, 0};
constexpr size_t piece_most = 65536;
constexpr size_t device_most = 63; // bytes of a device's name

/** Names go to terminals. */
bool printable(char c)
{
    return c > ' ' && c <= '~';
}

Error last_error(const std::string &device)
{
    return {errno, errno == ECONNREFUSED ? "no mrcd looks after " + device : std::string(), {}};
}

} // namespace

Result<std::string> ask_daemon(const std::string &device, const std::string &request)
{
    const std::string name = "mrcd/" + device;
    const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    const Descriptor owned(fd);
    sockaddr_un at{};

    if (fd < 0)
        return last_error(device);
    // An abstract name: it begins with a zero byte, and its length is given by that of the address.
    at.sun_family = AF_UNIX;
    name.copy(&at.sun_path[1], sizeof(at.sun_path) - 1);
    const size_t length =
        offsetof(sockaddr_un, sun_path) + 1 + std::min(name.size(), sizeof(at.sun_path) - 1);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    if (connect(fd, reinterpret_cast<const sockaddr *>(&at), static_cast<socklen_t>(length)) ||
        send(fd, request.data(), request.size(), MSG_NOSIGNAL) < 0)
        return last_error(device);
    std::string answer;
    std::array<char, piece_most> piece{};
    for (;;) {
        const ssize_t got = recv(fd, piece.data(), piece.size(), 0);
        if (got < 0)
            return last_error(device);
        if (!got)
            return answer;
        answer.append(piece.data(), static_cast<size_t>(got));
    }
}

std::vector<std::string> watched_devices(const std::string &table)
{
    constexpr std::string_view prefix = "@mrcd/";
    constexpr unsigned long listening = 0x10000; // __SO_ACCEPTCON
    std::ifstream lines(table);
    std::set<std::string> found;

    // Num RefCount Protocol Flags Type St Inode Path
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string word;
        std::string path;
        unsigned long flags = 0;
        words >> word >> word >> word >> std::hex >> flags >> word >> word >> word >> path;
        const std::string device = path.substr(std::min(prefix.size(), path.size()));
        if (flags & listening && path.starts_with(prefix) && !device.empty() &&
            device.size() <= device_most && std::all_of(device.begin(), device.end(), printable))
            found.insert(device);
    }
    return {found.begin(), found.end()};
}

} // namespace mrcnl
