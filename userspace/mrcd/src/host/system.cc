// SPDX-License-Identifier: GPL-2.0-only
#include "host/system.h"

#include <array>
#include <cerrno>
#include <cstring>

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netlink/attr.h>
#include <netlink/errno.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/route/addr.h>
#include <rdma/rdma_netlink.h>
#include <sys/socket.h>

#include "host/module.h"
#include "host/netdev.h"
#include "host/netlink.h"
#include "mrcnl/controller_lock.h"

namespace mrcd
{

namespace
{

using mrcnl::Error;
using mrcnl::Result;

constexpr int dump_tries = 10;         // a dump is disturbed while netdevs come and go
constexpr int events_buffer = 1 << 20; // bytes

int take_netdev(nl_msg *msg, void *netdevs) noexcept
{
    static_cast<NetdevTable *>(netdevs)->take(nlmsg_hdr(msg));
    return NL_OK;
}

/** Accepts any sequence number: events answer no request. */
int accept(nl_msg *, void *) noexcept
{
    return NL_OK;
}

/** Callbacks that put received netdevs into @p netdevs. @return null: no memory */
Owned<nl_cb> into(NetdevTable &netdevs)
{
    Owned<nl_cb> callbacks(nl_cb_alloc(NL_CB_DEFAULT));

    if (callbacks)
        nl_cb_set(callbacks.get(), NL_CB_VALID, NL_CB_CUSTOM, take_netdev, &netdevs);
    return callbacks;
}

class NetlinkSystem : public System
{
public:
    NetlinkSystem(Owned<nl_sock> requests, Owned<nl_sock> changes)
        : requests_(std::move(requests)), changes_(std::move(changes))
    {
    }

    uint32_t netdev(const std::string &name) override { return netdevs_.find(name); }
    Result<std::map<mrcnl::Address, HeldAddress>> addresses(const std::string &netdev) override;
    Result<void> add_address(const std::string &netdev, const mrcnl::Prefix &address) override
    {
        return change_address(netdev, address, rtnl_addr_build_add_request, address_protocol);
    }
    Result<void> delete_address(const std::string &netdev, const mrcnl::Prefix &address) override
    {
        return change_address(netdev, address, rtnl_addr_build_delete_request, std::nullopt);
    }
    Result<void> add_device(const std::string &device, const std::string &anchor) override;
    int fd() const override { return nl_socket_get_fd(changes_.get()); }
    mrcnl::Result<mrcnl::Descriptor> lock(uint32_t device) override
    {
        return mrcnl::lock_controller(device);
    }
    bool drain(NetdevTable &netdevs) override;
    Result<NetdevTable> read_netdevs() override;

private:
    Result<void> change_address(const std::string &netdev, const mrcnl::Prefix &address,
                                int (*build)(rtnl_addr *, int, nl_msg **),
                                std::optional<uint8_t> protocol);

    NetdevFinder netdevs_;
    Owned<nl_sock> requests_;
    Owned<nl_sock> changes_;
};

/** Takes an address of the netdev from a message. libnl does not support protocols of addresses. */
void take_address(nl_msg *msg, uint32_t netdev, std::map<mrcnl::Address, HeldAddress> &found)
{
    nlmsghdr *const head = nlmsg_hdr(msg);
    const auto *const told = static_cast<const ifaddrmsg *>(nlmsg_data(head));
    std::array<nlattr *, IFA_MAX + 1> attrs{};
    mrcnl::Address address;

    if (head->nlmsg_type != RTM_NEWADDR ||
        nlmsg_parse(head, sizeof(*told), attrs.data(), IFA_MAX, nullptr) < 0 ||
        told->ifa_index != netdev || told->ifa_family != AF_INET6)
        return;
    // A point-to-point netdev has its own address in IFA_LOCAL; other netdevs have no IFA_LOCAL.
    const nlattr *const local = attrs[IFA_LOCAL] ? attrs[IFA_LOCAL] : attrs[IFA_ADDRESS];
    if (!local || nla_len(local) != static_cast<int>(address.bytes.size()))
        return;
    memcpy(address.bytes.data(), nla_data(local), address.bytes.size());
    nlattr *const protocol = attrs[IFA_PROTO];
    found[address] = {told->ifa_prefixlen, protocol && nla_get_u8(protocol) == address_protocol};
}

Result<std::map<mrcnl::Address, HeldAddress>> NetlinkSystem::addresses(const std::string &netdev)
{
    const uint32_t index = this->netdev(netdev);
    ifaddrmsg all{};
    Result<void> done;

    all.ifa_family = AF_INET6;
    for (int tries = 0; tries < dump_tries; tries++) {
        std::map<mrcnl::Address, HeldAddress> found;
        const Owned<nl_msg> msg(nlmsg_alloc_simple(RTM_GETADDR, NLM_F_DUMP));

        if (!msg || nlmsg_append(msg.get(), &all, sizeof(all), NLMSG_ALIGNTO) < 0)
            return Error{ENOMEM, {}, {}};
        done =
            ask(requests_.get(), msg.get(), [&](nl_msg *one) { take_address(one, index, found); });
        if (done)
            return found;
        if (done.error().code != EINTR)
            break;
    }
    return done.error();
}

Result<void> NetlinkSystem::change_address(const std::string &netdev, const mrcnl::Prefix &address,
                                           int (*build)(rtnl_addr *, int, nl_msg **),
                                           std::optional<uint8_t> protocol)
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
    if (protocol && nla_put_u8(msg, IFA_PROTO, *protocol) < 0)
        return Error{ENOMEM, {}, {}};
    return request(requests_.get(), msg);
}

/** Events about addresses only start a pass, which reads the addresses. */
bool NetlinkSystem::drain(NetdevTable &netdevs)
{
    const Owned<nl_cb> callbacks = into(netdevs);
    bool all = true;

    if (!callbacks)
        return false;
    nl_cb_set(callbacks.get(), NL_CB_SEQ_CHECK, NL_CB_CUSTOM, accept, nullptr);
    for (;;) {
        const int err = nl_recvmsgs(changes_.get(), callbacks.get());
        if (err == -NLE_AGAIN)
            return all;
        // The buffer was too small for all events. Those that had room can still be read.
        if (err && (err != -NLE_NOMEM || !all))
            return false;
        all &= !err;
    }
}

Result<NetdevTable> NetlinkSystem::read_netdevs()
{
    ifinfomsg all{};
    int err = 0;

    for (int tries = 0; tries < dump_tries; tries++) {
        NetdevTable found;
        const Owned<nl_cb> callbacks = into(found);
        if (!callbacks)
            return Error{ENOMEM, {}, {}};
        err = nl_send_simple(requests_.get(), RTM_GETLINK, NLM_F_DUMP, &all, sizeof(all));
        if (err >= 0)
            err = nl_recvmsgs(requests_.get(), callbacks.get());
        if (err >= 0)
            return found;
        if (err != -NLE_DUMP_INTR)
            break;
    }
    return mrcnl::libnl_error(err);
}

Result<void> NetlinkSystem::add_device(const std::string &device, const std::string &anchor)
{
    constexpr int type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_NEWLINK);
    // A module that is being removed deletes its devices first. A request for a new device would
    // wait for the removal, and then load the module again.
    if (!module_state().live)
        return Error{ENOENT, "the module is not loaded, or is being removed", {}};
    auto sock = connect_netlink(NETLINK_RDMA);
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
    auto requests = connect_netlink(NETLINK_ROUTE);
    auto changes = connect_netlink(NETLINK_ROUTE);

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
    const int bytes = events_buffer;
    setsockopt(nl_socket_get_fd(changes->get()), SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes));
    return std::unique_ptr<System>(
        std::make_unique<NetlinkSystem>(std::move(*requests), std::move(*changes)));
}

} // namespace mrcd
