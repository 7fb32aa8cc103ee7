// SPDX-License-Identifier: GPL-2.0-only
#include "host/netdev.h"

#include <cstring>

#include <net/if.h>
#include <netlink/errno.h>
#include <netlink/route/nexthop.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "host/owned.h"

namespace mrcd
{

namespace
{

using Gateway = std::optional<mrcnl::Address>;

/** The gateway in an answer to RTM_GETROUTE. */
int take_gateway(nl_msg *msg, void *gateway) noexcept
{
    rtnl_route *parsed = nullptr;

    if (rtnl_route_parse(nlmsg_hdr(msg), &parsed))
        return NL_SKIP;
    const Owned<rtnl_route> route(parsed);
    rtnl_nexthop *hop = rtnl_route_nexthop_n(parsed, 0);
    const nl_addr *address = hop ? rtnl_route_nh_get_gateway(hop) : nullptr;
    mrcnl::Address found;
    if (address && nl_addr_get_len(address) == found.bytes.size()) {
        memcpy(found.bytes.data(), nl_addr_get_binary_addr(address), found.bytes.size());
        *static_cast<Gateway *>(gateway) = found;
    }
    return NL_OK;
}

} // namespace

void NetdevFinder::Close::operator()(nl_sock *sock) const
{
    nl_socket_free(sock);
}

/** Opens the socket. It waits only for answers, and at most a second for each. */
bool NetdevFinder::open()
{
    constexpr timeval patience{.tv_sec = 1, .tv_usec = 0};

    if (sock_)
        return true;
    sock_.reset(nl_socket_alloc());
    if (!sock_)
        return false;
    nl_socket_disable_auto_ack(sock_.get());
    if (nl_connect(sock_.get(), NETLINK_ROUTE) ||
        setsockopt(nl_socket_get_fd(sock_.get()), SOL_SOCKET, SO_RCVTIMEO, &patience,
                   sizeof(patience)))
        sock_.reset();
    return sock_ != nullptr;
}

uint32_t NetdevFinder::find(const std::string &name)
{
    uint32_t &known = known_[name];
    rtnl_link *found = nullptr;

    if (!open())
        return known;
    const int err = rtnl_link_get_kernel(sock_.get(), 0, name.c_str(), &found);
    const Owned<rtnl_link> link(found);
    if (!err && found) {
        known = static_cast<uint32_t>(rtnl_link_get_ifindex(found));
    } else if (err == -NLE_NODEV) {
        known = 0;
    } else {
        // A late answer would be taken for the answer to the next request.
        sock_.reset();
    }
    return known;
}

Gateway NetdevFinder::next_hop(const mrcnl::Address &to, uint32_t index)
{
    const Owned<nl_msg> msg(nlmsg_alloc_simple(RTM_GETROUTE, NLM_F_REQUEST));
    const Owned<nl_addr> target(nl_addr_build(AF_INET6, to.bytes.data(), to.bytes.size()));
    const Owned<nl_cb> callbacks(nl_cb_alloc(NL_CB_DEFAULT));
    rtmsg route{};
    Gateway gateway;

    route.rtm_family = AF_INET6;
    route.rtm_dst_len = 128;
    if (!open() || !msg || !target || !callbacks ||
        nlmsg_append(msg.get(), &route, sizeof(route), NLMSG_ALIGNTO) ||
        nla_put_addr(msg.get(), RTA_DST, target.get()) || nla_put_u32(msg.get(), RTA_OIF, index))
        return gateway;
    nl_cb_set(callbacks.get(), NL_CB_VALID, NL_CB_CUSTOM, take_gateway, &gateway);
    nl_complete_msg(sock_.get(), msg.get());
    if (nl_send(sock_.get(), msg.get()) < 0 || nl_recvmsgs(sock_.get(), callbacks.get()) < 0)
        sock_.reset();
    return gateway;
}

} // namespace mrcd
