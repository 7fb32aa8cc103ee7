// SPDX-License-Identifier: GPL-2.0-only
#include "host/netlink.h"

#include <cerrno>
#include <cstring>

#include <linux/netlink.h>
#include <netlink/errno.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <sys/socket.h>

namespace mrcd
{

namespace
{

using mrcnl::Error;
using Each = std::function<void(nl_msg *)>;

/** The kernel's answer to a request. libnl would map several errors to the same number. */
struct Answer {
    bool come = false;
    Error error;
};

int on_valid(nl_msg *msg, void *each) noexcept
{
    (*static_cast<const Each *>(each))(msg);
    return NL_OK;
}

int on_ack(nl_msg *, void *arg) noexcept
{
    static_cast<Answer *>(arg)->come = true;
    return NL_STOP;
}

/** With NETLINK_CAP_ACK the attributes, if any, follow the header at once. */
int on_error(sockaddr_nl *, nlmsgerr *err, void *arg) noexcept
{
    auto *answer = static_cast<Answer *>(arg);
    const auto *hdr =
        reinterpret_cast<const nlmsghdr *>(reinterpret_cast<const char *>(err) - NLMSG_HDRLEN);
    const nlattr *text = nullptr;

    if (hdr->nlmsg_flags & NLM_F_CAPPED && hdr->nlmsg_flags & NLM_F_ACK_TLVS)
        text = nlmsg_find_attr(const_cast<nlmsghdr *>(hdr), sizeof(*err), NLMSGERR_ATTR_MSG);
    answer->come = true;
    answer->error.code = -err->error;
    if (text)
        answer->error.text.assign(
            static_cast<const char *>(nla_data(text)),
            strnlen(static_cast<const char *>(nla_data(text)), static_cast<size_t>(nla_len(text))));
    return NL_STOP;
}

} // namespace

mrcnl::Result<Owned<nl_sock>> connect_netlink(int protocol)
{
    Owned<nl_sock> sock(nl_socket_alloc());
    const int on = 1;

    if (!sock)
        return Error{ENOMEM, {}, {}};
    const int err = nl_connect(sock.get(), protocol);
    if (err)
        return mrcnl::libnl_error(err);
    const int fd = nl_socket_get_fd(sock.get());
    setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
    setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
    return sock;
}

mrcnl::Result<void> request(nl_sock *sock, nl_msg *msg)
{
    return ask(sock, msg, [](nl_msg *) {});
}

mrcnl::Result<void> ask(nl_sock *sock, nl_msg *msg, const Each &each)
{
    const Owned<nl_cb> cb(nl_cb_alloc(NL_CB_DEFAULT));
    Answer answer;

    if (!cb)
        return Error{ENOMEM, {}, {}};
    nl_cb_set(cb.get(), NL_CB_VALID, NL_CB_CUSTOM, on_valid, const_cast<Each *>(&each));
    nl_cb_set(cb.get(), NL_CB_ACK, NL_CB_CUSTOM, on_ack, &answer);
    nl_cb_set(cb.get(), NL_CB_FINISH, NL_CB_CUSTOM, on_ack, &answer);
    nl_cb_err(cb.get(), NL_CB_CUSTOM, on_error, &answer);
    int err = nl_send_auto(sock, msg);
    while (err >= 0 && !answer.come)
        err = nl_recvmsgs(sock, cb.get());
    if (err == -NLE_DUMP_INTR)
        return Error{EINTR, {}, {}};
    if (!answer.come)
        return mrcnl::libnl_error(err);
    if (answer.error.code)
        return answer.error;
    return {};
}

} // namespace mrcd
