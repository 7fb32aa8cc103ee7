// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The channel to the kernel, over libnl. Callbacks of libnl only collect messages, which are looked
 * at afterwards. libnl does not read the error number and text that end a failed dump, so they are
 * read here.
 */
#include "netlink_channel.h"

#include <array>
#include <cerrno>
#include <cstring>

#include <linux/mrc.h>
#include <linux/netlink.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <new>
#include <poll.h>
#include <sys/socket.h>

#include "family.h"
#include "mrcnl/attributes.h"

namespace mrcnl
{

void FreeSocket::operator()(nl_sock *sock) const
{
    nl_socket_free(sock);
}

void FreeCallbacks::operator()(nl_cb *callbacks) const
{
    nl_cb_put(callbacks);
}

namespace
{

constexpr size_t receive_buffer = 64 << 10;
constexpr int event_buffer = 4 << 20;

/*
 * The most messages that are taken at a time, so that a flood does not hold up the caller: as many
 * as a full buffer can hold. The kernel doubles the size of the buffer, and counts at least this
 * much for each message.
 */
constexpr size_t least_message = 512;
constexpr size_t arrivals_max = 2 * event_buffer / least_message;

struct FreeMessage {
    void operator()(nl_msg *msg) const { nlmsg_free(msg); }
};

/** The results of one exchange up to now. */
struct Exchange {
    std::optional<uint32_t> sequence; ///< of the request; empty: events, which answer no request
    std::vector<Reply> replies;
    bool done = false;
    bool interrupted = false;
    int error = 0; ///< errno, positive
    std::string text;
    std::optional<size_t> offset; ///< of the bad attribute, in the message
    std::optional<int> missing;   ///< type of the missing attribute
};

Exchange &exchange_of(void *arg)
{
    return *static_cast<Exchange *>(arg);
}

/** Extended acknowledgement: attributes behind a fixed part. */
void read_extack(Exchange &exchange, const nlmsghdr *hdr, size_t fixed)
{
    if (!(hdr->nlmsg_flags & NLM_F_ACK_TLVS) || hdr->nlmsg_len < NLMSG_HDRLEN + fixed)
        return;
    const auto *start = static_cast<const std::byte *>(nlmsg_data(hdr)) + fixed;
    const Attributes attrs({start, hdr->nlmsg_len - NLMSG_HDRLEN - fixed}, NLMSGERR_ATTR_MAX);

    exchange.text = attrs.string(NLMSGERR_ATTR_MSG);
    if (attrs.has(NLMSGERR_ATTR_OFFS))
        exchange.offset = attrs.u32(NLMSGERR_ATTR_OFFS);
    if (attrs.has(NLMSGERR_ATTR_MISS_TYPE))
        exchange.missing = static_cast<int>(attrs.u32(NLMSGERR_ATTR_MISS_TYPE));
}

/** Leaves out the rest of an earlier answer that was not read to its end. */
int on_sequence(nl_msg *msg, void *arg) noexcept
{
    const Exchange &exchange = exchange_of(arg);

    if (exchange.sequence && nlmsg_hdr(msg)->nlmsg_seq != *exchange.sequence)
        return NL_SKIP;
    return NL_OK;
}

int on_valid(nl_msg *msg, void *arg) noexcept
{
    const nlmsghdr *hdr = nlmsg_hdr(msg);

    if (!genlmsg_valid_hdr(const_cast<nlmsghdr *>(hdr), 0))
        return NL_SKIP;
    const auto *gen = static_cast<const genlmsghdr *>(nlmsg_data(hdr));
    const auto *data = reinterpret_cast<const std::byte *>(genlmsg_attrdata(gen, 0));

    exchange_of(arg).replies.push_back({gen->cmd, {data, data + genlmsg_attrlen(gen, 0)}});
    return NL_OK;
}

int on_ack(nl_msg *, void *arg) noexcept
{
    exchange_of(arg).done = true;
    return NL_STOP;
}

int on_finish(nl_msg *msg, void *arg) noexcept
{
    Exchange &exchange = exchange_of(arg);
    const nlmsghdr *hdr = nlmsg_hdr(msg);
    int error = 0;

    exchange.done = true;
    if (hdr->nlmsg_len >= NLMSG_HDRLEN + sizeof(error))
        memcpy(&error, nlmsg_data(hdr), sizeof(error));
    if (error < 0) {
        exchange.error = -error;
        read_extack(exchange, hdr, NLMSG_ALIGN(sizeof(error)));
    }
    return NL_STOP;
}

int on_interrupted(nl_msg *, void *arg) noexcept
{
    exchange_of(arg).interrupted = true;
    return NL_OK;
}

int on_error(sockaddr_nl *, nlmsgerr *err, void *arg) noexcept
{
    Exchange &exchange = exchange_of(arg);
    const auto *hdr =
        reinterpret_cast<const nlmsghdr *>(reinterpret_cast<const char *>(err) - NLMSG_HDRLEN);
    size_t fixed = sizeof(*err);

    // The request follows unless the kernel was asked to leave it out.
    if (!(hdr->nlmsg_flags & NLM_F_CAPPED))
        fixed += NLMSG_ALIGN(err->msg.nlmsg_len) - NLMSG_HDRLEN;
    exchange.done = true;
    exchange.error = -err->error;
    read_extack(exchange, hdr, fixed);
    return NL_STOP;
}

/** The callbacks of the socket, which may have its own functions to send and receive, and ours. */
Callbacks make_callbacks(nl_sock *sock, Exchange &exchange)
{
    const Callbacks own(nl_socket_get_cb(sock));
    Callbacks cb(nl_cb_clone(own.get()));

    if (!cb)
        throw std::bad_alloc();
    nl_cb_set(cb.get(), NL_CB_SEQ_CHECK, NL_CB_CUSTOM, on_sequence, &exchange);
    nl_cb_set(cb.get(), NL_CB_VALID, NL_CB_CUSTOM, on_valid, &exchange);
    nl_cb_set(cb.get(), NL_CB_ACK, NL_CB_CUSTOM, on_ack, &exchange);
    nl_cb_set(cb.get(), NL_CB_FINISH, NL_CB_CUSTOM, on_finish, &exchange);
    nl_cb_set(cb.get(), NL_CB_DUMP_INTR, NL_CB_CUSTOM, on_interrupted, &exchange);
    nl_cb_err(cb.get(), NL_CB_CUSTOM, on_error, &exchange);
    return cb;
}

Result<Socket> open_socket()
{
    Socket sock(nl_socket_alloc());
    const int on = 1;

    if (!sock)
        throw std::bad_alloc();
    const int err = genl_connect(sock.get());
    if (err)
        return libnl_error(err);
    const int fd = nl_socket_get_fd(sock.get());
    setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
    setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
    nl_socket_set_msg_buf_size(sock.get(), receive_buffer);
    return sock;
}

/** The module's family. */
Result<Family> find_module(nl_sock *sock)
{
    auto family = find_family(sock, MRC_FAMILY_NAME);

    if (!family && family.error().code == ENOENT)
        return Error{ENOENT, "the mrc kernel module is not loaded", {}};
    return family;
}

/** A big request must fit in the send buffer as a whole. */
void grow_send_buffer(int fd, int size)
{
    int now = 0;
    socklen_t len = sizeof(now);

    if (!getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &now, &len) && now >= size)
        return;
    if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(size)))
        setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
}

class NetlinkStream : public MessageStream
{
public:
    explicit NetlinkStream(Socket sock) : sock_(std::move(sock)) {}

    int fd() const override { return nl_socket_get_fd(sock_.get()); }

    bool wait(int timeout) override
    {
        pollfd waits{fd(), POLLIN, 0};

        errno = 0;
        // After a signal a message may have come: look.
        return poll(&waits, 1, timeout) > 0 || errno == EINTR;
    }

    /**
     * After an overrun the kernel drops messages until all that wait have been read, and reports no
     * other overrun. So each call reports it until then.
     */
    Result<Arrivals> receive() override
    {
        Arrivals arrivals;

        arrivals.overrun = overrun_;
        while (arrivals.messages.size() < arrivals_max) {
            Exchange exchange;
            const Callbacks cb = make_callbacks(sock_.get(), exchange);

            errno = 0;
            const int err = nl_recvmsgs(sock_.get(), cb.get());

            for (Reply &reply : exchange.replies)
                arrivals.messages.push_back(std::move(reply));
            // libnl has the same number for ENOBUFS and ENOMEM: only errno differs.
            if (err == -NLE_AGAIN) {
                overrun_ = false;
                return arrivals;
            }
            if (err == -NLE_NOMEM && errno == ENOBUFS)
                arrivals.overrun = overrun_ = true;
            else if (err < 0)
                return libnl_error(err);
        }
        return arrivals;
    }

private:
    Socket sock_;
    bool overrun_ = false; ///< an overrun happened, and not all messages have been read since
};

class NetlinkChannel : public Channel
{
public:
    NetlinkChannel(Socket sock, int family) : sock_(std::move(sock)), family_(family) {}

    Result<std::vector<Reply>> transact(const Request &request) override
    {
        auto exchange = run(request, NLM_F_ACK);

        if (!exchange)
            return exchange.error();
        return std::move(exchange->replies);
    }

    Result<Dump> dump(const Request &request) override
    {
        auto exchange = run(request, NLM_F_DUMP);

        if (!exchange)
            return exchange.error();
        return Dump{std::move(exchange->replies), exchange->interrupted};
    }

    Result<std::unique_ptr<MessageStream>> subscribe(std::span<const char *const> groups) override;

private:
    Result<Exchange> run(const Request &request, int flags);
    Result<uint32_t> send(const Request &request, int flags);
    void discard();

    Socket sock_;
    int family_;
    bool cut_ = false; ///< the previous answer was not read to its end
};

/** @return the sequence number of the request */
Result<uint32_t> NetlinkChannel::send(const Request &request, int flags)
{
    const auto attrs = request.attributes();
    const size_t size = NLMSG_HDRLEN + GENL_HDRLEN + attrs.size();
    const std::unique_ptr<nl_msg, FreeMessage> msg(nlmsg_alloc_size(size + NLMSG_ALIGNTO));

    if (!msg ||
        !genlmsg_put(msg.get(), NL_AUTO_PORT, NL_AUTO_SEQ, family_, 0, flags, request.command(),
                     MRC_FAMILY_VERSION) ||
        nlmsg_append(msg.get(), const_cast<std::byte *>(attrs.data()), attrs.size(), 0))
        throw std::bad_alloc();
    grow_send_buffer(nl_socket_get_fd(sock_.get()), static_cast<int>(2 * size));
    // The caller chooses the flags of each request; libnl must not add NLM_F_ACK.
    nl_socket_disable_auto_ack(sock_.get());
    const int err = nl_send_auto(sock_.get(), msg.get());
    if (err < 0)
        return libnl_error(err);
    return nlmsg_hdr(msg.get())->nlmsg_seq;
}

/**
 * Throws away messages that wait. While a dump is not read to its end, the kernel refuses to begin
 * another one (EBUSY).
 */
void NetlinkChannel::discard()
{
    std::array<std::byte, 1> piece{};

    for (size_t i = 0; i < arrivals_max; i++)
        if (recv(nl_socket_get_fd(sock_.get()), piece.data(), piece.size(), MSG_DONTWAIT) < 0 &&
            errno != ENOBUFS && errno != EINTR)
            break;
    cut_ = false;
}

/** The error of a refused request, with the name of the attribute. */
Error kernel_error(const Exchange &exchange, const Request &request)
{
    constexpr size_t headers = NLMSG_HDRLEN + GENL_HDRLEN;
    Error error{exchange.error, exchange.text, {}};

    if (exchange.offset && *exchange.offset >= headers)
        error.attribute =
            attribute_at(request.command(), request.attributes(), *exchange.offset - headers);
    if (exchange.missing && error.text.empty()) {
        const AttributeSet *set = command_set(request.command());
        const AttributeName *name = set ? set->find(*exchange.missing) : nullptr;

        error.text = std::string(name ? name->name : "an attribute") + " is missing";
    }
    return error;
}

Result<Exchange> NetlinkChannel::run(const Request &request, int flags)
{
    Exchange exchange;

    if (request.overflow())
        return Error{EMSGSIZE, "the request is too large", {}};
    if (cut_)
        discard();
    const auto sent = send(request, flags);
    if (!sent)
        return sent.error();
    exchange.sequence = *sent;
    const Callbacks cb = make_callbacks(sock_.get(), exchange);
    while (!exchange.done) {
        const int err = nl_recvmsgs(sock_.get(), cb.get());

        if (err < 0 && !exchange.done) {
            cut_ = true;
            return libnl_error(err);
        }
    }
    if (exchange.error)
        return kernel_error(exchange, request);
    return exchange;
}

Result<std::unique_ptr<MessageStream>>
NetlinkChannel::subscribe(std::span<const char *const> groups)
{
    auto sock = open_socket();

    if (!sock)
        return sock.error();
    const auto family = find_module(sock->get());
    if (!family)
        return family.error();
    for (const char *name : groups) {
        const auto group = family->groups.find(name);
        if (group == family->groups.end() && name == groups.front())
            return Error{EPROTO, "the module reports no events", {}};
        if (group == family->groups.end())
            continue;
        const int err = nl_socket_add_membership(sock->get(), group->second);
        if (err)
            return libnl_error(err);
    }
    nl_socket_set_nonblocking(sock->get());
    const int fd = nl_socket_get_fd(sock->get());
    if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &event_buffer, sizeof(event_buffer)))
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &event_buffer, sizeof(event_buffer));
    return std::unique_ptr<MessageStream>(std::make_unique<NetlinkStream>(std::move(*sock)));
}

} // namespace

std::unique_ptr<Channel> make_channel(Socket sock, int family)
{
    return std::make_unique<NetlinkChannel>(std::move(sock), family);
}

Result<std::unique_ptr<Channel>> open_channel()
{
    auto sock = open_socket();

    if (!sock)
        return sock.error();
    const auto family = find_module(sock->get());
    if (!family)
        return family.error();
    return make_channel(std::move(*sock), family->id);
}

} // namespace mrcnl
