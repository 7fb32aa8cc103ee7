// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "family.h"

#include <cerrno>
#include <cstring>
#include <memory>

#include <linux/genetlink.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <new>
#include <optional>

#include "netlink_channel.h"

namespace mrcnl
{

namespace
{

/** A name to look for, and the family that was found. */
struct Search {
    std::string name;
    std::optional<Family> found;
};

std::string text_of(const nlattr *attr)
{
    const auto *text = static_cast<const char *>(nla_data(attr));

    return {text, strnlen(text, static_cast<size_t>(nla_len(attr)))};
}

/** @param groups CTRL_ATTR_MCAST_GROUPS: a nest of nests */
void add_groups(Family &family, nlattr *groups)
{
    nlattr *at = nullptr;
    int left = 0;

    nla_for_each_nested(at, groups, left)
    {
        nlattr *group[CTRL_ATTR_MCAST_GRP_MAX + 1];
        if (!nla_parse_nested(group, CTRL_ATTR_MCAST_GRP_MAX, at, nullptr) &&
            group[CTRL_ATTR_MCAST_GRP_NAME] && group[CTRL_ATTR_MCAST_GRP_ID])
            family.groups[text_of(group[CTRL_ATTR_MCAST_GRP_NAME])] =
                static_cast<int>(nla_get_u32(group[CTRL_ATTR_MCAST_GRP_ID]));
    }
}

int on_family(nl_msg *msg, void *arg) noexcept
{
    auto &search = *static_cast<Search *>(arg);
    nlattr *attrs[CTRL_ATTR_MAX + 1];

    if (genlmsg_parse(nlmsg_hdr(msg), 0, attrs, CTRL_ATTR_MAX, nullptr) ||
        !attrs[CTRL_ATTR_FAMILY_NAME] || !attrs[CTRL_ATTR_FAMILY_ID] ||
        text_of(attrs[CTRL_ATTR_FAMILY_NAME]) != search.name)
        return NL_OK;
    search.found = Family{nla_get_u16(attrs[CTRL_ATTR_FAMILY_ID]), {}};
    if (attrs[CTRL_ATTR_MCAST_GROUPS])
        add_groups(*search.found, attrs[CTRL_ATTR_MCAST_GROUPS]);
    return NL_OK;
}

} // namespace

Result<Family> find_family(nl_sock *sock, const std::string &name)
{
    const Callbacks cb(nl_cb_alloc(NL_CB_DEFAULT));
    Search search{name, std::nullopt};

    if (!cb)
        throw std::bad_alloc();
    nl_cb_set(cb.get(), NL_CB_VALID, NL_CB_CUSTOM, on_family, &search);
    int err = genl_send_simple(sock, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 2, NLM_F_DUMP);
    if (err >= 0)
        err = nl_recvmsgs(sock, cb.get());
    if (err < 0)
        return libnl_error(err);
    if (!search.found)
        return Error{ENOENT, {}, {}};
    return std::move(*search.found);
}

} // namespace mrcnl
