// SPDX-License-Identifier: GPL-2.0-only
#include "control.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>

namespace mrcd
{

namespace
{

constexpr size_t clients_most = 16;
constexpr size_t request_most = 256;
constexpr size_t piece = 16384;
constexpr int send_buffer = 4 << 20;

bool privileged(int fd)
{
    ucred peer{};
    socklen_t length = sizeof(peer);

    return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) &&
           (peer.uid == 0 || peer.uid == getuid());
}

/** Sends an answer. A client that does not take all of it at once gets no more. */
void send_all(int fd, const std::string &text)
{
    setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &send_buffer, sizeof(send_buffer));
    for (size_t at = 0; at < text.size(); at += piece)
        if (send(fd, &text[at], std::min(piece, text.size() - at), MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
            return;
}

} // namespace

mrcnl::Result<mrcnl::Descriptor> control_socket(const std::string &device)
{
    const std::string name = "mrcd/" + device;
    mrcnl::Descriptor fd(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_un at{};

    if (name.size() >= sizeof(at.sun_path))
        return mrcnl::Error{ENAMETOOLONG, {}, {}};
    at.sun_family = AF_UNIX;
    name.copy(at.sun_path + 1, name.size()); // behind a NUL: an abstract name, without a file
    const size_t length = offsetof(sockaddr_un, sun_path) + 1 + name.size();
    if (!fd || bind(fd.get(), reinterpret_cast<sockaddr *>(&at), static_cast<socklen_t>(length)) ||
        listen(fd.get(), clients_most)) {
        const bool taken = errno == EADDRINUSE;
        return mrcnl::Error{errno, taken ? "another mrcd looks after this device" : "", {}};
    }
    return fd;
}

int Control::start(sd_event *event, int listener, Answer answer)
{
    event_ = event;
    answer_ = std::move(answer);
    return sd_event_add_io(event, nullptr, listener, EPOLLIN, on_connect, this);
}

int Control::on_connect(sd_event_source *, int fd, uint32_t, void *self)
{
    const int client = accept4(fd, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);

    if (client >= 0)
        static_cast<Control *>(self)->admit(client);
    return 0;
}

/** Adds a client. If there are too many, drops the oldest one, which has had its time. */
void Control::admit(int fd)
{
    sd_event_source *source = nullptr;
    mrcnl::Descriptor client(fd);

    if (clients_.size() == clients_most)
        clients_.pop_front();
    if (sd_event_add_io(event_, &source, fd, EPOLLIN, on_request, this) >= 0)
        clients_.push_back({std::move(client), std::unique_ptr<sd_event_source, Unref>(source)});
}

int Control::on_request(sd_event_source *, int fd, uint32_t, void *self)
{
    static_cast<Control *>(self)->reply(fd);
    return 0;
}

void Control::reply(int fd)
{
    std::array<char, request_most> request{};
    const ssize_t length = recv(fd, request.data(), request.size(), MSG_DONTWAIT);

    if (length > 0)
        send_all(fd, answer_({request.data(), static_cast<size_t>(length)}, privileged(fd)));
    std::erase_if(clients_, [fd](const Client &client) { return client.fd.get() == fd; });
}

} // namespace mrcd
