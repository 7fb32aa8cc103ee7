// SPDX-License-Identifier: GPL-2.0-only
#include "host/system.h"

#include <cerrno>
#include <cstring>

#include <linux/netlink.h>
#include <net/if.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/route/addr.h>
#include <rdma/rdma_netlink.h>
#include <sys/socket.h>

#include "host/netdev.h"
#include "host/owned.h"

namespace mrcd
{

namespace
{

using mrcnl::Error;
using mrcnl::Result;

/** A socket of a netlink protocol whose kernel side gives reasons, or the reason why not. */
Result<Owned<nl_sock>> connect(int protocol)
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

/** The kernel's answer to a request. libnl would make one number of several errors. */
struct Answer {
    bool come = false;
    Error error;
};

int on_ack(nl_msg *, void *arg) noexcept
{
    static_cast<Answer *>(arg)->come = true;
    return NL_STOP;
}

/** With NETLINK_CAP_ACK the attributes follow at once, if there are any. */
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

/** Sends a request and waits until the kernel has done it. */
Result<void> request(nl_sock *sock, nl_msg *msg)
{
    const Owned<nl_cb> cb(nl_cb_alloc(NL_CB_DEFAULT));
    Answer answer;

    if (!cb)
        return Error{ENOMEM, {}, {}};
    nl_cb_set(cb.get(), NL_CB_ACK, NL_CB_CUSTOM, on_ack, &answer);
    nl_cb_err(cb.get(), NL_CB_CUSTOM, on_error, &answer);
    int err = nl_send_auto(sock, msg);
    while (err >= 0 && !answer.come)
        err = nl_recvmsgs(sock, cb.get());
    if (!answer.come)
        return mrcnl::libnl_error(err);
    if (answer.error.code)
        return answer.error;
    return {};
}

class NetlinkSystem : public System
{
public:
    NetlinkSystem(Owned<nl_sock> requests, Owned<nl_sock> changes)
        : requests_(std::move(requests)), changes_(std::move(changes))
    {
    }

    uint32_t netdev(const std::string &name) override
    {
        return netdevs_.find(name).value_or(NetdevState{}).index;
    }
    Result<std::map<mrcnl::Address, uint8_t>> addresses(const std::string &netdev) override;
    Result<void> add_address(const std::string &netdev, const mrcnl::Prefix &address) override
    {
        return change_address(netdev, address, rtnl_addr_build_add_request);
    }
    Result<void> delete_address(const std::string &netdev, const mrcnl::Prefix &address) override
    {
        return change_address(netdev, address, rtnl_addr_build_delete_request);
    }
    Result<void> add_device(const std::string &device, const std::string &anchor) override;
    int fd() const override { return nl_socket_get_fd(changes_.get()); }
    void drain() override;

private:
    Result<void> change_address(const std::string &netdev, const mrcnl::Prefix &address,
                                int (*build)(rtnl_addr *, int, nl_msg **));

    NetdevFinder netdevs_;
    Owned<nl_sock> requests_;
    Owned<nl_sock> changes_;
};

Result<std::map<mrcnl::Address, uint8_t>> NetlinkSystem::addresses(const std::string &netdev)
{
    const auto index = static_cast<int>(this->netdev(netdev));
    std::map<mrcnl::Address, uint8_t> found;
    nl_cache *all = nullptr;
    const int err = rtnl_addr_alloc_cache(requests_.get(), &all);
    const Owned<nl_cache> cache(err ? nullptr : all);

    if (err)
        return mrcnl::libnl_error(err);
    for (nl_object *at = nl_cache_get_first(all); at; at = nl_cache_get_next(at)) {
        auto *one = reinterpret_cast<rtnl_addr *>(at);
        nl_addr *local = rtnl_addr_get_local(one);
        mrcnl::Address address;
        if (rtnl_addr_get_ifindex(one) != index || !local || nl_addr_get_family(local) != AF_INET6)
            continue;
        memcpy(address.bytes.data(), nl_addr_get_binary_addr(local), address.bytes.size());
        found[address] = static_cast<uint8_t>(rtnl_addr_get_prefixlen(one));
    }
    return found;
}

Result<void> NetlinkSystem::change_address(const std::string &netdev, const mrcnl::Prefix &address,
                                           int (*build)(rtnl_addr *, int, nl_msg **))
{
    const auto &bytes = address.address.bytes;
    const Owned<rtnl_addr> one(rtnl_addr_alloc());
    const Owned<nl_addr> local(nl_addr_build(AF_INET6, bytes.data(), bytes.size()));
    nl_msg *msg = nullptr;

    if (!one || !local)
        return Error{ENOMEM, {}, {}};
    nl_addr_set_prefixlen(local.get(), address.length);
    rtnl_addr_set_ifindex(one.get(), static_cast<int>(this->netdev(netdev)));
    rtnl_addr_set_local(one.get(), local.get());
    rtnl_addr_set_flags(one.get(), IFA_F_NODAD);
    const int err = build(one.get(), 0, &msg);
    const Owned<nl_msg> owned(err ? nullptr : msg);
    if (err)
        return mrcnl::libnl_error(err);
    return request(requests_.get(), msg);
}

/** What it was does not matter: all is looked at again. */
void NetlinkSystem::drain()
{
    while (nl_recvmsgs_default(changes_.get()) == 0)
        ;
}

Result<void> NetlinkSystem::add_device(const std::string &device, const std::string &anchor)
{
    constexpr int type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_NEWLINK);
    auto sock = connect(NETLINK_RDMA);
    const Owned<nl_msg> msg(nlmsg_alloc_simple(type, NLM_F_REQUEST | NLM_F_ACK));

    if (!sock)
        return sock.error();
    if (!msg || nla_put_string(msg.get(), RDMA_NLDEV_ATTR_DEV_NAME, device.c_str()) ||
        nla_put_string(msg.get(), RDMA_NLDEV_ATTR_LINK_TYPE, "mrc") ||
        nla_put_string(msg.get(), RDMA_NLDEV_ATTR_NDEV_NAME, anchor.c_str()))
        return Error{ENOMEM, {}, {}};
    return request(sock->get(), msg.get());
}

} // namespace

Result<std::unique_ptr<System>> open_system()
{
    auto requests = connect(NETLINK_ROUTE);
    auto changes = connect(NETLINK_ROUTE);

    if (!requests)
        return requests.error();
    if (!changes)
        return changes.error();
    nl_socket_disable_seq_check(changes->get());
    const int err =
        nl_socket_add_memberships(changes->get(), RTNLGRP_LINK, RTNLGRP_IPV6_IFADDR, RTNLGRP_NONE);
    if (err)
        return mrcnl::libnl_error(err);
    nl_socket_set_nonblocking(changes->get());
    return std::unique_ptr<System>(
        std::make_unique<NetlinkSystem>(std::move(*requests), std::move(*changes)));
}

} // namespace mrcd
