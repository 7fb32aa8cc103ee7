// SPDX-License-Identifier: GPL-2.0-only
#include "host/netdev_table.h"

#include <cstring>
#include <utility>

#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

namespace mrcd
{

namespace
{

/** @return empty: it is no name */
std::string name_in(const nlattr *attribute)
{
    const auto *text = static_cast<const char *>(nla_data(attribute));
    const auto length = static_cast<size_t>(nla_len(attribute));

    return {text, strnlen(text, length)};
}

void add_other_names(const nlattr *list, std::set<std::string> &names)
{
    const nlattr *at = nullptr;
    int rest = 0;

    nla_for_each_nested(at, list, rest) if (nla_type(at) == IFLA_ALT_IFNAME)
        names.insert(name_in(at));
}

} // namespace

/**
 * Ignores messages of the same type that describe only a part of a netdev: bridges send them about
 * their ports, wireless netdevs about what they hear.
 */
std::optional<NetdevTable::Change> NetdevTable::parse(const nlmsghdr *message)
{
    auto *msg = const_cast<nlmsghdr *>(message);
    const bool gone = msg->nlmsg_type == RTM_DELLINK;
    nlattr *all[IFLA_MAX + 1] = {};

    if ((!gone && msg->nlmsg_type != RTM_NEWLINK) ||
        nlmsg_parse(msg, sizeof(ifinfomsg), all, IFLA_MAX, nullptr) < 0)
        return std::nullopt;
    const auto *info = static_cast<const ifinfomsg *>(nlmsg_data(msg));
    if (info->ifi_family != AF_UNSPEC || info->ifi_index <= 0)
        return std::nullopt;
    const auto index = static_cast<uint32_t>(info->ifi_index);
    if (gone)
        return Change{index, std::nullopt};
    if (!all[IFLA_IFNAME] || !all[IFLA_MTU] || nla_len(all[IFLA_MTU]) != sizeof(uint32_t))
        return std::nullopt;
    Netdev netdev{index,
                  (info->ifi_flags & IFF_UP) != 0,
                  (info->ifi_flags & IFF_RUNNING) != 0,
                  nla_get_u32(all[IFLA_MTU]),
                  {name_in(all[IFLA_IFNAME])}};
    if (all[IFLA_PROP_LIST])
        add_other_names(all[IFLA_PROP_LIST], netdev.names);
    return Change{index, std::move(netdev)};
}

void NetdevTable::forget(uint32_t index)
{
    const auto known = netdevs_.find(index);

    if (known == netdevs_.end())
        return;
    for (const std::string &name : known->second.names)
        if (const auto at = indices_.find(name); at != indices_.end() && at->second == index)
            indices_.erase(at);
    netdevs_.erase(known);
}

void NetdevTable::apply(const Change &change)
{
    forget(change.index);
    if (!change.netdev)
        return;
    netdevs_[change.index] = *change.netdev;
    for (const std::string &name : change.netdev->names)
        indices_[name] = change.index;
}

void NetdevTable::take(const nlmsghdr *message)
{
    auto change = parse(message);

    if (!change)
        return;
    apply(*change);
    if (expecting_)
        meanwhile_.push_back(std::move(*change));
}

const NetdevTable::Netdev *NetdevTable::find(const std::string &name) const
{
    const auto at = indices_.find(name);

    return at == indices_.end() ? nullptr : &netdevs_.at(at->second);
}

void NetdevTable::expect()
{
    expecting_ = true;
    meanwhile_.clear();
}

void NetdevTable::renew(NetdevTable all)
{
    netdevs_ = std::move(all.netdevs_);
    indices_ = std::move(all.indices_);
    // The last event about a netdev is not older than what was read of it.
    for (const Change &change : std::exchange(meanwhile_, {}))
        apply(change);
    expecting_ = false;
    known_ = true;
}

} // namespace mrcd
