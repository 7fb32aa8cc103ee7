// SPDX-License-Identifier: GPL-2.0-only
#include "host/host_view.h"

#include <cerrno>
#include <charconv>
#include <cstring>

#include <linux/rtnetlink.h>
#include <netlink/msg.h>
#include <sys/socket.h>

#include "file/read_file.h"
#include "host/netdev_table.h"
#include "host/netlink.h"

namespace mrcd
{

namespace
{

using mrcnl::Error;
using mrcnl::Result;

constexpr int netdev_dump_tries = 10; // a dump is disturbed while netdevs come and go

/** Adds a netdev under all of its names. */
void take_netdev(nl_msg *msg, std::map<std::string, NetdevView> &netdevs)
{
    const auto change = NetdevTable::parse(nlmsg_hdr(msg));

    if (!change || !change->netdev)
        return;
    const NetdevTable::Netdev &netdev = *change->netdev;
    for (const std::string &name : netdev.names)
        netdevs[name] = {netdev.index, netdev.up, netdev.carrier, netdev.mtu};
}

class NetlinkView : public HostView
{
public:
    explicit NetlinkView(Owned<nl_sock> sock) : sock_(std::move(sock)) {}

    Result<std::map<std::string, NetdevView>> netdevs() override;
    Result<RouteView> route(const mrcnl::Address &to, uint32_t index) override;
    std::optional<long> sysctl(const std::string &name) override;
    ModuleState module() override { return module_state(); }

private:
    Owned<nl_sock> sock_;
};

Result<std::map<std::string, NetdevView>> NetlinkView::netdevs()
{
    const ifinfomsg all{};

    for (int tries = 1;; tries++) {
        const Owned<nl_msg> msg(nlmsg_alloc_simple(RTM_GETLINK, NLM_F_REQUEST | NLM_F_DUMP));
        std::map<std::string, NetdevView> found;
        if (!msg ||
            nlmsg_append(msg.get(), const_cast<ifinfomsg *>(&all), sizeof(all), NLMSG_ALIGNTO))
            return Error{ENOMEM, {}, {}};
        const auto asked =
            ask(sock_.get(), msg.get(), [&](nl_msg *one) { take_netdev(one, found); });
        if (asked)
            return found;
        if (asked.error().code != EINTR || tries == netdev_dump_tries)
            return asked.error();
    }
}

/** An unreachable address is no error here. */
Result<RouteView> NetlinkView::route(const mrcnl::Address &to, uint32_t index)
{
    const Owned<nl_msg> msg(nlmsg_alloc_simple(RTM_GETROUTE, NLM_F_REQUEST | NLM_F_ACK));
    rtmsg route{};
    RouteView found;

    route.rtm_family = AF_INET6;
    route.rtm_dst_len = 128;
    if (!msg || nlmsg_append(msg.get(), &route, sizeof(route), NLMSG_ALIGNTO) ||
        nla_put(msg.get(), RTA_DST, static_cast<int>(to.bytes.size()), to.bytes.data()) ||
        nla_put_u32(msg.get(), RTA_OIF, index))
        return Error{ENOMEM, {}, {}};
    const auto asked = ask(sock_.get(), msg.get(), [&](nl_msg *one) {
        nlattr *attrs[RTA_MAX + 1];
        const auto *answer = static_cast<const rtmsg *>(nlmsg_data(nlmsg_hdr(one)));
        if (nlmsg_parse(nlmsg_hdr(one), sizeof(*answer), attrs, RTA_MAX, nullptr) ||
            answer->rtm_type != RTN_UNICAST || !attrs[RTA_OIF] ||
            nla_get_u32(attrs[RTA_OIF]) != index)
            return;
        found.exists = true;
        mrcnl::Address gateway;
        if (!attrs[RTA_GATEWAY] ||
            nla_len(attrs[RTA_GATEWAY]) != static_cast<int>(gateway.bytes.size()))
            return;
        memcpy(gateway.bytes.data(), nla_data(attrs[RTA_GATEWAY]), gateway.bytes.size());
        found.gateway = gateway;
    });
    if (!asked && asked.error().code != ENETUNREACH && asked.error().code != EHOSTUNREACH)
        return asked.error();
    return found;
}

std::optional<long> NetlinkView::sysctl(const std::string &name)
{
    const auto text = read_file("/proc/sys/" + name);
    long value = 0;

    if (!text ||
        std::from_chars(text->data(), text->data() + text->size(), value).ec != std::errc())
        return std::nullopt;
    return value;
}

} // namespace

Result<std::unique_ptr<HostView>> open_host_view()
{
    auto sock = connect_netlink(NETLINK_ROUTE);

    if (!sock)
        return sock.error();
    return std::unique_ptr<HostView>(std::make_unique<NetlinkView>(std::move(*sock)));
}

} // namespace mrcd
