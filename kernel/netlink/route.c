// SPDX-License-Identifier: GPL-2.0-only
/*
 * Netlink commands for routes. "Get" looks a GID up as QPs do.
 */
#include <net/ipv6.h>

#include "../transport/config/config.h"
#include "message.h"

/* @prefix: there is a route, so put its prefix and owner. @gid: the GID looked up, or NULL. */
int mrc_nl_put_route(struct sk_buff *skb, const struct mrc_route *r,
		     bool prefix, const struct in6_addr *gid)
{
	if (prefix &&
	    (nla_put_in6_addr(skb, MRC_A_ROUTE_PREFIX, &r->key.prefix) ||
	     nla_put_u8(skb, MRC_A_ROUTE_PREFIX_LEN, r->key.plen) ||
	     nla_put_u8(skb, MRC_A_ROUTE_OWNER, r->owner)))
		return -EMSGSIZE;
	if (gid && nla_put_in6_addr(skb, MRC_A_ROUTE_GID, gid))
		return -EMSGSIZE;
	if (r->usid && nla_put_u16(skb, MRC_A_ROUTE_USID, r->usid))
		return -EMSGSIZE;
	return mrc_nl_put_u64(skb, MRC_A_ROUTE_EV_PROFILE, r->ev_profile) ?:
	       mrc_nl_put_u64(skb, MRC_A_ROUTE_CC_PROFILE, r->cc_profile);
}

static int mrc_nl_route_msg(struct sk_buff *skb, const struct mrc_nl_to *to,
			    struct mrc_dev *dev, const struct mrc_route *r,
			    bool prefix, const struct in6_addr *gid)
{
	void *hdr = mrc_nl_start(skb, to, MRC_CMD_ROUTE_GET, dev);

	if (!hdr)
		return -EMSGSIZE;
	if (mrc_nl_put_route(skb, r, prefix, gid)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

/* If there is no route, the answer names the built-in profiles and no prefix. */
int mrc_nl_route_get(struct sk_buff *skb, struct genl_info *info)
{
	struct mrc_nl_to to = mrc_nl_to_requester(skb, info);
	struct mrc_dev *dev = mrc_nl_dev(info);
	struct mrc_route r = {
		.ev_profile = MRC_EV_PROFILE_AUTO,
		.cc_profile = MRC_CC_PROFILE_DEFAULT,
	};
	struct in6_addr gid;
	struct sk_buff *msg;
	bool found;

	gid = nla_get_in6_addr(info->attrs[MRC_A_ROUTE_GID]);
	found = mrc_route_lookup(dev, &gid, &r);
	msg = nlmsg_new(MRC_NL_MSG_SIZE, GFP_KERNEL);
	if (!msg)
		return -ENOMEM;
	return mrc_nl_reply(msg, info,
			    mrc_nl_route_msg(msg, &to, dev, &r, found, &gid));
}

/* Continues after the route that was shown last. The requester is told of a change in between. */
static int mrc_nl_route_fill(struct sk_buff *skb, struct netlink_callback *cb,
			     struct mrc_dev *dev)
{
	struct mrc_nl_cursor *cur = mrc_nl_cursor(cb);
	struct mrc_nl_to to = mrc_nl_to_dump(cb);
	struct mrc_route r;
	int err;

	while (mrc_route_next(dev, cur->sub ? &cur->route : NULL, &r)) {
		err = mrc_nl_route_msg(skb, &to, dev, &r, true, NULL);
		if (err)
			return err;
		cur->route = r.key;
		cur->sub = 1;
	}
	return 0;
}

int mrc_nl_route_get_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return mrc_nl_dump(skb, cb, mrc_nl_route_fill);
}

static int mrc_nl_route_change(struct genl_info *info, bool replace)
{
	const struct mrc_change change =
		mrc_nl_change_by(info, MRC_A_ROUTE_OWNER, MRC_A_ROUTE_CLAIM);
	struct nlattr **a = info->attrs;
	struct mrc_route r = { };
	int err;

	r.key.prefix = nla_get_in6_addr(a[MRC_A_ROUTE_PREFIX]);
	r.key.plen = nla_get_u8(a[MRC_A_ROUTE_PREFIX_LEN]);
	r.ev_profile = nla_get_u64(a[MRC_A_ROUTE_EV_PROFILE]);
	r.cc_profile = MRC_CC_PROFILE_DEFAULT;
	if (a[MRC_A_ROUTE_CC_PROFILE])
		r.cc_profile = nla_get_u64(a[MRC_A_ROUTE_CC_PROFILE]);
	if (a[MRC_A_ROUTE_USID])
		r.usid = nla_get_u16(a[MRC_A_ROUTE_USID]);
	err = mrc_config_add_route(mrc_nl_dev(info), &r, replace, &change);
	if (!err)
		mrc_nl_changed();
	return err;
}

int mrc_nl_route_add(struct sk_buff *skb, struct genl_info *info)
{
	return mrc_nl_route_change(info, false);
}

int mrc_nl_route_replace(struct sk_buff *skb, struct genl_info *info)
{
	return mrc_nl_route_change(info, true);
}

int mrc_nl_route_del(struct sk_buff *skb, struct genl_info *info)
{
	const struct mrc_change change =
		mrc_nl_change_by(info, MRC_A_ROUTE_OWNER, 0);
	struct nlattr **a = info->attrs;
	struct mrc_route_key key = { };
	int err;

	key.prefix = nla_get_in6_addr(a[MRC_A_ROUTE_PREFIX]);
	key.plen = nla_get_u8(a[MRC_A_ROUTE_PREFIX_LEN]);
	err = mrc_config_del_route(mrc_nl_dev(info), &key, &change);
	if (!err)
		mrc_nl_changed();
	return err;
}
