// SPDX-License-Identifier: GPL-2.0-only
#include "channel.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/un.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace traffic
{

namespace
{

constexpr auto connect_pause = std::chrono::milliseconds(50);
constexpr int connect_tries = 600;

[[noreturn]] void fail(const std::string &what)
{
    throw std::system_error(errno, std::generic_category(), what);
}

sockaddr_un address_of(const std::string &path)
{
    sockaddr_un address{};

    if (path.size() >= sizeof(address.sun_path)) {
        throw std::runtime_error("socket path too long");
    }
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    return address;
}

Fd make_socket()
{
    Fd fd(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));

    if (fd.get() < 0) {
        fail("socket");
    }
    return fd;
}

} // namespace

Channel Channel::listen(const std::string &path)
{
    const sockaddr_un address = address_of(path);
    const Fd listener = make_socket();

    unlink(path.c_str());
    if (bind(listener.get(), reinterpret_cast<const sockaddr *>(&address), sizeof(address)) ||
        ::listen(listener.get(), 1)) {
        fail(path);
    }
    Fd fd(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (fd.get() < 0) {
        fail("accept");
    }
    unlink(path.c_str());
    return Channel(std::move(fd));
}

Channel Channel::connect(const std::string &path)
{
    const sockaddr_un address = address_of(path);
    Fd fd = make_socket();

    for (int i = 0; i < connect_tries; i++) {
        if (::connect(fd.get(), reinterpret_cast<const sockaddr *>(&address), sizeof(address)) ==
            0) {
            return Channel(std::move(fd));
        }
        if (errno != ENOENT && errno != ECONNREFUSED) {
            break;
        }
        std::this_thread::sleep_for(connect_pause);
    }
    fail(path);
}

bool Channel::send(const nlohmann::json &message)
{
    const std::string text = message.dump();

    return ::send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(text.size());
}

std::optional<nlohmann::json> Channel::read(int flags)
{
    const ssize_t size = recv(fd_.get(), nullptr, 0, MSG_PEEK | MSG_TRUNC | flags);

    if (size < 0 && (errno == EAGAIN || errno == EINTR)) {
        return std::nullopt;
    }
    if (size <= 0) {
        throw std::runtime_error("the other end is gone");
    }
    std::string text(static_cast<size_t>(size), '\0');
    if (recv(fd_.get(), text.data(), text.size(), 0) != size) {
        throw std::runtime_error("the other end is gone");
    }
    return nlohmann::json::parse(text);
}

nlohmann::json Channel::receive()
{
    while (true) {
        if (auto message = read(0)) {
            return *message;
        }
    }
}

std::optional<nlohmann::json> Channel::poll()
{
    return read(MSG_DONTWAIT);
}

} // namespace traffic
