// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Owning pointers to objects of libnl.
 */
#pragma once

#include <memory>

#include <netlink/handlers.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/route/addr.h>
#include <netlink/route/link.h>
#include <netlink/route/route.h>

namespace mrcd
{

struct Free {
    void operator()(nl_sock *sock) const { nl_socket_free(sock); }
    void operator()(nl_cache *cache) const { nl_cache_free(cache); }
    void operator()(nl_addr *addr) const { nl_addr_put(addr); }
    void operator()(nl_msg *msg) const { nlmsg_free(msg); }
    void operator()(nl_cb *cb) const { nl_cb_put(cb); }
    void operator()(rtnl_addr *addr) const { rtnl_addr_put(addr); }
    void operator()(rtnl_link *link) const { rtnl_link_put(link); }
    void operator()(rtnl_route *route) const { rtnl_route_put(route); }
};
template <typename T>
using Owned = std::unique_ptr<T, Free>;

} // namespace mrcd
