// SPDX-License-Identifier: GPL-2.0-only
#include "netdev.h"

#include <net/if.h>
#include <netlink/netlink.h>
#include <netlink/route/link.h>

namespace mrcd
{

NetdevFinder::NetdevFinder() : sock_(nl_socket_alloc())
{
    if (sock_)
        nl_connect(sock_, NETLINK_ROUTE);
}

NetdevFinder::~NetdevFinder()
{
    nl_socket_free(sock_);
}

std::optional<NetdevState> NetdevFinder::find(const std::string &name)
{
    rtnl_link *link = nullptr;

    if (!sock_ || rtnl_link_get_kernel(sock_, 0, name.c_str(), &link) || !link)
        return std::nullopt;
    const NetdevState found{static_cast<uint32_t>(rtnl_link_get_ifindex(link)),
                            (rtnl_link_get_flags(link) & IFF_RUNNING) != 0};
    rtnl_link_put(link);
    return found;
}

} // namespace mrcd
